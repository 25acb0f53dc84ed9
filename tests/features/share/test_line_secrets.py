"""The tokens of known issuers are known by their form, and hostile texts cost no more than their length."""

import pytest

from inspector.features.share import line_secrets
from inspector.protocol import token_shapes

TOKENS = {
    "private key": "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----",
    "putty key": "0123456789abcdef0123456789abcdef01234567",
    "jwt": "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
    "github": "github_pat_11ABCDEFG0123456789_abcdef",
    "gitlab": "glpat-abcdefghij0123456789",
    "anthropic": "sk-ant-api03-abcdefghijklmnop",
    "openai": "sk-abcdefghijklmnopqrst0123",
    "stripe": "sk_live_0123456789abcdef",
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "slack": "xoxp-123456789012-abcdef",
    "slack webhook": "T00000000/B00000000/XXXXXXXXXXXX",
    "discord webhook": "123456789012345678/abcdefghijklmnopqrst_0123",
    "google": "ya29.a0AfH6SMBexample",
    "npm": "npm_abcdefghijklmnopqrstuvwxyz0123456789",
    "pypi": "pypi-AgEIcHlwaS5vcmcCJD",
    "hugging face": "hf_abcdefghijklmnopqrstuvwx",
    "sendgrid": "SG.abcdefghijklmnopqrst.abcdefghijklmnopqrst",
    "digitalocean": "dop_v1_0123456789abcdef0123456789abcdef",
    "telegram": "123456789:AAabcdefghijklmnopqrstuvwxyz0123456",
    "age": "AGE-SECRET-KEY-1ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEF",
}


@pytest.mark.parametrize("kind", token_shapes.KINDS)
def test_a_token_is_known_by_its_form(kind: str) -> None:
    token = TOKENS[kind]
    places = {
        "putty key": "Private-MAC: ",
        "slack webhook": "https://hooks.slack.com/services/",
        "discord webhook": "https://discord.com/api/webhooks/",
    }
    text = f"see {places[kind]}{token} now" if kind in places else f"a {token}, b"
    found = token_shapes.TOKEN.search(text)
    assert found is not None
    assert found[0] == token
    assert token_shapes.KINDS[(found.lastindex or 0) - 1] == kind
    assert any(each in text for each in token_shapes.BEGINNINGS)


@pytest.mark.parametrize(
    "text", ["task-force-for-a-better-world", "risk-averse-behaviour-x", "AKIA", "xoxo", "eyJust.a.b"]
)
def test_a_word_is_no_token(text: str) -> None:
    assert token_shapes.TOKEN.search(text) is None


@pytest.mark.parametrize(
    "part", ["%", "a", "\\", " ", "=", "://", "eyJ", "-", '"', "%4", "a=", "Bearer ", "/home/", "sk-", "A:"]
)
def test_a_hostile_text_costs_its_length(part: str) -> None:
    """Time that grows with the square of this length would pass the limit of the run."""
    text = "password" + part * (400_000 // len(part))
    for pattern in (
        *(
            token_shapes.TOKEN,
            token_shapes.SCHEME,
            line_secrets.USERINFO,
            line_secrets.PARAMETER,
            line_secrets.PAIR,
            line_secrets.HOME,
            line_secrets.BASE64,
        ),
        *(line_secrets.PERCENT, line_secrets.ESCAPE, line_secrets.SPOKEN, line_secrets.PHRASE, line_secrets.HEXED),
    ):
        pattern.sub("", text)
