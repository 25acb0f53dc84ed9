"""Servers that work are not accused: no warning and no error of `check`, of `doctor` or of the app about them is false.

Those of `tests.servers.conforming` keep to the specification, so nothing but hints may be said of them. Others are real
servers, and what is said of them is held against a table of what is true of them, with the rule that they break.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.present.live_checks import LiveChecks
from inspector.session.engine import Engine, Live
from inspector.session.options import SessionState, Settings
from inspector.session.session import Session
from inspector.transports.http.listener import Listener
from tests.cli.running import SERVERS, Ran, inspect
from tests.servers.conforming import LEGACY, MODERN, Conforming
from tests.servers.conforming_http import behind_a_login, behind_a_token, both, modern, session, sessionless, sse
from tests.servers.healthy import Healthy, running, servers, words_of
from tests.servers.http_fixtures import Handler
from tests.stories.real_targets import REAL, Real
from tests.stories.real_targets import running as running_real
from tests.waiting import PATIENCE_S, until

_CALLS = ("--call", 'say={"text": "hi"}', "--call", "work", "--call", "show")
_TOKEN = ("-H", "Authorization: Bearer right")


@dataclass(frozen=True)
class Raw:
    """A conforming server: over stdio by words, or over HTTP by what makes its handler."""

    name: str
    words: tuple[str, ...] = ()
    serve: Callable[[], Handler] | None = None
    host: str = "127.0.0.1"
    named: str = ""
    """What its URL calls the host, where that is not its address."""
    path: str = "/mcp"
    options: tuple[str, ...] = ()
    status: int = 0
    """What the commands end with; 3 where it wants credentials that nobody gives."""

    def __str__(self) -> str:
        return self.name.replace(" ", "-")

    @property
    def has_tools(self) -> bool:
        """Whether there is something to call."""
        return not self.status and not any(word.startswith("offers=") and "tools" not in word for word in self.words)


def _of(*revisions: str) -> Callable[[], Conforming]:
    return lambda: Conforming(revisions)


_OLD, _NEW, _BOTH = _of(*LEGACY[:0:-1]), _of(MODERN), _of(MODERN, *LEGACY[:0:-1])
_OLDEST = _of(LEGACY[0])
STDIO = (
    *(Raw(f"stdio {revision}", (f"era={revision}",)) for revision in (*LEGACY, MODERN)),
    Raw("stdio of both eras"),
    Raw("stdio with tools alone", ("era=2025-11-25", "offers=tools")),
    Raw("stdio with resources alone", ("era=2025-11-25", "offers=resources")),
    Raw("stdio with prompts alone", (f"era={MODERN}", "offers=prompts")),
    Raw("stdio with nothing, legacy", ("era=2025-11-25", "offers=")),
    Raw("stdio with nothing, modern", (f"era={MODERN}", "offers=")),
    Raw("stdio in pages, legacy", ("era=2025-11-25", "paged")),
    Raw("stdio in pages, modern", (f"era={MODERN}", "paged")),
    Raw("stdio slow to start, legacy", ("era=2025-11-25", "late=2.5")),
    Raw("stdio slow to start, of both eras", ("late=2.5",)),
    Raw("stdio silent before the handshake", ("era=2025-11-25", "mute")),
    Raw("stdio that asks and logs", ("era=2025-11-25", "asks")),
    Raw("stdio that asks and logs, the oldest", ("era=2024-11-05", "asks")),
    Raw("stdio loud on stderr", ("era=2025-11-25", "loud")),
    Raw("stdio loud on stderr, modern", (f"era={MODERN}", "loud")),
)
HTTP = (
    Raw("http modern", serve=lambda: modern(_NEW)),
    Raw("http modern with streams", serve=lambda: modern(_NEW, streams=True)),
    Raw("http modern with nothing", ("offers=",), serve=lambda: modern(lambda: Conforming((MODERN,), ()))),
    Raw("http modern behind a path", serve=lambda: modern(_NEW), path="/team/a/mcp"),
    Raw("http modern at ::1", serve=lambda: modern(_NEW), host="::1"),
    Raw("http modern at localhost", serve=lambda: modern(_NEW), named="localhost"),
    Raw("http sessions", serve=lambda: session(_OLD)),
    Raw("http sessions with streams", serve=lambda: session(_OLD, streams=True)),
    Raw("http sessions of 2025-03-26", serve=lambda: session(_of("2025-03-26"))),
    Raw("http sessions of 2025-06-18", serve=lambda: session(_of("2025-06-18"))),
    Raw("http sessions without a stream", serve=lambda: session(_OLD, without_stream=405)),
    Raw("http sessions in pages", serve=lambda: session(lambda: Conforming(LEGACY[:0:-1], paged=True))),
    Raw("http without sessions", serve=lambda: sessionless(_OLD)),
    Raw("http of both eras", serve=lambda: both(_BOTH)),
    Raw("http of both eras as legacy", serve=lambda: both(_BOTH), options=("--era", "legacy")),
    Raw("http+sse", serve=lambda: sse(_OLDEST), path="/sse"),
    Raw("http with a fixed token, none given", serve=lambda: behind_a_token(session(_OLD)), status=3),
    Raw("http+sse with a fixed token", serve=lambda: behind_a_token(sse(_OLDEST)), path="/sse", options=_TOKEN),
    Raw("http with a fixed token", serve=lambda: behind_a_token(session(_OLD)), options=_TOKEN),
    Raw("http modern with a fixed token", serve=lambda: behind_a_token(modern(_NEW)), options=_TOKEN),
    Raw("http with a login", serve=lambda: behind_a_login(modern(_NEW)), status=3),
    Raw("http with a login of 404s", serve=lambda: behind_a_login(modern(_NEW), tenant="/t", pointer=False), status=3),
    Raw("http with a login, logged in", serve=lambda: behind_a_login(session(_OLD)), options=_TOKEN),
)


@asynccontextmanager
async def _reached(raw: Raw) -> AsyncIterator[tuple[tuple[str, ...], Target]]:
    """The words that name it to a command, and its target for the app."""
    if raw.serve is None:
        argv = (sys.executable, str(SERVERS / "conforming.py"), *raw.words)
        yield ("--", *argv), StdioTarget(argv, build_environment({}, inherit_all=False), str(SERVERS))
        return
    async with Listener(raw.serve(), host=raw.host) as listener:
        url = listener.url.replace(raw.host, raw.named) if raw.named else listener.url
        headers = (("Authorization", "Bearer right"),) if raw.options == _TOKEN else ()
        yield (url + raw.path,), HttpTarget(url + raw.path, headers=headers)


async def _in_the_app(target: Target, called: bool) -> list[tuple[str, str, str]]:
    """What the app's checks find: it lists, listens and calls as it does before a person, and leaves."""
    engine = Engine()
    live = Live(engine, target, start_capture(None), Settings())
    try:
        await until(lambda: _is_settled(live), "it was listed, or failed", PATIENCE_S)
        if called and live.state == SessionState.OPEN:
            await asyncio.wrap_future(live.run(_call))
            assert len([each for each in live.journal.conversation.exchanges if each.method == "tools/call"]) == 3
        checks = LiveChecks(live.journal, over=lambda: live.state == SessionState.CLOSED)
        checks.catch_up()
    finally:
        await asyncio.wrap_future(live.end())
        engine.stop()
    checks.catch_up()
    return [(each.severity, each.id, each.sentence) for each in checks.all]


