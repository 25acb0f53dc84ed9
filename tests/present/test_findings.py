"""A finding in words, whatever it quotes."""

from itertools import chain

from inspector.checks import catalog
from inspector.checks.catalog import all_checks
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.present.findings import (
    check_lines,
    failure_in,
    finding_line,
    finding_section,
    findings_text,
    group_lines,
    groups_of,
    place_of,
    summary,
    title_of,
    verdict_lines,
)
from inspector.present.spans import plain
from inspector.protocol.frames import Cause
from tests.present.tape import Tape

BAD = Finding(
    "structured-content-invalid",
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
    assert plain(finding_line(BAD)) == "▲ it says ␛[31mred␊and more  structured-content-invalid"
    assert plain(finding_line(BAD, 2)).endswith("+2 more")


def test_finding_section_has_all_facts() -> None:
    section = finding_section(BAD)
    facts = {fact.key: fact.value for fact in section.facts}
    assert section.title == title_of("structured-content-invalid")
    assert facts["Check"] == "structured-content-invalid"
    assert facts["Severity"] == "▲ Warning (likely)"
    assert facts["Evidence"] == "#35 /result/structuredContent, #34"
    assert facts["Spec"] == "https://example.test/page (2025-11-25)"
    assert "\x1b" not in repr(section).replace("\\x1b", "\x1b")
    assert "\x9b" not in facts["Fix"]


def test_a_place_may_be_bytes_or_nowhere() -> None:
    bytes_ = Finding("stdout-not-json", Severity.ERROR, Confidence.CERTAIN, "x", (5,), span=(0, 80))
    nowhere = Finding("server-silent", Severity.ERROR, Confidence.CERTAIN, "x")
    assert (place_of(bytes_), place_of(nowhere)) == ("#5 bytes 0–80", "")
    assert [fact.key for fact in finding_section(nowhere).facts] == ["Check", "Severity", "Found"]


def test_findings_are_pasted_as_plain_text() -> None:
    pasted = findings_text([BAD, BAD])
    assert pasted.count("structured-content-invalid") == 2
    assert "\x1b" not in pasted


def test_a_check_that_is_not_known_is_called_by_its_id() -> None:
    assert title_of("not-a-check") == "not-a-check"


_CERTAIN = Confidence.CERTAIN
_HINT = Finding("tool-description", Severity.HINT, _CERTAIN, "a has no description", (9,), "/result/tools/0")
_BAD = Finding(
    "stdout-not-json",
    Severity.ERROR,
    Confidence.GUESS,
    "it says \x1b[31mred",
    (4,),
    "",
    (0, 5),
    "Write to stderr.",
    "https://x",
)


def _text(*findings: Finding, **counts: int) -> list[str]:
    groups = (group_lines(group, CHECKS[group[0].id], counts) for group in groups_of(findings))
    return [plain(line).rstrip() for line in [*chain(*groups), summary(findings)]]


def test_the_worst_comes_first_and_the_sum_last() -> None:
    lines = _text(_HINT, _BAD)
    assert lines[0] == f"✗ {title_of('stdout-not-json')}  stdout-not-json"
    assert lines[-1] == "1 error, 1 hint"
    assert [group[0].id for group in groups_of([_HINT, _BAD])] == ["stdout-not-json", "tool-description"]


def test_finding_lines_have_evidence_fix_and_page() -> None:
    lines = _text(_BAD)
    assert lines[1].strip() == "it says ␛[31mred  #4 bytes 0–5  (guess)"
    assert lines[2].strip() == "→ Write to stderr."
    assert lines[3].strip() == "https://x"


def test_finding_lines_of_one_kind_are_limited_to_three() -> None:
    lines = _text(*[_HINT] * 7)
    assert "×7" in lines[0]
    assert sum("a has no description" in line for line in lines) == 3
    assert any("more of the same" in line for line in lines)


def test_summary_without_findings_is_ok() -> None:
    assert plain(summary([])) == "✓ No findings"


def test_each_check_is_a_line_that_fits_a_terminal() -> None:
    lines = [plain(line) for line in check_lines(all_checks())]
    assert len(lines) == len(CHECKS)
    assert max(map(len, lines)) <= 140
    assert any("server-request-not-allowed" in line and "from " in line for line in lines)


def test_check_with_mixed_severities_is_one_heading() -> None:
    mild = Finding("schema-dialect", Severity.HINT, _CERTAIN, "a declares draft-07", (9,))
    bad = Finding("schema-dialect", Severity.WARNING, _CERTAIN, "b answers by draft-07", (9,))
    lines = _text(mild, bad)
    assert [line[:2] for line in lines if "schema-dialect" in line] == ["! "]
    assert [line.strip() for line in lines[1:3]] == ["b answers by draft-07  #9", "(hint) a declares draft-07  #9"]
    assert lines[-1] == "1 warning, 1 hint"


assert catalog.AREAS


def _found(id_: str, frame: int, confidence: Confidence = Confidence.CERTAIN, connection: int = 1) -> Finding:
    sentence = f"{id_} \x1b[31m happened"
    return Finding(id_, Severity.ERROR, confidence, sentence, (frame,), connection=connection)


def _verdicts_text(*found: Finding) -> list[str]:
    return ["".join(text for text, _ in line) for line in verdict_lines(found, CHECKS, {})]


def test_cause_is_listed_before_its_consequence() -> None:
    lines = _verdicts_text(
        _found("stdout-not-json", 2),
        _found("exit-during-handshake", 3),
        _found("environment-variable-missing", 4, Confidence.LIKELY),
    )
    assert lines[0].endswith("  environment-variable-missing")
    assert lines[1].endswith("#4  (likely)")
    assert lines[2].startswith("        └ exit-during-handshake ␛[31m happened  #3  exit-during-handshake")
    assert "\x1b" not in "".join(lines)
    assert [line.split()[-1] for line in lines if line.startswith("✗")] == [
        "environment-variable-missing",
        "stdout-not-json",
    ]
    assert lines[-1] == "3 errors"


def test_consequence_in_another_connection_is_separate() -> None:
    lines = _verdicts_text(
        _found("environment-variable-missing", 1),
        _found("exit-during-handshake", 2),
        _found("exit-during-handshake", 9, connection=2),
    )
    assert [line.split()[-1] for line in lines if line.startswith("✗")] == [
        "environment-variable-missing",
        "exit-during-handshake",
    ]


def test_verdicts_without_findings_are_ok() -> None:
    assert _verdicts_text() == ["✓ No findings"]


def test_failure_in_ignores_probes_and_the_opening(tape: Tape) -> None:
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
    tape.request(8, "resources/read", {"uri": "a:b"}, cause=Cause.CHECK)
    tape.error(8, -32603, "a check is about it")
    tape.call(6, "sell")
    tape.error(6, -32603, "no")
    tape.request(7, "ping")
    tape.error(7, -32601, "a check is about it")
    assert failure_in(tape.journal) == "tools/call buy failed: error -32603: sold out (and 1 more)"
