"""HAR 1.2: valid, exact for HTTP, and with a place for what crossed other ways."""

import json
from typing import Any

import jsonschema
import pytest

from inspector.capture.export.har import document
from inspector.capture.export.selection import Selection
from inspector.protocol.frames import Channel, Direction
from tests.capture.export.har_schema import HAR_SCHEMA
from tests.capture.export.staging import ANSWER, PROGRESS, REQUEST, all_of, names_of, secretive, written
from tests.captures.record import sample
from tests.viewmodels.tape import Tape

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


def test_an_http_exchange_is_told_exactly() -> None:
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
    journal.close()


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
    tape.journal.close()
