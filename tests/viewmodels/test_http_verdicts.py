"""Where the head of an HTTP message and its body say different things."""

import json
from typing import Any

import pytest

from inspector.protocol.facts import HttpEvent, HttpFact
from inspector.protocol.headers import encode_value, headers_for
from inspector.protocol.revisions.table import NEWEST, ROWS
from inspector.viewmodels.http_verdicts import decoded, request_verdicts, response_verdicts

META = {"io.modelcontextprotocol/protocolVersion": NEWEST.date}
CALL = {"name": "søk", "arguments": {}, "_meta": META}
RIGHT = headers_for(NEWEST, "tools/call", CALL)


def body(method: str = "tools/call", params: Any = CALL) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


def request(headers: dict[str, str]) -> HttpFact:
    return HttpFact(HttpEvent.REQUEST, 1, method="POST", headers=tuple(headers.items()))


def response(kind: str, status: int = 200) -> HttpFact:
    return HttpFact(HttpEvent.RESPONSE, 1, status=status, headers=(("content-type", kind),))


def test_headers_that_repeat_the_body_are_no_verdict_whatever_their_case_and_packing() -> None:
    lower = {name.lower(): value for name, value in RIGHT.items()}
    sent = body()
    assert request_verdicts(request(lower | {"content-length": str(len(sent))}), sent) == ()
    assert RIGHT["Mcp-Name"].startswith("=?base64?")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"Mcp-Method": "tools/list"}, "Mcp-Method says tools/list, the body says tools/call"),
        ({"Mcp-Name": "other"}, "Mcp-Name says other, the body says søk"),
        ({"Mcp-Name": encode_value("ø")}, "Mcp-Name says ø, the body says søk"),
        ({"MCP-Protocol-Version": ROWS[2].date}, f"MCP-Protocol-Version says {ROWS[2].date}, _meta says {NEWEST.date}"),
        ({"Content-Length": "3"}, "Content-Length says 3, the body has"),
    ],
)
def test_a_difference_is_told_with_both_values(changed: dict[str, str], said: str) -> None:
    (verdict,) = request_verdicts(request(RIGHT | changed), body())
    assert verdict.startswith(said)


@pytest.mark.parametrize("name", list(RIGHT))
def test_a_header_that_must_be_there_and_is_not_is_told(name: str) -> None:
    (verdict,) = request_verdicts(request({key: value for key, value in RIGHT.items() if key != name}), body())
    assert verdict.startswith(f"there is no {name}, ")


def test_a_name_for_a_body_that_names_nothing_is_told() -> None:
    headers = headers_for(NEWEST, "tools/list", {}) | {"Mcp-Name": "x"}
    verdicts = request_verdicts(request(headers), body("tools/list", {"_meta": META}))
    assert verdicts == ("Mcp-Name says x, the body has none",)


@pytest.mark.parametrize("row", ROWS[:-1])
def test_where_nothing_is_routed_by_headers_none_is_missed(row: Any) -> None:
    headers = headers_for(row, "tools/call", {"name": "x"})
    assert request_verdicts(request(headers), body(params={"name": "x"})) == ()


@pytest.mark.parametrize("sent", [b"", b"{", b"[]", b'[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]'])
def test_what_has_no_method_is_not_held_against_one(sent: bytes) -> None:
    assert request_verdicts(request({"Mcp-Method": "x"}), sent) == ()


ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{}}'


@pytest.mark.parametrize(
    ("head", "came", "said"),
    [
        (response("application/json"), b"<html>", "says application/json, and the body is no JSON-RPC"),
        (response("text/html; charset=x"), ANSWER, "says text/html, and the body is a JSON-RPC message"),
        (response(""), ANSWER, "says nothing, and"),
        (response("text/plain", 202), b"Accepted", "202 says that there is no body"),
    ],
)
def test_a_response_that_is_not_what_it_says_is_told(head: HttpFact, came: bytes, said: str) -> None:
    (verdict,) = response_verdicts(head, came)
    assert said in verdict


@pytest.mark.parametrize(
    ("head", "came"),
    [
        (response("application/json; charset=utf-8"), ANSWER),
        (response("application/json"), b""),
        (response("", 202), b""),
        (response("text/html", 404), b"<html>"),
    ],
)
def test_a_response_that_is_what_it_says_is_no_verdict(head: HttpFact, came: bytes) -> None:
    assert response_verdicts(head, came) == ()


@pytest.mark.parametrize("value", ["plain", "=?base64?%%?=", "=?base64?/w==?=", "=?BASE64?YQ==?="])
def test_what_is_not_in_the_packed_form_is_left_as_it_is(value: str) -> None:
    assert decoded(value) == value


def test_nothing_in_a_verdict_acts_on_a_terminal() -> None:
    (verdict,) = request_verdicts(request(RIGHT | {"Mcp-Method": "\x1b[31m"}), body())
    assert "\x1b" not in verdict
