"""The ways from row to row."""

import pytest

from inspector.capture.filters.parse import parse
from inspector.errors import FilterError
from inspector.viewmodels.log import LogModel
from inspector.viewmodels.log_jumps import LogJumps
from tests.viewmodels.tape import Tape


def _model(tape: Tape, *, tree: bool = True) -> LogModel:
    model = LogModel(tape.journal, tape.clock, tree=tree)
    model.refresh()
    return model


def _calls(tape: Tape) -> None:
    """1 call, 2 progress, 3 question, 4 its answer, 5 progress, 6 call, 7 tool error, 8 answer."""
    tape.call(1, "a")
    tape.wait(10).notify("notifications/progress", {"progressToken": 1, "progress": 1})
    tape.wait(10).server_request(9, "roots/list")
    tape.wait(10).client_answer(9, {"roots": []})
    tape.wait(10).notify("notifications/progress", {"progressToken": 1, "progress": 2})
    tape.wait(10).call(2, "b")
    tape.wait(10).answer(2, {"content": [], "isError": True})
    tape.wait(10).answer(1, {"content": []})


def test_what_is_nested_leads_to_its_call_and_an_answer_to_its_request(tape: Tape) -> None:
    _calls(tape)
    model = _model(tape, tree=False)
    assert isinstance(model.jumps, LogJumps)
    assert [model.jumps.origin(index) for index in range(8)] == [None, 1, 1, 3, 1, None, 6, 1]
    assert model.jumps.origin(99) is None


def test_a_page_leads_to_the_first_of_its_list(tape: Tape) -> None:
    tape.request(1, "tools/list")
    tape.answer(1, {"tools": [], "nextCursor": "x"})
    tape.request(2, "tools/list", {"cursor": "x"})
    model = _model(tape)
    assert [model.jumps.origin(index) for index in range(2)] == [None, 1]


def test_within_an_exchange_one_goes_on_past_all_others(tape: Tape) -> None:
    _calls(tape)
    model = _model(tape, tree=False)
    steps = [0]
    while (found := model.jumps.within(steps[-1])) is not None:
        steps.append(found)
    assert steps == [0, 1, 4, 7]
    assert [model.jumps.within(7, back=True), model.jumps.within(0, back=True)] == [4, None]


def test_in_the_tree_one_stays_in_the_block(tape: Tape) -> None:
    _calls(tape)
    model = _model(tape)
    assert [model.jumps.within(index) for index in range(4)] == [1, 2, None, None]
    assert model.jumps.within(2, back=True) == 1


@pytest.mark.parametrize(("tree", "rows"), [(True, [3]), (False, [6])])
def test_errors_lead_from_one_to_the_next(tape: Tape, tree: bool, rows: list[int]) -> None:
    _calls(tape)
    model = _model(tape, tree=tree)
    found, index = [], model.jumps.error(-1)
    while index is not None:
        found.append(index)
        index = model.jumps.error(index)
    assert found == rows
    assert model.jumps.error(rows[0]) is None
    assert model.jumps.error(model.count - 1 if tree else 7, back=True) == (None if tree else 6)


def test_a_filter_hides_errors_from_the_jump(tape: Tape) -> None:
    for id_ in range(3):
        tape.call(id_, f"tool{id_}")
        tape.error(id_, -1, "x")
    model = _model(tape)
    model.set_filter(parse("tool != tool1"))
    while model.filter_step():
        pass
    assert [model.jumps.error(-1), model.jumps.error(0), model.jumps.error(1)] == [0, 1, None]


@pytest.mark.parametrize(("wanted", "entry"), [("1", 1), ("#6", 6), ("999", 8), ("0", 1), ("+0.05", 6), ("+1h", 8)])
def test_a_number_or_a_time_leads_to_the_nearest(tape: Tape, wanted: str, entry: int) -> None:
    _calls(tape)
    assert _model(tape).jumps.entry(wanted) == entry


def test_a_time_of_day_leads_to_the_first_that_came_since(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    tape.call(1, "a")
    tape.wait(2000).answer(1, {})
    moment = tape.journal.store.wall_ns(2) // 1_000_000_000
    from datetime import datetime

    said = datetime.fromtimestamp(moment).astimezone().strftime("%H:%M:%S")
    assert _model(tape).jumps.entry(said) == 2


@pytest.mark.parametrize("wanted", ["soon", "+x", "25:00", "-1", "1e9", "9" * 50])
def test_what_is_neither_is_an_error_or_the_end(tape: Tape, wanted: str) -> None:
    _calls(tape)
    if wanted.isdecimal():
        assert _model(tape).jumps.entry(wanted) == 8
        return
    with pytest.raises(FilterError):
        _model(tape).jumps.entry(wanted)


def test_without_entries_there_is_nowhere_to_go(tape: Tape) -> None:
    model = _model(tape)
    with pytest.raises(FilterError):
        model.jumps.entry("1")
    assert (model.jumps.entry_at(0), model.jumps.nearest(5)) == (0, 0)


def test_the_nearest_row_of_what_is_hidden_is_the_one_before(tape: Tape) -> None:
    _calls(tape)
    model = _model(tape, tree=False)
    model.set_filter(parse("kind == request"))
    while model.filter_step():
        pass
    assert [model.jumps.nearest(n) for n in (1, 5, 6, 8)] == [0, 1, 2, 2]
