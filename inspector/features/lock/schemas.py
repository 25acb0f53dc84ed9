"""Compares two JSON Schemas: whether each change accepts more values or fewer.

In an input schema, accepting fewer values breaks callers. In an output schema, accepting more values breaks readers.
References are resolved within their document; a definition is reported where it is first used. A place that can't be
compared is reported as unclear, never omitted: two different schemas yield at least one change.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

import msgspec

from inspector.forms.refs import SchemaDocument
from inspector.protocol.changes import ABSENT, below, differences
from inspector.protocol.fingerprints import canonical
from inspector.protocol.jsonrpc import encode
from inspector.text import cut

# Effect of a changed schema keyword

_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
_FROM_ZERO = ("minLength", "minItems", "minProperties")
_CONDITIONS = ("pattern", "format", "multipleOf", "contentEncoding", "contentMediaType", "contentSchema")
_UNCLEAR = (
    *("not", "if", "then", "else", "contains", "propertyNames", "patternProperties", "dependentRequired"),
    *("dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems", "additionalItems"),
    *("x-mcp-header", "$dynamicRef"),
)
_HANDLED = frozenset(
    (*_LOWER, *_UPPER, *_CONDITIONS, *_UNCLEAR, "type", "enum", "const", "uniqueItems", "description", "default")
) | {"properties", "required", "additionalProperties", "items", "prefixItems", "allOf", "anyOf", "oneOf", "$ref"}
IGNORED = frozenset(("$defs", "definitions"))
"""Definitions are compared where they are referenced."""
_MOST = 500
"""Maximum number of reported changes of one schema."""
_MAX_DEPTH = 60
_MOST_STEPS = 20_000
_WORDS = {"title", "description", "default", "examples", "$comment"}


class SchemaEffect(StrEnum):
    """How a change affects the set of valid values."""

    NARROWER = "narrower"
    """Some values are no longer valid."""
    WIDER = "wider"
    """More values are valid."""
    EITHER = "either"
    """Both: some values are no longer valid, and some new ones are."""
    UNCLEAR = "unclear"
    WORDS = "words"
    """The same values are valid, but a text that models read has changed."""
    NONE = "none"
    """No effect."""


class SchemaChange(msgspec.Struct, frozen=True):
    """A changed place in a schema."""

    path: str
    effect: SchemaEffect
    rule: str
    sentence: str
    before: Any = ABSENT
    after: Any = ABSENT
    mild: bool = False
    """Whether it affects only callers that use members that the schema does not name."""


_OF_CONDITIONS = {SchemaEffect.NARROWER: "a new condition", SchemaEffect.WIDER: "a condition is gone"}


class Rating(StrEnum):
    """Severity of a change. Compare by `rank`."""

    BREAKING = "breaking"
    """What worked before may fail now."""
    WARNING = "warning"
    """Models, clients or users see something different, or compatibility is unknown."""
    INFO = "info"
    """What worked before still works."""

    @property
    def rank(self) -> int:
        """Position from 0, the most severe, upwards."""
        return _RANKS[self]


_RANKS = {Rating.BREAKING: 0, Rating.WARNING: 1, Rating.INFO: 2}


class Act(StrEnum):
    """How an item or a place has changed."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class DefinitionChange(msgspec.Struct, frozen=True):
    """A difference between two surfaces. Names, path and values are untrusted text."""

    kind: str
    """"tools", "resources", "templates", "prompts", or the changed part of the server's information about itself."""
    name: str
    """Key of the item; "" outside of lists."""
    path: str
    """Member path within the item; "" for the whole item."""
    act: Act
    rating: Rating
    rule: str
    """Stable identifier of the reason for the rating, such as "required-added"."""
    sentence: str
    """Reason as a sentence. It may quote untrusted text."""
    before: Any = ABSENT
    """Old value; ABSENT if there was none."""
    after: Any = ABSENT
    """New value; ABSENT if there is none."""


class SchemaSide(StrEnum):
    """The use of a schema, as seen by the caller."""

    INPUT = "input"
    OUTPUT = "output"


