"""Prepared answers: how the file is read, which entry answers, and with what."""

from pathlib import Path
from typing import Any

import pytest

from inspector.errors import UsageError
from inspector.protocol.server_requests import (
    ErrorReply,
    RequestKind,
    Result,
    ServerRequest,
    accepted,
    declined,
    dismissed,
)
from inspector.session.scripted import Prepared, policy, read_answers

CITY = {"type": "object", "properties": {"city": {"type": "string", "minLength": 2}}, "required": ["city"]}


def asks(kind: RequestKind = RequestKind.ELICITATION, *, cause: int | None = None, **params: Any) -> ServerRequest:
    return ServerRequest(kind, params, 1, 1, 0, cause=cause)


def written(tmp_path: Path, text: str, name: str = "answers.json") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_json_and_yaml_are_read_alike(tmp_path: Path) -> None:
    json_file = written(tmp_path, '[{"kind": "elicitation", "answer": "decline", "tool": "book"}]')
    yaml_file = written(tmp_path, "- kind: elicitation\n  answer: decline\n  tool: book\n", "answers.yaml")
    assert (
        read_answers(json_file)
        == read_answers(yaml_file)
        == (Prepared(RequestKind.ELICITATION, "decline", tool="book"),)
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "line 1, column 2: expecting property name"),
        ("[" * 100_000, "nested too deeply"),
        ("{}", "a list is expected"),
        ("[1]", "entry 1: an object is expected"),
        ('[{"kind": "elicitation", "answer": "accept"}, {"kind": "tea"}]', "entry 2"),
        ('[{"kind": "roots", "answer": "accept"}]', "'accept' answers no roots"),
        ('[{"kind": "sampling", "answer": "text", "txet": "x"}]', "'txet' means nothing here"),
        ('[{"kind": "sampling", "answer": "text", "message": "("}]', "entry 1"),
    ],
)
def test_prepared_answers_error_names_its_entry(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says.replace("(", r"\(")):
        read_answers(written(tmp_path, text))


@pytest.mark.parametrize("text", ["", "a: [", "- {1: 2, x: 3, kind: roots}"])
def test_a_wrong_yaml_file_is_a_wrong_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError):
        read_answers(written(tmp_path, text, "answers.yml"))


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_answers(tmp_path / "none.json")


async def test_the_first_entry_that_fits_answers() -> None:
    prepared = (
        Prepared(RequestKind.SAMPLING, "text", text="not for this"),
        Prepared(RequestKind.ELICITATION, "decline", message="which (town|city)"),
        Prepared(RequestKind.ELICITATION, "cancel", tool="book"),
        Prepared(RequestKind.ELICITATION, "accept", content={"city": "Oslo"}),
    )
    answer = policy(prepared, lambda number: "book" if number == 3 else "")
    assert await answer(asks(message="So which city?")) == declined()
    assert await answer(asks(message="Who?", cause=3)) == dismissed()
    assert await answer(asks(message="Who?")) == accepted({"city": "Oslo"})
    assert await answer(asks(RequestKind.ROOTS)) is None


async def test_a_pattern_for_sampling_is_searched_in_all_of_its_text() -> None:
    answer = policy((Prepared(RequestKind.SAMPLING, "text", text="42", message="meaning"),), lambda number: "")
    messages = [{"role": "user", "content": {"type": "text", "text": "the meaning of life"}}]
    found = await answer(asks(RequestKind.SAMPLING, messages=messages))
    assert isinstance(found, Result)
    assert found.value["content"] == {"type": "text", "text": "42"}
    assert (found.value["model"], found.value["stopReason"]) == ("prepared", "endTurn")
    assert await answer(asks(RequestKind.SAMPLING, messages=[])) is None


@pytest.mark.parametrize(
    ("entry", "asked", "reply"),
    [
        (Prepared(RequestKind.ELICITATION, "accept"), asks(requestedSchema=CITY), accepted({"city": "xx"})),
        (Prepared(RequestKind.ELICITATION, "accept"), asks(requestedSchema="no schema"), accepted({})),
        (Prepared(RequestKind.ELICITATION, "accept"), asks(mode="url", url="https://a.example"), accepted()),
        (Prepared(RequestKind.SAMPLING, "error", code=-5, text="no"), asks(RequestKind.SAMPLING), ErrorReply(-5, "no")),
        (
            Prepared(RequestKind.ROOTS, "error"),
            asks(RequestKind.ROOTS),
            ErrorReply(-1, "a prepared response rejects this"),
        ),
        (Prepared(RequestKind.ROOTS, malformed=[1]), asks(RequestKind.ROOTS), Result([1])),
        (Prepared(RequestKind.ELICITATION, malformed=None), asks(), Result(None)),
    ],
)
def test_each_kind_of_answer(entry: Prepared, asked: ServerRequest, reply: Any) -> None:
    assert entry.reply(asked) == reply


async def test_an_answer_may_take_its_time() -> None:
    answer = policy((Prepared(RequestKind.ELICITATION, "decline", delay_ms=1),), lambda number: "")
    assert await answer(asks()) == declined()


async def test_a_pattern_that_never_ends_is_given_up_and_the_server_gets_an_error() -> None:
    evil = Prepared(RequestKind.ELICITATION, "accept", message=r"(a|a)*(a|a)*$")
    reply = await policy((evil,), lambda cause: "")(asks(message="a" * 5000 + "!"))
    assert isinstance(reply, ErrorReply)
    assert "`message` pattern" in reply.message
    assert await policy((evil,), lambda cause: "")(asks(RequestKind.ROOTS)) is None
