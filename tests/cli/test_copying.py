"""A copy without secrets, as the interface asks for it."""

from pathlib import Path

import pytest

from inspector.capture.load import load
from inspector.capture.notes import NotesFile, new_mark
from inspector.cli.copying import shared
from inspector.errors import UsageError
from tests.captures.record import sample


def test_it_says_what_was_replaced_and_takes_notes_along(tmp_path: Path) -> None:
    file, out = tmp_path / "a.mcpcap", tmp_path / "b.mcpcap"
    file.write_bytes(Path(sample("lighthouse")).read_bytes())
    journal = load(file)
    NotesFile(file, journal.head.id).change(lambda notes: notes.marked(1, new_mark(1, text="sesame-42")))
    journal.close()
    said = shared(file, out, {"MY_TOKEN": "sesame-42"}, notes=True, overwrite=False)
    assert "values replaced" in said[0]
    assert out.exists()
    assert "sesame-42" not in (tmp_path / "b.mcpcap.notes").read_text()
    with pytest.raises(UsageError, match="there already"):
        shared(file, out, {}, notes=False, overwrite=False)
    shared(file, out, {}, notes=False, overwrite=True)
