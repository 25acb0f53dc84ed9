"""Verdicts of a schema on a value, and the sentence beside a field."""

import json
import subprocess
import sys
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from inspector.forms import keywords
from inspector.forms import validate as judging
from inspector.forms.validate import (
    LONGEST_QUOTE,
    MOST_PROBLEMS,
    Problem,
    Validation,
    kind_name,
    plain_errors,
    quote,
    sentence,
    validate,
    verdict_on_schema,
)
from tests.forms.schemas import TREE, any_json, doubling, schema_like
from tests.waiting import PATIENCE_S


@pytest.mark.parametrize(
    ("keyword", "asked", "got", "words"),
    [
        ("type", "integer", "x", "must be an integer, got a string"),
        ("type", "integer", 1.5, "must be an integer"),
        ("type", ["string", "null"], 5, "must be a string or null, got a number"),
        ("enum", ["a", None], "x", "is not one of: a, null"),
        ("enum", list(range(20)), "x", "is not one of: 0, 1, 2, 3, 4, 5, 6, 7 and 12 more"),
        ("minLength", 3, "ab", "must have at least 3 characters, got 2"),
        ("maxItems", 1, [1, 2], "must have at most 1 item, got 2"),
        ("exclusiveMinimum", 0, 0, "must be more than 0"),
        ("const", {"a": 1}, 1, "must be an object with 1 member"),
        ("not", {}, 1, "matches the schema under not"),
        ("someday", 5, 1, "does not satisfy someday: 5"),
        ("", None, 1, "is not allowed here"),
    ],
)
def test_each_keyword_has_its_sentence(keyword: str, asked: object, got: object, words: str) -> None:
    assert sentence(keyword, asked, got) == words


def test_a_quote_is_short_whatever_is_quoted() -> None:
    assert len(quote("x" * 1_000_000)) == LONGEST_QUOTE + 1
    assert quote(list(range(100))) == "a list of 100 items"
    assert quote([[1], {}]) == "a list of 2 items"
    assert quote([1, "a"]) == '[1, "a"]'
    assert quote({}) == "an object with 0 members"


def test_every_kind_has_a_name() -> None:
    values: tuple[object, ...] = ("x", 1, 1.5, True, False, None, [], {})
    names = [kind_name(each) for each in values]
    assert names == ["a string", "a number", "a number", "true", "false", "null", "an array", "an object"]


SHAPES = {
    "oneOf": [
        {
            "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
            "required": ["kind", "r"],
            "type": "object",
        },
        {
            "properties": {"kind": {"const": "square"}, "w": {"type": "number"}},
            "required": ["kind", "w"],
            "type": "object",
        },
    ]
}


def told(schema: object, value: object) -> list[tuple[tuple[str | int, ...], str]]:
    """Places and sentences."""
    return [(each.path, each.sentence) for each in validate(schema, value).problems]


def test_the_branch_with_the_right_fixed_member_is_the_one_that_was_meant() -> None:
    assert told(SHAPES, {"kind": "square", "w": "x"}) == [(("w",), "must be a number, got a string")]
    assert told({"properties": {"s": SHAPES}}, {"s": {"kind": "circle"}}) == [(("s", "r"), "is required")]


def test_union_problem_of_a_foreign_type_lists_the_types() -> None:
    assert told({"anyOf": [{"type": "string"}, {"type": "null"}]}, 5) == [((), "must be one of: string, null")]
    assert told(SHAPES, 5) == [((), "must be one of: object")]
    assert told({"anyOf": [{"const": "a"}, False]}, 5) == [((), "matches none of the 2 alternatives")]


def test_union_problem_within_a_branch_is_reported_there() -> None:
    assert told({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 3}]}, 1) == [((), "must be at least 3")]
    assert told({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}, "c") == [((), "is not one of: a, b")]


def test_one_of_with_two_matches_is_a_problem() -> None:
    assert told({"oneOf": [{"type": "integer"}, {"minimum": 0}]}, 1) == [
        ((), "matches more than one alternative of oneOf")
    ]


