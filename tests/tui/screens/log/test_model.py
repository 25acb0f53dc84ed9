"""The rows of the server's log, and its level."""

from typing import Any

import pytest
from msgspec.structs import replace

from inspector.present.server_log import requested_level, takes_levels
from inspector.present.spans import plain
from inspector.protocol.exchanges import ExchangeState
from inspector.tui.screens.log.model import (
    MOST_DECODED,
    FilteredLines,
    LogFilter,
    LogLine,
    ServerLog,
    Sources,
    messages_in,
    of_entry,
    row_spans,
    titles,
)
from tests.present.tape import MIDNIGHT, Tape

LEGACY = "2025-06-18"
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "me"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def said(tape: Tape, stamped: str = "") -> str:
    log = ServerLog(tape.journal)
    while log.refresh(1000):
        pass
    left, right = requested_level(tape.journal, log.setting, stamped, set_key="x l")
    return " | ".join(filter(None, (plain(left), plain(right))))


def legacy(tape: Tape, **capabilities: Any) -> Tape:
    return tape.initialized(LEGACY, capabilities=capabilities)


def modern(tape: Tape) -> Tape:
    tape.request(1, "server/discover", {"_meta": MODERN})
    result = {"supportedVersions": ["2026-07-28"], "capabilities": {"logging": {}}, "serverInfo": {"name": "x"}}
    tape.answer(1, result | {"resultType": "complete"})
    return tape


def test_before_a_level_is_set_the_server_decides(tape: Tape) -> None:
    assert said(legacy(tape, logging={})) == "Log   level not set: server default | x l sets the level"
    assert not requested_level(tape.journal, None, "")[1], "a moment of a recording, whose level nobody sets"


def test_log_status_without_logging_capability(tape: Tape) -> None:
    assert "no logging capability" in said(legacy(tape, tools={}))


def test_before_the_conversation_is_open_nothing_is_claimed(tape: Tape) -> None:
    assert said(tape) == "Log   "


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda tape: None, "⋯ setting info  #4"),
        (lambda tape: tape.answer(5, {}), "info and higher (logging/setLevel)  #4"),
        (lambda tape: tape.error(5, -32602, "no"), "✗ rejected info, error -32602  #4"),
        (lambda tape: tape.died(), "▲ no response to info  #4"),
    ],
)
def test_a_level_that_was_set_shows_what_became_of_it(tape: Tape, answer: Any, words: str) -> None:
    legacy(tape, logging={})
    tape.request(5, "logging/setLevel", {"level": "info"})
    answer(tape)
    assert words in said(tape)


def test_a_level_that_is_no_text_is_not_shown_as_one(tape: Tape) -> None:
    legacy(tape, logging={})
    tape.request(5, "logging/setLevel", {"level": 3})
    assert "setting ?" in said(tape)


def test_log_status_shows_the_stamped_level(tape: Tape) -> None:
    modern(tape)
    assert takes_levels(tape.journal)
    assert "requests: no log messages" in said(tape)
    assert "each request: notice and higher" in said(tape, "notice")


def test_levels_are_not_stamped_in_the_handshake_era(tape: Tape) -> None:
    assert not takes_levels(legacy(tape).journal)


ALL = 10_000


def message(tape: Tape, level: object, data: object = "x") -> int:
    return tape.notify("notifications/message", {"level": level, "data": data})


def taken(tape: Tape) -> ServerLog:
    log = ServerLog(tape.journal)
    while log.refresh(ALL):
        pass
    return log


def filtered(log: ServerLog, wanted: LogFilter) -> list[str]:
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
    assert filtered(log, LogFilter(least="warning")) == ["two", "three", "▲ unknown level  four"]
    assert filtered(log, LogFilter(least="emergency")) == ["two", "▲ unknown level  four"]
    assert filtered(log, LogFilter(least="debug")) == ["one", "two", "three", "▲ unknown level  four"]


