"""What a changed keyword of a JSON Schema does to the values that fit: types, listed values, bounds, words."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import msgspec

from inspector.protocol.differences import ABSENT, below, differences
from inspector.protocol.fingerprints import canonical
from inspector.protocol.jsonrpc import encode


class Effect(StrEnum):
    """What becomes of the values that fit."""

    NARROWER = "narrower"
    """Some do not fit any more."""
    WIDER = "wider"
    """More fit."""
    EITHER = "either"
    """Both: some do not fit any more, and others do now."""
    UNCLEAR = "unclear"
    WORDS = "words"
    """The same fit, and models read something else."""
    NONE = "none"
    """Nothing becomes of them."""


class Found(msgspec.Struct, frozen=True):
    """A changed place of a schema."""

    path: str
    effect: Effect
    rule: str
    sentence: str
    before: Any = ABSENT
    after: Any = ABSENT
    mild: bool = False
    """Whether it matters only to whoever uses what the schema does not name."""


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
_OF_CONDITIONS = {Effect.NARROWER: "a new condition", Effect.WIDER: "a condition is gone"}
IGNORED = frozenset(("$defs", "definitions"))
"""Looked at where they are referred to."""


def types(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Found]:
    """The types that are allowed; none named: all. Whole numbers are numbers."""
    ours, theirs = _types(old), _types(new)
    if ours == theirs:
        return
    said = f"{_named(ours)} before, {_named(theirs)} now"
    effect = _of_sets(ours, theirs)
    yield Found(below(path, "type"), effect, f"type-{effect}", said, _given(old, "type"), _given(new, "type"))


def values(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Found]:
    """The values that are listed: enum, or const, which is a list of one."""
    ours, theirs = _values(old), _values(new)
    if ours == theirs:
        return
    effect = _of_sets(ours, theirs)
    gone, came = sorted((ours or set()) - (theirs or set())), sorted((theirs or set()) - (ours or set()))
    if ours is None:
        said = "only listed values are left"
    elif theirs is None:
        said = "any value, not only those that were listed"
    else:
        parts = (f"without {_some(gone)}" if gone else "", f"with {_some(came)}" if came else "")
        said = "the listed values: " + " and ".join(part for part in parts if part)
    keyword = "enum" if "enum" in old or "enum" in new else "const"
    yield Found(below(path, keyword), effect, f"enum-{effect}", said, _given(old, keyword), _given(new, keyword))


def bounds(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Found]:
    """Least and most: numbers, lengths, counts."""
    for keyword in (*_LOWER, *_UPPER):
        zero = 0 if keyword in _FROM_ZERO else None
        ours, theirs = old.get(keyword, zero), new.get(keyword, zero)
        if _same(ours, theirs):
            continue
        effect = _of_bound(ours, theirs, is_lower=keyword in _LOWER)
        said = "a bound that lets in fewer values" if effect is Effect.NARROWER else "a bound that lets in more values"
        said = "another bound" if effect is Effect.UNCLEAR else said
        yield Found(below(path, keyword), effect, f"bound-{effect}", said, _given(old, keyword), _given(new, keyword))


def plain_keywords(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Found]:
    """Conditions that can only be there, be gone, or be others; and what nobody knows."""
    for keyword in _CONDITIONS:
        if not _same(ours := _given(old, keyword), theirs := _given(new, keyword)):
            effect = Effect.NARROWER if ours is ABSENT else Effect.WIDER if theirs is ABSENT else Effect.UNCLEAR
            sentence = _OF_CONDITIONS.get(effect, "another condition")
            mild = keyword not in ("pattern", "multipleOf")
            yield Found(below(path, keyword), effect, f"condition-{effect}", sentence, ours, theirs, mild=mild)
    if (ours := old.get("uniqueItems") is True) is not (theirs := new.get("uniqueItems") is True):
        effect = Effect.NARROWER if theirs else Effect.WIDER
        said = "items must differ now" if theirs else "items may be the same now"
        yield Found(below(path, "uniqueItems"), effect, f"condition-{effect}", said, ours, theirs)
    for keyword in sorted({*old, *new} & {*_UNCLEAR}):
        yield from _each(path, keyword, old, new, Effect.UNCLEAR, "unclear", "can't be told what that lets in")
    for keyword in sorted({*old, *new} - _HANDLED - IGNORED):
        yield from _each(path, keyword, old, new, Effect.NONE, "annotation", "says nothing about values")


def words(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Found]:
    """What models read, and the value that stands for none."""
    ours, theirs = _given(old, "description"), _given(new, "description")
    if not _same(ours, theirs):
        yield described(below(path, "description"), ours, theirs)
    ours, theirs = _given(old, "default"), _given(new, "default")
    if not _same(ours, theirs):
        effect = Effect.NONE if ours is ABSENT else Effect.UNCLEAR
        said = "a default is named" if ours is ABSENT else "another value, or none, if it is left out"
        yield Found(below(path, "default"), effect, "default", said, ours, theirs)


def described(path: str, ours: Any, theirs: Any) -> Found:
    """A description that is another one now; of blanks alone nobody need be told aloud."""
    if isinstance(ours, str) and isinstance(theirs, str) and ours.split() == theirs.split():
        return Found(path, Effect.NONE, "blanks", "the same words with other blanks", ours, theirs)
    return Found(path, Effect.WORDS, "description", "models read something else", ours, theirs)


def _each(
    path: str, keyword: str, old: dict[str, Any], new: dict[str, Any], effect: Effect, rule: str, sentence: str
) -> Iterator[Found]:
    ours, theirs = _given(old, keyword), _given(new, keyword)
    if not _same(ours, theirs):
        for change in differences({keyword: ours} if ours is not ABSENT else {}, _one(keyword, theirs)):
            place = f"{path}.{change.path}" if path else change.path
            yield Found(place, effect, rule, sentence, change.before, change.after)


def _one(keyword: str, value: Any) -> dict[str, Any]:
    return {} if value is ABSENT else {keyword: value}


def _types(schema: dict[str, Any]) -> frozenset[str] | None:
    """None for all."""
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


def _of_sets(ours: Any, theirs: Any) -> Effect:
    """What becomes of the values; None is the set of all."""
    if ours is None or theirs is None:
        return Effect.NARROWER if ours is None else Effect.WIDER
    return Effect.NARROWER if theirs < ours else Effect.WIDER if ours < theirs else Effect.EITHER


def _of_bound(ours: Any, theirs: Any, *, is_lower: bool) -> Effect:
    if ours is None or theirs is None:
        return Effect.NARROWER if ours is None else Effect.WIDER
    if not _is_number(ours) or not _is_number(theirs):
        return Effect.UNCLEAR
    return Effect.NARROWER if (theirs > ours) is is_lower else Effect.WIDER


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
