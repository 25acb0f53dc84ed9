"""The Statistics screen: grouped, filtered, live and in a replay."""

import re
from functools import partial

import pytest

from inspector.session.engine import OpenedSession
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from inspector.tui.panels import Panel
from inspector.tui.screens.stats.panel import Counting, StatsPanel
from inspector.tui.widgets.virtual_list import LogList
from tests.captures.record import sample
from tests.present.tape import Tape
from tests.stories.persons import at_a_replay
from tests.tui.screen_text import press, text
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing, synced
from tests.waiting import until


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_row_filters_traffic_and_the_filter_narrows_the_statistics(size: tuple[int, int]) -> None:
    async with at_a_replay(sample("lighthouse"), size) as person:
        await person.press("v s", shows=("13 calls", "complex_form", "Never called", "✗ invalid_output", ", duration"))
        await person.press("]", shows=("tools/call", "initialize", "requests"))
        await person.press("[", shows=("13 calls", "long_running"))
        await person.press("g g", "enter", shows=('tool == "complex_form"', "of 65"))
        await person.press("v s")
        await until(lambda: "3 calls" in person.screen, "the filter narrowed it")
        assert "long_running  " not in person.screen


async def test_a_replay_shows_the_statistics_of_its_position() -> None:
    async with at_a_replay(sample("lighthouse"), (160, 45)) as person:
        await person.press("v s", shows="13 calls")
        await person.press("home", "1", "g g", *["j"] * 12, "v s")
        await until(lambda: re.search(r"Statistics [1-5] calls?", person.screen) is not None, "few calls had come")
        await person.press("1", "G", "v s", shows="13 calls")


async def test_the_captures_of_all_tabs_are_counted_together() -> None:
    other = sample("evening")
    app = InspectApp(replay=sample("lighthouse"), name="lighthouse", beside=[OpenedSession("evening", capture=other)])
    async with app.run_test(size=(160, 45)) as pilot:
        await until(lambda: len(app.tabs) == 2, "both tabs")
        await until(
            lambda: all(tab.conversation.stage is ConversationStage.RECORDED for tab in app.tabs), "both are read"
        )
        await press(pilot, "v s", shows="13 calls")
        assert "sampling_request" not in text(app)
        await press(pilot, "v a", shows=("2 servers", "sampling_request"))
        await until(lambda: "13 calls" not in text(app), "more calls")
        await pilot.press("v a")
        await until(lambda: "13 calls" in text(app) and "2 servers" not in text(app), "the first capture again")
    for tab in app.tabs:
        await tab.conversation.end()


async def test_with_a_single_server_there_is_nothing_more_to_count() -> None:
    async with at_a_replay(sample("lighthouse"), (160, 45)) as person:
        await person.press("v s", shows="13 calls")
        await person.press("v a", shows="Only one server is open")


class Hearing(Showing):
    """Keeps what is to be shown."""

    def on_panel_entry_wanted(self, message: Panel.EntryWanted) -> None:
        self.posted.append(message)


def _live(tape: Tape) -> StatsPanel:
    return StatsPanel(Staged(handshake(tape.started())))


async def test_statistics_update_with_hostile_names(tape: Tape) -> None:
    async with (app := Showing(panel := _live(tape))).run_test(size=(120, 30)):
        look = partial(synced, app, panel)
        await until(lambda: "No tool calls." in look(), "it said that there are none")
        tape.call(3, "buy")
        await until(lambda: "1 call ·" in look() and "1 Pending" in look(), "the call was there")
        tape.wait(40).answer(3, {"content": []})
        await until(lambda: "1 OK" in look() and "40 ms" in look(), "it was over")
        assert "1 of 2 tools: sell" in look()
        tape.call(4, "\x1b]52;c;x\x07[/nope][@click=app.quit]x")
        tape.wait(1).error(4, -32602, "no")
        await until(lambda: "[/nope]" in look() and "1 Error" in look(), "the foreign name was there")
        assert "\x1b" not in look()
        for n in range(5, 8):
            tape.call(n, "buy", {"what": "a fish"})
        await until(lambda: '{"what":"a fish"} ×3' in look(), "the repetition was found")


async def test_statistics_say_how_much_is_counted_while_they_count(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "parts", lambda self: [])
    subject = Staged(handshake(tape.started()))
    for number in range(3, 1003):
        tape.call(number, "buy")
    async with (app := Showing(panel := StatsPanel(subject))).run_test(size=(120, 30)):
        look = partial(synced, app, panel)
        await until(lambda: "counting 0%" in look() and "So far" in look(), "it shows that the figures are not final")
        assert "No tool calls." not in text(app)
        monkeypatch.undo()
        await until(lambda: "1,000 calls" in look() and "counting" not in look(), "all are counted")
        assert "So far" not in text(app)


async def test_another_conversation_is_counted_from_its_beginning(tape: Tape) -> None:
    async with (app := Showing(panel := _live(tape))).run_test(size=(120, 30)):
        look = partial(synced, app, panel)
        tape.call(3, "buy")
        await until(lambda: "1 call ·" in look(), "the call was there")
        panel.rebind(Staged(handshake(Tape().started())))
        await until(lambda: "0 calls" in look() and "No tool calls." in look(), "it was forgotten")


async def test_a_title_sorts_and_a_call_of_a_top_list_is_shown(tape: Tape) -> None:
    panel = _live(tape)
    app = Hearing(panel)
    for id_, (tool, took) in enumerate((("buy", 10), ("buy", 10), ("sell", 900)), 3):
        tape.call(id_, tool)
        tape.wait(took).answer(id_, {"content": []})
    async with app.run_test(size=(120, 30)) as pilot:

        def rows() -> list[str]:
            panel.sync()
            lines = [line.lstrip(" ▌▏") for line in app.rows()]
            return [line.split()[0] for line in lines if line.startswith(("buy  ", "sell  "))]

        await until(lambda: rows() == ["buy", "sell"], "those with most calls were first")
        title = next(line for line in app.rows() if " p95 " in line)
        await pilot.click(offset=(title.index("p95"), app.rows().index(title)))
        await until(lambda: rows() == ["sell", "buy"], "the slowest was first")
        totals = panel.query(LogList).last()
        totals.focus()
        await until(lambda: totals.has_focus, "the totals had the focus")
        at = next(at for at, line in enumerate(panel._lines) if line.name == "Slowest")
        totals.go_to(at)
        await pilot.press("enter")
        await until(lambda: app.posted, "its request was wanted")
        (wanted,) = app.posted
        assert isinstance(wanted, Panel.EntryWanted)
        assert tape.journal.store.method(wanted.n) == "tools/call"
