"""What is different between two JSON Schemas, place by place, and whether it lets in more values or fewer.

What is narrower breaks callers where the schema is of what they send, and what is wider breaks readers where it is of
what they get. References are followed within their document; a definition is told of where it is first used. A place
that can't be compared is told as not clear, never left out: two schemas that differ make at least one change.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from inspector.capture.surfaces.keywords import Effect, Found, bounds, plain_keywords, types, values, words
from inspector.capture.surfaces.ratings import Rating, SurfaceChange, act_of
from inspector.forms.refs import Document
from inspector.protocol.differences import ABSENT, below
from inspector.protocol.fingerprints import canonical
from inspector.protocol.jsonrpc import encode

_MOST = 500
"""Changes of one schema that are told."""
_DEEPEST = 60
_MOST_STEPS = 20_000


class Side(StrEnum):
    """Whose values a schema describes, seen from the caller."""

    INPUT = "input"
    OUTPUT = "output"


def rating_of(effect: Effect, side: Side, *, mild: bool = False) -> Rating:
    """How much an effect matters. `mild`: only to whoever uses what no schema names."""
    breaks = effect is Effect.EITHER or effect is (Effect.NARROWER if side is Side.INPUT else Effect.WIDER)
    if breaks:
        return Rating.WARNING if mild else Rating.BREAKING
    return Rating.WARNING if effect in (Effect.UNCLEAR, Effect.WORDS) else Rating.INFO


def schema_changes(kind: str, name: str, path: str, before: Any, after: Any, side: Side) -> list[SurfaceChange]:
    """All changes of a schema, at most some hundreds. `path` is where it stands."""
    walk = _Walk(before, after, side)
    found: list[Found] = []
    for each in walk.places(path, before, after, 0):
        if len(found) == _MOST:
            found.append(Found(path, Effect.UNCLEAR, "more", "there are more changes than are told"))
            break
        found.append(each)
    if not found and encode(canonical(before)) != encode(canonical(after)):
        found.append(Found(path, Effect.NONE, "rewritten", "written in another way", before, after))
    return [
        SurfaceChange(
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
    """Goes through two schemas at the same time."""

    def __init__(self, before: Any, after: Any, side: Side) -> None:
        self._documents = (Document(before), Document(after))
        self._side = side
        self._met: set[tuple[str, str]] = set()
        self._steps = 0

    def places(self, path: str, before: Any, after: Any, depth: int) -> Iterator[Found]:
        """The changes at a place and below it."""
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            if before != after:
                yield Found(path, Effect.UNCLEAR, "too-large", "too large to be compared in full", before, after)
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
        """Whether this pair of definitions has been compared already, or is being compared."""
        refs = _ref(before), _ref(after)
        if not any(refs):
            return False
        pair = (encode(before).decode("utf-8", "replace"), encode(after).decode("utf-8", "replace"))
        known = pair in self._met
        self._met.add(pair)
        return known

    def _resolved(self, which: int, schema: Any) -> Any:
        """The schema that is meant: references followed, true as the empty schema."""
        for _ in range(20):
            if not (ref := _ref(schema)):
                break
            target, why = self._documents[which].find(ref)
            if why or not isinstance(target, dict | bool):
                break
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            schema = target | beside if isinstance(target, dict) else target
        return {} if schema is True or schema is ABSENT or schema is None else schema

    def _properties(self, path: str, old: dict[str, Any], new: dict[str, Any], depth: int) -> Iterator[Found]:
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

    def _below(self, path: str, old: dict[str, Any], new: dict[str, Any], depth: int) -> Iterator[Found]:
        """The other schemas within a schema."""
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

    def _inner(self, place: str, ours: Any, theirs: Any, depth: int, *, mild: bool) -> Iterator[Found]:
        if isinstance(ours, dict) and isinstance(theirs, dict):
            yield from self.places(place, ours, theirs, depth + 1)
        elif _allows(ours) != _allows(theirs):
            effect = Effect.NARROWER if _allows(theirs) < _allows(ours) else Effect.WIDER
            said = "takes fewer values" if effect is Effect.NARROWER else "takes more values"
            yield Found(place, effect, f"{place.rpartition('.')[2]}-{effect}", said, ours, theirs, mild=mild)

    def _several(
        self, path: str, keyword: str, old: dict[str, Any], new: dict[str, Any], depth: int
    ) -> Iterator[Found]:
        """Schemas that all hold: a further one lets in fewer values."""
        ours, theirs = _list(old, keyword), _list(new, keyword)
        for at in range(max(len(ours), len(theirs))):
            place = below(below(path, keyword), at)
            if at >= len(theirs):
                yield Found(place, Effect.WIDER, f"{keyword}-removed", "a condition is gone", ours[at])
            elif at >= len(ours):
                yield Found(place, Effect.NARROWER, f"{keyword}-added", "one more condition", ABSENT, theirs[at])
            else:
                yield from self.places(place, ours[at], theirs[at], depth + 1)

    def _branches(
        self, path: str, keyword: str, old: dict[str, Any], new: dict[str, Any], depth: int
    ) -> Iterator[Found]:
        """Schemas of which one holds: a further one lets in more values. Those that stay the same are found first."""
        ours, theirs = _list(old, keyword), _list(new, keyword)
        same = {_text(each) for each in ours} & {_text(each) for each in theirs}
        left = [(at, each) for at, each in enumerate(ours) if _text(each) not in same or _ref(each)]
        right = [(at, each) for at, each in enumerate(theirs) if _text(each) not in same or _ref(each)]
        if len(left) == len(right):
            for (at, one), (there, other) in zip(left, right, strict=True):  # where they stand apart, the lower place
                yield from self.places(below(below(path, keyword), min(at, there)), one, other, depth + 1)
            return
        for at, each in left:
            if _text(each) not in same:
                place = below(below(path, keyword), at)
                yield Found(place, Effect.NARROWER, "branch-removed", "an alternative is gone", each)
        for at, each in right:
            if _text(each) not in same:
                place = below(below(path, keyword), at)
                yield Found(place, Effect.WIDER, "branch-added", "one more alternative", ABSENT, each)


def _odd(path: str, old: Any, new: Any) -> Iterator[Found]:
    """One of the two is no object: false, which lets nothing in, or nothing that a schema can be."""
    if old == new:
        return
    if new is False or old is False:
        effect = Effect.NARROWER if new is False else Effect.WIDER
        said = "no value fits any more" if new is False else "values fit now, and none did"
        yield Found(path, effect, "nothing-fits", said, old, new)
        return
    yield Found(path, Effect.UNCLEAR, "no-schema", "one of the two is no schema", old, new)


def _added(place: str, name: str, schema: Any, side: Side, *, needed: bool) -> Found:
    if needed and side is Side.INPUT:
        said = f"a new property that must be given: {name[:80]}"
        return Found(place, Effect.NARROWER, "required-property-added", said, ABSENT, schema)
    return Found(place, Effect.NONE, "property-added", f"a new property: {name[:80]}", ABSENT, schema)


def _removed(place: str, name: str, schema: Any, side: Side, *, needed: bool, closed: bool) -> Found:
    if side is Side.OUTPUT:
        effect = Effect.WIDER if needed else Effect.UNCLEAR
        said = f"{name[:80]} is not promised any more" if needed else f"{name[:80]} is not described any more"
        return Found(place, effect, "property-removed", said, schema)
    effect = Effect.NARROWER if closed else Effect.UNCLEAR
    said = f"{name[:80]} is refused now" if closed else f"{name[:80]} is not described any more: ignored or refused"
    return Found(place, effect, "property-removed", said, schema)


def _need(place: str, name: str, *, is_needed: bool) -> Found:
    if is_needed:
        return Found(place, Effect.NARROWER, "required-added", f"{name[:80]} is required now", ABSENT, name)
    return Found(place, Effect.WIDER, "required-removed", f"{name[:80]} is not required any more", name)


def _alternatives(path: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Found]:
    """One has alternatives and the other is a single schema: compared as sets of alternatives."""
    ours, theirs = _as_alternatives(old), _as_alternatives(new)
    if ours == theirs:
        return
    effect = Effect.WIDER if ours < theirs else Effect.NARROWER if theirs < ours else Effect.UNCLEAR
    said = {Effect.WIDER: "takes more kinds of values", Effect.NARROWER: "takes fewer kinds of values"}
    yield Found(path, effect, f"alternatives-{effect}", said.get(effect, "described in another way"), old, new)


_WORDS = {"title", "description", "default", "examples", "$comment"}


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
    """0 for nothing, 1 for what a schema describes, 2 for anything."""
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


def _text(value: Any) -> str:
    return encode(canonical(value)).decode("utf-8", "replace")
