"""Parts of the app: the thread of the checks, exports, logins, capabilities and the other actions of a connection."""

import os
import re
import shutil
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from inspector.auth.guide import Guide
from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.paths import places
from inspector.config.targets import StdioTarget
from inspector.errors import ConnectError
from inspector.present import waiting as waiting_lines
from inspector.protocol import capabilities
from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.protocol.flows.steps import Broken, Silent
from inspector.protocol.revisions._shape import Era
from inspector.session.engine import Engine, Live
from inspector.session.options import Settings
from inspector.tui.app import InspectApp
from inspector.tui.app_parts import IDLE, LIVE, RECORDED, RUSHING, Checker, Rate, install, pace_of, ping, resume
from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.export.dialog import ExportScreen
from inspector.tui.screens.export.ways import TARGETS
from inspector.tui.screens.login.dialog import LoginScreen
from inspector.tui.screens.server.capabilities import CapabilitiesScreen
from inspector.tui.screens.sessions.panel import SessionsPanel
from inspector.tui.widgets.lines import LinesScreen
from inspector.tui.widgets.prompts import NameScreen
from tests.architecture.sources import ROOT
from tests.captures.record import sample
from tests.present.tape import Tape
from tests.servers.guarded import Guarded
from tests.stories.test_lists_change_below_the_hands import before_the_demo, listings
from tests.tui.screen_text import lines, press, shows, text
from tests.tui.screens.acting import Acting, Error
from tests.tui.screens.logins import Entrance, browse
from tests.tui.several import aboard
from tests.tui.staging import Staged, handshake
from tests.tui.test_replay_controls import opened as controls_opened
from tests.waiting import PATIENCE_S, until


async def test_checker_checks_all_conversations_until_stopped(tape: Tape) -> None:
    other = Tape()
    subjects = [Staged(tape), Staged(other)]
    checker = Checker(lambda: subjects)
    try:
        handshake(tape.started())
        n = tape.from_server(b"hello")
        other.started().from_server(b"hello")
        await until(lambda: all(each.checks.mark(each.journal.count) for each in subjects), "both were checked")
        assert subjects[0].checks.mark(n) == 3
        subjects[0].checks.paused = True
        tape.from_server(b"more")
        other.from_server(b"more")
        await until(lambda: subjects[1].checks.is_done, "the other one was checked")
        assert not subjects[0].checks.is_done
    finally:
        checker.stop()
    assert not checker.has_failed
    other.from_server(b"never looked at")
    assert not subjects[1].checks.is_done


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_internal_error_ends_the_checker(tape: Tape) -> None:
    told: list[object] = []

    class Broken(Staged):
        @property
        def checks(self) -> object:  # type: ignore[override]
            told.append(1)
            raise SystemExit

    checker = Checker(lambda: [Broken(tape)])
    await until(lambda: checker.has_failed, "the thread had ended")
    assert told
    checker.stop()


def test_a_flood_leaves_little_time_and_a_recording_much(tape: Tape) -> None:
    subject = Staged(tape)
    assert pace_of(subject, 10) is LIVE
    assert pace_of(subject, 100_000) is RUSHING
    subject.now_stage = ConversationStage.LOADING
    assert pace_of(subject, 0) is IDLE
    subject.now_stage = ConversationStage.RECORDED
    subject.checks.paused = True
    assert pace_of(subject, 0) is IDLE
    assert RUSHING.slice_s / RUSHING.pause < 0.05
    assert RECORDED.slice_s > RECORDED.pause


