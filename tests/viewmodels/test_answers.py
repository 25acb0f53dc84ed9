"""Answers as forms: what is to be filled in, and what is sent."""

from pathlib import Path
from typing import Any

import pytest

from inspector.forms.fields import UNSET
from inspector.protocol.questions import Kind, Question, Refusal, Result, Root
from inspector.viewmodels.answers import (
    ROOTS_SCHEMA,
    answer_schema,
    answer_section,
    answer_word,
    filled_by,
    has_form,
    listed,
    no_to,
    reply_of,
    root_uri,
    roots_of,
)
from inspector.viewmodels.lines import plain, section_lines

CITY = {"type": "object", "properties": {"city": {"type": "string"}}}


def asks(kind: Kind = Kind.ELICITATION, **params: Any) -> Question:
    return Question(kind, params, 1, 1, 0)


def test_an_elicitation_is_filled_in_by_its_own_schema() -> None:
    asked = asks(requestedSchema=CITY)
    assert answer_schema(asked) == CITY
    assert reply_of(asked, {"city": 3}) == Result({"action": "accept", "content": {"city": 3}})
    assert reply_of(asked, UNSET) == Result({"action": "accept"})
    assert answer_schema(asks(requestedSchema="nonsense")) == {"type": "object"}


def test_a_link_has_nothing_to_fill_in() -> None:
    assert not has_form(asks(mode="url"))
    assert reply_of(asks(mode="url"), {"x": 1}) == Result({"action": "accept"})


def test_a_model_s_answer_has_text_model_and_stop_reason() -> None:
    filled = {"text": "Salt.", "model": "me", "stopReason": "maxTokens"}
    reply = reply_of(asks(Kind.SAMPLING), filled)
    content = {"type": "text", "text": "Salt."}
    assert reply == Result({"role": "assistant", "content": content, "model": "me", "stopReason": "maxTokens"})
    assert filled_by(asks(Kind.SAMPLING), reply) == filled
    empty = reply_of(asks(Kind.SAMPLING), UNSET)
    assert isinstance(empty, Result)
    assert (empty.value["content"]["text"], empty.value["model"]) == ("", "written by hand")


def test_where_the_model_has_tools_it_may_call_one() -> None:
    asked = asks(Kind.SAMPLING, tools=[{"name": "weigh"}, {"name": 3}])
    assert answer_schema(asked)["properties"]["toolUse"]["properties"]["name"] == {"enum": ["weigh"]}
    assert "toolUse" not in answer_schema(asks(Kind.SAMPLING))["properties"]
    reply = reply_of(asked, {"toolUse": {"name": "weigh", "input": {"a": 1}}})
    assert isinstance(reply, Result)
    assert reply.value["content"] == {"type": "tool_use", "id": "call_1", "name": "weigh", "input": {"a": 1}}
    assert reply.value["stopReason"] == "toolUse"
    both = reply_of(asked, {"text": "Let me see.", "toolUse": {"name": "weigh"}})
    assert isinstance(both, Result)
    assert [block["type"] for block in both.value["content"]] == ["text", "tool_use"]


def test_roots_are_paths_or_uris_and_an_empty_line_is_none() -> None:
    filled = {"roots": [{"uri": "/srv/data", "name": "data"}, {"uri": ""}, {"uri": "https://a.example/"}, 3]}
    roots = roots_of(filled)
    assert roots == (Root("file:///srv/data", "data"), Root("https://a.example/"))
    assert reply_of(asks(Kind.ROOTS), filled) == Result(listed(roots))
    assert filled_by(asks(Kind.ROOTS), Result(listed(roots))) == listed(roots)
    assert answer_schema(asks(Kind.ROOTS)) is ROOTS_SCHEMA
    assert root_uri("~") == Path.home().as_uri()
    assert root_uri("a b").endswith("/a%20b")


def test_no_is_said_in_the_way_of_each_kind() -> None:
    assert no_to(asks()) == Result({"action": "decline"})
    assert no_to(asks(), dismiss=True) == Result({"action": "cancel"})
    assert no_to(asks(Kind.SAMPLING)) == no_to(asks(Kind.ROOTS), dismiss=True)
    assert no_to(asks(Kind.SAMPLING)) == Refusal(-1, "the person rejected the request")


@pytest.mark.parametrize("reply", [None, Refusal(-1, "no"), Result(None), Result({"action": "decline"}), Result([])])
def test_from_a_no_nothing_is_taken_over(reply: Any) -> None:
    assert filled_by(asks(), reply) is UNSET
    assert filled_by(asks(Kind.SAMPLING), reply) is UNSET


def test_what_became_of_a_question_is_said_with_who_did_it() -> None:
    def shown(*how: Any) -> str:
        return "\n".join(map(plain, section_lines(answer_section(*how))))

    yes = Result({"action": "accept", "content": {"city": "\x1b"}})
    assert "by  person" in shown(yes, "person", "")
    assert "\x1b" not in shown(yes, "person", "")
    assert "error  -1" in shown(Refusal(-1, "nobody is there"), "nobody", "")
    assert "the server cancelled" in shown(None, "", "the server cancelled its question")
    words = [answer_word(each) for each in (yes, no_to(asks()), no_to(asks(), dismiss=True), Refusal(-1, ""), None)]
    assert words == ["accepted", "declined", "cancelled", "refused", "withdrawn"]
    assert answer_word(Result({"roots": []})) == "answered"
