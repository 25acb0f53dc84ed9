"""The mock on stdin and stdout, one message per line.

Lines are read in a thread, which takes a pipe, a file and a terminal alike. A line is written at once and whole.
"""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from inspector.capture.journal import Journal
from inspector.features.mock.connection import MockConnection
from inspector.features.mock.shared import MockShared
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Channel, Direction, Eol

_CHUNK = 1 << 16
_GRACE = 0.5
"""Seconds that requests have to be answered once stdin is closed."""


class _CutOff(Exception):
    """A fault has broken the connection."""


class Pipe:
    """Both ends of the pipe to the client, and the tape on which it is recorded."""

    def __init__(self, read_fd: int, write_fd: int, tape: Journal | None) -> None:
        self._read_fd, self._write_fd = read_fd, write_fd
        self._tape = tape

    async def send(self, payload: bytes) -> None:
        """Write a line."""
        self._put(payload, b"\n")

    async def write(self, payload: bytes) -> None:
        """Write a line that is no message."""
        self._put(payload, b"\n")

    async def cut(self, payload: bytes) -> None:
        """Write half of this and never anything more."""
        self._put(payload[: len(payload) // 2], b"")
        raise _CutOff

    def came(self, line: bytes) -> int:
        """A line came; its entry on the tape, 0 without one."""
        if self._tape is None:
            return 0
        self._tape.frame(Direction.TO_SERVER, Channel.STDIN, line, eol=Eol.LF)
        return self._tape.count

    def _put(self, payload: bytes, end: bytes) -> None:
        data = memoryview(payload + end)
        while data:
            data = data[os.write(self._write_fd, data) :]
        if self._tape is not None:
            self._tape.frame(Direction.FROM_SERVER, Channel.STDOUT, payload, eol=Eol.LF if end else Eol.NONE)

    def read_in_thread(self, loop: asyncio.AbstractEventLoop, put: Callable[[bytes | None], None]) -> None:
        """Have each line given to `put`, and None at the end."""

        def read() -> None:
            parts: list[bytes] = []
            with contextlib.suppress(RuntimeError, OSError):  # the loop is closed: nobody wants to know any more
                while chunk := os.read(self._read_fd, _CHUNK):
                    first, *others = chunk.split(b"\n")
                    parts.append(first)
                    for start in others:
                        loop.call_soon_threadsafe(put, b"".join(parts))
                        parts = [start]
                loop.call_soon_threadsafe(put, b"".join(parts))
                loop.call_soon_threadsafe(put, None)

        threading.Thread(target=read, name="stdin", daemon=True).start()


async def serve(shared: MockShared, read_fd: int = 0, write_fd: int = 1) -> None:
    """Play until stdin ends, nobody reads stdout any more, or a fault breaks the connection."""
    pipe = Pipe(read_fd, write_fd, shared.tape)
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    if shared.tape is not None:
        shared.tape.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio"))
    why = ""
    pipe.read_in_thread(asyncio.get_running_loop(), lines.put_nowait)
    try:
        async with asyncio.TaskGroup() as tasks:
            await _converse(shared, pipe, lines, tasks)
    except* BrokenPipeError:
        why = "the client does not read any more"
    except* _CutOff:
        why = "broken by a fault on demand"
    finally:
        if shared.tape is not None:
            shared.tape.fact(ConnectionFact(ConnectionEvent.CLOSE, "stdio", why=why))


async def _converse(
    shared: MockShared, pipe: Pipe, lines: asyncio.Queue[bytes | None], tasks: asyncio.TaskGroup
) -> None:
    running: set[asyncio.Task[None]] = set()
    beside: set[asyncio.Task[None]] = set()

    def start(work: Coroutine[Any, Any, None], among: set[asyncio.Task[None]]) -> asyncio.Task[None]:
        task = tasks.create_task(work)
        among.add(task)
        task.add_done_callback(among.discard)
        return task

    connection = MockConnection(shared, pipe, lambda work: start(work, beside))
    while (line := await lines.get()) is not None:
        if line.strip():
            start(connection.take(line.removesuffix(b"\r"), pipe, pipe.came(line.removesuffix(b"\r"))), running)
    if running:
        await asyncio.wait(running, timeout=_GRACE)
    connection.close()
    for task in (*running, *beside):
        task.cancel()
