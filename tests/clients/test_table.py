"""The table of observed facts, and how a fact is derived from what a client did."""

from typing import Any

import pytest

from inspector.checks.compat.packs import HOST_IDS, observations
from tests.clients.cases import CASES, FactCase
from tests.clients.pins import PINS
from tests.clients.run import Seen, effect_of
from tests.clients.table import merged, read_table

_OF = {case.fact: case for case in CASES}


def _seen(case: FactCase, *tools: dict[str, Any], text: str = "") -> Seen:
    listed = [
        {"name": each["name"], "description": each.get("description"), "schema": each["inputSchema"]} for each in tools
    ]
    return Seen(listed, text)


def test_the_table_has_every_pinned_client_in_its_version() -> None:
    assert {row.client: row.version for row in read_table()} == {id_: pin.version for id_, pin in PINS.items()}
    assert {*observations()} <= {*HOST_IDS}


def test_a_run_replaces_the_rows_of_its_client_alone() -> None:
    table = read_table()
    assert merged(table, [row for row in table if row.client == "codex"]) == table
    (row, *_) = [each for each in table if each.client == "codex"]
    assert [each for each in merged(table, [row]) if each.client == "codex"] == [row]


@pytest.mark.parametrize(
    ("fact", "shown", "effect"),
    [
        ("input-root", "", "all gone"),
        ("input-root", "fine", "gone"),
        ("input-root", "fine probe", "fine"),
        ("more-pages", "fine", "cut"),
        ("more-pages", "fine probe", "fine"),
        ("output-root", "fine probe", ""),  # no call was seen
    ],
)
def test_the_effect_is_derived_from_the_tools_that_are_left(fact: str, shown: str, effect: str) -> None:
    case = _OF[fact]
    tools = [tool for page in case.pages for tool in page if tool["name"] in shown.split()]
    assert effect_of(case, _seen(case, *tools)) == effect


def test_a_definition_without_its_marks_is_changed_and_a_text_without_its_end_is_cut() -> None:
    fine, probe = _OF["input-root-condition"].pages[0]
    changed = probe | {"inputSchema": {"type": "object"}}
    assert effect_of(_OF["input-root-condition"], _seen(_OF["input-root-condition"], fine, changed)) == "changed"
    long = _OF["description-length=3000"]
    assert effect_of(long, _seen(long, fine, probe | {"description": "word"})) == "cut"


def test_a_call_fails_where_its_result_is_not_shown() -> None:
    case = _OF["structure-wrong"]
    seen = _seen(case, *case.pages[0], text="error")
    seen.log = [{"got": {"method": "tools/call"}}]
    assert effect_of(case, seen) == "fails"
    seen.text = "result of structure-wrong"
    assert effect_of(case, seen) == "fine"


def test_instructions_that_are_not_passed_on_are_not_called_cut() -> None:
    case = _OF["instructions-length=3000"]
    tools = case.pages[0]
    assert effect_of(case, _seen(case, *tools, text="The system prompt.")) == ""
    assert effect_of(case, _seen(case, *tools, text=case.instructions[:2000])) == "cut"
    assert effect_of(case, _seen(case, *tools, text=case.instructions)) == "fine"


def test_schema_that_is_no_json_breaks_requests() -> None:
    case = _OF["recursive"]
    tools: list[dict[str, Any]] = [
        {"name": "fine", "schema": {}},
        {"name": "probe", "schema": "not JSON: Circular reference detected"},
    ]
    assert effect_of(case, Seen(tools)) == "breaks"


def test_effect_of_a_duplicate_name_names_the_kept_tool() -> None:
    case = _OF["duplicate-name"]
    fine, first, _second = case.pages[0]
    assert effect_of(case, _seen(case, fine, first)) == "gone (the first is kept)"
