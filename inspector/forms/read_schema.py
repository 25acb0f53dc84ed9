"""Parsing of schemas into fields. Accepts anything; never raises, never fetches, limited in time.

A part that can't be shown as a form becomes a JsonField with the reason; the other fields are not affected. What
fields can't express (if/then/else, not, dependencies) is left to validation. A recursive, deep or very large schema
is parsed as far as a screen can show it; the rest are LazyFields, parsed when opened.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from inspector.forms import simple
from inspector.forms.fields import (
    UNSET,
    ArrayField,
    Branch,
    ChoiceField,
    ConstField,
    Field,
    JsonField,
    LazyField,
    NullField,
    ObjectField,
    Opened,
    Option,
    UnionField,
    kind_of,
)
from inspector.forms.refs import SchemaDocument

Schema: TypeAlias = dict[str, object]

_WORDS: Final = frozenset(
    ("title", "description", "default", "examples", "$comment", "$id", "$schema", "$anchor", "deprecated")
)
_DRAWN_NOWHERE: Final = ("if", "then", "else", "not", "dependentRequired", "dependentSchemas", "dependencies")
MOST_STEPS: Final = 500
"""Maximum number of schemas merged into one field."""
_LONGEST_CHAIN: Final = 60
UNTYPED: Final = "the schema specifies no type"
ANYTHING: Final = "any JSON is allowed here"
DEEPEST: Final = 6
"""Depth of fields that are parsed at once; deeper ones are parsed when opened."""
MOST_FIELDS: Final = 200
"""Maximum number of fields with fields of their own that are parsed at once. The others cost next to nothing."""
_MOST_NAMES: Final = 100
"""Maximum number of listed names for which an object has places."""
_NESTING: Final = frozenset(("properties", "patternProperties", "items", "prefixItems", "allOf"))
"""Keywords of schemas whose fields have fields of their own."""
_REFERENCES: Final = ("$ref", "$dynamicRef")
"""Keywords whose target is read as a part of the schema."""
_REFERRING: Final = frozenset((*_REFERENCES, "anyOf", "oneOf"))
_SPLIT: Final = ("oneOf", "anyOf", "type", "title", "description", "default", "examples", "nullable")
"""Keywords that belong to the union and not to its branches."""
_ONLY_DEMANDS: Final = frozenset(("required", "not", "if", "then", "else", "dependentRequired"))
_HOUSEKEEPING: Final = ("$schema", "$id", "$defs", "definitions", "$comment")


class CannotMerge(Exception):
    """Two schemas have different values for a keyword, and no single field can represent both."""


class UnreadableSchema(Exception):
    """The schema can't be shown as a field; the message says why."""


class Resolved(msgspec.Struct, frozen=True):
    """A schema without `$ref` and `allOf`."""

    schema: Schema
    refs: frozenset[str] = frozenset()
    """The references that were followed."""


def merge(first: Schema, second: Schema) -> Schema:
    """Return a schema that requires what both require. Annotations (title, default) are the first one's.

    Raises: CannotMerge, with the keyword.
    """
    merged = dict(first)
    for key, value in second.items():
        merged[key] = _joined(key, merged[key], value) if key in merged else value
    return merged


def _joined(key: str, first: object, second: object) -> object:
    if key in _WORDS or first == second:
        return first
    rule = _RULES.get(key)
    if rule is None:
        raise CannotMerge(key)
    return rule(first, second)


def _both(first: object, second: object) -> object:
    """Return a nested schema that requires both; they are merged when it is parsed."""
    return {"allOf": [first, second]}


def _members(first: object, second: object) -> object:
    if not isinstance(first, dict) or not isinstance(second, dict):
        raise CannotMerge("properties")
    merged = dict(first)
    for name, schema in second.items():
        merged[name] = _both(merged[name], schema) if name in merged and merged[name] != schema else schema
    return merged


def _listed(first: object, second: object) -> object:
    if not isinstance(first, list) or not isinstance(second, list):
        raise CannotMerge("required")
    return [*first, *(each for each in second if each not in first)]


def _common(first: object, second: object) -> object:
    """Return the common values of two lists; a single value counts as a list."""
    left = first if isinstance(first, list) else [first]
    right = second if isinstance(second, list) else [second]
    common = [each for each in left if each in right or (each == "integer" and "number" in right)]
    if "number" in left and "integer" in right and "integer" not in common:
        common.append("integer")
    if not common:
        raise CannotMerge("type")
    return common[0] if len(common) == 1 and not isinstance(first, list) else common


