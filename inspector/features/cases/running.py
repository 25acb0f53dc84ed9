"""Runs test cases over a live session, one after the other, and compares each response with what is expected."""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any

import msgspec

from inspector.capture.compare.normal import Normal
from inspector.errors import InspectError, UsageError
from inspector.features.cases.model import OUTPUT_SCHEMA, CaseDefinition, Expectation, ExpectationKind
from inspector.features.cases.values import Values, as_expected
from inspector.forms.patterns import PatternUnusable, matches
from inspector.forms.validate import validate
from inspector.json_pointer import steps
from inspector.present.words import why_silent
from inspector.protocol import peek
from inspector.protocol.changes import ABSENT, JsonChange, differences
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Replied
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.listed_items import Tool
from inspector.protocol.server_requests import Reply, ServerRequest
from inspector.session.scripted import Prepared, policy, prepared
from inspector.session.session import Session

FAILED = "/result/isError"
"""Pointer to the flag that marks a tool error."""
WHOLES = ("", "/result", FAILED)
"""Places at which an expectation makes a case accept a tool error."""
_LONGEST = 300
"""Maximum number of characters of a quoted value."""
_MOST = 8
"""Maximum number of differences listed for one value."""
_STEPS = 5_000_000
"""Step limit of a schema check. It is high because a test can wait for a large value, unlike a screen."""
_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,9})\Z")

NAME = "the case"
"""Name of the policy that answers server requests from the running case."""


class ActualResponse(msgspec.Struct, frozen=True):
    reply: dict[str, Any]
    """`{"result": …}` or `{"error": …}`; {} if there was no response."""
    ms: float | None = None
    """Milliseconds from the request to the response."""
    why: str = ""
    """Why there was no response."""
    output_schema: Any = None
    """Output schema of the called tool; None if there is none."""


class Failure(msgspec.Struct, frozen=True):
    """One expectation that does not hold."""

    sentence: str
    """Description of the failure. Quotes untrusted text."""
    expectation: Expectation | None = None
    """The failed expectation; None if the case failed as a whole."""


Opener = Callable[[], Session]
"""Creates a session that is not connected yet, on its own journal."""


def judge(case: CaseDefinition, response: ActualResponse, normal: Normal) -> list[Failure]:
    """Return all deviations from the expectations; [] if the case passes.

    An error or a tool error is a failure unless an expectation of the case refers to it.
    """
    if response.why:
        return [Failure(f"no answer: {response.why}")]
    if refusal := _refusal(case, response.reply):
        return [Failure(refusal)]
    found = [(each, _fault(each, response, normal)) for each in case.expect]
    return [Failure(sentence, each) for each, sentence in found if sentence]


