"""Notes about a capture: marks with colour and comment, named views, the time reference.

They are kept beside the capture in a separate file, because a capture is evidence and never changes. That file is as
untrusted as the capture: unreadable lines are counted, reported, and kept unchanged.
"""

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from inspector.atomic_write import whole_file
from inspector.documents import UNDECODABLE, prepared_type
from inspector.errors import UsageError
from inspector.text import cut

SUFFIX = ".notes"
"""Appended to the file name of the capture."""
COLOURS = ("yellow", "red", "green", "blue", "violet")
FORMAT, VERSION = "mcpcap-notes", "1.0"
MOST_BYTES = 16 * 1024 * 1024
"""Larger files are not read."""
MOST_TEXT = 10_000
"""Maximum length of a comment in characters."""
_MOST_NAME, _MOST_FILTER, _MOST_COLUMNS = 100, 10_000, 40
_NUMBER = Annotated[int, msgspec.Meta(ge=1, le=2**53)]


class Mark(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="r", tag="mark"):
    n: _NUMBER
    color: str = COLOURS[0]
    text: str = ""
    """Comment; "" for none."""
    tw: int = 0
    """Creation time, nanoseconds since 1970."""


class View(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="r", tag="view"):
    """A named view of the traffic."""

    name: str
    filter: str = ""
    columns: tuple[str, ...] = ()
    """Column names; if empty, the columns depend on the width."""
    tree: bool = True


class Reference(msgspec.Struct, frozen=True, tag_field="r", tag="timeref"):
    """Entry that times are relative to."""

    n: _NUMBER


class Remark(msgspec.Struct, frozen=True, tag_field="r", tag="note"):
    """Comment on the whole capture."""

    text: str


class NotesHead(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="r", tag="head"):
    """First line of the file."""

    format: str
    v: str = VERSION
    capture: str = ""
    """Id of the capture."""
    file: str = ""
    """File name of the capture, for users who find only the notes. It is never used to open a file."""


_Record = NotesHead | Mark | View | Reference | Remark
_decode = msgspec.json.Decoder(_Record).decode
_encode = msgspec.json.Encoder().encode


class Notes(msgspec.Struct, frozen=True):
    """All notes of a capture. Immutable: `NotesFile.change` replaces it."""

    marks: dict[int, Mark] = {}
    """Marks by entry number, in ascending order."""
    views: tuple[View, ...] = ()
    reference: int = 0
    """Entry that times are relative to; 0 for none."""
    remark: str = ""
    others: tuple[bytes, ...] = ()
    """Lines of unknown types. They are kept in the file."""
    trouble: str = ""
    """Problem with the file, a sentence that may quote it; "" if there is none."""
    foreign: bool = False
    """Whether the file belongs to another capture or is unreadable: it is then not changed."""

    def marked(self, n: int, mark: Mark | None) -> "Notes":
        """Return a copy with this mark at entry n, or without one."""
        marks = {number: each for number, each in self.marks.items() if number != n}
        if mark is not None:
            marks[n] = mark
        return msgspec.structs.replace(self, marks=dict(sorted(marks.items())))

    def with_view(self, name: str, view: View | None) -> "Notes":
        """Return a copy with this view under the name, or without one."""
        views = [each for each in self.views if each.name != name]
        return msgspec.structs.replace(self, views=(*views, *(() if view is None else (view,))))


class NotesFile:
    """The notes file of one capture.

    `path` is that of the capture; None if it has none: notes are then kept in memory only.
    """

    def __init__(self, path: Path | None, capture_id: str) -> None:
        """Store the location. Nothing is read yet."""
        self.path = path.with_name(path.name + SUFFIX) if path is not None else None
        self._capture = path
        self._id = capture_id
        self._latest = Notes()
        self._version: _FileVersion | None = None

    def read(self) -> Notes:
        """Return the current notes. Problems of the file are in `trouble`.

        A file that has not changed since it was last read or written is not parsed again: with a hundred thousand
        marks, parsing takes too long for a key press.
        """
        if self.path is None:
            return self._latest
        try:
            if self._version is None or self._version != _version(self.path.lstat()):
                data, version = _read(self.path)
                self._latest, self._version = _parsed(data, self._id, self.path.name), version
        except FileNotFoundError:
            return Notes()
        except OSError as error:
            return Notes(trouble=f"The notes in {self.path.name} are not read: {_why(error)}.", foreign=True)
        return self._latest

    def change(self, made: Callable[[Notes], Notes]) -> Notes:
        """Change the current notes and write them atomically. Raises: UsageError if that fails."""
        before = self.read()
        if before.foreign:
            raise UsageError(before.trouble, hint="Move that file away; it is left as it is.")
        notes = made(before)
        if self.path is None or self._capture is None:
            self._latest = notes
            return notes
        head = NotesHead(FORMAT, VERSION, self._id, _sound(self._capture.name))
        try:
            with whole_file(self.path) as new:
                new.file.write(_lines(notes, head))
                new.file.flush()
                version = _version(os.fstat(new.file.fileno()))
        except OSError as error:
            raise UsageError(
                f"the notes can't be kept in {self.path}: {_why(error)}",
                hint="Copy the capture to a directory of your own.",
            ) from None
        self._latest, self._version = notes, version
        return notes


