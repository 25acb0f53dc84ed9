"""Runs of notifications: ten and more of one method are one row of the tree, and unfold."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.filters.parse import parse
from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.viewmodels.lines import plain
from inspector.viewmodels.log import LogModel
from inspector.viewmodels.log_index import RowIndex
from inspector.viewmodels.log_runs import SHORTEST
from tests.viewmodels.tape import Tape


def _log(tape: Tape, count: int, said: str = "line") -> list[int]:
    return [
        tape.wait(1).notify("notifications/message", {"level": "info", "data": f"{said} {n}"}) for n in range(count)
    ]


def _model(tape: Tape, *, tree: bool = True) -> LogModel:
    model = LogModel(tape.journal, tape.clock, tree=tree)
    model.refresh()
    return model


def _rows(model: LogModel, width: int = 100) -> list[str]:
    return [plain(model.row(index, width).spans)[21:].rstrip() for index in range(model.count)]


def test_a_long_run_is_one_row_with_its_count_and_its_last_text(tape: Tape) -> None:
    _log(tape, 240)
    (row,) = _rows(_model(tape))
    assert " ".join(row.split()) == "← notifications/message ▸ ×240 info: line 239 239 ms"


def test_a_short_run_is_read_faster_as_it_is(tape: Tape) -> None:
    _log(tape, SHORTEST - 1)
    assert _model(tape).count == SHORTEST - 1


def test_the_run_is_folded_as_soon_as_it_is_long_enough(tape: Tape) -> None:
    model = LogModel(tape.journal, tape.clock)
    seen = []
    for _ in range(SHORTEST + 1):
        _log(tape, 1)
        model.refresh()
        seen.append(model.count)
    assert seen == [*range(1, SHORTEST), 1, 1]


def test_space_unfolds_a_run_and_folds_it_again_from_any_of_its_rows(tape: Tape) -> None:
    tape.stderr(b"before")
    entries = _log(tape, 12)
    tape.stderr(b"after")
    model = _model(tape)
    assert model.count == 3
    model.toggle_fold(1)
    assert [model.entry_of(index) for index in range(1, 13)] == entries
    assert "▾ ×12" in _rows(model)[1]
    more = _log(tape, 1)
    model.refresh()
    model.toggle_fold(5)
    assert model.count == 4, "the line of stderr parts the runs"
    assert model.find(more[0]) == 3
    assert "▸ ×12" in _rows(model)[1]


def test_a_run_that_is_unfolded_grows_row_by_row(tape: Tape) -> None:
    _log(tape, 12)
    model = _model(tape)
    model.toggle_fold(0)
    _log(tape, 3)
    tape.flood(300)
    model.refresh()
    assert model.count == 315
    model.toggle_fold(300)
    assert model.count == 1
    assert "×315" in _rows(model)[0]


def _mutter(tape: Tape, count: int, said: bytes = b"line") -> None:
    for n in range(count):
        tape.wait(1).stderr(b"%b %d" % (said, n))


def test_lines_of_stderr_are_one_row_that_says_what_they_follow(tape: Tape) -> None:
    call = tape.call(1, "slow")
    _mutter(tape, 150)
    tape.answer(1, {})
    _mutter(tape, 100)
    model = _model(tape)
    row = " ".join(_rows(model)[1].split())
    assert model.count == 2, "the answer is no row, so the lines stand side by side"
    assert row.startswith(f"! stderr ▸ ×250 after tools/call #{call} line 99")
    model.toggle_fold(1)
    assert model.count == 251
    assert "▾ ×250 after tools/call" in _rows(model)[1]
    assert "line 0" in _rows(model)[1]
    assert _rows(model)[2].split()[:3] == ["!", "line", "1"]
    model.toggle_fold(77)
    assert model.count == 2


def test_lines_of_stderr_follow_an_answer_or_the_start_of_the_server(tape: Tape) -> None:
    tape.journal.fact(ProcessFact(ProcessEvent.SPAWN, 7))
    _mutter(tape, 10)
    tape.call(1, "slow")
    answer = tape.answer(1, {})
    _log(tape, 5)
    _mutter(tape, 12)
    rows = _rows(_model(tape), 120)
    assert "×10 after the start of the server" in rows[1]
    assert f"×12 after the answer to tools/call #{answer}" in rows[-1]


def test_a_few_lines_of_stderr_are_read_faster_as_they_are(tape: Tape) -> None:
    _mutter(tape, SHORTEST - 1)
    assert _model(tape).count == SHORTEST - 1


def test_in_the_order_of_the_wire_lines_of_stderr_fold_where_a_person_wants_it(tape: Tape) -> None:
    tape.call(1, "slow")
    _mutter(tape, 30)
    tape.answer(1, {})
    model = _model(tape, tree=False)
    assert model.count == 32
    model.toggle_fold(4)
    assert model.count == 3
    assert "stderr ▸ ×30 after tools/call #1" in " ".join(_rows(model)[1].split())
    model.toggle_fold(1)
    assert model.count == 32


def test_another_method_or_another_sender_ends_a_run(tape: Tape) -> None:
    for _ in range(2):
        _log(tape, 10)
        for _ in range(10):
            tape.notify("notifications/resources/updated", {"uri": "a://b"})
    for _ in range(10):
        tape.notify("notifications/resources/updated", {"uri": "a://b"}, by_client=True)
    assert [row.split("▸")[1].split()[0] for row in _rows(_model(tape))] == ["×10"] * 5


def test_what_a_call_caused_is_a_run_of_its_own(tape: Tape) -> None:
    _log(tape, 10)
    call = tape.call(1, "slow")
    nested = _log(tape, 10)
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    _log(tape, 10)
    tape.wait(1).answer(1, {})
    _log(tape, 10)
    model = _model(tape)
    assert [row.count("×10") for row in _rows(model)] == [1, 0, 1, 0, 1, 1]
    assert model.find(nested[7]) == model.find(nested[0]) == 2
    model.toggle_fold(model.find(call) or 0)
    assert "▸ 3 more" in _rows(model)[1]
    model.toggle_fold(1)
    assert model.count == 6


def test_the_row_of_a_run_leads_to_its_newest_entry(tape: Tape) -> None:
    entries = _log(tape, 20)
    model = _model(tape)
    assert model.entry_of(0) == entries[-1]
    assert [model.find(n) for n in (entries[0], entries[7], entries[-1])] == [0, 0, 0]


def test_a_filter_shows_each_that_matches(tape: Tape) -> None:
    _log(tape, 20)
    model = _model(tape)
    model.set_filter(parse('"line 1"'))
    while model.filter_step():
        pass
    assert model.count == 11
    model.set_filter(None)
    assert model.count == 1


def test_the_order_of_the_wire_folds_nothing(tape: Tape) -> None:
    _log(tape, 20)
    assert _model(tape, tree=False).count == 20


def test_the_row_is_asked_for_again_while_the_run_grows(tape: Tape) -> None:
    _log(tape, 20)
    model = _model(tape)
    assert model.row(0, 80).live
    tape.stderr(b"x")
    model.refresh()
    assert not model.row(0, 80).live


_STEPS = ("call", "answer", "progress", "log", "logs", "log", "logs", "update", "stderr", "question", "flood")


def _play(tape: Tape, step: str) -> None:
    match step:
        case "call":
            tape.call(1, "x")
        case "answer":
            tape.answer(1, {})
        case "progress":
            tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
        case "log":
            _log(tape, 1)
        case "logs":
            _log(tape, 11)
        case "update":
            tape.notify("notifications/resources/updated", {"uri": "a://b"})
        case "question":
            tape.server_request(1, "roots/list")
        case "flood":
            tape.flood(300)
        case _:
            tape.stderr(b"x")


@pytest.mark.parametrize("facts", [True, False])
@given(st.lists(st.sampled_from(_STEPS), max_size=20), st.randoms(use_true_random=False))
def test_folding_and_unfolding_keep_the_order_and_lose_nothing(
    facts: bool, steps: list[str], chance: random.Random
) -> None:
    tape = Tape()
    index = RowIndex(tape.journal, tree=True, facts=facts)
    for step in steps:
        _play(tape.wait(1), step)
        if chance.random() < 0.5:
            index.take(chance.choice((1, 7, 10_000)))
        if len(index.rows) and chance.random() < 0.5:
            index.toggle_fold(chance.choice(index.rows))
    index.take(1_000_000)
    _check_rows(index, chance)
    anew = RowIndex(tape.journal, tree=True, facts=facts)
    anew.take(1_000_000)
    folded = list(anew.rows)
    for n in list(anew.rows):
        run = anew.places.runs.run(n)
        if run is not None:
            anew.toggle_fold(n)
    everything = list(anew.rows)
    assert everything == sorted(everything, key=anew.key)
    for n in folded:
        if anew.places.runs.run(n) is not None:
            anew.toggle_fold(n)
    assert list(anew.rows) == folded
    tape.journal.close()


def _check_rows(index: RowIndex, chance: random.Random) -> None:
    keys = [index.key(n) for n in index.rows]
    assert keys == sorted(set(keys))
    rows = list(index.rows)
    index.show(tree=False, facts=index.facts)
    index.show(tree=True, facts=index.facts)
    assert list(index.rows) == rows, "rows that folded by themselves are the rows that would be made anew"
    for n in chance.sample(rows, min(5, len(rows))):
        index.toggle_fold(n)
        shown = index.find(n)
        index.toggle_fold(n if shown is None else index.rows[shown])  # folded into a block, or into a run
    assert list(index.rows) == rows
