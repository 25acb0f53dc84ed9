"""The waterfall: one lane per exchange, in the order of the requests, all on one time axis.

A lane shows the duration of its exchange, progress notifications, and the outcome. The axis fits the visible lanes
until the user changes it. A lane is built only when it is requested, so there may be a million. The lanes of several
conversations are `Waterfalls`.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence

import msgspec

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.store.columns import MessageKind
from inspector.capture.store.store import Store
from inspector.present import spans as signs
from inspector.present import words
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Role, Span, joined, lay
from inspector.present.traffic.time_axis import TimeWindow, around, bar, lane_end, role_of, ticks
from inspector.protocol.exchanges import Exchange
from inspector.tui.screens.traffic.timeline_model import Feed, Merge, code_of, entry_of, number_of

_GRID, _WORD_OF_PROGRESS, _ASKS = "∙", "╋", "?"
_MOST_WORDS, _FAR = 500, 100_000
"""Maximum number of progress marks in a lane, and of entries after the request that are searched for them."""
_STATUS, _TOOK = 17, 8
_SMALLEST_NS = 1000

_AT_ONCE = 20_000
"""Maximum number of exchanges of each conversation added per update."""

_WIDEST, _NARROWEST, _ROOMY = 12, 8, 110
"""Widths of the names, and the minimum total width for the wider one, in cells."""


class LaneConversation(msgspec.Struct, frozen=True, eq=False):
    """One conversation whose exchanges have lanes."""

    journal: Journal
    clock: Callable[[], int]
    number: int = 0
    name: str = ""
    role: Role = "text"
    offset: int = 0
    """Offset from its monotonic clock to the clock of the axis."""
    filtered: "Callable[[], array[int] | None]" = lambda: None
    """Returns the numbers of the exchanges that match a filter, ascending; None without a filter."""

    @property
    def now(self) -> int:
        """Current time on the axis."""
        return self.clock() + self.offset

    @property
    def began(self) -> int:
        """Its start on the axis."""
        return self.journal.started_ns + self.offset

    @property
    def ended(self) -> int:
        """Its end so far on the axis."""
        store, count = self.journal.store, self.journal.count
        last = (store.time_ns(count) if count else self.journal.started_ns) + self.offset
        return max(last, self.now) if self.journal.live else last

    def lasts(self, exchange: Exchange) -> tuple[int, int]:
        """Return the start and end of an exchange on the axis."""
        return exchange.started_ns + self.offset, lane_end(exchange, self.clock()) + self.offset


class Waterfall(RowSource):
    """The lanes of one journal. A row's key is the number of its exchange."""

    def __init__(self, wire: LaneConversation) -> None:
        self.wires: Sequence[LaneConversation] = (wire,)
        self._begin_axis()
        self._numbers: array[int] | None = None
        """Numbers of the exchanges with lanes; None for all."""
        self.look()

    @property
    def count(self) -> int:
        return self.total if self._numbers is None else len(self._numbers)

    @property
    def total(self) -> int:
        """Number of exchanges, including those that a filter hides."""
        return sum(len(wire.journal.conversation.exchanges) for wire in self.wires)

    @property
    def is_filtered(self) -> bool:
        """Whether a filter selects the lanes."""
        return any(wire.filtered() is not None for wire in self.wires)

    @property
    def generation(self) -> int:
        return self._changes

    def lane(self, index: int) -> tuple[LaneConversation, Exchange]:
        number = index + 1 if self._numbers is None else self._numbers[index]
        return self.wires[0], self.wires[0].journal.conversation.exchanges[number - 1]

    def look(self) -> None:
        """Add new exchanges, and apply the current filter."""
        numbers = self.wires[0].filtered()
        if numbers is not self._numbers:
            self._numbers = numbers
            self._changes += 1

    def of_entry(self, n: int, number: int = 0) -> int:
        """Return the lane of entry n's exchange, or else of the last exchange that began before it."""
        journal = self.wires[0].journal
        found = journal.store.exchange(n) if 0 < n <= journal.count else 0
        found = found or max(1, bisect_right(journal.conversation.exchanges.request_frames, n, 1) - 1)
        return max(0, self.index_of(found))

    def key(self, index: int) -> int:
        return index + 1 if self._numbers is None else self._numbers[index]

    def index_of(self, key: int) -> int:
        return min(key, self.total) - 1 if self._numbers is None else bisect_right(self._numbers, key) - 1

    def row(self, index: int, width: int) -> RowView:
        wire, exchange = self.lane(index)
        label, lane = _parts(width)
        spans = lay([*self._name(wire, width), *_label(exchange)], label)
        spans += [(" ", "text"), *self._lane(wire, exchange, lane)]
        if lane < width - label - 1:
            spans += [(" ", "text"), *_end(wire, exchange)]
        return RowView(lay(spans, width), live=exchange.is_open and wire.journal.live)

    def header(self, width: int) -> Sequence[Span]:
        label, lane = _parts(width)
        cells, free = [" "] * lane, 0
        for cell, _, message in self._ticks(lane):
            if free <= cell <= lane - len(message):
                cells[cell : cell + len(message)] = message
                free = cell + len(message) + 1
        return lay([(text.pad("Exchange", label + 1), "muted"), ("".join(cells), "muted"), (" Status", "muted")], width)

    def description(self, index: int) -> list[Span]:
        """Return a text about one lane, and the time range of the axis."""
        how = "visible rows" if self.by_itself else "zoomed"
        window = f"{text.human_duration(self._window.lasts)} on the axis, {how}"
        if not 0 <= index < self.count:
            return [(window, "muted")]
        wire, exchange = self.lane(index)
        began = (exchange.started_ns + wire.offset - self._start()) / 1e9
        named = text.visible(f"{exchange.method} {exchange.target}".strip(), limit=80)
        count = exchange.progress.count if exchange.progress is not None else 0
        progress = f"  {text.counted(count, 'progress notification')}" if count else ""
        when = f"  #{exchange.request_frame}  began at {began:.3f} s{progress}   "
        whose: list[Span] = [(f"{wire.name}  ", wire.role)] if wire.name else []
        return [*whose, (named, "method"), (when, "muted"), (window, "faint")]

    def _name(self, wire: LaneConversation, width: int) -> list[Span]:
        """Return the text before a lane's label: empty for a single conversation."""
        return []

    def _lane(self, wire: LaneConversation, exchange: Exchange, width: int) -> list[Span]:
        """Return a lane: its bar over the grid, with marks for progress and for required input at its end."""
        cells: list[Span] = [(" ", "text")] * width
        for cell, _, _ in self._ticks(width):
            cells[cell] = (_GRID, "faint")
        drawn = bar(*wire.lasts(exchange), self._window, width, role_of(exchange))
        for at, (letter, role) in enumerate((letter, role) for piece, role in drawn for letter in piece):
            if letter != " ":
                cells[at] = (letter, role)
        marks = [(time_ns, _WORD_OF_PROGRESS, role_of(exchange)) for time_ns in _progress_times(exchange, wire)]
        if exchange.asks and exchange.ended_ns is not None:
            marks.append((exchange.ended_ns, _ASKS, "warning"))
        for time_ns, letter, role in marks:
            cell = self._window.half(time_ns + wire.offset, width) // 2
            if 0 <= cell < width:
                cells[cell] = (letter, role)
        return joined(cells)

    def _begin_axis(self) -> None:
        start = min((wire.began for wire in self.wires), default=0)
        self._window = TimeWindow(start, start + 1_000_000_000)
        self._changes = 0
        self.by_itself = True
        """Whether the axis fits the visible lanes automatically."""

    @property
    def window(self) -> TimeWindow:
        """Time range of the axis."""
        return self._window

    def sees(self, rows: range, width: int) -> bool:
        if not self.by_itself:
            return False
        found = around([_lasts(*self.lane(index)) for index in rows if index < self.count])
        if found is None or found == self._window:
            return False
        self._window = found
        return True

    def zoom(self, factor: float, index: int) -> None:
        """Multiply the time range by `factor`, around the start of a lane if that is visible."""
        begins = self._lasts_at(index)[0] if 0 <= index < self.count else self._window.start
        inside = self._window.start <= begins <= self._window.end
        centre = begins if inside else self._window.start + self._window.lasts // 2
        share = (centre - self._window.start) / self._window.lasts
        lasts = max(_SMALLEST_NS, round(self._window.lasts * factor))
        longest = 4 * max(_SMALLEST_NS, self._end_of_all() - self._start())
        lasts = min(lasts, max(longest, self._window.lasts))
        start = round(centre - share * lasts)
        self._take(TimeWindow(start, start + lasts))

    def pan(self, share: float) -> None:
        """Move along the axis, by a share of its range."""
        by = round(share * self._window.lasts)
        self._take(TimeWindow(self._window.start + by, self._window.end + by))

    def show_all(self) -> None:
        """Show the whole time range."""
        start = self._lasts_at(0)[0] if self.count else self._start()
        self._take(TimeWindow(start, max(start + _SMALLEST_NS, self._end_of_all())))

    def show_lane(self, index: int) -> None:
        """Show one exchange, with a small margin."""
        if 0 <= index < self.count:
            began, ended = self._lasts_at(index)
            room = max(_SMALLEST_NS, ended - began) // 10 + 1
            self._take(TimeWindow(began - room, ended + room))

    def fit_visible(self) -> None:
        """Let the axis fit the visible lanes again."""
        self.by_itself = True
        self._changes += 1

    def _take(self, window: TimeWindow) -> None:
        self._window, self.by_itself = window, False
        self._changes += 1

    def _lasts_at(self, index: int) -> tuple[int, int]:
        wire, exchange = self.lane(index)
        return wire.lasts(exchange)

    def _start(self) -> int:
        return min((wire.began for wire in self.wires), default=0)

    def _end_of_all(self) -> int:
        return max((wire.ended for wire in self.wires), default=0)

    def _ticks(self, width: int) -> Sequence[tuple[int, int, str]]:
        start = self._start()
        return tuple(ticks(TimeWindow(self._window.start - start, self._window.end - start), width))


