"""Faults on demand: what goes wrong, with which requests, and how often.

    delay 2s on tools/call            error -32000 on tools/call echo        cut on resources/read 2 times
    malformed after 3                 tool == "echo" and args.n > 3 => drop 1 time

What stands before `=>` is a filter, held against the client's request.
"""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum

import msgspec

from inspector.capture.filters.parse import parse
from inspector.capture.filters.terms import Term
from inspector.errors import FilterError, UsageError


class Kind(StrEnum):
    """What goes wrong."""

    DELAY = "delay"
    """The answer comes later."""
    ERROR = "error"
    """A JSON-RPC error comes instead."""
    CUT = "cut"
    """Half of the answer comes, and then the connection breaks."""
    MALFORMED = "malformed"
    """Half of the answer comes as if it were whole."""
    DROP = "drop"
    """No answer comes."""


_FORMS = 'Write "delay 2s on tools/call", "error", "cut", "malformed" or "drop", or "FILTER => drop 2 times".'
_FAULT = re.compile(
    r"(?P<kind>delay|error|cut|malformed|drop)"
    r"(?:\s+(?P<number>-?\d+(?:\.\d+)?)(?P<unit>ms|s|m)?)?"
    r"(?:\s+on\s+(?P<method>[^\s]+)(?:\s+(?P<name>(?!after\b|\d+\s+times?\b)\S+))?)?"
    r"(?:\s+after\s+(?P<after>\d+))?"
    r"(?:\s+(?P<times>\d+)\s+times?)?\s*\Z"
)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, None: 1.0}
_ON_ERROR = -32603


class Fault(msgspec.Struct, frozen=True):
    """One fault, as it was ordered."""

    kind: Kind
    term: Term | None = None
    """Which requests it is for; None for all."""
    seconds: float = 0.0
    code: int = _ON_ERROR
    after: int = 0
    """So many requests are spared first."""
    times: int | None = None
    """How often it happens; None for ever."""
    text: str = ""
    """As it was typed."""


def read_fault(text: str) -> Fault:
    """A fault as a person types it. Raises: UsageError."""
    before, arrow, what = text.rpartition("=>")
    found = _FAULT.match(what.strip())
    if found is None or (arrow and (found["method"] or not before.strip())):
        raise UsageError(f"--fault {text!r}: no fault can be read from it", hint=_FORMS)
    kind = Kind(found["kind"])
    if (kind is Kind.DELAY) != bool(found["number"]) and kind is not Kind.ERROR:
        raise UsageError(f"--fault {text!r}: only delay has a time, and needs one", hint=_FORMS)
    number = float(found["number"] or 0)
    if kind is Kind.ERROR and (found["unit"] or not number.is_integer()):
        raise UsageError(f"--fault {text!r}: the code of an error is a whole number", hint=_FORMS)
    try:
        term = parse(before if arrow else _selector(found["method"], found["name"]))
    except FilterError as error:
        raise UsageError(f"--fault {text!r}: {error}", hint=_FORMS) from None
    times = int(found["times"]) if found["times"] else None
    return Fault(
        kind,
        term,
        seconds=number * _SECONDS[found["unit"]] if kind is Kind.DELAY else 0.0,
        code=int(number) if kind is Kind.ERROR and number else _ON_ERROR,
        after=int(found["after"] or 0),
        times=times,
        text=text,
    )


def _selector(method: str | None, name: str | None) -> str:
    if method is None:
        return ""
    text = f"method == {_quoted(method)}"
    if name is None:
        return text
    field = {"tools/call": "tool", "prompts/get": "prompt", "resources/read": "uri"}.get(method, "params.name")
    return f"{text} and {field} == {_quoted(name)}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Faults:
    """The faults of one run, and how often each has happened. `matches` holds a filter against a request."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = [_Counted(fault) for fault in faults]

    def strike(self, matches: Callable[[Term], bool]) -> Fault | None:
        """The fault that happens to this request; None if none does. Of several the first."""
        for each in self._faults:
            if (each.fault.term is None or matches(each.fault.term)) and each.happens():
                return each.fault
        return None


class _Counted:
    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self._seen = 0

    def happens(self) -> bool:
        self._seen += 1
        at = self._seen - self.fault.after
        return at > 0 and (self.fault.times is None or at <= self.fault.times)
