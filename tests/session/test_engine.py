"""The engine: a loop in its own thread, and a live conversation on it from beginning to end."""

import asyncio
import sys
import threading
from collections.abc import Iterator

import pytest

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.revisions._shape import Era
from inspector.session.engine import Engine, Live
from inspector.session.open import Settings
from inspector.session.wishes import State
from tests.architecture.sources import ROOT
from tests.waiting import until


@pytest.fixture
def engine() -> Iterator[Engine]:
    made = Engine()
    yield made
    made.stop()


def _live(engine: Engine, *argv: str) -> Live:
    environment = build_environment({}, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
    target = StdioTarget((sys.executable, *argv), environment, str(ROOT))
    return Live(engine, target, start_capture(None), Settings(era=Era.LEGACY))


async def test_a_conversation_lives_on_another_thread_and_leaves_nothing(engine: Engine) -> None:
    live = _live(engine, "-m", "inspector.demo")
    catalogue = live.journal.conversation.catalogue
    await until(lambda: catalogue.prompts and live.listing is None, "all was listed", timeout=60)
    assert live.state == State.OPEN
    assert "write_log" in {tool.name for tool in catalogue.tools}
    assert "lighthouse://barometer" in {resource.key for resource in catalogue.resources}
    await asyncio.wrap_future(live.refresh(("tools",)))
    called = await asyncio.wrap_future(live.run(lambda session: session.call("ping")))
    assert called.rounds == 1
    assert live.session is not None
    await asyncio.wrap_future(live.end())
    await asyncio.wrap_future(live.end())
    assert live.session.state == State.CLOSED
    assert live.session.transport.exit is not None  # type: ignore[attr-defined]


async def test_a_server_that_cannot_be_reached_is_a_state(engine: Engine) -> None:
    live = _live(engine, "tests/servers/dies.py", "3")
    await until(lambda: live.state is State.CLOSED, "the server was gone", timeout=60)
    assert live.session is not None
    assert "exited with code 3" in str(live.session.error)
    await asyncio.wrap_future(live.end())


async def test_a_conversation_that_still_connects_can_be_ended(engine: Engine) -> None:
    live = _live(engine, "tests/servers/never_reads.py")
    await until(lambda: live.journal.conversation.exchanges, "initialize was sent", timeout=60)
    assert live.state == State.CONNECTING
    await asyncio.wait_for(asyncio.wrap_future(live.end()), timeout=60)  # and not the minute that an answer may take
    assert (str(live.state), live.crash) == ("closed", None)


async def test_a_list_that_has_changed_is_asked_for_again(engine: Engine) -> None:
    live = _live(engine, "-m", "inspector.demo", "--legacy-only")
    catalogue = live.journal.conversation.catalogue
    await until(lambda: catalogue.prompts and live.listing is None, "all was listed", timeout=60)
    opened = {"name": "open_cellar", "arguments": {}}
    await asyncio.wrap_future(live.run(lambda session: session.call("tools/call", opened)))
    await until(lambda: "cellar_inventory" in [tool.name for tool in catalogue.tools], "the new tool", timeout=60)
    assert not catalogue.listings["tools"].outdated
    await asyncio.wrap_future(live.end())


async def test_on_demand_a_list_that_has_changed_waits_until_it_is_asked_for(engine: Engine) -> None:
    live = _live(engine, "-m", "inspector.demo", "--legacy-only")
    live.lists.by_itself = False
    catalogue = live.journal.conversation.catalogue
    await until(lambda: catalogue.prompts and live.listing is None, "all was listed", timeout=60)
    opened = {"name": "open_cellar", "arguments": {}}
    await asyncio.wrap_future(live.run(lambda session: session.call("tools/call", opened)))
    await until(lambda: catalogue.listings["tools"].outdated, "the server has said so", timeout=60)
    assert "cellar_inventory" not in [tool.name for tool in catalogue.tools]
    await asyncio.wrap_future(live.refresh_by_itself(True))
    assert "cellar_inventory" in [tool.name for tool in catalogue.tools]
    await asyncio.wrap_future(live.fetch_more(("tools",)))
    await asyncio.wrap_future(live.end())


def test_to_stop_ends_the_thread_and_what_runs_on_it() -> None:
    engine = Engine()
    started, cancelled = threading.Event(), threading.Event()

    async def forever() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    engine.submit(forever())
    assert started.wait(10)
    engine.stop()
    engine.stop()
    assert cancelled.is_set()
    assert not engine._thread.is_alive()


def test_what_is_submitted_comes_back(engine: Engine) -> None:
    async def where() -> str:
        return threading.current_thread().name

    assert engine.submit(where()).result(10) == "mcp-inspect engine"


async def test_a_stream_that_was_cut_is_had_again_and_the_lists_are_fetched_anew(engine: Engine) -> None:
    environment = build_environment({}, inherit_all=False, set_=[])
    target = StdioTarget((sys.executable, str(ROOT / "tests" / "servers" / "listened_to.py"), "cuts"), environment, "/")
    live = Live(engine, target, start_capture(None), Settings())

    def sent(method: str) -> int:
        return sum(each.method == method for each in list(live.journal.conversation.exchanges))

    await until(lambda: sent("tools/list") == 2, "the tools are fetched anew", timeout=60)
    assert sent("subscriptions/listen") == 2
    assert live.session is not None
    assert "asking for it again in 1 s" in live.session.watching.said[0]
    assert "open again" in live.session.watching.said[1]
    await asyncio.wrap_future(live.end())
