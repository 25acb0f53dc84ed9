"""Runs test cases over a live session, one after the other."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any

import msgspec

from inspector.capture.compare.normal import Normal
from inspector.errors import InspectError, UsageError
from inspector.features.cases.collection import Values, as_expected
from inspector.features.cases.judging import ActualResponse, Failure, judge
from inspector.features.cases.model import OUTPUT_SCHEMA, CaseDefinition, ExpectationKind
from inspector.present.words import why_silent
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Replied
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.listed_items import Tool
from inspector.protocol.server_requests import Reply, ServerRequest
from inspector.session.scripted import Prepared, policy, prepared
from inspector.session.session import Session

NAME = "the case"
"""Name of the policy that answers server requests from the running case."""
Opener = Callable[[], Session]
"""Creates a session that is not connected yet, on its own journal."""


class CaseRun(msgspec.Struct, frozen=True):
    """A case and its outcome."""

    case: CaseDefinition
    came: ActualResponse
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
        """Use this case's responses from now on, each of them once.

        Raises: UsageError if one of them can't be read.
        """
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
    """Return the prepared responses of a case to server requests.

    Raises: UsageError.
    """
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
            came = await self.ask(case)
            return CaseRun(case, came, tuple(judge(case, came, self._normal)))
        try:
            resolved = values.resolved(case)
        except UsageError as error:
            return CaseRun.failed(case, f"not run: {error}")
        return judged(case, resolved, await self.ask(resolved), values, self._normal)

    async def ask(self, case: CaseDefinition) -> ActualResponse:
        """Send the case's request and return the outcome."""
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
    case: CaseDefinition, resolved: CaseDefinition, came: ActualResponse, values: Values, normal: Normal
) -> CaseRun:
    """Return the result of a case that was sent as `resolved`, with secrets masked; save its values if it passed."""
    seen = msgspec.structs.replace(came, reply=values.masked(came.reply), why=values.masked(came.why))
    expected = msgspec.structs.replace(resolved, expect=as_expected(resolved.expect, values))
    failures = judge(expected, seen, normal)
    if not failures:
        failures = list(map(Failure, values.save(case, came.reply)))
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