def test_nested_union_problem_is_at_the_innermost_place() -> None:
    inner = {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "array"}]}
    assert told({"anyOf": [inner, {"type": "null"}]}, {"a": 1}) == [(("a",), "must be a string, got a number")]


def test_plain_error_is_unchanged() -> None:
    (error,) = Draft202012Validator({"type": "string"}).iter_errors(5)
    assert list(plain_errors(error)) == [(error, "")]


DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def test_a_problem_has_its_place_its_sentence_and_its_evidence() -> None:
    schema = {"properties": {"a/b": {"items": {"minLength": 3}}}}
    (problem,) = validate(schema, {"a/b": ["xyz", "ab"]}).problems
    assert problem == Problem(
        path=("a/b", 1),
        sentence="must have at least 3 characters, got 2",
        keyword="minLength",
        schema_path=("properties", "a/b", "items", "minLength"),
        expected=3,
        got="ab",
    )
    assert problem.pointer == "/a~1b/1"


def test_valid_value_has_no_problems() -> None:
    verdict = validate({"type": "object", "properties": {"a": {"type": "integer"}}}, {"a": 5, "b": None})
    assert (verdict.ok, verdict.problems, verdict.note) == (True, (), "")


def test_boolean_schemas_have_verdicts() -> None:
    assert validate(True, 5).ok is True
    assert validate(False, 5).problems[0].sentence == "is not allowed here"
    assert validate({"properties": {"a": False}}, {"a": 1}).problems[0].path == ("a",)


def test_problems_stand_in_the_order_of_their_places_and_are_limited_in_number() -> None:
    verdict = validate({"items": {"type": "string"}}, list(range(1_000)))
    assert verdict.ok is False
    assert [each.path for each in verdict.problems] == [(at,) for at in range(MOST_PROBLEMS)]
    assert "only the first" in verdict.note


@pytest.mark.parametrize("ref", ["https://example.org/x.json", "#/nope", "x.json"])
def test_a_reference_to_elsewhere_is_no_verdict_and_never_fine(ref: str) -> None:
    verdict = validate({"properties": {"a": {"$ref": ref}}}, {"a": 1})
    assert verdict.ok is None
    assert (
        verdict.note
        == f"cannot validate: it refers to {ref}, which is not in the schema, and schemas are never fetched"
    )


def test_certain_problem_remains_beside_an_unknown_one() -> None:
    schema = {"properties": {"a": {"$ref": "#/nope"}, "b": {"type": "string"}}}
    verdict = validate(schema, {"a": 1, "b": 2})
    assert verdict.ok is False
    assert [each.path for each in verdict.problems] == [("b",)]
    assert verdict.note.startswith("it refers to #/nope")


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_an_unknown_answer_within_a_choice_makes_the_choice_unknown(keyword: str) -> None:
    schema = {keyword: [{"$ref": "#/nope"}, {"type": "string"}, {"type": "integer"}]}
    assert validate(schema, 5).ok is None
    assert validate({"not": {"$ref": "#/nope"}}, 5).ok is None


@pytest.mark.parametrize(
    "schema",
    [
        {"minimum": "x"},
        {"type": 5},
        {"type": "strng"},
        {"properties": [], "required": 5},
        {"required": [[]]},
        {"pattern": "("},
        {"patternProperties": 5},
        {"multipleOf": 0},
        {"enum": 5},
        {"allOf": 5},
        {"items": 5},
        {"$ref": 5},
    ],
)
def test_a_broken_keyword_is_never_passed_off_as_fine(schema: object) -> None:
    for value in ("x", 5, {"a": 1}, [1]):
        verdict = validate(schema, value)
        assert verdict.ok is not False or verdict.problems
    assert any(validate(schema, value).ok is not True for value in ("x", 5, {"a": 1}, [1]))


@pytest.mark.parametrize("schema", [5, None, "x", []])
def test_invalid_schema_gives_no_verdict(schema: object) -> None:
    assert validate(schema, 1).ok is None
    assert verdict_on_schema(schema).ok is False


