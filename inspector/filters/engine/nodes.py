"""Nodes of a running filter: each marks the matching entries in a stretch of the journal.

A node only tests the entries in `need`, which other nodes have left undecided. Cheap nodes run first, so that few
entries are read from the file.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Literal, Protocol

import msgspec

from inspector.capture.format.file import LOST
from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.capture.store.columns import KIND_BITS, UNLISTED, Columns, MessageKind
from inspector.capture.store.store import Store
from inspector.documents import UNDECODABLE
from inspector.filters.language.fields import FieldScope
from inspector.protocol.exchange_log import NEVER, STATE_BITS, STATES, TOOL_ERROR, UNLISTED_REVISION, ExchangeLog
from inspector.protocol.exchange_log import UNLISTED as EXCHANGE_LOG_UNLISTED
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import SseNote, Stderr
from inspector.protocol.frames import Frame

# Masks: one byte per entry of a stretch, 1 or 0. They are combined as big integers, thousands of entries at once.

_ORDER: Literal["little"] = "little"
BYTES = 512 * 1024
"""Maximum bytes of the file per stretch, unless a single line is longer.

With twice as many, each byte costs half as much again, because memory blocks of that size are requested from the
system each time.
"""
ENTRIES = 8192
"""Maximum number of entries per stretch."""
_RAW = b',"raw":"'
_MORE = b'","'
_BACKSLASH = 0x5C
_STATES = {
    ExchangeState.PENDING: "pending",
    ExchangeState.ERROR: "error",
    ExchangeState.CANCELLED: "cancelled",
    ExchangeState.LATE: "late",
    ExchangeState.LOST: "lost",
}
_WORDS = tuple(
    "tool-error" if bits & TOOL_ERROR else _STATES.get(STATES[min(bits & STATE_BITS, len(STATES) - 1)], "ok")
    for bits in range(256)
)
"""Value of the field `status` by the value in the column of states."""
_WITH_CODE = frozenset(
    bits
    for bits in range(256)
    if bits & STATE_BITS in (STATES.index(ExchangeState.ERROR), STATES.index(ExchangeState.LATE))
)
_OF_EXCHANGE = (MessageKind.REQUEST, MessageKind.RESPONSE, MessageKind.ERROR, MessageKind.BATCH)
REQUEST_OR_ANSWER = bytes((flags & KIND_BITS) in _OF_EXCHANGE for flags in range(256))
"""By flags: whether the message is part of its exchange. Messages merely caused by an exchange are not."""
COLUMN, EXCHANGE, SEARCH, READ, SLOW = range(5)
"""Cost classes of nodes, in ascending order."""


class _Payload(msgspec.Struct):
    raw: str | None = None
    b64: bytes | None = None


def both(one: bytes, other: bytes) -> bytes:
    """Return 1 where both masks are 1."""
    return (int.from_bytes(one, _ORDER) & int.from_bytes(other, _ORDER)).to_bytes(len(one), _ORDER)


def either(one: bytes, other: bytes) -> bytes:
    """Return 1 where at least one mask is 1."""
    return (int.from_bytes(one, _ORDER) | int.from_bytes(other, _ORDER)).to_bytes(len(one), _ORDER)


def without(one: bytes, other: bytes) -> bytes:
    """Return 1 where the first mask is 1 and the second is 0."""
    first, second = int.from_bytes(one, _ORDER), int.from_bytes(other, _ORDER)
    return (first ^ (first & second)).to_bytes(len(one), _ORDER)


def ones(mask: bytes) -> Iterator[int]:
    """Yield the positions of 1."""
    at = mask.find(1)
    while at >= 0:
        yield at
        at = mask.find(1, at + 1)


# A stretch of the journal: consecutive entries with their columns and, on demand, their bytes.


class Stretch:
    """A stretch of a store: the entries `first` to `last`."""

    def __init__(self, store: Store, first: int, last: int, *, plain: bool = True) -> None:
        self.store = store
        self.plain = plain
        """Whether lines are written in mcp-inspect's format, so that searching their bytes finds every match."""
        self.first = first
        self.last = last
        self.columns: Columns = store.columns(first, last)

    def __len__(self) -> int:
        return self.last - self.first + 1

    @cached_property
    def window(self) -> bytes:
        """The lines of all entries; b"" for a line that can't be read."""
        return self._read[0]

    @cached_property
    def lowered(self) -> bytes:
        """The window with ASCII letters in lower case."""
        return self.window.lower()

    @cached_property
    def starts(self) -> "array[int]":
        """Offset of each line in the window."""
        starts = self._read[1]
        return self.columns.offsets if starts is None else starts

    @cached_property
    def _read(self) -> tuple[bytes, "array[int] | None"]:
        """The window, and the offsets of its lines; None for those if they are as in the file."""
        columns, (place, length) = self.columns, self.store.line(self.last)
        base = self.store.place(self.first)
        size = place + length - base
        if LOST not in (base, place) and 0 < size <= BYTES + length + columns.lengths[0]:
            window = self.store.read(base, size)
            if len(window) == size and columns.spread < size:  # a line that does not exist has a distant offset
                return window, None
        # some lines are not written yet, or missing
        lines = [self.store.read(place, length) for place, length in zip(columns.places, columns.lengths, strict=True)]
        starts, at = array("I"), 0
        for line in lines:
            starts.append(at)
            at += len(line)
        return b"".join(lines), starts

    def at(self, position: int) -> int:
        """Return the index of the line at a position in the window."""
        return bisect_right(self.starts, position) - 1

    def end(self, index: int) -> int:
        """Return the end of a line in the window."""
        return min(self.starts[index] + self.columns.lengths[index], len(self.window))

    def payload(self, index: int) -> bytes:
        """Return the payload of a frame, a stderr line or an SSE note; b"" if there is none or it can't be read."""
        start, end = self.starts[index], self.end(index)
        if end > start:
            try:
                return _payload_of(self.window[start:end])
            except UNDECODABLE:
                pass
        what = self.store.entry(self.first + index).what
        if isinstance(what, Frame | Stderr):
            return what.payload
        return what.raw if isinstance(what, SseNote) else b""


