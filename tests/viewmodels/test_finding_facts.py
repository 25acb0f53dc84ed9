"""A finding in words, whatever it quotes."""

from inspector.checks.findings import Confidence, Finding, Severity
from inspector.viewmodels.finding_facts import (
    finding_line,
    finding_section,
    findings_text,
    place_of,
    sign_of,
    title_of,
)
from inspector.viewmodels.lines import plain

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
