"""The lanes of the waterfall and its axis."""

import re
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.journal import start_capture
from inspector.filters.language.parser import parse
from inspector.present.spans import plain
from inspector.present.traffic.log import LogModel
from inspector.text import cell_width
from inspector.tui.screens.traffic.timeline_model import code_of
from inspector.tui.screens.traffic.waterfall_model import LaneConversation, Waterfall, Waterfalls
from tests.present.tape import Tape


def _waterfall(tape: Tape, width: int = 100) -> Waterfall:
    lanes = Waterfall(LaneConversation(tape.journal, tape.clock))
    lanes.sees(range(lanes.count), width)
    return lanes


def _lanes(lanes: Waterfall, width: int = 100) -> list[str]:
    return [plain(lanes.row(index, width).spans) for index in range(lanes.count)]


def _two(tape: Tape) -> None:
    tape.call(1, "first")
    for step in (1, 2):
        tape.wait(250).notify("notifications/progress", {"progressToken": 1, "progress": step})
    tape.wait(500).answer(1, {})
    tape.call(2, "second")
    tape.wait(1000).error(2, -32603, "x")


def test_lanes_are_placed_by_time(tape: Tape) -> None:
    _two(tape)
    first, second = _lanes(_waterfall(tape))
    assert first.startswith("→ tools/call first")
    assert first.rstrip().endswith("✓ OK                1.00 s")
    assert "✗ Error -32603" in second
    assert abs(first.rindex("━") - second.index("━")) <= 1


def test_words_of_progress_are_marks_in_the_bar(tape: Tape) -> None:
    _two(tape)
    first, second = _lanes(_waterfall(tape))
    assert (first.count("╋"), second.count("╋")) == (2, 0)
    bar = first[first.index("━") : first.rindex("━") + 1]
    assert abs(bar.index("╋") - len(bar) / 4) <= 1


def test_a_question_of_the_servers_has_its_lane_under_the_call(tape: Tape) -> None:
    tape.call(1, "ask")
    tape.wait(100).server_request(5, "elicitation/create", {"message": "?"})
    tape.wait(900)
    lanes = _waterfall(tape)
    asked = _lanes(lanes)[1]
    assert asked.startswith("← └ elicitation/create")
    assert "Waiting for you" in asked
    assert lanes.row(1, 100).live


def test_pending_lane_reaches_now(tape: Tape) -> None:
    tape.call(1, "slow")
    tape.wait(900)
    lanes = _waterfall(tape)
    before = _lanes(lanes)[0].count("━")
    assert "900 ms" in _lanes(lanes)[0]
    tape.wait(100)
    assert _lanes(lanes)[0].count("━") > before


def test_the_axis_follows_what_is_in_sight_until_the_reader_takes_it(tape: Tape) -> None:
    _two(tape)
    lanes = _waterfall(tape)
    whole = lanes.window
    assert lanes.sees(range(1, 2), 100)
    assert lanes.window.start > whole.start
    lanes.zoom(0.5, 1)
    zoomed = lanes.window
    assert not lanes.sees(range(2), 100)
    assert zoomed.lasts < whole.lasts
    lanes.pan(1)
    assert lanes.window.start == zoomed.end
    lanes.show_all()
    assert lanes.window.start == tape.journal.conversation.exchanges[0].started_ns
    assert lanes.window.end == tape.now
    lanes.show_lane(0)
    assert lanes.window.lasts < 1_300_000_000
    before = lanes.generation
    lanes.fit_visible()
    assert lanes.generation > before
    assert lanes.sees(range(2), 100)
    assert lanes.window == whole


def test_zooming_keeps_the_beginning_of_the_lane_where_it_is(tape: Tape) -> None:
    _two(tape)
    lanes = _waterfall(tape)
    began = tape.journal.conversation.exchanges[1].started_ns
    share = (began - lanes.window.start) / lanes.window.lasts
    lanes.zoom(0.25, 1)
    assert abs((began - lanes.window.start) / lanes.window.lasts - share) < 0.01


def test_a_stream_that_stays_open_does_not_press_the_others_together(tape: Tape) -> None:
    tape.request(1, "subscriptions/listen")
    tape.wait(100)
    _two(tape)
    tape.wait(3_600_000)
    assert _waterfall(tape).window.lasts < 4_000_000_000


def test_marks_of_the_axis_stand_over_the_lines_of_the_grid(tape: Tape) -> None:
    _two(tape)
    lanes = _waterfall(tape, 160)
    head = plain(lanes.header(160))
    assert head.startswith("Exchange")
    marks = [found.start() for found in re.finditer(r"[\d.]+ m?s", head)]
    assert len(marks) >= 3
    assert {_lanes(lanes, 160)[0][at] for at in marks} <= set("∙━╸╺╋")


def test_an_entry_leads_to_the_lane_of_its_exchange(tape: Tape) -> None:
    _two(tape)
    tape.stderr(b"x")
    lanes = _waterfall(tape)
    assert [lanes.of_entry(n) for n in (1, 2, 4, 5, 6, 7, 99, 0)] == [0, 0, 0, 1, 1, 1, 1, 0]


def test_selected_lane_is_described(tape: Tape) -> None:
    _two(tape)
    lanes = _waterfall(tape)
    assert "tools/call first" in plain(lanes.description(0))
    assert "2 progress notifications" in plain(lanes.description(0))
    assert "on the axis" in plain(lanes.description(7))


def test_without_exchanges_there_is_an_axis_all_the_same() -> None:
    journal = start_capture(None)
    lanes = Waterfall(LaneConversation(journal, lambda: 0))
    assert lanes.count == 0
    assert not lanes.sees(range(0), 80)
    lanes.zoom(2, 0)
    lanes.show_all()
    lanes.show_lane(0)
    assert len(plain(lanes.header(80))) == 80


