"""Which of an `anyOf`'s or `oneOf`'s many errors a person should read.

Each branch has failed in its own way, and most branches were never meant. The branch that the value is like most is the
one that was: its errors are told at their places. If the value is like none, the union itself is the place.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

Error: TypeAlias = Any
"""A ValidationError of jsonschema; this file does not import it."""

_UNIONS = ("anyOf", "oneOf")


def plain_errors(error: Error) -> Iterator[tuple[Error, str]]:
    """The errors to tell instead of `error`, each with its sentence, or "" for the keyword's usual one."""
    if error.validator not in _UNIONS:
        yield error, ""
        return
    if not error.context:
        yield error, "fits more than one of the kinds of which it must be exactly one"
        return
    branch = _likeliest(error)
    if branch is None:
        yield error, _none_of(error)
        return
    for each in branch:
        yield from plain_errors(each)


def _likeliest(error: Error) -> list[Error] | None:
    """The errors of the branch that was most likely meant; None if no branch is of the value's type."""
    branches: dict[object, list[Error]] = {}
    for each in error.context:
        branches.setdefault(each.schema_path[0] if each.schema_path else None, []).append(each)
    likely = [errors for errors in branches.values() if not any(_is_of_another_kind(each) for each in errors)]
    return min(likely, key=_distance) if likely else None


def _is_of_another_kind(error: Error) -> bool:
    """The value itself has the wrong type, or the type of none of the fixed values: the branch is about another."""
    if error.path:
        return False
    if error.validator in ("enum", "const"):
        asked = error.validator_value
        options = asked if error.validator == "enum" and isinstance(asked, list) else [asked]
        return type(error.instance) not in {type(each) for each in options}
    return error.validator in ("type", None)


def _distance(errors: list[Error]) -> tuple[bool, int]:
    """A member with a wrong fixed value (kind: circle) tells branches apart; else fewer errors are nearer."""
    return any(each.validator in ("const", "enum") for each in errors), len(errors)


def _none_of(error: Error) -> str:
    """What the branches want, if each of them wants one type."""
    wanted = [each.get("type") if isinstance(each, dict) else None for each in error.validator_value]
    types = [each for each in wanted if isinstance(each, str)]
    if types and len(types) == len(wanted):
        return f"must be one of these: {', '.join(dict.fromkeys(types))}"
    return f"is none of the {len(wanted)} kinds that the schema allows"
