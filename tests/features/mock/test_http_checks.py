"""Headers of a stateless request against its body."""

from typing import Any

import pytest

from inspector.features.mock.http import header_fault, status_of
from inspector.protocol.jsonrpc import Request, read, write_error
from inspector.transports.http.listener import HttpRequest
from tests.features.mock.making import MODERN, meta, request


def _fault(params: dict[str, Any], method: str = "resources/read", **headers: str) -> str:
    import json

    body = json.dumps(request(1, method, params)).encode()
    (message,) = read(body)
    assert isinstance(message, Request)
    given = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method} | headers
    pairs = tuple((name.replace("_", "-"), value) for name, value in given.items() if value)
    return header_fault(HttpRequest("POST", "/mcp", pairs, body), message)


@pytest.mark.parametrize(
    ("uri", "header", "fault"),
    [
        ("a://b", "a://b", ""),
        ("a://\u00e9", "=?base64?YTovL8Op?=", ""),
        ("a://b", "=?base64?YTovL2I=?=", ""),
        ("a://b", "a://c", "Header mismatch: Mcp-Name is 'a://c', the body says 'a://b'"),
        ("a://b", "=?base64?!?=", "Header mismatch: Mcp-Name is '=?base64?!?=', the body says 'a://b'"),
        ("a://b", "", "Header mismatch: Mcp-Name is missing, the body says 'a://b'"),
    ],
)
def test_mcp_name_header_matches_the_body_in_either_form(uri: str, header: str, fault: str) -> None:
    assert _fault({"uri": uri} | meta(), Mcp_Name=header) == fault


def test_unknown_revision_is_not_a_header_fault() -> None:
    params = meta()
    params["_meta"] = dict.fromkeys(params["_meta"], "2099-01-01")
    assert _fault(params, "tools/list", Mcp_Method="") == ""


@pytest.mark.parametrize(("code", "status"), [(-32601, 404), (-32020, 400), (-32602, 200)])
def test_an_error_has_the_status_that_goes_with_it(code: int, status: int) -> None:
    assert status_of(write_error(1, code, "no")) == status
