"""The outcome of a call, a read or a prompt."""

import base64
from typing import Any

import pytest

from inspector.present.result import CallOutcome, Finished, incomplete, outcome_of, result_view, verdict_of
from inspector.present.spans import plain
from inspector.protocol.revisions.table import NEWEST

_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def _call(result: Any = None, **more: Any) -> Finished:
    return Finished("tools/call", "echo", result, **more)


def _headline(finished: Finished) -> str:
    return plain(result_view(finished).headline)


_TEXT = {"content": [{"type": "text", "text": "hi"}]}


def test_success_headline_has_duration_and_size() -> None:
    finished = _call(_TEXT, duration_ns=31_000_000, size=311, rounds=2)
    assert _headline(finished) == "✓ OK · 31 ms · 311 B · 2 rounds"
    assert result_view(finished).blocks[0].text == "hi"


def test_three_failures_are_three_different_things() -> None:
    tool_error = _call(_TEXT | {"isError": True})
    refused = _call(error={"code": -32602, "message": "Unknown tool: echo\x1b"}, answered=False)
    broken = _call(answered=False, failure="the server ended", hint="Look at its stderr.")
    assert _headline(tool_error) == "✗ Tool error"
    assert _headline(refused) == "✗ JSON-RPC error -32602 invalid params"
    assert _headline(broken) == "✗ No response"
    assert _headline(_call(answered=False, failure="HTTP 401 without a response.", http_status=401)) == "✗ HTTP 401"
    assert [outcome_of(each) for each in (tool_error, refused, broken)] == [
        CallOutcome.TOOL_ERROR,
        CallOutcome.JSONRPC_ERROR,
        CallOutcome.NO_ANSWER,
    ]
    assert [plain(line) for line in result_view(refused).message] == ["Unknown tool: echo␛"]
    assert [plain(line) for line in result_view(broken).message] == ["the server ended"]
    assert result_view(broken).hint == "Look at its stderr."
    assert result_view(tool_error).blocks[0].text == "hi"


def test_a_request_that_the_server_could_not_send_has_its_cause_as_hint() -> None:
    words = "Cannot send 'roots/list': this transport context has no back-channel for server-initiated requests."
    result = {"content": [{"type": "text", "text": words}]}
    refused = _call(error={"code": -32600, "message": words}, answered=False, revision=NEWEST)
    for finished in (refused, _call(result | {"isError": True}, revision=NEWEST)):
        hint = result_view(finished).hint
        assert hint.startswith(
            f"The server wanted to send roots/list, a request of the legacy era: {NEWEST.date} has no"
        )
        assert "--era legacy" in hint
    assert result_view(_call(result, revision=NEWEST)).hint == ""


def test_no_response_shows_the_last_words_of_the_server() -> None:
    view = result_view(_call(answered=False, failure="the server ended", last_words="KeyError: 'boom'"))
    assert [plain(line) for line in view.message] == ["the server ended", "stderr  KeyError: 'boom'"]


def test_giving_up_and_running_out_of_time_are_two_more() -> None:
    assert _headline(_call(answered=False, cancelled=True)) == "× Cancelled"
    timed_out = _call(answered=False, timed_out=True, failure="no response within 60 s", duration_ns=60_000_000_000)
    assert _headline(timed_out) == "▲ Timed out · 60.0 s"


def test_an_error_code_has_the_name_of_its_revision() -> None:
    assert "header mismatch" in _headline(_call(error={"code": -32020, "message": "x"}, revision=NEWEST))
    assert _headline(_call(error={"code": -32020, "message": "x"})) == "✗ JSON-RPC error -32020"


@pytest.mark.parametrize(
    ("error", "headline", "blocks"),
    [
        ({"code": 1, "message": "m", "data": {"a": 1}}, "✗ JSON-RPC error 1", ["data"]),
        ({"code": 1, "message": ""}, "✗ JSON-RPC error 1", []),
        ({"code": "x"}, "✗ JSON-RPC error without a code", ["error"]),
        ("words", "✗ JSON-RPC error without a code", ["error"]),
    ],
)
def test_an_error_of_any_shape_is_shown_whole(error: Any, headline: str, blocks: list[str]) -> None:
    view = result_view(_call(error=error))
    assert plain(view.headline) == headline
    assert [plain(block.title).split(" ")[0] for block in view.blocks] == blocks
    assert view.message


@pytest.mark.parametrize("result", [{"content": []}, {"content": [], "structuredContent": None, "_meta": {}}])
def test_an_empty_result_is_a_success(result: Any) -> None:
    assert _headline(_call(result)) == "✓ OK; empty result"


