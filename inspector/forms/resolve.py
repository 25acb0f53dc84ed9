"""One schema without its `$ref` and `allOf`: what they lead to and ask for, merged into one.

A chain that comes back to itself, and a document whose references multiply (each definition naming the next one
twice), end with a sentence instead of with patience.
"""

from dataclasses import dataclass, field
from typing import Final

from inspector.forms.merge import CannotMerge, Schema, merge
from inspector.forms.refs import Document

MOST_STEPS: Final = 500
"""Schemas that are joined into one field."""


class Unreadable(Exception):
    """No field can be drawn; the sentence says why."""


class Budget:
    """A number of things that may still be done."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self) -> bool:
        """Take one; False once none is left."""
        self.left -= 1
        return self.left >= 0


@dataclass(frozen=True, slots=True)
class Resolved:
    """A schema that has neither `$ref` nor `allOf`."""

    schema: Schema
    refs: frozenset[str] = field(default=frozenset())
    """The references that were followed on the way."""


def resolve(document: Document, schema: object) -> Resolved:
    """The schema with everything that it borrows.

    Raises: Unreadable, with the reason.
    """
    met: set[str] = set()
    merged = _resolve(document, schema, Budget(MOST_STEPS), met, frozenset())
    return Resolved(merged, frozenset(met))


def _resolve(document: Document, schema: object, budget: Budget, met: set[str], path: frozenset[str]) -> Schema:
    if schema is True:
        return {}
    if schema is False:
        raise Unreadable("the schema allows nothing here")
    if not isinstance(schema, dict):
        raise Unreadable(f"its schema is {_kind(schema)}, not an object")
    if not budget.spend() or len(path) > _LONGEST_CHAIN:
        raise Unreadable("its schema joins more parts than a form can show")
    own: Schema = {key: value for key, value in schema.items() if key not in ("$ref", "allOf", "$dynamicRef")}
    for ref in (schema.get("$ref"), schema.get("$dynamicRef")):
        if ref is not None:
            own = _merged(own, _referred(document, ref, budget, met, path))
    parts = schema.get("allOf")
    for part in parts if isinstance(parts, list) else ():
        own = _merged(own, _resolve(document, part, budget, met, path))
    return own


_LONGEST_CHAIN: Final = 60


def _referred(document: Document, ref: object, budget: Budget, met: set[str], path: frozenset[str]) -> Schema:
    if not isinstance(ref, str):
        raise Unreadable("its $ref is not a string")
    if ref in path:
        raise Unreadable(f"its schema {ref} refers to nothing but itself")
    target, why = document.find(ref)
    if why:
        raise Unreadable(why)
    met.add(ref)
    return _resolve(document, target, budget, met, path | {ref})


def _merged(own: Schema, other: Schema) -> Schema:
    try:
        return merge(own, other)
    except CannotMerge as conflict:
        raise Unreadable(f"the parts of its schema differ in {conflict}, so no one form fits") from conflict


def _kind(value: object) -> str:
    kinds = {list: "a list", str: "a string", int: "a number", float: "a number", type(None): "null"}
    return kinds.get(type(value), "no JSON")