def test_long_recording_is_checked_on_request(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    handshake(tape)
    monkeypatch.setattr(type(tape.journal), "live", False)
    for many, first in ((tape.journal.count + 1, RECORDED), (tape.journal.count, IDLE)):
        monkeypatch.setattr("inspector.present.live_checks.MANY", many)
        subject = Staged(tape)
        subject.now_stage = ConversationStage.RECORDED
        assert pace_of(subject, 0) is first
    subject.checks.paused = False
    assert pace_of(subject, 0) is RECORDED


def test_a_rate_is_looked_at_now_and_then() -> None:
    rate = Rate()
    assert rate.of(100, 10.0) == 10.0
    assert rate.of(5000, 10.001) == 10.0
    assert rate.of(5100, 11.0) == 5000.0


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_check_that_takes_long_holds_up_no_end_and_may_fail_after_it(tape: Tape) -> None:
    began, closed = threading.Event(), threading.Event()

    class Slow(Staged):
        @property
        def checks(self) -> object:  # type: ignore[override]
            began.set()
            closed.wait()
            raise ValueError("what it reads is closed")

    checker = Checker(lambda: [Slow(tape)])
    await until(began.is_set, "a check is under way")
    checker.stop()
    assert not closed.is_set(), "the end has not waited for it"
    closed.set()
    await until(lambda: not checker._thread.is_alive(), "it has ended")
    assert not checker.has_failed


async def test_the_app_has_everything_checked_and_leaves_no_thread(tmp_path: Path) -> None:
    app = InspectApp(replay=sample("wreck"))
    app.CHECKS_AFTER_S = 0.01
    async with app.run_test(size=(120, 36)):
        assert app.conversation.checks_so_far is None
        await until(lambda: app.checker is not None and app.conversation.checks.is_done, "all was checked")
        assert [each.id for each in app.conversation.checks.all]
        checker = app.checker
    assert checker is not None
    await until(lambda: not checker._thread.is_alive(), "its thread had ended")
    assert not checker.has_failed
    await app.conversation.end()


async def test_a_recording_is_exported_as_a_whole_and_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "evening.mcpcap"
    shutil.copy(sample("evening"), path)
    shelf = places().captures
    shelf.mkdir(parents=True)
    shutil.copy(sample("wreck"), shelf / "wreck.mcpcap")
    async with controls_opened(path) as (app, pilot):
        await pilot.press("/", *"kind:request", "enter")
        await until(lambda: app.panel.list.model.has_filter and not app.panel.list.model.is_filtering, "a filter")  # type: ignore[attr-defined]
        await press(pilot, "g g", "x x", "right", shows="filtered entries")
        await press(pilot, "right", shows="this operation")
        await press(pilot, "j", "j", "enter", shows="Written to evening.jsonl")
        assert (tmp_path / "evening.jsonl").stat().st_size
        await press(pilot, "8", shows="entries checked")
        await press(pilot, "j", "x x", "right", shows="the finding's evidence")
        await press(pilot, "escape", "g u", shows="wreck")
        await pilot.press("x x")
        await until(
            lambda: isinstance(app.screen, ExportScreen) and "all of wreck.mcpcap" in text(app), "the chosen capture"
        )
        await pilot.press("enter")
        await until(lambda: (tmp_path / "wreck.har").exists(), "its file")


def down_to(way: str) -> str:
    """The keys from the first thing that can be made to another."""
    return "j" * [each.id for each in TARGETS].index(way)


async def test_live_conversation_is_shared_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with aboard("north", size=(100, 30)) as (app, pilot, fleet):
        await press(pilot, "x x", *down_to("share"), "enter", shows="this session is not recorded")
        await pilot.press("escape")
        app.conversation.journal.capture_path = tmp_path / "kept.mcpcap"
        await pilot.press("x x", *down_to("share"), "enter")
        await until(lambda: isinstance(app.screen, LinesScreen) and "3 values replaced" in text(app), "what was done")
        assert fleet.shared == [(tmp_path / "kept.mcpcap", tmp_path / "kept.shared.mcpcap", False, False)]
        await press(pilot, "escape", "x x", *down_to("surface"), "enter", shows="Written to kept.surface.json")


@asynccontextmanager
async def at_the_door(*, is_open: bool = False) -> AsyncIterator[tuple[InspectApp, Pilot[Any], Entrance, Guarded]]:
    """The app on a server that wants a login, unless it is open."""
    async with Guarded() as house:
        house.is_open = is_open
        with Entrance(house.url) as entrance:
            async with (app := InspectApp(entrance.begin)).run_test(size=(110, 36), notifications=True) as pilot:
                yield app, pilot, entrance, house


async def let_in(app: InspectApp, entrance: Entrance) -> None:
    await until(lambda: isinstance(app.screen, LoginScreen), "the dialog comes")
    await browse(entrance.guide)
    await until(lambda: app.conversation.stage is ConversationStage.OPEN, "one is in")
    await until(lambda: not isinstance(app.screen, LoginScreen), "the dialog goes")


async def test_login_dialog_opens_while_connecting_and_closes_when_connected() -> None:
    async with at_the_door() as (app, _, entrance, _):
        await until(lambda: isinstance(app.screen, LoginScreen), "the dialog comes")
        dialog = app.screen
        assert isinstance(dialog, LoginScreen)
        await let_in(app, entrance)
        dialog._tick()  # its clock may strike once more before it is gone
        assert len(app.screen_stack) == 1


async def test_closed_login_dialog_opens_again_on_a_key() -> None:
    async with at_the_door() as (app, pilot, _, _):
        await until(lambda: isinstance(app.screen, LoginScreen), "the dialog comes")
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, LoginScreen), "the dialog goes")
        assert app.conversation.stage is ConversationStage.CONNECTING
        await pilot.press("!")
        await until(lambda: isinstance(app.screen, LoginScreen), "it is back")
        await pilot.press("ctrl+x")
        await until(lambda: app.conversation.stage is ConversationStage.FAILED, "nobody gets in")


