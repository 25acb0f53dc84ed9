"""Schemas read into fields, also those that are combined, refer to others, or are no schemas."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.forms.fields import (
    UNSET,
    ArrayField,
    BoolField,
    ChoiceField,
    ConstField,
    Field,
    JsonField,
    LazyField,
    NullField,
    NumberField,
    ObjectField,
    Opened,
    TextField,
    UnionField,
    opened,
)
from inspector.forms.read_schema import (
    MOST_FIELDS,
    CannotMerge,
    FormBudget,
    Schema,
    UnreadableSchema,
    merge,
    read_schema,
    resolve,
)
from inspector.forms.refs import SchemaDocument
from inspector.forms.values import fresh_value
from tests.forms.schemas import TREE, any_json, doubling, schema_like


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ({"title": "A"}, {"title": "B", "default": 1}, {"title": "A", "default": 1}),
        ({"required": ["a"]}, {"required": ["b", "a"]}, {"required": ["a", "b"]}),
        ({"minimum": 1, "maximum": 9}, {"minimum": 3, "maximum": 5}, {"minimum": 3, "maximum": 5}),
        ({"minimum": "x"}, {"minimum": "y"}, {"minimum": "x"}),
        ({"type": ["string", "null"]}, {"type": "string"}, {"type": ["string"]}),
        ({"type": "number"}, {"type": "integer"}, {"type": "integer"}),
        ({"type": "integer"}, {"type": "number"}, {"type": "integer"}),
        ({"enum": [1, 2]}, {"enum": [2, 3]}, {"enum": [2]}),
        ({"additionalProperties": True}, {"additionalProperties": False}, {"additionalProperties": False}),
        (
            {"additionalProperties": True},
            {"additionalProperties": {"type": "string"}},
            {"additionalProperties": {"type": "string"}},
        ),
        ({"uniqueItems": False}, {"uniqueItems": True}, {"uniqueItems": True}),
        ({"if": {}}, {"if": {"type": "string"}}, {"if": {}}),
        ({"properties": {"a": {}}}, {"properties": {"b": True}}, {"properties": {"a": {}, "b": True}}),
        (
            {"properties": {"a": {"type": "string"}}},
            {"properties": {"a": {"minLength": 1}}},
            {"properties": {"a": {"allOf": [{"type": "string"}, {"minLength": 1}]}}},
        ),
        ({"items": {"a": 1}}, {"items": {"b": 1}}, {"items": {"allOf": [{"a": 1}, {"b": 1}]}}),
        (
            {"additionalProperties": {"a": 1}},
            {"additionalProperties": {"b": 1}},
            {"additionalProperties": {"allOf": [{"a": 1}, {"b": 1}]}},
        ),
    ],
)
def test_merge_combines_two_schemas(first: Schema, second: Schema, merged: Schema) -> None:
    assert merge(first, second) == merged


@pytest.mark.parametrize(
    ("first", "second", "keyword"),
    [
        ({"type": "string"}, {"type": "integer"}, "type"),
        ({"const": 1}, {"const": 2}, "const"),
        ({"anyOf": [1]}, {"anyOf": [2]}, "anyOf"),
        ({"properties": 1}, {"properties": {}}, "properties"),
        ({"required": 1}, {"required": []}, "required"),
    ],
)
def test_merge_refuses_contradictory_keywords(first: Schema, second: Schema, keyword: str) -> None:
    with pytest.raises(CannotMerge, match=keyword):
        merge(first, second)


def of(schema: object, name: str) -> Opened:
    asked = read_schema(schema)
    assert isinstance(asked, ObjectField)
    found = asked.child(name)
    assert found is not None
    return opened(found)


def prop(schema: object, **beside: object) -> Opened:
    return of({"type": "object", "properties": {"x": schema}, **beside}, "x")


def every(asked: Field) -> list[Field]:
    """A field and all fields within that were read at once."""
    match asked:
        case ObjectField():
            inner = [each for _, each in (*asked.properties, *asked.patterns)]
            inner += [] if isinstance(asked.additional, bool) else [asked.additional]
        case ArrayField():
            inner = [*asked.prefix, *([asked.item] if asked.item else [])]
        case UnionField():
            inner = [each.field for each in asked.branches]
        case _:
            inner = []
    return [asked, *(found for each in inner for found in every(each))]


def test_properties_keep_their_order_and_know_whether_they_are_required() -> None:
    schema = {
        "type": "object",
        "required": ["message", "unknown", 5],
        "properties": {
            "message": {"type": "string", "description": "What to say"},
            "loud": {"type": "boolean", "default": False},
            "times": {"type": "integer", "minimum": 1, "title": "How often"},
        },
    }
    asked = read_schema(schema)
    assert isinstance(asked, ObjectField)
    assert [(name, type(each), each.required) for name, each in asked.properties] == [
        ("message", TextField, True),
        ("loud", BoolField, False),
        ("times", NumberField, False),
        ("unknown", JsonField, True),
    ]
    assert of(schema, "message").description == "What to say"
    assert of(schema, "loud").default is False
    assert of(schema, "times").title == "How often"


def test_hints_about_a_field_are_kept() -> None:
    asked = prop({"type": "string", "examples": ["a"], "deprecated": True, "readOnly": True, "writeOnly": True})
    assert (asked.examples, asked.deprecated, asked.read_only, asked.write_only) == (("a",), True, True, True)
    assert prop({"type": "string", "example": "b"}).examples == ("b",)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"], "title": "T", "default": None},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "T", "default": None},
        {"oneOf": [{"type": "null"}, {"type": "string", "title": "inner"}], "title": "T", "default": None},
        {"type": "string", "nullable": True, "title": "T", "default": None},
    ],
)
def test_an_optional_value_is_a_nullable_field_however_it_is_written(schema: object) -> None:
    asked = prop(schema)
    assert isinstance(asked, TextField)
    assert (asked.nullable, asked.title, asked.default) == (True, "T", None)


@pytest.mark.parametrize(
    ("schema", "options"),
    [
        ({"enum": ["a", 1, None, [2]]}, [("a", "a"), (1, "1"), (None, "null"), ([2], "[2]")]),
        ({"enum": ["a", "b"], "enumNames": ["A"]}, [("a", "A"), ("b", "b")]),
        ({"oneOf": [{"const": "a", "title": "A"}, {"const": 2}]}, [("a", "A"), (2, "2")]),
        ({"anyOf": [{"const": "a"}, {"const": 2}, {"type": "null"}]}, [("a", "a"), (2, "2"), (None, "null")]),
        ({"anyOf": [{"const": True}, {"const": 5}]}, [(True, "true"), (5, "5")]),
    ],
)
def test_choices_have_values_and_titles(schema: object, options: list[tuple[object, str]]) -> None:
    asked = prop(schema)
    assert isinstance(asked, ChoiceField)
    assert [(each.value, each.title) for each in asked.options] == options


def test_an_array_of_choices_is_one_field_of_several_choices() -> None:
    items = {"anyOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]}
    asked = prop({"type": "array", "items": items, "uniqueItems": True, "minItems": 1, "maxItems": 2})
    assert isinstance(asked, ChoiceField)
    assert (asked.multi, asked.unique, asked.min_items, asked.max_items) == (True, True, 1, 2)
    assert [each.title for each in asked.options] == ["Red", "Green"]


def test_fixed_values_and_null_have_fields() -> None:
    fixed = prop({"const": None})
    assert isinstance(fixed, ConstField)
    assert fixed.value is None
    assert isinstance(prop({"type": "null"}), NullField)
    assert isinstance(prop({"anyOf": [{"type": "null"}]}), NullField)


def test_branches_are_named_by_title_definition_fixed_member_or_kind() -> None:
    schema = {
        "oneOf": [
            {"title": "By title", "type": "string"},
            {"$ref": "#/$defs/Named"},
            {"type": "object", "properties": {"kind": {"const": "circle"}}},
            {"type": "integer"},
            {"type": "object"},
            {"type": "object", "properties": {"kind": {"type": "string"}, "radius": {"type": "number"}}},
            {"const": 7},
        ]
    }
    asked = prop(schema, **{"$defs": {"Named": {"type": "boolean"}}})
    assert isinstance(asked, UnionField)
    titles = [each.title for each in asked.branches]
    assert titles == ["By title", "Named", "circle", "integer", "object (5)", "object with radius", "7"]


def test_siblings_of_a_union_apply_in_each_branch() -> None:
    asked = read_schema(
        {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "required": ["id"],
            "oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}],
        }
    )
    assert isinstance(asked, UnionField)
    names = []
    for branch in asked.branches:
        assert isinstance(branch.field, ObjectField)
        names.append([(name, each.required) for name, each in branch.field.properties])
    assert names == [[("a", False), ("id", True)], [("b", False), ("id", True)]]


def test_several_types_are_a_union_with_the_bounds_of_each() -> None:
    asked = prop({"type": ["integer", "string", "null"], "minimum": 3, "title": "T"})
    assert isinstance(asked, UnionField)
    assert asked.nullable
    assert asked.title == "T"
    first = asked.branches[0].field
    assert isinstance(first, NumberField)
    assert first.minimum == 3


def test_demands_that_no_form_shows_do_not_spoil_the_form() -> None:
    schema: dict[str, Any] = {
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        "if": {"required": ["a"]},
        "then": {"required": ["b"]},
        "not": {"required": ["c"]},
    }
    asked = read_schema(schema)
    assert isinstance(asked, ObjectField)
    assert len(asked.properties) == 2
    assert asked.schema == schema


@pytest.mark.parametrize(
    "names", [{"enum": ["k1", "k2"]}, {"$ref": "#/$defs/key"}, {"type": "string", "enum": ["k1", "k2"]}]
)
def test_listed_property_names_are_properties_and_there_are_no_others(names: object) -> None:
    schema = {
        "type": "object",
        "propertyNames": names,
        "additionalProperties": {"type": "integer"},
        "required": ["k2"],
        "$defs": {"key": {"enum": ["k1", "k2"]}},
    }
    asked = read_schema(schema)
    assert isinstance(asked, ObjectField)
    assert {name: (type(each), each.required) for name, each in asked.properties} == {
        "k1": (NumberField, False),
        "k2": (NumberField, True),
    }
    assert not asked.is_open()


def test_property_names_that_are_not_listed_leave_an_object_open() -> None:
    for names in (
        {"type": "string"},
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"enum": [str(each) for each in range(101)]},
    ):
        asked = read_schema({"type": "object", "propertyNames": names})
        assert isinstance(asked, ObjectField)
        assert (asked.properties, asked.is_open()) == ((), True)


def test_required_property_that_is_only_named_has_a_place() -> None:
    asked = read_schema({"type": "object", "required": ["a"], "additionalProperties": {"type": "string"}})
    assert isinstance(asked, ObjectField)
    assert [(name, type(each), each.required) for name, each in asked.properties] == [("a", TextField, True)]
    closed = read_schema({"type": "object", "required": ["a"], "additionalProperties": False})
    assert isinstance(closed, ObjectField)
    assert closed.properties == ()


def test_additional_properties_are_closed_free_or_typed() -> None:
    closed, free = read_schema({"type": "object", "additionalProperties": False}), read_schema({"type": "object"})
    assert isinstance(closed, ObjectField)
    assert isinstance(free, ObjectField)
    assert (closed.additional, free.additional) == (False, True)
    asked = read_schema(
        {"type": "object", "additionalProperties": {"type": "integer"}, "patternProperties": {"^s": {"type": "string"}}}
    )
    assert isinstance(asked, ObjectField)
    assert isinstance(asked.additional, NumberField)
    assert [(name, type(each)) for name, each in asked.patterns] == [("^s", TextField)]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
        {"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": False},
    ],
)
def test_a_tuple_is_an_array_with_a_field_for_each_place(schema: object) -> None:
    asked = prop(schema)
    assert isinstance(asked, ArrayField)
    assert [type(asked.item_at(at)) for at in (0, 1, 2, -1)] == [TextField, NumberField, type(None), type(None)]


def test_a_reference_is_followed_and_the_words_beside_it_win() -> None:
    asked = prop(
        {"$ref": "#/definitions/port", "description": "Here"},
        definitions={"port": {"type": "integer", "description": "There", "maximum": 65535}},
    )
    assert isinstance(asked, NumberField)
    assert (asked.description, asked.maximum, asked.integer) == ("Here", 65535, True)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"$ref": "https://example.org/x.json"}, "never fetched"),
        ({"$ref": "#/nope"}, "not in the schema"),
        ({"type": "strng"}, "'strng', which is not a JSON Schema type"),
        ({"enum": []}, "is empty"),
        ({}, "specifies no type"),
        (True, "any JSON"),
        (False, "allows nothing"),
        ([], "a list, not an object"),
        (5, "a number, not an object"),
        (None, "null, not an object"),
        ("x", "a string, not an object"),
        ({"allOf": [{"type": "string"}, {"type": "object"}]}, "differ in type"),
    ],
)
def test_unsupported_schema_becomes_a_json_field_with_a_reason(schema: object, why: str) -> None:
    root = {"type": "object", "properties": {"x": schema, "fine": {"type": "string"}}, "required": ["x"]}
    asked = of(root, "x")
    assert isinstance(asked, JsonField)
    assert why in asked.why
    assert asked.required
    assert isinstance(of(root, "fine"), TextField)
    assert isinstance(read_schema(schema), JsonField)


def test_a_tree_can_be_opened_deeper_and_deeper() -> None:
    asked: Field = read_schema(TREE)
    for _ in range(30):
        node = opened(asked)
        assert isinstance(node, ObjectField)
        children = opened(node.child("children") or node)
        assert isinstance(children, ArrayField)
        assert isinstance(children.item, LazyField)
        asked = children.item


def test_an_opened_field_is_still_required() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(10):
        deep = {"type": "object", "properties": {"x": deep}, "required": ["x"]}
    asked: Field = read_schema(deep)
    for _ in range(10):
        node = opened(asked)
        assert isinstance(node, ObjectField)
        asked = node.properties[0][1]
        assert asked.required
        assert opened(asked).required
    assert isinstance(opened(asked), TextField)


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_a_schema_with_more_ways_than_atoms_is_read_at_once(keyword: str) -> None:
    assert len(every(read_schema(doubling(keyword)))) <= MOST_FIELDS * 20


def test_a_schema_with_ever_more_properties_is_read_up_to_a_number() -> None:
    levels: dict[str, Any] = {
        f"d{at}": {"properties": {name: {"$ref": f"#/$defs/d{at + 1}"} for name in "abcdefghijkl"}} for at in range(9)
    }
    fields = every(read_schema({"$ref": "#/$defs/d0", "$defs": {**levels, "d9": {}}}))
    assert sum(not isinstance(each, LazyField) for each in fields) <= MOST_FIELDS + 1


def test_read_schema_with_unions_of_each_other_reads_each_opened_field_once() -> None:
    refs = [{"$ref": f"#/$defs/n{at}"} for at in range(30)]
    named = {f"n{at}": {"anyOf": [*refs, {"type": "object", "title": str(at)}]} for at in range(30)}
    root = read_schema({"properties": {"x": {"$ref": "#/$defs/n0"}}, "$defs": named})
    waiting, met = [each for each in every(root) if isinstance(each, LazyField)], 0
    while waiting and met < 2_000:
        met += 1
        asked = opened(waiting.pop())
        assert asked is not None
        waiting += [each for each in every(asked) if isinstance(each, LazyField)]
        assert len(every(asked)) <= 2 * len(named)  # one level, not a tree of its own
    lazy = [each for each in every(root) if isinstance(each, LazyField)]
    assert lazy
    assert all(opened(each) is opened(each) for each in lazy)


def test_read_schema_beyond_its_limits_still_reads_single_values() -> None:
    deep: dict[str, Any] = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    for _ in range(9):
        deep = {"type": "object", "properties": {"n": {"$ref": "#/$defs/count"}, "x": deep}}
    asked: Field = read_schema({**deep, "$defs": {"count": {"type": "integer", "minimum": 3}}})
    for _ in range(9):
        node = opened(asked)
        assert isinstance(node, ObjectField)
        assert isinstance(node.properties[0][1], NumberField)
        asked = node.properties[1][1]


def test_read_schema_with_a_branch_met_again_reads_it_later_as_one_field() -> None:
    union = {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "string"}]}
    tree = {"type": "object", "properties": {"left": union, "right": union}}
    read = read_schema({"$defs": {"tree": tree}, "$ref": "#/$defs/tree"})
    lazy = [each for each in every(read) if isinstance(each, LazyField)]
    assert len(lazy) == 2
    assert lazy[0] is lazy[1]
    assert isinstance(opened(lazy[0]), ObjectField)


def test_a_schema_ten_thousand_deep_is_read() -> None:
    deep: dict[str, Any] = {}
    for keyword in ("items", "anyOf", "allOf", "properties"):
        deep = {}
        for _ in range(10_000):
            inner: Any = {"items": deep, "anyOf": [deep], "allOf": [deep], "properties": {"x": deep}}[keyword]
            deep = {keyword: inner}
        assert read_schema(deep) is not None


@given(schema_like | any_json)
def test_anything_is_read_and_what_is_lazy_can_be_opened(schema: object) -> None:
    for asked in every(read_schema(schema)):
        assert isinstance(asked.constraint_text(), str)
        if isinstance(asked, LazyField):
            assert not isinstance(opened(asked), LazyField)
        if isinstance(asked, UnionField):
            assert all(each.title for each in asked.branches)


@given(st.data())
def test_reading_leaves_the_schema_as_it_was(data: st.DataObject) -> None:
    schema = data.draw(schema_like)
    before = json.dumps(schema)
    read_schema(schema)
    assert json.dumps(schema) == before


def test_references_and_parts_become_one_schema_that_remembers_its_references() -> None:
    root = {
        "$defs": {"a": {"$ref": "#/$defs/b", "title": "A"}, "b": {"type": "object", "required": ["x"]}},
        "allOf": [{"$ref": "#/$defs/a"}, {"required": ["y"]}, True],
    }
    resolved = resolve(SchemaDocument(root), root)
    assert resolved.schema["title"] == "A"
    assert resolved.schema["required"] == ["x", "y"]
    assert resolved.refs == {"#/$defs/a", "#/$defs/b"}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (5, "its schema is a number, not an object"),
        (None, "its schema is null, not an object"),
        ([], "its schema is a list, not an object"),
        (object(), "its schema is not JSON, not an object"),
        ({"$ref": 5}, "its \\$ref is not a string"),
        ({"$ref": "#"}, "refers only to itself"),
        ({"allOf": [False]}, "allows nothing"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "differ in type"),
        ({"$ref": "https://example.org/"}, "never fetched"),
        (doubling("allOf"), "more parts than a form can show"),
    ],
)
def test_unresolvable_schema_has_a_reason(schema: object, why: str) -> None:
    with pytest.raises(UnreadableSchema, match=why):
        resolve(SchemaDocument(schema), schema)


def test_a_budget_gives_what_it_has_and_then_nothing() -> None:
    budget = FormBudget(1)
    assert [budget.spend(), budget.spend()] == [True, False]


def test_a_property_with_one_choice_is_fixed_and_names_its_branch() -> None:
    tagged = [
        {"type": "object", "properties": {"tag": {"enum": [name]}, name: {"type": "string"}}, "required": ["tag"]}
        for name in ("circle", "square")
    ]
    root = read_schema({"type": "object", "properties": {"shape": {"anyOf": tagged}}})
    assert isinstance(root, ObjectField)
    field = root.child("shape")
    assert isinstance(field, UnionField)
    assert [each.title for each in field.branches] == ["circle", "square"]
    assert fresh_value(field.branches[1].field) == {"tag": "square", "square": UNSET}