def _extreme(pick: Callable[[list[float]], float]) -> Callable[[object, object], object]:
    def joined(first: object, second: object) -> object:
        numbers = [each for each in (first, second) if isinstance(each, int | float)]
        return pick(numbers) if numbers else first

    return joined


def _closed_wins(first: object, second: object) -> object:
    """Merge additionalProperties: the stricter of the two, as far as a form can show it."""
    if first is False or second is False:
        return False
    if first is True or second is True:
        return second if first is True else first
    return _both(first, second)


def _either(first: object, second: object) -> object:
    return first is True or second is True


def _keep_first(first: object, second: object) -> object:
    return first


_RULES: Final[Mapping[str, Callable[[object, object], object]]] = {
    "properties": _members,
    "patternProperties": _members,
    "$defs": _members,
    "definitions": _members,
    "required": _listed,
    "type": _common,
    "enum": _common,
    "additionalProperties": _closed_wins,
    "unevaluatedProperties": _closed_wins,
    "items": _both,
    "uniqueItems": _either,
    "readOnly": _either,
    "writeOnly": _either,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _extreme(max)),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _extreme(min)),
    **dict.fromkeys(_DRAWN_NOWHERE, _keep_first),
    **dict.fromkeys(("pattern", "format", "multipleOf", "contains", "propertyNames"), _keep_first),
}


# Resolving a schema: merging what its `$ref` and `allOf` refer to.


class FormBudget:
    """A budget of operations."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self) -> bool:
        """Use one operation. Return False if the budget is exhausted."""
        self.left -= 1
        return self.left >= 0


def resolve(document: SchemaDocument, schema: object) -> Resolved:
    """Resolve all references and `allOf` of a schema. Raises: UnreadableSchema, with the reason."""
    met: set[str] = set()
    merged = _resolve(document, schema, FormBudget(MOST_STEPS), met, frozenset())
    return Resolved(merged, frozenset(met))


def _resolve(
    document: SchemaDocument, schema: object, budget: FormBudget, met: set[str], path: frozenset[str]
) -> Schema:
    if schema is True:
        return {}
    if schema is False:
        raise UnreadableSchema("the schema allows nothing here")
    if not isinstance(schema, dict):
        raise UnreadableSchema(f"its schema is {_kind(schema)}, not an object")
    if not budget.spend() or len(path) > _LONGEST_CHAIN:
        raise UnreadableSchema("its schema combines more parts than a form can show")
    own: Schema = {key: value for key, value in schema.items() if key not in ("allOf", *_REFERENCES)}
    for ref in map(schema.get, _REFERENCES):
        if ref is not None:
            own = _merged(own, _referred(document, ref, budget, met, path))
    parts = schema.get("allOf")
    for part in parts if isinstance(parts, list) else ():
        own = _merged(own, _resolve(document, part, budget, met, path))
    return own


def _referred(document: SchemaDocument, ref: object, budget: FormBudget, met: set[str], path: frozenset[str]) -> Schema:
    if not isinstance(ref, str):
        raise UnreadableSchema("its $ref is not a string")
    if ref in path:
        raise UnreadableSchema(f"its schema {ref} refers only to itself")
    target, why = document.find(ref)
    if why:
        raise UnreadableSchema(why)
    met.add(ref)
    return _resolve(document, target, budget, met, path | {ref})


def _merged(own: Schema, other: Schema) -> Schema:
    try:
        return merge(own, other)
    except CannotMerge as conflict:
        raise UnreadableSchema(f"the parts of its schema differ in {conflict}") from conflict


def _kind(value: object) -> str:
    kinds = {list: "a list", str: "a string", int: "a number", float: "a number", type(None): "null"}
    return kinds.get(type(value), "not JSON")


def read_schema(schema: object) -> Opened:
    """Parse a schema into a field. References are resolved within `schema` itself."""
    return _Reader(SchemaDocument(schema), FormBudget(MOST_FIELDS)).open(schema, _Place())


class _Place(msgspec.Struct, frozen=True):
    """The parser's position in the tree of fields."""

    depth: int = 0
    refs: frozenset[str] = frozenset()
    """References that were followed to get here; a repeated one is recursive."""
    required: bool = False

    def within(self, resolved: Resolved, *, required: bool = False) -> "_Place":
        return _Place(self.depth + 1, self.refs | resolved.refs, required)


