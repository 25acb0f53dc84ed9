"""What all clients of a mock share: the script, settings, faults and recorded differences."""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any

import msgspec

from inspector.capture.journal import Journal
from inspector.errors import FilterError, UsageError
from inspector.features.mock.matching import Book
from inspector.features.mock.openings import lost_between_eras, refuses_discover
from inspector.features.mock.playback import names_of, state_of, steps_that_ask
from inspector.features.mock.script import Query, Script, ScriptedServerRequest, Turn, key_of
from inspector.filters.engine.program import Program
from inspector.filters.language.fields import Term
from inspector.filters.language.parser import parse
from inspector.protocol import peek
from inspector.protocol.jsonrpc import Part
from inspector.protocol.revisions._shape import Era

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

_SHOWN = 200
"""Maximum number of characters of foreign JSON in a sentence."""


# Injected faults


class FaultKind(StrEnum):
    DELAY = "delay"
    """The response is delayed."""
    ERROR = "error"
    """A JSON-RPC error replaces the response."""
    CUT = "cut"
    """Half of the response is sent, then the connection breaks."""
    MALFORMED = "malformed"
    """Half of the response is sent as if it were complete."""
    DROP = "drop"
    """No response is sent."""


class InjectedFault(msgspec.Struct, frozen=True):
    """A fault, as requested by the user."""

    kind: FaultKind
    term: Term | None = None
    """Filter for requests; None for all."""
    seconds: float = 0.0
    code: int = _ON_ERROR
    after: int = 0
    """Number of matching requests that are skipped first."""
    times: int | None = None
    """How often it occurs; None for always."""
    text: str = ""
    """The fault as the user typed it."""


class Serves(StrEnum):
    """The clients that the mock serves."""

    RECORDED = "recorded"
    """Both eras, except that `server/discover` gets the recorded response if there is one."""
    BOTH = "both"
    LEGACY = "legacy"
    MODERN = "modern"


class MockSettings(msgspec.Struct, frozen=True):
    """How a script is played."""

    speed: float = 1.0
    """Factor of the recorded speed; infinite for no pauses."""
    serves: Serves = Serves.RECORDED
    strict: bool = False
    """Whether differences from the recording are reported individually."""
    faults: tuple[InjectedFault, ...] = ()


