"""What a server's own requests are answered with."""

import json

from inspector.protocol.jsonrpc import Request
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.session.answering import answer_to


def test_a_ping_gets_its_empty_result_even_before_the_conversation_is_open() -> None:
    assert json.loads(answer_to(Request("p", "ping"), None)) == {"jsonrpc": "2.0", "id": "p", "result": {}}


def test_everything_else_is_refused_at_once_with_the_reason() -> None:
    revision = newest_of(Era.LEGACY)
    known = json.loads(answer_to(Request(1, "roots/list"), revision))["error"]
    unknown = json.loads(answer_to(Request(1, "coffee/brew"), revision))["error"]
    assert (known["code"], unknown["code"]) == (-32601, -32601)
    assert known["message"] == "roots/list: this client has not declared the capability for it"
    assert unknown["message"] == "coffee/brew: no such method in this revision"
