"""The Log screen."""

from typing import Any, ClassVar

from textual.binding import BindingType

from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Replied
from inspector.protocol.jsonrpc import read
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, RequestView
from inspector.tui.screens.log.panel import ServerLogPanel
from inspector.tui.widgets.choose import ChooseScreen
from inspector.tui.widgets.search_bar import SearchBar
from tests.present.tape import Tape
from tests.tui.screen_text import shown, text
from tests.tui.staging import Staged
from tests.tui.widgets.showing import Showing
from tests.waiting import until

WIDE, NARROW = (160, 45), (80, 24)
LEGACY = "2025-06-18"


class Log(Showing):
    """An app with the log alone, with the app's own keys."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.ActionScope.EVERYWHERE)


class Asked(Staged):
    """A conversation in which a level can be asked for."""

    def __init__(self, tape: Tape, **more: Any) -> None:
        super().__init__(tape, **more)
        self.can_act = True
        self.requests: Levels = Levels(tape)


class Levels(RequestView):
    """Keeps the levels that are asked for; `refusal` is what the server says against them."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self.tape = tape
        self.levels: list[str] = []
        self.refusal = ""

    async def ask_for_level(self, level: str) -> Called | None:
        self.levels.append(level)
        if not self.refusal:
            return None
        self.tape.request(9, "logging/setLevel", {"level": level})
        n = self.tape.error(9, -32602, self.refusal)
        (message,) = read(self.tape.journal.store.entry(n).what.payload)  # type: ignore[union-attr]
        return Called(Replied(message, self.tape.journal.conversation.exchanges[-1]), 1)  # type: ignore[arg-type]


def said(tape: Tape, level: str, data: Any) -> int:
    return tape.notify("notifications/message", {"level": level, "logger": "lamp", "data": data})


def opened(tape: Tape, **capabilities: Any) -> Tape:
    return tape.initialized(LEGACY, capabilities=capabilities or {"logging": {}})


async def test_messages_and_stderr_are_one_list(tape: Tape) -> None:
    opened(tape).stderr(b"starting")
    said(tape, "warning", "too hot")
    async with Log(panel := ServerLogPanel(Staged(tape))).run_test(size=NARROW) as pilot:
        screen = await shown(pilot, panel)
    assert "! stderr    starting" in screen
    assert "▲ warning   lamp too hot" in screen
    assert "2 lines" in screen


async def test_the_level_keys_hide_what_is_less_grave_and_show_it_again(tape: Tape) -> None:
    opened(tape)
    said(tape, "info", "lit")
    said(tape, "error", "out")
    async with Log(panel := ServerLogPanel(Staged(tape))).run_test(size=NARROW) as pilot:
        panel.take_focus()
        await pilot.press(*["right_square_bracket"] * 3)
        screen = await shown(pilot, panel)
        assert "lit" not in screen
        assert "out" in screen
        assert "notice and higher" in screen
        assert "1 of 2 lines" in screen
        await pilot.press(*["left_square_bracket"] * 9)
        screen = await shown(pilot, panel)
    assert "lit" in screen
    assert "all levels" in screen


async def test_a_key_shows_one_of_both_sources(tape: Tape) -> None:
    opened(tape).stderr(b"starting")
    said(tape, "info", "lit")
    async with Log(panel := ServerLogPanel(Staged(tape))).run_test(size=NARROW) as pilot:
        panel.take_focus()
        await pilot.press("v o")
        only_messages = await shown(pilot, panel)
        await pilot.press("v o")
        only_stderr = await shown(pilot, panel)
        await pilot.press("v o")
        both = await shown(pilot, panel)
    assert "starting" not in only_messages
    assert "log messages only" in only_messages
    assert "lit" not in only_stderr
    assert "stderr only" in only_stderr
    assert "messages and stderr" in both


async def test_log_filter_hides_lines_and_counts_matches(tape: Tape) -> None:
    opened(tape)
    said(tape, "info", "lit")
    said(tape, "error", "out")
    async with Log(panel := ServerLogPanel(Staged(tape))).run_test(size=NARROW) as pilot:
        panel.take_focus()
        await pilot.press("slash", *"OUT", "enter")
        await until(lambda: panel.query_one(SearchBar).text == "OUT", "what was typed")
        screen = await shown(pilot, panel)
        assert "lit" not in screen
        assert "1 of 2" in screen
        await pilot.press("slash", *"x", "enter")
        await until(lambda: panel.query_one(SearchBar).text == "OUTx", "what was typed")
        assert "No matches" in await shown(pilot, panel)
        assert not panel.rows.has_focus
        await pilot.press("enter")
        await until(lambda: panel.rows.has_focus, "the filter stays, and its line is left")
        await pilot.press("f c")
        assert "lit" in await shown(pilot, panel)


