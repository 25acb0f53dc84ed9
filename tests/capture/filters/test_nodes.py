"""Nodes ask their neighbours only about what is undecided, the cheap ones first."""

from inspector.capture.filters.exchange_columns import ExchangeColumns
from inspector.capture.filters.nodes import (
    COLUMN,
    READ,
    AllOf,
    AnyOf,
    ByEntry,
    ByExchange,
    ByFlags,
    ByMethod,
    ByNumber,
    Lifted,
    Opposite,
)
from inspector.capture.filters.stretch import Stretch
from inspector.capture.filters.terms import Scope
from tests.viewmodels.tape import Tape


class Told:
    """Marks what it was made with, and remembers what it was asked."""

    def __init__(self, marks: bytes, cost: int) -> None:
        self.marks = marks
        self.cost = cost
        self.asked: list[bytes] = []

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        self.asked.append(need)
        return bytes(a & b for a, b in zip(self.marks, need, strict=True))


def two_calls(tape: Tape) -> Stretch:
    """1 call a, 2 call b, 3 progress of a, 4 answer b, 5 answer a, 6 stderr."""
    tape.call(1, "a")
    tape.call(2, "b")
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    tape.answer(2, {})
    tape.answer(1, {})
    tape.stderr(b"x")
    return Stretch(tape.journal.store, 1, 6)


ALL = b"\1" * 6


def test_the_dear_part_is_asked_about_what_the_cheap_one_left(tape: Tape) -> None:
    stretch = two_calls(tape)
    cheap, dear = Told(b"\1\1\0\0\0\0", COLUMN), Told(b"\1\0\1\0\0\0", READ)
    assert AllOf([dear, cheap]).mark(stretch, ALL) == b"\1\0\0\0\0\0"
    assert AnyOf([dear, cheap]).mark(stretch, ALL) == b"\1\1\1\0\0\0"
    assert dear.asked == [b"\1\1\0\0\0\0", b"\0\0\1\1\1\1"]
    assert AllOf([Told(bytes(6), COLUMN), dear]).mark(stretch, ALL) == bytes(6)
    assert len(dear.asked) == 2


def test_the_opposite_is_of_what_is_asked(tape: Tape) -> None:
    stretch = two_calls(tape)
    assert Opposite(Told(b"\1\0\1\0\1\0", COLUMN)).mark(stretch, b"\1\1\0\0\0\0") == b"\0\1\0\0\0\0"


def test_columns_tell_kind_number_method_and_exchange(tape: Tape) -> None:
    stretch, exchanges = two_calls(tape), ExchangeColumns(tape.journal)
    assert ByFlags(kinds=bytes(kind == 2 for kind in range(256))).mark(stretch, ALL) == b"\0\0\0\0\0\1"
    assert ByNumber("n", lambda n: n > 4).mark(stretch, ALL) == b"\0\0\0\0\1\1"
    assert ByNumber("sizes", lambda size: size == 1).mark(stretch, ALL) == b"\0\0\0\0\0\1"
    called = ByMethod(lambda name: name == "tools/call", exchanges.text_test("method", lambda name: True))
    assert called.mark(stretch, ALL) == b"\1\1\0\1\1\0"
    of_a = exchanges.text_test("target", lambda target: target == "a")
    assert ByExchange(of_a).mark(stretch, ALL) == b"\1\0\0\0\1\0"
    assert ByEntry(lambda entry: entry.n == 2).mark(stretch, ALL) == b"\0\1\0\0\0\0"


def test_a_part_is_lifted_to_partners_also_to_those_in_other_stretches(tape: Tape) -> None:
    stretch, exchanges = two_calls(tape), ExchangeColumns(tape.journal)
    first = ByNumber("n", lambda n: n == 1)
    assert Lifted(first, Scope.REQUEST, exchanges).mark(stretch, ALL) == b"\1\0\1\0\1\0"
    assert Lifted(ByNumber("n", lambda n: n == 5), Scope.ANSWER, exchanges).mark(stretch, ALL) == b"\1\0\1\0\1\0"
    assert Lifted(ByNumber("n", lambda n: n in (4, 6)), Scope.ANY, exchanges).mark(stretch, ALL) == b"\0\1\0\1\0\1"
    assert Lifted(first, Scope.REQUEST, exchanges).mark(Stretch(tape.journal.store, 4, 6), b"\1\1\1") == b"\0\1\0"


def test_methods_beyond_those_that_have_a_number_are_read(tape: Tape) -> None:
    long = "x" * 300
    tape.request(1, long)
    tape.request(2, "short")
    exchanges = ExchangeColumns(tape.journal)
    node = ByMethod(lambda name: name == long, exchanges.text_test("method", lambda name: name == long))
    assert node.mark(Stretch(tape.journal.store, 1, 2), b"\1\1") == b"\1\0"
