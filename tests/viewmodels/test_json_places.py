"""The steps to a line, and how they are written."""

import json
from typing import Any

from hypothesis import given

from inspector.viewmodels.json_lines import JsonLines
from inspector.viewmodels.json_places import dotted, json_path, pointer
from tests.viewmodels.test_json_scan import JSON

SAMPLE = JsonLines(b'{"a": [1, {"b c": {"d-e": 2, "x/y~z": 3, "\\u00e9\\u202e": 4, "a": 1, "a": 2}}]}')


def line(part: str) -> int:
    found = SAMPLE.find(part)
    assert found is not None
    return found


def test_a_place_is_written_in_three_ways() -> None:
    steps = SAMPLE.places.steps(line('"d-e"'))
    assert steps == ("a", 1, "b c", "d-e")
    assert dotted(steps) == 'a[1]["b c"].d-e'
    assert json_path(steps) == '$.a[1]["b c"]["d-e"]'
    assert pointer(steps) == "/a/1/b c/d-e"


def test_signs_that_pointers_are_made_of_are_escaped() -> None:
    assert pointer(SAMPLE.places.steps(line('"x/y~z"'))).endswith("/x~1y~0z")


def test_escapes_of_a_key_are_read_in_a_pointer_and_made_visible() -> None:
    assert pointer(SAMPLE.places.steps(line("u202e"))).endswith("/é‹U+202E›")


def test_the_outside_has_no_steps() -> None:
    assert SAMPLE.places.steps(0) == ()
    assert (dotted(()), json_path(()), pointer(())) == ("", "$", "")


def follow(value: Any, steps: tuple[str | int, ...]) -> Any:
    for step in steps:
        value = value[step if isinstance(step, int) else json.loads(f'"{step}"')]
    return value


@given(JSON)
def test_the_steps_lead_to_the_value_of_the_line(value: Any) -> None:
    raw = json.dumps(value).encode()
    lines = JsonLines(raw)
    if lines.problem:
        return
    for index in range(lines.count):
        assert repr(follow(json.loads(raw), lines.places.steps(index))) == repr(json.loads(lines.value(index)))


@given(JSON)
def test_items_are_counted_as_the_parser_counts_them(value: Any) -> None:
    lines = JsonLines(json.dumps(value).encode())
    if lines.problem:
        return
    for index in range(lines.count):
        last = lines.fold_partner(index)
        if last is not None and last > index:
            assert lines.places.items(index, last) == len(json.loads(lines.value(index)))