async def test_the_list_follows_and_a_step_back_ends_that(tape: Tape) -> None:
    opened(tape)
    for number in range(40):
        said(tape, "info", f"line {number}")
    async with Log(panel := ServerLogPanel(Staged(tape))).run_test(size=NARROW) as pilot:
        panel.take_focus()
        assert "▼ follow" in await shown(pilot, panel)
        await pilot.press("k")
        said(tape, "info", "line 40")
        screen = await shown(pilot, panel)
        assert "line 40" not in screen
        assert "1 new" in screen
        await pilot.press("v f")
        assert "line 40" in await shown(pilot, panel)
        await pilot.press("v p")
        said(tape, "info", "line 41")
        screen = await shown(pilot, panel)
    assert "line 41" not in screen
    assert "frozen 1 new" in screen


async def test_enter_wants_the_frame_in_the_traffic(tape: Tape) -> None:
    opened(tape)
    n = said(tape, "info", "lit")
    async with (app := Log(panel := ServerLogPanel(Staged(tape)))).run_test(size=NARROW) as pilot:
        panel.take_focus()
        await shown(pilot, panel)
        await pilot.press("enter")
        await until(lambda: app.entries_wanted == [n], "it is wanted")


async def test_chosen_level_is_requested(tape: Tape) -> None:
    async with Log(panel := ServerLogPanel(subject := Asked(opened(tape)))).run_test(size=NARROW) as pilot:
        panel.take_focus()
        await pilot.press("x l")
        await until(lambda: isinstance(pilot.app.screen, ChooseScreen), "the choice is there")
        await pilot.pause()
        screen = text(pilot.app)
        assert all(level in screen for level in ("debug", "emergency"))
        assert "none" not in screen
        await pilot.press(*"crit", "enter")
        await until(lambda: not isinstance(pilot.app.screen, ChooseScreen) or bool(pilot.app.focused), "chosen")
        await pilot.press("enter")
        await until(lambda: subject.requests.levels == ["critical"], "it was asked for")


async def test_refused_level_shows_the_servers_words(tape: Tape) -> None:
    subject = Asked(opened(tape))
    subject.requests.refusal = "no \x1b[2Jlevels today"
    async with Log(panel := ServerLogPanel(subject)).run_test(size=NARROW, notifications=True) as pilot:
        panel.take_focus()
        await panel._ask_for("info")
        await until(lambda: "␛[2Jlevels" in text(pilot.app), "the refusal stands there")
        assert "rejected info" in await shown(pilot, panel)


async def test_log_without_capability_shows_stderr(tape: Tape) -> None:
    opened(tape, tools={}).stderr(b"starting")
    async with Log(panel := ServerLogPanel(Staged(tape))).run_test(size=WIDE) as pilot:
        screen = await shown(pilot, panel)
    assert "no logging capability" in screen
    assert "starting" in screen


async def test_empty_log_explains_itself(tape: Tape) -> None:
    async with Log(panel := ServerLogPanel(Asked(opened(tape)))).run_test(size=NARROW) as pilot:
        screen = await shown(pilot, panel)
    assert "No log messages yet." in screen
    assert "sets the server's log level" in screen


async def test_a_recording_asks_for_nothing(tape: Tape) -> None:
    panel = ServerLogPanel(Staged(opened(tape), stage=ConversationStage.RECORDED))
    async with Log(panel).run_test(size=NARROW, notifications=True) as pilot:
        panel.take_focus()
        await pilot.press("x l")
        await until(lambda: "This is a recording" in text(pilot.app), "it says so")


async def test_a_new_connection_begins_a_new_log_and_keeps_the_filter(tape: Tape) -> None:
    opened(tape)
    said(tape, "info", "before")
    panel = ServerLogPanel(Staged(tape))
    other = Tape()
    opened(other)
    said(other, "info", "mild")
    said(other, "error", "grave")
    async with Log(panel).run_test(size=NARROW) as pilot:
        panel.take_focus()
        await pilot.press(*["right_square_bracket"] * 4)
        panel.rebind(Staged(other))
        screen = await shown(pilot, panel)
    assert "grave" in screen
    assert "mild" not in screen
    assert "before" not in screen


async def test_the_chosen_line_can_be_copied_without_what_would_act(tape: Tape) -> None:
    opened(tape)
    said(tape, "info", "a\x1b[2Jb")
    async with Log(panel := ServerLogPanel(Staged(tape))).run_test(size=NARROW) as pilot:
        await shown(pilot, panel)
        panel.copy()
        assert pilot.app.clipboard == "a␛[2Jb"


async def test_a_flood_of_messages_is_taken_in_slices_and_keys_work_meanwhile(tape: Tape) -> None:
    opened(tape)
    for number in range(20_000):
        said(tape, "info", f"line {number}")
    async with Log(panel := ServerLogPanel(Staged(tape))).run_test(size=NARROW) as pilot:
        panel.take_focus()
        panel.sync()
        await pilot.press("v o")
        assert "log messages only" in await shown(pilot, panel)
        while panel.model.is_filtering or panel.model.taken < tape.journal.count:
            panel.sync()
        assert "line 19999" in await shown(pilot, panel)
