"""The waterfall over the whole screen."""

from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.help.help import toggle_help
from inspector.tui.screens.traffic.waterfall import WaterfallScreen
from tests.present.tape import Tape
from tests.tui.screen_text import lines, press, shows, text
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.waiting import until


def _axis(app: Showing) -> str:
    return lines(app)[1]


async def test_waterfall_adds_lanes_and_times_pending_ones(tape: Tape) -> None:
    async with (app := Showing()).run_test(size=(120, 24)) as pilot:
        app.push_screen(WaterfallScreen(Staged(handshake(tape)), 0))
        await until(lambda: "tools/list" in text(app), "the lanes are drawn")
        tape.call(3, "slow")
        await until(lambda: "tools/call slow" in text(app), "a new lane")
        tape.wait(65_000)
        await shows(app, "65.0 s", "3 exchanges")
        tape.answer(3, {})
        await until(lambda: "⋯ Pending" not in text(app), "it has ended")
        await pilot.press("escape")
        await until(lambda: "exchanges" not in text(app), "it is closed")


async def test_keys_change_the_axis_and_give_it_back(tape: Tape) -> None:
    async with (app := Showing()).run_test(size=(120, 24)) as pilot:
        app.push_screen(WaterfallScreen(Staged(handshake(tape), stage=ConversationStage.RECORDED), 1))
        await until(lambda: "visible rows" in text(app), "it says what the axis shows")
        seen = [_axis(app)]
        for key in ("+", "right", "minus", "left", "0", "."):
            await press(pilot, key, shows="zoomed")
            seen.append(_axis(app))
        assert len(set(seen)) >= 5
        await pilot.press("=")
        await until(lambda: _axis(app) == seen[0], "the axis shows what is in sight again")


async def test_enter_answers_with_the_request(tape: Tape) -> None:
    answers: list[int | None] = []
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        app.push_screen(WaterfallScreen(Staged(handshake(tape), stage=ConversationStage.RECORDED), 1), answers.append)
        await until(lambda: "tools/list" in text(app), "the lanes are drawn")
        await pilot.press("j", "enter")
        await until(lambda: answers == [4], "the request of tools/list")


async def test_empty_waterfall_has_a_note(tape: Tape) -> None:
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        app.push_screen(WaterfallScreen(Staged(tape), 0))
        await until(lambda: "No exchanges yet." in text(app), "it is said")
        await press(pilot, "+", "0", ".", "enter", "=", shows="No exchanges yet.")


class Helping(Showing):
    def action_help(self) -> None:
        toggle_help(self, ())


async def test_the_help_explains_its_keys(tape: Tape) -> None:
    async with (app := Helping()).run_test(size=(120, 40)) as pilot:
        app.push_screen(WaterfallScreen(Staged(handshake(tape)), 0))
        await until(lambda: "tools/list" in text(app), "the lanes are drawn")
        await press(pilot, "question_mark", shows="Show the whole conversation.")
