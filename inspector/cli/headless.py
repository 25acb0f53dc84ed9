"""A command without a screen: connect, do one thing, leave. The loop runs on the main thread.

Whatever ends it ends the server too: the work is done, Ctrl+C (what is in flight is cancelled first, in the way of
its revision), SIGTERM or SIGHUP, or a reader of our output that has had enough.
"""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from inspector.capture.journal import Journal
from inspector.cli.exit_status import ExitStatus
from inspector.cli.last_words import tell_failure
from inspector.cli.launch import named_journal, settings_for
from inspector.cli.options import Chosen, choose
from inspector.cli.output import Output
from inspector.cli.signals import leaving_no_child
from inspector.cli.world import World
from inspector.errors import InspectError
from inspector.protocol.revisions.openings import Opening
from inspector.session.open import open_session
from inspector.session.session import Session

T = TypeVar("T")


class Visit(msgspec.Struct, frozen=True):
    """A session that is open, and where to write what comes of it."""

    session: Session
    opening: Opening
    output: Output


Work = Callable[[Visit], Awaitable[ExitStatus]]


async def _leave(session: Session) -> None:
    """Do nothing more for a session that did not open."""


def visit(
    world: World,
    url: str | None,
    options: dict[str, Any],
    work: Work,
    at_last: Callable[[Journal, ExitStatus | None], None] = lambda journal, status: None,
    unopened: Callable[[Session], Awaitable[None]] = _leave,
    *,
    judges: bool = False,
) -> ExitStatus:
    """Connect to the target that the options name, do the work, leave; the exit status.

    `at_last` gets the journal and the exit status so far when all is over, also where no connection came about; the
    status is None if something else than a failure ended it, such as Ctrl+C. `unopened` gets the session before it
    is left, if that did not open. `judges`: what is wrong is told at last, and so not with the failure;
    and the era is found out, whatever is remembered, so that the verdict is always the same.
    """
    output = Output(world, as_json=options["as_json"], quiet=options["quiet"])
    chosen = choose(world, url, options)
    journal = named_journal(chosen)
    told: list[str] = []
    gc.freeze()  # modules are no garbage: collections need not go through them
    gc.enable()  # `__main__` stopped it for the time of the imports
    status: ExitStatus | None = None
    try:
        with leaving_no_child():
            status = asyncio.run(_visit(chosen, journal, output, work, unopened, told, afresh=judges))
    except InspectError as error:
        _tell_notices(output, journal, told)  # before the failure: with --json that is the last line on stderr
        status = tell_failure(output, error, journal, judged_elsewhere=judges)
    finally:
        try:
            at_last(journal, status)
            _tell_notices(output, journal, told)
        finally:
            journal.close()
            _tell_notices(output, journal, told)  # only now is it known whether the disk took all of it
    return status


def _tell_notices(output: Output, journal: Journal, told: list[str]) -> None:
    """Warn of what a person should know about this journal, each once; `told` are those that were warned of."""
    for notice in journal.notices:
        if notice not in told:
            told.append(notice)
            output.warn(notice)


async def _visit(
    chosen: Chosen,
    journal: Journal,
    output: Output,
    work: Work,
    unopened: Callable[[Session], Awaitable[None]],
    told: list[str],
    *,
    afresh: bool,
) -> ExitStatus:
    settings = settings_for(chosen, output.world, afresh=afresh)
    async with open_session(chosen.target, journal, settings) as session:
        try:
            settled = await session.connect()
        except InspectError:
            await unopened(session)
            raise
        opening = session.opening or settled  # what was seen on the wire also knows what we declared
        _introduce(output, opening)
        _tell_notices(output, journal, told)
        return await work(Visit(session, opening, output))


def _introduce(output: Output, opening: Opening) -> None:
    name, version = opening.server.get("name", "a server without a name"), opening.server.get("version", "")
    output.narrate(f"connected to {name} {version}, {opening.revision.named}".replace(" ,", ","))
    for warning in opening.warnings:
        output.warn(warning)