def text_in(window: bytes, start: int, end: int, upto: int) -> tuple[int, int]:
    """Return start and end of the payload text in a line from `start` to `end`; (-1, -1) if the line must be parsed.

    `upto` is the end of the position of interest. Members of the line after it do not matter.
    """
    begin = window.find(_RAW, start, end)
    if begin < 0:
        return -1, -1
    begin += len(_RAW)
    close = window.rfind(b'"}', begin, end)
    if close < 0 or window[close - 1] == _BACKSLASH:
        return -1, -1
    if window.find(_MORE, begin, min(close, upto + len(_MORE) - 1)) >= 0:
        return -1, -1
    return begin, close


_decode = msgspec.json.Decoder(_Payload).decode


def _payload_of(line: bytes) -> bytes:
    found = _decode(line)
    if found.b64 is not None:
        return found.b64
    return b"" if found.raw is None else found.raw.encode("utf-8", "surrogatepass")


def backwards(store: Store, first: int, last: int, most_bytes: int = BYTES) -> Iterator[tuple[int, int]]:
    """Divide the entries `first` to `last` into stretches, newest first; yield the first and last entry of each."""
    while last >= first:
        low = max(first, last - ENTRIES + 1)
        limit = store.place(last) - most_bytes
        if limit > 0:
            low += bisect_left(_Places(store, low, last), limit)
        begin = min(low, last)
        yield begin, last
        last = begin - 1


class _Places:
    """File offsets of entries' lines, as a sequence for bisection. An entry without a line has offset 0."""

    def __init__(self, store: Store, first: int, last: int) -> None:
        self._store, self._first, self._count = store, first, last - first

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> int:
        place = self._store.place(self._first + index)
        return 0 if place == LOST else place


# Exchange fields, read from the columns of the log: no ended exchange is unpacked for a filter.