@pytest.mark.parametrize(
    ("sources", "shown"),
    [
        (Sources.MESSAGES, ["one", "three", "▲ unknown level  four"]),
        (Sources.STDERR, ["two"]),
        (Sources.ALL, ["one", "two", "three", "▲ unknown level  four"]),
    ],
)
def test_one_of_both_sources_can_be_shown_alone(tape: Tape, sources: Sources, shown: list[str]) -> None:
    assert filtered(mixed(tape), LogFilter(sources=sources)) == shown


def test_a_text_hides_lines_without_it_and_what_comes_is_tested_as_it_comes(tape: Tape) -> None:
    log = mixed(tape)
    assert filtered(log, LogFilter(text="T")) == ["two", "three", "▲ unknown level  four"]  # "trace"
    assert filtered(log, LogFilter(text="tw", least="emergency")) == ["two"]
    message(tape, "alert", "TWICE")
    message(tape, "emergency", "twain")
    log.refresh(ALL)
    assert words(log) == ["two", "twain"]


def test_without_a_filter_all_lines_are_back(tape: Tape) -> None:
    log = mixed(tape)
    filtered(log, LogFilter(text="nothing"))
    assert log.count == 0
    log.show(LogFilter())
    assert log.count == 4
    assert not log.is_filtering


def test_old_lines_are_looked_through_in_slices_from_the_newest_on(tape: Tape) -> None:
    for number in range(6):
        message(tape, "info", f"line {number}")
    log = taken(tape)
    log.show(LogFilter(text="line"))
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
    log.show(LogFilter(text="line"))
    log.filter_step(800)
    assert log.key(log.index_of(key)) == key
    while log.filter_step():
        pass
    assert log.index_of(key) == 3
    assert log.index_of(99) == 5
    log.show(LogFilter())
    assert log.index_of(99) == 5


def test_each_message_of_a_batch_is_a_line(tape: Tape) -> None:
    part = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "a"}}
    other = part | {"params": {"level": "error", "data": "b"}}
    tape.from_server([{"jsonrpc": "2.0", "method": "notifications/x"}, part, other])
    message(tape, "info", "c")
    log = taken(tape)
    assert words(log) == ["a", "b", "c"]
    assert [log.entry_of(index) for index in range(3)] == [1, 1, 2]
    assert filtered(log, LogFilter(least="error")) == ["b"]


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
    found = FilteredLines()
    found.add_old(7)
    found.add_old(3)
    found.add_new(iter([9, 12]))
    assert list(found) == [3, 7, 9, 12]
    assert len(found) == 4


def server_log_lines_said(tape: Tape, params: Any) -> LogLine:
    return of_entry(tape.journal.store.entry(tape.notify("notifications/message", params)))


def shown(line: LogLine, width: int = 120) -> str:
    return plain(row_spans(line, MIDNIGHT, width)).rstrip()


def test_a_log_message_shows_its_level_its_logger_and_its_words(tape: Tape) -> None:
    line = server_log_lines_said(tape, {"level": "warning", "logger": "lamp", "data": "too hot"})
    assert shown(line).split() == ["00:00:00.000", "▲", "warning", "lamp", "too", "hot"]


def test_narrow_log_line_has_logger_before_text(tape: Tape) -> None:
    line = server_log_lines_said(tape, {"level": "info", "logger": "lamp", "data": "lit"})
    assert shown(line, 70) == "00:00:00 · info      lamp lit"


def test_stderr_line_is_marked(tape: Tape) -> None:
    line = of_entry(tape.journal.store.entry(tape.stderr(b"Traceback \x1b[31m\xff")))
    assert line.is_stderr
    assert line.rank is None
    assert shown(line).endswith("! stderr                      Traceback ␛[31m‹xFF›")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("a\nb", "a\nb"),
        ({"message": "x", "code": 1}, '{"message":"x","code":1}'),
        ([1, None], "[1,null]"),
        (3, "3"),
        (None, "null"),
        (False, "false"),
    ],
)
def test_data_of_any_json_is_shown_as_it_is(tape: Tape, data: Any, words: str) -> None:
    assert server_log_lines_said(tape, {"level": "info", "data": data}) == LogLine("info", "", words)


