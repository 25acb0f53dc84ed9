"""Comparison of a value. A missing value, or one of another type, does not match. Nothing raises."""

from collections.abc import Callable
from typing import Any

from inspector.filters.language.fields import Compare, Op, Ref, Step, Value
from inspector.filters.language.patterns import Pattern
from inspector.protocol.jsonrpc import ErrorResponse, Message, Notification, Request, ResultResponse

METHODS_OF_TARGET = {"tool": "tools/call", "prompt": "prompts/get", "uri": "resources/"}
"""Prefix of the methods whose target is the value of a field."""
Test = Callable[[Any], bool]
"""A test of whether a value matches. It is only called with present values."""

_ORDERS: dict[Op, Callable[[Any, Any], bool]] = {
    Op.LT: lambda found, wanted: found < wanted,
    Op.LE: lambda found, wanted: found <= wanted,
    Op.GT: lambda found, wanted: found > wanted,
    Op.GE: lambda found, wanted: found >= wanted,
}


def matcher(compare: Compare, patterns: list[Pattern]) -> Test:
    """Return the test for a comparison. If it uses a pattern, that is appended to `patterns`."""
    op, wanted = compare.op, compare.values[0]
    match op:
        case Op.EQ:
            return lambda found: same(found, wanted)
        case Op.NE:
            return lambda found: not same(found, wanted)
        case Op.IN:
            return lambda found: any(same(found, each) for each in compare.values)
        case Op.CONTAINS:
            return _containing(str(wanted))
        case Op.MATCHES | Op.DIFFERS:
            pattern = Pattern(str(wanted))
            patterns.append(pattern)
            return _fitting(pattern, fits=op is Op.MATCHES)
        case Op.LT | Op.LE | Op.GT | Op.GE:
            return _ordered(op, wanted)


def same(found: Any, wanted: Value) -> bool:
    """Return whether two JSON values are equal: 1 equals 1.0, but neither true nor "1"."""
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    return bool(found == wanted)


def _containing(wanted: str) -> Test:
    folded = wanted.casefold()

    def test(found: Any) -> bool:
        if isinstance(found, str):
            return folded in found.casefold()
        if isinstance(found, list | dict):
            return any(isinstance(each, str) and folded == each.casefold() for each in found)
        return isinstance(found, int | float) and not isinstance(found, bool) and folded in str(found)

    return test


def _fitting(pattern: Pattern, *, fits: bool) -> Test:
    def test(found: Any) -> bool:
        if isinstance(found, bool) or not isinstance(found, str | int | float):
            return False
        return pattern.found_in(found if isinstance(found, str) else str(found)) is fits

    return test


def _ordered(op: Op, wanted: Value) -> Test:
    order = _ORDERS[op]
    kinds = str if isinstance(wanted, str) else int | float

    def test(found: Any) -> bool:
        if isinstance(found, bool) or not isinstance(found, kinds):
            return False
        return order(found, wanted)

    if wanted is None or isinstance(wanted, bool):
        return lambda found: False
    return test


def is_there(found: Any) -> bool:
    """Whether a value counts as set: neither null nor false."""
    return found is not None and found is not False


def values_in(message: Message, ref: Ref) -> list[Any]:
    """Return the values of a JSON field of a message: params, arguments, result or error, or a path into them."""
    match message:
        case Request() | Notification() if ref.name in ("params", "args"):
            part = message.params
        case ResultResponse() if ref.name == "result":
            part = message.result
        case ErrorResponse() if ref.name == "error":
            part = message.error
        case _:
            part = None
    path: tuple[Step, ...] = ("arguments", *ref.path) if ref.name == "args" else ref.path
    return reach(part, path) if part is not None else []


def reach(value: Any, path: tuple[str | int | None, ...]) -> list[Any]:
    """Return all values at a path; none if a part of the path does not exist."""
    found = [value]
    for step in path:
        found = [inner for each in found for inner in _inside(each, step)]
    return found


def _inside(value: Any, step: str | int | None) -> list[Any]:
    if isinstance(value, dict):
        if step is None:
            return list(value.values())
        return [value[step]] if step in value else []
    if not isinstance(value, list):
        return []
    if step is None:
        return value
    return [value[step]] if isinstance(step, int) and -len(value) <= step < len(value) else []
