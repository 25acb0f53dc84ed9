"""What a token says of itself: read without trust, shown without giving it away."""

import base64
import json
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest

from inspector.auth.claims import doubts, read_claims, shortened, skew_s, skew_sentence
from inspector.auth.wishes import Token

SERVER, ISSUER = "https://api.example/mcp", "https://as.example"


def jwt(**claims: object) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    return f"{part({'alg': 'none'})}.{part(claims)}.signature"


def test_the_claims_of_a_jwt_are_read_without_its_key() -> None:
    assert read_claims(jwt(aud=SERVER, exp=12)) == {"aud": SERVER, "exp": 12}


@pytest.mark.parametrize(
    "token", ["", "opaque", "a.b.c", "a..b", "ä.ö.ü", "e30.W10.x", "x" * 100_000, "a." + "W" * 50_000 + ".c"]
)
def test_what_is_no_jwt_has_no_claims(token: str) -> None:
    assert read_claims(token) is None


def test_of_a_token_its_ends_are_shown_and_of_a_short_one_nothing() -> None:
    token = "abcd" + "S" * 40 + "wxyz"
    assert shortened(token) == "abcd…wxyz (48 characters)"
    assert shortened("hunter2") == "(7 characters)"


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"aud": "https://other.example"}, f"it is for https://other.example, and not for {SERVER}"),
        ({"aud": ["https://other.example", SERVER]}, ""),
        ({"aud": "https://api.example"}, ""),
        ({"iss": "https://evil.example"}, f"its issuer is https://evil.example, and {ISSUER} gave it"),
        ({"iss": f"{ISSUER}/"}, ""),
        ({"nbf": 2000}, "it begins to be good in 1000 s: are both clocks right?"),
        ({"exp": 400}, "it expired 600 s ago"),
        ({"exp": True, "aud": 7, "nbf": "soon"}, ""),
        ({"aud": "http://[broken"}, f"it is for http://[broken, and not for {SERVER}"),
    ],
)
def test_what_would_have_a_server_refuse_it_is_said(claims: dict[str, object], said: str) -> None:
    assert "; ".join(doubts(Token(jwt(**claims), ISSUER), SERVER, 1000.0)) == said


def test_an_opaque_token_is_doubted_by_what_was_said_of_it() -> None:
    assert list(doubts(Token("opaque", ISSUER, expires_at=990.0), SERVER, 1000.0)) == ["it expired 10 s ago"]


def test_clocks_that_differ_are_told_by_the_date_of_an_answer() -> None:
    date = format_datetime(datetime.fromtimestamp(1000, UTC), usegmt=True)
    assert skew_s(date, 1420.0) == 420
    assert skew_sentence(420) == "our clock is 7 min ahead of the server's"
    assert skew_sentence(-420) == "our clock is 7 min behind the server's"
    assert skew_sentence(30) == ""
    assert skew_s("no date", 0.0) is None
    assert skew_s("", 0.0) is None