async def test_login_during_a_session_opens_no_dialog() -> None:
    async with at_the_door() as (app, pilot, entrance, house):
        await let_in(app, entrance)
        house.tokens += ["revoked", "and its renewal too"]
        await pilot.press("r")
        await until(lambda: bool(entrance.guide and entrance.guide.waiting), "consent is waited for")
        await until(lambda: "Login required: ! opens it." in text(app), "it is told")
        assert not isinstance(app.screen, LoginScreen)
        await pilot.press("!")
        await let_in(app, entrance)
        await until(lambda: "Lists refreshed." in text(app), "the lists come")


async def test_cancelled_login_during_a_session_ends_its_request_alone() -> None:
    async with at_the_door() as (app, pilot, entrance, house):
        await let_in(app, entrance)
        house.tokens += ["revoked", "and its renewal too"]
        await pilot.press("r")
        await until(lambda: bool(entrance.guide and entrance.guide.waiting), "consent is waited for")
        await pilot.press("!")
        await until(lambda: isinstance(app.screen, LoginScreen), "the dialog comes")
        await press(pilot, "ctrl+x", shows="it was cancelled")
        await pilot.press("escape")
        await until(lambda: "Lists refreshed." in text(app) or app.conversation.stopped("tools"), "it ends")
        assert app.conversation.stage is ConversationStage.OPEN


async def test_key_without_a_login_goes_to_server_requests() -> None:
    async with at_the_door(is_open=True) as (app, pilot, entrance, _):
        assert isinstance(entrance.guide, Guide)
        await until(lambda: app.conversation.stage is ConversationStage.OPEN, "one is in")
        await press(pilot, "!", shows="No server requests waiting.")


class Sitting:
    """The demo behind an app, in one era."""

    def __init__(self, era: Era) -> None:
        self.engine = Engine()
        self.era = era
        self.lives: list[Live] = []

    def begin(self, offered: frozenset[str] | None = None, *, held: bool = False) -> Live:
        environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
        target = StdioTarget((sys.executable, "-m", "inspector.demo"), environment, str(ROOT))
        settings = Settings(
            era=self.era, offers=frozenset(capabilities.ALL) if offered is None else offered, has_person=True
        )
        self.lives.append(Live(self.engine, target, start_capture(None), settings, held=held))
        return self.lives[-1]


