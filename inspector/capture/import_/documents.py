"""JSON documents that are larger than memory: where the parts of one stand, and reading those one by one.

The document is looked through once, for braces and strings alone, and a part is decoded when its turn comes. So what is
at hand is one part, and of the others where they stand. A document that is cut off has the parts before the cut.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush

import msgspec

from inspector.capture.import_.items import ImportedItem, ImportSource, Members, members

Path = tuple[str, ...]
"""The names on the way from the whole document to a member; () for the document."""
MOST = 512 * 1024 * 1024
"""Bytes of a part, and of a string in one; a larger part is passed over."""
_CHUNK = 1024 * 1024
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}"]', re.DOTALL)
"""A string, a bracket, or the beginning of a string that goes on behind what was read."""
_OPENING = b"{["
_BOM = b"\xef\xbb\xbf"


class Parts:
    """Where the items of an array stand, in the order in which they shall be read."""

    def __init__(self) -> None:
        self._at, self._start, self._length = array("q"), array("q"), array("q")

    def __len__(self) -> int:
        return len(self._at)

    def add(self, at_ns: int, start: int, length: int) -> None:
        """One more; `at_ns` is when it happened, 0 if nobody knows."""
        self._at.append(at_ns)
        self._start.append(start)
        self._length.append(length)

    def in_order(self) -> Iterator[tuple[int, int, int]]:
        """When each happened, its place and its length; the earliest first, and of one moment as they stand."""
        for index in sorted(range(len(self._at)), key=self._at.__getitem__):
            yield self._at[index], self._start[index], self._length[index]


def parts(source: ImportSource, way: Path, when: Callable[[Members], int | None], what: str) -> Parts:
    """The items of the array at the end of the way.

    `when` says when an item happened; `what` names items in the plural, for those that can't be read.
    """
    found = Parts()
    for path, start, length in spans(source, way):
        if path != way:
            continue
        item = members(source.read(start, length)) if length <= MOST else None
        if item is None:
            source.passed_over[f"{what} that are no JSON, or too long"] += 1
        else:
            found.add(when(item) or 0, start, length)
    return found


def merged(pieces: Iterable[tuple[int, Iterable[ImportedItem]]]) -> Iterator[ImportedItem]:
    """Items in the order of their times, of pieces that begin one after the other and may last beyond the next.

    At hand are those of the pieces that overlap. What has no time comes first.
    """
    waiting: list[tuple[int, int, ImportedItem]] = []
    count = 0
    for began, piece in pieces:
        while waiting and waiting[0][0] <= began:
            yield heappop(waiting)[2]
        for item in piece:
            heappush(waiting, (item.wall_ns or 0, count, item))
            count += 1
    while waiting:
        yield heappop(waiting)[2]


def spans(source: ImportSource, way: Path) -> Iterator[tuple[Path, int, int]]:
    """Path, place and length of each container in the array at the end of the way, and of each beside the way.

    The path of the former is the way. What is cut off at the end of the file is counted. A string that is longer
    than any part may be is the end of it, for it would have to be held to be passed.
    """
    walk = _Walk(way)
    place, rest = len(_BOM) if source.read(0, 3) == _BOM else 0, b""
    while chunk := source.read(place + len(rest), max(_CHUNK, len(rest))):  # of a long string ever more at once
        buffer = rest + chunk
        used = len(buffer)
        for token in _TOKEN.finditer(buffer):
            text = token.group()
            if text == b'"':
                used = token.start()
                break
            if text[0] == 0x22:
                walk.string(text)
            elif (span := walk.bracket(text, place + token.start())) is not None:
                yield span
        place, rest = place + used, buffer[used:]
        if len(rest) > MOST:
            source.passed_over["texts that are too long, with all that stands behind"] = 1
            return
    if walk.depth or rest:
        source.passed_over["ends of the file, which was cut off"] = 1


class _Walk:
    """Where one is in a document: how deep, and how far on the way to the array."""

    def __init__(self, way: Path) -> None:
        self._way = way
        self.depth = 0
        """How many containers one is in."""
        self._on_way = 0
        """How many of them lie on the way, the document and the array among them."""
        self._name = b""
        """The string that came last: before a container that stands in an object, that is its name."""
        self._part: Path | None = None
        """What one is in that is not on the way; None for nothing."""
        self._begin = 0

    def string(self, text: bytes) -> None:
        """A string comes."""
        if self._part is None:
            self._name = text

    def bracket(self, text: bytes, place: int) -> tuple[Path, int, int] | None:
        """A bracket comes; the part that it ends, if it ends one."""
        if text in _OPENING:
            if self._part is None:
                self._enter(text == b"[", place)
            self.depth += 1
            return None
        self.depth = max(0, self.depth - 1)
        part = self._part
        if part is None:
            self._on_way = max(0, self._on_way - 1)
        elif self.depth == self._on_way:
            self._part = None
            return part, self._begin, place + 1 - self._begin
        return None

    def _enter(self, is_array: bool, place: int) -> None:
        """A container begins in the last one that is on the way."""
        steps = self._on_way
        part = self._way
        if steps <= len(self._way):
            name = (_decoded(self._name),) if steps else ()
            part = (*self._way[: max(0, steps - 1)], *name)
            if part == self._way[:steps] and is_array == (steps == len(self._way)):
                self._on_way += 1
                return
        self._part, self._begin = part, place


def _decoded(name: bytes) -> str:
    try:
        return msgspec.json.decode(name, type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
