"""What a server asks of the client."""

import pytest

from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk

_TEXT = {"type": "text", "text": "a"}
_USE = {"role": "assistant", "content": {"type": "tool_use", "id": "1", "name": "n", "input": {}}}


def _used(id_: str) -> dict[str, object]:
    return {"role": "user", "content": {"type": "tool_result", "toolUseId": id_, "content": []}}


def _sampling(messages: object = None, client: object = None, **more: object) -> Script:
    params = {"messages": messages or [{"role": "user", "content": _TEXT}], "maxTokens": 5} | more
    return lambda: Talk(client=client or {"sampling": {}}).demand("sampling/createMessage", params)  # type: ignore[arg-type]


def _form(properties: object, row: int = 4, message: str = "m") -> Script:
    schema = {"type": "object", "properties": properties}
    return lambda: Talk(row).demand("elicitation/create", {"message": message, "requestedSchema": schema})


def _url(url: str, row: int = 4, **more: object) -> Script:
    params = {"mode": "url", "message": "m", "url": url} | more
    return lambda: Talk(row, client={"elicitation": {"url": {}}}).demand("elicitation/create", params)


def _again(completed: object) -> Script:
    """A call that is refused, and refused again after an elicitation was completed."""
    error = {"code": -32042, "message": "log in", "data": {"elicitations": [_VISIT]}}

    def talk() -> Talk:
        begun = Talk().ask("tools/call", {"name": "a"}).error(**error)
        return (
            begun.tell("notifications/elicitation/complete", completed).ask("tools/call", {"name": "a"}).error(**error)
        )

    return talk


def _required(data: object) -> Script:
    return lambda: Talk().ask("tools/call", {"name": "a"}).error(-32042, data=data)


_VISIT = {"mode": "url", "message": "m", "url": "https://a/b", "elicitationId": "e"}
CASES: Cases = {
    "sampling-tools-unsupported": (_sampling(tools=[]), _sampling(client={"sampling": {"tools": {}}}, tools=[])),
    "tool-result-mismatch": (_sampling([_USE, _used("2")]), _sampling([_USE, _used("1")])),
    "sampling-context-unsupported": (_sampling(includeContext="thisServer"), _sampling(includeContext="none")),
    "elicitation-mode-unsupported": (
        lambda: Talk(client={"elicitation": {}}).demand("elicitation/create", _VISIT),
        _url("https://a/b", elicitationId="e"),
    ),
    "elicitation-schema-not-flat": (
        _form({"a": {"type": "object"}}),
        _form({"a": {"type": "string", "format": "email"}}),
    ),
    "elicitation-url-invalid": (_url("javascript:alert(1)"), _url("http://localhost:80/a")),
    "elicitation-id-invalid": (_url("https://a/b"), _url("https://a/b", elicitationId="e")),
    "elicitation-asks-for-secret": (_form({"password": {"type": "string"}}), _form({"passenger": {"type": "string"}})),
    "elicitation-link-in-text": (_form({}, message="See https://example.com"), _form({}, message="See the site")),
    "url-elicitation-missing": (_required({}), _required({"elicitations": [_VISIT]})),
    "url-elicitation-repeated": (_again({"elicitationId": "e"}), _again({"elicitationId": "of another"})),
    "unknown-elicitation-completed": (
        lambda: Talk().tell("notifications/elicitation/complete", {"elicitationId": "x"}),
        lambda: _required({"elicitations": [_VISIT]})().tell(
            "notifications/elicitation/complete", {"elicitationId": "e"}
        ),
    ),
    "enum-names-deprecated": (
        _form({"a": {"type": "string", "enum": ["a"], "enumNames": ["A"]}}),
        _form({"a": {"type": "string", "oneOf": [{"const": "a", "title": "A"}]}}),
    ),
}


def test_a_question_inside_of_a_result_is_judged_the_same() -> None:
    params = {"message": "m", "requestedSchema": {"type": "object", "properties": {"password": {"type": "string"}}}}
    question = {
        "resultType": "input_required",
        "inputRequests": {"q": {"method": "elicitation/create", "params": params}},
    }
    (found,) = (
        each
        for each in Talk(5).ask("tools/call", {"name": "a"}).answer(question).findings()
        if each.id == "elicitation-asks-for-secret"
    )
    assert found.pointer == "/result/inputRequests/q/params/requestedSchema/properties/password"


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ({"type": "integer", "default": "3"}, True),
        ({"type": "integer", "default": True}, True),
        ({"type": "string", "enum": ["a"], "default": "b"}, True),
        ({"type": "string", "oneOf": [{"const": "a", "title": "A"}], "default": "b"}, True),
        ({"type": "number", "default": 3}, False),
        ({"type": "string", "enum": ["a"], "default": "a"}, False),
        ({"type": "boolean", "default": False}, False),
    ],
)
def test_a_form_begins_with_values_that_it_takes(field: dict[str, object], *, found: bool) -> None:
    assert [each.severity for each in of_one(_form({"a": field})().findings(), "elicitation-schema-not-flat")] == [
        "hint"
    ] * found
