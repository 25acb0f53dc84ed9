"""Which names give access by their values, and which only speak of it."""

import pytest

from inspector.capture.sharing.names import (
    STEMS,
    is_harmless_variable,
    is_secret,
    is_secret_header,
    is_secret_parameter,
    is_telling,
)

SECRET = (
    *("password", "apiKey", "API_KEY", "x-api-key", "access_token", "clientSecret", "Authorization", "refresh_token"),
    *("GITHUB_TOKEN", "db_pass", "private_key", "codeVerifier", "id_token", "AWS_SECRET_ACCESS_KEY", "passphrase"),
    *("sessionId", "set-cookie", "credentials", "jwt", "proxy-authorization", "connection_string"),
)
HARMLESS = (
    *("progressToken", "maxTokens", "token_endpoint", "token_type", "nextCursor", "keyboard", "author", "monkey"),
    *("authorization_servers", "code_challenge_methods_supported", "inputTokens", "path", "compass", "tokenizer"),
    *("requiresAuth", "password_required", "method", "id", "name", "tokens", "secretName"),
)


@pytest.mark.parametrize("name", SECRET)
def test_a_secret_is_known_by_its_name(name: str) -> None:
    assert is_secret(name)
    assert any(stem in name.lower() for stem in STEMS)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_speaks_of_secrets_is_none(name: str) -> None:
    assert not is_secret(name)


def test_headers_and_parameters_have_names_of_their_own() -> None:
    assert is_secret_header("Mcp-Session-Id")
    assert not is_secret_header("Content-Type")
    assert is_secret_parameter("code")
    assert is_secret_parameter("sig")
    assert not is_secret_parameter("page")


def test_variables_of_every_environment_are_harmless() -> None:
    assert is_harmless_variable("PATH")
    assert is_harmless_variable("LC_ALL")
    assert not is_harmless_variable("DATABASE_URL")


@pytest.mark.parametrize(
    ("value", "telling"),
    [
        ("abc", False),
        ("production", False),
        ("a1b2c3d4", True),
        ("correct horse battery", True),
        ("11111111111", False),
    ],
)
def test_a_value_is_telling_if_it_hardly_stands_elsewhere_by_chance(value: str, telling: bool) -> None:
    assert is_telling(value) is telling
