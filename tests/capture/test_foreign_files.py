"""Opening files of other programs as captures: they are converted to a temporary file that is removed."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from inspector.capture.foreign_files import is_foreign, open_capture, stand_in
from inspector.capture.format.notes import NotesFile, new_mark
from inspector.capture.import_.readers import READERS
from inspector.capture.store.load import load
from inspector.errors import CaptureError
from tests.architecture.sources import ROOT
from tests.capture.import_.orchard import messages

FOREIGN = ROOT / "tests" / "captures" / "foreign"
FILES = sorted(path for path in FOREIGN.iterdir() if path.suffix != ".md")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_foreign_file_is_opened_with_its_losses_first(file: Path) -> None:
    journal = load(file)
    assert len(messages(journal)) >= 4
    found = stand_in(file)
    assert found is not None
    known = next(each for each in READERS.values() if each.title == found.title)
    assert journal.notices[0].startswith(f"Read from {file.name}, {known.title}; {len(known.losses)} things")
    assert all(loss in journal.notices[0] for loss in known.losses)
    assert journal.capture_path == file, "notes and cases stand beside the file that was named"


def test_omitted_exchanges_of_a_foreign_file_are_noticed() -> None:
    journal = load(FOREIGN / "browser.har")
    assert "Left out of what is shown of it: HTTP exchanges that carry no MCP (1)." in journal.notices


def test_open_capture_refuses_other_files(tmp_path: Path) -> None:
    capture = ROOT / "tests/captures/evening.mcpcap"
    assert stand_in(capture) is None
    assert not is_foreign(capture)
    assert is_foreign(FILES[0])
    text = tmp_path / "a.txt"
    text.write_text("good evening")
    for path, said in (
        (text, "is text, but not a capture"),
        (tmp_path / "none", "No such file"),
        (tmp_path, "directory"),
    ):
        with pytest.raises(CaptureError, match=said):
            open_capture(path)


def test_a_file_that_comes_to_nothing_is_refused_with_what_it_was_taken_for(tmp_path: Path) -> None:
    path = tmp_path / "empty.har"
    path.write_text('{"log":{"entries":[]}}')
    with pytest.raises(CaptureError, match="holds no message that can be read as a HAR file"):
        open_capture(path)


def test_converted_file_is_temporary_and_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    path = tmp_path / "session.jsonl"
    path.write_bytes((FOREIGN / "jsonrpc.txt").read_bytes())
    first, again = stand_in(path), stand_in(path)
    assert first is not None
    assert first == again
    assert first.capture.stat().st_mode & 0o777 == 0o600
    assert [*temporary.iterdir()] == [], "nothing is left, whatever ends the program"
    with path.open("ab") as file:
        file.write(b'{"jsonrpc":"2.0","method":"notifications/later"}\n')
    later = stand_in(path)
    assert later is not None
    assert later.capture != first.capture
    assert "notifications/later" in str(messages(load(path)))


def test_marks_are_found_again_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "session.har"
    path.write_bytes((FOREIGN / "browser.har").read_bytes())
    journal = load(path)
    NotesFile(journal.capture_path, journal.head.id).change(lambda notes: notes.marked(2, new_mark(2, text="slow")))
    journal.close()
    assert (tmp_path / "session.har.notes").exists()
    script = (
        "import sys; from pathlib import Path; from inspector.capture.store.load import load;"
        "from inspector.capture.format.notes import NotesFile;"
        "p = Path(sys.argv[1]); j = load(p); print(NotesFile(p, j.head.id).read().marks[2].text); j.close()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert ran.stdout == "slow\n", "another run of the program takes the file for the same evidence"
