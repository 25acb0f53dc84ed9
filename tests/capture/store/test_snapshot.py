"""A conversation as it was at a checkpoint, whatever came later."""

from array import array
from typing import Any

import msgspec
import pytest

from inspector.capture.store.snapshot import (
    SnapshotError,
    adopt,
    alike,
    checkpoint,
    conversation_at,
    fill_column,
    keep,
    refuse_others,
    restored,
)
from inspector.protocol.conversation import Conversation
from inspector.protocol.exchanges import ExchangeState
from tests.protocol.wire import C2S, S2C, Wire


def begun() -> Wire:
    wire = Wire()
    for id_ in (1, 2):
        wire.ask(id_, "tools/call", {"name": "a", "_meta": {"progressToken": id_}})
    wire.say(C2S, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2, "reason": "slow"}})
    return wire


def test_state_at_a_checkpoint_ignores_later_changes() -> None:
    wire = begun()
    point = checkpoint(wire.conversation)
    wire.answer(1, {"content": []})
    wire.answer(2, {"content": []})
    wire.ask(3, "tools/call", {"name": "b"})
    assert wire.conversation.exchanges[1].state is ExchangeState.LATE
    then = conversation_at(point, wire.conversation)
    assert [each.state for each in then.exchanges] == [ExchangeState.PENDING, ExchangeState.CANCELLED]
    assert then.exchanges.answer_frames.tolist() == [0, 0, 0]
    assert then.exchanges.tally()[ExchangeState.CANCELLED] == 1
    assert [each.id for each in then.pairs.pending] == [1]
    assert wire.conversation.exchanges[0].state is ExchangeState.ANSWERED, "the later one is untouched"


def test_an_exchange_that_changes_again_and_again_is_as_it_was_at_each_checkpoint() -> None:
    wire = begun()
    points = []
    for progress in range(1, 4):
        points.append(checkpoint(wire.conversation))
        params = {"progressToken": 2, "progress": progress, "message": "x" * 40 * progress}
        for _ in range(2):
            wire.say(S2C, {"method": "notifications/progress", "params": params, "jsonrpc": "2.0"})
    found = [conversation_at(point, wire.conversation).exchanges[1].progress for point in points]
    assert [each.progress if each else None for each in found] == [None, 1, 2]


def test_nothing_is_noted_of_changes_before_the_first_checkpoint() -> None:
    wire = begun()
    wire.answer(2, {})
    assert wire.conversation.exchanges.changes is None


def test_conversation_at_refuses_a_foreign_checkpoint() -> None:
    wire = begun()
    point = checkpoint(wire.conversation)
    for wrong in (
        msgspec.structs.replace(point, rest=b"\0"),
        msgspec.structs.replace(point, rest=point.rest[:-3]),
        msgspec.structs.replace(point, exchanges=0),
    ):
        with pytest.raises(SnapshotError):
            conversation_at(wrong, wire.conversation)


def test_checkpoint_of_an_unencodable_id_is_refused() -> None:
    wire = Wire()
    wire.ask(10**40, "tools/call", {"name": "a"})
    with pytest.raises(SnapshotError):
        checkpoint(wire.conversation)


def again(conversation: Conversation) -> Conversation:
    data, columns = keep(conversation)
    fresh = Conversation()
    adopt(fresh, restored(data, {name: bytes(column) for name, column in columns.items()}))
    return fresh


def kept_begun() -> Wire:
    wire = Wire()
    wire.ask(1, "tools/call", {"name": "a", "_meta": {"progressToken": 1}})
    wire.ask(2, "tools/call", {"name": "b"})
    wire.answer(2, {"content": []})
    return wire


def test_restored_conversation_completes_open_requests() -> None:
    wire = kept_begun()
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
    with pytest.raises(SnapshotError):
        keep(wire.conversation)


def test_refuse_others_raises_for_an_unstored_member() -> None:
    refuse_others("it", {"a": 1, "b": []}, {"a"})
    with pytest.raises(SnapshotError, match="b of it is not stored"):
        refuse_others("it", {"a": 1, "b": [2]}, {"a"})


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (1, True), ([1], (1,)), ({"a": 1, "b": 2}, {"b": 2, "a": 1})])
def test_alike_means_of_the_same_type_and_order(one: Any, other: Any) -> None:
    assert alike(one, one)
    assert not alike(one, other)


def test_data_that_does_not_agree_with_itself_is_refused() -> None:
    data, columns = keep(kept_begun().conversation)
    raw = {name: bytes(column) for name, column in columns.items()}
    for wrong in ({}, raw | {"exchanges.ends": b""}, raw | {"exchanges._places": b"\xff" * 16}):
        with pytest.raises(SnapshotError):
            restored(data, dict(wrong))
    with pytest.raises(SnapshotError):
        restored(b"\x90", raw)


def test_a_column_holds_what_it_is_filled_with() -> None:
    column = array("I", [7])
    fill_column(column, array("I", [1, 2]).tobytes())
    assert list(column) == [1, 2]
    with pytest.raises(ValueError, match="multiple"):
        fill_column(column, b"\0")
