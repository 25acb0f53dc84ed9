"""WebSocket (RFC 6455) on the server's side: its handshake and its frames, without extensions and subprotocols."""

import base64
import hashlib
from typing import NamedTuple

from inspector.transports.http.listener import HttpRequest, Pairs

_SALT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUED, TEXT, CLOSE, PING, PONG = 0, 1, 8, 9, 10
_LONGEST_CONTROL = 125


class Received(NamedTuple):
    """A message, or a control frame."""

    kind: int
    payload: bytes
    cut: int = 0
    """Number of bytes beyond the limit, which are left out."""


def acceptance(request: HttpRequest) -> Pairs | None:
    """Return the headers of the response 101 that opens a WebSocket; None if the request does not ask for one."""
    key = request.header("sec-websocket-key")
    is_asked = "websocket" in (request.header("upgrade") or "").lower()
    if request.method != "GET" or not is_asked or not key or request.header("sec-websocket-version") != "13":
        return None
    digest = hashlib.sha1(key.encode("latin-1") + _SALT, usedforsecurity=False).digest()
    accept = base64.b64encode(digest).decode()
    return (("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept))


def frame(payload: bytes, kind: int = TEXT) -> bytes:
    """Return one frame with a whole message."""
    size = len(payload)
    if size <= _LONGEST_CONTROL:
        return bytes((0x80 | kind, size)) + payload
    if size < 1 << 16:
        return bytes((0x80 | kind, 126)) + size.to_bytes(2) + payload
    return bytes((0x80 | kind, 127)) + size.to_bytes(8) + payload


class FrameReader:
    """Reads the frames of a client. It keeps at most `limit` bytes of a message."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = b""
        self._kind = 0
        """Kind of the message whose frames are being received; 0 between messages."""
        self._message: list[bytes] = []
        self._kept = self._cut = 0
        self._head: tuple[int, bool, bytes] | None = None
        """Kind, whether it is the last of its message, and mask of the frame that is being received."""
        self._left = 0
        self._pieces: list[bytes] = []

    def feed(self, data: bytes) -> list[Received]:
        """Return what is complete with these bytes. Raises: ValueError if a client may not send them."""
        self._buffer += data
        found: list[Received] = []
        while self._head is not None or self._read_head():
            piece, self._buffer = self._buffer[: self._left], self._buffer[self._left :]
            self._left -= len(piece)
            self._pieces.append(piece)
            if self._left:
                self._shorten()
                break
            if (whole := self._end_frame()) is not None:
                found.append(whole)
        return found

    def _read_head(self) -> bool:
        """Read the head of the next frame; return whether it is complete."""
        if len(self._buffer) < 2:
            return False
        first, second = self._buffer[:2]
        kind, size, more = first & 15, second & 127, {126: 2, 127: 8}.get(second & 127, 0)
        is_control = kind >= CLOSE
        if first & 0x70 or not second & 0x80 or kind not in (_CONTINUED, TEXT, CLOSE, PING, PONG):
            raise ValueError("not a masked text frame without extensions")
        if (is_control and (size > _LONGEST_CONTROL or not first & 0x80)) or (
            not is_control and (kind == _CONTINUED) != bool(self._kind)
        ):
            raise ValueError("a frame out of order")
        if len(self._buffer) < 6 + more:
            return False
        self._left = int.from_bytes(self._buffer[2 : 2 + more]) if more else size
        self._head = kind, bool(first & 0x80), self._buffer[2 + more : 6 + more]
        self._buffer = self._buffer[6 + more :]
        return True

    def _shorten(self) -> None:
        """Forget what is over the limit of a frame that is still being received."""
        received = b"".join(self._pieces)
        self._cut += max(0, len(received) - self._limit)
        self._pieces = [received[: self._limit]]

    def _end_frame(self) -> Received | None:
        """Return what the frame completes; None if its message continues."""
        assert self._head is not None, "its head was read"
        kind, is_last, mask = self._head
        payload = _unmasked(b"".join(self._pieces), mask)
        self._head, self._pieces = None, []
        if kind >= CLOSE:
            return Received(kind, payload)
        self._kind = self._kind or kind
        kept = payload[: self._limit - self._kept]
        self._message.append(kept)
        self._kept, self._cut = self._kept + len(kept), self._cut + len(payload) - len(kept)
        if not is_last:
            return None
        found = Received(self._kind, b"".join(self._message), self._cut)
        self._kind, self._message, self._kept, self._cut = 0, [], 0, 0
        return found


def _unmasked(data: bytes, mask: bytes) -> bytes:
    whole = (mask * (len(data) // 4 + 1))[: len(data)]
    return (int.from_bytes(data) ^ int.from_bytes(whole)).to_bytes(len(data))