async def _call(session: Session) -> None:
    await session.call("tools/call", {"name": "say", "arguments": {"text": "hi"}})
    await session.call("tools/call", {"name": "work", "arguments": {}})
    await session.call("tools/call", {"name": "show", "arguments": {}})


def _is_settled(live: Live) -> bool:
    catalogue = live.journal.conversation.catalogue
    if live.state != SessionState.OPEN:
        return live.state == SessionState.CLOSED
    wanted = [each for each in catalogue.listings.values() if each.whole or each.pages]
    return live.listing is None and (bool(wanted) or not _lists_of(live))


def _lists_of(live: Live) -> bool:
    opening = live.journal.conversation.opening
    return opening is None or bool({"tools", "resources", "prompts"} & set(opening.capabilities))


def _found(ran: Ran) -> list[tuple[str, str, str]]:
    assert ran.stdout.startswith("{"), f"exit {ran.status}: {ran.stderr[-500:]}"
    assert not ran.data["disabled_checks"]
    return [(each["severity"], each["id"], each["sentence"]) for each in ran.data["findings"]]


def _accused(found: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [each for each in found if each[0] != "hint"]


def test_there_are_more_than_thirty_in_both_eras_and_over_every_transport() -> None:
    assert len({str(raw) for raw in (*STDIO, *HTTP)}) == len(STDIO) + len(HTTP) >= 30


@pytest.mark.parametrize("raw", [*STDIO, *HTTP], ids=str)
async def test_a_conforming_server_is_not_accused(raw: Raw, tmp_path: Path) -> None:
    home = {"MCP_INSPECT_HOME": str(tmp_path / "inspect")}
    calls = _CALLS if raw.has_tools else ()
    async with _reached(raw) as (words, target):
        for command in ("check", "doctor"):
            given = (command, "--json", "--fail-on", "never", *calls, *raw.options, *words)
            ran = await asyncio.to_thread(inspect, *given, env=home)
            assert (ran.status, _accused(_found(ran))) == (raw.status, []), f"{command}: {ran.stderr[-500:]}"
            assert (ran.data["failure"] is None) is (raw.status == 0)
        assert _accused(await _in_the_app(target, raw.has_tools)) == []


TRUE: dict[str, tuple[str, str]] = {
    "origin-not-validated": (
        "everything HTTP|playwright|fastmcp-http",
        "“Servers MUST validate the Origin header”: it answers 200 to another",
    ),
    "host-not-validated": ("everything HTTP|fastmcp-http", "neither Origin nor Host is looked at"),
    "unknown-tool-as-tool-error": (
        "",
        "“Protocol errors: unknown tools”: it gives a result with isError instead of -32602",
    ),
    "invalid-params-error-code": ("", "JSON-RPC 2.0: -32602 is for invalid params, and it says something else"),
    "unknown-method-error-code": (
        "sqlite|calculator|mcp1",
        "JSON-RPC 2.0: -32601 is for unknown methods, and it says -32602",
    ),
    "resource-not-found-code": ("", "“Resource not found: -32002” up to 2025-11-25, and it says something else"),
    "missing-argument-accepted": ("sqlite|harbour", "“Missing required arguments: -32602”, and it says something else"),
    "unissued-cursor-accepted": (
        "",
        "“Invalid cursors SHOULD result in an error with code -32602”, and it gives cursors of its own",
    ),
    "stdin-eof-ignored": (
        "",
        "measured: it was there two seconds after its stdin was closed, which a busy machine may bring about",
    ),
}
"""What is true of real servers and no hint: by the check, of which of them (“” for any), and the rule they break."""


def _false(server: str, found: Iterable[tuple[str, str, str]]) -> list[str]:
    """What is said of a real server and is not known to be true of it."""

    def is_true(id_: str) -> bool:
        whose, _ = TRUE.get(id_, ("nobody", ""))
        return not whose or any(all(word in server for word in each.split()) for each in whose.split("|"))

    return [f"{server}: {' '.join(each)}" for each in _accused(found) if not is_true(each[1])]


OTHERS: list[Healthy | Real] = [
    *(each for each in servers() if each.place),
    *(each for each in REAL if each.server in ("mcp1", "mcp2", "fastmcp")),
]


def test_there_are_twenty_real_servers() -> None:
    assert len(OTHERS) >= 20


@pytest.mark.real
@pytest.mark.parametrize("server", OTHERS, ids=str)
async def test_healthy_server_has_no_false_finding(server: Healthy | Real, tmp_path: Path) -> None:
    async with _reached_real(server, tmp_path) as (name, words, target):
        home = {"MCP_INSPECT_HOME": str(tmp_path / ".inspect")}
        for command in ("check", "doctor"):
            ran = await asyncio.to_thread(inspect, command, "--json", "--fail-on", "never", *words, env=home)
            assert not _false(name, _found(ran))
            assert not ran.status, f"{command}: {ran.stderr[-200:]}"
        assert not _false(name, await _in_the_app(target, called=False))


@asynccontextmanager
async def _reached_real(server: Healthy | Real, scratch: Path) -> AsyncIterator[tuple[str, tuple[str, ...], Target]]:
    """Its name, the words that name it to a command, and its target for the app; started once if it is over HTTP."""
    if isinstance(server, Healthy):
        async with running(server, str(scratch)) as (words, target):
            yield str(server), words, target
        return
    async with running_real(server, scratch) as target:
        yield f"harbour {server}", words_of(target), target
