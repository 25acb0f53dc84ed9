"""The columns of exchanges say what the exchanges themselves say."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.exchange_log import ExchangeLog
from inspector.protocol.exchange_table import NEVER, STATE_BITS, STATES, TOOL_ERROR, UNLISTED
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction
from tests.protocol.test_exchange_log import ended, exchanges


@given(st.lists(exchanges(), max_size=4))
def test_each_column_says_what_the_exchange_says(several: list[Exchange]) -> None:
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
    for number in (1, 2, 3):
        log.append(Exchange(number, Direction.TO_SERVER, number, "tools/call", "search", number, 5))
    log.keep(ended(2))
    failed = ended(3)
    failed.tool_error = True
    log.keep(failed)
    counts = {state: count for state, count in log.tally().items() if count}
    assert counts == {ExchangeState.PENDING: 1, ExchangeState.ANSWERED: 2}
    assert log.tool_errors == 1