def value_at(reply: Any, pointer: str) -> Any:
    """Return the value at a JSON Pointer; ABSENT if there is none."""
    value = reply
    for step in steps(pointer):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _INDEX.match(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return ABSENT
    return value


def shown(value: Any) -> str:
    """Return a value as text for a sentence. The text is untrusted."""
    try:
        text = "nothing" if value is ABSENT else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "a value that is nested too deeply to be shown"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def expects_failure(case: CaseDefinition) -> bool:
    """Return whether an expectation refers to an error or a tool error."""
    return _expects_error(case) or _expects_tool_failure(case)


def _expects_error(case: CaseDefinition) -> bool:
    return any(_looks_into(each, "/error") or not each.at for each in case.expect)


def _expects_tool_failure(case: CaseDefinition) -> bool:
    return any(each.kind is not ExpectationKind.FASTER and each.at in WHOLES for each in case.expect)


def _refusal(case: CaseDefinition, reply: dict[str, Any]) -> str:
    """Return why the response as a whole is unexpected; "" if it is not."""
    if "error" in reply and not _expects_error(case):
        error = reply["error"]
        return f"answered with error {peek.at(error, 'code')}: {peek.text(error, 'message') or shown(error)}"
    if peek.flag(reply, "result", "isError") is True and not _expects_tool_failure(case):
        return f"the tool failed: {peek.text(reply, 'result', 'content', 0, 'text') or shown(reply['result'])}"
    return ""


def _looks_into(expectation: Expectation, place: str) -> bool:
    return expectation.kind is not ExpectationKind.FASTER and (expectation.at + "/").startswith(place + "/")


def _fault(expectation: Expectation, response: ActualResponse, normal: Normal) -> str:
    """Return how the response deviates from an expectation; "" if it does not."""
    if expectation.kind is ExpectationKind.FASTER:
        slow = response.ms is None or response.ms > expectation.value
        return f"it took {response.ms or 0:,.0f} ms, and {expectation.value:g} ms were allowed" if slow else ""
    value = value_at(response.reply, expectation.at)
    where = expectation.at or "the entire response"
    if expectation.kind is ExpectationKind.EXISTS:
        is_there = value is not ABSENT
        return "" if is_there is expectation.value else f"{where}: {'is there' if is_there else 'is not there'}"
    if value is ABSENT:
        return f"{where}: is not there"
    message = _SAYS[expectation.kind](expectation.value, value, response, normal)
    return f"{where}: {message}" if message else ""


def _equals(expected: Any, value: Any, response: ActualResponse, normal: Normal) -> str:
    return _sentence_of(differences(expected, value))


def _snapshot(expected: Any, value: Any, response: ActualResponse, normal: Normal) -> str:
    return _sentence_of(differences(normal(expected), normal(value)))


def _sentence_of(changes: tuple[JsonChange, ...]) -> str:
    parts = [
        f"{change.path + ': ' if change.path else ''}expected {shown(change.before)}, came {shown(change.after)}"
        for change in changes[:_MOST]
    ]
    more = len(changes) - _MOST
    return "; ".join(parts) + (f"; and {more:,} more" if more > 0 else "")


def _type(expected: Any, value: Any, response: ActualResponse, normal: Normal) -> str:
    names = expected if isinstance(expected, list) else [expected]
    verdict = validate({"type": names}, value)
    return "" if verdict.ok else f"is of type {peek.type_name(value)}, not {' or '.join(names)}: {shown(value)}"


def _matches(pattern: str, value: Any, response: ActualResponse, normal: Normal) -> str:
    if not isinstance(value, str):
        return f"is not a string: {shown(value)}"
    try:
        return "" if matches(pattern, value) else f"{pattern!r} is not found in {shown(value)}"
    except PatternUnusable as error:
        return str(error)


def _schema(schema: Any, value: Any, response: ActualResponse, normal: Normal) -> str:
    if schema == OUTPUT_SCHEMA:
        if response.output_schema is None:
            return "the tool declares no outputSchema"
        schema = response.output_schema
    verdict = validate(schema, value, steps=_STEPS)
    if verdict.ok is None:
        return verdict.note
    return "; ".join(f"{each.pointer or 'the value'} {each.sentence}" for each in verdict.problems[:_MOST])


_SAYS = {
    ExpectationKind.EQUALS: _equals,
    ExpectationKind.SNAPSHOT: _snapshot,
    ExpectationKind.TYPE: _type,
    ExpectationKind.MATCHES: _matches,
    ExpectationKind.SCHEMA: _schema,
}


class CaseRun(msgspec.Struct, frozen=True):
    case: CaseDefinition
    response: ActualResponse
    failures: tuple[Failure, ...] = ()

    @classmethod
    def failed(cls, case: CaseDefinition, why: str) -> "CaseRun":
        """Return the run of a case that was skipped or got no response."""
        return cls(case, ActualResponse({}, why=why), (Failure(why),))

    @property
    def passed(self) -> bool:
        """Whether all expectations hold."""
        return not self.failures


class CaseResponses:
    """Answers server requests as the running case defines. Pass `answer` to the session as a policy."""

    def __init__(self) -> None:
        self._entries: tuple[Prepared, ...] = ()
        self._given: list[Prepared] = []
        self._tool = ""

    def turn_to(self, case: CaseDefinition) -> None:
        """Use this case's responses from now on, each of them once. Raises: UsageError if one of them can't be read."""
        self._entries, self._given = read_answers(case), []
        self._tool = peek.text(case.params, "name") or "" if case.request == "tools/call" else ""

    async def answer(self, server_request: ServerRequest) -> Reply | None:
        """Return the first unused response that matches, else the last that matches; None if there is none."""
        fit = [each for each in self._entries if each.fits(server_request, self._tool)]
        if not fit:
            return None
        entry = next((each for each in fit if not any(each is given for given in self._given)), fit[-1])
        self._given.append(entry)
        return await policy((entry,), lambda cause: self._tool)(server_request)


def read_answers(case: CaseDefinition) -> tuple[Prepared, ...]:
    """Return the prepared responses of a case to server requests. Raises: UsageError."""
    return tuple(
        prepared(entry, f"case {case.name!r}, answer {number}") for number, entry in enumerate(case.answers, 1)
    )


class Bench:
    """Runs cases over an open session."""

    def __init__(self, session: Session, answers: CaseResponses, normal: Normal, fresh: Opener) -> None:
        """Create the runner. `answers` must be a policy of the session and of the sessions that `fresh` opens."""
        self._session = session
        self._answers = answers
        self._normal = normal
        self._fresh = fresh
        self._schemas: dict[str, Any] | None = None

    async def run(self, case: CaseDefinition, values: Values | None = None) -> CaseRun:
        """Run one case, with these values for its markers; None sends the markers unchanged."""
        if values is None:
            response = await self.ask(case)
            return CaseRun(case, response, tuple(judge(case, response, self._normal)))
        try:
            resolved = values.resolved(case)
        except UsageError as error:
            return CaseRun.failed(case, f"not run: {error}")
        return judged(case, resolved, await self.ask(resolved), values, self._normal)

    async def ask(self, case: CaseDefinition) -> ActualResponse:
        """Send the case's request and return the outcome."""
        if case.session:
            return ActualResponse({}, why="a case with a recorded session runs with `mcp-inspect test` only")
        try:
            self._answers.turn_to(case)
            if not case.isolate:
                return await self._came(self._session, case)
            return await self._alone(case)
        except InspectError as error:
            return ActualResponse({}, why=str(error))

    async def _alone(self, case: CaseDefinition) -> ActualResponse:
        fresh = self._fresh()
        try:
            async with fresh as session:
                await session.connect()
                return await self._came(session, case)
        finally:
            fresh.journal.close()

    async def _came(self, session: Session, case: CaseDefinition) -> ActualResponse:
        schema = await self._output_schema(session, case)
        exchanges: list[Exchange] = []
        called = await session.call(case.request, case.params, opened=exchanges.append)
        return response_of(called, exchanges, schema)

    async def _output_schema(self, session: Session, case: CaseDefinition) -> Any:
        """Return the called tool's output schema; None if the case does not need it. Tools are listed at most once."""
        if case.request != "tools/call" or (case.expect and not _needs_schema(case)):
            return None
        if self._schemas is None:
            pages = await session.list_all("tools")
            tools = () if pages.failed is not None else tuple(map(Tool, pages.items))
            self._schemas = {tool.name: tool.output_schema for tool in tools if tool.name}
        return self._schemas.get(peek.text(case.params, "name") or "")


def judged(
    case: CaseDefinition, resolved: CaseDefinition, response: ActualResponse, values: Values, normal: Normal
) -> CaseRun:
    """Return the result of a case that was sent as `resolved`, with secrets masked; save its values if it passed."""
    seen = msgspec.structs.replace(response, reply=values.masked(response.reply), why=values.masked(response.why))
    expected = msgspec.structs.replace(resolved, expect=as_expected(resolved.expect, values))
    failures = judge(expected, seen, normal)
    if not failures:
        failures = list(map(Failure, values.save(case, response.reply)))
    return CaseRun(case, seen, tuple(failures))


def response_of(called: Called, exchanges: Sequence[Exchange], schema: Any) -> ActualResponse:
    """Return the outcome of a call; `schema` is the output schema of the tool, None if there is none."""
    if not isinstance(called.reply, Replied):
        return ActualResponse({}, why=why_silent(called.reply))
    message = called.reply.message
    reply = {"result": message.result} if isinstance(message, ResultResponse) else {"error": message.error}
    return ActualResponse(reply, _took(exchanges), output_schema=schema)


def _needs_schema(case: CaseDefinition) -> bool:
    return any(each.kind is ExpectationKind.SCHEMA and each.value == OUTPUT_SCHEMA for each in case.expect)


async def run_all(
    bench: Bench, cases: Iterable[CaseDefinition], values: Values | None = None
) -> AsyncIterator[CaseRun]:
    """Run the cases in order, with these values for their markers."""
    for case in cases:
        yield await bench.run(case, values)


def _took(exchanges: Sequence[Exchange]) -> float | None:
    """Return milliseconds from the first request to the last response; None if they are unknown."""
    if not exchanges or exchanges[-1].ended_ns is None:
        return None
    return (exchanges[-1].ended_ns - exchanges[0].started_ns) / 1e6
