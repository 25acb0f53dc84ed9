"""The server's log as a list."""

import pytest

from inspector.protocol.exchanges import ExchangeState
from inspector.viewmodels.lines import plain
from inspector.viewmodels.server_log import Filter, Found, ServerLog, Sources
from tests.viewmodels.tape import Tape

ALL = 10_000


def message(tape: Tape, level: object, data: object = "x") -> int:
    return tape.notify("notifications/message", {"level": level, "data": data})


def taken(tape: Tape) -> ServerLog:
    log = ServerLog(tape.journal)
    while log.refresh(ALL):
        pass
    return log


def filtered(log: ServerLog, wanted: Filter) -> list[str]:
    """The words of what a filter shows, once it has looked at everything."""
    log.show(wanted)
    while log.filter_step():
        pass
    return words(log)


def words(log: ServerLog) -> list[str]:
    return [plain(log.row(index, 60).spans)[21:].strip() for index in range(log.count)]


def mixed(tape: Tape) -> ServerLog:
    message(tape, "debug", "one")
    tape.request(1, "ping")
    tape.stderr(b"two")
    tape.answer(1, {})
    message(tape, "error", "three")
    message(tape, "trace", "four")
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    tape.notify("notifications/message", {"level": "info", "data": "ours"}, by_client=True)
    return taken(tape)


def test_log_messages_and_stderr_stand_in_the_order_in_which_they_came(tape: Tape) -> None:
    log = mixed(tape)
    assert words(log) == ["one", "two", "three", "▲ unknown level  four"]
    assert (log.count, log.total) == (4, 4)
    assert [log.entry_of(index) for index in range(4)] == [1, 3, 5, 6]


def test_new_lines_come_at_the_end_without_changing_what_was_there(tape: Tape) -> None:
    log = mixed(tape)
    before = log.generation
    message(tape, "info", "five")
    assert log.refresh(ALL)
    assert not log.refresh(ALL)
    assert words(log)[-1] == "five"
    assert log.generation == before


def test_each_look_takes_in_so_many_entries_at_most(tape: Tape) -> None:
    for _ in range(5):
        message(tape, "info")
    log = ServerLog(tape.journal)
    counts = []
    while log.refresh(2):
        counts.append(log.count)
    assert counts == [2, 4, 5]


def test_the_least_level_hides_what_is_less_grave(tape: Tape) -> None:
    log = mixed(tape)
    assert filtered(log, Filter(least="warning")) == ["two", "three", "▲ unknown level  four"]
    assert filtered(log, Filter(least="emergency")) == ["two", "▲ unknown level  four"]
    assert filtered(log, Filter(least="debug")) == ["one", "two", "three", "▲ unknown level  four"]


@pytest.mark.parametrize(
    ("sources", "shown"),
    [
        (Sources.MESSAGES, ["one", "three", "▲ unknown level  four"]),
        (Sources.STDERR, ["two"]),
        (Sources.ALL, ["one", "two", "three", "▲ unknown level  four"]),
    ],
)
def test_one_of_both_sources_can_be_shown_alone(tape: Tape, sources: Sources, shown: list[str]) -> None:
    assert filtered(mixed(tape), Filter(sources=sources)) == shown


def test_a_text_hides_lines_without_it_and_what_comes_is_tested_as_it_comes(tape: Tape) -> None:
    log = mixed(tape)
    assert filtered(log, Filter(text="T")) == ["two", "three", "▲ unknown level  four"]  # "trace"
    assert filtered(log, Filter(text="tw", least="emergency")) == ["two"]
    message(tape, "alert", "TWICE")
    message(tape, "emergency", "twain")
    log.refresh(ALL)
    assert words(log) == ["two", "twain"]


def test_without_a_filter_all_lines_are_back(tape: Tape) -> None:
    log = mixed(tape)
    filtered(log, Filter(text="nothing"))
    assert log.count == 0
    log.show(Filter())
    assert log.count == 4
    assert not log.is_filtering


def test_old_lines_are_looked_through_in_slices_from_the_newest_on(tape: Tape) -> None:
    for number in range(6):
        message(tape, "info", f"line {number}")
    log = taken(tape)
    log.show(Filter(text="line"))
    found = []
    while log.filter_step(1):
        found.append(words(log)[0])
    assert found == [f"line {number}" for number in (5, 4, 3, 2, 1)]
    assert words(log) == [f"line {number}" for number in range(6)]


def test_a_chosen_line_is_found_again_when_others_come_before_it(tape: Tape) -> None:
    for number in range(6):
        message(tape, "info", f"line {number}")
    log = taken(tape)
    key = log.key(3)
    log.show(Filter(text="line"))
    log.filter_step(800)
    assert log.key(log.index_of(key)) == key
    while log.filter_step():
        pass
    assert log.index_of(key) == 3
    assert log.index_of(99) == 5
    log.show(Filter())
    assert log.index_of(99) == 5


def test_each_message_of_a_batch_is_a_line(tape: Tape) -> None:
    part = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "a"}}
    other = part | {"params": {"level": "error", "data": "b"}}
    tape.from_server([{"jsonrpc": "2.0", "method": "notifications/x"}, part, other])
    message(tape, "info", "c")
    log = taken(tape)
    assert words(log) == ["a", "b", "c"]
    assert [log.entry_of(index) for index in range(3)] == [1, 1, 2]
    assert filtered(log, Filter(least="error")) == ["b"]


def test_the_newest_request_for_a_level_is_known_with_what_became_of_it(tape: Tape) -> None:
    assert taken(tape).setting is None
    tape.request(1, "logging/setLevel", {"level": "info"})
    tape.answer(1, {})
    tape.request(2, "logging/setLevel", {"level": "loud"})
    tape.error(2, -32602, "no such level")
    setting = taken(tape).setting
    assert setting is not None
    assert (setting.target, setting.state) == ("loud", ExchangeState.ERROR)


def test_lines_that_were_found_backwards_stand_forwards() -> None:
    found = Found()
    found.add_old(7)
    found.add_old(3)
    found.add_new(iter([9, 12]))
    assert list(found) == [3, 7, 9, 12]
    assert len(found) == 4
