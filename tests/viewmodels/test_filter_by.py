"""What is chosen becomes a filter that finds it."""

import json
from typing import Any

import pytest

from inspector.capture.filters.normal import describe
from inspector.capture.filters.parse import parse
from inspector.capture.filters.terms import Ref
from inspector.viewmodels.filter_by import combined, path_test, ref_of_path, row_test
from inspector.viewmodels.json_lines import JsonLines
from tests.viewmodels.tape import Tape


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
        "kind == garbled",
    ]


def test_it_is_added_to_what_stands_there() -> None:
    test = parse("kind == error")
    assert test is not None
    assert combined("", test, "and") == "kind == error"
    assert combined("tool == a", test, "and") == "tool == a and kind == error"
    assert combined("a or b", test, "not") == "(a or b) and not kind == error"
    assert combined("a or b", test, "only") == "kind == error"
    assert combined("tool == a and kind:error", test, "and") == "tool == a and kind:error"
    assert combined("(broken", test, "and") == "kind == error"
