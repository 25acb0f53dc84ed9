"""`python -m inspector.demo`: the demo server on stdio, or with --http on a local port."""

import argparse
import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable

from inspector.demo.call import DemoError, DemoOptions, dump, parse, write_stderr
from inspector.demo.methods import DemoServer
from inspector.demo.state import DemoState, emit_changes

STDIN, STDOUT = 0, 1
_CHUNK_BYTES = 1 << 16
_GRACE = 0.25
"""Seconds that running requests have to finish once stdin is closed."""


async def serve_stdio(options: DemoOptions) -> None:
    """Serve until stdin ends or stdout is closed."""
    station = DemoState()
    server = DemoServer(station, options, _write)
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    _read_in_thread(asyncio.get_running_loop(), lines.put_nowait)
    running: set[asyncio.Task[None]] = set()
    try:
        async with asyncio.TaskGroup() as tasks:
            blowing = tasks.create_task(emit_changes(station, options.weather))
            while (line := await lines.get()) is not None:
                task = tasks.create_task(_take(server, line))
                running.add(task)
                task.add_done_callback(running.discard)
            await _wind_up(running)
            blowing.cancel()
    except* BrokenPipeError:
        write_stderr("the client closed stdout")
    finally:
        server.close()


async def _wind_up(running: set[asyncio.Task[None]]) -> None:
    """Finish running requests after the input has ended; slow ones are cancelled after a moment."""
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
    """Write a line, synchronously: two responses never mingle, and a slow client slows us down."""
    data = memoryview(dump(message) + b"\n")
    while data:
        data = data[os.write(STDOUT, data) :]


def _read_in_thread(loop: asyncio.AbstractEventLoop, put: Callable[[bytes | None], None]) -> None:
    def read() -> None:
        parts: list[bytes] = []
        with contextlib.suppress(RuntimeError):  # the loop is closed: no longer needed
            while chunk := os.read(STDIN, _CHUNK_BYTES):
                first, *others = chunk.split(b"\n")
                parts.append(first)
                for start in others:
                    loop.call_soon_threadsafe(put, b"".join(parts))
                    parts = [start]
            loop.call_soon_threadsafe(put, b"".join(parts))
            loop.call_soon_threadsafe(put, None)

    threading.Thread(target=read, name="stdin", daemon=True).start()


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m inspector.demo", description="Run the demo MCP server.")
    made.add_argument("--http", type=int, metavar="PORT", help="serve over HTTP; 0 selects a free port")
    made.add_argument("--page-size", type=int, default=0, metavar="N", help="items per page of a list; 0: no paging")
    eras = made.add_mutually_exclusive_group()
    eras.add_argument("--legacy-only", action="store_true", help="support only protocol versions with initialize")
    eras.add_argument("--modern-only", action="store_true", help="support only the stateless protocol version")
    made.add_argument(
        "--weather", type=float, default=5.0, metavar="S", help="seconds between changes of the barometer; 0: never"
    )
    return made


def options_from(arguments: argparse.Namespace) -> DemoOptions:
    """Return the options from a parsed command line."""
    return DemoOptions(
        legacy=not arguments.modern_only,
        modern=not arguments.legacy_only,
        page_size=max(0, arguments.page_size),
        weather=max(0.0, arguments.weather),
    )


async def serve(port: int | None, options: DemoOptions) -> None:
    """Serve over HTTP on this port, or on stdio if it is None."""
    if port is None:
        await serve_stdio(options)
    else:
        from inspector.demo.http import serve as serve_http

        await serve_http(port, options)


def main(argv: list[str] | None = None) -> int:
    """Run the demo until its client disconnects or until Ctrl+C; return the exit status."""
    arguments = parser().parse_args(argv)
    try:
        asyncio.run(serve(arguments.http, options_from(arguments)))
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
