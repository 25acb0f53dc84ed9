"""What is kept of a login, as facts: enough to understand a refusal, and never the token."""

import json

from inspector.auth.wishes import Client, Known, Token
from inspector.viewmodels.lines import Section, plain, section_lines
from inspector.viewmodels.logins import expired, login_data, login_line, login_sections
from tests.auth.test_claims import jwt

URL, ISSUER, NOW = "https://api.example/mcp", "https://as.example", 10_000.0
SECRET = jwt(aud="https://other.example", sub="ann", exp=NOW + 120, iat=NOW - 60, phone="555")
CLIENTS = {ISSUER: Client("us", "client-s3cret", "client_secret_basic", registered=True)}


def token(**changes: object) -> Token:
    members = {"refresh_token": "renews-s3cret", "expires_at": NOW + 3600, "asked": ("read", "write"), "resource": URL}
    return Token(SECRET, ISSUER, **(members | changes))  # type: ignore[arg-type]


def told(sections: tuple[Section, ...]) -> str:
    return "\n".join(plain(line) for section in sections for line in section_lines(section))


def test_who_gave_it_for_how_long_and_for_what_is_told_and_the_token_is_not() -> None:
    shown = told(login_sections(URL, Known(token(), CLIENTS), NOW))
    for word in (ISSUER, "read write", "for 1h 00m", "yes, without a person", "us", "registered by us"):
        assert word in shown
    assert SECRET not in shown
    assert "s3cret" not in shown
    assert SECRET[:4] in shown


def test_claims_are_read_and_said_to_be_unverified() -> None:
    shown = told(login_sections(URL, Known(token()), NOW))
    assert "not verified" in shown
    assert "in 2m 00s" in shown
    assert "https://other.example" in shown
    assert "555" not in shown
    assert f"it is for https://other.example, and not for {URL}" in shown


def test_a_token_whose_time_is_over_says_so() -> None:
    old = token(expires_at=NOW - 90, refresh_token="")
    assert expired(old, NOW)
    shown = told(login_sections(URL, Known(old), NOW))
    assert "expired 90.0 s ago" in shown
    assert "no: a new login" in shown
    assert login_line(URL, Known(old), NOW).role == "warning"


def test_without_a_token_that_is_said() -> None:
    assert "none is kept" in told(login_sections(URL, Known(None, CLIENTS), NOW))
    assert login_line(URL, Known(None, CLIENTS), NOW).value == "no token; a client is registered"
    assert login_data(URL, Known(), NOW)["token"] is None


def test_machines_get_no_secret_either() -> None:
    data = json.dumps(login_data(URL, Known(token(), CLIENTS), NOW))
    assert "s3cret" not in data
    assert SECRET not in data
    found = json.loads(data)
    assert found["token"]["claims"]["sub"] == "ann"
    assert found["token"]["claims_verified"] is False
    assert found["token"]["scopes"] == ["read", "write"]
    assert found["clients"][0]["client_id"] == "us"
