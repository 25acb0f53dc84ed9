"""The notes of a capture, for its copy: their texts without secrets, and nothing that this program can't read."""

from pathlib import Path

import msgspec

from inspector.capture.notes import Notes, NotesFile
from inspector.capture.sharing.redactor import Redactor


def copied_notes(path: Path, capture_id: str, redactor: Redactor) -> Notes:
    """The notes beside a capture without secrets. What is wrong with their file is told in `trouble`."""
    notes = NotesFile(path, capture_id).read()
    text = redactor.text
    marks = {n: msgspec.structs.replace(mark, text=text(mark.text, "notes")) for n, mark in notes.marks.items()}
    views = tuple(
        msgspec.structs.replace(
            view,
            name=text(view.name, "notes"),
            filter=text(view.filter, "notes"),
            columns=tuple(text(column, "notes") for column in view.columns),
        )
        for view in notes.views
    )
    return Notes(marks, views, notes.reference, text(notes.remark, "notes"), (), notes.trouble, notes.foreign)


def keep_notes(notes: Notes, out: Path, capture_id: str) -> None:
    """Write notes beside a copy, in the place of those that may be there. Raises: UsageError."""
    NotesFile(out, capture_id).change(lambda _: notes)