@given(st.lists(st.integers(-10_000, 10_000), max_size=12), st.integers(1, 200), st.floats(0.01, 100), st.floats(-5, 5))
def test_clocks_that_jump_and_any_zoom_leave_every_lane_in_its_width(
    waits: list[int], width: int, factor: float, by: float
) -> None:
    tape = Tape()
    for id_, wait in enumerate(waits):
        tape.call(id_, "数据库")
        tape.wait(wait)
        tape.notify("notifications/progress", {"progressToken": id_, "progress": 1})
        if id_ % 2:
            tape.answer(id_, {})
    lanes = _waterfall(tape, width)
    lanes.zoom(factor, 0)
    lanes.pan(by)
    assert all(cell_width(lane) == width for lane in _lanes(lanes, width))
    assert cell_width(plain(lanes.header(width))) == width
    tape.journal.close()


def test_a_filter_chooses_the_lanes(tape: Tape) -> None:
    _two(tape)
    model = LogModel(tape.journal, tape.clock)
    model.refresh()
    lanes = Waterfall(LaneConversation(tape.journal, tape.clock, filtered=lambda: model.exchanges_shown))
    assert (lanes.count, lanes.is_filtered) == (2, False)
    model.set_filter(parse("error"))
    model.filter_step()
    lanes.look()
    assert (lanes.count, lanes.total, lanes.is_filtered) == (1, 2, True)
    assert "second" in _lanes(lanes)[0]
    assert [lanes.key(0), lanes.index_of(2), lanes.index_of(1)] == [2, 0, -1]
    assert lanes.of_entry(tape.journal.count) == 0
    tape.call(3, "third")
    tape.error(3, -32603, "x")
    model.refresh()
    model.filter_step()
    lanes.look()
    assert ["second" in line or "third" in line for line in _lanes(lanes)] == [True, True]
    model.set_filter(None)
    lanes.look()
    assert lanes.count == 3


WIDTH = 120


def two() -> tuple[Waterfalls, Tape, Tape]:
    """Calls of two servers in turn, the second of which began later by 50 ms."""
    one, other = Tape(), Tape()
    one.wait(100).call(1, "first")
    other.wait(150).call(1, "second")
    one.wait(200).answer(1, {})
    one.wait(100).call(2, "third")
    other.wait(300).answer(1, {})
    one.wait(100).answer(2, {})
    wires = [
        LaneConversation(one.journal, one.clock, 1, "pier", "key"),
        LaneConversation(other.journal, other.clock, 2, "quay", "accent", 50_000_000),
    ]
    return Waterfalls(wires), one, other


def lines(lanes: Waterfalls, width: int = WIDTH) -> list[str]:
    lanes.sees(range(lanes.count), width)
    return [plain(lanes.row(index, width).spans) for index in range(lanes.count)]


def close(*tapes: Tape) -> None:
    for tape in tapes:
        tape.journal.close()


def test_lanes_stand_in_the_order_of_all_and_say_whose_they_are() -> None:
    lanes, one, other = two()
    shown = lines(lanes)
    assert [line.split()[0] for line in shown] == ["pier", "quay", "pier"]
    assert [word in line for word, line in zip(("first", "second", "third"), shown, strict=True)] == [True] * 3
    starts = [line.index("━") for line in shown]
    assert starts == sorted(starts)
    assert starts[0] < starts[1] < starts[2]
    assert {cell_width(line) for line in shown} == {WIDTH}
    said = plain(lanes.description(1))
    assert said.startswith("quay")
    assert "began at 0.200 s" in said
    close(one, other)


def test_later_lane_appears_after_look() -> None:
    lanes, one, other = two()
    other.wait(500).call(2, "fourth")
    assert lanes.count == 3
    lanes.look()
    assert "fourth" in lines(lanes)[3]
    close(one, other)


def test_a_lane_is_found_by_its_key_and_by_an_entry() -> None:
    lanes, one, other = two()
    assert [lanes.index_of(lanes.key(index)) for index in range(3)] == [0, 1, 2]
    assert lanes.key(1) == code_of(2, 1)
    assert (lanes.of_entry(1, 2), lanes.of_entry(3, 1), lanes.of_entry(9, 7)) == (1, 2, 0)
    assert lanes.index_of(code_of(7, 1)) == -1
    close(one, other)


def test_the_axis_can_show_all_of_both() -> None:
    lanes, one, other = two()
    lanes.show_all()
    assert lanes.window.start == lanes.wires[0].journal.started_ns + 100_000_000
    before = lanes.window
    lanes.zoom(0.5, 1)
    assert lanes.window.lasts < before.lasts
    lanes.show_lane(2)
    assert lanes.window.lasts < before.lasts
    close(one, other)


def test_without_servers_there_are_no_lanes() -> None:
    lanes = Waterfalls([])
    lanes.show_all()
    assert (lanes.count, lanes.of_entry(1, 1)) == (0, 0)


def test_a_filter_chooses_the_lanes_of_each_server() -> None:
    _, one, other = two()
    models = [LogModel(tape.journal, tape.clock) for tape in (one, other)]
    wires = [
        LaneConversation(tape.journal, tape.clock, number, name, filtered=partial(getattr, model, "exchanges_shown"))
        for number, name, tape, model in ((1, "pier", one, models[0]), (2, "quay", other, models[1]))
    ]
    lanes = Waterfalls(wires)
    assert lanes.count == 3
    for model in models:
        model.refresh()
        model.set_filter(parse("tool in {second, third}"))
        model.filter_step()
    lanes.look()
    assert [line.split()[0] for line in lines(lanes)] == ["quay", "pier"]
    assert (lanes.count, lanes.total) == (2, 3)
    close(one, other)
