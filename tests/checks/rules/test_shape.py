"""Members of another revision."""

from typing import Any

import pytest

from inspector.checks.registry import CHECKS
from inspector.checks.shapes.judge import rules
from tests.checks.both import of_one
from tests.checks.talks import Cases, Talk, asked, initialize, initialized, told

_TOOL = {"name": "a", "description": "d", "inputSchema": {"type": "object"}}


def _listed(row: int, **more: object) -> Talk:
    return Talk(row).ask("tools/list").answer({"tools": [_TOOL, _TOOL | {"name": "b"} | more]})


CASES: Cases = {"member-of-other-version": (lambda: _listed(3, icons=[]), lambda: _listed(4, icons=[]))}


@pytest.mark.parametrize(
    ("talk", "pointer", "words"),
    [
        (
            _listed(5, execution={"taskSupport": "forbidden"}),
            "/result/tools/1/execution",
            "execution was removed after",
        ),
        (_listed(2, outputSchema={"type": "object"}), "/result/tools/1/outputSchema", "outputSchema exists since"),
        (asked("tools/call", {"content": [], "structuredContent": {}}, 2)(), "/result/structuredContent", "since"),
        (Talk(3).demand("elicitation/create", {"message": "?", "mode": "form"}), "/params/mode", "mode exists since"),
    ],
)
def test_member_of_other_version_has_place_and_revision(talk: Talk, pointer: str, words: str) -> None:
    (found,) = of_one(talk.findings(), "member-of-other-version")
    assert found.pointer == pointer
    assert words in found.sentence
    assert found.severity == "hint"


def test_unknown_members_and_meta_are_allowed() -> None:
    assert not of_one(_listed(2, ours=1, _meta={}).findings(), "member-of-other-version")


def test_member_of_other_version_is_found_once_per_connection() -> None:
    talk = _listed(3, icons=[])
    talk.ask("tools/list").answer({"tools": [_TOOL | {"icons": []}]})
    assert len(of_one(talk.findings(), "member-of-other-version")) == 1


_OBJECT = {"type": "object"}


def _tool(**more: Any) -> Any:
    return {"tools": [{"name": "a", "description": "d", "inputSchema": _OBJECT} | more]}


def _handshake(result: dict[str, Any]) -> Any:
    return lambda: Talk(opened=False).ask("initialize", initialize(4)).answer(result)


def _content(block: Any, **more: Any) -> dict[str, Any]:
    return {"content": [block]} | more


_TEXT = {"type": "text", "text": "a"}
_SAMPLING = {"messages": [{"role": "user", "content": _TEXT}], "maxTokens": 5}
_TASK = {"taskId": "t", "status": "working", "createdAt": "2025", "lastUpdatedAt": "2025", "ttl": None}
_AUDIO = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}

