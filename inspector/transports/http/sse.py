"""Parser of server-sent events that keeps their raw lines.

This file splits the bytes into lines, keeps lines and comments unchanged, and lets httpx-sse's decoder interpret the
lines of an event. Each event gets a new decoder, so that an id belongs to the event and does not persist. Lines are
passed through it as text with surrogates for invalid UTF-8, and converted back to the same bytes.

The rules are those of the WHATWG, "Interpreting an event stream":
https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

Time and memory are linear in the bytes fed, however they are split into chunks.
"""

import re
from dataclasses import dataclass

from inspector.transports.base import MESSAGE

_LINE_COST = 160
"""Memory overhead of a line in bytes. Without it, an event of empty lines would need ten times its limit."""
_BOM = b"\xef\xbb\xbf"
_RETRY = re.compile(rb"^retry:(?! ?[0-9]{1,10}$).*$", re.DOTALL)
"""The rules require digits only; the decoder would accept a sign, spaces and underscores as well."""
_BAD_ID = re.compile(rb"^id:.*\0", re.DOTALL)
"""An id with a NUL is ignored."""


class EventTooLong(ValueError):
    """An event has more bytes than the limit; nothing after it can be read."""


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event. None: it has no such line."""

    raw: bytes
    """Its lines, joined by newlines, without comments and without the terminating blank line."""
    data: bytes | None
    """Values of its data lines, joined by newlines, unchanged."""
    event: str | None = None
    id: str | None = None
    """Event id. "" is valid, too: it resets the last one."""
    retry: int | None = None
    complete: bool = True
    """False if the stream ended before the blank line: the rules require to discard the event."""


@dataclass(frozen=True, slots=True)
class SseComment:
    """A line that begins with a colon. Servers send it to keep the connection alive."""

    raw: bytes


SseItem = SseEvent | SseComment


class SseParser:
    """Incremental parser: returns items as soon as their last line is complete."""

    def __init__(self, limit: int = MESSAGE) -> None:
        """Create a parser.

        `limit` is that of one event in bytes, including its field names and 160 bytes for each line.
        """
        self._limit = limit
        self._tail = bytearray()
        self._size = 0
        self._after_cr = False
        self._at_start = True
        self._raw: list[bytes] = []

    def feed(self, chunk: bytes) -> list[SseItem]:
        """Parse the next bytes of the stream. Raises: EventTooLong."""
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
        """End the stream: return the unfinished event, if any."""
        items: list[SseItem] = []
        tail = self._take_tail()
        if tail:
            self._line(tail, items)
        if self._raw:
            items.append(self._event(complete=False))
        return items

    def _keep(self, piece: bytes) -> None:
        self._count(len(piece))
        self._tail += piece

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > self._limit:
            raise EventTooLong(f"one event has more than {self._limit} bytes")

    def _take_tail(self) -> bytes:
        line = bytes(self._tail)
        self._tail.clear()
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
            self._count(_LINE_COST)
            self._raw.append(line)

    def _event(self, *, complete: bool) -> SseEvent:
        event = _decode(self._raw, complete)
        self._size, self._raw = 0, []
        return event


def _decode(lines: list[bytes], complete: bool) -> SseEvent:
    """Return the event of these lines. A field without a line is None."""
    from httpx_sse._decoders import SSEDecoder  # its only location, covered by a test; httpx takes long to import

    decoder = SSEDecoder()
    for line in lines:
        decoder.decode(_RETRY.sub(b"", line).decode("utf-8", "surrogateescape"))
    event = decoder.decode("")  # None if all fields are empty or unknown
    fields = {line.partition(b":")[0] for line in lines if not _BAD_ID.match(line)}
    return SseEvent(
        raw=b"\n".join(lines),
        data=(event.data if event else "").encode("utf-8", "surrogateescape") if b"data" in fields else None,
        event=_readable(event.event if event else "") if b"event" in fields else None,
        id=_readable(event.id if event else "") if b"id" in fields else None,
        retry=event.retry if event else None,
        complete=complete,
    )


def _readable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _split(chunk: bytes) -> list[bytes]:
    """Split at CR LF, LF and CR only; U+2028 and the like are legal within a JSON string."""
    if b"\r" in chunk:
        chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return chunk.split(b"\n")