@pytest.mark.parametrize(
    ("method", "result", "why"),
    [
        ("tools/call", {}, "content is missing"),
        ("tools/call", {"content": None}, "content is of type null"),
        ("tools/call", {"content": "done"}, "content is of type string"),
        ("tools/call", {"structuredContent": {"n": 1}}, "content is missing"),
        ("resources/read", {}, "contents is missing"),
        ("prompts/get", {"description": "d"}, "messages is missing"),
    ],
)
def test_a_result_without_its_required_array_is_incomplete(method: str, result: Any, why: str) -> None:
    view = result_view(Finished(method, result=result))
    assert view.outcome is CallOutcome.INCOMPLETE
    assert plain(view.message[0]) == f"{why}, and the schema requires an array."


def test_the_verdict_comes_second_and_takes_nothing_away() -> None:
    finished = _call({"content": [], "structuredContent": {"n": "many"}}, output_schema=_SCHEMA)
    before = result_view(finished).structured
    assert before is not None
    assert plain(before.verdict) == "not validated"
    after = result_view(finished, verdict_of(finished)).structured
    assert after is not None
    assert plain(after.verdict) == "✗ does not match its outputSchema: 1 problem"
    assert [each.key for each in after.problems] == ["/n"]
    assert ": many" in after.problems[0].value
    assert after.text == before.text == '{\n  "n": "many"\n}'


def test_matching_structured_content_is_confirmed() -> None:
    finished = _call({"content": [], "structuredContent": {"n": 1}}, output_schema=_SCHEMA)
    structured = result_view(finished, verdict_of(finished)).structured
    assert structured is not None
    assert plain(structured.verdict) == "✓ matches its outputSchema"


def test_a_schema_that_cannot_judge_is_not_passed_off_as_fine() -> None:
    finished = _call({"structuredContent": {}}, output_schema={"$schema": "https://example.test/mine"})
    structured = result_view(finished, verdict_of(finished)).structured
    assert structured is not None
    assert plain(structured.verdict).startswith("▲ cannot validate")


def test_promised_structure_that_is_missing_is_a_problem() -> None:
    finished = _call(_TEXT, output_schema=_SCHEMA)
    structured = result_view(finished, verdict_of(finished)).structured
    assert structured is not None
    assert structured.text == ""
    assert structured.problems[0].key == "/structuredContent"


@pytest.mark.parametrize(
    "finished",
    [
        _call(_TEXT),
        _call(_TEXT | {"isError": True}, output_schema=_SCHEMA),
        _call(error={"code": 1}, output_schema=_SCHEMA),
        _call({"resultType": "input_required"}, output_schema=_SCHEMA),
    ],
)
def test_verdict_without_schema_is_none(finished: Finished) -> None:
    assert verdict_of(finished) is None


def test_structure_without_a_schema_is_shown_and_not_judged() -> None:
    structured = result_view(_call({"content": [], "structuredContent": [1]})).structured
    assert structured is not None
    assert plain(structured.verdict) == "not validated: the tool has no outputSchema"


def test_a_text_that_reads_like_an_error_is_remarked_on() -> None:
    text = {"content": [{"type": "text", "text": "Error: disk full"}]}
    assert "isError" in result_view(_call(text)).hint
    assert result_view(_call(text | {"isError": True})).hint == ""
    assert result_view(_call(_TEXT)).hint == ""


def test_a_read_and_a_prompt_have_blocks_too() -> None:
    read = result_view(Finished("resources/read", "a://b", {"contents": [{"uri": "a://b", "text": "hi"}]}))
    assert [block.text for block in read.blocks] == ["hi"]
    messages = [
        {"role": "user", "content": {"type": "text", "text": "ask"}},
        {"role": "assistant", "content": [{"type": "text", "text": "say"}]},
        "odd",
    ]
    prompt = result_view(Finished("prompts/get", "p", {"description": "d", "messages": messages}))
    assert [plain(block.title).split(" ·")[0] for block in prompt.blocks] == ["user", "assistant", "no role"]
    assert [each.value for each in prompt.facts] == ["d"]


def test_a_result_of_another_shape_is_shown_as_json() -> None:
    assert result_view(_call({"toolResult": 7})).blocks[0].text == '{\n  "toolResult": 7\n}'
    assert result_view(_call("words")).blocks[0].text == '"words"'
    asked = result_view(_call({"resultType": "input_required", "inputRequests": {}}))
    assert "input required" in plain(asked.blocks[0].title)


