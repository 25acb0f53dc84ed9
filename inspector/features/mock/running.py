"""Runs a mock from a capture and settings."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from inspector.capture.journal import Journal, start_capture
from inspector.capture.store.load import load
from inspector.errors import UsageError
from inspector.features.mock.openings import opening_of
from inspector.features.mock.outline import RECORD, Outline, Turns, chosen, nothing_to_play
from inspector.features.mock.script import Script
from inspector.features.mock.shared import MockSettings, MockShared, any_faults

# The script of one connection

OPENING = {"initialize", "notifications/initialized", "server/discover", "ping"}
"""What clients say before they ask for anything."""


def read_script(journal: Journal, connection: str = "") -> Script:
    """The script of a capture, which is read from it while it is played. `connection` is a name; "" for the only one.

    Raises: UsageError where there is nothing to play, or where it isn't told which of several is meant.
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
    return (f"nothing but the opening was recorded, so all other requests get an error. {RECORD}",)


def _redacted(journal: Journal) -> tuple[str, ...]:
    on, policy = journal.head.redaction.on, journal.head.redaction.policy
    if on == "none" or policy in ("none", "credentials"):
        return ()
    return (f"the capture is redacted ({policy[:40]}): what was taken out is served as it stands there",)


class MockRequest(msgspec.Struct, frozen=True):
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


async def run(
    wish: MockRequest, settings: MockSettings, *, narrate: Callable[[str], None], warn: Callable[[str], None]
) -> int:
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
        shared = MockShared(script, settings, tell=warn, tape=tape)
        narrate(_about(wish, script))
        try:
            await _serve(shared, wish.port, narrate)
        finally:  # over HTTP it is interrupted, or goes on
            if shared.differences:
                times = "once" if shared.differences == 1 else f"{shared.differences:,} times"
                narrate(f"{times} the client did something else than was recorded")
        return shared.differences
    finally:
        journal.close()
        if tape is not None:
            tape.close()


async def _serve(shared: MockShared, port: int | None, narrate: Callable[[str], None]) -> None:
    if port is None:
        from inspector.features.mock.stdio import serve as serve_stdio

        await serve_stdio(shared)
        return
    from inspector.features.mock.http import serve as serve_http

    try:
        await serve_http(shared, port, narrate)
    except OSError as error:
        raise UsageError(f"--http {port}: {error.strerror or error}", hint="0 takes a free port.") from None


def _about(wish: MockRequest, script: Script) -> str:
    name = script.server.get("name")
    called = name if isinstance(name, str) else "a server"
    return f"{wish.file.name}: {called}, {script.turns.requests:,} requests recorded in {script.revision}"
