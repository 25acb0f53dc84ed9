"""A conversation that was kept goes on as it would have."""

from array import array
from typing import Any

import pytest

from inspector.protocol.conversation import Conversation
from inspector.protocol.kept import NotKept, adopt, alike, fill_column, keep, refuse_others, restored
from tests.protocol.wire import S2C, Wire


def again(conversation: Conversation) -> Conversation:
    data, columns = keep(conversation)
    fresh = Conversation()
    adopt(fresh, restored(data, {name: bytes(column) for name, column in columns.items()}))
    return fresh


def begun() -> Wire:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "a", "_meta": {"progressToken": 1}})
    wire.ask(2, "tools/call", {"name": "b"})
    wire.answer(2, {"content": []})
    return wire


def test_what_was_open_is_answered_as_if_nothing_had_been() -> None:
    wire = begun()
    wire.conversation = again(wire.conversation)
    wire.say(S2C, {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}})
    wire.answer(1, {"content": []})
    first, second = wire.conversation.exchanges
    assert first.progress is not None
    assert (first.answer_frame, first.progress.count, second.answer_frame) == (5, 1, 3)
    assert not wire.conversation.pairs.pending


def test_a_number_too_large_for_the_format_is_a_reason_to_keep_nothing() -> None:
    wire = Wire()
    wire.ask(10**40, "tools/call", {"name": "a"})
    with pytest.raises(NotKept):
        keep(wire.conversation)


def test_what_nobody_keeps_must_be_empty() -> None:
    refuse_others("it", {"a": 1, "b": []}, {"a"})
    with pytest.raises(NotKept, match="nobody keeps b of it"):
        refuse_others("it", {"a": 1, "b": [2]}, {"a"})


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (1, True), ([1], (1,)), ({"a": 1, "b": 2}, {"b": 2, "a": 1})])
def test_alike_means_of_the_same_type_and_order(one: Any, other: Any) -> None:
    assert alike(one, one)
    assert not alike(one, other)


def test_data_that_does_not_agree_with_itself_is_refused() -> None:
    data, columns = keep(begun().conversation)
    raw = {name: bytes(column) for name, column in columns.items()}
    for wrong in ({}, raw | {"exchanges.ends": b""}, raw | {"exchanges._places": b"\xff" * 16}):
        with pytest.raises(NotKept):
            restored(data, dict(wrong))
    with pytest.raises(NotKept):
        restored(b"\x90", raw)


def test_a_column_holds_what_it_is_filled_with() -> None:
    column = array("I", [7])
    fill_column(column, array("I", [1, 2]).tobytes())
    assert list(column) == [1, 2]
    with pytest.raises(ValueError, match="multiple"):
        fill_column(column, b"\0")
