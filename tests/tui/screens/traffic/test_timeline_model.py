"""Merging lists into one order of time: among lists the moment decides, within a list its own order."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from inspector.filters.language.parser import parse
from inspector.present.live_checks import JournalFindings
from inspector.tui.screens.traffic.timeline_model import (
    FOREVER,
    Feed,
    Merge,
    Timeline,
    TimelineConversation,
    TimelineFind,
    code_of,
    entry_of,
    number_of,
)
from tests.present.tape import Tape
from tests.present.test_live_checks import finding


class Lists:
    """Lists of moments; entry n of a list is at position n - 1."""

    def __init__(self, *moments: Sequence[int]) -> None:
        self.moments = [list(each) for each in moments]
        self.merge = Merge([Feed(number, self._times(number)) for number in range(len(moments))])

    def _times(self, number: int):  # type: ignore[no-untyped-def]
        return lambda entries: [self.moments[number][n - 1] for n in entries]

    def step(self, limit: int = 1000, reached: Sequence[int] = ()) -> bool:
        rows = [range(1, len(each) + 1) for each in self.moments]
        return self.merge.step(rows, reached, limit)

    def merged(self) -> list[tuple[int, int]]:
        return [(number_of(code), entry_of(code)) for code in self.merge.codes]


def test_rows_stand_in_the_order_of_time() -> None:
    lists = Lists([10, 40], [20, 30, 50])
    assert lists.step()
    assert lists.merged() == [(0, 1), (1, 1), (1, 2), (0, 2), (1, 3)]
    assert not lists.step()


def test_merge_in_small_steps_moves_nothing() -> None:
    lists = Lists(range(0, 300, 3), range(1, 30))
    while lists.step(7):
        pass
    assert [*lists.merge.times] == sorted([*range(0, 300, 3), *range(1, 30)])
    assert lists.merge.moved == 0


def test_late_entry_is_inserted_and_counted() -> None:
    lists = Lists([10, 20], [])
    lists.step()
    lists.moments[1].append(15)
    assert lists.step()
    assert lists.merged() == [(0, 1), (1, 1), (0, 2)]
    assert lists.merge.moved == 1


def test_nothing_is_taken_beyond_what_is_known_of_all_lists() -> None:
    lists = Lists([10, 20, 30], [])
    assert lists.step(reached=(FOREVER, 20))
    assert lists.merged() == [(0, 1), (0, 2)]


def test_a_clock_that_goes_back_leaves_the_order_of_its_list() -> None:
    lists = Lists([10, 100, 5, 6], [50, 120])
    lists.step()
    assert [n for number, n in lists.merged() if number == 0] == [1, 2, 3, 4]
    assert lists.merge.find(code_of(0, 3), 5) == lists.merged().index((0, 3))


def test_a_row_is_found_and_one_that_is_not_there_gives_the_one_before() -> None:
    lists = Lists([10, 20, 20, 20], [20, 30])
    lists.step()
    for place, (number, n) in enumerate(lists.merged()):
        assert lists.merge.find(code_of(number, n), lists.moments[number][n - 1]) == place
    assert lists.merge.find(code_of(1, 9), 25) == 4
    assert lists.merge.find(code_of(1, 9), 1) == -1


@given(st.lists(st.lists(st.integers(0, 50), max_size=30), min_size=1, max_size=4), st.integers(1, 9))
def test_any_lists_in_any_steps_give_every_entry_once_and_each_list_in_its_order(
    moments: list[list[int]], limit: int
) -> None:
    lists = Lists(*moments)
    while lists.step(limit):
        pass
    merged = lists.merged()
    for number, each in enumerate(moments):
        assert [n for owner, n in merged if owner == number] == [*range(1, len(each) + 1)]
    assert [*lists.merge.times] == sorted(lists.merge.times)


def _wire(number: int, name: str, tape: Tape) -> TimelineConversation:
    tape.journal.name = name
    return TimelineConversation(number, name, tape.journal, tape.clock)


def _two() -> tuple[Tape, Tape, Timeline]:
    one, two = Tape(), Tape()
    one.call(1, "dig")
    two.wait(1).call(1, "sow")
    two.wait(4).answer(1, {"content": []})
    one.wait(9).error(1, -32603, "too hard")
    return one, two, Timeline([_wire(4, "garden", one), _wire(7, "field", two)])


def _settle(timeline: Timeline) -> None:
    while timeline.refresh(100) or timeline.filter_step() or timeline.is_behind:
        pass


def _shown(timeline: Timeline, width: int = 90) -> list[str]:
    return ["".join(text for text, _ in timeline.row(index, width).spans) for index in range(timeline.count)]


def test_rows_of_all_stand_in_one_order_each_with_its_name() -> None:
    _, _, timeline = _two()
    _settle(timeline)
    rows = _shown(timeline)
    assert [row.split()[0] for row in rows] == ["garden", "field", "field", "garden"]
    assert "tools/call dig" in rows[0]
    assert "tools/call sow" in rows[1]
    assert {len(row) for row in rows} == {90}
    assert "".join(text for text, _ in timeline.header(90)).startswith("server ")


def test_later_entries_are_appended_without_moves() -> None:
    one, two, timeline = _two()
    _settle(timeline)
    before = [timeline.key(index) for index in range(timeline.count)]
    two.wait(50).notify("notifications/message", {"data": "rain"})
    one.wait(99).notify("notifications/message", {"data": "sun"})
    _settle(timeline)
    assert [timeline.key(index) for index in range(4)] == before
    assert [timeline.entry(index)[0].name for index in (4, 5)] == ["field", "garden"]


def test_a_filter_holds_for_all_and_its_end_brings_all_back() -> None:
    _, two, timeline = _two()
    _settle(timeline)
    timeline.set_filter(parse("status == error"))
    _settle(timeline)
    assert [row.split()[0] for row in _shown(timeline)] == ["garden", "garden"]
    assert (timeline.matches, timeline.total) == (2, 4)
    two.wait(70).call(2, "reap")
    two.wait(1).error(2, -32603, "no sickle")
    _settle(timeline)
    assert [row.split()[0] for row in _shown(timeline)] == ["garden", "garden", "field", "field"]
    timeline.set_filter(None)
    _settle(timeline)
    assert timeline.count == 6


def test_a_filter_can_ask_whose_message_it_is() -> None:
    _, _, timeline = _two()
    timeline.set_filter(parse("server == field"))
    _settle(timeline)
    assert [row.split()[0] for row in _shown(timeline)] == ["field", "field"]
    timeline.set_filter(parse("not server ~ ^fi"))
    _settle(timeline)
    assert [row.split()[0] for row in _shown(timeline)] == ["garden", "garden"]


def test_an_entry_is_found_and_a_key_survives_another_timeline() -> None:
    one, _, timeline = _two()
    _settle(timeline)
    assert timeline.find(7, 2) == 2
    assert timeline.find(7, 99) is None
    key = timeline.key(3)
    alone = Timeline([_wire(4, "garden", one)])
    _settle(alone)
    assert alone.index_of(key) == 1
    assert alone.index_of(timeline.key(1)) == -1
    assert timeline.entry(3) == (timeline.wires[0], 2)


def test_an_answer_changes_the_row_of_its_request() -> None:
    one, _, timeline = _two()
    _settle(timeline)
    one.wait(50).call(2, "rest")
    _settle(timeline)
    (waiting,) = (index for index, row in enumerate(_shown(timeline)) if "rest" in row)
    assert timeline.row(waiting, 90).live
    one.wait(50).answer(2, {"content": []})
    _settle(timeline)
    assert f"Response #{one.journal.count}" in _shown(timeline)[waiting]


def test_the_name_of_a_server_moves_no_cursor_and_is_cut() -> None:
    tape = Tape()
    tape.request(1, "ping")
    timeline = Timeline([_wire(1, "\x1b[2J a server with a very long name", tape)])
    _settle(timeline)
    (row,) = _shown(timeline, 80)
    assert "\x1b" not in row
    assert len(row) == 80


def test_timeline_marks_and_filters_findings() -> None:
    one, two = Tape(), Tape()
    one.call(1, "dig")
    two.wait(1).call(1, "sow")
    found = JournalFindings(two.journal)
    garden = _wire(4, "garden", one)
    field = TimelineConversation(7, "field", two.journal, two.clock, found=lambda: found)
    timeline = Timeline([garden, field])
    timeline.set_filter(parse("severity"))
    _settle(timeline)
    assert timeline.count == 0
    found.add([finding("C1", 1)])
    timeline.judge()
    _settle(timeline)
    assert [row.split()[0] for row in _shown(timeline)] == ["field"]
    assert " ✗→ " in _shown(timeline)[0]


def two() -> tuple[Timeline, Tape, Tape]:
    one, other = Tape(), Tape()
    for at, word in enumerate(("gull", "herring", "gull", "crab")):
        tape = (one, other)[at % 2]
        for each in (one, other):
            each.wait(5)
        tape.notify("notifications/message", {"data": word})
    wires = [
        TimelineConversation(1, "one", one.journal, one.clock),
        TimelineConversation(2, "other", other.journal, other.clock),
    ]
    timeline = Timeline(wires)
    while timeline.refresh(100):
        pass
    return timeline, one, other


def test_timeline_find_goes_in_time_order_and_wraps() -> None:
    timeline, _, other = two()
    other.wait(50).notify("notifications/message", {"data": "gull"})
    while timeline.refresh(100):
        pass
    find = TimelineFind(timeline, "gull")
    while find.matches < 3:
        find.step()
    places = [index for index in range(timeline.count) if (index in (0, 2, 4))]
    cursor, walked = -1, []
    for _ in range(4):
        cursor = find.next(cursor) or 0
        walked.append(cursor)
    assert walked == [*places, places[0]]
    assert find.next(2, back=True) == 0
    assert find.next(0, back=True) == 4


def test_timeline_find_without_text_is_empty(tape: Tape) -> None:
    timeline, _, _ = two()
    find = TimelineFind(timeline)
    find.step()
    assert (find.matches, find.next(0)) == (0, None)