class _Reader:
    """Parses a document within one budget. Each opened LazyField uses a new reader."""

    def __init__(self, document: SchemaDocument, budget: FormBudget) -> None:
        self._document = document
        self._budget = budget
        self._lazy: dict[tuple[int, bool], LazyField] = {}
        """By identity of the schema, and whether it is required: unions of each other share their branches."""
        self._single: dict[str, bool] = {}
        """Whether the field that a reference stands for has no fields of its own."""

    def read(self, schema: object, place: _Place) -> Field:
        """Return the field; a LazyField if it is too deep, recursive or exceeds the budget."""
        if self._closes_a_circle(schema, place):
            return self._later(schema, place)
        if self._is_single(schema) or (place.depth <= DEEPEST and self._budget.spend()):
            return self.open(schema, place)
        return self._later(schema, place)

    def open(self, schema: object, place: _Place) -> Opened:
        """Return the field itself, at any depth."""
        if isinstance(schema, bool):
            why = ANYTHING if schema else "the schema allows nothing here"
            return JsonField(schema=schema, why=why, required=place.required)
        try:
            resolved = resolve(self._document, schema)
        except UnreadableSchema as unreadable:
            return JsonField(**_words(schema, place), why=str(unreadable))
        read = self._kind(resolved, place)
        if read.default is None and not _takes_null(
            read
        ):  # how some libraries write "none": no value, rather than null
            return msgspec.structs.replace(read, default=UNSET)
        return read

    def _closes_a_circle(self, schema: object, place: _Place) -> bool:
        return any(ref in place.refs for ref in _references(schema))

    def _is_single(self, schema: object) -> bool:
        """Whether the field has no fields of its own; unions of single values, like "integer or null", included."""
        if not isinstance(schema, dict):
            return True
        for ref in _references(schema):
            if ref not in self._single:  # unions of each other refer to the same schemas thousands of times
                self._single[ref] = self._refers_to_single(ref)
            if not self._single[ref]:
                return False
        branches = _branches(schema)
        return _is_flat(schema) and all(
            isinstance(each, dict) and not each.keys() & _REFERRING and _is_flat(each) for each in branches
        )

    def _refers_to_single(self, ref: str) -> bool:
        try:
            return self._is_single(resolve(self._document, {"$ref": ref}).schema)
        except UnreadableSchema:
            return True

    def _later(self, schema: object, place: _Place) -> LazyField:
        key = (id(schema), place.required)
        if key in self._lazy:
            return self._lazy[key]

        known: list[Opened] = []

        def now() -> Opened:
            if not known:
                fresh = _Reader(self._document, FormBudget(0))
                known.append(fresh.open(schema, _Place(required=place.required)))
            return known[0]

        # the field holds its schema, so that no other schema gets the same identity
        return self._lazy.setdefault(key, LazyField(**_words(schema, place), resolve=now))

    def _kind(self, resolved: Resolved, place: _Place) -> Opened:
        schema = resolved.schema
        if "const" in schema:
            return ConstField(**_words(schema, place), value=schema["const"])
        if isinstance(schema.get("enum"), list):
            return _choice(schema, _words(schema, place))
        branches = _branches(schema)
        if branches:
            return self._union(resolved, branches, place)
        types = simple.types_of(schema)
        if len(types) > 1:
            return self._union(resolved, [{"type": each} for each in types], place)
        return self._typed(types[0] if types else "", resolved, place)

    def _typed(self, kind: str, resolved: Resolved, place: _Place) -> Opened:
        words = _words(resolved.schema, place)
        if kind == "object":
            return self._object(resolved, place)
        if kind == "array":
            return self._array(resolved, place)
        if kind == "null":
            return NullField(**words)
        if kind in simple.READERS:
            return simple.READERS[kind](resolved.schema, words)
        if kind:
            return JsonField(**words, why=f"its type is {kind!r}, which is not a JSON Schema type")
        return JsonField(**words, why=UNTYPED)

    def _object(self, resolved: Resolved, place: _Place) -> ObjectField:
        schema = resolved.schema
        required = dict.fromkeys(simple.strings(schema.get("required")))
        properties = schema.get("properties")
        named = properties if isinstance(properties, dict) else {}
        patterns = schema.get("patternProperties")
        inside, needed = place.within(resolved), place.within(resolved, required=True)
        additional, only = self._additional(schema, inside), self._only_names(schema, inside)
        if additional is not False and not patterns:  # members that are named, but not among the properties
            spare = schema.get("additionalProperties", True)
            named = {**named, **{each: spare for each in (*required, *only) if each not in named}}
            additional = False if only else additional
        return ObjectField(
            **_words(schema, place),
            properties=tuple(
                (name, _fixed(self.read(each, needed if name in required else inside))) for name, each in named.items()
            ),
            patterns=tuple(
                (pattern, self.read(each, inside))
                for pattern, each in (patterns.items() if isinstance(patterns, dict) else ())
            ),
            additional=additional,
            min_properties=max(simple.size(schema, "minProperties") or 0, 0),
            max_properties=simple.size(schema, "maxProperties"),
        )

    def _additional(self, schema: Schema, inside: _Place) -> bool | Field:
        asked = schema.get("additionalProperties", schema.get("unevaluatedProperties", True))
        return self.read(asked, inside) if isinstance(asked, dict) and asked else asked is not False

    def _only_names(self, schema: Schema, inside: _Place) -> list[str]:
        """Return the names that propertyNames lists; empty if it lists none, or too many for a form."""
        rule = schema.get("propertyNames")
        try:
            names = resolve(self._document, rule).schema if isinstance(rule, dict) else {}
        except UnreadableSchema:
            return []
        listed = simple.strings(names.get("enum", [names.get("const")]))
        return listed if len(listed) <= _MOST_NAMES else []

    def _array(self, resolved: Resolved, place: _Place) -> Opened:
        schema = resolved.schema
        prefix, rest = _items(schema)
        inside = place.within(resolved)
        item = None if rest is False else self.read(rest, inside)
        words = _words(schema, place)
        counts: dict[str, Any] = {
            "min_items": simple.size(schema, "minItems") or 0,
            "max_items": simple.size(schema, "maxItems"),
            "unique": schema.get("uniqueItems") is True,
        }
        if isinstance(item, ChoiceField) and not item.multi and not prefix:
            return ChoiceField(**words, **counts, options=item.options, multi=True)
        return ArrayField(**words, **counts, prefix=tuple(self.read(each, inside) for each in prefix), item=item)

    def _union(self, resolved: Resolved, branches: list[object], place: _Place) -> Opened:
        """Return a choice if all branches are fixed values, the branch if there is only one, or else a union."""
        schema = {key: value for key, value in resolved.schema.items() if key not in _SPLIT}
        titled = _titled(branches)
        if titled:
            return ChoiceField(**_words(resolved.schema, place), options=titled)
        real = [each for each in branches if not _is_null(each)]
        nullable = len(real) < len(branches)
        if not real:
            return NullField(**_words(resolved.schema, place))
        joined = [_beside(schema, each) for each in real]
        if len(joined) == 1:
            return self._only(joined[0], resolved, place, nullable=nullable)
        drawn = self._drawn_branches(real, joined, resolved, place)
        words = _words(resolved.schema, place)
        words["nullable"] = nullable or words["nullable"]
        return UnionField(**words, branches=drawn)

    def _only(self, schema: object, resolved: Resolved, place: _Place, *, nullable: bool) -> Opened:
        inner = _Place(place.depth + 1, place.refs | resolved.refs, place.required)
        if inner.depth > DEEPEST * 2:
            return JsonField(**_words(resolved.schema, place), why="nested alternatives are too deep")
        asked = self.open(schema, inner)
        words = _words(resolved.schema, place)
        default = asked.default if words["default"] is UNSET else words["default"]
        return msgspec.structs.replace(
            asked,
            title=words["title"] or asked.title,
            description=words["description"] or asked.description,
            default=default,
            nullable=nullable or asked.nullable,
        )

    def _drawn_branches(
        self, plain: list[object], joined: list[object], resolved: Resolved, place: _Place
    ) -> tuple[Branch, ...]:
        fields = [self.read(full, place.within(resolved)) for full in joined]
        counts = Counter(name for read in fields if isinstance(read, ObjectField) for name, _ in read.properties)
        drawn = enumerate(zip(plain, fields, strict=True), 1)
        return tuple(Branch(_title_of(bare, read, number, counts), read) for number, (bare, read) in drawn)


