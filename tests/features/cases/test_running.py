"""Cases run over a live session."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from inspector.capture.compare.normal import Normal
from inspector.capture.journal import Journal, start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.errors import UsageError
from inspector.features.cases.model import OUTPUT_SCHEMA, CaseDefinition, Expectation, ExpectationKind
from inspector.features.cases.running import NAME, Bench, CaseResponses, read_answers, run_all
from inspector.protocol import capabilities
from inspector.protocol.revisions._shape import Era
from inspector.protocol.server_requests import RequestKind as ServerRequest
from inspector.protocol.server_requests import Result
from inspector.protocol.server_requests import ServerRequest as Asked
from inspector.session.open import open_session
from inspector.session.options import Settings, Timeouts
from inspector.session.session import Session
from tests.architecture.sources import ROOT

_SAYS = "/result/content/0/text"
_OPEN = {"name": "open_account", "arguments": {}}


def _case(name: str, *expect: Expectation, isolate: bool = False) -> CaseDefinition:
    return CaseDefinition(name, "tools/call", {"name": name, "arguments": {}}, expect, isolate=isolate)


@asynccontextmanager
async def _bench(*words: str) -> AsyncIterator[tuple[Bench, list[Journal]]]:
    answers = CaseResponses()
    journals: list[Journal] = []

    def fresh() -> Session:
        journals.append(start_capture(None))
        target = StdioTarget(
            (sys.executable, *words), build_environment({}, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"]), str(ROOT)
        )
        settings = Settings(
            era=Era.LEGACY,
            clocks=Timeouts(10, 10),
            policies=((NAME, answers.answer),),
            offers=frozenset(capabilities.ALL),
        )
        return open_session(target, journals[-1], settings)

    async with fresh() as session:
        await session.connect()
        yield Bench(session, answers, Normal(), fresh), journals
    journals[0].close()


async def test_cases_are_run_in_order_and_one_alone_has_a_connection_of_its_own() -> None:
    morning = Expectation(ExpectationKind.EQUALS, "Good morning", _SAYS)
    cases = (
        _case("greet", morning, Expectation(ExpectationKind.FASTER, 60_000)),
        _case("greet", Expectation(ExpectationKind.EQUALS, "Good night", _SAYS)),
        _case("greet", morning, isolate=True),
        _case("sing"),
        _case("sing", Expectation(ExpectationKind.MATCHES, "no such account", "/error/message")),
        _case("greet", Expectation(ExpectationKind.SCHEMA, OUTPUT_SCHEMA, "/result/structuredContent")),
    )
    async with _bench(str(ROOT / "tests" / "servers" / "ledger.py")) as (bench, journals):
        ran = [each async for each in run_all(bench, cases)]
        assert [each.passed for each in ran] == [True, False, True, False, True, False]
        assert ran[1].failures[0].sentence == f'{_SAYS}: expected "Good night", came "Good morning"'
        assert all(each.response.ms is not None for each in ran)
        assert len(journals) == 2
        listed = [each for each in journals[0].conversation.exchanges if each.method == "tools/list"]
        assert len(listed) == 2  # two pages, asked for by the last case alone


async def test_a_server_that_dies_is_a_failure_of_each_case_that_comes_after() -> None:
    async with _bench(str(ROOT / "tests" / "servers" / "scripted.py"), _DIES) as (bench, _):
        ran = [
            each
            async for each in run_all(bench, (CaseDefinition("a", "tools/call", _OPEN), CaseDefinition("b", "ping")))
        ]
    assert [each.passed for each in ran] == [False, False]
    assert ["connection" in each.failures[0].sentence for each in ran] == [True, True]


_DIES = (
    '{"initialize": {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, '
    '"serverInfo": {"name": "s", "version": "1"}}}, "tools/call": "death"}'
)


async def test_each_answer_is_given_once_and_the_last_again() -> None:
    one, two, no = ({"kind": "elicitation", "malformed": n} for n in (1, 2, 3))
    only = {"kind": "elicitation", "tool": "other", "malformed": 4}
    answers = CaseResponses()
    server_request = Asked(ServerRequest.ELICITATION, {"message": "?"}, 1, 1, 0)
    answers.turn_to(CaseDefinition("a", "tools/call", {"name": "mine"}, answers=(only, one, one, two)))
    assert [await answers.answer(server_request) for _ in range(4)] == [Result(1), Result(1), Result(2), Result(2)]
    answers.turn_to(CaseDefinition("a", "tools/call", {"name": "other"}, answers=(only, no)))
    assert await answers.answer(server_request) == Result(4)
    answers.turn_to(CaseDefinition("b", "ping"))
    assert await answers.answer(server_request) is None


def test_an_answer_that_cannot_be_read_names_its_case() -> None:
    with pytest.raises(UsageError, match="case 'a', answer 2"):
        read_answers(
            CaseDefinition("a", "ping", answers=({"kind": "elicitation", "answer": "decline"}, {"kind": "roots"}))
        )
