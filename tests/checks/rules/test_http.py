"""How messages travel over HTTP."""

import pytest

from inspector.checks.rules import http
from tests.checks.both import assert_both, checks_of, of_one
from tests.checks.talks import Cases, Script, Talk, ids

_ANSWER = b'{"jsonrpc":"2.0","id":%d,"result":{}}'


def _posted(row: int = 3, **head: object) -> Script:
    """A request over HTTP, with this head of a response."""
    return lambda: Talk(row, transport="http").post().ask("ping").head(**head)  # type: ignore[arg-type]


def _informed(status: int) -> Script:
    return lambda: Talk(3, transport="http").post().inform("notifications/initialized").head(status)


def _got(status: int, row: int = 3) -> Script:
    return lambda: Talk(row, transport="http").post("GET").head(status)


def _refused(code: int, status: int) -> Script:
    return lambda: Talk(5, transport="http").post().ask("tools/list").head(status).error(code)


def _streamed(*ids: str, row: int = 3) -> Script:
    def talk() -> Talk:
        begun = Talk(row, transport="http").post().ask("ping").head(kind="text/event-stream")
        for id_ in ids:
            begun.event(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}', id=id_)
        return begun

    return talk


def _older(endpoint: bytes) -> Talk:
    talk = Talk(1, transport="sse").post("GET", "http://host/sse").head(kind="text/event-stream")
    return talk.note(endpoint, event="endpoint")


CASES: Cases = {
    "W01": (_informed(200), _informed(202)),
    "W02": (_posted(status=202), _posted(status=200)),
    "W03": (_got(200), _got(405)),
    "W04": (_posted(Mcp_Session_Id="a b"), _posted(Mcp_Session_Id="a-b")),
    "W08": (_streamed("1", "1"), _streamed("1", "2")),
    "W09": (lambda: _streamed()().over(), lambda: _streamed()().event(_ANSWER % 2).over()),
    "W15": (_refused(-32601, 200), _refused(-32601, 404)),
    "W16": (_refused(-32020, 200), _refused(-32020, 400)),
    "W17": (_posted(5, Mcp_Session_Id="a"), _posted(5)),
    "W19": (_posted(5, kind="text/event-stream"), _posted(5, kind="text/event-stream", X_Accel_Buffering="no")),
    "W20": (
        lambda: Talk(3, transport="http").ask("ping").post().ask("ping").head().frame(_ANSWER % 2),
        lambda: Talk(3, transport="http").ask("ping").post().ask("ping").head().frame(_ANSWER % 3),
    ),
    "V01": (
        lambda: _older(b"data: /messages").ask("ping").event(_ANSWER % 2, event="answer"),
        lambda: _older(b"data: /messages").ask("ping").event(_ANSWER % 2, event="message"),
    ),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(http)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)


def test_the_older_http_accepts_requests_and_answers_elsewhere() -> None:
    assert not Talk(3, transport="sse").post().ask("ping").head(202).findings()


@pytest.mark.parametrize("body", [b'{"error":"invalid_token"}', b"<html>", b"no"])
def test_what_refuses_a_request_without_json_rpc_is_no_message_of_the_protocol(body: bytes) -> None:
    assert not Talk(3, transport="http").post().ask("ping").head(500).frame(body).findings()


@pytest.mark.parametrize(
    ("endpoint", "found"),
    [
        (b"data: http://host/messages?id=1", False),
        (b"event: endpoint\ndata: messages", False),
        (b"data: http://elsewhere/messages", True),
        (b"data: https://host/messages", True),
        (b"data: http://[", True),
    ],
)
def test_the_endpoint_is_of_the_stream_s_own_origin(endpoint: bytes, *, found: bool) -> None:
    assert ("V01" in ids(_older(endpoint))) is found


def test_a_message_before_the_endpoint_is_a_hint() -> None:
    talk = Talk(1, transport="sse").post("GET").head(kind="text/event-stream").ask("ping").event(_ANSWER % 2)
    assert [each.severity for each in of_one(talk.findings(), "V01")] == ["hint"]


def test_who_does_not_say_what_it_must_is_refused_with_400() -> None:
    bare = Talk(5, transport="http").post().ask("tools/list", {"_meta": {}}).head(200).error(-32602)
    assert "W16" in ids(bare)
    assert "W16" not in ids(Talk(5, transport="http").post().ask("tools/list").head(200).error(-32602))