def _end(wire: LaneConversation, exchange: Exchange) -> list[Span]:
    live = wire.journal.live
    status = lay([words.status_in(wire.journal, exchange)], _STATUS)
    if exchange.duration_ns is not None:
        took: Span = (text.human_duration(max(0, exchange.duration_ns)), "text")
    elif live and not words.is_stream(exchange):
        took = (text.human_duration(max(0, wire.clock() - exchange.started_ns)), "pending")
    else:
        took = ("", "text")
    return [*status, (" ", "text"), (text.pad(took[0], _TOOK, right=True), took[1])]


def _progress_times(exchange: Exchange, wire: LaneConversation) -> list[int]:
    """Return the times of the progress notifications."""
    if exchange.progress is None:
        return []
    store: Store = wire.journal.store
    last = min(exchange.progress.frame, store.count, exchange.request_frame + _FAR)
    found: list[int] = []
    for n in store.of_exchange(exchange.number, exchange.request_frame + 1, last):
        if store.message_kind(n) is MessageKind.NOTIFICATION:
            found.append(store.time_ns(n))
        if len(found) >= _MOST_WORDS:
            break
    return found


def _lasts(wire: LaneConversation, exchange: Exchange) -> tuple[int, int]:
    """Return the time that the axis has to fit: of a stream only the start, since it would compress all others."""
    began, ended = wire.lasts(exchange)
    return (began, began) if words.is_stream(exchange) else (began, ended)


