"""The waterfall of several conversations: all of their exchanges on one axis, in the order in which they began.

Live conversations run by one monotonic clock; a capture that was read stands where its wall clock says.
"""

from array import array
from collections.abc import Sequence

from inspector.protocol.exchanges import Exchange
from inspector.viewmodels import text
from inspector.viewmodels.merging import Feed, Merge, code_of, entry_of, number_of
from inspector.viewmodels.roles import Span
from inspector.viewmodels.waterfall import LaneWire, Waterfall

_AT_ONCE = 20_000
"""Exchanges of each conversation that one look takes in."""
_WIDEST, _NARROWEST, _ROOMY = 12, 8, 110
"""Cells of the names, and from how many cells on they have all the room that they need."""


class Waterfalls(Waterfall):
    """The lanes of several journals. A row's key is its code, which says whose it is and which exchange."""

    def __init__(self, wires: Sequence[LaneWire]) -> None:
        self.wires = wires
        self._by_number = {wire.number: wire for wire in wires}
        self._begin_axis()
        self._begin()
        self.look()

    def _begin(self) -> None:
        self._taken = [array("I") for _ in self.wires]
        self._filters = [wire.filtered() for wire in self.wires]
        self._merge = Merge([Feed(wire.number, _Starts(wire)) for wire in self.wires])

    @property
    def count(self) -> int:
        return len(self._merge.codes)

    @property
    def generation(self) -> int:
        return self._changes + self._merge.moved

    def look(self) -> None:
        if any(wire.filtered() is not numbers for wire, numbers in zip(self.wires, self._filters, strict=True)):
            self._begin()
            self._changes += 1
        for wire, chosen, numbers in zip(self.wires, self._filters, self._taken, strict=True):
            known, there = len(numbers), len(wire.journal.conversation.exchanges)
            if chosen is not None:
                numbers.extend(chosen[known : known + _AT_ONCE])
            else:
                numbers.extend(range(known + 1, min(there, known + _AT_ONCE) + 1))
        self._merge.step(self._taken, (), _AT_ONCE)

    def lane(self, index: int) -> tuple[LaneWire, Exchange]:
        code = self._merge.codes[index]
        wire = self._by_number[number_of(code)]
        return wire, wire.journal.conversation.exchanges[entry_of(code) - 1]

    def of_entry(self, n: int, number: int = 0) -> int:
        """The lane of an entry of the conversation of that number; 0 if it is not there."""
        wire = self._by_number.get(number)
        if wire is None:
            return 0
        alone = Waterfall(wire)
        if not alone.count:
            return 0
        exchange = alone.key(alone.of_entry(n))
        moment = wire.journal.conversation.exchanges.starts[exchange] + wire.offset
        return max(0, self._merge.find(code_of(number, exchange), moment))

    def key(self, index: int) -> int:
        return self._merge.codes[index]

    def index_of(self, key: int) -> int:
        wire, exchange = self._by_number.get(number_of(key)), entry_of(key)
        if wire is None or not 0 < exchange <= len(wire.journal.conversation.exchanges):
            return -1
        return self._merge.find(key, wire.journal.conversation.exchanges.starts[exchange] + wire.offset)

    def _name(self, wire: LaneWire, width: int) -> list[Span]:
        widest = max(text.cell_width(each.name) for each in self.wires)
        room = min(widest, _WIDEST if width >= _ROOMY else _NARROWEST)
        return [(text.pad(text.one_line(wire.name, room), room), wire.role), (" ", "text")]


class _Starts:
    """When exchanges of one conversation began, by the axis."""

    def __init__(self, wire: LaneWire) -> None:
        self._wire = wire

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        starts, offset = self._wire.journal.conversation.exchanges.starts, self._wire.offset
        return [starts[number] + offset for number in numbers]