def read_fault(text: str) -> InjectedFault:
    """Parse a fault from user input. Raises: UsageError."""
    before, arrow, what = text.rpartition("=>")
    found = _FAULT.match(what.strip())
    if found is None or (arrow and (found["method"] or not before.strip())):
        raise UsageError(f"--fault {text!r}: no fault can be read from it", hint=_FORMS)
    kind = FaultKind(found["kind"])
    if (kind is FaultKind.DELAY) != bool(found["number"]) and kind is not FaultKind.ERROR:
        raise UsageError(f"--fault {text!r}: only delay has a time, and needs one", hint=_FORMS)
    number = float(found["number"] or 0)
    if kind is FaultKind.ERROR and (found["unit"] or not number.is_integer()):
        raise UsageError(f"--fault {text!r}: the code of an error is a whole number", hint=_FORMS)
    try:
        term = parse(before if arrow else _selector(found["method"], found["name"]))
    except FilterError as error:
        raise UsageError(f"--fault {text!r}: {error}", hint=_FORMS) from None
    times = int(found["times"]) if found["times"] else None
    return InjectedFault(
        kind,
        term,
        seconds=number * _SECONDS[found["unit"]] if kind is FaultKind.DELAY else 0.0,
        code=int(number) if kind is FaultKind.ERROR and number else _ON_ERROR,
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
    """The faults of one run, with their counts. `matches` tests a filter against a request."""

    def __init__(self, faults: Sequence[InjectedFault]) -> None:
        self._faults = [_Counted(fault) for fault in faults]

    def next_fault(self, matches: Callable[[Term], bool]) -> InjectedFault | None:
        """Return the first fault that applies to this request; None if there is none."""
        for each in self._faults:
            if (each.fault.term is None or matches(each.fault.term)) and each.happens():
                return each.fault
        return None


class _Counted:
    def __init__(self, fault: InjectedFault) -> None:
        self.fault = fault
        self._seen = 0

    def happens(self) -> bool:
        self._seen += 1
        at = self._seen - self.fault.after
        return at > 0 and (self.fault.times is None or at <= self.fault.times)


class MockShared:
    """A script in playback. `tape` records it; filters of faults need one."""

    def __init__(
        self, script: Script, settings: MockSettings, *, tell: Callable[[str], None], tape: Journal | None = None
    ) -> None:
        self.script = script
        self.settings = settings
        self.book = Book(script)
        self.tell = tell
        self.tape = tape
        self.differences = 0
        """Number of differences between the client's behavior and the recording."""
        self._faults = Faults(settings.faults)
        self._programs: dict[int, Program] = {}
        self._quoted_part: set[str] = set()

    def report_once(self, text: str) -> None:
        """Report a message unless it was already reported."""
        if text not in self._quoted_part:
            self._quoted_part.add(text)
            self.tell(text)

    def differs(self, text: str, *, always: bool = False) -> None:
        """Count a difference from the recording; report it if the settings or `always` demand it."""
        self.differences += 1
        if always or self.settings.strict:
            self.tell(text)

    def next_fault(self, entry: int) -> InjectedFault | None:
        """Return the fault that applies to the request with this entry on the tape."""
        return self._faults.next_fault(lambda term: self._matches(term, entry))

    def resumed(self, method: str, params: Any, key: str) -> tuple[Turn, int] | None:
        """Return where a retry continues: the turn, and the step with the server request; None if there was none.

        `params` are the complete params of the request; `key` identifies the request without them.
        """
        state, turns = peek.text(params, "requestState"), self.script.turns
        if state is not None:
            there = [(turns[index], at) for index, at in self._by_state.get(state, [])]
        else:
            asking = [turns[index] for index in turns.asking if turns.methods[index] == method]
            there = [(turn, at) for turn in asking for at, _ in steps_that_ask(turn)]
        fit = [each for each in there if each[0].method == method and each[0].key == key] or there
        if not fit:
            return None
        given = set(peek.mapping(params, "inputResponses"))
        return next((each for each in fit if given & set(names_of(_ask(each).queries))), fit[0])

    @cached_property
    def _by_state(self) -> dict[str, list[tuple[int, int]]]:
        """Positions (turn, step) of server requests by their `requestState`."""
        found: dict[str, list[tuple[int, int]]] = {}
        for index in self.script.turns.asking:
            turn = self.script.turns[index]
            for at, _ in steps_that_ask(turn):
                found.setdefault(state_of(turn, at), []).append((index, at))
        return found

    def take_answers(self, turn: Turn, at: int, params: Any) -> None:
        """Compare the responses in a retry with the recorded ones."""
        queries = _ask((turn, at)).queries
        for name, query in zip(names_of(queries), queries, strict=True):
            there = peek.has(params, "inputResponses", name)
            self.compare(query, Part(None, peek.at(params, "inputResponses", name)) if there else None)

    def compare(self, query: Query, given: Part | None, *, failed: bool = False) -> None:
        """Compare a response of the client with the recorded one."""
        if query.answer is None:
            return
        was, now = (
            _quoted_part(query.answer, query.failed),
            _quoted_part(given, failed) if given is not None else "nothing",
        )
        if was != now:
            self.differs(f"{query.method} was answered with {now[:_SHOWN]}; recorded is {was[:_SHOWN]}")

    def refusal_of(self, era: Era) -> str:
        """Return why clients of an era are not served; "" if they are."""
        serves = self.settings.serves
        return (
            "" if serves in (Serves.RECORDED, Serves.BOTH, Serves(era.value)) else f"this mock serves {serves} clients"
        )

    def recorded_discovery(self) -> Turn | None:
        """Return the recorded `server/discover` turn that takes precedence over the mock's own response."""
        return refuses_discover(self.script) if self.settings.serves is Serves.RECORDED else None

    def meets(self, era: Era) -> None:
        """Record that a client of this era is connected, and report what it can't be served."""
        if era is not self.script.era:
            self.report_once(f"a {era} client is served from a capture of a {self.script.era} conversation")
            for what in lost_between_eras(self.script):
                self.report_once(f"not served to it: {what}")

    def _matches(self, term: Term, entry: int) -> bool:
        if self.tape is None or not entry:
            return False
        program = self._programs.get(id(term))
        if program is None:
            clock = self.tape.store.time_ns
            program = Program(
                term, self.tape, clock=lambda: clock(self.tape.count if self.tape else 1), say=lambda _: ""
            )
            self._programs[id(term)] = program
        return program.matches(entry)


def _ask(place: tuple[Turn, int]) -> ScriptedServerRequest:
    step = place[0].steps[place[1]]
    assert isinstance(step, ScriptedServerRequest), "that is what steps_that_ask gives"
    return step


def _quoted_part(part: Part, failed: bool) -> str:
    value = part.value
    if failed:
        return f"error {peek.at(value, 'code')}"
    return key_of({name: each for name, each in value.items() if name != "_meta"} if isinstance(value, dict) else value)


def any_faults(faults: Sequence[InjectedFault]) -> bool:
    """Return whether the faults need a tape to select requests."""
    return any(fault.term is not None for fault in faults)
