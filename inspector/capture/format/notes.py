"""Notes about a capture: marks with a colour and a comment, views, and the time reference.

It is kept beside the capture, in a file of its own: the capture is evidence and never changes. That
file is as foreign as the capture: what can't be read is counted, reported, and kept unchanged.
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
from inspector.errors import UsageError

SUFFIX = ".notes"
"""What the name of the capture's file is followed by."""
COLOURS = ("yellow", "red", "green", "blue", "violet")
FORMAT, VERSION = "mcpcap-notes", "1.0"
MOST_BYTES = 16 * 1024 * 1024
"""A larger file is not read."""
MOST_TEXT = 10_000
"""Characters of a comment."""
_MOST_NAME, _MOST_FILTER, _MOST_COLUMNS = 100, 10_000, 40
_NUMBER = Annotated[int, msgspec.Meta(ge=1, le=2**53)]


class Mark(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="r", tag="mark"):
    """A mark at an entry."""

    n: _NUMBER
    color: str = COLOURS[0]
    text: str = ""
    """The comment; "" for none."""
    tw: int = 0
    """When it was made, nanoseconds since 1970."""


class View(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="r", tag="view"):
    """A way to look at the traffic that has a name."""

    name: str
    filter: str = ""
    columns: tuple[str, ...] = ()
    """Their names; none: the width decides."""
    tree: bool = True


class Reference(msgspec.Struct, frozen=True, tag_field="r", tag="timeref"):
    """The entry that times count from."""

    n: _NUMBER


class Remark(msgspec.Struct, frozen=True, tag_field="r", tag="note"):
    """The comment on the capture."""

    text: str


class NotesHead(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="r", tag="head"):
    """The first line."""

    format: str
    v: str = VERSION
    capture: str = ""
    """The id of the capture."""
    file: str = ""
    """The name of its file, for people who find only the notes. Nothing is ever opened by it."""


_Record = NotesHead | Mark | View | Reference | Remark
_decode = msgspec.json.Decoder(_Record).decode
_encode = msgspec.json.Encoder().encode


class Notes(msgspec.Struct, frozen=True):
    """All that was noted. `change` of the file that they are kept in makes others of them."""

    marks: dict[int, Mark] = {}
    """By entry, in the order of entries."""
    views: tuple[View, ...] = ()
    reference: int = 0
    """The entry that times count from; 0 for none."""
    remark: str = ""
    others: tuple[bytes, ...] = ()
    """Lines of unknown types. They stay in the file."""
    trouble: str = ""
    """What is wrong with the file, a sentence that may quote it; "" if nothing is."""
    foreign: bool = False
    """Whether the file belongs to another capture, or can't be read: then it is not changed."""

    def marked(self, n: int, mark: Mark | None) -> "Notes":
        """The same with that mark at entry n, or with none."""
        marks = {number: each for number, each in self.marks.items() if number != n}
        if mark is not None:
            marks[n] = mark
        return msgspec.structs.replace(self, marks=dict(sorted(marks.items())))

    def with_view(self, name: str, view: View | None) -> "Notes":
        """The same with that view in the place of the one of that name, or with none of it."""
        views = [each for each in self.views if each.name != name]
        return msgspec.structs.replace(self, views=(*views, *(() if view is None else (view,))))


class NotesFile:
    """The notes of one capture.

    `path` is that of the capture; None: there is none, and notes end with the journal.
    """

    def __init__(self, path: Path | None, capture_id: str) -> None:
        """Read nothing yet."""
        self.path = path.with_name(path.name + SUFFIX) if path is not None else None
        self._capture = path
        self._id = capture_id
        self._latest = Notes()
        self._version: _FileVersion | None = None

    def read(self) -> Notes:
        """The current notes. Problems of the file are in `trouble`.

        A file that has not changed since it was last read or written is not parsed again: with a hundred thousand
        marks that takes longer than a key may.
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
        """Change the current notes and write them, completely or not at all.

        Raises: UsageError if that can't be done.
        """
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


def new_mark(n: int, color: str = COLOURS[0], text: str = "") -> Mark:
    """A mark that is made now."""
    return Mark(n, color, _sound(text[:MOST_TEXT]), time.time_ns())


def remove_notes(capture: Path) -> None:
    """Remove the notes beside a capture that is being removed. Raises: OSError; not if there are none."""
    path = capture.with_name(capture.name + SUFFIX)
    with suppress(FileNotFoundError):
        if stat.S_ISREG(path.lstat().st_mode):
            path.unlink()


_FileVersion = tuple[int, int, int]


def _version(found: os.stat_result) -> _FileVersion:
    """What changes whenever a file is written or replaced: inode, bytes, nanoseconds of the last change."""
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
        return f"they have the version {head.v[:40]!r}, which mcp-inspect does not know"
    if "/" in head.file or "\\" in head.file or head.file in (".", ".."):
        return f"they name the file {head.file[:80]!r}, and notes name no path"
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
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


class _Kind(msgspec.Struct):
    r: str


def _is_of_a_later_kind(line: bytes) -> bool:
    try:
        return msgspec.json.decode(line, type=_Kind).r not in ("head", "mark", "view", "timeref", "note")
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
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
    """A text that can be written: a file's name may hold bytes that are no UTF-8, and what is typed half a sign."""
    return text.encode("utf-8", "replace").decode()


def _why(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "it is a link, and links are not followed"
    return error.strerror or str(error)
