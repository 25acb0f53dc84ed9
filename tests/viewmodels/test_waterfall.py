"""The lanes of the waterfall, and its axis."""

import re

from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.filters.parse import parse
from inspector.capture.journal import start_capture
from inspector.viewmodels.lines import plain
from inspector.viewmodels.log import LogModel
from inspector.viewmodels.text import cell_width
from inspector.viewmodels.waterfall import LaneWire, Waterfall
from tests.viewmodels.tape import Tape


def _waterfall(tape: Tape, width: int = 100) -> Waterfall:
    lanes = Waterfall(LaneWire(tape.journal, tape.clock))
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


def test_one_lane_stands_after_the_other_as_its_time_does(tape: Tape) -> None:
    _two(tape)
    first, second = _lanes(_waterfall(tape))
    assert first.startswith("→ tools/call first")
    assert first.rstrip().endswith("✓ ok             1.00 s")
    assert "✗ error -32603" in second
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
    assert "waits you" in asked
    assert lanes.row(1, 100).live


def test_what_runs_reaches_to_now(tape: Tape) -> None:
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
    lanes.show_what_is_in_sight()
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
    assert head.startswith("exchange")
    marks = [found.start() for found in re.finditer(r"[\d.]+ m?s", head)]
    assert len(marks) >= 3
    assert {_lanes(lanes, 160)[0][at] for at in marks} <= set("∙━╸╺╋")


def test_an_entry_leads_to_the_lane_of_its_exchange(tape: Tape) -> None:
    _two(tape)
    tape.stderr(b"x")
    lanes = _waterfall(tape)
    assert [lanes.of_entry(n) for n in (1, 2, 4, 5, 6, 7, 99, 0)] == [0, 0, 0, 1, 1, 1, 1, 0]


def test_the_chosen_lane_is_told_in_words(tape: Tape) -> None:
    _two(tape)
    lanes = _waterfall(tape)
    assert "tools/call first" in plain(lanes.said(0))
    assert "2 words of progress" in plain(lanes.said(0))
    assert "on the axis" in plain(lanes.said(7))


def test_without_exchanges_there_is_an_axis_all_the_same() -> None:
    journal = start_capture(None)
    lanes = Waterfall(LaneWire(journal, lambda: 0))
    assert lanes.count == 0
    assert not lanes.sees(range(0), 80)
    lanes.zoom(2, 0)
    lanes.show_all()
    lanes.show_lane(0)
    assert len(plain(lanes.header(80))) == 80
    journal.close()


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
    lanes = Waterfall(LaneWire(tape.journal, tape.clock, filtered=lambda: model.exchanges_shown))
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
