"""Makes test cases from captured requests, with a proposal for each possible assertion."""

import json
import re
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import OperationRecord
from inspector.capture.journal import Journal
from inspector.capture.messages import request_of, response_of
from inspector.features.cases.model import OUTPUT_SCHEMA, CaseDefinition, Expectation, ExpectationKind, escaped
from inspector.features.cases.running import FAILED, WHOLES, expects_failure
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.server_requests import KIND_OF_SERVER_REQUEST, REJECTED, ServerRequest
from inspector.protocol.server_requests import RequestKind as QuestionsKind
from inspector.protocol.tracking.exchanges import goes_on

# Writing test cases as a plain pytest file

_HEAD = Path(__file__).with_name("pytest_head.txt").read_text("utf-8")

_DEEPEST = 20
"""Maximum depth of a generated schema."""

_MOST_KINDS = 20
"""Maximum number of different item schemas of an array. If there are more, items may be anything."""

_ROOM = 3
"""Factor by which a response may be slower than the recorded one."""

_LEFT_OUT = {"_meta"}
"""Members of params that the client generates for each request."""

_CALLS = {"tools/call", "resources/read", "prompts/get", "completion/complete"}
"""Requests that become cases unless others are chosen."""


Entry = dict[str, Any]
"""A response, as written in a case."""


class SeenExchange(msgspec.Struct, frozen=True):
    """A request and its response as sent. A retry with responses is replaced by the original request."""

    method: str
    params: Any
    reply: dict[str, Any]
    ms: float | None
    answers: tuple[Any, ...] = ()
    """Responses to the server requests of the call, as written in a case."""


def pytest_file(cases: Sequence[CaseDefinition], target: Sequence[str]) -> str:
    """Return the text of a pytest file. `target` is the server's command, or only its URL."""
    taken: set[str] = set()
    tests = ("\n".join(_test(case, _name(case.name, taken))) for case in cases)
    return _HEAD.format(target=ascii(list(target))) + "".join(f"\n\n{test}\n" for test in tests)


def _test(case: CaseDefinition, name: str) -> Iterator[str]:
    alone = case.isolate
    indent = "        " if alone else "    "
    yield f"def {name}({'' if alone else 'server: ServerUnderTest'}) -> None:"
    if alone:
        yield "    with ServerUnderTest(*TARGET) as server:"
    answers = f", answers={_code(list(case.answers))}" if case.answers else ""
    yield f"{indent}reply = server.request({case.request!a}, {_code(case.params)}{answers})"
    checks = [line for each in case.expect for line in _check(each)]
    if not expects_failure(case):
        checks.insert(0, "assert not reply.error")
    yield from (indent + line for line in checks)


def _check(expectation: Expectation) -> Iterator[str]:
    at, value = ascii(expectation.at), _code(expectation.value)
    match expectation.kind:
        case ExpectationKind.EQUALS:
            alone = expectation.value is None or isinstance(expectation.value, bool)
            yield f"assert reply.at({at}) {'is' if alone else '=='} {value}"
        case ExpectationKind.TYPE:
            yield f"assert reply.problems({at}, {{'type': {value}}}) == []"
        case ExpectationKind.EXISTS:
            yield f"assert {'' if expectation.value else 'not '}reply.has({at})"
        case ExpectationKind.MATCHES:
            yield f"assert reply.matches({at}, {value})"
        case ExpectationKind.SCHEMA:
            schema = "reply.output_schema" if expectation.value == OUTPUT_SCHEMA else value
            yield f"assert reply.problems({at}, {schema}) == []"
        case ExpectationKind.FASTER:
            yield f"assert reply.ms < {value}"
        case ExpectationKind.SNAPSHOT:
            yield f"assert reply.differences({at}, {value}) == []"


