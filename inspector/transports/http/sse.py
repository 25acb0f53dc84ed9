"""Server-sent events, out of raw bytes: events with the lines they were made of, and comments beside them.

This file reads bytes, not text, and so has its own decoder. A decoder of text (httpx-sse's is a good one,
and the oracle of this file's property test) can't give back bytes that are no UTF-8, tells an event's own
`id` from one that merely persists only by looking at the lines again, and drops the comments; but an inspector
must show all three. The rules are those of the WHATWG, "Interpreting an event stream":
https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

Time and memory are linear in the bytes fed, however they are cut into chunks.
"""

from dataclasses import dataclass

EVENT_LIMIT = 256 * 1024 * 1024
"""Bytes of one event, its field names included. More is no message but an attack on the memory."""

_BOM = b"\xef\xbb\xbf"
_RETRY_DIGITS = 10


class EventTooLong(ValueError):
    """One event has more bytes than the limit; nothing after this can be read."""


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event. None means that it had no such line."""

    raw: bytes
    """Its lines, joined by a newline, without comments and without the blank line that ended it."""
    data: bytes | None
    """The values of its data lines joined by newlines, exactly as they came."""
    event: str | None = None
    id: str | None = None
    """"" is an id too: it takes the last one back."""
    retry: int | None = None
    """Milliseconds."""
    complete: bool = True
    """False if the stream ended before the blank line: the rules say to discard it."""


@dataclass(frozen=True, slots=True)
class SseComment:
    """A line that begins with a colon: servers send it to keep the connection alive."""

    raw: bytes


SseItem = SseEvent | SseComment


class SseParser:
    """Takes chunks as they come, gives items as soon as their last line is complete."""

    def __init__(self, limit: int = EVENT_LIMIT) -> None:
        self._limit = limit
        self._tail: list[bytes] = []
        self._size = 0
        self._after_cr = False
        self._at_start = True
        self._raw: list[bytes] = []
        self._data: list[bytes] = []
        self._name: str | None = None
        self._id: str | None = None
        self._retry: int | None = None

    def feed(self, chunk: bytes) -> list[SseItem]:
        """Take the next bytes of the stream.

        Raises: EventTooLong.
        """
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
            self._after_cr = False
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        pieces = _split(chunk)
        items: list[SseItem] = []
        for piece in pieces[:-1]:
            self._keep(piece)
            self._line(self._take_tail(), items)
        self._keep(pieces[-1])
        return items

    def finish(self) -> list[SseItem]:
        """The stream is over: what is left is an event that nobody ended, or nothing."""
        items: list[SseItem] = []
        tail = self._take_tail()
        if tail:
            self._line(tail, items)
        if self._raw:
            items.append(self._event(complete=False))
        return items

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            raise EventTooLong(f"one event has more than {self._limit} bytes")
        if piece:
            self._tail.append(piece)

    def _take_tail(self) -> bytes:
        line = self._tail[0] if len(self._tail) == 1 else b"".join(self._tail)
        self._tail = []
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        return line

    def _line(self, line: bytes, items: list[SseItem]) -> None:
        if not line:
            if self._raw:
                items.append(self._event(complete=True))
        elif line.startswith(b":"):
            self._size -= len(line)
            items.append(SseComment(line))
        else:
            self._raw.append(line)
            self._field(line)

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._name = value.decode(errors="replace")
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode(errors="replace")
        elif name == b"retry" and value.isdigit() and len(value) <= _RETRY_DIGITS:
            self._retry = int(value)

    def _event(self, *, complete: bool) -> SseEvent:
        data = b"\n".join(self._data) if self._data else None
        event = SseEvent(b"\n".join(self._raw), data, self._name, self._id, self._retry, complete)
        self._reset()
        return event

    def _reset(self) -> None:
        self._size = 0
        self._raw, self._data = [], []
        self._name = self._id = self._retry = None


def _split(chunk: bytes) -> list[bytes]:
    """At CR LF, LF and CR only; U+2028 and its kin are legal within a JSON string."""
    if b"\r" in chunk:
        chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return chunk.split(b"\n")
