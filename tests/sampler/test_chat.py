"""Sampling requests in the other form: every kind of content, the limits, the tools, and what has no place there."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import RequestFailed
from inspector.sampler.chat import ChatRequest, chat_request, reply_in
from tests.servers.model import call, completion


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def asked(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return chat_request({"messages": list(messages), "maxTokens": 10} | more, "m").body


def test_texts_become_messages_below_the_system_prompt() -> None:
    body = asked(
        {"role": "user", "content": said("Why?")},
        {"role": "assistant", "content": said("Salt.")},
        systemPrompt="Brief.",
    )
    assert body == {
        "model": "m",
        "max_tokens": 10,
        "messages": [
            {"role": "system", "content": "Brief."},
            {"role": "user", "content": "Why?"},
            {"role": "assistant", "content": "Salt."},
        ],
    }


def test_limits_travel_by_their_other_names() -> None:
    body = asked({"role": "user", "content": said("x")}, temperature=0.25, stopSequences=["END", 3])
    assert (body["temperature"], body["stop"], body["max_tokens"]) == (0.25, ["END"], 10)


@pytest.mark.parametrize(("mime", "sort"), [("audio/wav", "wav"), ("audio/mpeg", "mp3"), ("audio/ogg", "ogg")])
def test_pictures_and_sounds_become_parts(mime: str, sort: str) -> None:
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    sound = {"type": "audio", "data": "aGk=", "mimeType": mime}
    (message,) = asked({"role": "user", "content": [said("See"), picture, sound]})["messages"]
    assert message["content"] == [
        said("See"),
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "input_audio", "input_audio": {"data": "aGk=", "format": sort}},
    ]


def test_tools_become_functions_and_the_choice_of_them_stays() -> None:
    tool = {"name": "tide", "description": "Tides.", "inputSchema": {"type": "object"}}
    body = asked({"role": "user", "content": said("x")}, tools=[tool], toolChoice={"mode": "required"})
    function = {"name": "tide", "description": "Tides.", "parameters": {"type": "object"}}
    assert (body["tools"], body["tool_choice"]) == ([{"type": "function", "function": function}], "required")


def test_a_name_that_no_function_may_have_is_changed_and_can_be_changed_back() -> None:
    tools = [{"name": name, "inputSchema": {}} for name in ("harbour.tide", "harbour/tide", "t" * 128)]
    request = chat_request({"messages": [], "tools": tools}, "m")
    names = [each["function"]["name"] for each in request.body["tools"]]
    assert names == ["harbour_tide", "harbour_tide_2", "t" * 64]
    assert [request.tools[name] for name in names] == [tool["name"] for tool in tools]


def test_a_loop_of_tools_keeps_its_ids_both_ways() -> None:
    use = {"type": "tool_use", "id": "c1", "name": "tide", "input": {"port": "Oslo"}}
    result = {"type": "tool_result", "toolUseId": "c1", "content": [said("2 m"), said("rising")]}
    body = asked(
        {"role": "user", "content": said("Tide?")},
        {"role": "assistant", "content": [said("I look."), use]},
        {"role": "user", "content": result},
    )
    assistant, tool = body["messages"][1:]
    assert assistant["content"] == "I look."
    assert assistant["tool_calls"][0]["id"] == tool["tool_call_id"] == "c1"
    assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"port": "Oslo"}
    assert tool == {"role": "tool", "tool_call_id": "c1", "content": "2 m\nrising"}


def test_a_result_without_text_gives_its_structure_and_its_picture_follows() -> None:
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    result = {"type": "tool_result", "toolUseId": "c1", "content": [picture], "structuredContent": {"m": 2}}
    tool, user = asked({"role": "user", "content": [result]})["messages"]
    assert tool["content"] == '{"m":2}'
    assert user["content"][0]["image_url"]["url"].startswith("data:image/png")


def test_content_without_equivalent_is_left_out_and_named() -> None:
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    failed = {"type": "tool_result", "toolUseId": "c1", "content": [said("no")], "isError": True}
    messages = [
        {"role": "user", "content": {"type": "smell"}},
        {"role": "assistant", "content": [picture]},
        {"role": "user", "content": [failed]},
    ]
    request = chat_request({"messages": messages, "includeContext": "allServers"}, "m")
    assert request.left_out == (
        "a block of the user's of type smell",
        "a block of the assistant's of type image",
        "the sign that a tool failed (its text is passed on)",
        "includeContext",
    )


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["messages", "content", "type", "text", "role", "tools", "name", "maxTokens", "input"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(_JSON)
def test_anything_can_be_translated(params: object) -> None:
    json.dumps(chat_request(params, "m").body)


REQUEST = chat_request({"messages": [], "tools": [{"name": "harbour.tide"}], "stopSequences": ["END"]}, "asked-for")


def answer(value: Any, request: ChatRequest = REQUEST) -> Any:
    return reply_in(value, request).result.value


def test_a_text_is_one_block_with_the_model_s_own_name() -> None:
    assert answer(completion("Rivers.")) == {
        "role": "assistant",
        "content": {"type": "text", "text": "Rivers."},
        "model": "tide-1",
        "stopReason": "endTurn",
    }


@pytest.mark.parametrize(
    ("finish", "reason"),
    [("stop", "endTurn"), ("length", "maxTokens"), ("content_filter", "content_filter"), ("", "endTurn")],
)
def test_the_reason_to_stop_is_translated(finish: str, reason: str) -> None:
    assert answer(completion(reason=finish))["stopReason"] == reason


def test_stop_sequence_becomes_the_stop_reason() -> None:
    value = completion()
    value["choices"][0]["stop_reason"] = "END"
    assert answer(value)["stopReason"] == "stopSequence"


def test_function_call_becomes_tool_use() -> None:
    value = completion(None, reason="tool_calls", tool_calls=[call("harbour_tide", '{"port": "Oslo"}')])
    assert answer(value)["content"] == {
        "type": "tool_use",
        "id": "call_7",
        "name": "harbour.tide",
        "input": {"port": "Oslo"},
    }
    assert answer(value)["stopReason"] == "toolUse"


def test_text_and_several_calls_are_a_list() -> None:
    value = completion("I look.", reason="stop", tool_calls=[call("a", ""), call("b", "{}", "call_8")])
    assert [block["type"] for block in answer(value)["content"]] == ["text", "tool_use", "tool_use"]
    assert answer(value)["stopReason"] == "toolUse"


def test_parts_and_refusals_are_words_too() -> None:
    assert answer(completion(content=[{"type": "text", "text": "a"}, {"text": "b"}]))["content"]["text"] == "ab"
    assert answer(completion(None, refusal="I won't."))["content"]["text"] == "I won't."


@pytest.mark.parametrize("value", [{}, [], None, 3, {"choices": []}, {"choices": [{"message": "hi"}]}])
def test_other_completion_is_an_error(value: Any) -> None:
    with pytest.raises(RequestFailed, match="other than a chat completion"):
        answer(value)


@pytest.mark.parametrize("arguments", ["{", "[1]", '"x"'])
def test_arguments_that_are_no_object_are_quoted(arguments: str) -> None:
    with pytest.raises(RequestFailed, match="no JSON object") as caught:
        answer(completion(None, tool_calls=[call("harbour_tide", arguments)]))
    assert arguments in str(caught.value)


def test_token_counts_come_from_the_endpoint() -> None:
    said = reply_in(completion(), REQUEST)
    assert (said.tokens_in, said.tokens_out) == (12, 3)
    assert reply_in(completion() | {"usage": None}, REQUEST).tokens_in is None
