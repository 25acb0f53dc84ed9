"""The client's side of a WebSocket, for tests."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urljoin, urlsplit


def masked(payload: bytes, kind: int = 1, *, is_last: bool = True) -> bytes:
    """Return a frame as clients send it."""
    size = len(payload)
    length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2) if size < 65536 else None
    head = bytes((0x80 * is_last | kind,)) + (length or b"\xff" + size.to_bytes(8))
    mask = os.urandom(4)
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


class SocketClient:
    """An open WebSocket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, text: str) -> None:
        await self.send_raw(masked(text.encode()))

    async def send_raw(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def receive(self) -> str:
        """Return the payload of the next frame. Raises: IncompleteReadError at the end."""
        _, second = await self._reader.readexactly(2)
        size = second if second < 126 else int.from_bytes(await self._reader.readexactly(2 if second == 126 else 8))
        return (await self._reader.readexactly(size)).decode()


@asynccontextmanager
async def open_socket(url: str, path: str) -> AsyncIterator[SocketClient]:
    """Open a WebSocket as a page of the same origin does."""
    where = urlsplit(urljoin(url, path))
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    lines = [f"GET {where.path}?{where.query} HTTP/1.1", f"Host: {where.netloc}", f"Origin: http://{where.netloc}"]
    lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
    lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""]
    try:
        writer.write("\r\n".join(lines).encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101 "), head
        assert b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n" in head  # the example of RFC 6455
        yield SocketClient(reader, writer)
    finally:
        writer.close()
