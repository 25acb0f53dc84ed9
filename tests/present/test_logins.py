"""The ladder as lines: a sign and a word for each verdict, requests, paragraphs, what to do."""

import io
import json

import pytest

from inspector.auth.steps import AccessToken, Client, LoginStep, StepVerdict, StoredLogin
from inspector.present.logins import (
    as_data,
    expired,
    ladder_section,
    link_section,
    login_data,
    login_line,
    login_sections,
    qr_lines,
    read_link,
    step_lines,
    steps_end,
    too_small,
)
from inspector.present.spans import Section, plain, section_lines
from tests.auth.test_tokens import jwt

GOOD = LoginStep("challenge", StepVerdict.GOOD, "bearer", "POST https://a/mcp", 401, "RFC 1", "")
ODD = LoginStep("clock", StepVerdict.ODD, "7 min ahead", clause="RFC 2", fix="Set it.")
MISSING = LoginStep("metadata", StepVerdict.MISSING, "404", "GET https://a/x?token=s3cret", 404)
BROKEN = LoginStep("PKCE", StepVerdict.BROKEN, "no \x1b[31mS256", "GET https://b/", 0, "RFC 3", "List it.")


def told(*login_steps: LoginStep, brief: bool = False) -> str:
    return "\n".join(map(plain, step_lines(login_steps, brief=brief)))


def test_login_steps_show_result_request_and_fix() -> None:
    assert told(GOOD, BROKEN).split("\n") == [
        "✓ challenge  bearer",
        "    POST https://a/mcp  401",
        "    RFC 1",
        "✗ PKCE  no ␛[31mS256",
        "    GET https://b/  no response",
        "    RFC 3",
        "    → List it.",
    ]


def test_brief_login_steps_show_good_ones_on_one_line() -> None:
    assert told(GOOD, ODD, brief=True).split("\n") == [
        "✓ challenge  bearer",
        "▲ clock  7 min ahead",
        "    RFC 2",
        "    → Set it.",
    ]


def test_addresses_are_shown_without_what_gives_access() -> None:
    assert "s3cret" not in told(MISSING)
    assert "s3cret" not in str(as_data([MISSING]))


def test_steps_end_names_the_broken_step() -> None:
    assert steps_end([GOOD, BROKEN]) == "Fails at: PKCE."
    assert steps_end([GOOD, ODD]) == "Works, with deviations from the standard: clock."
    assert steps_end([GOOD]) == "All steps OK."
    assert steps_end([]) == ""


def test_outcome_of_steps_without_a_response_or_without_metadata_is_unclear() -> None:
    silent = LoginStep("metadata", StepVerdict.MISSING, "no response", request="GET http://h/m")
    assumed = LoginStep("metadata", StepVerdict.ASSUMED, "none; assuming the default endpoints")
    assert steps_end([GOOD, silent, ODD]) == "Unclear: no response at metadata."
    assert steps_end([GOOD, assumed, ODD]).startswith("Unclear: no OAuth metadata")
    assert steps_end([GOOD, assumed], climbed=True) == "Works, with deviations from the standard: metadata."


def test_a_renewal_that_failed_before_a_login_that_did_not_breaks_nothing() -> None:
    assert steps_end([BROKEN, GOOD], climbed=True) == "All steps OK."
    assert ladder_section([BROKEN, GOOD]).note == "All steps OK."
    assert ladder_section([GOOD, BROKEN]).note == "Fails at: PKCE."


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


def shown(url: str) -> str:
    return "\n".join(map(plain, section_lines(link_section(read_link(url)))))


@pytest.mark.parametrize(
    ("url", "host", "opened"),
    [
        ("https://example.com/pay?id=1#x", "example.com", "https://example.com/pay?id=1#x"),
        ("HTTP://Example.com:8080/a", "example.com:8080", "http://example.com:8080/a"),
        ("https://[::1]:9/", "[::1]:9", "https://[::1]:9/"),
        ("https://bücher.example/ü", "xn--bcher-kva.example", "https://xn--bcher-kva.example/%C3%BC"),
        ("https://good.example@evil.example/", "evil.example", "https://evil.example/"),
        ("https://a.example/-x;rm%20-rf", "a.example", "https://a.example/-x;rm%20-rf"),
    ],
)
def test_a_web_address_is_opened_at_the_host_that_is_shown(url: str, host: str, opened: str) -> None:
    link = read_link(url)
    assert (link.host, link.openable, link.why_not) == (host, opened, "")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "no URL"),
        ("javascript:alert(1)", "not javascript"),
        ("file:///etc/passwd", "not file"),
        ("--help", "not this"),
        ("https://", "no valid host"),
        ("https://a b/", "spaces"),
        ("https://a.example/\x1b[31m", "control characters"),
        ("https://good.example\\@evil.example", "backslash"),
        ("https://a.example:x/", "invalid URL"),
        ("https://[::1/", "invalid URL"),
        ("https://" + "a" * 9000, "longer than"),
        ("https://" + "ü" * 80 + ".example", "no valid host"),
    ],
)
def test_unsafe_link_is_not_opened_with_a_reason(url: str, why: str) -> None:
    link = read_link(url)
    assert why in link.why_not
    assert link.openable == ""
    assert "not opened" in shown(url)