_FileVersion = tuple[int, int, int]


@prepared_type
class _Kind(msgspec.Struct):
    r: str


def new_mark(n: int, color: str = COLOURS[0], text: str = "") -> Mark:
    """Create a mark with the current time."""
    return Mark(n, color, _sound(text[:MOST_TEXT]), time.time_ns())


def remove_notes(capture: Path) -> None:
    """Remove the notes of a capture that is being removed, if there are any. Raises: OSError."""
    path = capture.with_name(capture.name + SUFFIX)
    with suppress(FileNotFoundError):
        if stat.S_ISREG(path.lstat().st_mode):
            path.unlink()


def _version(found: os.stat_result) -> _FileVersion:
    """Return what changes whenever a file is written or replaced: inode, size, modification time in ns."""
    return found.st_ino, found.st_size, found.st_mtime_ns


def _read(path: Path) -> tuple[bytes, _FileVersion]:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(fd, "rb") as file:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not an ordinary file")
        if found.st_size > MOST_BYTES:
            raise OSError(errno.EFBIG, f"it has {found.st_size:,} bytes, more than notes have")
        return file.read(MOST_BYTES), _version(found)


def _parsed(data: bytes, capture_id: str, name: str) -> Notes:
    lines = [line for line in data.split(b"\n") if line.strip()]
    head = _record(lines[0]) if lines else None
    if trouble := _refusal(head, capture_id):
        return Notes(trouble=f"The notes in {name} are not used: {trouble}.", foreign=True)
    return _gathered(lines[1:], name)


def _refusal(head: "_Record | None", capture_id: str) -> str:
    if not isinstance(head, NotesHead) or head.format != FORMAT:
        return "the first line is no head of notes"
    if head.v.partition(".")[0] != VERSION.partition(".")[0]:
        return f"they have the version {cut(head.v, 40)!r}, which mcp-inspect does not know"
    if "/" in head.file or "\\" in head.file or head.file in (".", ".."):
        return f"they name the file {cut(head.file, 80)!r}, and notes name no path"
    if head.capture and capture_id and head.capture != capture_id:
        return "they are of another capture"
    return ""


def _gathered(lines: Iterable[bytes], name: str) -> Notes:
    marks: dict[int, Mark] = {}
    views: dict[str, View] = {}
    reference, remark, others, unreadable = 0, "", [], 0
    for line in lines:
        match _record(line):
            case Mark() as mark:
                marks[mark.n] = _tamed(mark)
            case View() as view if view.name:
                views[view.name[:_MOST_NAME]] = _short(view)
            case Reference(n):
                reference = n
            case Remark(text):
                remark = text[:MOST_TEXT]
            case _:
                others.append(line)
                unreadable += not _is_of_a_later_kind(line)
    count = "A line" if unreadable == 1 else f"{unreadable} lines"
    trouble = f"{count} of {name} can't be read and stay there as they are." if unreadable else ""
    return Notes(dict(sorted(marks.items())), tuple(views.values()), reference, remark, tuple(others), trouble)


def _record(line: bytes) -> "_Record | None":
    try:
        found: _Record = _decode(line)
        return found
    except UNDECODABLE:
        return None


def _is_of_a_later_kind(line: bytes) -> bool:
    try:
        return msgspec.json.decode(line, type=_Kind).r not in ("head", "mark", "view", "timeref", "note")
    except UNDECODABLE:
        return False


def _tamed(mark: Mark) -> Mark:
    if mark.color in COLOURS and len(mark.text) <= MOST_TEXT:
        return mark
    color = mark.color if mark.color in COLOURS else COLOURS[0]
    return msgspec.structs.replace(mark, color=color, text=mark.text[:MOST_TEXT])


def _short(view: View) -> View:
    columns = tuple(each[:_MOST_NAME] for each in view.columns[:_MOST_COLUMNS])
    return View(view.name[:_MOST_NAME], view.filter[:_MOST_FILTER], columns, view.tree)


def _lines(notes: Notes, head: NotesHead) -> bytes:
    records: list[_Record] = [head, *notes.marks.values(), *notes.views]
    records += [Reference(notes.reference)] if notes.reference else []
    records += [Remark(notes.remark)] if notes.remark else []
    return b"".join(line + b"\n" for line in (*map(_encode, records), *notes.others))


def _sound(text: str) -> str:
    """Return an encodable text.

    File names may contain bytes that are not UTF-8, and typed text half a surrogate pair.
    """
    return text.encode("utf-8", "replace").decode()


def _why(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "it is a link, and links are not followed"
    return error.strerror or str(error)
