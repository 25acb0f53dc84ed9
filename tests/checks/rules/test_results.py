"""What tools answer."""

import base64
from typing import Any

import pytest

from inspector.checks.findings import Severity
from inspector.checks.rules.results import failure_in
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, asked, ids

_TEXT = {"type": "text", "text": "fine"}
_PNG = "iVBORw0KGgoAAAAN"
_SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


def _called(result: object, output: object = None, **how: Any) -> Script:
    def talk() -> Talk:
        tool: dict[str, Any] = {"name": "t", "description": "d", "inputSchema": {"type": "object"}}
        tool |= {"outputSchema": output} if output else {}
        begun = Talk(**how).ask("tools/list").answer({"tools": [tool]})
        return begun.ask("tools/call", {"name": "t"}).answer(result)

    return talk


def _failed(code: int, message: str = "no") -> Script:
    return lambda: _called({"content": [_TEXT]})().ask("tools/call", {"name": "t"}).error(code, message)


def _structured(value: object, *blocks: object) -> dict[str, object]:
    return {"content": list(blocks) or [_TEXT], "structuredContent": value}


def _unknown(name: str, result: dict[str, object], **more: object) -> Script:
    """A call of a name, after the list of one tool has come."""
    listed = {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]} | more
    return lambda: Talk().ask("tools/list").answer(listed).ask("tools/call", {"name": name}).answer(result)


def _refused(arguments: dict[str, object]) -> Script:
    """A tool without parameters refuses its arguments."""
    tool = {"name": "t", "inputSchema": {"type": "object", "additionalProperties": False}}
    called = {"name": "t", "arguments": arguments}
    return lambda: Talk().ask("tools/list").answer({"tools": [tool]}).ask("tools/call", called).error(-32602)


_FAILED = {"content": [_TEXT], "isError": True}
CASES: Cases = {
    "unknown-tool-as-tool-error": (_unknown("u", _FAILED), _unknown("t", _FAILED)),
    "content-mime-type-mismatch": (
        asked("tools/call", {"content": [{"type": "image", "data": _PNG, "mimeType": "image/jpeg"}]}),
        asked("tools/call", {"content": [{"type": "image", "data": _PNG, "mimeType": "image/png"}]}),
    ),
    "mime-type-invalid": (
        asked("tools/call", {"content": [{"type": "image", "data": _PNG, "mimeType": "png"}]}),
        asked("tools/call", {"content": [{"type": "image", "data": _PNG, "mimeType": "image/png; q=1"}]}),
    ),
    "structured-content-missing": (
        _called({"content": [_TEXT]}, _SCHEMA),
        _called({"content": [_TEXT], "isError": True}, _SCHEMA),
    ),
    "structured-content-invalid": (_called(_structured({"a": "1"}), _SCHEMA), _called(_structured({"a": 1}), _SCHEMA)),
    "structured-content-without-text": (
        _called(_structured({"a": 1, "b": 2})),
        _called(_structured({"a": 1, "b": 2}, {"type": "text", "text": '{"b": 2, "a": 1}'})),
    ),
    "invalid-arguments-as-protocol-error": (_refused({"a": 1}), _refused({})),
    "annotation-value-invalid": (
        asked("tools/call", {"content": [_TEXT | {"annotations": {"lastModified": "yesterday"}}]}),
        asked("tools/call", {"content": [_TEXT | {"annotations": {"lastModified": "2025-01-31T12:00:00Z"}}]}),
    ),
    "embedded-resource-undeclared": (
        _called(
            {"content": [{"type": "resource", "resource": {"uri": "a:b", "text": ""}}]}, capabilities={"tools": {}}
        ),
        _called({"content": [{"type": "resource", "resource": {"uri": "a:b", "text": ""}}]}),
    ),
    "empty-result": (_called({"content": []}), _called(_structured({}, _TEXT))),
    "tool-failure-as-protocol-error": (_failed(-32603), _failed(-32602)),
    "tool-failure-unmarked": (
        _called({"content": [{"type": "text", "text": "Error: it broke"}]}),
        _called({"content": [{"type": "text", "text": "Error: it broke"}], "isError": True}),
    ),
    "object-as-text": (
        _called({"content": [{"type": "text", "text": "[object Object]"}]}),
        _called({"content": [_TEXT]}),
    ),
    "result-wrapped": (
        _called({"toolResult": {"content": [_TEXT]}}),
        _called({"content": [_TEXT], "toolResult": {"content": [_TEXT]}}),
    ),
}