def test_headline_warns_of_a_schema_mismatch() -> None:
    finished = _call({"content": [], "structuredContent": {"n": "x"}}, output_schema=_SCHEMA, size=9)
    (said, role), rest = result_view(finished, verdict_of(finished)).headline
    assert (said, role) == ("▲ OK, but does not match outputSchema (1)", "warning")
    assert rest[0] == " · 9 B"


def test_members_of_every_modern_result_are_no_facts() -> None:
    about = {"io.modelcontextprotocol/serverInfo": {"name": "x"}}
    assert result_view(_call(_TEXT | {"resultType": "complete", "_meta": about})).facts == ()
    (other,) = result_view(_call(_TEXT | {"_meta": about | {"a/b": 1}})).facts
    assert other.value == "a/b"
    (asked,) = result_view(_call(_TEXT | {"resultType": "input_required"})).facts
    assert asked.value == "input_required"


def test_cache_hints_and_meta_are_facts() -> None:
    facts = result_view(_call(_TEXT | {"ttlMs": 500, "cacheScope": "private", "_meta": {"a": 1}})).facts
    assert {each.key: each.value for each in facts} == {"cache": "TTL 500 ms, private", "_meta": "a"}


def test_a_time_that_is_none_is_a_warning() -> None:
    facts = result_view(_call(_TEXT | {"ttlMs": "60"})).facts
    assert [(each.value, each.role) for each in facts] == [("▲ ttlMs is a string, not a number: '60'", "warning")]


_BAD, _GARBAGE = "no base64!", base64.b64encode(b"these bytes are no picture").decode()
_PICTURE = {"type": "image", "mimeType": "image/png"}
_READ, _GOT = "resources/read", "prompts/get"


@pytest.mark.parametrize(
    ("method", "result", "why"),
    [
        ("tools/call", {"resultType": "input_required", "requestState": "s"}, "input required"),
        ("tools/call", {"resultType": "later", "content": []}, 'resultType is "later"'),
        ("tools/call", {"resultType": 7, "content": []}, "resultType is 7"),
        (_READ, {"resultType": "task", "taskId": "t"}, 'resultType is "task"'),
        ("tools/call", {"resultType": "task", "taskId": "t"}, "became a task"),
        ("tools/call", {"task": {"taskId": "t"}}, "became a task"),
        ("tools/call", None, "the result is null"),
        (_GOT, [], "the result is [], not an object"),
        ("tools/call", {"content": [{"type": "text", "text": "a"}, _PICTURE | {"data": _BAD}]}, "part 2 is invalid"),
        ("tools/call", {"content": [_PICTURE | {"data": _GARBAGE}]}, "the data is not image/png"),
        ("tools/call", {"content": [_PICTURE | {"data": ""}]}, "it is empty"),
        ("tools/call", {"content": [_PICTURE]}, "image without data"),
        (
            "tools/call",
            {"content": [{"type": "audio", "mimeType": "audio/wav", "data": _BAD}]},
            "audio: invalid base64",
        ),
        (
            "tools/call",
            {"content": [{"type": "resource", "resource": {"uri": "a:b", "blob": _BAD}}]},
            "blob: invalid base64",
        ),
        (_READ, {"contents": [{"uri": "a:b", "blob": _BAD}]}, "blob: invalid base64"),
        (_GOT, {"messages": [{"role": "user", "content": _PICTURE | {"data": _BAD}}]}, "image: invalid base64"),
    ],
)
def test_incomplete_result_is_no_success(method: str, result: Any, why: str) -> None:
    finished = Finished(method, result=result)
    view = result_view(finished)
    assert outcome_of(finished) is CallOutcome.INCOMPLETE
    assert _text(view.headline).startswith("✗ Incomplete result")
    assert why in " ".join(map(_text, view.message))


@pytest.mark.parametrize(
    "result",
    [
        {"resultType": "complete", "content": []},
        {"resultType": None, "content": []},
        {"content": [{"type": "image", "mimeType": "image/avif", "data": _GARBAGE}]},
        {"content": [{"type": "smell", "data": _BAD}]},
    ],
)
def test_result_without_problems_is_ok(result: Any) -> None:
    assert outcome_of(Finished("tools/call", result=result)) is CallOutcome.OK


def test_questions_that_were_left_open_say_why_and_a_tools_own_error_comes_first() -> None:
    asks = {"resultType": "input_required"}
    assert incomplete(Finished("tools/call", result=asks, unfinished="it asked more than 10 times")) == (
        "it asked more than 10 times"
    )
    assert outcome_of(Finished("tools/call", result={"isError": True, "content": [_PICTURE]})) is CallOutcome.TOOL_ERROR


def _text(line: Any) -> str:
    return "".join(span[0] for span in line)