def _code(value: Any) -> str:
    """Return a value as a Python expression. Infinities and NaN have no literal."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!a}: {_code(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_code, value)) + "]"
    return ascii(value).replace("inf", "1e999") if isinstance(value, float) else ascii(value)


def _name(text: str, taken: set[str]) -> str:
    """Return a unique ASCII function name."""
    stem = "test_" + (re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:80] or "case")
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem}_{number}"
    taken.add(name)
    return name


# Prepared responses to server requests


def answers_of(account: OperationRecord) -> tuple[Entry, ...]:
    """Return the responses to the server requests of a captured operation, in request order."""
    return tuple(
        _entry(kind, asked.answer, failed=asked.failed)
        for asked in account.asked
        if (kind := KIND_OF_SERVER_REQUEST.get(asked.method)) is not None and asked.answer is not None
    )


def answers_in(journal: Journal, exchange: Exchange) -> tuple[Entry, ...]:
    """Return the responses to the server requests that are known to belong to an exchange's operation."""
    own = _own(journal, exchange)
    mine = [each for each in journal.conversation.server_requests if each.cause in own and not each.visit]
    return tuple(entry for each in mine if (entry := _answer_to(journal, each, own)) is not None)


def first_params(journal: Journal, exchange: Exchange) -> Any:
    """Return the params of the first request of the exchange's operation."""
    first = journal.conversation.exchanges[_own(journal, exchange)[0] - 1]
    asked = request_of(journal, first)
    return None if asked is None else asked.params


def _own(journal: Journal, exchange: Exchange) -> Sequence[int]:
    """Return the exchanges of the same operation, oldest first."""
    if exchange.operation is None:
        return (exchange.number,)
    return sorted({*journal.conversation.operations.operation(exchange.operation).exchanges, exchange.number})


def _answer_to(journal: Journal, server_request: ServerRequest, own: Sequence[int]) -> Entry | None:
    if server_request.key:
        return _brought_later(journal, server_request, own)
    asked = journal.conversation.exchanges[server_request.exchange - 1]
    if asked.sender is not Direction.FROM_SERVER:
        return None
    response = response_of(journal, asked)
    if isinstance(response, ErrorResponse):
        return _entry(server_request.kind, response.error, failed=True)
    return _entry(server_request.kind, response.result, failed=False) if isinstance(response, ResultResponse) else None


def _brought_later(journal: Journal, server_request: ServerRequest, own: Sequence[int]) -> Entry | None:
    """Return the response under the server request's key in the next retry of the operation (2026-07-28)."""
    for number in own:
        asked = journal.conversation.exchanges[number - 1]
        if asked.request_frame <= server_request.frame:
            continue
        retry = request_of(journal, asked)
        brought = {} if retry is None else peek.mapping(retry.params, "inputResponses")
        if server_request.key in brought:
            return _entry(server_request.kind, brought[server_request.key], failed=False)
    return None


def _entry(kind: QuestionsKind, answer: Any, *, failed: bool) -> Entry:
    if not failed:
        return {"kind": kind.value, "malformed": answer}
    code = peek.integer(answer, "code")
    words = peek.text(answer, "message") or ""
    return {"kind": kind.value, "answer": "error", "code": REJECTED if code is None else code, "text": words}


def case_of(
    method: str, params: Any, expect: tuple[Expectation, ...] = (), answers: tuple[Any, ...] = ()
) -> CaseDefinition:
    """Return a case for a request as it was sent."""
    wanted = {name: value for name, value in peek.mapping(params).items() if name not in _LEFT_OUT}
    about = peek.text(params, "name") or peek.text(params, "uri") or ""
    return CaseDefinition(f"{method} {about}".strip(), method, escaped(wanted), expect, tuple(map(escaped, answers)))


def snapshot_of(account: OperationRecord, normal: Normal) -> CaseDefinition | None:
    """Return a case that expects the result of a captured operation; None if there was no response."""
    last = account.last
    if last.answer_frame is None:
        return None
    place = "/error" if last.failed else "/result"
    expected = Expectation(ExpectationKind.SNAPSHOT, normal(last.answer.value), place)
    return case_of(account.method, account.params, (expected,), answers_of(account))


