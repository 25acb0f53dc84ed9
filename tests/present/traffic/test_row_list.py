"""Rows that come, go and fold, apart from any filter."""

from inspector.present.traffic.index import RowList
from inspector.present.traffic.tree import IN_TREE, Tree
from tests.present.tape import Tape


def _rows(tape: Tape) -> RowList:
    rows = RowList(Tree(tape.journal), tree=True)
    rows.places.take_many(1, tape.journal.count)
    rows.state.extend(bytes(tape.journal.count))
    rows.merge(n for n in range(1, tape.journal.count + 1) if rows.places.flags[n] & IN_TREE)
    return rows


def _two_calls(tape: Tape) -> None:
    tape.call(1, "a")
    tape.call(2, "b")
    for id_ in (1, 2, 1):
        tape.notify("notifications/progress", {"progressToken": id_, "progress": 1})
    tape.server_request(7, "roots/list")


def test_row_positions_follow_blocks(tape: Tape) -> None:
    _two_calls(tape)
    rows = _rows(tape)
    assert list(rows.rows) == [1, 3, 2, 4, 6]
    assert [rows.position(rows.key(n)) for n in rows.rows] == [0, 1, 2, 3, 4]
    assert rows.position(-1) == -1


def test_a_block_folds_and_unfolds_at_its_place(tape: Tape) -> None:
    _two_calls(tape)
    rows = _rows(tape)
    before = rows.generation
    rows.toggle_fold(3)
    assert (list(rows.rows), rows.folded) == ([1, 2, 4, 6], {1: 1})
    assert rows.generation > before
    rows.toggle_fold(2)
    rows.toggle_fold(1)
    assert (list(rows.rows), rows.folded) == ([1, 3, 2, 6], {2: 1})
    rows.toggle_fold(2)
    assert list(rows.rows) == [1, 3, 2, 4, 6]


def test_merge_ignores_known_rows(tape: Tape) -> None:
    _two_calls(tape)
    rows = _rows(tape)
    rows.merge([1, 2, 3])
    assert list(rows.rows) == [1, 3, 2, 4, 6]


def test_a_list_without_a_filter_folds_its_runs(tape: Tape) -> None:
    rows = RowList(Tree(tape.journal), tree=True)
    assert rows.folds_runs
    rows.tree = False
    assert not rows.folds_runs
