"""Entries as rows: when added, after a change of view, and with a filter; always equal to a new index."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.checks.findings import Severity
from inspector.config.remembered import Mute
from inspector.filters.language.parser import parse
from inspector.present.live_checks import JournalFindings
from inspector.present.spans import plain
from inspector.present.traffic.columns import Appearance
from inspector.present.traffic.index import RowIndex
from inspector.present.traffic.log import LogModel
from inspector.present.traffic.marks import shows_findings
from inspector.present.traffic.tree import Tree
from inspector.present.words import mark
from inspector.protocol.frames import Eol
from tests.present.tape import Tape
from tests.present.test_live_checks import finding


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
    assert list(_index(tape).view.rows) == [1, 3, 2, 5, 8]
    assert list(_index(tape, tree=False).view.rows) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_the_same_rows_come_however_often_it_looks(tape: Tape) -> None:
    index = RowIndex(tape.journal, tree=True, facts=True)
    tape.call(1, "a")
    index.take(10)
    tape.call(2, "b")
    index.take(10)
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    assert index.take(10)
    assert not index.take(10)
    assert list(index.view.rows) == [1, 3, 2]


def test_growing_at_the_end_is_no_new_generation_and_moving_is(tape: Tape) -> None:
    index = _index(tape)
    before = index.view.generation
    tape.call(1, "a")
    tape.call(2, "b")
    index.take(10)
    assert index.view.generation == before
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    index.take(10)
    assert index.view.generation != before


def test_an_answer_that_comes_late_changes_rows_that_were_there(tape: Tape) -> None:
    tape.call(1, "a")
    tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    index = _index(tape, tree=False)
    before = index.view.generation
    tape.answer(1, {})
    index.take(10)
    assert index.view.generation != before


def test_no_more_than_the_limit_is_taken_in_at_once(tape: Tape) -> None:
    _two_calls(tape)
    index = RowIndex(tape.journal, tree=True, facts=True)
    assert index.take(3)
    assert index.taken == 3
    assert index.take(100)
    assert list(index.view.rows) == [1, 3, 2, 5, 8]


def test_a_view_without_facts_leaves_out_the_process(tape: Tape) -> None:
    tape.started()
    tape.posted(1)
    tape.stderr(b"x")
    index = _index(tape)
    assert list(index.view.rows) == [1, 2, 5]
    index.show(tree=False, facts=True)
    assert list(index.view.rows) == [1, 2, 3, 4, 5]
    index.show(tree=False, facts=False)
    assert list(index.view.rows) == [5]
    index.show(tree=True, facts=False)
    assert list(index.view.rows) == [5]


def test_a_folded_exchange_hides_and_counts_what_is_under_it(tape: Tape) -> None:
    _two_calls(tape)
    index = _index(tape)
    index.view.toggle_fold(3)
    assert list(index.view.rows) == [1, 2, 5, 8]
    assert index.view.folded == {1: 1}
    tape.server_request(9, "roots/list")
    tape.call(3, "c")
    tape.server_request(10, "roots/list")
    index.take(10)
    index.view.toggle_fold(10)
    assert list(index.view.rows) == [1, 2, 5, 8, 9, 10]
    assert index.view.folded == {1: 1, 10: 1}
    tape.notify("notifications/message", {"data": "x"})
    index.take(10)
    assert index.view.folded == {1: 1, 10: 2}
    index.view.toggle_fold(1)
    assert list(index.view.rows) == [1, 3, 2, 5, 8, 9, 10]


def test_every_entry_is_found_in_the_row_that_shows_it(tape: Tape) -> None:
    _two_calls(tape)
    index = _index(tape)
    shown = [index.find(n) for n in range(1, 9)]
    assert shown == [0, 2, 1, 1, 3, 2, 0, 4]
    assert [index.find(0), index.find(9)] == [None, None]
    assert [index.view.position(index.view.key(n)) for n in index.view.rows] == [0, 1, 2, 3, 4]


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
        assert list(index.view.rows) == rows, wanted
    index.show(tree=False, facts=True)
    index.set_filter(parse('"at last"'))
    _scan(index)
    assert list(index.view.rows) == [3]
    assert index.filter.matches == 1


def test_the_newest_are_found_first_and_slices_end_where_all_at_once_does(tape: Tape) -> None:
    for number in range(50):
        tape.call(number, f"tool-{number % 2}")
    index = _index(tape, stretch_bytes=600)
    index.set_filter(parse('"tool-1"'))
    assert index.filter_step()
    first = list(index.view.rows)
    assert first
    assert min(first) > 40
    _scan(index)
    assert list(index.view.rows) == list(range(2, 51, 2))


def test_filter_tests_new_entries(tape: Tape) -> None:
    index = _index(tape)
    index.set_filter(parse('"apple"'))
    _scan(index)
    tape.call(1, "apple")
    tape.call(2, "pear")
    tape.answer(2, {"content": [{"type": "text", "text": "an apple a day"}]})
    index.take(10)
    assert list(index.view.rows) == [1, 2]


def test_typing_on_looks_only_through_what_was_found(tape: Tape) -> None:
    for name in ("ape", "apple", "pear"):
        tape.call(1, name)
    index = _index(tape)
    for wanted, rows in [("ap", [1, 2]), ("app", [2]), ("ap", [1, 2]), ("ear", [3])]:
        index.set_filter(parse(wanted))
        _scan(index)
        assert list(index.view.rows) == rows, wanted


def test_a_filter_on_the_state_goes_with_the_state(tape: Tape) -> None:
    tape.call(1, "one")
    tape.call(2, "two")
    index = _index(tape)
    index.set_filter(parse('"pending"'))
    _scan(index)
    assert list(index.view.rows) == [1, 2]
    tape.answer(1, {})
    index.take(10)
    assert list(index.view.rows) == [2]
    index.set_filter(parse('"lost"'))
    _scan(index)
    tape.call(3, "three")
    tape.error(3, -32001, "x")
    index.take(10)
    assert list(index.view.rows) == []
    index.set_filter(parse('"error -32001"'))
    _scan(index)
    assert list(index.view.rows) == [4]


def test_folding_and_filtering_go_together(tape: Tape) -> None:
    _two_calls(tape)
    index = _index(tape)
    index.set_filter(parse('"progress"'))
    _scan(index)
    assert list(index.view.rows) == [1, 3, 2, 5]
    index.view.toggle_fold(1)
    assert list(index.view.rows) == [1, 2, 5]
    assert index.view.folded == {1: 1}


def test_ten_thousand_entries_are_taken_in(tape: Tape) -> None:
    tape.call(1, "slow")
    for number in range(5_000):
        tape.notify("notifications/progress", {"progressToken": 1, "progress": number})
        tape.notify("notifications/resources/updated", {"uri": "a://b"})
    tape.answer(1, {})
    index = _index(tape)
    assert len(index.view.rows) == 3
    index.view.toggle_fold(3)
    assert len(index.view.rows) == 5_002
    index.show(tree=False, facts=True)
    assert len(index.view.rows) == 10_002


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
def test_grown_rows_equal_rebuilt_rows(
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
    assert list(grown.view.rows) == list(anew.view.rows)
    assert [anew.view.key(n) for n in anew.view.rows] == sorted({anew.view.key(n) for n in anew.view.rows})


@pytest.mark.parametrize("tree", [True, False])
def test_an_empty_journal_has_no_rows(tape: Tape, tree: bool) -> None:
    index = _index(tape, tree=tree)
    assert [len(index.view.rows), index.view.position(5), index.find(1), index.filter.matches] == [0, -1, None, 0]


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
    assert list(live.view.rows) == list(slow.view.rows)
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
    assert list(fast.view.rows) == list(slow.view.rows)
    assert len(fast.view.rows) < 30 if tree else len(fast.view.rows) > 1200
    assert (fast.places.roots, fast.places.flags) == (slow.places.roots, slow.places.flags)


def test_a_flood_within_a_folded_call_is_hidden(tape: Tape) -> None:
    index = RowIndex(tape.journal, tree=True, facts=True)
    call = tape.call(1, "a")
    index.take(10)
    index.view.toggle_fold(call)
    tape.flood(300)
    index.take(1000)
    assert (list(index.view.rows), index.view.folded[call]) == ([call], 1)


def _model(tape: Tape, found: JournalFindings, *, tree: bool = True) -> LogModel:
    model = LogModel(tape.journal, tape.clock, tree=tree, found=lambda: found)
    model.refresh()
    model.marks.step()
    return model


def _talk(tape: Tape) -> JournalFindings:
    """1 call, 2 progress, 3 progress, 4 answer, 5 call, 6 answer; marks on 3, 4 (two) and 5."""
    tape.call(1, "a")
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 2})
    tape.answer(1, {"content": []})
    tape.call(2, "b")
    tape.answer(2, {"content": []})
    found = JournalFindings(tape.journal)
    hint = finding("N1", 3, Severity.HINT)
    found.add([hint, finding("K1", 4, Severity.WARNING), finding("K2", 4), finding("C1", 5, Severity.WARNING)])
    return found


def test_tree_row_has_the_worst_finding_of_its_entries(tape: Tape) -> None:
    model = _model(tape, _talk(tape))
    rows = [plain(model.row(index, 80).spans) for index in range(model.count)]
    assert [row[6] for row in rows] == ["✗", "·", "▲"]
    assert plain(model.header(80))[6] == "⚑"
    assert [each.id for each in model.marks.of_row(1)] == ["K2", "K1"]


def test_wire_row_has_its_own_finding(tape: Tape) -> None:
    model = _model(tape, _talk(tape), tree=False)
    assert [model.marks.grade(n) for n in range(1, 7)] == [0, 0, 1, 3, 2, 0]


def test_finding_column_names_the_worst(tape: Tape) -> None:
    model = _model(tape, _talk(tape))
    model.look = Appearance(("what", "finding"))
    assert "K2 something (+1)" in plain(model.row(0, 100).spans)
    model.look = Appearance(("what", "=finding", "=severity"))
    assert "K2, K1" in plain(model.row(0, 100).spans)
    assert "error, warning" in plain(model.row(0, 100).spans)


def test_list_without_findings_has_no_marks_column(tape: Tape) -> None:
    _talk(tape)
    model = LogModel(tape.journal, tape.clock)
    model.refresh()
    assert "⚑" not in plain(model.header(100))
    model.marks.step()
    assert (model.marks.grade(1), model.marks.next(0)) == (0, None)


def test_one_goes_from_finding_to_finding(tape: Tape) -> None:
    model = _model(tape, _talk(tape))
    assert [model.marks.next(n) for n in (0, 1, 2, 5)] == [0, 1, 2, None]
    assert [model.marks.next(n, back=True) for n in (5, 1)] == [1, None]
    model.show(tree=False)
    assert [model.marks.next(n) for n in (0, 3, 4, 5)] == [2, 3, 4, None]


def test_a_mark_waits_for_its_row(tape: Tape) -> None:
    found = _talk(tape)
    model = LogModel(tape.journal, tape.clock, found=lambda: found)
    model.refresh(limit=2)
    model.marks.step()
    assert model.marks.grade(1) == 0
    model.refresh()
    model.marks.step()
    assert model.marks.grade(1) == 3


def test_folded_run_shows_its_worst_finding(tape: Tape) -> None:
    last = tape.flood(40)
    found = JournalFindings(tape.journal)
    found.add([finding("G1", last - 3, Severity.WARNING)])
    model = _model(tape, found)
    assert model.count == 1
    assert plain(model.row(0, 80).spans)[6] == "▲"


def test_muted_finding_has_no_mark_and_no_match(tape: Tape) -> None:
    found = _talk(tape)
    model = _model(tape, found)
    model.set_filter(parse("severity >= warning"))
    while model.filter_step():
        pass
    assert model.count == 2
    found.mute([Mute("K1"), Mute("K2")])
    model.marks.step()
    assert (model.count, model.marks.grade(1), model.marks.next(0)) == (1, 0, 0)
    found.mute([])
    model.marks.step()
    assert model.count == 2


def test_late_finding_enters_a_filter(tape: Tape) -> None:
    found = _talk(tape)
    model = _model(tape, found)
    model.set_filter(parse("any.finding == K9"))
    while model.filter_step():
        pass
    assert model.count == 0
    found.add([finding("K9", 6)])
    model.marks.step()
    assert [model.entry_of(index) for index in range(model.count)] == [5]


def test_each_grade_has_a_sign_of_its_own_one_cell_wide() -> None:
    signs = [mark(grade)[0] for grade in range(1, 4)]
    assert len(set(signs)) == 3
    assert {len(sign) for sign in signs} == {1}


def test_columns_of_findings_are_known_by_their_names() -> None:
    assert shows_findings(["took", "=finding"])
    assert shows_findings(["finding"])
    assert not shows_findings(["took", "=error.code"])