def _references(schema: object) -> list[str]:
    """Return the references that a schema itself has."""
    found = map(schema.get, _REFERENCES) if isinstance(schema, dict) else ()
    return [ref for ref in found if isinstance(ref, str)]


def _is_flat(schema: Schema) -> bool:
    """Whether a schema without branches and references is that of a single value."""
    types = simple.types_of(schema)
    return not schema.keys() & _NESTING and "object" not in types and "array" not in types


def _takes_null(field: Field) -> bool:
    """Return whether null may be a value of the field."""
    match field:
        case UnionField():
            return field.nullable or any(_takes_null(each.field) for each in field.branches)
        case ChoiceField():
            return field.nullable or (not field.multi and any(each.value is None for each in field.options))
        case ConstField():
            return field.nullable or field.value is None
        case _:
            return field.nullable or isinstance(field, NullField | JsonField | LazyField)


def _words(schema: object, place: _Place) -> dict[str, Any]:
    """Return the common members of a field, from its schema."""
    if not isinstance(schema, dict):
        return {"schema": schema, "required": place.required}
    examples = schema.get("examples")
    single = [schema["example"]] if "example" in schema else []
    return {
        "schema": schema,
        "title": _text(schema.get("title")),
        "description": _text(schema.get("description")),
        "default": schema.get("default", UNSET),
        "required": place.required,
        "nullable": schema.get("nullable") is True or simple.has_null(schema),
        "examples": tuple(examples if isinstance(examples, list) else single),
        "deprecated": schema.get("deprecated") is True,
        "read_only": schema.get("readOnly") is True,
        "write_only": schema.get("writeOnly") is True,
    }


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _choice(schema: Schema, words: dict[str, Any]) -> Opened:
    values = schema["enum"]
    names = schema.get("enumNames", schema.get("x-enumNames"))
    if not isinstance(values, list) or not values:
        return JsonField(**words, why="its list of allowed values (enum) is empty")
    titles = names if isinstance(names, list) else []
    return ChoiceField(
        **words,
        options=tuple(
            Option(value, _text(titles[at]) if at < len(titles) and titles[at] else simple.as_text(value))
            for at, value in enumerate(values)
        ),
    )