@pytest.fixture(params=[Era.LEGACY, Era.MODERN])
async def sitting(request: pytest.FixtureRequest) -> AsyncIterator[Sitting]:
    made = Sitting(request.param)
    yield made
    for live in made.lives:
        live.end().result(10)
    made.engine.stop()


async def switched(pilot: Pilot[Any], app: InspectApp) -> None:
    await until(lambda: app.conversation.stage is ConversationStage.OPEN, "connected")
    app.connection.action_offers()
    await until(lambda: isinstance(app.screen, CapabilitiesScreen), "the switches are shown")
    await until(lambda: "sent as" in text(app) and '"roots"' in text(app), "what is declared is shown")
    await pilot.press("space")
    await until(lambda: '"roots"' not in text(app) and "changed" in text(app), "roots are switched off")


async def test_switched_off_capability_is_not_declared_again(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=(100, 40)) as pilot:
        await switched(pilot, app)
        await pilot.press("ctrl+j")
        new = sitting.era is Era.LEGACY
        await until(lambda: len(sitting.lives) == 1 + new, "a new connection only after a handshake")
        await until(
            lambda: (
                capabilities.ROOTS not in app.conversation.inbox.offers
                and app.conversation.stage is ConversationStage.OPEN
            ),
            "it is so",
        )
        assert capabilities.SAMPLING in app.conversation.inbox.offers
        app.restarts.action_reconnect()
        assert capabilities.ROOTS not in app.conversation.inbox.offers


async def test_escape_leaves_it_as_it_was(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=(100, 40)) as pilot:
        await switched(pilot, app)
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, CapabilitiesScreen), "it is closed")
        assert app.conversation.inbox.offers == frozenset(capabilities.ALL)
        assert len(sitting.lives) == 1


async def test_capability_before_opening_applies_to_the_connection(sitting: Sitting) -> None:
    async with (app := InspectApp(sitting.begin)).run_test(size=(100, 40)):
        await until(lambda: app.conversation.stage is ConversationStage.OPEN, "connected")
        await app.connection.offer(frozenset({capabilities.FORM}))
        await until(lambda: app.conversation.inbox.offers == {capabilities.FORM}, "it is so")


async def test_a_recording_offers_nothing(tmp_path: Path) -> None:
    async with (app := InspectApp(None, replay=sample("handshake"))).run_test(size=(100, 40)):
        app.connection.action_offers()
        assert not isinstance(app.screen, CapabilitiesScreen)


def opened(revision: str = "2025-06-18") -> Acting:
    subject = Acting()
    subject.tape.initialized(revision)
    subject.answer = lambda params: {}
    return subject


async def test_ping_shows_the_round_trip() -> None:
    assert await ping(opened()) == ("Ping: 12 ms", True)


async def test_ping_error_shows_round_trip_and_message() -> None:
    subject = opened()
    subject.answer = lambda params: Error(-32601, "no \x1b[2Jping")
    assert await ping(subject) == ("Ping: 12 ms, error -32601: no ␛[2Jping", False)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Silent(None, 60, "idle"), "Ping: no response within 60 s"),
        (Broken(None, "gone"), "Ping: no response"),
        (ConnectError("no route", hint=""), "ping failed: no route"),
    ],
)
async def test_unanswered_ping_is_reported(reply: Any, said: str) -> None:
    subject = opened()
    subject.answer = lambda params: reply
    assert await ping(subject) == (said, False)


async def test_without_a_connection_there_is_nothing_to_ping() -> None:
    subject = opened()
    subject.now_stage = ConversationStage.CLOSED
    assert await ping(subject) == ("Not connected. ^r reconnects.", False)
    assert subject.calls == []


