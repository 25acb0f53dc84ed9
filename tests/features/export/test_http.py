"""HAR 1.2: valid, exact for HTTP, and with a place for what crossed other ways."""

import json
import subprocess
from typing import Any

import jsonschema
import pytest

from inspector.capture.store.load import load
from inspector.features.export.http import commands, document, lines
from inspector.features.export.selection import Selection
from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.frames import Channel, Direction, Frame
from tests.captures.record import sample
from tests.entries import kept
from tests.features.export.har_schema import HAR_SCHEMA
from tests.features.export.staging import (
    ANSWER,
    PLANTED,
    PROGRESS,
    REQUEST,
    all_of,
    names_of,
    parsed,
    secretive,
    written,
)
from tests.present.tape import Tape

_OUT = (Direction.TO_SERVER, Channel.STDIN)
_IN = (Direction.FROM_SERVER, Channel.STDOUT)


def read(data: bytes) -> list[dict[str, Any]]:
    har = json.loads(data)
    jsonschema.validate(har, HAR_SCHEMA)
    entries: list[dict[str, Any]] = har["log"]["entries"]
    return entries


@pytest.mark.parametrize("name", ["lighthouse", "evening", "wreck", "harbour", "handshake", "stateless", "torn"])
def test_every_sample_makes_a_valid_document(name: str) -> None:
    assert read(written(document, name))
    assert sample(name).exists()


def test_har_entry_has_the_exact_exchange() -> None:
    journal = secretive()
    data = b"".join(document(all_of(journal, keep_secrets=True)))
    (entry,) = read(data)
    assert entry["request"]["postData"] == {"mimeType": "application/json", "text": REQUEST.decode()}
    assert [each["name"] for each in entry["response"]["headers"]] == ["Content-Type", "Set-Cookie", "Set-Cookie"]
    assert {"name": "q", "value": "1"} in entry["request"]["queryString"]
    stream = f": hello\n\nevent: message\nid: 7\ndata: {PROGRESS.decode()}\n\ndata: {ANSWER.decode()}\n\n"
    assert entry["response"]["content"]["text"] == stream
    assert entry["timings"] == {"blocked": -1, "dns": -1, "connect": 5, "ssl": 3, "send": 1, "wait": 20, "receive": 5}
    assert entry["time"] == 31
    assert entry["_mcp"] == {"exchange": 1, "frames": [3, 5, 6, 7]}
    assert len(names_of(data)) == 4
    assert names_of(b"".join(document(all_of(journal)))) == [], "masked unless asked for"


def test_a_request_on_a_pipe_is_one_entry_with_its_answer() -> None:
    tape = Tape()
    tape.journal.frame(*_OUT, b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dig"}}')
    tape.stderr(b"noise")
    tape.wait(30)
    tape.journal.frame(*_IN, b"Listening on \xff")
    tape.journal.frame(*_IN, b'{"jsonrpc":"2.0","id":1,"result":{}}')
    call, banner = read(b"".join(document(all_of(tape.journal))))
    assert (call["request"]["method"], call["request"]["url"]) == ("STDIO", "stdio:tools/call")
    assert call["response"]["content"]["text"] == '{"jsonrpc":"2.0","id":1,"result":{}}'
    assert call["time"] == call["timings"]["wait"] == 30
    assert call["_mcp"] == {"transport": "stdio", "direction": "c2s", "frames": [1, 4]}
    assert banner["request"]["postData"]["_encoding"] == "base64"
    assert banner["_mcp"]["frames"] == [3]
    (alone,) = read(b"".join(document(Selection(tape.journal, [4]))))
    assert alone["_mcp"]["frames"] == [4], "an answer whose request was not chosen is not lost"


def test_jsonrpc_lines_equal_the_messages() -> None:
    found = written(lines, "lighthouse").splitlines()
    journal = load(sample("lighthouse"))
    sent = [frame.payload for frame in kept(journal, Frame)]
    assert [each for each in sent if each in found] == found
    assert len(found) >= 30


def test_line_ends_within_a_message_are_blanks_and_what_is_none_is_counted() -> None:
    tape = Tape()
    for payload in (b'{"jsonrpc":"2.0",\r\n "method":"a"}', b"Listening", b'[{"jsonrpc":"2.0","method":"b"}]', b"\xff"):
        tape.journal.frame(Direction.FROM_SERVER, Channel.STDOUT, payload)
    selection = all_of(tape.journal)
    found = b"".join(lines(selection))
    assert parsed(found) == [{"jsonrpc": "2.0", "method": "a"}, [{"jsonrpc": "2.0", "method": "b"}]]
    assert selection.left_out == 2


def test_a_shell_hands_curl_what_was_sent(tmp_path: object) -> None:
    journal = secretive()
    data = b"".join(commands(all_of(journal)))
    assert names_of(data) == []
    shim = b'curl() { for word in "$@"; do printf "%s\\0" "$word"; done; }\n'
    env = {
        "MCP_SECRET_AUTHORIZATION": PLANTED[0],
        "MCP_SECRET_MCP_SESSION_ID": "s",
        "MCP_SECRET_API_KEY": "k",
        "MCP_SECRET_USERINFO": "u:p",
        "PATH": "/bin:/usr/bin",
    }
    ran = subprocess.run(["sh"], input=shim + data, env=env, capture_output=True, check=True)
    words = ran.stdout.split(b"\0")
    assert words[words.index(b"--data-raw") + 1] == REQUEST
    assert f"Authorization: Bearer {PLANTED[0]}".encode() in words
    assert b"X-Plain: it's" in words
    assert b"https://u:p@example.com/mcp?api_key=k&q=1" in words
    assert names_of(b"".join(commands(all_of(journal, keep_secrets=True))))


def test_without_http_there_is_nothing() -> None:
    assert written(commands, "lighthouse") == b""
    assert written(commands, "harbour").count(b"\ncurl ") > 3


_SHIM = b"""curl() {
  for word in "$@"; do printf '%s\\0' "$word"; done
  while [ $# -gt 0 ]; do
    if [ "$1" = -D ]; then printf 'HTTP/1.1 200 OK\\r\\nmcp-session-id: new-one\\r\\n' > "$2"; fi
    shift
  done
}
"""


@pytest.mark.parametrize("keep_secrets", [True, False])
def test_exported_session_takes_the_id_that_the_new_response_gives(keep_secrets: bool) -> None:
    tape = Tape(http=True)
    session = (("Mcp-Session-Id", "recorded"),)
    for number in range(1, 5):
        headers = session if number > 1 else ()
        tape.journal.fact(HttpFact(HttpEvent.REQUEST, number, method="POST", target="http://a.test/", headers=headers))
        tape.journal.frame(Direction.TO_SERVER, Channel.POST, REQUEST, http=number)
        tape.journal.fact(HttpFact(HttpEvent.RESPONSE, number, status=200, headers=session))
        tape.journal.fact(HttpFact(HttpEvent.END, number))
    script = b"".join(commands(all_of(tape.journal, keep_secrets=keep_secrets)))
    assert b"recorded" not in script
    ran = subprocess.run(["sh"], input=_SHIM + script, capture_output=True, check=True, env={"PATH": "/bin:/usr/bin"})
    words = ran.stdout.split(b"\0")
    assert words.count(b"-D") == 1
    assert [word for word in words if b"Session" in word] == [b"Mcp-Session-Id: new-one"] * 3
