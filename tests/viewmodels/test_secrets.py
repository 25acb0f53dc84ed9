"""What is masked, and what is left to read."""

import pytest

from inspector.viewmodels.secrets import MASK, is_secret, masked_url, masked_value


@pytest.mark.parametrize(
    "name",
    [
        *("Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-API-Key", "x-auth-token", "DB_PASSWORD"),
        *("Ocp-Apim-Subscription-Key", "X-Functions-Key", "X-Auth", "AWS_ACCESS_KEY_ID", "DB_PASS", "Mcp-Session-Id"),
    ],
)
def test_names_that_give_access_are_secret(name: str) -> None:
    assert is_secret(name)
    assert "abc123" not in masked_value(name, "abc123")


@pytest.mark.parametrize("name", ["Content-Type", "Accept", "Mcp-Method", "Host", "X-Author", "Keyboard"])
def test_other_values_are_shown_as_they_are(name: str) -> None:
    assert masked_value(name, "application/json") == "application/json"


def test_of_a_secret_its_scheme_and_its_length_are_left() -> None:
    assert masked_value("Authorization", "Bearer abcdef") == f"Bearer {MASK} (6 characters)"
    assert masked_value("Authorization", "abcdef") == f"{MASK} (6 characters)"
    assert masked_value("Authorization", "") == "(empty)"


def test_a_value_that_is_shown_cannot_act() -> None:
    assert masked_value("Server", "x\x1b[31m") == "x␛[31m"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:pass@host/mcp", f"https://{MASK}@host/mcp"),
        ("https://host/mcp?token=abc&x=1", f"https://host/mcp?token={MASK}&x=1"),
        ("https://host/cb?state=1&code=abc#f", f"https://host/cb?state=1&code={MASK}#f"),
        ("https://host/mcp?api_key=abc", f"https://host/mcp?api_key={MASK}"),
        ("https://host/mcp?key=abc&monkey=1", f"https://host/mcp?key={MASK}&monkey=1"),
        ("/cb?session_key=abc", f"/cb?session_key={MASK}"),
        ("https://host/a\x1bb", "https://host/a␛b"),
        ("https://host/mail@x", "https://host/mail@x"),
    ],
)
def test_a_url_keeps_all_but_what_gives_access(url: str, shown: str) -> None:
    assert masked_url(url) == shown
    assert masked_value("Location", url) == shown


def test_an_endless_url_is_cut() -> None:
    assert len(masked_url("https://host/?" + "token" * 100_000)) < 2100