def types(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
    """Compare the allowed types. Without a type, all are allowed. Integers are numbers."""
    ours, theirs = _types(old), _types(new)
    if ours == theirs:
        return
    message = f"{_named(ours)} before, {_named(theirs)} now"
    effect = _of_sets(ours, theirs)
    yield SchemaChange(below(path, "type"), effect, f"type-{effect}", message, _given(old, "type"), _given(new, "type"))


def values(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
    """Compare the allowed values: enum, or const, which is a list of one."""
    ours, theirs = _values(old), _values(new)
    if ours == theirs:
        return
    effect = _of_sets(ours, theirs)
    gone, came = sorted((ours or set()) - (theirs or set())), sorted((theirs or set()) - (ours or set()))
    if ours is None:
        message = "only listed values are left"
    elif theirs is None:
        message = "any value, not only those that were listed"
    else:
        parts = (f"without {_some(gone)}" if gone else "", f"with {_some(came)}" if came else "")
        message = "the listed values: " + " and ".join(part for part in parts if part)
    keyword = "enum" if "enum" in old or "enum" in new else "const"
    yield SchemaChange(
        below(path, keyword), effect, f"enum-{effect}", message, _given(old, keyword), _given(new, keyword)
    )


def bounds(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
    """Compare minimum and maximum of numbers, lengths and counts."""
    for keyword in (*_LOWER, *_UPPER):
        zero = 0 if keyword in _FROM_ZERO else None
        ours, theirs = old.get(keyword, zero), new.get(keyword, zero)
        if _same(ours, theirs):
            continue
        effect = _of_bound(ours, theirs, is_lower=keyword in _LOWER)
        message = (
            "a bound that lets in fewer values"
            if effect is SchemaEffect.NARROWER
            else "a bound that lets in more values"
        )
        message = "another bound" if effect is SchemaEffect.UNCLEAR else message
        yield SchemaChange(
            below(path, keyword), effect, f"bound-{effect}", message, _given(old, keyword), _given(new, keyword)
        )


def plain_keywords(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
    """Compare keywords that can only be present, absent or different, and unknown keywords."""
    for keyword in _CONDITIONS:
        if not _same(ours := _given(old, keyword), theirs := _given(new, keyword)):
            effect = (
                SchemaEffect.NARROWER
                if ours is ABSENT
                else SchemaEffect.WIDER
                if theirs is ABSENT
                else SchemaEffect.UNCLEAR
            )
            sentence = _OF_CONDITIONS.get(effect, "another condition")
            mild = keyword not in ("pattern", "multipleOf")
            yield SchemaChange(below(path, keyword), effect, f"condition-{effect}", sentence, ours, theirs, mild=mild)
    if (ours := old.get("uniqueItems") is True) is not (theirs := new.get("uniqueItems") is True):
        effect = SchemaEffect.NARROWER if theirs else SchemaEffect.WIDER
        message = "items must differ now" if theirs else "items may be the same now"
        yield SchemaChange(below(path, "uniqueItems"), effect, f"condition-{effect}", message, ours, theirs)
    for keyword in sorted({*old, *new} & {*_UNCLEAR}):
        yield from _each(path, keyword, old, new, SchemaEffect.UNCLEAR, "unclear", "unknown effect on valid values")
    for keyword in sorted({*old, *new} - _HANDLED - IGNORED):
        yield from _each(path, keyword, old, new, SchemaEffect.NONE, "annotation", "does not affect values")


def words(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
    """Compare descriptions, which models read, and default values."""
    ours, theirs = _given(old, "description"), _given(new, "description")
    if not _same(ours, theirs):
        yield described(below(path, "description"), ours, theirs)
    ours, theirs = _given(old, "default"), _given(new, "default")
    if not _same(ours, theirs):
        effect = SchemaEffect.NONE if ours is ABSENT else SchemaEffect.UNCLEAR
        message = "a default is named" if ours is ABSENT else "another value, or none, if it is left out"
        yield SchemaChange(below(path, "default"), effect, "default", message, ours, theirs)


def described(path: str, ours: Any, theirs: Any) -> SchemaChange:
    """Return the change of a description. A change of only white space is rated info."""
    if isinstance(ours, str) and isinstance(theirs, str) and ours.split() == theirs.split():
        return SchemaChange(path, SchemaEffect.NONE, "blanks", "the same words with other blanks", ours, theirs)
    return SchemaChange(path, SchemaEffect.WORDS, "description", "models read something else", ours, theirs)


def _each(
    path: str, keyword: str, old: dict[str, Any], new: dict[str, Any], effect: SchemaEffect, rule: str, sentence: str
) -> Iterator[SchemaChange]:
    ours, theirs = _given(old, keyword), _given(new, keyword)
    if not _same(ours, theirs):
        for change in differences({keyword: ours} if ours is not ABSENT else {}, _one(keyword, theirs)):
            place = f"{path}.{change.path}" if path else change.path
            yield SchemaChange(place, effect, rule, sentence, change.before, change.after)


def _one(keyword: str, value: Any) -> dict[str, Any]:
    return {} if value is ABSENT else {keyword: value}


def _types(schema: dict[str, Any]) -> frozenset[str] | None:
    """Return the allowed types; None for all."""
    named = schema.get("type")
    found = {named} if isinstance(named, str) else {each for each in named or () if isinstance(each, str)}
    if not found:
        return None
    return frozenset(found | ({"integer"} if "number" in found else set()))


def _named(found: frozenset[str] | None) -> str:
    if found is None:
        return "any type"
    return " or ".join(sorted(found - ({"integer"} if "number" in found else set())))[:120]


def _values(schema: dict[str, Any]) -> set[str] | None:
    if isinstance(listed := schema.get("enum"), list):
        return {_text(each) for each in listed}
    return {_text(schema["const"])} if "const" in schema else None


def _of_sets(ours: Any, theirs: Any) -> SchemaEffect:
    """Return the effect on the valid values. None is the set of all values."""
    if ours is None or theirs is None:
        return SchemaEffect.NARROWER if ours is None else SchemaEffect.WIDER
    return SchemaEffect.NARROWER if theirs < ours else SchemaEffect.WIDER if ours < theirs else SchemaEffect.EITHER


def _of_bound(ours: Any, theirs: Any, *, is_lower: bool) -> SchemaEffect:
    if ours is None or theirs is None:
        return SchemaEffect.NARROWER if ours is None else SchemaEffect.WIDER
    if not _is_number(ours) or not _is_number(theirs):
        return SchemaEffect.UNCLEAR
    return SchemaEffect.NARROWER if (theirs > ours) is is_lower else SchemaEffect.WIDER


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _given(schema: dict[str, Any], keyword: str) -> Any:
    return schema.get(keyword, ABSENT)


def _same(ours: Any, theirs: Any) -> bool:
    if ours is ABSENT or theirs is ABSENT:
        return ours is theirs
    return ours is theirs or _text(ours) == _text(theirs)


def _some(items: list[str]) -> str:
    shown = ", ".join(each[:40] for each in items[:4])
    return shown + (f" and {len(items) - 4} more" if len(items) > 4 else "")


def _text(value: Any) -> str:
    return encode(canonical(value)).decode("utf-8", "replace")


# Severity of a change


def act_of(before: Any, after: Any) -> Act:
    """Return whether a place was added, removed or changed."""
    return Act.ADDED if before is ABSENT else Act.REMOVED if after is ABSENT else Act.CHANGED


def rating_of(effect: SchemaEffect, side: SchemaSide, *, mild: bool = False) -> Rating:
    """Return the rating of an effect. `mild`: it affects only callers that use members that no schema names."""
    breaks = effect is SchemaEffect.EITHER or effect is (
        SchemaEffect.NARROWER if side is SchemaSide.INPUT else SchemaEffect.WIDER
    )
    if breaks:
        return Rating.WARNING if mild else Rating.BREAKING
    return Rating.WARNING if effect in (SchemaEffect.UNCLEAR, SchemaEffect.WORDS) else Rating.INFO


def schema_changes(
    kind: str, name: str, path: str, before: Any, after: Any, side: SchemaSide
) -> list[DefinitionChange]:
    """Return the changes of a schema, limited to a few hundred. `path` is the schema's place."""
    walk = _Walk(before, after, side)
    found: list[SchemaChange] = []
    for each in walk.places(path, before, after, 0):
        if len(found) == _MOST:
            found.append(SchemaChange(path, SchemaEffect.UNCLEAR, "more", "there are more changes than are shown"))
            break
        found.append(each)
    if not found and encode(canonical(before)) != encode(canonical(after)):
        found.append(SchemaChange(path, SchemaEffect.NONE, "rewritten", "written in another way", before, after))
    return [
        DefinitionChange(
            kind,
            name,
            each.path,
            act_of(each.before, each.after),
            rating_of(each.effect, side, mild=each.mild),
            each.rule,
            each.sentence,
            each.before,
            each.after,
        )
        for each in found
    ]


class _Walk:
    """Traverses two schemas in parallel."""

    def __init__(self, before: Any, after: Any, side: SchemaSide) -> None:
        self._documents = (SchemaDocument(before), SchemaDocument(after))
        self._side = side
        self._met: set[tuple[str, str]] = set()
        self._steps = 0

    def places(self, path: str, before: Any, after: Any, depth: int) -> Iterator[SchemaChange]:
        """Yield the changes at a place and below it."""
        self._steps += 1
        if depth > _MAX_DEPTH or self._steps > _MOST_STEPS:
            if before != after:
                yield SchemaChange(
                    path, SchemaEffect.UNCLEAR, "too-large", "too large to be compared in full", before, after
                )
            return
        if self._is_known(before, after):
            return
        old, new = self._resolved(0, before), self._resolved(1, after)
        if old is False or new is False or not isinstance(old, dict) or not isinstance(new, dict):
            yield from _odd(path, old, new)
            return
        if _has_branches(old) is not _has_branches(new):
            yield from _alternatives(path, old, new)
            yield from words(path, old, new)
            return
        yield from types(path, old, new)
        yield from values(path, old, new)
        yield from bounds(path, old, new)
        yield from plain_keywords(path, old, new)
        yield from words(path, old, new)
        yield from self._properties(path, old, new, depth)
        yield from self._below(path, old, new, depth)

    def _is_known(self, before: Any, after: Any) -> bool:
        """Return whether this pair of definitions has already been visited; mark it as visited."""
        refs = _ref(before), _ref(after)
        if not any(refs):
            return False
        pair = (encode(before).decode("utf-8", "replace"), encode(after).decode("utf-8", "replace"))
        known = pair in self._met
        self._met.add(pair)
        return known

    def _resolved(self, which: int, schema: Any) -> Any:
        """Return the schema with references resolved; `true` becomes the empty schema."""
        for _ in range(20):
            if not (ref := _ref(schema)):
                break
            target, why = self._documents[which].find(ref)
            if why or not isinstance(target, dict | bool):
                break
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            schema = target | beside if isinstance(target, dict) else target
        return {} if schema is True or schema is ABSENT or schema is None else schema

    def _properties(self, path: str, old: dict[str, Any], new: dict[str, Any], depth: int) -> Iterator[SchemaChange]:
        ours, theirs = _mapping(old, "properties"), _mapping(new, "properties")
        needed, needs = _names(old, "required"), _names(new, "required")
        closed = new.get("additionalProperties") is False
        for name in dict.fromkeys((*ours, *theirs)):
            place = below(below(path, "properties"), name)
            if name not in theirs:
                was_needed = name in needed and name not in needs
                yield _removed(place, name, ours[name], self._side, needed=was_needed, closed=closed)
            elif name not in ours:
                yield _added(place, name, theirs[name], self._side, needed=name in needs and name not in needed)
            else:
                yield from self.places(place, ours[name], theirs[name], depth + 1)
        for name in dict.fromkeys((*needed, *needs)):
            is_told = name not in ours if name in needs else name not in theirs
            if (name in needed) is not (name in needs) and not (is_told and (name in ours or name in theirs)):
                yield _need(below(below(path, "required"), name), name, is_needed=name in needs)

    def _below(self, path: str, old: dict[str, Any], new: dict[str, Any], depth: int) -> Iterator[SchemaChange]:
        """Yield the changes of nested schemas other than properties."""
        ours, theirs = old.get("additionalProperties", True), new.get("additionalProperties", True)
        yield from self._inner(below(path, "additionalProperties"), ours, theirs, depth, mild=True)
        if isinstance(old.get("items"), list) or isinstance(new.get("items"), list):
            yield from self._several(path, "items", old, new, depth)
        else:
            place = below(path, "items")
            yield from self._inner(place, old.get("items", True), new.get("items", True), depth, mild=False)
        for keyword in ("prefixItems", "allOf"):
            yield from self._several(path, keyword, old, new, depth)
        for keyword in ("anyOf", "oneOf"):
            yield from self._branches(path, keyword, old, new, depth)

    def _inner(self, place: str, ours: Any, theirs: Any, depth: int, *, mild: bool) -> Iterator[SchemaChange]:
        if isinstance(ours, dict) and isinstance(theirs, dict):
            yield from self.places(place, ours, theirs, depth + 1)
        elif _allows(ours) != _allows(theirs):
            effect = SchemaEffect.NARROWER if _allows(theirs) < _allows(ours) else SchemaEffect.WIDER
            message = "takes fewer values" if effect is SchemaEffect.NARROWER else "takes more values"
            yield SchemaChange(place, effect, f"{place.rpartition('.')[2]}-{effect}", message, ours, theirs, mild=mild)

    def _several(
        self, path: str, keyword: str, old: dict[str, Any], new: dict[str, Any], depth: int
    ) -> Iterator[SchemaChange]:
        """Compare schemas that must all match: an additional one accepts fewer values."""
        ours, theirs = _list(old, keyword), _list(new, keyword)
        for at in range(max(len(ours), len(theirs))):
            place = below(below(path, keyword), at)
            if at >= len(theirs):
                yield SchemaChange(place, SchemaEffect.WIDER, f"{keyword}-removed", "a condition is gone", ours[at])
            elif at >= len(ours):
                yield SchemaChange(
                    place, SchemaEffect.NARROWER, f"{keyword}-added", "one more condition", ABSENT, theirs[at]
                )
            else:
                yield from self.places(place, ours[at], theirs[at], depth + 1)

    def _branches(
        self, path: str, keyword: str, old: dict[str, Any], new: dict[str, Any], depth: int
    ) -> Iterator[SchemaChange]:
        """Compare alternative schemas: an additional one accepts more values. Equal alternatives are matched first."""
        ours, theirs = _list(old, keyword), _list(new, keyword)
        same = {_text(each) for each in ours} & {_text(each) for each in theirs}
        left = [(at, each) for at, each in enumerate(ours) if _text(each) not in same or _ref(each)]
        right = [(at, each) for at, each in enumerate(theirs) if _text(each) not in same or _ref(each)]
        if len(left) == len(right):
            for (at, one), (there, other) in zip(left, right, strict=True):  # if positions differ, use the lower one
                yield from self.places(below(below(path, keyword), min(at, there)), one, other, depth + 1)
            return
        for at, each in left:
            if _text(each) not in same:
                place = below(below(path, keyword), at)
                yield SchemaChange(place, SchemaEffect.NARROWER, "branch-removed", "an alternative is gone", each)
        for at, each in right:
            if _text(each) not in same:
                place = below(below(path, keyword), at)
                yield SchemaChange(place, SchemaEffect.WIDER, "branch-added", "one more alternative", ABSENT, each)


def _odd(path: str, old: Any, new: Any) -> Iterator[SchemaChange]:
    """Compare schemas of which one is not an object: `false`, which nothing matches, or an invalid schema."""
    if old == new:
        return
    if new is False or old is False:
        effect = SchemaEffect.NARROWER if new is False else SchemaEffect.WIDER
        message = "no value fits any more" if new is False else "values fit now, and none did"
        yield SchemaChange(path, effect, "nothing-fits", message, old, new)
        return
    yield SchemaChange(path, SchemaEffect.UNCLEAR, "no-schema", "one of the two is no schema", old, new)


def _added(place: str, name: str, schema: Any, side: SchemaSide, *, needed: bool) -> SchemaChange:
    if needed and side is SchemaSide.INPUT:
        message = f"a new property that must be given: {cut(name, 80)}"
        return SchemaChange(place, SchemaEffect.NARROWER, "required-property-added", message, ABSENT, schema)
    return SchemaChange(place, SchemaEffect.NONE, "property-added", f"a new property: {cut(name, 80)}", ABSENT, schema)


def _removed(place: str, name: str, schema: Any, side: SchemaSide, *, needed: bool, closed: bool) -> SchemaChange:
    if side is SchemaSide.OUTPUT:
        effect = SchemaEffect.WIDER if needed else SchemaEffect.UNCLEAR
        message = (
            f"{cut(name, 80)} is not promised any more" if needed else f"{cut(name, 80)} is not described any more"
        )
        return SchemaChange(place, effect, "property-removed", message, schema)
    effect = SchemaEffect.NARROWER if closed else SchemaEffect.UNCLEAR
    message = (
        f"{cut(name, 80)} is refused now"
        if closed
        else f"{cut(name, 80)} is not described any more: ignored or refused"
    )
    return SchemaChange(place, effect, "property-removed", message, schema)


def _need(place: str, name: str, *, is_needed: bool) -> SchemaChange:
    if is_needed:
        return SchemaChange(
            place, SchemaEffect.NARROWER, "required-added", f"{cut(name, 80)} is required now", ABSENT, name
        )
    return SchemaChange(
        place, SchemaEffect.WIDER, "required-removed", f"{cut(name, 80)} is not required any more", name
    )


def _alternatives(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[SchemaChange]:
    """Compare a schema with alternatives and a single schema as sets of alternatives."""
    ours, theirs = _as_alternatives(old), _as_alternatives(new)
    if ours == theirs:
        return
    effect = SchemaEffect.WIDER if ours < theirs else SchemaEffect.NARROWER if theirs < ours else SchemaEffect.UNCLEAR
    members = {SchemaEffect.WIDER: "takes more kinds of values", SchemaEffect.NARROWER: "takes fewer kinds of values"}
    yield SchemaChange(
        path, effect, f"alternatives-{effect}", members.get(effect, "described in another way"), old, new
    )


def _as_alternatives(schema: dict[str, Any]) -> frozenset[str]:
    for keyword in ("anyOf", "oneOf"):
        if branches := _list(schema, keyword):
            rest = {key: value for key, value in schema.items() if key not in (keyword, *_WORDS)}
            return frozenset(_text({**_without_words(each), **rest}) for each in branches)
    plain = _without_words(schema)
    if isinstance(named := plain.get("type"), list):
        return frozenset(_text(plain | {"type": each}) for each in named)
    return frozenset((_text(plain),))


def _without_words(schema: Any) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in _WORDS} if isinstance(schema, dict) else {}


def _has_branches(schema: dict[str, Any]) -> bool:
    return bool(_list(schema, "anyOf") or _list(schema, "oneOf"))


def _allows(schema: Any) -> int:
    """Return 0 if a schema allows nothing, 1 if it constrains values, 2 if it allows anything."""
    return 0 if schema is False else 2 if schema is True or schema == {} else 1


def _ref(schema: Any) -> str:
    ref = schema.get("$ref") if isinstance(schema, dict) else None
    return ref if isinstance(ref, str) else ""


def _mapping(schema: dict[str, Any], keyword: str) -> Mapping[str, Any]:
    value = schema.get(keyword)
    return value if isinstance(value, dict) else {}


def _list(schema: dict[str, Any], keyword: str) -> list[Any]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _names(schema: dict[str, Any], keyword: str) -> dict[str, None]:
    return {each: None for each in _list(schema, keyword) if isinstance(each, str)}
