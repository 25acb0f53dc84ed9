"""Credentials are recognized by their names, wherever they are."""

import json
from pathlib import Path

import pytest

from inspector.protocol.credentials import (
    MASK,
    STEMS,
    SecretValues,
    command_without_credentials,
    is_credential,
    is_secret,
    is_secret_header,
    is_secret_parameter,
    without_credentials,
)

_NAMES = json.loads(Path(__file__).with_name("credentials.json").read_text("utf-8"))
SECRET, HARMLESS = _NAMES["secret"], _NAMES["harmless"]


def test_a_credential_is_known_by_its_name() -> None:
    assert not [name for name in SECRET if not (is_secret(name) and is_credential(name))]


def test_a_name_that_only_speaks_of_credentials_is_not_one() -> None:
    assert not [name for name in HARMLESS if is_secret(name) or is_credential(name)]


def test_every_secret_name_has_a_stem() -> None:
    plain = [name for name in SECRET if "%" not in name and name.isascii()]
    assert not [name for name in plain if not any(stem in name.lower() for stem in STEMS)]


def test_captures_keep_the_ids_of_sessions_and_shared_copies_do_not() -> None:
    for name in ("Mcp-Session-Id", "sessionId", "session_id"):
        assert is_secret(name)
        assert not is_credential(name)


def test_headers_and_parameters_have_names_of_their_own() -> None:
    assert is_secret_header("Mcp-Session-Id")
    assert not is_secret_header("Content-Type")
    assert all(map(is_secret_parameter, ("code", "sig", "c%6fde", "state", "accesskey", "%74oken")))
    assert not any(map(is_secret_parameter, ("page", "postcode", "encode", "design")))


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["node", "x.js", "--port=1", "-v"], ["node", "x.js", "--port=1", "-v"]),
        (
            ["x", "--token=abc def", "--api-key", "abc", "--api-key", "-v"],
            ["x", f"--token={MASK}", "--api-key", MASK, "--api-key", "-v"],
        ),
        (["env", "DB_PASSWORD=abc", "MODE=b", "x"], ["env", f"DB_PASSWORD={MASK}", "MODE=b", "x"]),
        (["docker", "run", "-e", "API_KEY=abc", "img"], ["docker", "run", "-e", f"API_KEY={MASK}", "img"]),
        (
            ["x", "--header", "Authorization: Bearer abc"],
            ["x", "--header", f"Authorization: Bearer {MASK} (3 characters)"],
        ),
        (["x", "--header", "Accept: a/b"], ["x", "--header", "Accept: a/b"]),
        (["x", "https://u:abc@h/?token=abc&b=1"], ["x", f"https://{MASK}@h/?token={MASK}&b=1"]),
        (["sh", "-c", "cd y; TOKEN='abc' KEY=abc run a=b"], ["sh", "-c", f"cd y; TOKEN={MASK} KEY={MASK} run a=b"]),
        (["x", "--subscriptionKey=abc", "--accesskey", "abc"], ["x", f"--subscriptionKey={MASK}", "--accesskey", MASK]),
        (["x", "-H", "X-Pat: abc"], ["x", "-H", f"X-Pat: {MASK} (3 characters)"]),
        (["x", "https://h/?%74oken=abc&accesskey=abc"], ["x", f"https://h/?%74oken={MASK}&accesskey={MASK}"]),
        (["x", "--max-tokens=5", "--tokenizer", "bpe"], ["x", "--max-tokens=5", "--tokenizer", "bpe"]),
        (["keyboard", "compass=1", "--author", "me"], ["keyboard", "compass=1", "--author", "me"]),
        ([], []),
    ],
)
def test_a_command_is_shown_without_what_gives_access(argv: list[str], shown: list[str]) -> None:
    assert list(command_without_credentials(argv)) == shown


def test_masked_command_is_unchanged() -> None:
    once = command_without_credentials(["x", "--token=abc", "-H", "Cookie: a=b", "https://u:p@h/?key=c"])
    assert command_without_credentials(once) == once
    assert "abc" not in " ".join(once)


def test_urls_within_a_sentence_lose_what_gives_access_and_nothing_else() -> None:
    said = "http://me:pw@h/a?api_key=abc leads on to /b?api_key=abc (307), and me@h stays, as does a=b"
    assert without_credentials(said) == (
        f"http://{MASK}@h/a?api_key={MASK} leads on to /b?api_key={MASK} (307), and me@h stays, as does a=b"
    )


def test_a_known_secret_is_masked_in_a_string_that_does_not_end() -> None:
    masked = SecretValues(["hunter"]).masked
    assert masked(b'{"a":"hunter","hunter":hunter,"b":"\\"hunter') == (
        f'{{"a":"{MASK}","{MASK}":hunter,"b":"\\"{MASK}'.encode()
    )
    assert masked(b'["hunter\\') == f'["{MASK}\\'.encode()