def test_structured_content_of_many_results_is_sampled() -> None:
    talk = _called(_structured({"a": "1"}), _SCHEMA)()
    for _ in range(99):
        talk.ask("tools/call", {"name": "t"}).answer(_structured({"a": "1"}))
    assert sum(each.id == "structured-content-invalid" for each in talk.findings()) == 20 + 3


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ("listed announced call", set()),
        ("listed call announced", set()),
        ("listed call announced listed", set()),
        ("listed call listed", {"structured-content-invalid"}),
        ("listed announced listed call", {"structured-content-invalid"}),
    ],
)
def test_a_result_is_not_judged_by_a_definition_that_was_announced_as_changed(steps: str, found: set[str]) -> None:
    talk, tool = Talk(), {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": _SCHEMA}
    for step in steps.split():
        if step == "listed":
            talk.ask("tools/list").answer({"tools": [tool]})
        elif step == "announced":
            talk.tell("notifications/tools/list_changed")
        else:
            talk.ask("tools/call", {"name": "t"}, 77)
    assert ids(talk.answer(_structured({"a": "1"}), 77)) & {"structured-content-invalid"} == found


def test_a_tool_of_a_page_that_has_not_come_may_exist() -> None:
    assert "unknown-tool-as-tool-error" not in ids(_unknown("u", _FAILED, nextCursor="2")())
    assert "unknown-tool-as-tool-error" not in ids(_unknown("u", {"content": [_TEXT]})())


@pytest.mark.parametrize("page", [b"<!DOCTYPE html><title>404 Not Found", b"<html><body>Sign in, please</body>"])
def test_a_page_in_the_place_of_a_picture_is_data_of_another_type(page: bytes) -> None:
    block = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(page).decode()}
    (found,) = of_one(asked("tools/call", {"content": [block]})().findings(), "content-mime-type-mismatch")
    assert found.sentence == "mimeType is image/png, but the data look like text/html"


