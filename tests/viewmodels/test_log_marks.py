"""The marks of the traffic list: on the row that shows the entry, as soon as it is one; and the way to the next."""

from inspector.capture.filters.parse import parse
from inspector.checks.findings import Severity
from inspector.config.mutes import Mute
from inspector.viewmodels.found import Found
from inspector.viewmodels.grades import mark
from inspector.viewmodels.lines import plain
from inspector.viewmodels.log import LogModel
from inspector.viewmodels.log_look import Look
from inspector.viewmodels.log_marks import shows_findings
from tests.viewmodels.tape import Tape
from tests.viewmodels.test_found import finding


def _model(tape: Tape, found: Found, *, tree: bool = True) -> LogModel:
    model = LogModel(tape.journal, tape.clock, tree=tree, found=lambda: found)
    model.refresh()
    model.marks.step()
    return model


def _talk(tape: Tape) -> Found:
    """1 call, 2 progress, 3 progress, 4 answer, 5 call, 6 answer; marks on 3, 4 (two) and 5."""
    tape.call(1, "a")
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 2})
    tape.answer(1, {"content": []})
    tape.call(2, "b")
    tape.answer(2, {"content": []})
    found = Found(tape.journal)
    hint = finding("N1", 3, Severity.HINT)
    found.add([hint, finding("K1", 4, Severity.WARNING), finding("K2", 4), finding("C1", 5, Severity.WARNING)])
    return found


def test_in_the_tree_a_row_has_the_worst_of_all_that_it_stands_for(tape: Tape) -> None:
    model = _model(tape, _talk(tape))
    rows = [plain(model.row(index, 80).spans) for index in range(model.count)]
    assert [row[9] for row in rows] == ["✗", "·", "▲"]
    assert plain(model.header(80))[9] == "⚑"
    assert [each.id for each in model.marks.of_row(1)] == ["K2", "K1"]


def test_in_the_order_of_the_wire_each_entry_has_its_own(tape: Tape) -> None:
    model = _model(tape, _talk(tape), tree=False)
    assert [model.marks.grade(n) for n in range(1, 7)] == [0, 0, 1, 3, 2, 0]


def test_the_worst_in_words_is_a_column_for_whoever_wants_it(tape: Tape) -> None:
    model = _model(tape, _talk(tape))
    model.look = Look(("what", "finding"))
    assert "K2 something (+1)" in plain(model.row(0, 100).spans)
    model.look = Look(("what", "=expert.id", "=expert"))
    assert "K2, K1" in plain(model.row(0, 100).spans)
    assert "error, warning" in plain(model.row(0, 100).spans)


def test_a_list_that_nobody_checks_has_no_column_of_marks(tape: Tape) -> None:
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


def test_of_a_folded_run_the_worst_is_seen(tape: Tape) -> None:
    last = tape.flood(40)
    found = Found(tape.journal)
    found.add([finding("G1", last - 3, Severity.WARNING)])
    model = _model(tape, found)
    assert model.count == 1
    assert plain(model.row(0, 80).spans)[9] == "▲"


def test_what_is_muted_has_no_mark_and_is_no_hit_until_it_is_heard_of_again(tape: Tape) -> None:
    found = _talk(tape)
    model = _model(tape, found)
    model.set_filter(parse("expert >= warning"))
    while model.filter_step():
        pass
    assert model.count == 2
    found.mute([Mute("K1"), Mute("K2")])
    model.marks.step()
    assert (model.count, model.marks.grade(1), model.marks.next(0)) == (1, 0, 0)
    found.mute([])
    model.marks.step()
    assert model.count == 2


def test_what_is_found_later_comes_into_a_filter_that_asks_for_it(tape: Tape) -> None:
    found = _talk(tape)
    model = _model(tape, found)
    model.set_filter(parse("any.expert.id == K9"))
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
    assert shows_findings(["took", "=expert.id"])
    assert shows_findings(["finding"])
    assert not shows_findings(["took", "=error.code"])
