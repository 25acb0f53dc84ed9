"""The body of a tapped server's response: recorded while it is forwarded, and event by event where it is judged."""

import re

from inspector.errors import InspectError
from inspector.features.tap.http_held import HttpRecording
from inspector.protocol.facts import HttpEvent, HttpFact, SseNote
from inspector.protocol.frames import Channel, Direction, SseFacts
from inspector.transports.http.client import Forwarded
from inspector.transports.http.reply import BadPacking, unpacker
from inspector.transports.http.sse import EventTooLong, SseEvent, SseItem, SseParser

_KEPT = 64 * 1024 * 1024
"""Maximum number of recorded bytes of a response body that is not a stream. The rest is only forwarded."""
_UNRECORDABLE = (BadPacking, EventTooLong, InspectError, OSError, ValueError)
"""Exceptions that may occur while a body is decoded or recorded."""
_BOUNDARY = re.compile(rb"\r\n\r\n|\r\n\n|\n\r\n|\n\n|\r\r")
"""End of an event in a stream."""


class ResponseReading:
    """Records the body of one response while it is forwarded."""

    def __init__(self, recording: HttpRecording, number: int, method: str, response: Forwarded) -> None:
        self._recording = recording
        self._number = number
        self._response = response
        self.is_stream = is_stream(response)
        self._is_recorded = self.is_stream or is_json(response.kind)
        self._channel = Channel.GET if method == "GET" else Channel.SSE
        self._unpack = unpacker(response.header("content-encoding"))
        self._parser = SseParser()
        self._pieces: list[bytes] = []
        self._size = 0
        length = response.header("content-length")
        self._expected = int(length) if length.isdecimal() else 0
        """Bytes of the whole body on the wire; 0 if the server does not say."""
        self._trouble = ""

    def take(self, chunk: bytes) -> None:
        """Process the next received bytes."""
        if not self._is_recorded or self._trouble:
            return
        try:
            for piece in self._unpack(chunk):
                self._size += len(piece)
                if self.is_stream:
                    for item in self._parser.feed(piece):
                        self._report(item)
                elif self._size <= _KEPT:
                    self._pieces.append(piece)
            if 0 < self._expected <= self._response.num_bytes_downloaded:
                self.record_body()
        except _UNRECORDABLE as error:  # must not stop the traffic
            self._trouble = f"not recorded further: {error}"

    def events(self, chunk: bytes) -> list[SseItem]:
        """Return the events that end in this chunk. A body that is not a stream is collected instead."""
        if self.is_stream:
            return self._parser.feed(chunk)
        self._size += len(chunk)
        self._pieces.append(chunk)
        return []

    def record(self, item: SseItem) -> bool:
        """Record an event. Return whether it carries a message."""
        self._report(item)
        return isinstance(item, SseEvent) and item.complete and bool(item.data) and item.event != "endpoint"

    def record_body(self) -> bytes | None:
        """Record a body that is not a stream, once. Return it; None if there is none."""
        body, self._pieces = b"".join(self._pieces), []
        if not body or self.is_stream:
            return None
        lost = max(0, self._size - len(body))
        self._recording.frame(Direction.FROM_SERVER, Channel.REPLY, body, http=self._number, cut=lost)
        return body

    def end(self, why: str) -> None:
        """Finish the recording. `why`: the reason if the body ended early; "" otherwise."""
        try:
            if self.is_stream:
                for item in self._parser.finish():
                    self._report(item)
            self.record_body()
        except _UNRECORDABLE as error:
            self._trouble = f"not recorded further: {error}"
        size = self._response.num_bytes_downloaded
        self._recording.fact(HttpFact(HttpEvent.END, self._number, why=why or self._trouble, body_bytes=size))

    def _report(self, item: SseItem) -> None:
        if not isinstance(item, SseEvent):
            self._recording.fact(SseNote(self._number, item.raw))
        elif item.complete and item.data and item.event != "endpoint":
            facts = SseFacts(item.event, item.id, item.retry)
            self._recording.frame(Direction.FROM_SERVER, self._channel, item.data, http=self._number, sse=facts)
        else:
            self._recording.fact(SseNote(self._number, item.raw, item.event, item.id, item.retry))


def is_judged(response: Forwarded) -> bool:
    """Return whether the messages in a body can be judged: it is uncompressed JSON or a stream."""
    packed = response.header("content-encoding").strip().lower() not in ("", "identity")
    return not packed and (is_json(response.kind) or is_stream(response))


def is_json(content_type: str | None) -> bool:
    """Return whether a body of this type is JSON."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json")


def is_stream(response: Forwarded) -> bool:
    return response.kind == "text/event-stream"


def event_bytes(item: SseEvent, data: bytes) -> bytes:
    """Return an event with other data, without the blank line that ends it."""
    fields = [(b"event", item.event), (b"id", item.id), (b"retry", item.retry)]
    lines = [name + b": " + str(value).encode() for name, value in fields if value is not None]
    return b"\n".join([*lines, *(b"data: " + line for line in data.split(b"\n"))])


def at_boundary(tail: bytes, chunk: bytes) -> tuple[bytes, bytes, bool]:
    """Return the rest of a partially forwarded event, what follows it, and whether its end is still missing."""
    if is_at_boundary(tail):
        return b"", chunk, False
    found = next((each for each in _BOUNDARY.finditer(tail + chunk) if each.end() > len(tail)), None)
    if found is None:
        return chunk, b"", True
    cut = found.end() - len(tail)
    return chunk[:cut], chunk[cut:], False


def is_at_boundary(tail: bytes) -> bool:
    """Return whether the previous bytes end at the end of an event."""
    return not tail or any(each.end() == len(tail) for each in _BOUNDARY.finditer(tail))
