"""Which entries are rows: as they come, after a change of view, under a filter; always the same as made anew."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.filters.parse import parse
from inspector.protocol.frames import Eol
from inspector.viewmodels.log_index import RowIndex
from inspector.viewmodels.log_tree import Tree
from tests.viewmodels.tape import Tape


def _index(tape: Tape, *, tree: bool = True, facts: bool = True, stretch_bytes: int = 1_000_000) -> RowIndex:
    index = RowIndex(tape.journal, tree=tree, facts=facts, stretch_bytes=stretch_bytes)
    index.take(1_000_000)
    return index


def _scan(index: RowIndex) -> None:
    while index.filter_step():
        pass


def _two_calls(tape: Tape) -> None:
    """1 call a, 2 call b, 3 and 4 progress of a, 5 of b, 6 answer b, 7 answer a, 8 stderr."""
    tape.call(1, "a")
    tape.call(2, "b")
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 2})
    tape.notify("notifications/progress", {"progressToken": 2, "progress": 1})
    tape.answer(2, {})
    tape.answer(1, {})
    tape.stderr(b"x")


def test_the_tree_puts_what_belongs_together_together(tape: Tape) -> None:
    _two_calls(tape)
    assert list(_index(tape).rows) == [1, 3, 2, 5, 8]
    assert list(_index(tape, tree=False).rows) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_the_same_rows_come_however_often_it_looks(tape: Tape) -> None:
    index = RowIndex(tape.journal, tree=True, facts=True)
    tape.call(1, "a")
    index.take(10)
    tape.call(2, "b")
    index.take(10)
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    assert index.take(10)
    assert not index.take(10)
    assert list(index.rows) == [1, 3, 2]


def test_growing_at_the_end_is_no_new_generation_and_moving_is(tape: Tape) -> None:
    index = _index(tape)
    before = index.generation
    tape.call(1, "a")
    tape.call(2, "b")
    index.take(10)
    assert index.generation == before
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    index.take(10)
    assert index.generation != before


def test_an_answer_that_comes_late_changes_rows_that_were_there(tape: Tape) -> None:
    tape.call(1, "a")
    tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    index = _index(tape, tree=False)
    before = index.generation
    tape.answer(1, {})
    index.take(10)
    assert index.generation != before


def test_no_more_than_the_limit_is_taken_in_at_once(tape: Tape) -> None:
    _two_calls(tape)
    index = RowIndex(tape.journal, tree=True, facts=True)
    assert index.take(3)
    assert index.taken == 3
    assert index.take(100)
    assert list(index.rows) == [1, 3, 2, 5, 8]


def test_a_view_without_facts_leaves_out_the_process(tape: Tape) -> None:
    tape.started()
    tape.posted(1)
    tape.stderr(b"x")
    index = _index(tape)
    assert list(index.rows) == [1, 2, 5]
    index.show(tree=False, facts=True)
    assert list(index.rows) == [1, 2, 3, 4, 5]
    index.show(tree=False, facts=False)
    assert list(index.rows) == [5]
    index.show(tree=True, facts=False)
    assert list(index.rows) == [5]


def test_a_folded_exchange_hides_and_counts_what_is_under_it(tape: Tape) -> None:
    _two_calls(tape)
    index = _index(tape)
    index.toggle_fold(3)
    assert list(index.rows) == [1, 2, 5, 8]
    assert index.folded == {1: 1}
    tape.server_request(9, "roots/list")
    tape.call(3, "c")
    tape.server_request(10, "roots/list")
    index.take(10)
    index.toggle_fold(10)
    assert list(index.rows) == [1, 2, 5, 8, 9, 10]
    assert index.folded == {1: 1, 10: 1}
    tape.notify("notifications/message", {"data": "x"})
    index.take(10)
    assert index.folded == {1: 1, 10: 2}
    index.toggle_fold(1)
    assert list(index.rows) == [1, 3, 2, 5, 8, 9, 10]


def test_every_entry_is_found_in_the_row_that_shows_it(tape: Tape) -> None:
    _two_calls(tape)
    index = _index(tape)
    shown = [index.find(n) for n in range(1, 9)]
    assert shown == [0, 2, 1, 1, 3, 2, 0, 4]
    assert [index.find(0), index.find(9)] == [None, None]
    assert [index.position(index.key(n)) for n in index.rows] == [0, 1, 2, 3, 4]


def test_a_filter_keeps_what_matches_with_the_request_it_belongs_to(tape: Tape) -> None:
    tape.call(1, "copy")
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1, "message": "halfway"})
    tape.answer(1, {"content": [{"type": "text", "text": "done at last"}]})
    tape.call(2, "other")
    index = _index(tape)
    for wanted, rows in [
        ("halfway", [1, 2]),
        ('"AT LAST"', [1]),
        ("tools/call", [1, 4]),
        ("none", []),
        ("", [1, 2, 4]),
    ]:
        index.set_filter(parse(wanted))
        _scan(index)
        assert list(index.rows) == rows, wanted
    index.show(tree=False, facts=True)
    index.set_filter(parse('"at last"'))
    _scan(index)
    assert list(index.rows) == [3]
    assert index.filter.matches == 1


def test_the_newest_are_found_first_and_slices_end_where_all_at_once_does(tape: Tape) -> None:
    for number in range(50):
        tape.call(number, f"tool-{number % 2}")
    index = _index(tape, stretch_bytes=600)
    index.set_filter(parse('"tool-1"'))
    assert index.filter_step()
    first = list(index.rows)
    assert first
    assert min(first) > 40
    _scan(index)
    assert list(index.rows) == list(range(2, 51, 2))


def test_what_comes_while_a_filter_holds_is_tested_as_it_comes(tape: Tape) -> None:
    index = _index(tape)
    index.set_filter(parse('"apple"'))
    _scan(index)
    tape.call(1, "apple")
    tape.call(2, "pear")
    tape.answer(2, {"content": [{"type": "text", "text": "an apple a day"}]})
    index.take(10)
    assert list(index.rows) == [1, 2]


def test_typing_on_looks_only_through_what_was_found(tape: Tape) -> None:
    for name in ("ape", "apple", "pear"):
        tape.call(1, name)
    index = _index(tape)
    for wanted, rows in [("ap", [1, 2]), ("app", [2]), ("ap", [1, 2]), ("ear", [3])]:
        index.set_filter(parse(wanted))
        _scan(index)
        assert list(index.rows) == rows, wanted


def test_a_filter_on_the_state_goes_with_the_state(tape: Tape) -> None:
    tape.call(1, "one")
    tape.call(2, "two")
    index = _index(tape)
    index.set_filter(parse('"pending"'))
    _scan(index)
    assert list(index.rows) == [1, 2]
    tape.answer(1, {})
    index.take(10)
    assert list(index.rows) == [2]
    index.set_filter(parse('"lost"'))
    _scan(index)
    tape.call(3, "three")
    tape.error(3, -32001, "x")
    index.take(10)
    assert list(index.rows) == []
    index.set_filter(parse('"error -32001"'))
    _scan(index)
    assert list(index.rows) == [4]


def test_folding_and_filtering_go_together(tape: Tape) -> None:
    _two_calls(tape)
    index = _index(tape)
    index.set_filter(parse('"progress"'))
    _scan(index)
    assert list(index.rows) == [1, 3, 2, 5]
    index.toggle_fold(1)
    assert list(index.rows) == [1, 2, 5]
    assert index.folded == {1: 1}


def test_a_hundred_thousand_entries_are_taken_in(tape: Tape) -> None:
    tape.call(1, "slow")
    for number in range(50_000):
        tape.notify("notifications/progress", {"progressToken": 1, "progress": number})
        tape.notify("notifications/resources/updated", {"uri": "a://b"})
    tape.answer(1, {})
    index = _index(tape)
    assert len(index.rows) == 3
    index.toggle_fold(3)
    assert len(index.rows) == 50_002
    index.show(tree=False, facts=True)
    assert len(index.rows) == 100_002


STEPS = ("call", "answer", "error", "progress", "message", "cancel", "question", "reply", "stderr", "junk", "fact")


def play(tape: Tape, step: str, id_: int) -> Any:
    match step:
        case "call":
            return tape.call(id_, "x")
        case "answer":
            return tape.answer(id_, {})
        case "error":
            return tape.error(id_, -1, "x")
        case "progress":
            return tape.notify("notifications/progress", {"progressToken": id_, "progress": 1})
        case "message":
            return tape.notify("notifications/message", {"data": "x"})
        case "cancel":
            return tape.notify("notifications/cancelled", {"requestId": id_}, by_client=True)
        case "question":
            return tape.server_request(id_, "roots/list")
        case "reply":
            return tape.client_answer(id_, {})
        case "stderr":
            return tape.stderr(b"x")
        case "junk":
            return tape.from_server(b"\xff")
        case _:
            return tape.posted(id_)


@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(1, 3)), max_size=30),
    st.randoms(use_true_random=False),
    st.booleans(),
    st.sampled_from(["", "x", "progress", "call", "pending", "error"]),
)
def test_rows_that_grew_are_the_rows_that_would_be_made_anew(
    steps: list[tuple[str, int]], chance: random.Random, tree: bool, wanted: str
) -> None:
    tape = Tape()
    grown = RowIndex(tape.journal, tree=tree, facts=True)
    grown.set_filter(parse(wanted))
    for step, id_ in steps:
        play(tape.wait(1), step, id_)
        if chance.random() < 0.4:
            grown.take(chance.randint(1, 3))
    grown.take(1000)
    anew = _index(tape, tree=tree, stretch_bytes=300)
    anew.set_filter(parse(wanted))
    _scan(anew)
    tape.journal.close()
    assert list(grown.rows) == list(anew.rows)
    assert [anew.key(n) for n in anew.rows] == sorted({anew.key(n) for n in anew.rows})


@pytest.mark.parametrize("tree", [True, False])
def test_an_empty_journal_has_no_rows(tape: Tape, tree: bool) -> None:
    index = _index(tape, tree=tree)
    assert [len(index.rows), index.position(5), index.find(1), index.filter.matches] == [0, -1, None, 0]


@pytest.mark.parametrize("tree", [True, False])
@pytest.mark.parametrize("open_calls", [0, 1, 2])
def test_floods_are_rows_where_each_message_alone_would_be_one(tape: Tape, tree: bool, open_calls: int) -> None:
    live = RowIndex(tape.journal, tree=tree, facts=True)
    for id_ in range(open_calls):
        tape.call(id_, "a")
    tape.flood(300)
    live.take(1_000_000)
    tape.wait(1).answer(0, {})
    tape.wait(1).flood(300)
    live.take(1_000_000)
    slow = RowIndex(tape.journal, tree=tree, facts=True)
    while slow.take(1):
        pass
    assert list(live.rows) == list(slow.rows)
    assert (live.places.roots, live.places.flags) == (slow.places.roots, slow.places.flags)


@pytest.mark.parametrize("tree", [True, False])
def test_floods_of_stderr_are_rows_and_runs_where_each_line_alone_would_be(
    tape: Tape, tree: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = RowIndex(tape.journal, tree=tree, facts=True)
    lines = [(b"%d" % n, Eol.LF) for n in range(600)]
    for _ in range(2):
        tape.flood(6)  # which the lines interrupt
        tape.call(tape.journal.count, "a")
        tape.journal.stderr_lines(lines)
        while fast.take(256):
            pass
    tape.flood(6)
    fast.take(10)
    slow = RowIndex(tape.journal, tree=tree, facts=True)
    monkeypatch.setattr(Tree, "take_run", lambda self, first, last: -1)
    slow.take(1_000_000)
    assert list(fast.rows) == list(slow.rows)
    assert len(fast.rows) < 30 if tree else len(fast.rows) > 1200
    assert (fast.places.roots, fast.places.flags) == (slow.places.roots, slow.places.flags)


def test_a_flood_within_a_folded_call_is_hidden(tape: Tape) -> None:
    index = RowIndex(tape.journal, tree=True, facts=True)
    call = tape.call(1, "a")
    index.take(10)
    index.toggle_fold(call)
    tape.flood(300)
    index.take(1000)
    assert (list(index.rows), index.folded[call]) == ([call], 1)
