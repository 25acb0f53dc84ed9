"""In the order of the wire a person folds notifications that are alike and side by side; nothing folds by itself."""

import random

from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.filters.parse import parse
from inspector.viewmodels.lines import plain
from inspector.viewmodels.log import LogModel
from inspector.viewmodels.log_index import RowIndex
from inspector.viewmodels.wire_runs import WireRuns
from tests.viewmodels.tape import Tape
from tests.viewmodels.test_log_index import STEPS, play


def model_of(tape: Tape) -> LogModel:
    model = LogModel(tape.journal, tape.clock, tree=False)
    while model.refresh():
        pass
    return model


def shown(model: LogModel) -> list[str]:
    return [plain(model.row(index, 100).spans) for index in range(model.count)]


def test_what_is_alike_around_a_line_becomes_one_with_its_count_and_comes_back(tape: Tape) -> None:
    tape.call(1, "a")
    tape.flood(2500)
    tape.answer(1, {})
    tape.flood(3)
    model = model_of(tape)
    model.toggle_fold(1200)
    lines = shown(model)
    assert (len(lines), "▸ ×2,500" in lines[1]) == (6, True), lines[1]
    assert model.entry_of(1) == 2501
    assert [model.find(n) for n in (1, 2, 1000, 2501, 2502)] == [0, 1, 1, 1, 2]
    tape.flood(2)
    model.refresh()
    assert model.count == 8, "what comes later is not hidden"
    model.toggle_fold(1)
    assert model.count == 2507
    assert list(model.entries) == list(range(1, 2508))


def test_requests_and_single_lines_do_not_fold(tape: Tape) -> None:
    tape.call(1, "a")
    tape.call(2, "a")
    tape.flood(1)
    model = model_of(tape)
    for index in range(3):
        model.toggle_fold(index)
    assert model.count == 3


def test_another_view_folds_nothing(tape: Tape) -> None:
    tape.flood(9)
    model = model_of(tape)
    model.toggle_fold(4)
    assert model.count == 1
    model.show(tree=True)
    model.show(tree=False)
    assert model.count == 9


@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(1, 2)), min_size=1, max_size=40),
    st.randoms(use_true_random=False),
    st.sampled_from(["", "progress", "x", "pending"]),
)
def test_folding_hides_rows_and_loses_none(steps: list[tuple[str, int]], chance: random.Random, wanted: str) -> None:
    tape = Tape()
    index, plain_one = (RowIndex(tape.journal, tree=False, facts=True) for _ in range(2))
    for each in (index, plain_one):
        each.set_filter(parse(wanted))
    for step, id_ in steps:
        play(tape.wait(1), step, id_)
        for each in (index, plain_one):
            each.take(1000)
            each.filter_step()
        if len(index.rows) and chance.random() < 0.3:
            index.toggle_fold(chance.choice(index.rows))
        for n in plain_one.rows:
            at = index.find(n)
            assert at is not None
            assert index.rows[at] == n or index.wire_runs.run(index.rows[at]) is not None
        assert list(index.rows) == sorted(set(index.rows))
        assert set(index.rows) <= set(plain_one.rows)
    for n in list(index.rows):
        if index.wire_runs.run(n) is not None:
            index.toggle_fold(n)
    tape.journal.close()
    assert list(index.rows) == list(plain_one.rows)
    assert isinstance(index.wire_runs, WireRuns)
    assert not index.wire_runs
