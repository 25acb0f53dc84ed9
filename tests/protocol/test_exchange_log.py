"""All exchanges of a conversation, packed once they have ended."""

import gc
from collections.abc import Callable
from copy import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.exchange_log import NEVER, STATE_BITS, STATES, TOOL_ERROR, UNLISTED, ExchangeLog
from inspector.protocol.exchanges import Exchange, ExchangeState, Progress
from inspector.protocol.frames import Direction

SOMETIME = st.integers(1, 2**31) | st.integers(1, 2**61)  # two of them are less than NEVER
IDS = st.integers(-(2**70), 2**70) | st.text()
PROGRESS = st.builds(Progress, st.floats(allow_nan=False), st.none() | st.floats(0, 9), st.text(), SOMETIME, SOMETIME)


@st.composite
def exchanges(draw: st.DrawFn) -> Exchange:
    state = draw(st.sampled_from(ExchangeState))
    started = draw(SOMETIME)
    facts = {
        "number": 1,
        "sender": draw(st.sampled_from(Direction)),
        "id": draw(IDS),
        "method": draw(st.text()),
        "target": draw(st.text()),
        "request_frame": draw(SOMETIME),
        "started_ns": started,
        "revision": draw(st.none() | st.text()),
        "probe": draw(st.booleans()),
        "http": draw(st.none() | SOMETIME),
        "session": draw(SOMETIME),
        "state": state,
        "answer_frame": draw(st.none() | SOMETIME),
        "ended_ns": None if state is ExchangeState.PENDING else started + draw(SOMETIME),
        "error_code": draw(st.none() | st.integers(-(2**70), 2**70)),
        "tool_error": draw(st.booleans()),
        "progress_token": draw(st.none() | IDS),
        "progress": draw(st.none() | PROGRESS),
        "operation": draw(st.none() | SOMETIME),
        "why": draw(st.text()),
        "asks": draw(st.booleans()),
        "retried": draw(st.booleans()),
    }
    assert set(facts) == set(Exchange.__struct_fields__), "each fact of an exchange is tried"
    return Exchange(**facts)


def ended(number: int, **facts: object) -> Exchange:
    made = Exchange(number, Direction.TO_SERVER, number, "tools/call", "search", number, 5, **facts)  # type: ignore[arg-type]
    made.state, made.ended_ns = ExchangeState.ANSWERED, 9
    return made


@given(st.lists(exchanges(), max_size=5))
def test_stored_exchange_equals_the_original(several: list[Exchange]) -> None:
    log = ExchangeLog()
    for at in range(len(several)):
        several[at].number = at + 1
        log.append(several[at])
        log.keep(several[at])
    before = [copy(each) for each in several]
    several.clear()
    assert not any(held in before for held in log._held.values() if not held.is_open)
    assert list(log) == before


def test_held_exchange_sees_later_changes() -> None:
    log = ExchangeLog()
    log.append(ended(1))
    log.keep(log[0])
    held = log[0]
    again = log[0]
    again.state = ExchangeState.LATE
    log.keep(again)
    assert held is again
    del held, again
    gc.collect()
    assert log[0].state is ExchangeState.LATE


def test_an_exchange_that_changes_often_after_its_end_takes_no_more_room() -> None:
    log = ExchangeLog()
    log.append(ended(1, progress=Progress(0.0, None, "working", 2, 1)))
    log.keep(log[0])
    room = len(log._records)
    for count in range(2, 1000):
        late = log[0]
        late.progress = Progress(float(count), None, "working", count, count)
        log.keep(late)
    assert len(log._records) <= 2 * room
    assert log[0].progress == Progress(999.0, None, "working", 999, 999)


def test_a_hundred_thousand_ended_exchanges_take_less_than_a_hundred_bytes_each() -> None:
    log = ExchangeLog()
    for number in range(1, 100_001):
        log.append(ended(number))
        log.keep(log[number - 1])
    assert len(log) == 100_000
    assert not log._objects
    assert len(log._records) / len(log) + 8 < 100


