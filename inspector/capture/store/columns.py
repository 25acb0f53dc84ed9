"""Columns of a store: values needed of many entries without their payloads. Thirty bytes per entry.

One thread adds, any thread reads. `count` is updated last, so everything up to it can be read without a lock.
"""

from array import array
from collections.abc import Sequence
from enum import IntEnum
from functools import cached_property

import msgspec

from inspector.capture.format.file import LOST
from inspector.protocol.compact_arrays import DeltaArray, ShortArray
from inspector.protocol.events import (
    Cancelled,
    Closed,
    Event,
    Garbled,
    LateResponse,
    Notified,
    Orphaned,
    Progressed,
    RequestSent,
)
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ResultResponse

# Kind, method and exchange of a frame as one number each for the columns, taken from the fold's events.

KIND_BITS, TO_SERVER_BIT, FROM_SERVER_BIT, PROBE_BIT, BYTES_BIT = 0x07, 0x08, 0x10, 0x20, 0x40
"""Flags of a frame: its MessageKind, direction, whether it belongs to a probe, and whether its payload is binary.

A binary payload is stored as base64 in its line.
"""
VIEW_BIT = 0x80
"""Flag of a frame of a View. With it both bits of the direction are set for one to the View, and none for the other."""
DIRECTION_BITS = TO_SERVER_BIT | FROM_SERVER_BIT | VIEW_BIT
BITS_OF_DIRECTION = {
    Direction.TO_SERVER: TO_SERVER_BIT,
    Direction.FROM_SERVER: FROM_SERVER_BIT,
    Direction.FROM_VIEW: VIEW_BIT,
    Direction.TO_VIEW: DIRECTION_BITS,
}
DIRECTION_OF_BITS = {bits: direction for direction, bits in BITS_OF_DIRECTION.items()}
UNLISTED = 0xFFFF
"""Value in the column of methods for a method without a number."""
NOWHERE = -1
"""Value in the column of places for LOST."""


class MessageKind(IntEnum):
    """Kind of message in a frame. NONE is for other entries."""

    NONE = 0
    REQUEST = 1
    NOTIFICATION = 2
    RESPONSE = 3
    ERROR = 4
    INVALID = 5
    """Not a JSON-RPC message."""
    BATCH = 6
    """Several messages."""


class Meaning(msgspec.Struct, frozen=True, gc=False):
    """What a frame means to the fold."""

    kind: MessageKind
    method: str = ""
    """Method of a request or a notification, otherwise ""."""
    exchange: int = 0
    """Number of the frame's exchange; 0 for none."""
    probe: bool = False
    """Whether the frame is a response to a probe: a transport that parses no JSON can't flag it."""


NOTHING = Meaning(MessageKind.NONE)
_GARBLED = Meaning(MessageKind.INVALID)


class EntryKind(IntEnum):
    FRAME = 1
    STDERR = 2
    CONNECTION = 3
    PROCESS = 4
    HTTP = 5
    SSE = 6


ENTRY_KINDS: tuple[EntryKind, ...] = (EntryKind.FRAME, *EntryKind)
MESSAGE_KINDS: tuple[MessageKind, ...] = tuple(MessageKind)
"""Members by value. A list processes every entry, and calling the enum would double the cost."""


class CompactColumns(msgspec.Struct, frozen=True):
    """Columns that are copied only when needed."""

    times: DeltaArray
    walls: DeltaArray
    places: DeltaArray
    sizes: ShortArray
    lengths: ShortArray


def meaning_of(events: Sequence[Event]) -> Meaning:
    """Return the meaning of a frame from its events. Of a batch, method and exchange are the first message's."""
    if len(events) == 1:
        return _of_one(events[0]) or NOTHING
    found = [meaning for event in events if (meaning := _of_one(event)) is not None]
    if not found:
        return NOTHING
    return found[0] if len(found) == 1 else msgspec.structs.replace(found[0], kind=MessageKind.BATCH)


def _of_one(event: Event) -> Meaning | None:
    """Return the meaning of an event; None for an event in addition to the message's main event."""
    match event:
        case Notified():
            return Meaning(MessageKind.NOTIFICATION, event.message.method)
        case Progressed() | Cancelled():
            return Meaning(MessageKind.NOTIFICATION, event.message.method, event.exchange.number)
        case RequestSent():
            return Meaning(MessageKind.REQUEST, event.message.method, event.exchange.number)
        case Closed() | LateResponse():
            return Meaning(_answer(event), "", event.exchange.number, event.exchange.probe)
        case Orphaned():
            return Meaning(_answer(event))
        case Garbled():
            return _GARBLED
        case _:
            return None


def _answer(event: Closed | LateResponse | Orphaned) -> MessageKind:
    return MessageKind.RESPONSE if isinstance(event.message, ResultResponse) else MessageKind.ERROR


class Columns:
    """Copies of the columns of consecutive entries: `first` is at position 0."""

    def __init__(
        self,
        first: int,
        kinds: bytes,
        flags: bytes,
        methods: "array[int]",
        exchanges: "array[int]",
        narrow: CompactColumns,
    ) -> None:
        self._narrow, self._part = narrow, (first - 1, first - 1 + len(kinds))
        self.first = first
        self.kinds = kinds
        """Values of EntryKind."""
        self.flags = flags
        """Flags, see KIND_BITS; 0 for a fact."""
        self.methods = methods
        """Positions in `Store.method_names`, or UNLISTED."""
        self.exchanges = exchanges

    @cached_property
    def times(self) -> Sequence[int]:
        """Monotonic timestamps."""
        return self._narrow.times.part(*self._part)

    @cached_property
    def walls(self) -> Sequence[int]:
        """Wall clock timestamps."""
        return self._narrow.walls.part(*self._part)

    @cached_property
    def sizes(self) -> "array[int]":
        """Payload sizes in bytes."""
        return self._narrow.sizes.part(*self._part)

    @cached_property
    def places(self) -> Sequence[int]:
        """Offset of each line in the source, or LOST."""
        found = self._narrow.places.part(*self._part)
        return [LOST if place < 0 else place for place in found] if NOWHERE in found else found

    @cached_property
    def offsets(self) -> "array[int]":
        """Offset of each line relative to the first, if all of them are within 4 GiB."""
        return self._narrow.places.differences(*self._part)

    @property
    def spread(self) -> int:
        """Largest relative offset."""
        return self._narrow.places.spread(*self._part)

    @cached_property
    def lengths(self) -> "array[int]":
        """Length of each line in bytes."""
        return self._narrow.lengths.part(*self._part)
