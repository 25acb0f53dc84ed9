"""Filters of exchanges: evaluated once for those that have ended, each time for open ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.format.file import LOST
from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.capture.store.columns import NOTHING
from inspector.filters.engine.nodes import (
    COLUMN,
    READ,
    AllOf,
    AnyOf,
    ByEntry,
    ByExchange,
    ByFlags,
    ByMethod,
    ByNumber,
    ExchangeColumns,
    Lifted,
    Opposite,
    Stretch,
    backwards,
    both,
    either,
    ones,
    state_name,
    text_in,
    without,
)
from inspector.filters.language.fields import FieldScope
from inspector.protocol.facts import ProcessEvent, ProcessFact, Stderr
from inspector.protocol.frames import Channel, Frame
from tests.capture.recording import CAME, SENT, recorded
from tests.present.tape import Tape


def test_pending_exchange_is_not_cached(tape: Tape) -> None:
    tape.call(1, "echo")
    columns = ExchangeColumns(tape.journal)
    pending = columns.text_test("status", lambda state: state == "pending")
    long = columns.number_test("dur", lambda dur: dur >= 3_000_000)
    assert (pending(1), long(1), columns.number("answer", 1)) == (True, False, None)
    tape.wait(3).answer(1, {})
    assert (pending(1), long(1), columns.number("answer", 1)) == (False, True, 2)
    assert columns.text_test("target", lambda target: target == "echo")(1)
    assert columns.number("error.code", 1) is None


def test_one_that_changes_after_its_end_is_what_it_is_now(tape: Tape) -> None:
    tape.call(1, "echo")
    tape.notify("notifications/cancelled", {"requestId": 1}, by_client=True)
    columns = ExchangeColumns(tape.journal)
    late = columns.text_test("status", lambda state: state == "late")
    assert not late(1)
    tape.answer(1, {})
    assert late(1)
    assert columns.number("answer", 1) == 3


def test_exchange_column_tests_each_name_once_numbered(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    tape.call(1, "a")
    columns = ExchangeColumns(tape.journal)
    wanted = columns.text_test("target", lambda target: target in ("a", "c"))
    assert (wanted.never, wanted.mark(b"\1\0\1", [1, 1, 0])) == (False, b"\1\0\0")
    monkeypatch.setattr("inspector.protocol.exchange_log._MOST_NAMES", 1)
    for number, name in enumerate(("b", "c"), 2):
        tape.call(number, name)
        tape.answer(number, {})
    assert [wanted(number) for number in (1, 2, 3)] == [True, False, True]
    assert wanted.mark(b"\1\1\1\0", [3, 2, 1, 1]) == b"\1\0\1\0"


def test_text_test_updates_for_new_names(tape: Tape) -> None:
    tape.call(1, "a")
    tried: list[str] = []
    columns = ExchangeColumns(tape.journal)

    def is_b(target: str) -> bool:
        tried.append(target)
        return target == "b"

    wanted = columns.text_test("target", is_b)
    assert (wanted.never, wanted.mark(b"\1", [1])) == (True, b"\0")
    tape.call(2, "a")
    tape.call(3, "b")
    assert (wanted.never, wanted.mark(b"\1\1\1", [1, 2, 3])) == (False, b"\0\0\1")
    assert len(tried) == len(set(tried)), "each name is tried once"


def test_a_revision_is_tried_once_for_all_that_have_it(tape: Tape) -> None:
    tape.call(1, "a")
    tried: list[str] = []
    test = ExchangeColumns(tape.journal).revision_test(lambda revision: not tried.append(revision))  # type: ignore[func-returns-value]
    assert test(1)
    assert test(1)
    assert len(tried) == 1


def test_states_have_the_words_of_the_field(tape: Tape) -> None:
    tape.call(1, "a")
    tape.answer(1, {"isError": True})
    tape.call(2, "b")
    tape.answer(2, {})
    assert [state_name(exchange) for exchange in tape.journal.conversation.exchanges] == ["tool-error", "ok"]


_PAIRS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=40)


@given(_PAIRS)
def test_masks_are_put_together_byte_by_byte(pairs: list[tuple[int, int]]) -> None:
    one, other = bytes(pair[0] for pair in pairs), bytes(pair[1] for pair in pairs)
    assert both(one, other) == bytes(a & b for a, b in pairs)
    assert either(one, other) == bytes(a | b for a, b in pairs)
    assert without(one, other) == bytes(a & ~b & 1 for a, b in pairs)
    assert list(ones(one)) == [at for at, byte in enumerate(one) if byte]


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


def test_expensive_terms_see_only_what_cheap_ones_left(tape: Tape) -> None:
    stretch = two_calls(tape)
    cheap, dear = Told(b"\1\1\0\0\0\0", COLUMN), Told(b"\1\0\1\0\0\0", READ)
    assert AllOf([dear, cheap]).mark(stretch, ALL) == b"\1\0\0\0\0\0"
    assert AnyOf([dear, cheap]).mark(stretch, ALL) == b"\1\1\1\0\0\0"
    assert dear.asked == [b"\1\1\0\0\0\0", b"\0\0\1\1\1\1"]
    assert AllOf([Told(bytes(6), COLUMN), dear]).mark(stretch, ALL) == bytes(6)
    assert len(dear.asked) == 2


def test_opposite_inverts_within_the_mask(tape: Tape) -> None:
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
    assert Lifted(first, FieldScope.REQUEST, exchanges).mark(stretch, ALL) == b"\1\0\1\0\1\0"
    assert Lifted(ByNumber("n", lambda n: n == 5), FieldScope.RESPONSE, exchanges).mark(stretch, ALL) == b"\1\0\1\0\1\0"
    assert Lifted(ByNumber("n", lambda n: n in (4, 6)), FieldScope.ANY, exchanges).mark(stretch, ALL) == b"\0\1\0\1\0\1"
    assert Lifted(first, FieldScope.REQUEST, exchanges).mark(Stretch(tape.journal.store, 4, 6), b"\1\1\1") == b"\0\1\0"


def test_methods_beyond_those_that_have_a_number_are_read(tape: Tape) -> None:
    long = "x" * 300
    tape.request(1, long)
    tape.request(2, "short")
    exchanges = ExchangeColumns(tape.journal)
    node = ByMethod(lambda name: name == long, exchanges.text_test("method", lambda name: name == long))
    assert node.mark(Stretch(tape.journal.store, 1, 2), b"\1\1") == b"\1\0"


_PAYLOADS = (b'{"a":"x\\ny"}', b"plain", b"\xff", b"", b'ends in "}', b"\\", "é\n".encode())


def filled() -> Journal:
    journal = recorded()
    for payload in _PAYLOADS:
        journal.frame(CAME, Channel.STDOUT, payload)
    journal.fact(Stderr(b"oh no"))
    journal.fact(ProcessFact(ProcessEvent.SPAWN, 1))
    return journal


def test_payloads_are_cut_out_of_the_window() -> None:
    journal = filled()
    stretch = Stretch(journal.store, 1, journal.count)
    assert [stretch.payload(index) for index in range(len(stretch))] == [*_PAYLOADS, b"oh no", b""]
    for index, payload in enumerate(_PAYLOADS):
        begin, end = text_in(stretch.window, stretch.starts[index], stretch.end(index), len(stretch.window))
        if begin >= 0:
            assert payload.decode("utf-8", "replace")[:1] in stretch.window[begin:end].decode()
    assert stretch.at(stretch.starts[3]) == 3


def test_text_before_other_members_has_no_known_end() -> None:
    line = b'{"r":"frame","raw":"one two","note":"three"}'
    assert text_in(line, 0, len(line), line.find(b"three") + 5) == (-1, -1)
    assert text_in(line, 0, len(line), line.find(b"two") + 3)[0] == line.find(b"one")


def test_a_stretch_begins_anywhere() -> None:
    journal = filled()
    stretch = Stretch(journal.store, 3, 5)
    assert [stretch.payload(index) for index in range(3)] == list(_PAYLOADS[2:5])


def test_entries_that_are_nowhere_are_empty() -> None:
    journal = recorded()
    journal.frame(SENT, Channel.STDIN, b"kept")
    journal.store.add(Entry(2, 0, 0, Frame(2, 0, 0, SENT, Channel.STDIN, b"more")), NOTHING, LOST, 50)
    stretch = Stretch(journal.store, 1, 2)
    assert [stretch.payload(0), stretch.payload(1)] == [b"kept", b""]
    assert list(backwards(journal.store, 1, 2)) == [(2, 2), (1, 1)]


@pytest.mark.parametrize("size", [1, 200, 700, 10_000_000])
def test_stretches_cover_everything_once_the_newest_first(size: int) -> None:
    journal = filled()
    found = list(backwards(journal.store, 2, journal.count, size))
    assert [n for first, last in reversed(found) for n in range(first, last + 1)] == list(range(2, journal.count + 1))
    assert found == sorted(found, reverse=True)
    assert len(found) == {1: 8, 10_000_000: 1}.get(size, len(found))
    journal.close()
    assert list(backwards(journal.store, 1, 0)) == []