def test_an_unknown_dialect_is_named_and_gives_no_verdict() -> None:
    verdict = validate({"$schema": "urn:mine", "type": "string"}, 5)
    assert (verdict.ok, verdict.problems) == (None, ())
    assert "urn:mine" in verdict.note
    assert "urn:mine" in verdict_on_schema({"$schema": "urn:mine"}).note


def test_without_a_dialect_the_tuples_of_draft_07_are_understood() -> None:
    schema = {"items": [{"type": "integer"}, {"$ref": "#/definitions/s"}], "definitions": {"s": {"type": "string"}}}
    assert validate(schema, [1, "x", None]).ok is True
    assert [each.path for each in validate(schema, ["x", 1]).problems] == [(0,), (1,)]
    assert validate({**schema, "additionalItems": False}, [1, "x", None]).ok is False


@pytest.mark.parametrize("dialect", ["2020-12", "2019-09", "draft-07", "draft-06", "draft-04"])
def test_every_known_dialect_judges(dialect: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    assert validate(schema, {"a": 1}, dialect_hint=dialect).ok is True
    assert validate(schema, {"a": "x"}, dialect_hint=dialect).ok is False
    assert verdict_on_schema(schema, dialect_hint=dialect).ok is True
    assert verdict_on_schema({"properties": 5}, dialect_hint=dialect).ok is False


def test_a_pattern_that_never_ends_gives_no_verdict() -> None:
    verdict = validate({"properties": {"a": {"pattern": "^(a|a)*$"}}}, {"a": "a" * 60 + "b"})
    assert verdict.ok is None
    assert "takes too long" in verdict.note


def test_a_dialect_named_deep_in_a_schema_does_not_lead_around_the_limits() -> None:
    slow = {"$schema": DRAFT_07, "pattern": "^(a|a)*$"}
    for schema in (
        {**slow, "properties": {"a": {"$ref": "#"}}},
        {"properties": {"a": slow}},
        {"properties": {"a": {"$ref": "#/$defs/s"}}, "$defs": {"s": slow}},
        {"properties": {"a": {"patternProperties": {"^(a|a)*$": {}}, "unevaluatedProperties": False}}},
    ):
        text = "a" * 60 + "b"
        value = {"a": {text: 1}} if "patternProperties" in json.dumps(schema) else {"a": text}
        assert validate(schema, value).ok is None


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf", "allOf"])
def test_a_schema_with_more_ways_than_atoms_spends_its_budget_and_stops(keyword: str) -> None:
    verdict = validate(doubling(keyword), 5)
    assert verdict.ok is not True
    assert "steps" in verdict.note or len(verdict.problems) > 0


def test_a_clock_ends_it_sooner() -> None:
    ticks = count()
    verdict = validate(doubling("oneOf"), 5, clock=lambda: next(ticks) * 0.01)
    assert verdict.ok is None
    assert "longer than 0.25 s" in verdict.note


def test_the_clock_starts_when_all_is_imported_and_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    prepare = judging._prepare

    def slowly(dialect: str, schema: dict[str, object]) -> Any:
        now[0] += 10
        return prepare(dialect, schema)

    monkeypatch.setattr(judging, "_prepare", slowly)
    assert validate({"type": "integer", "minimum": 3}, 5, clock=lambda: now[0]).ok is True


def test_a_value_that_took_too_long_once_is_judged_again() -> None:
    ticks = iter([0.0, 9.0])
    assert validate({"type": "integer"}, 5, clock=lambda: next(ticks, 10.0)).ok is True


def test_a_budget_can_be_set() -> None:
    assert validate({"items": {"type": "integer"}}, [1] * 100, steps=50).ok is None
    assert validate({"items": {"type": "integer"}}, [1] * 100, steps=500).ok is True


def test_circles_and_depths_end_without_a_verdict() -> None:
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    assert validate({"$ref": "#"}, 1).ok is None
    assert validate({"items": {"$ref": "#"}}, deep).ok is None
    nested: Any = {}
    for _ in range(5_000):
        nested = {"items": nested}
    assert validate(nested, 1).ok is None


def test_a_tree_is_judged_at_every_depth() -> None:
    verdict = validate(TREE, {"name": "a", "children": [{"name": "b", "children": [{"children": []}]}]})
    assert [(each.pointer, each.sentence) for each in verdict.problems] == [
        ("/children/0/children/0/name", "is required")
    ]


def test_a_metaschema_can_be_referred_to_without_the_network() -> None:
    schema = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    assert validate(schema, {"type": "object"}).ok is True
    assert validate(schema, {"properties": {"a": {"type": 5}}}).ok is False


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"type": "strng"}, ("type",)),
        ({"properties": {"a": {"minLength": "3"}}}, ("properties", "a", "minLength")),
        ({"properties": {"a": {"pattern": "("}}}, ("properties", "a", "pattern")),
        ({"patternProperties": {"(": {}}}, ("patternProperties", "(")),
        ({"items": {"$ref": "#/nope"}}, ("items", "$ref")),
        ({"required": "a"}, ("required",)),
    ],
)
def test_a_schema_is_judged_by_its_metaschema_and_a_little_further(schema: object, path: tuple[str, ...]) -> None:
    verdict = verdict_on_schema(schema)
    assert verdict.ok is False
    assert verdict.problems[0].path == path


