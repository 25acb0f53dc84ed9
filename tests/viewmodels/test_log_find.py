"""Finding goes from row to row, around the end, and hides nothing."""

from inspector.viewmodels.log_find import LogFind
from inspector.viewmodels.log_index import RowIndex
from tests.viewmodels.tape import Tape


def looking(tape: Tape, text: str, *, tree: bool = True) -> tuple[LogFind, RowIndex]:
    index = RowIndex(tape.journal, tree=tree, facts=True)
    index.take(1000)
    find = LogFind(tape.journal, index, tape.clock)
    find.set(text)
    find.step()
    return find, index


def test_rows_are_gone_through_and_around(tape: Tape) -> None:
    for number, name in enumerate(("ape", "cat", "ape", "dog", "APE"), 1):
        tape.call(number, name)
    find, index = looking(tape, "ape")
    assert find.matches == 3
    assert [find.next(cursor) for cursor in (-1, 0, 2, 4)] == [0, 2, 4, 0]
    assert [find.next(cursor, back=True) for cursor in (4, 3, 0)] == [2, 2, 4]
    assert len(index.rows) == 5


def test_in_the_tree_an_answer_is_found_in_the_row_of_its_request(tape: Tape) -> None:
    tape.call(1, "a")
    tape.call(2, "b")
    tape.answer(1, {"text": "pearl"})
    find, index = looking(tape, "pearl")
    assert index.rows[find.next(-1) or 0] == 1
    find, index = looking(tape, "pearl", tree=False)
    assert [index.rows[row] for row in [find.next(-1)] if row is not None] == [3]


def test_what_comes_is_found_too(tape: Tape) -> None:
    tape.call(1, "a")
    find, index = looking(tape, "pearl")
    assert find.next(-1) is None
    tape.stderr(b"a pearl")
    index.take(10)
    find.step()
    assert find.next(-1) == 1


def test_nothing_is_looked_for_without_a_text(tape: Tape) -> None:
    tape.call(1, "a")
    find, _ = looking(tape, "")
    assert (find.matches, find.next(-1)) == (0, None)
    find.cancel()
