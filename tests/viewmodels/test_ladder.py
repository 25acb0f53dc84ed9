"""The ladder as lines: a sign and a word for each verdict, requests, paragraphs, what to do."""

from inspector.auth.steps import Rung, Verdict
from inspector.viewmodels.ladder import as_data, ladder_end, ladder_lines, ladder_section
from inspector.viewmodels.lines import plain

GOOD = Rung("challenge", Verdict.GOOD, "bearer", "POST https://a/mcp", 401, "RFC 1", "")
ODD = Rung("clock", Verdict.ODD, "7 min ahead", clause="RFC 2", fix="Set it.")
MISSING = Rung("metadata", Verdict.MISSING, "404", "GET https://a/x?token=s3cret", 404)
BROKEN = Rung("PKCE", Verdict.BROKEN, "no \x1b[31mS256", "GET https://b/", 0, "RFC 3", "List it.")


def told(*rungs: Rung, brief: bool = False) -> str:
    return "\n".join(map(plain, ladder_lines(rungs, brief=brief)))


def test_each_rung_says_what_came_where_and_what_to_do() -> None:
    assert told(GOOD, BROKEN).split("\n") == [
        "✓ challenge  bearer",
        "    POST https://a/mcp  401",
        "    RFC 1",
        "✗ PKCE  no ␛[31mS256",
        "    GET https://b/  no answer",
        "    RFC 3",
        "    → List it.",
    ]


def test_in_brief_what_is_well_takes_one_line() -> None:
    assert told(GOOD, ODD, brief=True).split("\n") == [
        "✓ challenge  bearer",
        "▲ clock  7 min ahead",
        "    RFC 2",
        "    → Set it.",
    ]


def test_addresses_are_shown_without_what_gives_access() -> None:
    assert "s3cret" not in told(MISSING)
    assert "s3cret" not in str(as_data([MISSING]))


def test_what_it_comes_to_names_the_rung_that_breaks() -> None:
    assert ladder_end([GOOD, BROKEN]) == "It breaks at: PKCE."
    assert ladder_end([GOOD, ODD]) == "It holds; against the standard: clock."
    assert ladder_end([GOOD]) == "Nothing is broken on the way."
    assert ladder_end([]) == ""


def test_a_renewal_that_failed_before_a_login_that_did_not_breaks_nothing() -> None:
    assert ladder_end([BROKEN, GOOD], climbed=True) == "Nothing is broken on the way."
    assert ladder_section([BROKEN, GOOD]).note == "Nothing is broken on the way."
    assert ladder_section([GOOD, BROKEN]).note == "It breaks at: PKCE."


def test_machines_get_the_same() -> None:
    assert as_data([BROKEN])[0] | {"found": ""} == {
        "step": "PKCE",
        "verdict": "broken",
        "found": "",
        "request": "GET https://b/",
        "status": None,
        "clause": "RFC 3",
        "fix": "List it.",
    }
