"""The merged timeline: names, order, filter, and what is found again."""

from inspector.capture.filters.parse import parse
from inspector.viewmodels.found import Found
from inspector.viewmodels.timeline import Timeline, Wire
from tests.viewmodels.tape import Tape
from tests.viewmodels.test_found import finding


def _wire(number: int, name: str, tape: Tape) -> Wire:
    tape.journal.name = name
    return Wire(number, name, tape.journal, tape.clock)


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


def test_what_comes_later_is_added_at_the_end_and_moves_nothing() -> None:
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
    assert f"answer #{one.journal.count}" in _shown(timeline)[waiting]


def test_the_name_of_a_server_moves_no_cursor_and_is_cut() -> None:
    tape = Tape()
    tape.request(1, "ping")
    timeline = Timeline([_wire(1, "\x1b[2J a server with a very long name", tape)])
    _settle(timeline)
    (row,) = _shown(timeline, 80)
    assert "\x1b" not in row
    assert len(row) == 80


def test_what_checks_have_found_is_marked_and_can_be_asked_for() -> None:
    one, two = Tape(), Tape()
    one.call(1, "dig")
    two.wait(1).call(1, "sow")
    found = Found(two.journal)
    garden = _wire(4, "garden", one)
    field = Wire(7, "field", two.journal, two.clock, found=lambda: found)
    timeline = Timeline([garden, field])
    timeline.set_filter(parse("expert"))
    _settle(timeline)
    assert timeline.count == 0
    found.add([finding("C1", 1)])
    timeline.judge()
    _settle(timeline)
    assert [row.split()[0] for row in _shown(timeline)] == ["field"]
    assert " ✗→ " in _shown(timeline)[0]
