"""Values of variables and headers that are probably not as their author meant them."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from inspector.protocol.claims import moment, read_claims

PLACEHOLDER = re.compile(
    r"\$\{[^${}]*\}|\$env:\w+|%[A-Z_]{3,}%|\{\{[^{}]*\}\}|<(?i:your|my|insert|path|api|the)[\w -]*>|\bYOUR_[A-Z_]{3,}\b"
)
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|apikey)\s+")
_EXAMPLE = re.compile(r"(?i)your[-_ ][\w -]{2,40}|x{4,}|<[^<>]{2,60}>|change_?me|(?:[a-z]{2,6}[-_])?\.{3}")
"""A value as a documentation has it."""
_QUOTED = re.compile(r"\"[^\"]+\"|'[^']+'")


def flaws_of(given: Iterable[tuple[str, str]], now: float) -> tuple[str, ...]:
    """Return what is doubtful about values, in sentences that do not contain them. `now`: seconds since 1970."""
    return tuple(found for name, value in sorted(given) for found in _flaws(name, value, now))


def _flaws(name: str, value: str, now: float) -> Iterator[str]:
    bare = _SCHEME.sub("", value, count=1)
    if PLACEHOLDER.fullmatch(bare):
        yield f"the value of {name} is a placeholder that was not expanded"
    elif _EXAMPLE.fullmatch(bare):
        yield f"the value of {name} is that of an example"
    elif value != value.strip("\r\n") or value.isspace():
        yield f"the value of {name} {'is a blank' if value.isspace() else 'begins or ends with a line break'}"
    elif bare != value and _SCHEME.match(bare):
        yield f"the value of {name} has its scheme twice"
    elif _QUOTED.fullmatch(bare):
        yield f"the quotes around the value of {name} are a part of it"
    elif (claims := read_claims(bare)) is not None and (ends := moment(claims, "exp")) is not None and ends <= now:
        date = datetime.fromtimestamp(max(ends, 0), UTC).date()
        yield f"the token in {name} expired on {date}"
