"""What the reader of a foreign format yields, and helpers that all readers need.

A reader never raises because of the content of a line: what it can't read is counted in `ImportSource.passed_over`.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from inspector.capture.format.lines import lines, read_at
from inspector.documents import UNDECODABLE
from inspector.protocol import peek
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Fact
from inspector.protocol.frames import Channel, Direction, Eol, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Notification, Request, RequestId, ResultResponse, encode, read

LATEST = 2**62
"""Larger times are invalid, in nanoseconds."""
_decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

_OF_SERVER = frozenset(
    {
        *("sampling/createMessage", "elicitation/create", "roots/list"),
        *("notifications/message", "notifications/progress", "notifications/elicitation/complete"),
        *("notifications/tools/list_changed", "notifications/prompts/list_changed"),
        *("notifications/resources/list_changed", "notifications/resources/updated"),
        *("notifications/subscriptions/acknowledged", "notifications/tasks/status"),
    }
)

_MOST = 100_000
"""Limit of pending requests."""


class Members(dict[str, msgspec.Raw]):
    """Undecoded members of a JSON object, by name."""

    def value(self, name: str) -> Any:
        """Return the value of a member; None if it is missing."""
        return peek.decoded(self[name]) if name in self else None

    def text(self, name: str) -> str:
        """Return a member that should be a string; "" for anything else."""
        found = self.value(name)
        return found if isinstance(found, str) else ""

    def words(self, name: str) -> tuple[str, ...]:
        """Return the strings of a list; nothing for anything else."""
        found = self.value(name)
        return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list) else ()

    def moment(self, name: str) -> int | None:
        """Return a time as nanoseconds since 1970; None if it is invalid."""
        return moment(self.value(name))

    def exact(self, name: str) -> bytes:
        """Return the undecoded bytes of a member."""
        return bytes(self[name]) if name in self else b""

    def inner(self, name: str) -> "Members":
        """Return the members of an inner object; empty for anything else."""
        return (members(self[name]) if name in self else None) or Members()


class ImportedItem(NamedTuple):
    wall_ns: int | None
    """Wall clock time; None if the format does not record it."""
    what: Frame | Fact
    """Content. The number and the timestamps of a frame are set when it is written."""


def members(line: bytes | msgspec.Raw) -> Members | None:
    """Return the members of a JSON object; None for anything else."""
    try:
        return Members(_decode(line))
    except UNDECODABLE:
        return None


def moment(stated_value: object) -> int | None:
    """Return a time as nanoseconds since 1970; None if it is invalid.

    Accepts an ISO time (local if it has no zone), and seconds or milliseconds since 1970.
    """
    if isinstance(stated_value, bool):
        return None
    if isinstance(stated_value, int | float):
        return _checked(stated_value * (1_000_000 if abs(stated_value) > 1e11 else 1_000_000_000))
    if not isinstance(stated_value, str):
        return None
    whole, _, rest = stated_value.strip().partition(".")
    digits = len(rest) - len(rest.lstrip("0123456789"))
    fraction, zone = rest[:digits], rest[digits:]
    try:
        date = datetime.fromisoformat(whole + zone)
        seconds = int((date if date.tzinfo is not None else date.astimezone()).timestamp())
    except (ValueError, OverflowError, OSError):
        return None
    return _checked(seconds * 1_000_000_000 + int(fraction[:9].ljust(9, "0") or "0"))


def _checked(nanoseconds: float) -> int | None:
    return round(nanoseconds) if -LATEST < nanoseconds < LATEST else None


def first_members(start: bytes) -> Members:
    """Return the members of the object on the first line; empty if that is not an object."""
    for line in start.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.strip():
            return members(line) or Members()
    return Members()


class ImportSource:
    """A foreign file opened for reading."""

    def __init__(self, fd: int, name: str) -> None:
        self._fd = fd
        self.name = name
        self.passed_over: Counter[str] = Counter()
        """What could not be imported: counts by kind, in the plural."""

    def lines(self) -> Iterator[bytes]:
        """Yield the lines without their ends and without a byte-order mark, except blank ones."""
        for at, line, _ in lines(lambda place, most: read_at(self._fd, place, most)):
            text = line.removeprefix(b"\xef\xbb\xbf") if at == 0 else line
            text = text.removesuffix(b"\r")
            if text.strip():
                yield text

    def objects(self) -> Iterator[Members]:
        """Yield the lines that are JSON objects, their members undecoded. Other lines are counted."""
        for line in self.lines():
            found = members(line)
            if found is None:
                self.passed_over["lines that are no JSON object"] += 1
            else:
                yield found

    def read(self, place: int, length: int) -> bytes:
        """Return bytes at an offset; fewer at the end of the file."""
        return read_at(self._fd, place, length)


class Reader(msgspec.Struct, frozen=True):
    """A readable format."""

    name: str
    """Value of the option --from."""
    title: str
    """Description, as the end of "this is"."""
    losses: tuple[str, ...]
    """What the format does not record, each as the end of "it does not tell"."""
    knows: Callable[[bytes], bool]
    """Returns whether a file with this beginning has the format."""
    read: Callable[[ImportSource], Iterator[ImportedItem]]


def frame(direction: Direction, payload: bytes, wall_ns: int | None, *, piped: bool = True) -> ImportedItem:
    """Return a frame on a pipe, or on an unknown channel."""
    sent = direction is Direction.TO_SERVER
    channel = (Channel.STDIN if sent else Channel.STDOUT) if piped else Channel.MEMORY
    return ImportedItem(wall_ns, Frame(0, 0, 0, direction, channel, payload, Eol.LF if piped else Eol.NONE))


def text_bytes(raw: Any) -> bytes:
    """Return the payload of a message that was stored as a text, or as any JSON value."""
    return raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else encode(raw)


def opened(
    wall_ns: int | None,
    *,
    argv: tuple[str, ...] = (),
    cwd: str = "",
    url: str = "",
    piped: bool = True,
    transport: str = "",
) -> ImportedItem:
    """Return the opening of a connection. Without `transport`, `piped` determines it."""
    carried = transport or ("stdio" if piped else "memory")
    return ImportedItem(wall_ns, ConnectionFact(ConnectionEvent.OPEN, carried, argv=argv, cwd=cwd, url=url))


class ImportedSession:
    """The connection of a log without one of its own: opened before its first message, closed if it was opened."""

    def __init__(self) -> None:
        self.is_open = False

    def opened(
        self, at: int | None, *, argv: tuple[str, ...] = (), cwd: str = "", url: str = "", piped: bool = True
    ) -> ImportedItem:
        self.is_open = True
        return opened(at, argv=argv, cwd=cwd, url=url, piped=piped)

    def message(
        self, is_sent: bool, payload: bytes, at: int | None, *, argv: tuple[str, ...] = (), piped: bool = True
    ) -> Iterator[ImportedItem]:
        """Yield a message, of the client if it `is_sent`, and before the first one the opening."""
        if not self.is_open:
            yield self.opened(at, argv=argv, piped=piped)
        yield frame(Direction.TO_SERVER if is_sent else Direction.FROM_SERVER, payload, at, piped=piped)

    def closed(self, at: int | None, why: bytes = b"") -> ImportedItem:
        self.is_open = False
        why_closed = why.decode("utf-8", "replace")[:300]
        return ImportedItem(at, ConnectionFact(ConnectionEvent.CLOSE, "stdio", why=why_closed))


def is_there(raw: msgspec.Raw) -> bool:
    """Return whether a member of a decoded document exists and is not null."""
    return bytes(raw) not in (b"", b"null")


# Sender of a message, if the file does not name it: known by its method, or by the request that it responds to.


class Directions:
    """Derives the senders of one session's messages from its pending requests."""

    def __init__(self) -> None:
        self._open: dict[tuple[Direction, RequestId], None] = {}

    def of(self, payload: bytes) -> Direction:
        """Return the sender of the next frame of the session."""
        found = Direction.FROM_SERVER
        for at, message in enumerate(read(payload)):
            one = self._of(message)
            found = one if at == 0 else found
        return found

    def _of(self, message: object) -> Direction:
        if isinstance(message, Request | Notification):
            sender = self._sender(message)
            if isinstance(message, Request):
                self._open[sender, message.id] = None
                if len(self._open) > _MOST:
                    del self._open[next(iter(self._open))]
            return sender
        if isinstance(message, ResultResponse | ErrorResponse) and message.id is not None:
            return self._answering(message.id)
        return Direction.FROM_SERVER

    def _sender(self, message: Request | Notification) -> Direction:
        if message.method == "notifications/cancelled":
            id_ = peek.request_id(message.params, "requestId")
            theirs = id_ is not None and (Direction.FROM_SERVER, id_) in self._open
            ours = id_ is not None and (Direction.TO_SERVER, id_) in self._open
            return Direction.FROM_SERVER if theirs and not ours else Direction.TO_SERVER
        return Direction.FROM_SERVER if message.method in _OF_SERVER else Direction.TO_SERVER

    def _answering(self, id_: RequestId) -> Direction:
        """Return who responds. Of two pending requests with the same id, the older is answered."""
        asked = next((key for key in self._open if key[1] == id_ and type(key[1]) is type(id_)), None)
        if asked is None:
            return Direction.FROM_SERVER
        del self._open[asked]
        return Direction.TO_SERVER if asked[0] is Direction.FROM_SERVER else Direction.FROM_SERVER