def test_exchange_log_is_a_sequence() -> None:
    log = ExchangeLog()
    for number in range(1, 5):
        log.append(ended(number))
        log.keep(log[number - 1])
    assert [each.number for each in log[1:3]] == [2, 3]
    assert log[-1].number == 4
    with pytest.raises(IndexError):
        log[4]


def test_held_open_exchange_is_the_ended_one() -> None:
    log = ExchangeLog()
    exchange = Exchange(1, Direction.TO_SERVER, 1, "tools/call", "search", 1, 5)
    log.append(exchange)
    seen = log[0]
    exchange.state, exchange.ended_ns = ExchangeState.ANSWERED, 9
    log.keep(exchange, shown=False)
    del exchange
    assert log[0] is seen


def test_columns_that_do_not_agree_with_each_other_are_found_out() -> None:
    spoils: list[Callable[[ExchangeLog], object]] = [
        lambda log: log.ends.append(5),
        lambda log: log.methods.__setitem__(1, 7),
        lambda log: log.revisions.__setitem__(1, 9),
        lambda log: log.states.__setitem__(1, 7),
        lambda log: log._places.__setitem__(0, 1000),
        lambda log: log._records.append(0),
    ]
    for spoil in spoils:
        log = ExchangeLog()
        log.append(ended(1))
        log.keep(log[0])
        log.check()
        spoil(log)
        with pytest.raises(ValueError, match="exchange"):
            log.check()


@given(st.lists(exchanges(), max_size=4))
def test_columns_equal_the_exchanges(several: list[Exchange]) -> None:
    log = ExchangeLog()
    for number, each in enumerate(several, 1):
        each.number = number
        log.append(each)
        log.keep(each)
    for number, each in enumerate(several, 1):
        bits, method, target = log.states[number], log.methods[number], log.targets[number]
        is_open = each.state is ExchangeState.PENDING
        assert (STATES[bits & STATE_BITS], log.ends[number] == NEVER) == (each.state, each.ended_ns is None)
        assert is_open or bool(bits & TOOL_ERROR) == each.tool_error
        assert is_open or log.ends[number] == each.ended_ns
        assert log.starts[number] == each.started_ns
        assert log.request_frames[number] == min(each.request_frame, 2**32 - 1)
        assert method == UNLISTED or log.names[method] == each.method
        assert target == UNLISTED or log.names[target] == each.target
        late = each.state is ExchangeState.LATE or each.answer_frame is None
        assert is_open or log.answer_frames[number] == (0 if late else min(each.answer_frame or 0, 2**32 - 1))
    assert sum(log.tally().values()) == len(several)


def test_a_name_that_is_too_long_for_a_number_is_kept_all_the_same() -> None:
    log = ExchangeLog()
    made = ended(1)
    made.method = "x" * 300
    log.append(made)
    log.keep(made)
    del made
    assert (log.methods[1], log[0].method, log.names) == (UNLISTED, "x" * 300, ["search"])


def test_columns_say_where_an_exchange_began_and_how_it_ended() -> None:
    log = ExchangeLog()
    exchange = Exchange(1, Direction.TO_SERVER, 1, "tools/call", "search", 3, 5)
    log.append(exchange)
    assert (log.request_frames[1], log.answer_frames[1], log.ends[1]) == (3, 0, NEVER)
    exchange.state, exchange.answer_frame, exchange.ended_ns = ExchangeState.ANSWERED, 4, 9
    log.keep(exchange)
    assert (log.answer_frames[1], log.ends[1]) == (4, 9)
    exchange.state = ExchangeState.LATE
    log.keep(exchange)
    assert log.answer_frames[1] == 0, "an answer that came late is a row of its own"


def test_states_are_counted_without_looking_at_each() -> None:
    log = ExchangeLog()
    for number in (1, 2, 3, 4):
        log.append(Exchange(number, Direction.TO_SERVER, number, "tools/call", "search", number, 5, probe=number == 4))
    log.keep(ended(2))
    log.keep(ended(3, tool_error=True))
    log.at(4).state = ExchangeState.ERROR
    log.keep(log.at(4))
    counts = {state: count for state, count in log.tally().items() if count}
    assert counts == {ExchangeState.PENDING: 1, ExchangeState.ANSWERED: 3}, "a refused probe is no error"
    assert log.tool_errors == 1