async def test_one_is_opened_in_a_tab_and_its_tab_is_shown_the_second_time() -> None:
    shelf = places().captures
    shelf.mkdir(parents=True)
    for name in ("evening", "harbour"):
        shutil.copy(sample(name), shelf)
    async with aboard("pier") as (app, pilot, _):
        await pilot.press("g u")
        await until(lambda: isinstance(app.panel, SessionsPanel) and "✓ Complete" in text(app), "the sessions")
        await pilot.press("enter")
        await until(lambda: len(app.tabs) == 2 and app.tab.number == 2, "a tab for it")
        await until(
            lambda: app.conversation.stage is ConversationStage.RECORDED and "x Space Play" in text(app), "the capture"
        )
        await pilot.press("g shift+tab")
        await until(lambda: app.tab.number == 1, "the first tab")
        await until(lambda: "● " in text(app).splitlines()[5] + text(app).splitlines()[4], "the sign that it is open")
        await pilot.press("enter")
        await until(lambda: app.tab.number == 2 and len(app.tabs) == 2, "its tab, and no other")
        await press(pilot, "g shift+tab", "v d", "j", "v d", shows="1 changed")
        assert all(f"{name}.mcpcap" in text(app) for name in ("evening", "harbour"))


async def test_refresh_key_fetches_lists_and_mode_switches() -> None:
    async with before_the_demo("--legacy-only") as person:
        await person.press("r", shows="Lists refreshed.")
        assert listings(person) == [None, None]
        await person.press("x u", shows="Changed lists are refreshed on request (r).")
        await person.press("x u", shows="Changed lists are refreshed automatically.")


async def test_the_menu_of_a_recording_has_no_action_that_needs_a_connection() -> None:
    async with (app := InspectApp(replay=sample("handshake"))).run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.press("x")
        await until(lambda: "Act   Esc Close" in text(app), "the menu", PATIENCE_S)
        menu = text(app).partition("Act   Esc Close")[2]
        assert "Play or pause" in menu
        assert not {label for label in ("Ping", "Auto-refresh", "Restart and run again") if label in menu}
        await pilot.press("escape", "r")
        await until(
            lambda: "This is a recording. ^r starts its server in a new tab." in text(app), "it says so", PATIENCE_S
        )
    await app.conversation.end()


class Reader:
    """A thread that reads keys."""

    def __init__(self, alive: bool) -> None:
        self.alive = alive

    def is_alive(self) -> bool:
        return self.alive


class Driver:
    """What was done to a driver, in its order."""

    def __init__(self, *, reads: bool | None, restarts: bool = True) -> None:
        self._key_thread = None if reads is None else Reader(reads)
        self._auto_restart = restarts
        self._must_signal_resume = False
        self.done: list[str] = []

    def suspend_application_mode(self) -> None:
        self.done.append("suspended")

    def _sigcont_application(self) -> None:
        self.done.append("resumed")


@pytest.mark.parametrize(
    ("driver", "done"),
    [
        (Driver(reads=True), ["suspended", "resumed"]),
        (Driver(reads=False), ["resumed"]),
        (Driver(reads=None), ["resumed"]),
        (Driver(reads=True, restarts=False), ["resumed"]),
    ],
    ids=["stopped without a word", "suspended before", "not begun", "an editor has the terminal"],
)
def test_driver_is_suspended_before_it_resumes(driver: Driver, done: list[str]) -> None:
    resume(driver)
    assert driver.done == done
    assert driver._must_signal_resume == (done[0] == "suspended")


async def test_without_a_terminal_nothing_is_installed() -> None:
    app: App[Any] = App()
    async with app.run_test():
        install(app)


def _row(app: InspectApp, words: str) -> int:
    return next((y for y, line in enumerate(lines(app)) if words in line), -1)