def state_name(exchange: Exchange) -> str:
    """Return the value of the field `status`."""
    return "tool-error" if exchange.tool_error else _STATES.get(exchange.state, "ok")


class TextTest:
    """A test of one text field of exchanges. Thread-safe."""

    def __init__(
        self,
        column: Sequence[int],
        names: Sequence[str],
        test: Callable[[str], bool],
        text: Callable[[int], str] | None = None,
    ) -> None:
        """Create a test. `column` has positions in `names`, or UNLISTED.

        For UNLISTED, `text` returns the text by exchange number; it is None if that can't occur.
        """
        self._column, self._names, self._test, self._text = column, names, test, text
        self._verdicts = bytearray()
        self._looked = 0

    def __call__(self, number: int) -> bool:
        name = self._column[number]
        if name == EXCHANGE_LOG_UNLISTED and self._text is not None:
            return self._test(self._text(number))
        if name >= len(self._verdicts):
            self._judge()
        return bool(self._verdicts[name])

    @property
    def never(self) -> bool:
        """Whether no exchange matches at present."""
        if len(self._verdicts) < len(self._names):
            self._judge()
        return 1 not in self._verdicts and not self._has_unlisted()

    def mark(self, need: bytes, numbers: Sequence[int]) -> bytes:
        """Return 1 for each needed entry whose exchange matches; exchange number 0 means none."""
        if self.never:
            return bytes(len(need))
        if self._has_unlisted():
            return bytes([asked and number and self(number) for asked, number in zip(need, numbers, strict=True)])
        verdicts, column = self._verdicts, self._column
        pairs = zip(need, numbers, strict=True)
        return bytes([verdicts[column[number]] if asked and number else 0 for asked, number in pairs])

    def _judge(self) -> None:
        known, end = len(self._verdicts), len(self._names)
        verdicts = bytes(bool(self._test(name)) for name in self._names[known:end])
        self._verdicts[known:end] = verdicts  # another thread may have done the same

    def _has_unlisted(self) -> bool:
        """Return whether any exchange has a text without a number. Each exchange is checked once."""
        if self._text is None or self._looked < 0:
            return self._text is not None
        end = len(self._column)
        self._looked = -1 if EXCHANGE_LOG_UNLISTED in self._column[self._looked : end] else end
        return self._looked < 0


class ExchangeColumns:
    """Fields of a journal's exchanges, by exchange number. Thread-safe."""

    def __init__(self, journal: Journal) -> None:
        self._exchanges: ExchangeLog = journal.conversation.exchanges
        self._numbers: dict[str, Callable[[int], int | None]] = {
            "dur": self._duration,
            "error.code": self._code,
            "request": lambda number: self._exchanges.request_frames[number],
            "answer": self._answer,
        }

    def exchange(self, number: int) -> Exchange:
        return self._exchanges[number - 1]

    def text_test(self, name: str, test: Callable[[str], bool]) -> TextTest:
        """Return a test for a text field of exchanges: "method", "target" or "status"."""
        log = self._exchanges
        match name:
            case "method":
                return TextTest(log.methods, log.names, test, lambda number: self.exchange(number).method)
            case "target":
                return TextTest(log.targets, log.names, test, lambda number: self.exchange(number).target)
            case _:
                return TextTest(log.states, _WORDS, test)

    def revision_test(self, test: Callable[[str], bool]) -> Callable[[int], bool]:
        """Return a test for the revision, which is "" if there is none."""
        verdicts: dict[int, bool] = {}
        column = self._exchanges.revisions

        def by_number(number: int) -> bool:
            revision = column[number]
            verdict = verdicts.get(revision)
            if verdict is None:
                verdict = test(self.exchange(number).revision or "")
                if revision != UNLISTED_REVISION:
                    verdicts[revision] = verdict
            return verdict

        return by_number

    def number_test(self, name: str, test: Callable[[int], bool]) -> Callable[[int], bool]:
        """Return a test for a number field: "dur" or "error.code"; False if the exchange does not have it."""
        value = self._numbers[name]

        def by_number(number: int) -> bool:
            found = value(number)
            return found is not None and test(found)

        return by_number

    def number(self, name: str, number: int) -> int | None:
        """Return "dur", "error.code", or the entry of the "request" or "answer"; None if there is none."""
        return self._numbers[name](number)

    def _duration(self, number: int) -> int | None:
        end = self._exchanges.ends[number]
        return None if end == NEVER else end - self._exchanges.starts[number]

    def _code(self, number: int) -> int | None:
        return self.exchange(number).error_code if self._exchanges.states[number] in _WITH_CODE else None

    def _answer(self, number: int) -> int | None:
        answer = self._exchanges.answer_frames[number]
        if not answer and self._exchanges.states[number] in _WITH_CODE:
            return self.exchange(number).answer_frame  # it was late
        return answer or None


