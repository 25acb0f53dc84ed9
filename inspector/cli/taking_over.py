"""Sending a capture's requests up to an entry, and then handing the live session over to the person at the screen."""

import asyncio
from collections.abc import Callable

from inspector.cli.exit_status import ExitStatus
from inspector.cli.interface import inspect, show_live
from inspector.cli.options import Chosen
from inspector.cli.output import Output
from inspector.cli.resending import tell
from inspector.errors import InspectError
from inspector.replay.resend.performing import Resent, Wish, resend
from inspector.replay.resend.plan import Plan
from inspector.session.engine import Live
from inspector.session.session import Session
from inspector.session.wishes import State

_PACE_S = 0.02


def take_over(output: Output, chosen: Chosen, plan: Plan, wish: Wish, name: str) -> ExitStatus:
    """Send what was planned, say on stdout what came, and open the interface on the session.

    A server that can't be reached is shown in the interface as well.
    """

    def show(begin: Callable[..., Live], first: Live) -> ExitStatus:
        resent = first.engine.submit(_replay(first, plan, wish)).result()
        wish.replies.stop()
        if resent is not None:
            tell(output, resent, name)
        return show_live(begin, first)

    return inspect(output.world, chosen, show)


async def _replay(live: Live, plan: Plan, wish: Wish) -> Resent | None:
    """Send it once the session is open; None if it does not open."""
    session = await _opened(live)
    if session is None:
        return None
    try:
        await live.lists.fetch(session)  # behind the first fetching: two at a time would tear a list
        return await resend(session, plan, wish)
    except InspectError:
        return None


async def _opened(live: Live) -> Session | None:
    while live.state is State.CONNECTING and live.crash is None:  # noqa: ASYNC110 - it is a state, set by its session
        await asyncio.sleep(_PACE_S)
    return live.session if live.state is State.OPEN else None