@pytest.mark.parametrize(
    ("params", "wrong", "word"),
    [
        ({"level": "trace", "data": "x"}, "unknown level", "? trace"),
        ({"level": 3, "data": "x"}, "unknown level", "? 3"),
        ({"data": "x"}, "no level", "? none"),
        ({"level": "info"}, "no data", "· info"),
        ({}, "no level, no data", "? none"),
        ([1], "no level, no data", "? none"),
        (None, "no level, no data", "? none"),
    ],
)
def test_a_message_that_is_wrong_is_shown_with_what_is_wrong(tape: Tape, params: Any, wrong: str, word: str) -> None:
    line = server_log_lines_said(tape, params)
    assert line.wrong == wrong
    assert word in shown(line)
    assert f"▲ {wrong}" in shown(line)


def test_a_logger_that_is_no_text_is_shown_as_the_json_it_is(tape: Tape) -> None:
    assert server_log_lines_said(tape, {"level": "info", "logger": {"a": 1}, "data": ""}).logger == '{"a":1}'


def test_a_hostile_message_acts_on_nothing(tape: Tape) -> None:
    line = server_log_lines_said(tape, {"level": "\x1b[2J", "logger": "\x9b31m", "data": "\x1b]52;c;eA==\x07\u202e"})
    assert shown(line).isprintable()


def test_empty_log_message_is_marked(tape: Tape) -> None:
    assert shown(server_log_lines_said(tape, {"level": "info", "data": ""})).endswith("(nothing)")


def test_a_huge_message_is_shown_as_it_begins(tape: Tape) -> None:
    line = server_log_lines_said(tape, {"level": "info", "data": "x" * MOST_DECODED})
    assert line.rank is None
    assert "kB, only the start is shown" in line.wrong
    assert '"method":"notifications/message"' in line.words


def test_unreadable_log_entry_is_marked(tape: Tape) -> None:
    entry = tape.journal.store.entry(tape.notify("notifications/message", {"level": "info", "data": "x"}))
    assert "cannot read the message" in shown(of_entry(replace(entry, missing=True)))
    line = tape.journal.store.entry(tape.stderr(b""))
    assert "cannot read the message" in shown(of_entry(replace(line, missing=True)))


def test_other_entry_is_no_log_message(tape: Tape) -> None:
    assert of_entry(tape.journal.store.entry(tape.request(1, "ping"))).wrong == "not a log message"


def test_a_batch_holds_several_lines(tape: Tape) -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "a"}}
    other = message | {"params": {"level": "error", "data": "b"}}
    entry = tape.journal.store.entry(tape.from_server([message, {"jsonrpc": "2.0", "id": 1, "result": {}}, other]))
    assert len(messages_in(entry)) == 2
    assert [of_entry(entry, place).words for place in (0, 1)] == ["a", "b"]


@pytest.mark.parametrize("wanted", ["HOT", "lamp", "warn"])
def test_a_text_is_looked_for_in_words_logger_and_level(tape: Tape, wanted: str) -> None:
    line = server_log_lines_said(tape, {"level": "warning", "logger": "Lamp", "data": "too hot"})
    assert line.contains(wanted)
    assert not line.contains("cold")


@pytest.mark.parametrize("width", [10, 40, 99, 100, 200])
def test_rows_and_titles_fill_their_width(tape: Tape, width: int) -> None:
    line = server_log_lines_said(tape, {"level": "warning", "logger": "灯" * 30, "data": "灯" * 300})
    assert sum(map(_cells, row_spans(line, MIDNIGHT, width))) == width
    assert sum(map(_cells, titles(width))) == width


def _cells(span: tuple[str, str]) -> int:
    from inspector.text import cell_width

    return cell_width(span[0])