def test_a_schema_that_only_draft_07_allows_is_fine_with_a_note() -> None:
    tuple_form = {"items": [{"type": "string"}]}
    assert verdict_on_schema(tuple_form).ok is True
    assert "draft-07" in verdict_on_schema(tuple_form).note
    assert verdict_on_schema(tuple_form, dialect_hint="2020-12").ok is False
    assert verdict_on_schema({"$schema": DRAFT_07, **tuple_form}).note == ""
    assert verdict_on_schema(True).ok is True


def test_mutated_schema_is_compiled_again() -> None:
    for wanted in ("string", "integer"):
        for _ in range(70):
            assert validate({"type": wanted}, 5).ok is (wanted == "integer")


@given(schema_like | any_json, any_json)
@settings(deadline=None)
def test_any_schema_on_any_value_has_a_verdict(schema: object, value: object) -> None:
    verdict = validate(schema, value, steps=5_000)
    assert (verdict.ok is False) == bool(verdict.problems)
    assert (verdict.ok is None) <= bool(verdict.note)
    for problem in verdict.problems:
        assert problem.sentence
    assert verdict_on_schema(schema, steps=5_000).ok in (True, False, None)


def test_the_library_is_not_imported_before_there_is_something_to_judge() -> None:
    script = (
        "import sys\n"
        "from inspector.forms import validate, values, read_schema, arguments\n"
        "assert not {'jsonschema', 'referencing', 'regex', 'textual'} & set(sys.modules)\n"
        "assert validate.validate({'type': 'string'}, 5).ok is False\n"
        "assert 'jsonschema' in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=PATIENCE_S).returncode == 0


ENDLESS: list[dict[str, Any]] = [
    {"if": {"$ref": "#"}, "then": {"$ref": "#"}},
    {"anyOf": [{"$ref": "#"}]},
    {"not": {"$ref": "#"}},
    {"unevaluatedProperties": {"$ref": "#"}, "allOf": [{"$ref": "#"}]},
    {"unevaluatedItems": {"$ref": "#"}, "anyOf": [{"$ref": "#"}]},
]


@pytest.mark.parametrize("schema", ENDLESS, ids=["if", "anyOf", "not", "unevaluatedProperties", "unevaluatedItems"])
@pytest.mark.parametrize("value", [{}, {"a": {}}, [], [[]]])
def test_a_schema_without_end_is_undecided_wherever_the_stack_ends(
    schema: dict[str, Any], value: object, capfd: pytest.CaptureFixture[str]
) -> None:
    def deeper(frames: int) -> Validation:
        return validate(schema, value) if frames == 0 else deeper(frames - 1)

    assert all(deeper(frames).ok in (None, True) for frames in range(30))
    assert capfd.readouterr().err == ""


def test_a_panic_of_the_library_is_no_verdict_and_no_end_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panics(text: str, pattern: str) -> bool:
        raise PanicException

    monkeypatch.setattr(keywords, "matches", panics)
    verdict = validate({"pattern": "a"}, "a")
    assert (verdict.ok, "too deep" in verdict.note) == (None, True)
