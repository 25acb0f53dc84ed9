"""The lanes of several conversations stand on one axis, in the order in which they began."""

from functools import partial

from inspector.capture.filters.parse import parse
from inspector.viewmodels.lines import plain
from inspector.viewmodels.log import LogModel
from inspector.viewmodels.merging import code_of
from inspector.viewmodels.text import cell_width
from inspector.viewmodels.waterfall import LaneWire
from inspector.viewmodels.waterfalls import Waterfalls
from tests.viewmodels.tape import Tape

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
        LaneWire(one.journal, one.clock, 1, "pier", "key"),
        LaneWire(other.journal, other.clock, 2, "quay", "accent", 50_000_000),
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
    said = plain(lanes.said(1))
    assert said.startswith("quay")
    assert "began at 0.200 s" in said
    close(one, other)


def test_what_comes_later_gets_its_place_when_one_looks() -> None:
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
        LaneWire(tape.journal, tape.clock, number, name, filtered=partial(getattr, model, "exchanges_shown"))
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
