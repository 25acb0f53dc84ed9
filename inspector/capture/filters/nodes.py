"""A filter at work: a tree of nodes, each of which marks the entries of a stretch that it holds for.

A node is asked about some entries only (`need`), those that its neighbours have left undecided; so the cheap ones go
first, and what must be read from the file is read for few.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from inspector.capture.filters.exchange_columns import ExchangeColumns, TextTest
from inspector.capture.filters.masks import both, either, without
from inspector.capture.filters.stretch import Stretch
from inspector.capture.filters.terms import Scope
from inspector.capture.meaning import MessageKind
from inspector.capture.store import KIND_BITS, UNLISTED, Entry

_OF_EXCHANGE = (MessageKind.REQUEST, MessageKind.ANSWER, MessageKind.ERROR, MessageKind.BATCH)
REQUEST_OR_ANSWER = bytes((flags & KIND_BITS) in _OF_EXCHANGE for flags in range(256))
"""By flags: whether what is known of the exchange is known of the message. What an exchange merely caused is not it."""

COLUMN, EXCHANGE, SEARCH, READ, SLOW = range(5)
"""What a node costs, in classes."""


class Node(Protocol):
    """A part of a filter."""

    cost: int

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """1 for each entry that is asked about and that it holds for. As long as `need`, a subset of it."""


class AllOf:
    """All parts hold."""

    def __init__(self, parts: Sequence[Node]) -> None:
        self._parts = sorted(parts, key=lambda part: part.cost)
        self.cost = self._parts[-1].cost

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Ask each part about what the others before it have let through."""
        for part in self._parts:
            if 1 not in need:
                break
            need = part.mark(stretch, need)
        return need


class AnyOf:
    """At least one part holds."""

    def __init__(self, parts: Sequence[Node]) -> None:
        self._parts = sorted(parts, key=lambda part: part.cost)
        self.cost = self._parts[-1].cost

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Ask each part about what the others before it have not found."""
        found = bytes(len(need))
        for part in self._parts:
            if 1 not in need:
                break
            marks = part.mark(stretch, need)
            found, need = either(found, marks), without(need, marks)
        return found


class Opposite:
    """A part does not hold."""

    def __init__(self, part: Node) -> None:
        self._part = part
        self.cost = part.cost

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """What the part does not mark."""
        return without(need, self._part.mark(stretch, need))


class ByFlags:
    """What the kind of entry and its flags tell: tables of 256 verdicts."""

    cost = COLUMN

    def __init__(self, kinds: bytes | None = None, flags: bytes | None = None) -> None:
        self._kinds = kinds
        self._flags = flags

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Look both up."""
        for table, column in ((self._kinds, stretch.columns.kinds), (self._flags, stretch.columns.flags)):
            if table is not None:
                need = both(need, column.translate(table))
        return need


class ByJournal:
    """What is the same for all entries of the journal at a moment."""

    cost = COLUMN

    def __init__(self, holds: Callable[[], bool]) -> None:
        self._holds = holds

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """All or nothing."""
        return need if self._holds() else bytes(len(need))


class ByNumber:
    """What a column of numbers tells: "sizes", "walls", or the entries' own numbers ("n")."""

    cost = COLUMN

    def __init__(self, column: str, test: Callable[[int], bool]) -> None:
        self._column = column
        self._test = test

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Try each number."""
        test = self._test
        numbers = range(stretch.first, stretch.last + 1) if self._column == "n" else self._numbers(stretch)
        return bytes([asked and test(number) for asked, number in zip(need, numbers, strict=True)])

    def _numbers(self, stretch: Stretch) -> Sequence[int]:
        found: Sequence[int] = stretch.columns.sizes if self._column == "sizes" else stretch.columns.walls
        return found


class ByExchange:
    """What is known of the exchange of a request or an answer."""

    cost = EXCHANGE

    def __init__(self, test: Callable[[int], bool]) -> None:
        """`test` is given an exchange's number."""
        self._test = test

    @property
    def never(self) -> bool:
        """Whether it is known to hold for nothing that there is now."""
        return isinstance(self._test, TextTest) and self._test.never

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Try the exchange of each; a message without one has none of its fields."""
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
    """The method: a request's or a notification's own, of an answer that of its request."""

    cost = COLUMN

    def __init__(self, test: Callable[[str], bool], of_exchange: Callable[[int], bool]) -> None:
        self._test = test
        self._answers = ByExchange(of_exchange)
        self._verdicts: dict[int, int] = {0: 0}

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Look each method up; each different one is tried once."""
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
    """What only the entry itself tells, read back one by one."""

    cost = READ

    def __init__(self, test: Callable[[Entry], bool]) -> None:
        self._test = test

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Read each that is asked about."""
        entry, first, test = stretch.store.entry, stretch.first, self._test
        return bytes([1 if asked and test(entry(first + index)) else 0 for index, asked in enumerate(need)])


class Lifted:
    """A part holds for the request of an exchange, for its answer, or for any of its messages."""

    def __init__(self, part: Node, scope: Scope, exchanges: ExchangeColumns) -> None:
        self._part = part
        self._scope = scope
        self._exchanges = exchanges
        self.cost = max(part.cost, EXCHANGE)

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Ask about the entries themselves and about their partners, most of which are in the same stretch."""
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
        """The entries that count for entry n."""
        if not number:
            return (n,) if self._scope is Scope.ANY else ()
        request = self._exchanges.number("request", number) or 0
        answer = self._exchanges.number("answer", number) or 0
        match self._scope:
            case Scope.REQUEST:
                return (request,) if request else ()
            case Scope.ANSWER:
                return (answer,) if answer else ()
            case _:
                return tuple({n, request, answer} - {0})

    def _alone(self, stretch: Stretch, n: int) -> bool:
        return self._part.mark(Stretch(stretch.store, n, n, plain=stretch.plain), b"\1") == b"\1"
