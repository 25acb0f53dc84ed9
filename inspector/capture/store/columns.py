"""The columns of a store: what is asked of many entries, without a payload. Thirty bytes an entry.

One thread adds, any thread reads. `count` is published last, so whatever is up to it can be read without a lock.
"""

from array import array
from collections.abc import Sequence
from enum import IntEnum
from functools import cached_property

import msgspec

from inspector.capture.format.file import LOST
from inspector.protocol.compact_arrays import DeltaArray, ShortArray
from inspector.protocol.events import (
    CameLate,
    Cancelled,
    Closed,
    Event,
    Garbled,
    Notified,
    Orphaned,
    Progressed,
    RequestSent,
)
from inspector.protocol.jsonrpc import Answer

# What a frame was, in one number each, for the columns: kind, method and exchange, taken from the fold's
# events.


class MessageKind(IntEnum):
    """What a frame contains. NONE is for other entries."""

    NONE = 0
    REQUEST = 1
    NOTIFICATION = 2
    RESPONSE = 3
    ERROR = 4
    INVALID = 5
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
_GARBLED = Meaning(MessageKind.INVALID)


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
        case RequestSent():
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
    return MessageKind.RESPONSE if isinstance(event.message, Answer) else MessageKind.ERROR


KIND_BITS, TO_SERVER_BIT, FROM_SERVER_BIT, PROBE_BIT, BYTES_BIT = 0x07, 0x08, 0x10, 0x20, 0x40
"""What the flags of a frame say: the number of its MessageKind, who sent it, whether it is of a probe, and whether its
payload is not text, and so is in its line as base64."""
UNLISTED = 0xFFFF
"""In the column of methods: one without a number."""
NOWHERE = -1
"""In the column of places: LOST."""


class EntryKind(IntEnum):
    """What an entry is."""

    FRAME = 1
    STDERR = 2
    CONNECTION = 3
    PROCESS = 4
    HTTP = 5
    SSE = 6


ENTRY_KINDS: tuple[EntryKind, ...] = (EntryKind.FRAME, *EntryKind)
MESSAGE_KINDS: tuple[MessageKind, ...] = tuple(MessageKind)
"""By their numbers: a list takes in each entry, and asking the enums costs it as much as all the rest."""


class CompactColumns(msgspec.Struct, frozen=True):
    """The columns that are copied only when needed."""

    times: DeltaArray
    walls: DeltaArray
    places: DeltaArray
    sizes: ShortArray
    lengths: ShortArray


class Columns:
    """The columns of entries that follow one another, as copies: `first` is at position 0."""

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
        """Numbers of EntryKind."""
        self.flags = flags
        """See KIND_BITS and its neighbours; 0 for a fact."""
        self.methods = methods
        """Positions in `Store.method_names`, or UNLISTED."""
        self.exchanges = exchanges

    @cached_property
    def times(self) -> Sequence[int]:
        """Monotonic clock."""
        return self._narrow.times.part(*self._part)

    @cached_property
    def walls(self) -> Sequence[int]:
        """Wall clock."""
        return self._narrow.walls.part(*self._part)

    @cached_property
    def sizes(self) -> "array[int]":
        """Payload bytes."""
        return self._narrow.sizes.part(*self._part)

    @cached_property
    def places(self) -> Sequence[int]:
        """The place of each line in the source, or LOST."""
        found = self._narrow.places.part(*self._part)
        return [LOST if place < 0 else place for place in found] if NOWHERE in found else found

    @cached_property
    def offsets(self) -> "array[int]":
        """The offset of each line from the first, if all of them are within 4 GiB."""
        return self._narrow.places.differences(*self._part)

    @property
    def spread(self) -> int:
        """The greatest of the offsets."""
        return self._narrow.places.spread(*self._part)

    @cached_property
    def lengths(self) -> "array[int]":
        """Bytes of each line."""
        return self._narrow.lengths.part(*self._part)