async def test_a_toast_is_one_line_above_the_bars_and_lower_again_without_them() -> None:
    async with aboard("gulls", size=(80, 24)) as (app, pilot, _):
        app.clear_notifications()
        app.notify("Something was done, and this says so at the length of a line or so.", timeout=60)
        await until(lambda: _row(app, "Something was done") == 21, "above status line and footer")
        row = lines(app)[21]
        assert re.search(r"Something was done, .* a line or so\. *$", row), "it is one line"
        assert lines(app)[20].strip() == "", "nothing is covered beyond it"
        await pilot.press("x")
        await until(lambda: 0 < _row(app, "Something was done") < _row(app, "Esc Close"), "above the menu")
        await pilot.press("escape")
        await pilot.press("2", "slash", *"elicit_steps", "enter", "enter", "ctrl+j")
        await until(lambda: _row(app, "What is for supper?") >= 21, "the server asks")
        await until(lambda: 0 < _row(app, "Something was done") < 21, "above the line that says so")
        await until(lambda: _row(app, "waits for you") > 0, "who waits on whom is told")
        await until(lambda: _row(app, "Something was done") < _row(app, "waits for you"), "above that, too")
        assert "asks: What" in lines(app)[_row(app, "What is for supper?")]
        assert sum("What is for supper?" in line for line in lines(app)) == 1, (
            "what the line says is no toast beside it"
        )


async def test_the_last_word_of_a_toast_is_seen_however_its_words_fit_the_width() -> None:
    async with (app := InspectApp(replay=sample("lighthouse"))).run_test(size=(80, 24), notifications=True):
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "the capture was read")
        for columns in range(68, 80):
            app.clear_notifications()
            words = f"{'w' * (columns - 7)} end{columns}."
            app.notify(words, timeout=60, markup=False)
            await until(lambda: f"end{columns}." in text(app), f"all of {words}")  # noqa: B023 - waited for at once
    await app.conversation.end()


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    """A server that reads and says nothing until it is killed; no probe and no wait takes long."""
    monkeypatch.setattr(waiting_lines, "PATIENCE_NS", 10**8)
    engine = Engine()
    environment = build_environment(os.environ, inherit_all=False)
    command = (sys.executable, "-c", "import sys\nfor line in sys.stdin: pass")
    settings = Settings(probe_silence_s=0.05)
    live = Live(engine, StdioTarget(command, environment, os.getcwd()), start_capture(None), settings)
    yield live
    live.end().result(PATIENCE_S)
    engine.stop()


def _started(live: Live) -> list[int]:
    """The pids of all processes that were started for a conversation, oldest first."""
    facts = [entry.what for entry in live.journal.processes]
    return [fact.pid for fact in facts if isinstance(fact, ProcessFact) and fact.event is ProcessEvent.SPAWN]


async def test_silent_server_has_a_waiting_line(silent: Live) -> None:
    async with (app := InspectApp(first=silent)).run_test(size=(80, 24)):
        await shows(app, "· no response to initialize", "⋯ connecting", "nothing on stdout yet")
        if sys.platform == "linux":
            await until(lambda: "alive (python" in text(app), "its process was seen")
        assert "Restart or reconnect ^r" in text(app)
        os.kill(_started(silent)[0], signal.SIGTERM)
        await shows(app, "was started again with initialize")
        await shows(app, f"pid {_started(silent)[1]})")
        os.kill(_started(silent)[1], signal.SIGTERM)
        await until(lambda: "Post-mortem" in text(app), "the end is shown")
        await until(lambda: "no response to" not in text(app), "no wait is shown any more")


async def test_a_dialog_that_is_open_at_the_first_look_does_not_take_it_in(silent: Live) -> None:
    async with (app := InspectApp(first=silent)).run_test(size=(80, 24)) as pilot:
        await app.push_screen(NameScreen("How it is called"))
        await until(lambda: app.waits.bar is not None and app.waits.bar.is_attached, "the bar was made")
        assert "no response to" not in text(app)
        await press(pilot, "escape", shows="no response to")
