"""Client under test of the official conformance suite: `python -m tests.conformance.client URL` plays one scenario.

The suite runs this, with the scenario in the environment. Logins consent at once: the suite's authorization servers
have no page to look at. What to list, call and read is decided here; the engine knows no scenario.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import httpx
import msgspec

from inspector.auth.driver import OAuthAuthorizer
from inspector.auth.guide import Loopback, redirected
from inspector.auth.steps import Abandoned, IdentityProvider, LoginOptions, OpenAddress, Redirected
from inspector.auth.storage import TokenStore
from inspector.capture.journal import start_capture
from inspector.cli.exit_status import ExitStatus, status_of
from inspector.config.targets import HttpTarget, parse_url
from inspector.errors import InspectError, UsageError
from inspector.forms.arguments import smallest_valid
from inspector.protocol import peek
from inspector.protocol.capabilities import ALL
from inspector.protocol.flows.skills import SkillRead, check_skill, list_skills
from inspector.protocol.flows.steps import Flow, Replied
from inspector.protocol.headers import mirrors
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.server_requests import RequestKind
from inspector.protocol.skills import Skill
from inspector.session.open import open_session
from inspector.session.options import Settings, Timeouts
from inspector.session.scripted import Prepared
from inspector.session.session import Session

SCENARIO, VERSION, CONTEXT = ("MCP_CONFORMANCE_SCENARIO", "MCP_CONFORMANCE_PROTOCOL_VERSION", "MCP_CONFORMANCE_CONTEXT")
_DOCUMENT = "https://conformance-test.local/client-metadata.json"
"""The document about the client that the suite's authorization servers know."""

Play = Callable[[Session, Any], Awaitable[None]]
"""What to do once connected, given the context of the scenario."""


def context_of(env: Mapping[str, str]) -> Any:
    """What the suite tells of the scenario. Raises: UsageError if that is no JSON."""
    try:
        return msgspec.json.decode(env.get(CONTEXT) or "{}")
    except msgspec.DecodeError as error:
        raise UsageError(f"{CONTEXT} is no JSON: {error}") from None


def wishes_of(context: Any) -> LoginOptions:
    """How a person would log in with what the context holds."""

    def given(name: str) -> str:
        return peek.text(context, name) or ""

    provider = None
    if given("idp_token_endpoint"):
        provider = IdentityProvider(given("idp_token_endpoint"), given("idp_client_id"), given("idp_id_token"))
    return LoginOptions(
        client_id=given("client_id"),
        client_secret=given("client_secret"),
        metadata_url=_DOCUMENT,
        private_key=given("private_key_pem"),
        algorithm=given("signing_algorithm") or "ES256",
        assertion=given("valid_jwt"),
        provider=provider,
    )


def answers_of(name: str) -> tuple[Prepared, ...]:
    """What the server's questions are answered with: yes, and what the schema proposes or the scenario wants."""
    content = {"confirmed": True} if name == "sep-2322-client-request-state" else None
    return (
        Prepared(RequestKind.ELICITATION, "accept", content=content),
        Prepared(RequestKind.SAMPLING, "text", text="hello"),
    )


def play_of(name: str) -> Play:
    """What to do in a scenario; of one that is not known, what a visitor would."""
    if name.startswith("auth/"):
        return _first_tool
    if name.startswith("sep-2640-client-verify"):
        return _check_skills
    return _PLAYS.get(name, _visit)


async def _visit(session: Session, context: Any) -> None:
    await _tools(session)


async def _first_tool(session: Session, context: Any) -> None:
    for tool in (await _tools(session))[:1]:
        await _call(session, peek.text(tool, "name"), {})


async def _call_all(session: Session, context: Any) -> None:
    """Call every tool that may be called, with the smallest arguments that its schema takes."""
    for tool in await _tools(session):
        if not mirrors(peek.at(tool, "inputSchema"))[1]:
            await _call(session, peek.text(tool, "name"), smallest_valid(peek.at(tool, "inputSchema")))


