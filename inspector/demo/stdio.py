"""The demo on stdin and stdout, one message per line.

Lines are read in a thread: unlike the event loop it takes a pipe, a file and a terminal alike, and a line may
be as long as it likes.
"""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable

from inspector.demo.call import DemoError, DemoOptions, dump, mutter, parse
from inspector.demo.server import DemoServer
from inspector.demo.state import Station, blow

STDIN, STDOUT = 0, 1
_CHUNK = 1 << 16
_GRACE = 0.25
"""Seconds that running requests have to end once stdin is closed."""


async def serve(options: DemoOptions) -> None:
    """Serves until stdin ends or nobody reads stdout any more."""
    await asyncio.sleep(options.startup_delay)
    station = Station()
    server = DemoServer(station, options, _write)
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    _read_in_thread(asyncio.get_running_loop(), lines.put_nowait)
    running: set[asyncio.Task[None]] = set()
    try:
        async with asyncio.TaskGroup() as tasks:
            blowing = tasks.create_task(blow(station, options.weather))
            while (line := await lines.get()) is not None:
                task = tasks.create_task(_take(server, line))
                running.add(task)
                task.add_done_callback(running.discard)
            await _wind_up(running)
            blowing.cancel()
    except* BrokenPipeError:
        mutter("the client closed stdout")
    finally:
        server.close()


async def _wind_up(running: set[asyncio.Task[None]]) -> None:
    """Input that was piped in is answered; what takes longer than a moment is not waited for."""
    if running:
        _, late = await asyncio.wait(running, timeout=_GRACE)
        for task in late:
            task.cancel()


async def _take(server: DemoServer, line: bytes) -> None:
    if not line.strip():
        return
    try:
        message = parse(line)
    except DemoError as refusal:
        await _write(server.error_without_id(refusal))
    else:
        await server.handle(message, _write)


async def _write(message: object) -> None:
    """Writes a line, synchronously: two answers never mingle, and a client that reads slowly slows us down."""
    data = memoryview(dump(message) + b"\n")
    while data:
        data = data[os.write(STDOUT, data) :]


def _read_in_thread(loop: asyncio.AbstractEventLoop, put: Callable[[bytes | None], None]) -> None:
    def read() -> None:
        parts: list[bytes] = []
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants to know any more
            while chunk := os.read(STDIN, _CHUNK):
                first, *others = chunk.split(b"\n")
                parts.append(first)
                for start in others:
                    loop.call_soon_threadsafe(put, b"".join(parts))
                    parts = [start]
            loop.call_soon_threadsafe(put, b"".join(parts))
            loop.call_soon_threadsafe(put, None)

    threading.Thread(target=read, name="stdin", daemon=True).start()
