"""A finding in words, whatever it quotes."""

from inspector.checks import everything
from inspector.checks.everything import all_checks
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.present.findings import (
    check_lines,
    failure_in,
    finding_line,
    finding_lines,
    finding_section,
    findings_text,
    groups_of,
    place_of,
    sign_of,
    summary,
    title_of,
    verdict_lines,
)
from inspector.present.spans import plain
from tests.present.tape import Tape

BAD = Finding(
    "K07",
    Severity.WARNING,
    Confidence.LIKELY,
    "it says \x1b[31mred\nand more",
    (35, 34),
    "/result/structuredContent",
    fix="Say \x9bless.",
    page="https://example.test/page",
    revision="2025-11-25",
)


def test_a_line_has_a_sign_the_id_and_the_sentence() -> None:
    assert plain(finding_line(BAD)) == "▲ K07 it says ␛[31mred␊and more"
    assert plain(finding_line(BAD, 2)).endswith("+2 more")
    assert sign_of(Severity.ERROR)[0] == "✗"


def test_in_full_it_says_why_where_what_to_do_and_by_which_page() -> None:
    section = finding_section(BAD)
    facts = {fact.key: fact.value for fact in section.facts}
    assert section.title == f"K07  {title_of('K07')}"
    assert facts["severity"] == "▲ warning, likely"
    assert facts["evidence"] == "#35 /result/structuredContent"
    assert facts["see also"] == "#34"
    assert facts["page"] == "https://example.test/page"
    assert facts["judged by"] == "revision 2025-11-25"
    assert "\x1b" not in repr(section).replace("\\x1b", "\x1b")
    assert "\x9b" not in facts["fix"]


def test_a_place_may_be_bytes_or_nowhere() -> None:
    bytes_ = Finding("F-01", Severity.ERROR, Confidence.CERTAIN, "x", (5,), span=(0, 80))
    nowhere = Finding("L-04", Severity.ERROR, Confidence.CERTAIN, "x")
    assert (place_of(bytes_), place_of(nowhere)) == ("#5 bytes 0–80", "")
    assert [fact.key for fact in finding_section(nowhere).facts] == ["severity", "what"]


def test_findings_are_pasted_as_plain_text() -> None:
    pasted = findings_text([BAD, BAD])
    assert pasted.count("K07") == 2
    assert "\x1b" not in pasted


def test_a_check_that_is_not_known_is_called_by_its_id() -> None:
    assert title_of("ZZ99") == "ZZ99"


_CERTAIN = Confidence.CERTAIN
_HINT = Finding("T15", Severity.HINT, _CERTAIN, "a has no description", (9,), "/result/tools/0")
_BAD = Finding(
    "F-01", Severity.ERROR, Confidence.GUESS, "it says \x1b[31mred", (4,), "", (0, 5), "Write to stderr.", "https://x"
)


def _text(*findings: Finding, **counts: int) -> list[str]:
    return [plain(line).rstrip() for line in finding_lines(findings, CHECKS, counts)]


def test_the_worst_comes_first_and_the_sum_last() -> None:
    lines = _text(_HINT, _BAD)
    assert lines[0] == "✗ F-01 text on stdout that is no message"
    assert lines[-1] == "1 error, 1 hint"
    assert [group[0].id for group in groups_of([_HINT, _BAD])] == ["F-01", "T15"]


def test_each_is_told_with_its_evidence_its_fix_and_its_page() -> None:
    lines = _text(_BAD)
    assert lines[1].strip() == "it says ␛[31mred  #4 bytes 0–5  (guess)"
    assert lines[2].strip() == "→ Write to stderr."
    assert lines[3].strip() == "https://x"


def test_of_many_of_one_kind_three_are_told_and_all_are_counted() -> None:
    lines = _text(*[_HINT] * 7)
    assert "×7" in lines[0]
    assert sum("a has no description" in line for line in lines) == 3
    assert any("more of the same" in line for line in lines)


def test_nothing_found_is_said_too() -> None:
    assert plain(summary([])) == "✓ nothing found"


def test_each_check_is_a_line_that_fits_a_terminal() -> None:
    lines = [plain(line) for line in check_lines(all_checks())]
    assert len(lines) == len(CHECKS)
    assert max(map(len, lines)) <= 120
    assert any(line.startswith("E16") and "from " in line for line in lines)


def test_a_check_stands_once_however_bad_its_findings_are() -> None:
    mild = Finding("S-04", Severity.HINT, _CERTAIN, "a is labelled draft-07", (9,))
    bad = Finding("S-04", Severity.WARNING, _CERTAIN, "b answers by draft-07", (9,))
    lines = _text(mild, bad)
    assert [line[:6] for line in lines if "S-04" in line] == ["! S-04"]
    assert [line.strip() for line in lines[1:3]] == ["b answers by draft-07  #9", "(hint) a is labelled draft-07  #9"]
    assert lines[-1] == "1 warning, 1 hint"


assert everything.IMPORTED


def _found(id_: str, frame: int, confidence: Confidence = Confidence.CERTAIN, connection: int = 1) -> Finding:
    sentence = f"{id_} \x1b[31m happened"
    return Finding(id_, Severity.ERROR, confidence, sentence, (frame,), connection=connection)


def _verdicts_text(*found: Finding) -> list[str]:
    return ["".join(text for text, _ in line) for line in verdict_lines(found, CHECKS, {})]


def test_the_cause_stands_first_and_its_consequence_below_it() -> None:
    lines = _verdicts_text(_found("F-01", 2), _found("P-04", 3), _found("P-10", 4, Confidence.LIKELY))
    assert lines[0].startswith("✗ P-10")
    assert lines[1].endswith("#4  (likely)")
    assert lines[2].startswith("        └ P-04  P-04 ")
    assert "\x1b" not in "".join(lines)
    assert [line[:6] for line in lines if line.startswith("✗")] == ["✗ P-10", "✗ F-01"]
    assert lines[-1] == "3 errors"


def test_what_follows_in_one_connection_is_a_finding_of_its_own_in_another() -> None:
    lines = _verdicts_text(_found("P-10", 1), _found("P-04", 2), _found("P-04", 9, connection=2))
    assert [line[:6] for line in lines if line.startswith("✗")] == ["✗ P-10", "✗ P-04"]


def test_a_rule_that_has_another_name_says_so() -> None:
    assert _verdicts_text(_found("E08", 1))[0].endswith("(L-02)")


def test_nothing_found_is_said() -> None:
    assert _verdicts_text() == ["✓ nothing found"]


def test_what_failed_is_named_and_neither_a_probe_nor_the_way_to_a_session_counts(tape: Tape) -> None:
    tape.started().request(1, "server/discover", probe=True)
    tape.error(1, -32601, "no")
    tape.request(2, "initialize")
    tape.error(2, -32022, "no")
    tape.initialized("2025-11-25").request(3, "tools/list")
    tape.error(3, -32601, "no")
    tape.request(4, "tools/call", {"name": "x"}, probe=True)
    tape.error(4, -32602, "no")
    assert failure_in(tape.journal) == ""
    tape.call(5, "buy")
    tape.error(5, -32603, "sold out")
    tape.request(6, "ping")
    tape.error(6, -32603, "no")
    assert failure_in(tape.journal) == "tools/call buy failed, and 1 more"
