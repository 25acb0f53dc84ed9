"""Calls that are made because somebody wants to know whether they work."""

import io

import pytest

from inspector.cli.cases import Case, failure_of, read_cases
from inspector.errors import UsageError
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Part


def test_a_tool_alone_is_called_with_nothing() -> None:
    assert read_cases(["a", "b={}", 'c={"d": "e=f"}'], io.StringIO()) == (
        Case("a", {}),
        Case("b", {}),
        Case("c", {"d": "e=f"}),
    )


@pytest.mark.parametrize("word", ["=", "a=[1]", "a={", "a=@nothing.json"])
def test_what_is_no_call_is_said(word: str) -> None:
    with pytest.raises(UsageError, match="--call"):
        read_cases([word], io.StringIO())


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ({"content": []}, ""),
        ({"isError": True, "content": [{"type": "text", "text": "no"}]}, "no"),
        ({"isError": True}, "it says isError, and not why"),
        ({"content": [], "resultType": "later"}, 'its resultType is "later", which this client does not know'),
        (None, "the result is null, not an object"),
    ],
)
def test_a_call_fails_if_it_says_so(result: object, why: str) -> None:
    assert failure_of(Answer(1, Part(None, result))) == why


def test_an_error_is_a_failure() -> None:
    assert failure_of(ErrorAnswer(1, Part(None, {"code": -1, "message": "no"}))) == "error -1: no"