def test_suspicious_link_has_a_warning() -> None:
    assert "host    xn--80ak6aa92e.example" in shown("https://аррӏе.example/")
    assert "letters of another alphabet" in shown("https://xn--80ak6aa92e.example/")
    assert "not the host; it is not sent" in shown("https://bank.example@evil.example/")
    assert "not encrypted" in shown("http://a.example/")
    assert "beware" not in shown("https://a.example/")
    assert "beware" not in shown("http://127.0.0.1:17400/") + shown("http://[::1]:80/")


def test_the_whole_url_is_shown_and_nothing_in_it_acts() -> None:
    url = "https://a.example/" + "x" * 3000 + "?end"
    assert url in shown(url)
    assert "\x1b" not in shown("https://a.example/\x1b]8;;x")


URL, ISSUER, NOW = "https://api.example/mcp", "https://as.example", 10_000.0
SECRET = jwt(aud="https://other.example", sub="ann", exp=NOW + 120, iat=NOW - 60, phone="555")
CLIENTS = {ISSUER: Client("us", "client-s3cret", "client_secret_basic", registered=True)}


def token(**changes: object) -> AccessToken:
    members = {"refresh_token": "renews-s3cret", "expires_at": NOW + 3600, "asked": ("read", "write"), "resource": URL}
    return AccessToken(SECRET, ISSUER, **(members | changes))  # type: ignore[arg-type]


def logins_told(sections: tuple[Section, ...]) -> str:
    return "\n".join(plain(line) for section in sections for line in section_lines(section))


def test_stored_login_shows_issuer_and_scope_without_token() -> None:
    shown = logins_told(login_sections(URL, StoredLogin(token(), CLIENTS), NOW))
    for word in (ISSUER, "read write", "for 1h 00m", "yes, automatically", "us", "registered by mcp-inspect"):
        assert word in shown
    assert SECRET not in shown
    assert "s3cret" not in shown
    assert SECRET[:4] in shown


def test_token_claims_are_marked_unverified() -> None:
    shown = logins_told(login_sections(URL, StoredLogin(token()), NOW))
    assert "not verified" in shown
    assert "in 2m 00s" in shown
    assert "https://other.example" in shown
    assert "555" not in shown
    assert f"it is for https://other.example, and not for {URL}" in shown


def test_expired_token_is_a_warning() -> None:
    old = token(expires_at=NOW - 90, refresh_token="")
    assert expired(old, NOW)
    shown = logins_told(login_sections(URL, StoredLogin(old), NOW))
    assert "expired 90.0 s ago" in shown
    assert "no: requires a new login" in shown
    assert login_line(URL, StoredLogin(old), NOW).role == "warning"


def test_missing_token_is_shown() -> None:
    assert "none stored" in logins_told(login_sections(URL, StoredLogin(None, CLIENTS), NOW))
    assert login_line(URL, StoredLogin(None, CLIENTS), NOW).value == "no token; client registered"
    assert login_data(URL, StoredLogin(), NOW)["token"] is None


def test_machines_get_no_secret_either() -> None:
    data = json.dumps(login_data(URL, StoredLogin(token(), CLIENTS), NOW))
    assert "s3cret" not in data
    assert SECRET not in data
    found = json.loads(data)
    assert found["token"]["claims"]["sub"] == "ann"
    assert found["token"]["claims_verified"] is False
    assert found["token"]["scopes"] == ["read", "write"]
    assert found["clients"][0]["client_id"] == "us"


def test_qr_code_is_square_with_a_margin() -> None:
    lines = qr_lines("https://as.example/authorize?client_id=us")
    width = len(lines[0])
    assert {len(line) for line in lines} == {width}
    assert len(lines) == (width + 1) // 2
    assert lines[0].strip() == ""
    assert set("".join(lines)) == set(" ▀▄█")


def test_qr_code_equals_the_standard_drawing() -> None:
    import segno

    url = "https://as.example/authorize?client_id=us"
    drawn = io.StringIO()
    segno.make(url, error="l", micro=False, boost_error=False).save(drawn, kind="txt", border=2)
    rows = drawn.getvalue().split()
    upper = "".join("1" if char in "▀█" else "0" for char in qr_lines(url)[3])
    lower = "".join("1" if char in "▄█" else "0" for char in qr_lines(url)[3])
    assert (upper, lower) == (rows[6], rows[7])


def test_oversized_qr_code_names_the_needed_cells() -> None:
    lines = qr_lines("https://as.example/" + "x" * 400)
    assert too_small(lines, 200, 100) == ""
    assert f"needs {len(lines[0])} × {len(lines)} cells" in too_small(lines, 80, 24)
    assert "too long" in too_small(qr_lines("x" * 5000), 500, 500)