@pytest.mark.parametrize(
    "text",
    [
        '{"error":"invalid_token"}',
        '{"status": 429, "message": "Too Many Requests"}',
        '{"data": null, "errors": [{"message": "no such field"}]}',
        '{"success": false, "message": "the key has expired"}',
        "Request failed with status code 403",
        "HTTP 401 Unauthorized",
        "404 Not Found",
        "<!doctype html><title>Sign in</title>",
        '{"detail":"Not authenticated"}',
        '{"code":401,"msg":"unauthorized"}',
        '{"message":"Bad credentials","status":"401"}',
        "API request failed: 500 Internal Server Error",
        "Upstream returned 502 Bad Gateway",
        "Unauthorized",
        "connect ECONNREFUSED 127.0.0.1:5432",
        "HTTPConnectionPool(host='a', port=9): Max retries exceeded with url: / (Caused by NewConnectionError())",
        "Error calling API: 401",
        "Failed to fetch data: no route",
        "HTTP error 401 Unauthorized",
        "Error from upstream 502 Bad Gateway",
        "❌ Error: no key",
        "[ERROR] no route to the database",
    ],
)
def test_a_failure_in_a_result_is_found_by_its_shape(text: str) -> None:
    (found,) = of_one(_called({"content": [{"type": "text", "text": text}]})().findings(), "tool-failure-unmarked")
    assert "without isError" in found.sentence
    assert not of_one(
        _called({"content": [{"type": "text", "text": text}], "isError": True})().findings(), "tool-failure-unmarked"
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"error": null, "rows": []}',
        '{"error": "", "rows": []}',
        '{"errors": [{"line": 3, "message": "missing semicolon"}], "data": {}}',
        '{"status": 200, "message": "fine"}',
        '{"status": "open", "title": "Error: it does not start"}',
        "The page explains HTTP 401 Unauthorized and other statuses.",
        "404 rows were found",
        "Checked 10 links, 3 returned 404 Not Found",
        '{"detail":"A long description of a thing"}',
        '{"code":200,"msg":"ok"}',
        "Unauthorized access is prevented by the firewall rules in section 3.",
        "No errors were found.",
        "Errors: 0",
        "0 failed, 12 passed",
        "Error handling in Go is explicit, and errors are values.",
        "<!doctype html><title>The weather of Cologne</title>",
        "Error handling guide: how to return a 401 Unauthorized from an API",
        "Failed: 0, Passed: 12",
        'throw new Error("Failed to load");',
        '{"status":"error","id":7,"job":"nightly"}',
        "Error pages: what is shown on a 404 Not Found",
        '{"valid":false,"error":"Unexpected end of JSON input"}',
    ],
)
def test_a_result_that_speaks_of_errors_is_no_failure(text: str) -> None:
    assert not of_one(_called({"content": [{"type": "text", "text": text}]})().findings(), "tool-failure-unmarked")


_OWN = "Output validation error: Tool t has an output schema but no structured content was provided"


@pytest.mark.parametrize("text", [_OWN, "outputSchema defined but no structured output returned"])
def test_call_of_a_server_that_rejects_its_own_result_is_not_the_fault_of_the_call(text: str) -> None:
    listed = {"tools": [{"name": "t", "inputSchema": {"type": "object"}, "outputSchema": _SCHEMA}]}
    talk = Talk().ask("tools/list").answer(listed).ask("tools/call", {"name": "t", "arguments": {}})
    found = {each.id: each for each in talk.error(-32602, text).findings()}
    assert "the server rejects its own result" in found["structured-content-missing"].sentence
    assert "call-rejected" not in found
    failed = Talk().ask("tools/list").answer(listed).ask("tools/call", {"name": "t", "arguments": {}})
    failed.answer({"content": [{"type": "text", "text": text}], "isError": True})
    assert "structured-content-missing" in ids(failed)


@pytest.mark.parametrize(("output", "found"), [(_SCHEMA, [Severity.HINT]), ({"type": "object"}, []), (None, [])])
def test_structured_content_of_an_error_that_does_not_match_is_a_hint(output: object, found: list[Severity]) -> None:
    failed = _structured({"a": "no"}) | {"isError": True}
    flaws = of_one(_called(failed, output)().findings(), "structured-content-invalid")
    assert [each.severity for each in flaws] == found
    assert all("of an error" in each.sentence for each in flaws)


@pytest.mark.parametrize(
    ("structure", "found"),
    [
        ({"code": "E_MCP_TOOL_ERROR", "message": "connect"}, True),
        ({"name": "Error", "code": "ECONNREFUSED", "message": "connect", "stack": "at x"}, True),
        ({"code": "E404", "message": "not here", "rows": []}, False),
        ({"code": "DE", "message": "Germany"}, False),
        ({"code": "ENGLISH", "message": "Hello"}, False),
        ({"code": "E_MCP_TOOL_ERROR"}, False),
    ],
)
def test_structured_content_with_an_error_code_and_a_message_alone_is_an_unmarked_failure(
    structure: dict[str, object], *, found: bool
) -> None:
    result = {"content": [], "structuredContent": structure}
    assert ("tool-failure-unmarked" in ids(_called(result)())) is found