class Node(Protocol):
    """A part of a filter."""

    cost: int

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Return a mask of the entries in `need` that match; it has the same length."""


class AllOf:
    """Conjunction of nodes."""

    def __init__(self, parts: Sequence[Node]) -> None:
        self._parts = sorted(parts, key=lambda part: part.cost)
        self.cost = self._parts[-1].cost

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Run each part on the entries that matched all previous ones."""
        for part in self._parts:
            if 1 not in need:
                break
            need = part.mark(stretch, need)
        return need


class AnyOf:
    """Disjunction of nodes."""

    def __init__(self, parts: Sequence[Node]) -> None:
        self._parts = sorted(parts, key=lambda part: part.cost)
        self.cost = self._parts[-1].cost

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Run each part on the entries that no previous part has matched."""
        found = bytes(len(need))
        for part in self._parts:
            if 1 not in need:
                break
            marks = part.mark(stretch, need)
            found, need = either(found, marks), without(need, marks)
        return found


class Opposite:
    """Negation of a node."""

    def __init__(self, part: Node) -> None:
        self._part = part
        self.cost = part.cost

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Return the needed entries that the part does not mark."""
        return without(need, self._part.mark(stretch, need))


class ByFlags:
    """Node for the kind of entry and its flags: tables of 256 results each."""

    cost = COLUMN

    def __init__(self, kinds: bytes | None = None, flags: bytes | None = None) -> None:
        self._kinds = kinds
        self._flags = flags

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Look up both tables."""
        for table, column in ((self._kinds, stretch.columns.kinds), (self._flags, stretch.columns.flags)):
            if table is not None:
                need = both(need, column.translate(table))
        return need


class ByJournal:
    """Node for a property of the whole journal, which is the same for all entries."""

    cost = COLUMN

    def __init__(self, holds: Callable[[], bool]) -> None:
        self._holds = holds

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Return all needed entries or none."""
        return need if self._holds() else bytes(len(need))


class ByNumber:
    """Node for a column of numbers: "sizes", "walls", or the entries' own numbers ("n")."""

    cost = COLUMN

    def __init__(self, column: str, test: Callable[[int], bool]) -> None:
        self._column = column
        self._test = test

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        test = self._test
        numbers = range(stretch.first, stretch.last + 1) if self._column == "n" else self._numbers(stretch)
        return bytes([asked and test(number) for asked, number in zip(need, numbers, strict=True)])

    def _numbers(self, stretch: Stretch) -> Sequence[int]:
        found: Sequence[int] = stretch.columns.sizes if self._column == "sizes" else stretch.columns.walls
        return found


