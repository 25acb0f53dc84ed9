"""What a changed keyword does to the values that fit."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.features.lock.schemas import (
    Act,
    Rating,
    SchemaEffect,
    SchemaSide,
    act_of,
    bounds,
    described,
    plain_keywords,
    schema_changes,
    types,
    values,
    words,
)
from inspector.protocol.changes import ABSENT

_N, _W, _E, _U, _NONE = (
    SchemaEffect.NARROWER,
    SchemaEffect.WIDER,
    SchemaEffect.EITHER,
    SchemaEffect.UNCLEAR,
    SchemaEffect.NONE,
)


@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [
        ({"type": ["string", "null"]}, {"type": "string"}, _N),
        ({}, {"type": "string"}, _N),
        ({"type": "number"}, {"type": "integer"}, _N),
        ({"type": "string"}, {"type": "number"}, _E),
        ({"enum": ["a", "b"]}, {"enum": ["a"]}, _N),
        ({}, {"enum": ["a"]}, _N),
        ({"const": "a"}, {"enum": ["a", "b"]}, _W),
        ({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, _E),
        ({"minimum": 1}, {"minimum": 2}, _N),
        ({"maxLength": 5}, {"maxLength": 4}, _N),
        ({}, {"maxItems": 4}, _N),
        ({"exclusiveMinimum": True}, {"exclusiveMinimum": 3}, _U),
        ({}, {"pattern": "a"}, _N),
        ({"pattern": "a"}, {"pattern": "b"}, _U),
        ({}, {"uniqueItems": True}, _N),
        ({"not": {}}, {"not": {"type": "string"}}, _U),
        ({}, {"title": "A"}, _NONE),
        ({}, {"description": "new words"}, SchemaEffect.WORDS),
        ({"default": 1}, {"default": 2}, _U),
        ({}, {"default": 2}, _NONE),
    ],
)
def test_the_effect_and_that_of_the_way_back(before: Any, after: Any, effect: SchemaEffect) -> None:
    def found(old: Any, new: Any) -> list[SchemaEffect]:
        return [each.effect for rule in (types, values, bounds, plain_keywords, words) for each in rule("", old, new)]

    back = {_N: _W, _W: _N}.get(effect, effect)
    assert found(before, after) == [effect]
    assert found(after, before) == [_U if "default" in after and "default" not in before else back]
    assert found(before, before) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"enum": ["a", "b"]}, {"enum": ["b", "a"]}),
        ({"type": ["string", "null"]}, {"type": ["null", "string"]}),
        ({}, {"minLength": 0}),
        ({"const": 1}, {"enum": [1.0]}),
    ],
)
def test_equivalent_schemas_are_no_change(before: Any, after: Any) -> None:
    assert not [each for rule in (types, values, bounds) for each in rule("", before, after)]


def test_other_blanks_are_no_other_words() -> None:
    assert described("d", "a b", "a\n b ").effect is _NONE
    assert described("d", "a b", "a c").effect is SchemaEffect.WORDS


def test_breaking_is_the_worst() -> None:
    assert sorted(Rating, key=lambda each: each.rank) == [Rating.BREAKING, Rating.WARNING, Rating.INFO]


@pytest.mark.parametrize(
    ("before", "after", "act"),
    [(ABSENT, None, Act.ADDED), (None, ABSENT, Act.REMOVED), (1, 2, Act.CHANGED), (None, 1, Act.CHANGED)],
)
def test_null_is_something(before: object, after: object, act: Act) -> None:
    assert act_of(before, after) is act


_B, _SCHEMAS_W, _I = Rating.BREAKING, Rating.WARNING, Rating.INFO
_STRING: dict[str, Any] = {"type": "string"}


def _rated(before: Any, after: Any, side: SchemaSide) -> list[tuple[str, Rating]]:
    return [(each.rule, each.rating) for each in schema_changes("tools", "t", "inputSchema", before, after, side)]


def _object(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*required]}


@pytest.mark.parametrize(
    ("before", "after", "rule", "as_input", "as_output"),
    [
        (_object(), _object(("q",), q=_STRING), "required-property-added", _B, None),
        (_object(), _object(q=_STRING), "property-added", _I, _I),
        (_object(q=_STRING), _object(), "property-removed", _SCHEMAS_W, _SCHEMAS_W),
        (_object(("q",), q=_STRING), _object(), "property-removed", _SCHEMAS_W, _B),
        (_object(q=_STRING), _object() | {"additionalProperties": False}, "property-removed", _B, None),
        (_object(q=_STRING), _object(("q",), q=_STRING), "required-added", _B, _I),
        (_object(("q",), q=_STRING), _object(q=_STRING), "required-removed", _I, _B),
        (_object(q={}), _object(q=_STRING), "type-narrower", _B, _I),
        (_object(q=_STRING), _object(q={"type": ["string", "null"]}), "type-wider", _I, _B),
        (_object(q={"enum": ["a", "b"]}), _object(q={"enum": ["a"]}), "enum-narrower", _B, _I),
        (_object(q={"enum": ["a"]}), _object(q={"enum": ["a", "b"]}), "enum-wider", _I, _B),
        (
            _object(q=_STRING),
            _object(q=_STRING | {"description": "For models."}),
            "description",
            _SCHEMAS_W,
            _SCHEMAS_W,
        ),
        ({"items": _STRING}, {"items": {"type": "integer"}}, "type-either", _B, _B),
        ({}, {"additionalProperties": False}, "additionalProperties-narrower", _SCHEMAS_W, _I),
        ({"anyOf": [_STRING, {"type": "null"}]}, {"anyOf": [_STRING]}, "branch-removed", _B, _I),
        ({"type": "string"}, {"anyOf": [_STRING, {"type": "null"}]}, "alternatives-wider", _I, _B),
        ({"allOf": []}, {"allOf": [_STRING]}, "allOf-added", _B, _I),
        ({}, False, "nothing-fits", _B, _I),
        ({"$schema": "a"}, {"$schema": "b"}, "annotation", _I, _I),
        ({"required": ["a", "b"]}, {"required": ["b", "a"]}, "rewritten", _I, _I),
        ({"type": ["string", "null"]}, {"anyOf": [{"type": "null"}, _STRING]}, "rewritten", _I, _I),
    ],
)
def test_the_rules(before: Any, after: Any, rule: str, as_input: Rating, as_output: Rating | None) -> None:
    assert (rule, as_input) in _rated(before, after, SchemaSide.INPUT)
    if as_output is not None:
        assert (rule, as_output) in _rated(before, after, SchemaSide.OUTPUT)


def test_references_are_followed_and_reported_once() -> None:
    def schema(kind: str) -> Any:
        node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "value": {"type": kind}}}
        both = {"a": {"$ref": "#/$defs/node"}, "b": {"$ref": "#/$defs/node"}}
        return {"type": "object", "properties": both, "$defs": {"node": node}}

    found = schema_changes("tools", "t", "inputSchema", schema("string"), schema("integer"), SchemaSide.INPUT)
    assert [each.path for each in found] == ["inputSchema.properties.a.properties.value.type"]


def test_a_schema_of_ten_thousand_parts_or_any_depth_is_compared_in_bounds() -> None:
    wide = {"properties": {f"p{at}": {"type": "string"} for at in range(5_000)}}
    other = {"properties": {f"p{at}": {"type": "integer"} for at in range(5_000)}}
    assert len(schema_changes("tools", "t", "s", wide, other, SchemaSide.INPUT)) == 501
    deep: Any = {"type": "string"}
    deeper: Any = {"type": "integer"}
    for _ in range(300):
        deep, deeper = {"items": deep}, {"items": deeper}
    assert [each.rule for each in schema_changes("tools", "t", "s", deep, deeper, SchemaSide.INPUT)] == ["too-large"]


_LEAF = st.sampled_from([{}, _STRING, {"type": "integer"}, {"enum": ["a"]}, {"enum": ["a", 1]}, {"minLength": 2}, True])
_SCHEMAS = st.recursive(
    _LEAF,
    lambda inner: st.one_of(
        st.builds(
            lambda properties, required: {"properties": properties, "required": required},
            st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            st.lists(st.sampled_from("abc"), max_size=3, unique=True),
        ),
        st.builds(lambda branches: {"anyOf": branches}, st.lists(inner, max_size=3)),
        st.builds(lambda item: {"items": item}, inner),
        st.builds(lambda word: {"description": word}, st.sampled_from(["x", "y"])),
    ),
    max_leaves=8,
)


@given(_SCHEMAS, _SCHEMAS)
@example(
    {"anyOf": [{"anyOf": []}, {"properties": {}, "required": []}, {}]},
    {"anyOf": [{}, {"properties": {"a": {}}, "required": []}, {"items": {}}]},
)
def test_the_same_is_no_change_and_the_way_back_has_the_same_places_turned_round(one: Any, other: Any) -> None:
    turned = {Act.ADDED: Act.REMOVED, Act.REMOVED: Act.ADDED, Act.CHANGED: Act.CHANGED}
    there = schema_changes("tools", "t", "s", one, other, SchemaSide.INPUT)
    back = schema_changes("tools", "t", "s", other, one, SchemaSide.INPUT)
    assert schema_changes("tools", "t", "s", one, one, SchemaSide.INPUT) == []
    assert sorted((turned[each.act], each.path) for each in there) == sorted((each.act, each.path) for each in back)


@given(_SCHEMAS, _SCHEMAS)
def test_schema_changes_of_input_and_output_are_opposite(one: Any, other: Any) -> None:
    there = schema_changes("tools", "t", "s", one, other, SchemaSide.INPUT)
    on_the_way_back = schema_changes("tools", "t", "s", other, one, SchemaSide.OUTPUT)
    rules = ("type-", "enum-", "branch-", "required-added", "required-removed")
    both = [
        sorted((each.path, each.rating) for each in found if each.rule.startswith(rules))
        for found in (there, on_the_way_back)
    ]
    assert both[0] == both[1], "what narrows what is sent widens what comes, the other way round"
