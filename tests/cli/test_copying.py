"""A copy without secrets, as the interface asks for it."""

from pathlib import Path

import pytest

from inspector.capture.load import load
from inspector.capture.notes import NotesFile, new_mark
from inspector.capture.sharing.sharing import Sharing
from inspector.cli.copying import shared
from inspector.errors import UsageError
from tests.captures.record import sample


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A capture with a note that holds a secret."""
    file = tmp_path / "a.mcpcap"
    file.write_bytes(Path(sample("lighthouse")).read_bytes())
    journal = load(file)
    NotesFile(file, journal.head.id).change(lambda notes: notes.marked(1, new_mark(1, text="sesame-42")))
    journal.close()
    return file


def test_notes_that_nobody_has_looked_through_are_not_left(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Sharing.scan

    def scan(sharing: Sharing, path: Path | str) -> None:
        if str(path).endswith(".notes"):
            raise KeyboardInterrupt
        whole(sharing, path)

    monkeypatch.setattr(Sharing, "scan", scan)
    with pytest.raises(KeyboardInterrupt):
        shared(file, tmp_path / "b.mcpcap", {}, notes=True, overwrite=False)
    assert not (tmp_path / "b.mcpcap.notes").exists()


def test_it_says_what_was_replaced_and_takes_notes_along(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "b.mcpcap"
    said = shared(file, out, {"MY_TOKEN": "sesame-42"}, notes=True, overwrite=False)
    assert "values replaced" in said[0]
    assert out.exists()
    assert "sesame-42" not in (tmp_path / "b.mcpcap.notes").read_text()
    with pytest.raises(UsageError, match="there already"):
        shared(file, out, {}, notes=False, overwrite=False)
    shared(file, out, {}, notes=False, overwrite=True)
