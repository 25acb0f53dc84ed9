"""How a list looks is kept for the next one, and what can't be shown is not asked of it."""

from inspector.config.looks import KeptLook, KeptLooks
from inspector.config.paths import places
from inspector.tui.panels.list_look import ListLook
from inspector.tui.panels.traffic_list import TrafficList
from inspector.tui.subject import Stage
from inspector.viewmodels.log_look import TimeMode
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.viewmodels.tape import Tape
from tests.waiting import until


def _list(tape: Tape) -> TrafficList:
    return TrafficList(Staged(handshake(tape), stage=Stage.RECORDED))


async def test_the_last_look_is_recalled_without_what_is_no_column(tape: Tape) -> None:
    KeptLooks(places().state).keep(KeptLook(("took", "nonsense", "what"), "start"))
    rows = _list(tape)
    assert isinstance(rows.look, ListLook)
    async with Showing(rows).run_test(size=(120, 20)):
        await until(lambda: rows.look.now.chosen == ("took", "what"), "the columns are those of the last time")
        assert rows.look.now.mode is TimeMode.START


async def test_a_choice_is_kept_and_a_reference_is_not(tape: Tape) -> None:
    rows = _list(tape)
    async with Showing(rows).run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        rows.sync()
        rows.look.choose(("what", "took"))
        rows.look.toggle_reference()
        assert rows.look.now.reference == 1
        rows.look.set(rows.look.now)
        assert KeptLooks(places().state).last() == KeptLook(("what", "took"), "")
        rows.look.toggle_reference()
        assert rows.look.now.mode is TimeMode.CLOCK


async def test_another_conversation_has_the_look_without_the_reference(tape: Tape) -> None:
    rows = _list(tape)
    async with Showing(rows).run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        rows.look.choose(("what", "took"))
        rows.look.toggle_reference()
        other = Tape()
        rows.rebind(Staged(handshake(other), stage=Stage.RECORDED))
        assert (rows.look.now.chosen, rows.look.now.reference) == (("what", "took"), 0)
        assert rows.look.names == ("what", "took")
        other.journal.close()


async def test_a_look_that_is_only_shown_is_not_kept(tape: Tape) -> None:
    rows = _list(tape)
    async with Showing(rows).run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        rows.look.show(rows.look.now.next_mode())
        assert KeptLooks(places().state).last() == KeptLook()
