"""The line of tabs: what it says of each, and what it leaves out where room is short."""

from inspector.tui.subject import Stage
from inspector.tui.tabs import Tab
from inspector.tui.widgets.conversation_bar import state_of
from tests.tui.screen_text import lines
from tests.tui.several import aboard
from tests.tui.staging import Staged, handshake
from tests.viewmodels.tape import Tape
from tests.waiting import until


def test_each_state_has_a_sign_of_its_own() -> None:
    staged = Staged(handshake(Tape()))
    signs = {}
    for stage in (Stage.CONNECTING, Stage.OPEN, Stage.CLOSED, Stage.FAILED, Stage.RECORDED):
        staged.now_stage = stage
        signs[stage] = state_of(Tab(1, staged)).sign[0]
    assert len(set(signs.values())) == len(signs)
    staged.tape.journal.close()


def test_what_failed_is_counted() -> None:
    tape = handshake(Tape())
    tape.call(7, "dig")
    tape.error(7, -32603, "too hard")
    tape.call(8, "dig")
    tape.answer(8, {"content": [], "isError": True})
    assert state_of(Tab(1, Staged(tape))).failed == 2
    tape.journal.close()


async def test_a_narrow_line_keeps_the_tab_in_sight_and_says_that_there_are_more() -> None:
    names = ("the first of the servers", "the second of them all", "the third of the servers", "fourth")
    async with aboard(*names[:1], size=(60, 20)) as (app, pilot, fleet):
        for name in names[1:]:
            await app.add_tab(fleet.demo(name))
        await pilot.press("comma", "comma")
        await until(lambda: app.tab.number == 3 and "the third" in lines(app)[0], "the third is in sight")
        assert "…" in lines(app)[0]
        assert len(lines(app)[0]) == 60


async def test_a_click_on_a_tab_shows_it() -> None:
    async with aboard("pier", "quay") as (app, pilot, _):
        at = lines(app)[0].index("quay")
        await pilot.click(offset=(at, 0))
        await until(lambda: app.tab.name == "quay", "the tab that was clicked")
        await pilot.click(offset=(1, 0))
        await until(lambda: app.shows_timeline, "the timeline")