class ByExchange:
    """Node for a field of the exchange, for requests and responses."""

    cost = EXCHANGE

    def __init__(self, test: Callable[[int], bool]) -> None:
        """Create a node; `test` receives an exchange number."""
        self._test = test

    @property
    def never(self) -> bool:
        """Whether it is known to match nothing at present."""
        return isinstance(self._test, TextTest) and self._test.never

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Test the exchange of each entry. A message without an exchange never matches."""
        test = self._test
        if self.never:
            return bytes(len(need))
        need = both(need, stretch.columns.flags.translate(REQUEST_OR_ANSWER))
        if 1 not in need:
            return need
        if isinstance(test, TextTest):
            return test.mark(need, stretch.columns.exchanges)
        pairs = zip(need, stretch.columns.exchanges, strict=True)
        return bytes([1 if asked and number and test(number) else 0 for asked, number in pairs])


class ByMethod:
    """Node for the method of a request or notification; for a response, that of its request."""

    cost = COLUMN

    def __init__(self, test: Callable[[str], bool], of_exchange: Callable[[int], bool]) -> None:
        self._test = test
        self._answers = ByExchange(of_exchange)
        self._verdicts: dict[int, int] = {0: 0}

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Look up the methods, testing each distinct one once."""
        names, verdicts = stretch.columns.methods, self._verdicts
        here = set(names)
        for number in here - verdicts.keys() - {UNLISTED}:
            verdicts[number] = int(self._test(stretch.store.method_names[number]))
        found = bytes(len(need))
        if any(verdicts.get(number) for number in here):
            found = bytes([verdicts.get(name, 0) if asked else 0 for asked, name in zip(need, names, strict=True)])
        if UNLISTED in here:
            unlisted = [index for index, name in enumerate(names) if name == UNLISTED and need[index]]
            found = self._read(stretch, found, unlisted)
        if 0 not in here or self._answers.never:
            return found
        answers = bytes([not name for name in names])
        return either(found, self._answers.mark(stretch, both(need, answers)))

    def _read(self, stretch: Stretch, found: bytes, unlisted: list[int]) -> bytes:
        marks = bytearray(found)
        for index in unlisted:
            marks[index] = self._test(stretch.store.method(stretch.first + index))
        return bytes(marks)


class ByEntry:
    """Node for fields that require reading the entry."""

    cost = READ

    def __init__(self, test: Callable[[Entry], bool]) -> None:
        self._test = test

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Read and test each needed entry."""
        entry, first, test = stretch.store.entry, stretch.first, self._test
        return bytes([1 if asked and test(entry(first + index)) else 0 for index, asked in enumerate(need)])


class Lifted:
    """Node that tests an exchange's request, its response, or any of its messages, instead of the entry itself."""

    def __init__(self, part: Node, scope: FieldScope, exchanges: ExchangeColumns) -> None:
        self._part = part
        self._scope = scope
        self._exchanges = exchanges
        self.cost = max(part.cost, EXCHANGE)

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Test the counterparts of the needed entries, most of which are in the same stretch."""
        partners = [
            self._partners(stretch.first + index, number) if asked else ()
            for index, (asked, number) in enumerate(zip(need, stretch.columns.exchanges, strict=True))
        ]
        inner = bytearray(len(need))
        outside: set[int] = set()
        for numbers in partners:
            for n in numbers:
                if stretch.first <= n <= stretch.last:
                    inner[n - stretch.first] = 1
                elif n <= stretch.store.count:
                    outside.add(n)
        marks = self._part.mark(stretch, bytes(inner))
        found = {n for n in outside if self._alone(stretch, n)}
        found.update(stretch.first + index for index, marked in enumerate(marks) if marked)
        return bytes([1 if not found.isdisjoint(numbers) else 0 for numbers in partners])

    def _partners(self, n: int, number: int) -> tuple[int, ...]:
        if not number:
            return (n,) if self._scope is FieldScope.ANY else ()
        request = self._exchanges.number("request", number) or 0
        answer = self._exchanges.number("answer", number) or 0
        match self._scope:
            case FieldScope.REQUEST:
                return (request,) if request else ()
            case FieldScope.RESPONSE:
                return (answer,) if answer else ()
            case _:
                return tuple({n, request, answer} - {0})

    def _alone(self, stretch: Stretch, n: int) -> bool:
        return self._part.mark(Stretch(stretch.store, n, n, plain=stretch.plain), b"\1") == b"\1"
