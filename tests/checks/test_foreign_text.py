"""Secrets and reasons in foreign text."""

import pytest

from inspector.checks.foreign_text import secret_in, words_of_body

_LONG = "a1B2" * 12


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"token ghp_{_LONG[:36]}", "a GitHub token"),
        ("AKIA" + "ABCDEFGH12345678", "an AWS key"),
        (f"key=sk-ant-api03-{_LONG}", "an API key"),
        (f"Authorization: Bearer eyJ{_LONG}.eyJ{_LONG}.{_LONG}", "a signed token"),
        ("-----BEGIN RSA PRIVATE KEY-----", "a private key"),
        ("connecting to postgres://app:hunter22@db.internal/x", "a password in an address"),
        ('{"password": "hunter22x"}', "a value for password"),
        (r'"{\"api_key\": \"abcd1234efgh\"}"', "a value for api_key"),
    ],
)
def test_keys_of_known_shapes_and_values_that_are_named_are_found(text: str, kind: str) -> None:
    assert secret_in(text.encode()) == kind


@pytest.mark.parametrize(
    "text",
    [
        "password: ********",
        "password=<redacted1>",
        "api_key=${API_KEY_1}",
        "api_key: required-1",
        "password must have 12 characters",
        "access_token: null",
        "the password is invalid1234",
        "http://localhost:8000/a@b",
        "postgres://app:***@db.internal/x",
        "task-1234567890-1234567890-1234567890-12",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "passwords: 12345678",
        "eyJhbGciOi is where a token begins",
        '{"level": "info", "data": "refresh_token: expires in 3600 s"}',
    ],
)
def test_placeholders_are_no_secrets(text: str) -> None:
    assert secret_in(text.encode()) == ""


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("<title>Log in to Acme</title><p>Your name</p>", "Log in to Acme"),
        (
            "<title>403 Forbidden</title><h1>No</h1><p>CSRF check <b>failed</b>.</p>",
            "403 Forbidden: CSRF check failed.",
        ),
        ("<title>Error</title><pre>Cannot POST /mcp</pre>", "Error: Cannot POST /mcp"),
        ("<html><body><pre>Cannot POST /mcp</pre></body></html>", "Cannot POST /mcp"),
        ("<title>502 Bad Gateway</title><h1>502</h1>", "502 Bad Gateway"),
        ("<title>Exception caught</title><h1>Blocked hosts: a</h1>", "Exception caught: Blocked hosts: a"),
        ("<title>Acme</title><noscript>You must enable JavaScript</noscript>", "Acme"),
        (
            "<title>Oops</title><style>p { must: be }</style><b>The slash must be there</b>",
            "Oops: The slash must be there",
        ),
        ("<p>" + "x" * 5000, ""),
        ("<Error><Code>MethodNotAllowed</Code><Message>Not here.</Message></Error>", "Not here."),
    ],
)
def test_a_page_whose_title_is_only_a_status_gives_its_first_paragraph(page: str, words: str) -> None:
    assert words_of_body(page.encode()) == words
