"""What a server proposes for an argument: values to choose from, and what it says of how many there are.

Source: specification 2025-06-18, server/utilities/completion.
"""

from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.viewmodels import signs, text
from inspector.viewmodels.lines import Line

MOST_ALLOWED = 100
"""Values that a server may send at once."""
UNSUPPORTED = -32601


class Completion(msgspec.Struct, frozen=True):
    """What came of asking."""

    values: tuple[str, ...] = ()
    """As they came: they are sent back as they are, and are not safe to show."""
    note: Line = ()
    """How many there are, or what went wrong."""
    supported: bool = True
    """False if the server does not know the question."""


def completion_of(result: Any) -> Completion:
    """Read the result of completion/complete, whatever it is."""
    if not isinstance(peek.at(result, "completion", "values"), list):
        return Completion(note=((f"{signs.WARNING} the answer has no completion.values", "warning"),))
    given = peek.items(result, "completion", "values")
    values = tuple(value for value in given if isinstance(value, str))
    return Completion(values, _note(result, values, len(given) - len(values)))


def _note(result: Any, values: tuple[str, ...], odd: int) -> Line:
    total, more = peek.integer(result, "completion", "total"), peek.flag(result, "completion", "hasMore") is True
    count = f"{len(values):,} value{'' if len(values) == 1 else 's'}" if values else "no values"
    if total is not None and total != len(values):
        count += f" of {total:,}"
    if more:
        count += ", and there are more"
    wrong = ""
    if len(values) > MOST_ALLOWED:
        wrong = f"  {signs.WARNING} more than the {MOST_ALLOWED} that are allowed at once"
    elif odd:
        wrong = f"  {signs.WARNING} {odd:,} that are no texts"
    return (count, "muted"), (wrong, "warning")


def completion_failed(error: Any) -> Completion:
    """Read a JSON-RPC error: the question is unknown, or this one was refused."""
    if peek.integer(error, "code") == UNSUPPORTED:
        return NOT_SUPPORTED
    said = text.visible(peek.text(error, "message") or "no reason given", limit=200)
    return Completion(note=((f"{signs.WARNING} not completed: {said}", "warning"),))


NOT_SUPPORTED = Completion(note=(("the server completes no arguments", "muted"),), supported=False)
