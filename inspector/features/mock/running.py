"""Runs a mock from a capture and settings."""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import msgspec

from inspector.capture.journal import Journal, start_capture
from inspector.capture.store.load import load
from inspector.errors import UsageError
from inspector.features.mock.connection import MockConnection
from inspector.features.mock.http import serve as serve_http
from inspector.features.mock.openings import opening_of
from inspector.features.mock.outline import RECORD_HINT, Outline, Turns, chosen, nothing_to_play
from inspector.features.mock.script import Script
from inspector.features.mock.shared import MockSettings, MockShared, any_faults
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Channel, Direction, Eol
from inspector.text import cut

_CHUNK_BYTES = 1 << 16
_GRACE = 0.5
"""Seconds to answer the remaining requests after stdin is closed."""

OPENING = {"initialize", "notifications/initialized", "server/discover", "ping"}
"""Requests that clients send before any others."""


class _CutOff(Exception):
    """A fault has broken the connection."""


class Pipe:
    """Both ends of the pipe to the client. All traffic is recorded on the tape, if there is one."""

    def __init__(self, read_fd: int, write_fd: int, tape: Journal | None) -> None:
        self._read_fd, self._write_fd = read_fd, write_fd
        self._tape = tape

    async def send(self, payload: bytes) -> None:
        self._put(payload, b"\n")

    async def write(self, payload: bytes) -> None:
        """Write a line that is not a message."""
        self._put(payload, b"\n")

    async def cut(self, payload: bytes) -> None:
        """Write half of the payload and disconnect."""
        self._put(payload[: len(payload) // 2], b"")
        raise _CutOff

    def came(self, line: bytes) -> int:
        """Record a received line. Return its entry on the tape, 0 without a tape."""
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
        """Pass each line to `put`, and None at the end."""

        def read() -> None:
            parts: list[bytes] = []
            with contextlib.suppress(RuntimeError, OSError):  # the loop is closed: no longer needed
                while chunk := os.read(self._read_fd, _CHUNK_BYTES):
                    first, *others = chunk.split(b"\n")
                    parts.append(first)
                    for start in others:
                        loop.call_soon_threadsafe(put, b"".join(parts))
                        parts = [start]
                loop.call_soon_threadsafe(put, b"".join(parts))
                loop.call_soon_threadsafe(put, None)

        threading.Thread(target=read, name="stdin", daemon=True).start()


class MockRequest(msgspec.Struct, frozen=True):
    """What to play, and where."""

    file: Path
    connection: str = ""
    """Name of the connection; "" for the only one."""
    port: int | None = None
    """Local port, 0 for any free one; None for stdio."""
    capture: Path | None = None
    """Where to record the mock's traffic; None for nowhere."""
    cache: Path | None = None
    """Directory for cached indexes of long captures; None for no cache."""


async def serve_stdio(shared: MockShared, read_fd: int = 0, write_fd: int = 1) -> None:
    """Play until stdin ends, stdout is closed, or a fault breaks the connection."""
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


# The script of one connection


def read_script(journal: Journal, connection: str = "") -> Script:
    """Return the script of a capture, which is read lazily during playback.

    `connection` is a name; "" for the only one. Raises: UsageError if there is nothing to play, or if one of several
    connections has to be chosen.
    """
    wire = chosen(journal, connection)
    outline = Outline(journal, wire)
    turns = Turns(outline)
    if not turns:
        raise nothing_to_play()
    notes = (*_redacted(journal), *_without_calls(turns))
    script = opening_of(outline.conversation.opening, turns, path=wire.path, notes=notes)
    return msgspec.structs.replace(script, old_carriage=wire.about.startswith("sse "))


def _without_calls(turns: Turns) -> tuple[str, ...]:
    if not {*turns.methods} <= OPENING:
        return ()
    return (f"nothing but the opening was recorded, so all other requests get an error. {RECORD_HINT}",)


def _redacted(journal: Journal) -> tuple[str, ...]:
    on, policy = journal.head.redaction.on, journal.head.redaction.policy
    if on == "none" or policy in ("none", "credentials"):
        return ()
    return (f"the capture is redacted ({cut(policy, 40)}): pseudonyms are served in place of secrets",)


async def run(
    request: MockRequest, settings: MockSettings, *, narrate: Callable[[str], None], warn: Callable[[str], None]
) -> int:
    """Play until the client disconnects or the mock is interrupted.

    Return how often the client deviated from the capture.

    Raises: CaptureError, CaptureIncomplete, UsageError.
    """
    journal = load(request.file, cache=request.cache)
    tape: Journal | None = None
    try:
        script = read_script(journal, request.connection)
        for notice in (*journal.notices, *script.notes):
            warn(notice)
        if request.capture is not None or any_faults(settings.faults):
            tape = start_capture(request.capture, mode="mock")
        shared = MockShared(script, settings, tell=warn, tape=tape)
        narrate(_about(request, script))
        try:
            await _serve(shared, request.port, narrate)
        finally:  # over HTTP it ends by an interrupt
            if shared.differences:
                times = "once" if shared.differences == 1 else f"{shared.differences:,} times"
                narrate(f"{times} the client did something else than was recorded")
        return shared.differences
    finally:
        journal.close()
        if tape is not None:
            tape.close()
            tape.demand_complete()


async def _serve(shared: MockShared, port: int | None, narrate: Callable[[str], None]) -> None:
    if port is None:
        await serve_stdio(shared)
        return
    try:
        await serve_http(shared, port, narrate)
    except OSError as error:
        raise UsageError(f"--http {port}: {error.strerror or error}", hint="0 takes a free port.") from None


def _about(request: MockRequest, script: Script) -> str:
    name = script.server.get("name")
    called = name if isinstance(name, str) else "a server"
    return f"{request.file.name}: {called}, {script.turns.requests:,} requests recorded in {script.revision}"