def proposals(at: str, value: Any, ms: float | None, *, declares_output: bool) -> list[Expectation]:
    """Return possible expectations of a value at a place, in menu order."""
    found = [
        Expectation(ExpectationKind.EQUALS, escaped(value), at),
        Expectation(ExpectationKind.TYPE, type_of(value), at),
    ]
    found.append(Expectation(ExpectationKind.EXISTS, True, at))
    if isinstance(value, str):
        found.append(Expectation(ExpectationKind.MATCHES, literally(value), at))
    if declares_output and at == "/result/structuredContent":
        found.append(Expectation(ExpectationKind.SCHEMA, OUTPUT_SCHEMA, at))
    found.append(Expectation(ExpectationKind.SCHEMA, schema_of(value), at))
    if ms is not None:
        found.append(Expectation(ExpectationKind.FASTER, max(10, round(ms * _ROOM)), at))
    found.append(Expectation(ExpectationKind.SNAPSHOT, value, at))
    return found


def with_failure(expectation: Expectation, reply: dict[str, Any]) -> tuple[Expectation, ...]:
    """Return the expectation; after a tool error also expect `isError`, because the case would fail otherwise."""
    failed = peek.flag(reply, "result", "isError") is True
    if not failed or expectation.at in WHOLES:
        return (expectation,)
    return expectation, Expectation(ExpectationKind.EQUALS, True, FAILED)


def type_of(value: Any) -> str:
    """Return the JSON Schema name of a value's type."""
    return "integer" if type(value) is int else peek.type_name(value)


def literally(text: str) -> str:
    """Return a pattern that matches exactly this text, or its beginning if it is long."""
    return re.sub(r"[\\^$.*+?()\[\]{}|/]", r"\\\g<0>", text[:200])


def schema_of(value: Any, depth: int = 0) -> dict[str, Any]:
    """Return a schema for a value and similar ones: types and members, all of them required."""
    made: dict[str, Any] = {"type": type_of(value)}
    if depth >= _DEEPEST:
        return made
    if isinstance(value, dict) and value:
        made["properties"] = {name: schema_of(each, depth + 1) for name, each in value.items()}
        made["required"] = list(value)
    if isinstance(value, list) and value:
        kinds = {json.dumps(kind): kind for each in value if (kind := schema_of(each, depth + 1))}
        different = [*kinds.values()]
        if len(different) <= _MOST_KINDS:
            made["items"] = different[0] if len(different) == 1 else {"anyOf": different}
    return made


def seen(journal: Journal, exchange: Exchange) -> SeenExchange | None:
    """Return a finished client request with its response; None for any other exchange."""
    if exchange.sender is not Direction.TO_SERVER or exchange.answer_frame is None:
        return None
    asked, response = request_of(journal, exchange), response_of(journal, exchange)
    if asked is None or response is None:
        return None
    reply = {"result": response.result} if isinstance(response, ResultResponse) else {"error": response.error}
    ms = None if exchange.ended_ns is None else (exchange.ended_ns - exchange.started_ns) / 1_000_000
    params = first_params(journal, exchange) if goes_on(asked.params) else asked.params
    return SeenExchange(exchange.method, params, reply, ms, answers_in(journal, exchange))


# Turning captured requests into cases


def promoted(operations: Sequence[OperationRecord], chosen: Container[int] | None = None) -> list[CaseDefinition]:
    """Return a case for each answered call, or for each operation with a chosen entry, whatever its method."""
    wanted = [
        each
        for each in operations
        if (each.method in _CALLS if chosen is None else any(sent.frame in chosen for sent in each.sent))
    ]
    normal = Normal()
    return [case for each in wanted if (case := snapshot_of(each, normal)) is not None]
