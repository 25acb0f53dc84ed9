"""A capture in place of its server: a session with server-everything, and the same with a mock of it."""

import asyncio
import math
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from inspector.capture.compare.differences import Comparison, compare
from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import accounts
from inspector.capture.journal import start_capture
from inspector.capture.store.load import load
from inspector.config.environment import build_environment
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.features.mock.http import PATH, MockSite
from inspector.features.mock.running import read_script
from inspector.features.mock.shared import MockSettings, MockShared, Serves
from inspector.features.mock.streams import HttpTape
from inspector.protocol.capabilities import parse_offers
from inspector.protocol.revisions._shape import Era
from inspector.protocol.server_requests import RequestKind, Root
from inspector.session.open import open_session
from inspector.session.options import Settings as Manners
from inspector.session.scripted import Prepared
from inspector.session.session import Session
from inspector.transports.http.listener import Listener
from tests.waiting import PATIENCE_S, until

ROOT = Path(__file__).parents[2]
DOCUMENT = "demo://resource/static/document/features.md"
OFFERS = parse_offers(["elicitation", "sampling", "roots"])
ANSWERS = (
    Prepared(RequestKind.ELICITATION, "accept", content={"name": "Ann"}),
    Prepared(RequestKind.SAMPLING, "text", text="Aye", model="none"),
)
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("echo", {"message": "once"}),
    ("echo", {"message": "once"}),
    ("get-sum", {"a": 2, "b": 40}),
    ("get-sum", {"a": "two", "b": 40}),
    ("get-structured-content", {"location": "Chicago"}),
    ("get-tiny-image", {}),
    ("trigger-long-running-operation", {"duration": 0.1, "steps": 4}),
    ("trigger-elicitation-request", {}),
    ("trigger-sampling-request", {"prompt": "hi", "maxTokens": 20}),
    ("get-roots-list", {}),
)


async def talk(session: Session) -> None:
    """All kinds of requests, one after the other."""
    await session.connect()
    for kind in ("tools", "resources", "templates", "prompts"):
        await session.list_all(kind)
    await session.call("resources/read", {"uri": DOCUMENT})
    await session.call("resources/read", {"uri": "demo://nowhere"})
    await session.call("prompts/get", {"name": "args-prompt", "arguments": {"city": "Ghent"}})
    for name, arguments in CALLS:
        await session.call("tools/call", {"name": name, "arguments": arguments})
    await session.watching.watch(DOCUMENT)
    await session.call("tools/call", {"name": "toggle-subscriber-updates", "arguments": {}})
    await until(lambda: session.watching.subscriptions.changes, "the document is told to have changed")


async def talk_with_the_pilot(session: Session) -> None:
    """A tool that asks twice, and those that ask for a model's word and for the roots."""
    await session.connect()
    await session.list_all("tools")
    for name, arguments in (("moor", {"ship": "Gull"}), ("advise", {}), ("look_around", {})):
        await session.call("tools/call", {"name": name, "arguments": arguments})


async def talked(
    target: Target, capture: Path, era: Era | None = None, say: Callable[[Session], Awaitable[None]] = talk
) -> None:
    """Have the talk, and record it."""
    journal = start_capture(capture)
    roots = (Root("file:///harbour", "harbour"),)
    manners = Manners(era=era, offers=OFFERS, prepared=ANSWERS, roots=roots)
    try:
        async with asyncio.timeout(PATIENCE_S), open_session(target, journal, manners) as session:
            await say(session)
    finally:
        journal.close()


def mock_words(capture: Path, *words: str) -> tuple[str, ...]:
    """The command that plays a capture over stdio."""
    return (sys.executable, "-m", "inspector", "mock", str(capture), "--no-delay", *words)


def on_stdio(capture: Path, *words: str) -> StdioTarget:
    """The mock of a capture, as a program to start."""
    environment = build_environment({}, inherit_all=False, set_=(f"PYTHONPATH={ROOT}",), env_file=None)
    return StdioTarget(mock_words(capture, *words), environment, str(capture.parent))


@asynccontextmanager
async def over_http(capture: Path, serves: Serves = Serves.RECORDED) -> AsyncIterator[tuple[HttpTarget, list[str]]]:
    """The mock of a capture on a port of this machine, and what it tells."""
    journal, told = load(capture), list[str]()
    shared = MockShared(
        read_script(journal), MockSettings(speed=math.inf, serves=serves, strict=True), tell=told.append
    )
    try:
        async with asyncio.TaskGroup() as tasks:
            site = MockSite(shared, tasks, HttpTape(None))
            async with Listener(site.answer) as listener:
                yield HttpTarget(listener.url + PATH), told
            site.close()
    finally:
        journal.close()


def compared(before: Path, after: Path) -> Comparison:
    """What is different between two captures."""
    journals = load(before), load(after)
    try:
        return compare(accounts(journals[0]), accounts(journals[1]), Normal())
    finally:
        for journal in journals:
            journal.close()
