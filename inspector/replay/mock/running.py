"""A capture and settings to a mock that runs: the one place where its parts are joined."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from inspector.capture.journal import Journal, start_capture
from inspector.capture.load import load
from inspector.errors import UsageError
from inspector.replay.mock.reading import read_script
from inspector.replay.mock.script import Script
from inspector.replay.mock.stage import Settings, Stage, any_faults


class Wish(msgspec.Struct, frozen=True):
    """What is played, and where."""

    file: Path
    connection: str = ""
    """Which of several; "" for the only one."""
    port: int | None = None
    """Of this machine; 0 for a free one; None for stdio."""
    capture: Path | None = None
    """Where to record what crosses; None: nowhere."""
    cache: Path | None = None
    """Where it is kept what reading long captures came to; None: nowhere."""


async def run(wish: Wish, settings: Settings, *, narrate: Callable[[str], None], warn: Callable[[str], None]) -> int:
    """Play until the client has gone or it is interrupted; how often it did something else than was recorded.

    Raises: CaptureError, UsageError.
    """
    journal = load(wish.file, cache=wish.cache)
    tape: Journal | None = None
    try:
        script = read_script(journal, wish.connection)
        for notice in (*journal.notices, *script.notes):
            warn(notice)
        if wish.capture is not None or any_faults(settings.faults):
            tape = start_capture(wish.capture, mode="mock")
        stage = Stage(script, settings, tell=warn, tape=tape)
        narrate(_about(wish, script))
        try:
            await _serve(stage, wish.port, narrate)
        finally:  # over HTTP it is interrupted, or goes on
            if stage.differences:
                times = "once" if stage.differences == 1 else f"{stage.differences:,} times"
                narrate(f"{times} the client did something else than was recorded")
        return stage.differences
    finally:
        journal.close()
        if tape is not None:
            tape.close()


async def _serve(stage: Stage, port: int | None, narrate: Callable[[str], None]) -> None:
    if port is None:
        from inspector.replay.mock.stdio import serve as serve_stdio

        await serve_stdio(stage)
        return
    from inspector.replay.mock.http import serve as serve_http

    try:
        await serve_http(stage, port, narrate)
    except OSError as error:
        raise UsageError(f"--http {port}: {error.strerror or error}", hint="0 takes a free port.") from None


def _about(wish: Wish, script: Script) -> str:
    name = script.server.get("name")
    called = name if isinstance(name, str) else "a server"
    return f"{wish.file.name}: {called}, {script.turns.requests:,} requests recorded in {script.revision}"
