"""What a message is about, in a few words."""

import json
from typing import Any

import pytest

from inspector.protocol.exchanges import Progress
from inspector.viewmodels.previews import MOST_DECODED, of_payload


def _message(**members: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0"} | members).encode()


def _log(params: Any) -> bytes:
    return _message(method="notifications/message", params=params)


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        (_message(id=1, method="tools/call", params={"name": "a", "arguments": {"q": "x"}}), '{"q":"x"}'),
        (_message(id=1, method="tools/call", params={"name": "a", "arguments": {}}), ""),
        (_message(id=1, method="elicitation/create", params={"message": "Which?"}), "Which?"),
        (_message(id=1, method="resources/read", params={"uri": "a://b"}), ""),
        (_message(id=1, method="tools/list", params={"cursor": "2"}), '{"cursor":"2"}'),
        (_message(id=1, method="x", params=[1]), "[1]"),
        (
            _message(id=1, method="initialize", params={"protocolVersion": "9", "clientInfo": {"name": "c"}}),
            "9, c",
        ),
        (_message(id=1, result={"serverInfo": {"name": "s", "version": "1"}}), "s 1"),
        (_message(id=1, result={"content": [{"type": "image"}, {"type": "text", "text": "hi"}]}), "hi"),
        (_message(id=1, result={"a": 1, "_meta": {}}), '{"a":1}'),
        (_message(id=1, result=None), ""),
        (_message(id=1, error={"code": 1, "message": "no\x1b[1m"}), "no␛[1m"),
        (
            _log({"level": "info", "logger": "db", "data": "up"}),
            "info: db: up",
        ),
        (_log({"data": {"message": "said"}}), "said"),
        (_log({"data": [1]}), "[1]"),
        (_log(None), ""),
        (_message(method="notifications/progress", params={"progress": 1, "total": 2}), "1 of 2"),
        (_message(method="notifications/cancelled", params={"requestId": 1, "reason": "slow"}), "slow"),
        (_message(method="notifications/resources/updated", params={"uri": "a://b"}), ""),
        (b"[" + _message(method="a") + b"," + _message(method="b") + b"]", "a batch of 2 messages"),
        (b"Listening on \x1b[32m3000", "Listening on ␛[32m3000"),
        (b"  ", "(an empty line)"),
    ],
)
def test_what_a_row_says_of_its_message(payload: bytes, shown: str) -> None:
    assert of_payload(payload)[0] == shown


def test_a_loud_log_message_is_told_by_its_role() -> None:
    assert of_payload(_log({"level": "critical", "data": "x"}))[1] == "error"
    assert of_payload(_log({"level": "warning", "data": "x"}))[1] == "warning"


def test_the_newest_progress_stands_for_the_first() -> None:
    first = _message(method="notifications/progress", params={"progress": 1, "total": 9})
    assert of_payload(first, Progress(8, 9, "soon", 12, 8))[0] == "8 of 9 soon"


def test_of_a_large_payload_only_the_beginning_is_looked_at() -> None:
    shown = of_payload(_message(id=1, result={"content": "x" * MOST_DECODED}))[0]
    assert shown.startswith('{"jsonrpc"')
    assert len(shown) < 400
