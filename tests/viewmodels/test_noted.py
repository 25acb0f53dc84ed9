"""Marks and views as rows."""

import pytest

from inspector.capture.filters.parse import parse
from inspector.capture.notes import COLOURS, Mark, Notes, View
from inspector.viewmodels.log import LogModel
from inspector.viewmodels.noted import NotedRows, mark_spans, next_colour, role_of
from tests.viewmodels.tape import Tape


def row(rows: NotedRows, index: int) -> str:
    return "".join(text for text, _ in rows.row(index, 110).spans).rstrip()


def test_marks_come_in_their_order_then_views_by_name(tape: Tape) -> None:
    tape.call(1, "dig")
    tape.answer(1, {})
    tape.stderr(b"oops")
    marks = {1: Mark(1, "red", "first\x1b[2J"), 3: Mark(3), 99: Mark(99, "blue", "gone")}
    rows = NotedRows(tape.journal, Notes(marks, (View("b", "is:error"), View("a", tree=False, columns=("what",))), 3))
    assert rows.count == 5
    assert "★ red" in row(rows, 0)
    assert "first␛[2J" in row(rows, 0)
    assert "tools/call dig" in row(rows, 0)
    assert "times count from here  stderr" in row(rows, 1)
    assert "no such entry" in row(rows, 2)
    assert [row(rows, at).split()[1] for at in (3, 4)] == ["a", "b"]
    assert "order of the wire, 1 columns" in row(rows, 3)
    assert isinstance(rows.item(3), View)
    assert rows.item(9) is None
    generation = rows.generation
    rows.show(Notes())
    assert (rows.count, rows.generation) == (0, generation + 1)


def test_each_colour_has_a_letter_of_its_own_beside_its_look() -> None:
    assert len({mark_spans(Mark(1, colour))[0][0] for colour in COLOURS}) == len(COLOURS)
    assert len({role_of(colour) for colour in COLOURS}) == len(COLOURS)
    assert [next_colour(colour) for colour in COLOURS] == [*COLOURS[1:], COLOURS[0]]


@pytest.mark.parametrize(("wanted", "entries"), [("mark", [1, 2]), ("mark == red", [2]), ("comment ~ late", [2])])
def test_marks_are_found_by_filters_and_seen_in_rows(tape: Tape, wanted: str, entries: list[int]) -> None:
    tape.call(1, "dig")
    tape.answer(1, {})
    tape.call(2, "dig")
    tape.journal.marks.update({1: Mark(1), 2: Mark(2, "red", "too late")})
    model = LogModel(tape.journal, tape.clock, tree=False)
    model.refresh()
    model.set_filter(parse(wanted))
    while model.filter_step():
        pass
    assert [model.entry_of(at) for at in range(model.count)] == entries
    tree = LogModel(tape.journal, tape.clock)
    tree.refresh()
    shown = "".join(text for text, _ in tree.row(0, 120).spans)
    assert "★y " in shown, "its own mark before that of its answer"
    del tape.journal.marks[1]
    assert "★r too late · " in "".join(text for text, _ in tree.row(0, 120).spans)
