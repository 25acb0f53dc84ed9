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

# Faults on demand


class FaultKind(StrEnum):
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


class InjectedFault(msgspec.Struct, frozen=True):
    """One fault, as it was ordered."""

    kind: FaultKind
    term: Term | None = None
    """Which requests it is for; None for all."""
    seconds: float = 0.0
    code: int = _ON_ERROR
    after: int = 0
    """So many requests are spared first."""
    times: int | None = None
    """How often it happens; None: always."""
    text: str = ""
    """As it was typed."""


def read_fault(text: str) -> InjectedFault:
    """A fault as a person types it. Raises: UsageError."""
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
    """The faults of one run, and how often each has happened. `matches` holds a filter against a request."""

    def __init__(self, faults: Sequence[InjectedFault]) -> None:
        self._faults = [_Counted(fault) for fault in faults]

    def next_fault(self, matches: Callable[[Term], bool]) -> InjectedFault | None:
        """The fault that happens to this request; None if none does. Of several the first."""
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


_SHOWN = 200
"""Characters of foreign JSON in a sentence."""


class Serves(StrEnum):
    """To which clients the mock talks."""

    RECORDED = "recorded"
    """To both, but `server/discover` gets the answer that was recorded, if it was asked."""
    BOTH = "both"
    LEGACY = "legacy"
    MODERN = "modern"


class MockSettings(msgspec.Struct, frozen=True):
    """How a script is played."""

    speed: float = 1.0
    """As often as its own pace; infinite for no pauses."""
    serves: Serves = Serves.RECORDED
    strict: bool = False
    """Whether differences from the recording are reported one by one."""
    faults: tuple[InjectedFault, ...] = ()


class MockShared:
    """A script that is being played. `tape` records it; filters of faults need one."""

    def __init__(
        self,
        script: Script,
        settings: MockSettings,
        *,
        tell: Callable[[str], None],
        tape: Journal | None = None,
    ) -> None:
        self.script = script
        self.settings = settings
        self.book = Book(script)
        self.tell = tell
        self.tape = tape
        self.differences = 0
        """How often a client did something else than was recorded."""
        self._faults = Faults(settings.faults)
        self._programs: dict[int, Program] = {}
        self._told: set[str] = set()

    def tell_once(self, text: str) -> None:
        """Say something that need not be said again."""
        if text not in self._told:
            self._told.add(text)
            self.tell(text)

    def differs(self, text: str, *, always: bool = False) -> None:
        """Record that a client did something else than in the recording; it is reported if requested."""
        self.differences += 1
        if always or self.settings.strict:
            self.tell(text)

    def next_fault(self, entry: int) -> InjectedFault | None:
        """The fault that happens to the request which is that entry of the tape."""
        return self._faults.next_fault(lambda term: self._matches(term, entry))

    def resumed(self, method: str, params: Any, key: str) -> tuple[Turn, int] | None:
        """Where a retry continues: the turn, and the step with the server request; None if there was none.

        `params` are those of the request, whole; `key` identifies the request without them.
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
        """The places that ask, by the state that travels with the questions: a turn's position, and the step."""
        found: dict[str, list[tuple[int, int]]] = {}
        for index in self.script.turns.asking:
            turn = self.script.turns[index]
            for at, _ in steps_that_ask(turn):
                found.setdefault(state_of(turn, at), []).append((index, at))
        return found

    def take_answers(self, turn: Turn, at: int, params: Any) -> None:
        """Compare the answers that a retry brings with those that were recorded."""
        queries = _ask((turn, at)).queries
        for name, query in zip(names_of(queries), queries, strict=True):
            there = peek.has(params, "inputResponses", name)
            self.compare(query, Part(None, peek.at(params, "inputResponses", name)) if there else None)

    def compare(self, query: Query, given: Part | None, *, failed: bool = False) -> None:
        """Compare an answer of the client's with the one that was recorded."""
        if query.answer is None:
            return
        was, now = _told(query.answer, query.failed), _told(given, failed) if given is not None else "nothing"
        if was != now:
            self.differs(f"{query.method} was answered with {now[:_SHOWN]}; recorded is {was[:_SHOWN]}")

    def refusal_of(self, era: Era) -> str:
        """Why clients of an era are not served; "" if they are."""
        serves = self.settings.serves
        return (
            "" if serves in (Serves.RECORDED, Serves.BOTH, Serves(era.value)) else f"this mock serves {serves} clients"
        )

    def recorded_discovery(self) -> Turn | None:
        """The recorded answer to `server/discover` that is to be played, although none of its era."""
        return refuses_discover(self.script) if self.settings.serves is Serves.RECORDED else None

    def meets(self, era: Era) -> None:
        """A client of this era has come: say what can't be had in it."""
        if era is not self.script.era:
            self.tell_once(f"a {era} client is served from a capture of a {self.script.era} conversation")
            for what in lost_between_eras(self.script):
                self.tell_once(f"not served to it: {what}")

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


def _told(part: Part, failed: bool) -> str:
    value = part.value
    if failed:
        return f"error {peek.at(value, 'code')}"
    return key_of({name: each for name, each in value.items() if name != "_meta"} if isinstance(value, dict) else value)


def any_faults(faults: Sequence[InjectedFault]) -> bool:
    """Whether a tape is needed to know which requests they are for."""
    return any(fault.term is not None for fault in faults)
