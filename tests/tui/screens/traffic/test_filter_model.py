"""What is chosen becomes a filter that finds it."""

import json
from typing import Any

import pytest

from inspector.filters.language.completion import describe
from inspector.filters.language.fields import Ref
from inspector.filters.language.parser import parse
from inspector.present.json_text import JsonLines
from inspector.tui.screens.traffic.filter_model import (
    colours,
    combined,
    path_test,
    proposals,
    read_filter,
    ref_of_path,
    row_test,
    seen,
)
from tests.present.tape import Tape


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("params.arguments.q", '"x"', 'args.q == "x"'),
        ("params.arguments.items[3].q", "5", "args.items[3].q == 5"),
        ("params.name", '"x"', 'params.name == "x"'),
        ("result.isError", "true", "result.isError == true"),
        ("error.code", "-32602", "error.code == -32602"),
        ("error.message", '"no"', 'error.message == "no"'),
        ("id", "7", "id == 7"),
        ("method", '"ping"', 'method == "ping"'),
        ("result.content", "[1]", "result.content"),
        ("params", "{}", "params"),
        ("jsonrpc", '"2.0"', ""),
        ("", "{}", ""),
        ("params.a", "not json", ""),
    ],
)
def test_a_place_in_a_message_becomes_a_test(path: str, value: str, said: str) -> None:
    assert describe(path_test(path, value.encode())) == said


def test_a_long_text_is_looked_for_by_its_beginning() -> None:
    test = path_test("params.a", json.dumps("x" * 5000).encode())
    assert describe(test) == f'params.a contains "{"x" * 200}"'


@pytest.mark.parametrize("key", ["a b", 'q"uote', "a.b", "é", "[0]", "", "0", "back\\slash"])
def test_a_path_as_the_view_writes_it_leads_to_the_same_value(key: str) -> None:
    message: Any = {"params": {key: [{"x": 1}]}}
    lines = JsonLines(json.dumps(message).encode())
    at = next(line for line in range(lines.count) if lines.value(line) == b"1")
    assert ref_of_path(lines.path(at)) == Ref("params", (key, 0, "x"))


def test_a_row_becomes_a_test_of_what_it_is_about(tape: Tape) -> None:
    tape.call(1, "echo")
    tape.answer(1, {})
    tape.request(2, "resources/read", {"uri": "a://b"})
    tape.request(3, "tools/list")
    tape.notify("notifications/message", {})
    tape.stderr(b"x")
    tape.from_server(b"junk")
    assert [describe(row_test(tape.journal, n)) for n in range(1, 8)] == [
        'tool == "echo"',
        'tool == "echo"',
        'uri == "a://b"',
        'method == "tools/list"',
        'method == "notifications/message"',
        "kind == stderr",
        "kind == invalid",
    ]


def test_combined_adds_a_term_to_the_filter() -> None:
    test = parse("kind == error")
    assert test is not None
    assert combined("", test, "and") == "kind == error"
    assert combined("tool == a", test, "and") == "tool == a and kind == error"
    assert combined("a or b", test, "not") == "(a or b) and not kind == error"
    assert combined("a or b", test, "only") == "kind == error"
    assert combined("tool == a and kind:error", test, "and") == "tool == a and kind:error"
    assert combined("(broken", test, "and") == "kind == error"


def test_a_shorthand_is_shown_in_full_and_what_is_in_full_is_not_shown_again() -> None:
    assert read_filter("t:x", {}).full == 'tool contains "x"'
    assert read_filter('tool  contains "x"', {}).full == ""
    assert read_filter("", {}).term is None


def test_filter_error_has_a_column() -> None:
    read = read_filter("tool == a and tol == b", {})
    assert (read.error, read.column, read.term) == ("unknown field `tol`; did you mean `tool`?", 14, None)


def test_a_filter_gets_a_name_by_a_definition() -> None:
    read = read_filter("@slow = dur > 1s", {})
    assert (read.saves, read.body, read.error) == ("slow", "dur > 1s", "")
    assert read.term is not None
    assert (read_filter("@slow =", {}).saves, read_filter("@slow =", {}).body) == ("slow", "")
    assert read_filter("@slow = dur >", {}).column == 13
    assert read_filter("@slow", {"slow": "dur > 1s"}).full == "dur > 1s"
    assert read_filter("@slow == 3", {"slow": "dur > 1s"}).saves == ""
    assert "unknown named filter" in read_filter("@slow = @slow or x", {"slow": "x"}).error


def test_values_are_those_that_were_seen_the_newest_first(tape: Tape) -> None:
    for number, name in enumerate(("a", "b", "a"), 1):
        tape.call(number, name)
    tape.request(4, "prompts/get", {"name": "p"})
    tape.error(4, -32602, "no")
    assert seen(tape.journal, "tool") == ("a", "b")
    assert seen(tape.journal, "prompt") == ("p",)
    assert seen(tape.journal, "method") == ("prompts/get", "tools/call")
    assert seen(tape.journal, "error.code") == ("-32602",)
    assert seen(tape.journal, "size") == ()
    assert [item.text for item in proposals("tool == ", tape.journal, {}).items] == ["a", "b"]
    assert [item.text for item in proposals("@s", tape.journal, {"slow": "x", "m": "y"}).items] == ["@slow"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('tool == "x" and y', [(0, 4, "key"), (5, 7, "punctuation"), (8, 11, "string"), (12, 15, "literal")]),
        ("any.args.q", [(0, 10, "key")]),
        ("@slow", [(0, 5, "key")]),
        ('"open', []),
    ],
)
def test_words_are_coloured_by_what_they_are(text: str, found: list[tuple[int, int, str]]) -> None:
    assert colours(text) == found
