"""The list of findings: worst first, checks together, folded where there are many, and what is muted out of sight."""

from inspector.capture.store.history import History
from inspector.checks.findings import Severity
from inspector.config.remembered import Mute
from inspector.present.live_checks import JournalFindings, LiveChecks, PastChecks
from inspector.present.spans import plain, spans_width
from inspector.tui.screens.findings.model import FindingRows, Group, about, about_group, checked, counted
from tests.present.tape import Tape
from tests.present.test_live_checks import finding


def _found(tape: Tape) -> JournalFindings:
    found = JournalFindings(tape.journal)
    found.add([finding("tool-description", n, Severity.HINT, pointer=f"/x{chr(96 + n)}") for n in range(1, 7)])
    found.add(
        [
            finding("structured-content-invalid", 8),
            finding("unexpected-response", 9),
            finding("structured-content-invalid", 10, pointer="/result/x"),
        ]
    )
    return found


def _rows(found: JournalFindings) -> FindingRows:
    rows = FindingRows()
    assert rows.take(found)
    return rows


def _texts(rows: FindingRows, width: int = 100) -> list[str]:
    return [" ".join(plain(rows.row(index, width).spans).split()) for index in range(rows.count)]


def test_the_worst_come_first_and_those_of_a_check_stand_together(tape: Tape) -> None:
    rows = _rows(_found(tape))
    texts = _texts(rows)
    assert texts[0].startswith("▾ ✗ `structuredContent` does not match")
    assert texts[0].endswith("structured-content-invalid ×2")
    assert [text.split()[-1] for text in texts[1:3]] == ["#8", "/result/x"]
    assert texts[3].startswith("✗ something")
    assert texts[3].endswith("unexpected-response #9")
    assert texts[4:] == ["▸ · Tool has no description tool-description ×6"]
    assert not rows.take(rows._found)


def test_every_row_is_as_wide_as_it_may_be(tape: Tape) -> None:
    rows = _rows(_found(tape))
    for width in (20, 60, 160):
        assert {spans_width(rows.row(index, width).spans) for index in range(rows.count)} == {width}


def test_headings_fold_and_the_cursor_s_row_is_found_again(tape: Tape) -> None:
    found = _found(tape)
    rows = _rows(found)
    key = rows.key(rows.count - 1)
    rows.toggle_fold(0)
    assert rows.count == 3
    assert rows.index_of(key) == 2
    rows.toggle_fold(rows.index_of(key))
    assert rows.count == 3 + 6
    found.add([finding("A1", 3)])
    rows.take(found)
    assert isinstance(rows.item(rows.index_of(key)), Group)
    assert rows.item(99) is None


def test_words_choose_what_is_shown(tape: Tape) -> None:
    found = _found(tape)
    rows = _rows(found)
    for wanted, shown in (
        ("error structured-content-invalid", 2),
        ("#10", 1),
        ("hint", 6),
        ("description", 6),
        ("zebra", 0),
    ):
        rows.wanted = wanted
        rows.take(found)
        assert rows.shown == shown, wanted


def test_muted_findings_are_shown_on_demand(tape: Tape) -> None:
    found = _found(tape)
    rows = _rows(found)
    found.mute([Mute("structured-content-invalid", 8), Mute("tool-description")])
    rows.take(found)
    assert [text.split()[-1] for text in _texts(rows)] == ["#9", "/result/x"]
    rows.shows_muted = True
    rows.take(found)
    assert rows.shown == 9
    assert sum("muted" in text for text in _texts(rows)) == 2


def test_finding_heading_has_the_true_count(tape: Tape) -> None:
    class Counted(JournalFindings):
        def times(self, check: str) -> int:
            return 5000

    found = Counted(tape.journal)
    found.add([finding("unexpected-response", 1), finding("unexpected-response", 2)])
    assert _texts(_rows(found))[0].endswith("5,000 times")