def _parts(width: int) -> tuple[int, int]:
    """Return the widths of label and lane, in cells."""
    label = min(44, max(16, width * 3 // 10))
    end = _STATUS + _TOOK + 2 if width >= 72 else 0
    return label, max(1, width - label - 1 - end)


def _label(exchange: Exchange) -> list[Span]:
    to_server = exchange.sender.is_towards_server
    way: tuple[str, Role] = (signs.TO_SERVER, "to_server") if to_server else (signs.FROM_SERVER, "from_server")
    named: list[Span] = [way, (" " if to_server else f" {signs.BRANCH} ", "faint")]
    named.append((text.visible(exchange.method, limit=200), "method"))
    if exchange.target:
        named.append((" " + text.visible(exchange.target, limit=200), "target"))
    return named


# The waterfall of several conversations: their exchanges on one axis, in the order of their start.


class Waterfalls(Waterfall):
    """The lanes of several journals. A row's key is a code of the conversation and the exchange."""

    def __init__(self, wires: Sequence[LaneConversation]) -> None:
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

    def lane(self, index: int) -> tuple[LaneConversation, Exchange]:
        code = self._merge.codes[index]
        wire = self._by_number[number_of(code)]
        return wire, wire.journal.conversation.exchanges[entry_of(code) - 1]

    def of_entry(self, n: int, number: int = 0) -> int:
        """Return the lane of an entry of the conversation with this number; 0 if it has none."""
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

    def _name(self, wire: LaneConversation, width: int) -> list[Span]:
        widest = max(text.cell_width(each.name) for each in self.wires)
        room = min(widest, _WIDEST if width >= _ROOMY else _NARROWEST)
        return [(text.pad(text.one_line(wire.name, room), room), wire.role), (" ", "text")]


class _Starts:
    """Returns the start times of a conversation's exchanges on the axis."""

    def __init__(self, wire: LaneConversation) -> None:
        self._wire = wire

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        starts, offset = self._wire.journal.conversation.exchanges.starts, self._wire.offset
        return [starts[number] + offset for number in numbers]
