"""`mcp-inspect conformance URL`: one client scenario of the official conformance suite, for the suite to judge.

It is the suite that runs this, with the scenario in the environment. Whoever is asked to consent here consents at
once: the suite's authorization servers have no page to look at.
"""

import asyncio
import os
from contextlib import AsyncExitStack

import click
import httpx

from inspector.auth.driver import Doorkeeper
from inspector.auth.loopback import Loopback, redirected
from inspector.auth.steps import Abandoned, Redirected, Visit
from inspector.auth.store import TokenStore
from inspector.capture.journal import start_capture
from inspector.cli import scenarios
from inspector.cli.exit_status import ExitStatus
from inspector.cli.output import Output
from inspector.cli.world import World
from inspector.config.targets import HttpTarget, parse_url
from inspector.errors import InspectError
from inspector.protocol.offers import ALL
from inspector.session.open import Settings, open_session
from inspector.session.wishes import Clocks

_PATIENCE_S = 25.0
"""The suite gives a scenario thirty seconds."""


@click.command("conformance")
@click.argument("url")
@click.pass_obj
def command(world: World, url: str) -> ExitStatus:
    """Play the scenario that the environment names against a server of the suite."""
    output = Output(world, as_json=False, quiet=False)
    try:
        asyncio.run(_play(url, dict(os.environ)))
    except InspectError as error:
        return output.failure(error)
    return ExitStatus.OK


async def _play(url: str, env: dict[str, str]) -> None:
    name, context = env.get(scenarios.SCENARIO, ""), scenarios.context_of(env)
    wishes = scenarios.wishes_of(context)
    settings = Settings(
        revision=env.get(scenarios.VERSION, ""),
        clocks=Clocks(_PATIENCE_S, _PATIENCE_S),
        offers=frozenset(ALL),
        prepared=scenarios.answers_of(name),
        authorizer=lambda at: Doorkeeper(at, wishes, TokenStore(None), _Willing()),
    )
    journal = start_capture(None)
    try:
        async with open_session(HttpTarget(parse_url(url)), journal, settings) as session:
            await session.connect()
            await scenarios.play_of(name)(session, context)
    finally:
        journal.close()


class _Willing:
    """A person who says yes, and a browser that follows redirects."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._loopback: Loopback | None = None

    async def begin(self, known_redirect: str) -> str:
        """Listen for the browser."""
        self._loopback = await self._stack.enter_async_context(Loopback())
        return self._loopback.redirect_uri

    async def visit(self, visit: Visit) -> Redirected | Abandoned:
        """Go there, and wherever that leads."""
        assert self._loopback is not None, "a login begins before it visits"
        came = self._loopback.expect(visit.state)
        async with httpx.AsyncClient(follow_redirects=True, trust_env=False) as browser:
            page = await browser.get(visit.url)
        return came.result() if came.done() else redirected(page.url.query.decode("ascii", "replace"))

    async def end(self) -> None:
        """Listen no more."""
        await self._stack.aclose()