@pytest.mark.parametrize(
    ("text", "message", "is_sure"),
    [
        ('{"success": false, "error": "no cluster"}', "no cluster", True),
        ('{"status": "rejected", "errors": [{"code": "off", "message": "writes are off"}]}', "writes are off", True),
        ('{"status": "rejected", "errors": []}', "", False),
        ("Error: it broke", "Error: it broke", False),
        ('{"success": true, "error": null}', "", False),
        ('{"ok": false}', "an error", True),
        ('{"ok": false, "totals": {"refs": 0}, "prose": {"ok": false, "line": 1}}', "", False),
        ("fine", "", False),
    ],
)
def test_failure_in_a_result_is_sure_by_its_shape_and_not_by_its_words(text: str, message: str, is_sure: bool) -> None:
    found, _, sure = failure_in({"content": [{"type": "text", "text": text}]})
    assert (found, sure) == (message, is_sure)


def test_failed_call_with_structured_content_needs_no_json_as_text() -> None:
    failed = _structured({"code": 1}, {"type": "text", "text": "not allowed"}) | {"isError": True}
    assert "structured-content-without-text" not in ids(_called(failed)())


def test_all_that_differs_from_a_schema_is_one_finding() -> None:
    properties = {name: {"type": "integer"} for name in "abcdefg"}
    schema = {"type": "object", "properties": properties, "required": list("abcdefg")}
    for result, words in (
        (_structured({}), "t: /a, /b, /c, /d, /e and 2 more are required"),
        (_structured(dict.fromkeys("abcdef", 1)), "t: /g is required"),
        (_structured(dict.fromkeys("abcdefg", "1")), "must be"),
    ):
        (found,) = of_one(_called(result, schema)().findings(), "structured-content-invalid")
        assert words in found.sentence
    assert found.sentence.count("must be") == 3
    assert found.sentence.endswith("; and 4 more")


def test_an_empty_result_needs_no_text() -> None:
    assert "structured-content-without-text" not in ids(_called({"content": [], "structuredContent": {"result": []}})())
    assert "structured-content-without-text" in ids(_called({"content": [], "structuredContent": {"result": [1]}})())
    each_in_a_block = [{"type": "text", "text": '{"n": 1}'}, {"type": "text", "text": "two"}]
    for structure in ({"result": [{"n": 1}, "two"]}, {"type": "text", "text": "two", "annotations": None}):
        result = {"content": each_in_a_block, "structuredContent": structure}
        assert "structured-content-without-text" not in ids(_called(result)())


@pytest.mark.parametrize(
    ("text", "code", "is_found"),
    [
        ("<Account object at 0x7f31c8a2b0d0>", "", True),
        ("found: com.acme.Account@1b6d3586", "", True),
        ("<bound method Account.name of <Account object at 0x7f31c8a2b0d0>>", "", True),
        ("<Account object at 0x7f31c8a2b0d0>", "Account()", False),
        ("`Account()` is printed as <Account object at 0x7f31c8a2b0d0>", "", False),
        ("<coroutine object fetch at 0x7f31c8a2b0d0>", "", False),
        ("write to a.Bob@deadbee.example", "", False),
        ("owner: [object Object]", "", True),
        ("toString.call([]) gives [object Array]", "", False),
    ],
)
def test_an_object_without_a_text_is_found_unless_code_was_evaluated(text: str, code: str, is_found: bool) -> None:
    talk = Talk().ask("tools/call", {"name": "t", "arguments": {"code": code} if code else {}})
    talk = talk.answer({"content": [{"type": "text", "text": text}]})
    assert ("object-as-text" in ids(talk)) is is_found


@pytest.mark.parametrize(
    "text", ["list index out of range", "'Row' object has no attribute 'id'", "f is not a function"]
)
def test_the_message_of_an_exception_alone_is_a_failure(text: str) -> None:
    assert "tool-failure-unmarked" in ids(_called({"content": [{"type": "text", "text": text}]})())
    assert "tool-failure-unmarked" not in ids(_called({"content": [{"type": "text", "text": f"#15 {text} (open)"}]})())
