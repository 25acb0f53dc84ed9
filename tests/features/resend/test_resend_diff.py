"""Resent requests and the comparison of their responses."""

import pytest

from inspector.features.resend.resend import RecordedRequest, again, may_destroy, outcome
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.jsonrpc import ErrorResponse, Part, ResultResponse
from inspector.protocol.listed_items import Tool
from tests.present.tape import Tape
from tests.tui.staging import handshake

_ASKED = RecordedRequest(
    "tools/call", "buy", {"name": "buy"}, {"result": {"content": [], "at": "2026-07-28T10:00:00Z"}}
)


def test_resent_request_drops_session_metadata(tape: Tape) -> None:
    tape_ = handshake(tape)
    params = {"name": "buy", "arguments": {"n": 1}, "_meta": {"progressToken": 3}}
    asked = tape_.request(3, "tools/call", params)
    answered = tape_.answer(3, {"content": []})
    for entry in (asked, answered):
        found = again(tape.journal, entry)
        assert isinstance(found, RecordedRequest)
        assert found.params == {"name": "buy", "arguments": {"n": 1}}
        assert found.before == {"result": {"content": []}}


def test_other_entries_are_not_sent_again(tape: Tape) -> None:
    handshake(tape)
    asked = tape.server_request(9, "roots/list")
    assert [again(tape.journal, entry) for entry in (1, asked, 0, 999)] == [
        "initialize opens a session, and this one is open: ^r opens a new one.",
        "This is a server request. Only client requests can be sent again.",
        "This line belongs to no request.",
        "This line belongs to no request.",
    ]


@pytest.mark.parametrize(
    ("annotations", "may"),
    [
        (None, True),
        ({"readOnlyHint": True}, False),
        ({"destructiveHint": False}, False),
        ({"destructiveHint": True}, True),
    ],
)
def test_a_tool_that_does_not_say_otherwise_may_destroy(annotations: object, may: bool) -> None:
    assert may_destroy(_ASKED, [Tool({"name": "buy", "annotations": annotations})]) is may
    assert may_destroy(_ASKED, [])
    assert not may_destroy(RecordedRequest("tools/list", "", None, None), [])


def _came(**result: object) -> Reply:
    message = ResultResponse(1, Part(None, {"content": [], **result}))
    return Replied(message, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (_came(at="2026-07-29T11:00:00Z"), "Identical response."),
        (_came(at="later", more=1), "2 places differ from before: result.at, result.more."),
        (Replied(ErrorResponse(1, Part(None, {"code": 1})), None), "2 places differ from before: result, error."),  # type: ignore[arg-type]
        (Silent(None, 60, "idle"), "No answer came within 60 s."),
        (Refused(None, 500, "", b""), "It was refused: HTTP 500."),
        (Broken(None, "it ended"), "No answer came: it ended."),
        (GivenUp(None), "It was given up."),
    ],
)
def test_outcome_is_one_sentence(reply: Reply, said: str) -> None:
    assert outcome(_ASKED, Called(reply, 1)) == said