SHAPE_CASES: Cases = {
    "result-not-object": (asked("ping", 5), asked("ping", {})),
    "params-not-object": (told("notifications/tools/list_changed", [1]), told("notifications/tools/list_changed", {})),
    "null-optional-member": (asked("tools/list", _tool(title=None)), asked("tools/list", _tool(title=""))),
    "initialize-result-invalid": (_handshake({"capabilities": {}}), _handshake(initialized(4))),
    "discover-result-invalid": (
        lambda: Talk(5, opened=False).ask("server/discover").answer({"capabilities": {}}),
        lambda: Talk(5),
    ),
    "result-type-missing": (
        lambda: Talk(5).ask("tools/list").answer({"tools": [], "ttlMs": 0, "cacheScope": "public"}, bare=True),
        asked("tools/list", {"tools": []}, 5),
    ),
    "capability-not-object": (
        _handshake(initialized(4, {"tools": True})),
        _handshake(initialized(4, {"tools": {"listChanged": False}, "ours": True})),
    ),
    "tool-incomplete": (asked("tools/list", {"tools": [{"inputSchema": _OBJECT}]}), asked("tools/list", _tool())),
    "input-schema-not-object": (
        asked("tools/list", _tool(inputSchema={"type": "array"})),
        asked("tools/list", _tool()),
    ),
    "output-schema-not-object": (
        asked("tools/list", _tool(outputSchema={"type": "string"})),
        asked("tools/list", _tool(outputSchema={"type": "string"}), 5),
    ),
    "content-missing": (asked("tools/call", {"isError": True}), asked("tools/call", {"content": []})),
    "unknown-content-type": (asked("tools/call", _content(_AUDIO), 1), asked("tools/call", _content(_AUDIO), 2)),
    "content-block-incomplete": (asked("tools/call", _content({"type": "text"})), asked("tools/call", _content(_TEXT))),
    "invalid-base64": (asked("tools/call", _content(_AUDIO | {"data": "A-_A"})), asked("tools/call", _content(_AUDIO))),
    "structured-content-not-object": (
        asked("tools/call", _content(_TEXT, structuredContent=[1])),
        asked("tools/call", _content(_TEXT, structuredContent=[1]), 5),
    ),
    "is-error-not-boolean": (
        asked("tools/call", _content(_TEXT, isError="yes")),
        asked("tools/call", _content(_TEXT, isError=False)),
    ),
    "resource-uri-missing": (
        asked("resources/list", {"resources": [{"uri": "a:b"}]}),
        asked("resources/list", {"resources": [{"uri": "a:b", "name": "b"}]}),
    ),
    "invalid-uri": (
        asked("resources/list", {"resources": [{"uri": "b/c", "name": "b"}]}),
        asked("resources/list", {"resources": [{"uri": "a+b:/c%20d?e#f", "name": "b"}]}),
    ),
    "prompt-name-missing": (
        asked("prompts/list", {"prompts": [{}]}),
        asked("prompts/list", {"prompts": [{"name": "a"}]}),
    ),
    "invalid-role": (
        asked("prompts/get", {"messages": [{"role": "system", "content": _TEXT}]}),
        asked("prompts/get", {"messages": [{"role": "assistant", "content": _TEXT}]}),
    ),
    "prompt-content-not-block": (
        asked("prompts/get", {"messages": [{"role": "user", "content": [_TEXT]}]}),
        asked("prompts/get", {"messages": [{"role": "user", "content": _TEXT}]}),
    ),
    "log-message-invalid": (
        told("notifications/message", {"level": "warn", "data": 1}),
        told("notifications/message", {"level": "warning", "data": None}),
    ),
    "cursor-not-string": (
        asked("tools/list", _tool() | {"nextCursor": 2}),
        asked("tools/list", _tool() | {"nextCursor": ""}),
    ),
    "cache-hints-missing": (
        lambda: Talk(5).ask("tools/list").answer(_tool() | {"resultType": "complete"}, bare=True),
        asked("tools/list", _tool(), 5),
    ),
    "cache-hints-invalid": (
        asked("tools/list", _tool() | {"ttlMs": -1}, 5),
        asked("tools/list", _tool() | {"ttlMs": 1}, 5),
    ),
    "request-state-not-string": (
        asked("tools/call", {"resultType": "input_required", "requestState": {}}, 5),
        asked("tools/call", {"resultType": "input_required", "requestState": ""}, 5),
    ),
    "sampling-request-invalid": (
        lambda: Talk().demand("sampling/createMessage", {"messages": []}),
        lambda: Talk().demand("sampling/createMessage", _SAMPLING),
    ),
    "unknown-sampling-content": (
        lambda: Talk(3).demand(
            "sampling/createMessage", _SAMPLING | {"messages": [{"role": "user", "content": [_TEXT]}]}
        ),
        lambda: Talk(4).demand(
            "sampling/createMessage", _SAMPLING | {"messages": [{"role": "user", "content": [_TEXT]}]}
        ),
    ),
    "task-invalid": (
        asked("tasks/get", {"taskId": "t", "status": "working", "ttl": None}, params={"taskId": "t"}),
        asked("tasks/get", _TASK, params={"taskId": "t"}),
    ),
}


def test_every_rule_that_a_shape_can_break_is_on_the_list() -> None:
    assert rules() <= set(CHECKS)


def test_shape_finding_has_place_and_page() -> None:
    (found,) = asked("tools/list", _tool(title=None))().findings()
    assert found.pointer == "/result/tools/0/title"
    assert found.page.endswith("/schema")
    assert found.frames == (6,)


def test_a_task_s_handle_and_a_question_are_judged_by_their_own_shapes() -> None:
    assert not Talk().ask("tools/call", {"name": "a", "task": {}}).answer({"task": _TASK}).findings()
    question = {"resultType": "input_required", "requestState": "x"}
    found = {each.id for each in Talk(5).ask("tools/call", {"name": "a"}).answer(question, bare=True).findings()}
    assert found == {"server-info-missing"}


def test_one_fault_of_many_items_is_one_finding_with_their_names() -> None:
    items = [{"uri": f"a://{{id}}/{n}", "name": f"r{n}"} for n in range(5)]
    (uris,) = asked("resources/list", {"resources": items})().findings()
    assert uris.sentence.endswith("it is a template, and 4 more items (r1, r2, r3, …)")
