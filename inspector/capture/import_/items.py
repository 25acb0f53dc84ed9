"""What a reader of a foreign format yields, and the small things that all of them need.

A reader never raises over what stands in a line: what it can't take it counts in `Source.passed_over`.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from inspector.capture.import_.members import Members, members
from inspector.capture.lines import lines
from inspector.capture.window import read_at
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Fact
from inspector.protocol.frames import Channel, Direction, Eol, Frame
from inspector.protocol.jsonrpc import encode


class Item(NamedTuple):
    """Something that was recorded."""

    wall_ns: int | None
    """When; None if the format does not say."""
    what: Frame | Fact
    """A frame's number and clocks are set when it is written."""


class Source:
    """A foreign file that is open for reading."""

    def __init__(self, fd: int, name: str) -> None:
        self._fd = fd
        self.name = name
        self.passed_over: Counter[str] = Counter()
        """What could not be taken, by what it was, in the plural."""

    def lines(self) -> Iterator[bytes]:
        """Its lines without their ends and without a byte-order mark; blank ones are not among them."""
        for at, line, _ in lines(lambda place, most: read_at(self._fd, place, most)):
            text = line.removeprefix(b"\xef\xbb\xbf") if at == 0 else line
            text = text.removesuffix(b"\r")
            if text.strip():
                yield text

    def objects(self) -> Iterator[Members]:
        """Its lines that are JSON objects, their members as they were written; others are counted."""
        for line in self.lines():
            found = members(line)
            if found is None:
                self.passed_over["lines that are no JSON object"] += 1
            else:
                yield found

    def read(self, place: int, length: int) -> bytes:
        """So many bytes from a place; fewer at its end."""
        return read_at(self._fd, place, length)


class Reader(msgspec.Struct, frozen=True):
    """A format that can be read."""

    name: str
    """For --from."""
    title: str
    """What it is, as the end of "this is"."""
    losses: tuple[str, ...]
    """What it does not hold, each as the end of "it does not tell"."""
    knows: Callable[[bytes], bool]
    """Whether a file that begins so is one."""
    read: Callable[[Source], Iterator[Item]]


def frame(direction: Direction, payload: bytes, wall_ns: int | None, *, piped: bool = True) -> Item:
    """A frame, on a pipe or carried in a way that nobody has recorded."""
    sent = direction is Direction.TO_SERVER
    channel = (Channel.STDIN if sent else Channel.STDOUT) if piped else Channel.MEMORY
    return Item(wall_ns, Frame(0, 0, 0, direction, channel, payload, Eol.LF if piped else Eol.NONE))


def said(raw: Any) -> bytes:
    """The payload of something that was kept as a text, or as JSON of any kind."""
    return raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else encode(raw)


def opened(
    wall_ns: int | None,
    *,
    argv: tuple[str, ...] = (),
    cwd: str = "",
    url: str = "",
    piped: bool = True,
    transport: str = "",
) -> Item:
    """The connection opened. Without `transport` it is what `piped` says."""
    carried = transport or ("stdio" if piped else "memory")
    return Item(wall_ns, ConnectionFact(ConnectionEvent.OPEN, carried, argv=argv, cwd=cwd, url=url))


def closed(wall_ns: int | None, why: str = "", *, piped: bool = True) -> Item:
    """It ended."""
    return Item(wall_ns, ConnectionFact(ConnectionEvent.CLOSE, "stdio" if piped else "memory", why=why))


def is_there(raw: msgspec.Raw) -> bool:
    """Whether a member of a decoded document is there, and is not null."""
    return bytes(raw) not in (b"", b"null")
