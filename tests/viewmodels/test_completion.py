"""What a server proposes, whatever it answers."""

from typing import Any

import pytest

from inspector.viewmodels.completion import NOT_SUPPORTED, completion_failed, completion_of
from inspector.viewmodels.lines import plain


@pytest.mark.parametrize(
    ("answer", "values", "note"),
    [
        ({"values": ["a"]}, ("a",), "1 value"),
        ({"values": []}, (), "no values"),
        ({"values": ["a", "b"], "total": 7, "hasMore": True}, ("a", "b"), "2 values of 7, and there are more"),
        ({"values": ["a", "b"], "total": 2}, ("a", "b"), "2 values"),
        ({"values": ["a", 7, None]}, ("a",), "1 value  ▲ 2 that are no texts"),
        ({"values": "no"}, (), "▲ the answer has no completion.values"),
        (None, (), "▲ the answer has no completion.values"),
    ],
)
def test_values_come_with_how_many_there_are(answer: Any, values: tuple[str, ...], note: str) -> None:
    found = completion_of({"completion": answer})
    assert found.values == values
    assert plain(found.note) == note
    assert found.supported


def test_more_than_is_allowed_is_shown_and_said() -> None:
    found = completion_of({"completion": {"values": [str(number) for number in range(10_000)]}})
    assert len(found.values) == 10_000
    assert "more than the 100 that are allowed" in plain(found.note)


def test_an_unknown_method_is_no_fault_and_another_error_is_said() -> None:
    assert completion_failed({"code": -32601, "message": "what?"}) is NOT_SUPPORTED
    found = completion_failed({"code": -32602, "message": "\x1b[31mno"})
    assert found.supported
    assert plain(found.note) == "▲ not completed: ␛[31mno"
    assert "no reason given" in plain(completion_failed(None).note)
