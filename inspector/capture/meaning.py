"""What a frame was, in one number each, for the columns: kind, method and exchange, taken from the fold's events."""

from collections.abc import Sequence
from enum import IntEnum

import msgspec

from inspector.protocol.events import (
    CameLate,
    Cancelled,
    Closed,
    Event,
    Garbled,
    Notified,
    Opened,
    Orphaned,
    Progressed,
)
from inspector.protocol.jsonrpc import Answer


class MessageKind(IntEnum):
    """What a frame holds. NONE is for what is no frame."""

    NONE = 0
    REQUEST = 1
    NOTIFICATION = 2
    ANSWER = 3
    ERROR = 4
    GARBLED = 5
    """No JSON-RPC message."""
    BATCH = 6
    """Several messages."""


class Meaning(msgspec.Struct, frozen=True, gc=False):
    """What a frame was."""

    kind: MessageKind
    method: str = ""
    """Of a request or a notification, else ""."""
    exchange: int = 0
    """The number of the exchange it belongs to; 0 for none."""
    probe: bool = False
    """Whether it answers a probe: a carriage that reads no JSON can't tag the answer itself."""


NOTHING = Meaning(MessageKind.NONE)
_GARBLED = Meaning(MessageKind.GARBLED)


def meaning_of(events: Sequence[Event]) -> Meaning:
    """What a frame was, from what the fold made of it. Of a batch, method and exchange are the first message's."""
    if len(events) == 1:
        return _of_one(events[0]) or NOTHING
    found = [meaning for event in events if (meaning := _of_one(event)) is not None]
    if not found:
        return NOTHING
    return found[0] if len(found) == 1 else msgspec.structs.replace(found[0], kind=MessageKind.BATCH)


def _of_one(event: Event) -> Meaning | None:
    """None for an event that comes in addition to its message's own."""
    match event:
        case Notified():
            return Meaning(MessageKind.NOTIFICATION, event.message.method)
        case Progressed() | Cancelled():
            return Meaning(MessageKind.NOTIFICATION, event.message.method, event.exchange.number)
        case Opened():
            return Meaning(MessageKind.REQUEST, event.message.method, event.exchange.number)
        case Closed() | CameLate():
            return Meaning(_answer(event), "", event.exchange.number, event.exchange.probe)
        case Orphaned():
            return Meaning(_answer(event))
        case Garbled():
            return _GARBLED
        case _:
            return None


def _answer(event: Closed | CameLate | Orphaned) -> MessageKind:
    return MessageKind.ANSWER if isinstance(event.message, Answer) else MessageKind.ERROR
