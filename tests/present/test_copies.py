"""What can be copied, and how a request is sent again."""

import json
import shlex

import pytest

from inspector.capture.journal import start_capture
from inspector.present.copies import LARGEST, Copy, copied, of_payload, of_place, of_request
from inspector.present.json_text import JsonLines
from tests.present.tape import ARGV, Tape


def named(copies: list[Copy]) -> dict[str, str]:
    assert len({copy.key for copy in copies}) == len(copies)
    return {copy.name: copy.make() for copy in copies}


def test_a_place_is_copied_as_value_json_path_pointer_and_whole() -> None:
    raw = b'{"a":["x\\n\\u00e9", {"b":1}]}'
    lines = JsonLines(raw)
    found = named(of_place(lines.value(2), lines.places.steps(2), raw))
    assert found == {
        "value": "x\né",
        "JSON": '"x\\n\\u00e9"',
        "JSONPath": "$.a[0]",
        "JSON pointer": "/a/0",
        "raw message": raw.decode(),
    }


def test_a_value_that_is_no_string_is_copied_as_json() -> None:
    assert named(of_place(b"[1, 2]", (), b"[1,2]"))["value"] == "[1, 2]"
    assert named(of_place(b'"\\ud800"', (), b""))["value"] == '"\\ud800"'


def test_the_beginning_of_a_large_copy_is_short() -> None:
    (copy,) = of_payload(b"x" * 1_000_000)
    assert len(copy.begin) < 1000
    assert len(copy.make()) == 1_000_000


def test_control_characters_are_left_out_and_counted() -> None:
    found = copied("value", "a\x1b[31mb\x07\n\tc")
    assert found.text == "a[31mb\n\tc"
    assert found.message() == "Copied value, 9 B. 2 control characters were removed."
    assert copied("", "a\x00").message() == "Copied 1 B. 1 control character was removed."
    assert copied("JSON", "é").message() == "Copied JSON, 2 B."
    assert copied("JSON", "é").message(is_certain=False) == "Sent to the terminal: JSON, 2 B."


def test_oversized_copy_is_refused_with_a_message() -> None:
    found = copied("value", "x" * (LARGEST + 1))
    assert found.text == ""
    assert "too large for the clipboard" in found.message()


def test_a_copy_of_nothing_is_not_called_too_large() -> None:
    assert copied("", "").message() == "There is nothing to copy."


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("tools/call", {"name": "it's", "arguments": {"q": "a b"}}, ["call", "it's", "--args", '{"q":"a b"}']),
        ("tools/call", {"name": "x"}, ["call", "x"]),
        ("resources/read", {"uri": "file:///a b"}, ["read", "file:///a b"]),
        ("resources/templates/list", {}, ["list", "templates"]),
        ("acme/do", {"x": [1]}, ["request", "acme/do", "--params", '{"x":[1]}']),
        ("acme/do", None, ["request", "acme/do"]),
        ("ping", None, ["ping"]),
    ],
)
def test_a_request_is_copied_as_our_own_command(tape: Tape, method: str, params: object, words: list[str]) -> None:
    tape.started()
    asked = {"jsonrpc": "2.0", "id": 1, "method": method} | ({} if params is None else {"params": params})
    n = tape.to_server(json.dumps(asked, separators=(",", ":")).encode())
    tape.answer(1, {})
    command = named(of_request(tape.journal, n))["command"]
    assert shlex.split(command) == ["mcp-inspect", *words, "--", *ARGV]
    assert named(of_request(tape.journal, n + 1))["command"] == command


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "--inherit-env", "arguments": {}}),
        ("tools/call", {"name": "-e", "arguments": {"a": 1}}),
        ("tools/call", {"name": "--"}),
        ("resources/read", {"uri": "--capture=/home/me/.profile"}),
        ("--insecure", {}),
        ("-", None),
    ],
)
def test_no_name_of_a_server_becomes_an_option_of_ours(tape: Tape, method: str, params: object) -> None:
    tape.started()
    asked = {"jsonrpc": "2.0", "id": 1, "method": method} | ({} if params is None else {"params": params})
    payload = json.dumps(asked, separators=(",", ":"))
    words = shlex.split(named(of_request(tape.journal, tape.to_server(payload.encode())))["command"])
    ours = words[: words.index("--", 3)] if "--" in words[3:] else words
    assert words[-len(ARGV) :] == list(ARGV)
    options = [word for word in ours if word.startswith("-")]
    assert options in (["--params"], ["--raw"])
    assert ours[1] == "request"


@pytest.mark.parametrize("url", ["--with=node evil.js", "-", "file:///etc/passwd", "javascript:alert(1)", " http://x"])
def test_invalid_url_is_in_no_command(url: str) -> None:
    tape = Tape(http=True)
    tape.connected(url)
    tape.posted(1)
    n = tape.to_server(b'{"jsonrpc":"2.0","id":1,"method":"ping"}', http=1)
    assert "command" not in named(of_request(tape.journal, n))


def test_http_request_is_copied_as_curl_without_secrets() -> None:
    tape = Tape(http=True)
    tape.connected("https://me:pw@example.test/mcp")
    tape.posted(1)
    n = tape.to_server(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"it\'s":1}}', http=1)
    found = named(of_request(tape.journal, n))
    assert "s3cr3t" not in found["curl"]
    assert "pw" not in found["command"]
    words = shlex.split(found["curl"])
    assert words[:2] == ["curl", "-sS"]
    assert words[words.index("--data-raw") + 1] == '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"it\'s":1}}'
    assert "Authorization: Bearer $MCP_SECRET_AUTHORIZATION" in words
    assert "Content-Type: application/json" in words
    revealed = named(of_request(tape.journal, n, reveal=True))
    assert "Authorization: Bearer s3cr3t-t0ken" in shlex.split(revealed["curl"])


def test_server_request_and_other_entries_have_no_command(tape: Tape) -> None:
    tape.started()
    asked = tape.server_request(9, "roots/list")
    assert of_request(tape.journal, asked) == []
    assert of_request(tape.journal, 1) == []
    assert of_request(tape.journal, 0) == []
    assert of_request(tape.journal, 99) == []


def test_broken_bytes_are_sent_again_as_they_are(tape: Tape) -> None:
    tape.started()
    n = tape.to_server(b'{"jsonrpc": "2.0"')
    assert shlex.split(named(of_request(tape.journal, n))["command"])[1:4] == ["request", "--raw", '{"jsonrpc": "2.0"']


def test_without_a_known_server_there_is_no_command() -> None:
    journal = start_capture(None)
    assert of_request(journal, 1) == []
