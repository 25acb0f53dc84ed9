"""A conversation as it was at a checkpoint, whatever came later."""

import msgspec
import pytest

from inspector.protocol.checkpoints import checkpoint, conversation_at
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.kept import NotKept
from tests.protocol.wire import C2S, S2C, Wire


def begun() -> Wire:
    wire = Wire()
    for id_ in (1, 2):
        wire.ask(id_, "tools/call", {"name": "a", "_meta": {"progressToken": id_}})
    wire.say(C2S, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2, "reason": "slow"}})
    return wire


def test_what_ended_or_changed_later_is_as_it_was() -> None:
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


def test_what_is_no_checkpoint_of_it_is_refused() -> None:
    wire = begun()
    point = checkpoint(wire.conversation)
    for wrong in (
        msgspec.structs.replace(point, rest=b"\0"),
        msgspec.structs.replace(point, rest=point.rest[:-3]),
        msgspec.structs.replace(point, exchanges=0),
    ):
        with pytest.raises(NotKept):
            conversation_at(wrong, wire.conversation)


def test_what_can_not_be_written_makes_no_checkpoint() -> None:
    wire = Wire()
    wire.ask(10**40, "tools/call", {"name": "a"})
    with pytest.raises(NotKept):
        checkpoint(wire.conversation)
