"""Chat completions as answers to sampling requests: texts, tools, reasons to stop, and what is no answer."""

from typing import Any

import pytest

from inspector.errors import RequestFailed
from inspector.sampler.chat import ChatRequest, chat_request
from inspector.sampler.completion import said_in
from tests.servers.model import call, completion

REQUEST = chat_request({"messages": [], "tools": [{"name": "harbour.tide"}], "stopSequences": ["END"]}, "asked-for")


def answer(value: Any, request: ChatRequest = REQUEST) -> Any:
    return said_in(value, request).result.value


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


def test_a_stop_sequence_is_told_where_the_endpoint_tells_it() -> None:
    value = completion()
    value["choices"][0]["stop_reason"] = "END"
    assert answer(value)["stopReason"] == "stopSequence"


def test_a_function_call_is_the_use_of_the_tool_that_it_stands_for() -> None:
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
def test_what_is_no_completion_is_an_error(value: Any) -> None:
    with pytest.raises(RequestFailed, match="no chat completion"):
        answer(value)


@pytest.mark.parametrize("arguments", ["{", "[1]", '"x"'])
def test_arguments_that_are_no_object_are_quoted(arguments: str) -> None:
    with pytest.raises(RequestFailed, match="no JSON object") as caught:
        answer(completion(None, tool_calls=[call("harbour_tide", arguments)]))
    assert arguments in str(caught.value)


def test_tokens_are_told_as_the_endpoint_counts_them() -> None:
    said = said_in(completion(), REQUEST)
    assert (said.tokens_in, said.tokens_out) == (12, 3)
    assert said_in(completion() | {"usage": None}, REQUEST).tokens_in is None
