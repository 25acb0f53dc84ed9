"""How a list looks is kept for the next one, and what can't be shown is not asked of it."""

import pytest
from textual.pilot import Pilot

from inspector.config.paths import places
from inspector.config.remembered import StoredAppearance, StoredAppearances
from inspector.filters.language.parser import parse
from inspector.present.traffic.columns import TimeMode
from inspector.tui.conversation import ConversationStage
from inspector.tui.pacing import Pacing
from inspector.tui.screens.traffic import list as traffic_list
from inspector.tui.screens.traffic.list import ListAppearance, TrafficList
from tests.present.tape import Tape
from tests.tui.screen_text import text
from tests.tui.staging import Staged, handshake
from tests.tui.widgets.showing import Showing
from tests.waiting import until


def _list(tape: Tape) -> TrafficList:
    return TrafficList(Staged(handshake(tape), stage=ConversationStage.RECORDED))


async def test_the_last_look_is_recalled_without_what_is_no_column(tape: Tape) -> None:
    StoredAppearances(places().state).keep(StoredAppearance(("took", "nonsense", "what"), "start"))
    rows = _list(tape)
    assert isinstance(rows.look, ListAppearance)
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
        assert StoredAppearances(places().state).last() == StoredAppearance(("what", "took"), "")
        rows.look.toggle_reference()
        assert rows.look.now.mode is TimeMode.CLOCK


async def test_another_conversation_has_the_look_without_the_reference(tape: Tape) -> None:
    rows = _list(tape)
    async with Showing(rows).run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        rows.look.choose(("what", "took"))
        rows.look.toggle_reference()
        other = Tape()
        rows.rebind(Staged(handshake(other), stage=ConversationStage.RECORDED))
        assert (rows.look.now.chosen, rows.look.now.reference) == (("what", "took"), 0)
        assert rows.look.names == ("what", "took")
        other.journal.close()


async def test_a_look_that_is_only_shown_is_not_kept(tape: Tape) -> None:
    rows = _list(tape)
    async with Showing(rows).run_test(size=(120, 20)) as pilot:
        await pilot.pause()
        rows.look.show(rows.look.now.next_mode())
        assert StoredAppearances(places().state).last() == StoredAppearance()


async def screen(pilot: Pilot[None], rows: TrafficList) -> str:
    for _ in range(3):
        rows.sync()
        await pilot.pause()
    return text(pilot.app)


async def test_an_empty_list_says_why_it_is_empty(tape: Tape) -> None:
    subject = Staged(tape, stage=ConversationStage.CONNECTING)
    rows = TrafficList(subject)
    async with Showing(rows).run_test(size=(100, 20)) as pilot:
        assert "Connecting…" in await screen(pilot, rows)
        subject.now_stage = ConversationStage.CLOSED
        assert "^r reconnects" in await screen(pilot, rows)


async def test_a_connection_that_died_by_itself_gets_its_card_once(tape: Tape) -> None:
    subject = Staged(handshake(tape))
    rows = TrafficList(subject)
    async with Showing(rows).run_test(size=(120, 40)) as pilot:
        await screen(pilot, rows)
        subject.now_stage, subject.now_why = ConversationStage.CLOSED, "the server exited with code 3"
        assert "the server exited with code 3" in await screen(pilot, rows)
        assert rows.close_card()
        await pilot.pause()
        assert "exited with code 3" not in await screen(pilot, rows)
        assert not rows.close_card()


async def test_one_that_was_asked_to_close_gets_none(tape: Tape) -> None:
    subject = Staged(handshake(tape), stage=ConversationStage.CLOSED)
    rows = TrafficList(subject)
    async with Showing(rows).run_test(size=(120, 40)) as pilot:
        await screen(pilot, rows)
        assert not rows.query("PostMortemCard")


async def test_a_recorded_death_is_told_like_a_live_one_and_x_tells_it_again(tape: Tape) -> None:
    handshake(tape.started())
    tape.died(3, why="the server exited with code 3")
    rows = TrafficList(Staged(tape, stage=ConversationStage.RECORDED))
    async with Showing(rows).run_test(size=(120, 40)) as pilot:
        assert "exited with code 3" in await screen(pilot, rows)
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
        await screen(pilot, rows)
        assert not rows.rows.following
        assert rows.chosen in (0, 1)


async def test_a_filter_by_age_lets_in_what_has_waited_so_long_meanwhile(tape: Tape) -> None:
    handshake(tape).call(7, "slow")
    rows = TrafficList(Staged(tape))
    async with Showing(rows).run_test(size=(100, 20)) as pilot:
        rows.model.set_filter(parse("age > 5s"))
        await until(lambda: not rows.model.is_filtering or rows.sync() is not None, "all was looked through")  # type: ignore[func-returns-value]
        assert "slow" not in await screen(pilot, rows)
        tape.wait(6000)
        await until(lambda: rows.sync() is None and rows.model.matches == 1, "it has grown old enough")  # type: ignore[func-returns-value]
        assert "slow" in await screen(pilot, rows)


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
        await screen(pilot, rows)
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
