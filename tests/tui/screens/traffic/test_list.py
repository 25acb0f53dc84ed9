"""The list of Traffic: its look is kept for the next one, without columns that can't be shown."""

import pytest

from inspector.config.paths import places
from inspector.config.remembered import StoredAppearance, appearance_file
from inspector.filters.language.parser import parse
from inspector.present.traffic.columns import TimeMode
from inspector.tui.conversation import ConversationStage
from inspector.tui.pacing import Pacing
from inspector.tui.screens.traffic import list as traffic_list
from inspector.tui.screens.traffic.list import ListAppearance, TrafficList
from tests.present.tape import Tape
from tests.tui.screen_text import shown
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.waiting import until


def _list(tape: Tape) -> TrafficList:
    return TrafficList(Staged(handshake(tape), stage=ConversationStage.RECORDED))


async def test_the_last_look_is_recalled_without_what_is_no_column(tape: Tape) -> None:
    appearance_file(places().state).write(StoredAppearance(("took", "nonsense", "what"), "start"))
    rows = _list(tape)
    assert isinstance(rows.look, ListAppearance)
    async with Showing(rows).run_test(size=(120, 20)):
        await until(lambda: rows.look.now.chosen == ("took", "what"), "the columns are those of the last time")
        assert rows.look.now.mode is TimeMode.START


async def test_a_choice_is_kept_and_a_reference_is_not(tape: Tape) -> None:
    async with Showing(rows := _list(tape)).run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        rows.sync()
        rows.look.choose(("what", "took"))
        rows.look.toggle_reference()
        assert rows.look.now.reference == 1
        rows.look.set(rows.look.now)
        assert appearance_file(places().state).read() == StoredAppearance(("what", "took"), "")
        rows.look.toggle_reference()
        assert rows.look.now.mode is TimeMode.CLOCK


async def test_another_conversation_has_the_look_without_the_reference(tape: Tape) -> None:
    async with Showing(rows := _list(tape)).run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        rows.look.choose(("what", "took"))
        rows.look.toggle_reference()
        other = Tape()
        rows.rebind(Staged(handshake(other), stage=ConversationStage.RECORDED))
        assert (rows.look.now.chosen, rows.look.now.reference) == (("what", "took"), 0)
        assert rows.look.names == ("what", "took")


async def test_a_look_that_is_only_shown_is_not_kept(tape: Tape) -> None:
    async with Showing(rows := _list(tape)).run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        rows.look.show(rows.look.now.next_mode())
        assert appearance_file(places().state).read() is None


async def test_empty_traffic_list_has_a_reason(tape: Tape) -> None:
    subject = Staged(tape, stage=ConversationStage.CONNECTING)
    async with Showing(rows := TrafficList(subject)).run_test(size=(100, 20)) as pilot:
        assert "Connecting…" in await shown(pilot, rows)
        subject.now_stage = ConversationStage.CLOSED
        assert "^r reconnects" in await shown(pilot, rows)


async def test_a_connection_that_died_by_itself_gets_its_card_once(tape: Tape) -> None:
    async with Showing(rows := TrafficList(subject := Staged(handshake(tape)))).run_test(size=(120, 40)) as pilot:
        await shown(pilot, rows)
        subject.now_stage, subject.now_why = ConversationStage.CLOSED, "the server exited with code 3"
        assert "the server exited with code 3" in await shown(pilot, rows)
        subject.now_stage = ConversationStage.FAILED  # as soon as the opening has failed, too
        assert "the server exited with code 3" in await shown(pilot, rows)
        assert rows.close_card()
        await pilot.pause()
        assert "exited with code 3" not in await shown(pilot, rows)
        assert not rows.close_card()


async def test_requested_close_has_no_card(tape: Tape) -> None:
    subject = Staged(handshake(tape), stage=ConversationStage.CLOSED)
    async with Showing(rows := TrafficList(subject)).run_test(size=(120, 40)) as pilot:
        await shown(pilot, rows)
        assert not rows.query("PostMortemCard")


async def test_recorded_exit_has_a_card_that_toggles(tape: Tape) -> None:
    handshake(tape.started())
    tape.died(3, why="the server exited with code 3")
    rows = TrafficList(Staged(tape, stage=ConversationStage.RECORDED))
    async with Showing(rows).run_test(size=(120, 40)) as pilot:
        assert "exited with code 3" in await shown(pilot, rows)
        assert rows.query("PostMortemCard")
        rows.toggle_card()
        await pilot.pause()
        assert not rows.query("PostMortemCard")
        rows.toggle_card()
        await pilot.pause()
        assert rows.query("PostMortemCard")


async def test_a_recording_is_read_from_its_beginning(tape: Tape) -> None:
    rows = TrafficList(Staged(handshake(tape), stage=ConversationStage.RECORDED))
    async with Showing(rows).run_test(size=(120, 40)) as pilot:
        await shown(pilot, rows)
        assert not rows.rows.following
        assert rows.chosen in (0, 1)


async def test_a_filter_by_age_lets_in_what_has_waited_so_long_meanwhile(tape: Tape) -> None:
    handshake(tape).call(7, "slow")
    async with Showing(rows := TrafficList(Staged(tape))).run_test(size=(100, 20)) as pilot:
        rows.model.set_filter(parse("age > 5s"))
        await until(lambda: not rows.model.is_filtering or rows.sync() is not None, "all was looked through")  # type: ignore[func-returns-value]
        assert "slow" not in await shown(pilot, rows)
        tape.wait(6000)
        await until(lambda: rows.sync() is None and rows.model.matches == 1, "it has grown old enough")  # type: ignore[func-returns-value]
        assert "slow" in await shown(pilot, rows)


class Awake(Pacing):
    """Counts how often it is told that there is more to do."""

    def __init__(self) -> None:
        self.woken = 0

    def wake(self) -> None:
        self.woken += 1


async def test_rows_that_are_laid_in_several_looks_let_the_looks_come_soon(
    tape: Tape, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traffic_list, "_LONGEST_S", 0.0)
    monkeypatch.setattr(traffic_list, "_AT_ONCE", 10)
    rows = TrafficList(Staged(handshake(tape)))
    app = Showing(rows)
    pacing = app.pacing = Awake()  # type: ignore[attr-defined]
    async with app.run_test(size=(100, 20)) as pilot:
        await shown(pilot, rows)
        for number in range(15):
            tape.call(100 + number, "dig")
        before = pacing.woken
        rows.sync()
        assert pacing.woken == before + 1, "ten were taken in, and five are left"
        rows.sync()
        rows.sync()
        before = pacing.woken
        rows.sync()
        assert pacing.woken == before
