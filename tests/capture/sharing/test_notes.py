"""Notes are copied with their marks and without secrets."""

from pathlib import Path

from inspector.capture.notes import Mark, Notes, NotesFile, View
from inspector.capture.sharing.known import Known
from inspector.capture.sharing.notes import copied_notes, keep_notes
from inspector.capture.sharing.pseudonyms import Pseudonyms
from inspector.capture.sharing.redactor import Redactor


def test_notes_are_copied_without_secrets(tmp_path: Path) -> None:
    one, two = tmp_path / "one.mcpcap", tmp_path / "two.mcpcap"
    kept = Notes({3: Mark(3, "red", "password=hunter22")}, (View("v", "text ~ 'token=abcdef'"),), 2, "by hand")
    NotesFile(one, "id").change(lambda _: kept)
    notes = copied_notes(one, "id", Redactor(Pseudonyms(b"key"), Known()))
    keep_notes(notes, two, "id")
    read = NotesFile(two, "id").read()
    assert (read.marks[3].color, read.reference, read.remark, read.views[0].name) == ("red", 2, "by hand", "v")
    assert read.marks[3].text.startswith("password=rdct_")
    assert "abcdef" not in read.views[0].filter