async def _everything(session: Session, context: Any) -> None:
    """Call every tool, read every resource, get every prompt."""
    await _call_all(session, context)
    for resource in (await session.list_all("resources")).items:
        await session.call("resources/read", {"uri": peek.text(resource, "uri")})
    for prompt in (await session.list_all("prompts")).items:
        arguments = {peek.text(each, "name"): "x" for each in peek.items(prompt, "arguments")}
        await session.call("prompts/get", {"name": peek.text(prompt, "name"), "arguments": arguments})


async def _add(session: Session, context: Any) -> None:
    await _tools(session)
    await _call(session, "add_numbers", {"a": 5, "b": 3})


async def _call_as_told(session: Session, context: Any) -> None:
    await _tools(session)
    for call in peek.items(context, "toolCalls"):
        await _call(session, peek.text(call, "name"), peek.at(call, "arguments"))


async def _send_schema_back(session: Session, context: Any) -> None:
    tools = {peek.text(tool, "name"): tool for tool in await _tools(session)}
    schema = peek.at(tools.get("json_schema_2020_12_tool"), "inputSchema")
    await _call(session, "json_schema_echo", {"schema": schema})


def _calls(*names: str) -> Play:
    """Call these tools, without arguments."""

    async def play(session: Session, context: Any) -> None:
        await _tools(session)
        for name in names:
            await _call(session, name, {})

    return play


async def _list_skills(session: Session, context: Any) -> None:
    await session.perform(lambda revision: list_skills(revision=revision))


async def _check_skills(session: Session, context: Any) -> None:
    pages = await session.perform(lambda revision: list_skills(revision=revision))
    for skill in pages.skills:
        await session.perform(partial(_check, skill))


def _check(skill: Skill, revision: Revision) -> Flow[tuple[SkillRead, ...]]:
    return check_skill(skill, skill.files, revision=revision)


async def _tools(session: Session) -> list[Any]:
    return list((await session.list_all("tools")).items)


async def _call(session: Session, name: str | None, arguments: Any) -> Any:
    called = await session.call("tools/call", {"name": name, "arguments": arguments})
    reply = called.reply
    return reply.message.result if isinstance(reply, Replied) and isinstance(reply.message, ResultResponse) else None


_PLAYS: dict[str, Play] = {
    "tools_call": _add,
    "request-metadata": _call_all,
    "http-standard-headers": _everything,
    "http-custom-headers": _call_as_told,
    "http-invalid-tool-headers": _call_all,
    "json-schema-2020-12-preservation": _send_schema_back,
    "sse-retry": _calls("test_reconnection"),
    "elicitation-sep1034-client-defaults": _calls("test_client_elicitation_defaults"),
    "sep-2322-client-request-state": _calls(
        "test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state", "test_mrtr_no_result_type"
    ),
    "sep-2640-client-no-prefetch": _list_skills,
}

_PATIENCE_S = 25.0
"""The suite gives a scenario thirty seconds."""


def main(url: str, env: Mapping[str, str]) -> ExitStatus:
    """Play the scenario that the environment names against a server of the suite."""
    try:
        asyncio.run(play(url, env))
    except InspectError as error:
        print(f"✗ {error}", file=sys.stderr)
        return status_of(error)
    return ExitStatus.OK


async def play(url: str, env: Mapping[str, str]) -> None:
    name, context = env.get(SCENARIO, ""), context_of(env)
    wishes = wishes_of(context)
    settings = Settings(
        revision=env.get(VERSION, ""),
        clocks=Timeouts(_PATIENCE_S, _PATIENCE_S),
        offers=frozenset(ALL),
        prepared=answers_of(name),
        authorizer=lambda at: OAuthAuthorizer(at, wishes, TokenStore(None), _Willing()),
    )
    journal = start_capture(None)
    try:
        async with open_session(HttpTarget(parse_url(url)), journal, settings) as session:
            await session.connect()
            await play_of(name)(session, context)
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

    async def visit(self, visit: OpenAddress) -> Redirected | Abandoned:
        """Go there, and wherever that leads."""
        assert self._loopback is not None, "a login begins before it visits"
        came = self._loopback.expect(visit.state)
        async with httpx.AsyncClient(follow_redirects=True, trust_env=False) as browser:
            page = await browser.get(visit.url)
        return came.result() if came.done() else redirected(page.url.query.decode("ascii", "replace"))

    async def end(self) -> None:
        """Listen no more."""
        await self._stack.aclose()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], os.environ))
