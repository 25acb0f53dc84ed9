"""A session with server-everything is recorded, and gone through: at each moment every screen shows what was known."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.protocol.capabilities import parse_offers
from inspector.session.open import open_session
from inspector.session.options import Settings
from inspector.session.session import Session
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from tests.servers.real import NotInstalled, is_ci
from tests.stories.real_targets import named, running
from tests.stories.standing_in import ANSWERS, DOCUMENT
from tests.tui.screen_text import text
from tests.waiting import until

pytestmark = pytest.mark.real
SIZE = (160, 45)


async def _talk(session: Session) -> None:
    """Two levels of logging, a subscription with an update, progress, and two questions, one after the other."""
    await session.connect()
    await session.list_all("tools")
    await session.call("logging/setLevel", {"level": "debug"})
    await session.list_all("resources")
    await session.watching.watch(DOCUMENT)
    await session.call("tools/call", {"name": "toggle-subscriber-updates", "arguments": {}})
    await until(lambda: session.watching.subscriptions.changes, "the document is told to have changed", 30)
    for name, arguments in (
        ("trigger-long-running-operation", {"duration": 0.2, "steps": 4}),
        ("trigger-elicitation-request", {}),
        ("trigger-sampling-request", {"prompt": "hi", "maxTokens": 20}),
    ):
        await session.call("tools/call", {"name": name, "arguments": arguments})
    await session.call("logging/setLevel", {"level": "error"})


async def _record(place: Path) -> None:
    """Have the talk. No roots are offered: the server would ask for them whenever it likes."""
    manners = Settings(offers=parse_offers(["elicitation", "sampling"]), prepared=ANSWERS)
    journal = start_capture(place / "talk.mcpcap")
    try:
        async with (
            running(named("everything-stdio"), place) as target,
            open_session(target, journal, manners) as session,
        ):
            await _talk(session)
    finally:
        journal.close()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That talk, recorded; the server runs no more."""
    place = tmp_path_factory.mktemp("everything")
    try:
        asyncio.run(_record(place))
    except NotInstalled as error:
        if is_ci():
            pytest.fail(str(error))
        pytest.skip(str(error))
    return place / "talk.mcpcap"


@asynccontextmanager
async def _replayed(capture: Path) -> AsyncIterator[InspectApp]:
    async with (app := InspectApp(replay=capture)).run_test(size=SIZE, notifications=True):
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "the capture was read")
        yield app
    await app.conversation.end()


def _moments(journal: Journal) -> Mapping[str, int]:
    """The entries that the story is about, by names."""
    store, exchanges = journal.store, journal.conversation.exchanges
    methods = [store.method(n) for n in range(1, journal.count + 1)]

    def request(method: str, *, last: bool = False) -> int:
        return [each for each in exchanges if each.method == method][-1 if last else 0].request_frame

    def answer(method: str) -> int:
        frame = next(each for each in exchanges if each.method == method).answer_frame
        assert frame is not None
        return frame

    steps = [n for n, method in enumerate(methods, 1) if method == "notifications/progress"]
    return {
        "tools are asked for": request("tools/list"),
        "tools came": answer("tools/list"),
        "level is set": answer("logging/setLevel"),
        "watching is asked for": request("resources/subscribe"),
        "is watched": answer("resources/subscribe"),
        "is updated": methods.index("notifications/resources/updated") + 1,
        "half way": steps[1],
        "the form waits": request("elicitation/create"),
        "the form is answered": answer("elicitation/create"),
        "the model is asked": request("sampling/createMessage"),
        "the model has answered": answer("sampling/createMessage"),
        "another level is asked for": request("logging/setLevel", last=True),
    }


async def _sees(app: InspectApp, screen: str, n: int, *words: str, never: tuple[str, ...] = ()) -> None:
    """Stand at entry n, and see these words on a screen and those others not."""
    await app.replay.go_to_moment(n)
    await app.navigation.action_show(screen)

    def stands() -> bool:
        shown = text(app)
        return (
            f"■ stopped   #{n} of" in shown
            and all(each in shown for each in words)
            and not any(e in shown for e in never)
        )

    try:
        await until(stands, f"{screen} at #{n}: {words}, and not {never}")
    except AssertionError as error:
        raise AssertionError(f"{error}\n{text(app)}") from None


async def test_every_screen_shows_what_was_known_then(recorded: Path) -> None:
    async with _replayed(recorded) as app:
        at = _moments(app.conversation.journal)
        await _sees(app, "tools", at["tools are asked for"], "not listed yet", never=("get-sum",))
        await _sees(app, "tools", at["tools came"], "get-sum")
        await _sees(app, "log", at["tools came"], "level not set: server default", never=("debug",))
        await _sees(app, "log", at["level is set"], "debug and higher")
        await _sees(app, "resources", at["watching is asked for"], "7 resources", never=("● Subscribed",))
        await _sees(app, "resources", at["is watched"], "● Subscribed", never=("◆ updated",))
        await _sees(app, "resources", at["is updated"], "◆ updated", "● subscribed to")
        await _sees(app, "inbox", at["the form waits"], "◆ Waiting", "Please provide inputs", never=("Accepted", "Ann"))
        await _sees(app, "server", at["the form waits"], "pending    2", "5 Inbox ◆1")
        await _sees(app, "inbox", at["the form is answered"], "✓ Accepted", "Ann", "the client, in #")
        await _sees(app, "inbox", at["the model is asked"], "◆ Waiting", "✓ Accepted", never=("Aye",))
        await _sees(app, "log", at["another level is asked for"], "⋯ setting error")
        await _sees(app, "inbox", at["the model has answered"], "0 waiting", "✓ Answered", "Aye")
        await app.replay.action_replay_end()
        await app.navigation.action_show("log")
        await until(lambda: "error and higher" in text(app) and "end of capture" in text(app), "the level at the end")


async def test_state_at_a_line_shows_pending_calls(recorded: Path) -> None:
    async with _replayed(recorded) as app:
        at = _moments(app.conversation.journal)
        await until(lambda: "Tree  Raw" in text(app), "the detail")
        await app.run_action("toggle_tree", app.panel)
        await app.replay.go_to_moment(at["half way"])
        await until(lambda: app.panel.list.chosen == at["half way"], "the line")  # type: ignore[attr-defined]
        await app.run_action("state", app.panel)
        moment, call = f"#{at['half way']} at", "tools/call trigger-long-running-operation"
        level, tools = "debug and higher (logging/setLevel)", ": echo, get-annotated-message"
        for words in (moment, call, "50 %", level, tools, "not listed yet"):
            await until(lambda words=words: words in text(app), f"{words} stands there")  # type: ignore[misc]
