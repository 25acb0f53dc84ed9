"""A server in tests that are plain functions."""

import sys

import pytest

from inspector.errors import InspectError
from inspector.features.cases.running import ActualResponse
from inspector.features.cases.server import ServerReply, ServerUnderTest
from tests.architecture.sources import ROOT

_SUM = {"result": {"content": [{"type": "text", "text": "5 at 12:30:45"}], "sum": 5}}


def test_server_reply_is_read_by_pointers() -> None:
    reply = ServerReply(ActualResponse(_SUM, 12.5))
    text = "/result/content/0/text"
    assert (reply.ms, reply.at("/result/sum"), reply.error, reply.document) == (12.5, 5, None, _SUM)
    assert (reply.has("/result/sum"), reply.has("/result/no")) == (True, False)
    assert reply.matches(text, "^5")
    assert not reply.matches("/result/sum", "5")
    assert reply.differences(text, "5 at 23:59:59") == []
    assert reply.differences("/result/sum", 6) == [": expected 6, came 5"]
    assert reply.problems("/result", {"required": ["sum"]}) == []
    assert reply.problems("/result/sum", {"type": "string"}) != []
    assert "dialect" in reply.problems("/result", {"$schema": "urn:mine"})[0]
    with pytest.raises(AssertionError, match="there is no /result/no in"):
        reply.at("/result/no")


def test_an_error_and_the_failure_of_a_tool_are_both_errors() -> None:
    assert ServerReply(ActualResponse({"error": {"code": 1}})).error == {"code": 1}
    assert ServerReply(ActualResponse({"result": {"isError": True, "content": []}})).error is not None


def test_a_server_lives_as_long_as_its_block() -> None:
    with ServerUnderTest(sys.executable, str(ROOT / "tests" / "servers" / "ledger.py")) as server:
        reply = server.request("tools/call", {"name": "greet"})
        assert reply.at("/result/content/0/text") == "Good morning"
        assert server.request("tools/call", {"name": "sing"}).at("/error/code") == -32602


def test_a_server_that_does_not_start_is_an_error_and_no_hang() -> None:
    with pytest.raises(InspectError), ServerUnderTest("no-such-command-anywhere"):
        pass
