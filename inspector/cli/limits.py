"""The option that raises a limit: `--max message=1G`, for every command that talks to a server."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import msgspec

from inspector.cli.help import shared
from inspector.errors import UsageError
from inspector.transports.limits import LIMITS, Limits

F = TypeVar("F", bound=Callable[..., Any])

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}
_AMOUNT = r"(\d{1,15})\s*([kmg]i?)?b?"
_NAMES = tuple(Limits.__struct_fields__)
_OPTION = shared(
    "server", "--max", "limits", multiple=True, metavar="NAME=N", help=f"Raise a limit: {', '.join(_NAMES)}."
)


def limit_options(command: F) -> F:
    """Add it."""
    return cast(F, _OPTION(command))


def read(options: Mapping[str, Any]) -> Limits:
    """What the options come to; what they say of schemas holds from here on. Raises: UsageError."""
    found = msgspec.structs.replace(LIMITS, **dict(map(_one, options.get("limits", ()))))
    if (found.schema, found.pattern) != (LIMITS.schema, LIMITS.pattern):
        from inspector.forms.bounds import Bounds, move  # hardly anybody moves them

        move(Bounds(found.schema, found.pattern))
    return found


def _one(text: str) -> tuple[str, int]:
    name, equals, amount = (part.strip() for part in text.partition("="))
    found = re.fullmatch(_AMOUNT, amount, re.IGNORECASE)
    if not equals or name not in _NAMES or found is None:
        raise UsageError(f"--max {text!r} names no limit", hint=f"Write NAME=N, with NAME one of {', '.join(_NAMES)}.")
    number = int(found.group(1)) * _UNITS[(found.group(2) or "").lower()]
    if number < 1:
        raise UsageError(f"--max {text!r}: nothing could be received", hint="Give 1 or more.")
    return name, number
