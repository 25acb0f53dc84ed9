"""One line of the server's log."""

from typing import Any

import pytest
from msgspec.structs import replace

from inspector.viewmodels.lines import plain
from inspector.viewmodels.server_log_lines import MOST_DECODED, Said, messages_in, of_entry, row_spans, titles
from tests.viewmodels.tape import MIDNIGHT, Tape


def said(tape: Tape, params: Any) -> Said:
    return of_entry(tape.journal.store.entry(tape.notify("notifications/message", params)))


def shown(line: Said, width: int = 120) -> str:
    return plain(row_spans(line, MIDNIGHT, width)).rstrip()


def test_a_log_message_shows_its_level_its_logger_and_its_words(tape: Tape) -> None:
    line = said(tape, {"level": "warning", "logger": "lamp", "data": "too hot"})
    assert shown(line).split() == ["00:00:00.000", "▲", "warning", "lamp", "too", "hot"]


def test_where_room_is_short_the_logger_stands_before_the_words(tape: Tape) -> None:
    line = said(tape, {"level": "info", "logger": "lamp", "data": "lit"})
    assert shown(line, 70) == "00:00:00 · info      lamp lit"


def test_a_line_of_stderr_says_that_it_is_one(tape: Tape) -> None:
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
    assert said(tape, {"level": "info", "data": data}) == Said("info", "", words)


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
    line = said(tape, params)
    assert line.wrong == wrong
    assert word in shown(line)
    assert f"▲ {wrong}" in shown(line)


def test_a_logger_that_is_no_text_is_shown_as_the_json_it_is(tape: Tape) -> None:
    assert said(tape, {"level": "info", "logger": {"a": 1}, "data": ""}).logger == '{"a":1}'


def test_a_hostile_message_acts_on_nothing(tape: Tape) -> None:
    line = said(tape, {"level": "\x1b[2J", "logger": "\x9b31m", "data": "\x1b]52;c;eA==\x07\u202e"})
    assert shown(line).isprintable()


def test_a_message_without_words_says_so(tape: Tape) -> None:
    assert shown(said(tape, {"level": "info", "data": ""})).endswith("(nothing)")


def test_a_huge_message_is_shown_as_it_begins(tape: Tape) -> None:
    line = said(tape, {"level": "info", "data": "x" * MOST_DECODED})
    assert line.rank is None
    assert "kB, shown as it begins" in line.wrong
    assert '"method":"notifications/message"' in line.words


def test_what_can_not_be_read_back_says_so(tape: Tape) -> None:
    entry = tape.journal.store.entry(tape.notify("notifications/message", {"level": "info", "data": "x"}))
    assert "can't be read back" in shown(of_entry(replace(entry, missing=True)))
    line = tape.journal.store.entry(tape.stderr(b""))
    assert "can't be read back" in shown(of_entry(replace(line, missing=True)))


def test_what_is_no_log_message_says_so(tape: Tape) -> None:
    assert of_entry(tape.journal.store.entry(tape.request(1, "ping"))).wrong == "not a log message"


def test_a_batch_holds_several_lines(tape: Tape) -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "a"}}
    other = message | {"params": {"level": "error", "data": "b"}}
    entry = tape.journal.store.entry(tape.from_server([message, {"jsonrpc": "2.0", "id": 1, "result": {}}, other]))
    assert len(messages_in(entry)) == 2
    assert [of_entry(entry, place).words for place in (0, 1)] == ["a", "b"]


@pytest.mark.parametrize("wanted", ["HOT", "lamp", "warn"])
def test_a_text_is_looked_for_in_words_logger_and_level(tape: Tape, wanted: str) -> None:
    line = said(tape, {"level": "warning", "logger": "Lamp", "data": "too hot"})
    assert line.contains(wanted)
    assert not line.contains("cold")


@pytest.mark.parametrize("width", [10, 40, 99, 100, 200])
def test_rows_and_titles_fill_their_width(tape: Tape, width: int) -> None:
    line = said(tape, {"level": "warning", "logger": "灯" * 30, "data": "灯" * 300})
    assert sum(map(_cells, row_spans(line, MIDNIGHT, width))) == width
    assert sum(map(_cells, titles(width))) == width


def _cells(span: tuple[str, str]) -> int:
    from inspector.viewmodels.text import cell_width

    return cell_width(span[0])