def _fixed(field: Field) -> Field:
    """Return a property with a single choice as one with a fixed value, as some libraries write those."""
    if not isinstance(field, ChoiceField) or field.multi or len(field.options) != 1:
        return field
    value, title = field.options[0].value, field.options[0].title
    if title != simple.as_text(value):
        return field
    common = {each: getattr(field, each) for each in ConstField.__struct_fields__ if each != "value"}
    return ConstField(**common, value=value)


def _branches(schema: Schema) -> list[object]:
    """Return the alternatives of a union. Branches with only conditions, like "a or b is required", are ignored."""
    for key in ("oneOf", "anyOf"):
        found = schema.get(key)
        if isinstance(found, list) and found:
            if all(isinstance(each, dict) and each.keys() <= _ONLY_DEMANDS for each in found):
                continue
            return list(found)
    return []


def _titled(branches: list[object]) -> tuple[Option, ...]:
    """Return the options if every branch is a fixed value, or one of several that null joins; otherwise none."""
    fixed = [each for each in branches if isinstance(each, dict) and "const" in each]
    rest = [each for each in branches if not (isinstance(each, dict) and "const" in each)]
    if not all(map(_is_null, rest)) or (rest and len(fixed) < 2):
        return ()
    values = [(each.get("const"), _text(each.get("title"))) for each in branches if isinstance(each, dict)]
    return tuple(Option(value, title or simple.as_text(value)) for value, title in values)


def _is_null(branch: object) -> bool:
    if not isinstance(branch, dict):
        return False
    return (
        branch.get("type") in ("null", ["null"]) or branch.get("const", UNSET) is None or branch.get("enum") == [None]
    )


def _beside(schema: Schema, branch: object) -> object:
    """Merge a branch with the siblings of the union, which apply to every branch."""
    if not isinstance(branch, dict):
        return branch
    rest = {key: value for key, value in schema.items() if key not in _HOUSEKEEPING}
    if "type" in branch and len(branch) == 1:
        return {**rest, **branch}
    return {"allOf": [branch, rest]} if rest else branch


def _title_of(branch: object, read: Field, number: int, counts: Counter[str]) -> str:
    """Name a branch; `counts` has in how many branches an object has a property of this name."""
    if read.title:
        return read.title
    if isinstance(branch, dict) and isinstance(branch.get("$ref"), str):
        name = branch["$ref"].rsplit("/", 1)[-1].lstrip("#")
        if name:
            return str(name)
    if isinstance(read, ObjectField):
        fixed = next((each for each in read.properties if isinstance(each[1], ConstField)), None)
        if fixed and isinstance(fixed[1], ConstField):
            return simple.as_text(fixed[1].value)
        if own := next((name for name, _ in read.properties if counts[name] == 1), ""):
            return f"object with {own}"
    if isinstance(read, ConstField):
        return simple.as_text(read.value)
    kind = kind_of(read)
    return f"{kind} ({number})" if isinstance(read, ObjectField | LazyField | JsonField) else kind


def _items(schema: Mapping[str, object]) -> tuple[list[object], object]:
    """Return the schemas of the first items and that of all others; draft-07 has tuples as a list in `items`."""
    items = schema.get("items", True)
    if isinstance(items, list):
        return items, schema.get("additionalItems", True)
    prefix = schema.get("prefixItems")
    return (prefix if isinstance(prefix, list) else []), items
