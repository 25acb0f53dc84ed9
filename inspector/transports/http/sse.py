"""Parser of server-sent events that keeps their raw lines.

This file cuts the bytes into lines, keeps lines and comments as they came, and lets httpx-sse's decoder say what
an event's lines mean. Each event gets a decoder of its own, so that an id is the event's and not one that persists;
lines travel through it as text with surrogates for invalid UTF-8, and are restored as the bytes they were.
The rules are those of the WHATWG, "Interpreting an event stream":
https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

Time and memory are linear in the bytes fed, however they are cut into chunks.
"""

import re
from dataclasses import dataclass

from httpx_sse._decoders import SSEDecoder  # its only home; a test pins it

from inspector.transports.base import MESSAGE

_LINE_COST = 160
"""Bytes that keeping a line costs beside its text. Without it an event of empty lines needs ten times its limit."""
_BOM = b"\xef\xbb\xbf"
_RETRY = re.compile(rb"^retry:(?! ?[0-9]{1,10}$).*$", re.DOTALL)
"""The rules want digits alone; the decoder would take a sign, spaces and underscores as well."""
_BAD_ID = re.compile(rb"^id:.*\0", re.DOTALL)
"""An id with a NUL is ignored."""


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

    def __init__(self, limit: int = MESSAGE) -> None:
        """`limit`: bytes of one event, its field names and 160 bytes for each line included."""
        self._limit = limit
        self._tail = bytearray()
        self._size = 0
        self._after_cr = False
        self._at_start = True
        self._raw: list[bytes] = []

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
        """The stream has ended: an unfinished event is left, or nothing."""
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
    """What the lines of one event say; None for what no line of it says."""
    decoder = SSEDecoder()
    for line in lines:
        decoder.decode(_RETRY.sub(b"", line).decode("utf-8", "surrogateescape"))
    said = decoder.decode("")  # None for nothing but empty or unknown fields
    fields = {line.partition(b":")[0] for line in lines if not _BAD_ID.match(line)}
    return SseEvent(
        raw=b"\n".join(lines),
        data=(said.data if said else "").encode("utf-8", "surrogateescape") if b"data" in fields else None,
        event=_readable(said.event if said else "") if b"event" in fields else None,
        id=_readable(said.id if said else "") if b"id" in fields else None,
        retry=said.retry if said else None,
        complete=complete,
    )


def _readable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _split(chunk: bytes) -> list[bytes]:
    """At CR LF, LF and CR only; U+2028 and its kin are legal within a JSON string."""
    if b"\r" in chunk:
        chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return chunk.split(b"\n")