def test_findings_of_one_fault_are_one_row_with_a_count(tape: Tape) -> None:
    found = JournalFindings(tape.journal)
    found.add([finding("unexpected-response", n) for n in (1, 2)])
    rows = _rows(found)
    key = rows.key(0)
    found.add([finding("unexpected-response", 3)])
    assert rows.take(found)
    (text,) = _texts(rows)
    assert text.endswith("unexpected-response #1 3 times")
    assert rows.shown == 1
    assert rows.index_of(key) == rows.reveal(finding("unexpected-response", 2)) == 0
    row = rows.item(0)
    assert not isinstance(row, Group)
    assert row is not None
    assert [each.frames for each in rows.occurrences(row)] == [(1,), (2,), (3,)]


def test_finding_rows_without_checks_are_empty() -> None:
    rows = FindingRows()
    rows.take(None)
    assert rows.count == 0


def test_each_severity_is_counted_and_the_muted_apart(tape: Tape) -> None:
    checks = LiveChecks(tape.journal)
    checks.add([finding("A", 1), finding("B", 1, Severity.WARNING), finding("B", 2, Severity.WARNING)])
    checks.add([finding("C", 2, Severity.WARNING)])
    checks.mute([Mute("A")])
    left, right = counted(checks)
    assert plain(left) == "Findings  ▲ 2 warnings"
    assert plain(right) == "1 muted, hidden"
    assert plain(counted(checks, shows_muted=True)[1]) == "1 muted, shown"
    assert plain(counted(None)[0]) == "Findings"


def test_findings_after_the_moment_are_counted_apart(tape: Tape) -> None:
    tape.started().from_server(b"hello")
    whole = LiveChecks(tape.journal)
    whole.catch_up()
    said = plain(counted(PastChecks(History(tape.journal).at(1), whole))[1])
    assert said == "1 more after this moment"


def test_check_progress_is_shown_at_each_stage(tape: Tape) -> None:
    checks = LiveChecks(tape.journal)
    tape.started()
    assert plain(checked(None, 2)[0]) == "Checks have not started."
    assert plain(checked(checks, 2)[0]) == "⋯ checked 0 of 2"
    checks.paused = True
    assert plain(checked(checks, 2)[0]) == "Paused: checked 0 of 2"
    checks.paused = False
    checks.catch_up()
    assert plain(checked(checks, 2)[0]).startswith("✓ ")
    assert plain(checked(checks, 2)[1]) == "2 entries checked"
    assert plain(checked(checks, 2, failed=True)[0]).startswith("✗ An internal error")
    checks.passed_over = 3
    assert plain(checked(checks, 2)[1]).startswith("3 long messages skipped")


def test_the_detail_of_a_group_names_the_places_it_affects() -> None:
    found = tuple(finding("tool-description", n, Severity.HINT) for n in range(1, 7))
    group = Group(Severity.HINT, "tool-description", found)
    named = {fact.key: fact.value for fact in about(group, [f"tool {n}" for n in range(10)]).facts}
    assert named["Affects"].startswith("tool 0, tool 1, ")
    assert named["Affects"].endswith("tool 7 and 2 more")
    section = about_group(Group(Severity.HINT, "tool-description", found))
    facts = {fact.key: fact.value for fact in section.facts}
    assert section.title == "Tool has no description"
    assert facts["Check"] == "tool-description"
    assert facts["Affects"] == "6 places: #1, #2, #3 and 3 more"


def test_checks_that_had_something_to_examine_and_found_nothing_passed(tape: Tape) -> None:
    checks = LiveChecks(tape.journal)
    assert checks.coverage == (0, 0)
    tape.started().call(1, "a")
    tape.answer(1, {"content": [{"type": "text", "text": "fine"}]})
    checks.catch_up()
    passed, unobserved = checks.coverage
    assert passed > 0
    assert unobserved > 0
    tape.from_server(b"hello")
    checks.catch_up()
    assert checks.coverage[1] < unobserved
    assert {"stdout-not-json"} <= {each.id for each in checks.all}
