"""Plays one turn: yields what to wait for, send and ask, step by step, without I/O.

The same steps are played to clients of either era. A server question is a separate server request in the legacy era.
In the modern era it ends the current response until a retry carries the answer.
"""

from collections.abc import Generator, Iterator, Sequence
from enum import Enum
from typing import Any, assert_never

import msgspec

from inspector.features.mock.openings import fit_error, fit_result, is_foreign_task, without
from inspector.features.mock.script import Junk, Query, Say, ScriptedResponse, ScriptedServerRequest, Turn
from inspector.protocol import peek
from inspector.protocol.jsonrpc import Part, RequestId, encode
from inspector.protocol.request_meta import LOG_MESSAGE, rank
from inspector.protocol.revisions._shape import Era
from inspector.protocol.server_requests import INPUT_REQUIRED
from inspector.protocol.tracking.subscriptions import SUBSCRIPTION_ID, TELLING_OF_CHANGES

PROGRESS = "notifications/progress"
_INTERNAL = -32603
_A_TASK = "recorded is a task of the other era, which can't be served in this one"
_NEEDS = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
"""Capability that a client must declare to receive a server request, by method."""


class StreamChoice(Enum):
    """The stream that carries a message, if there are several."""

    OWN = "own"
    """The stream of the request."""
    COMMON = "common"
    """The stream of the session."""
    WATCH = "watch"
    """Streams on which the client listens for changes; the session's if there are none."""
    LISTENERS = "listeners"
    """Only streams on which the client listens for changes: a stateless client has no others."""


class MockDelay(msgspec.Struct, frozen=True):
    """Wait."""

    ns: int


class SendNotification(msgspec.Struct, frozen=True):
    method: str
    params: Part
    where: StreamChoice


class Write(msgspec.Struct, frozen=True):
    """Write bytes that are not a message."""

    payload: bytes


class Put(msgspec.Struct, frozen=True):
    """Send a server request and wait for the response."""

    query: Query
    where: StreamChoice


class SendResponse(msgspec.Struct, frozen=True):
    """Send the response to the request: JSON of a result or of an error."""

    json: bytes
    failed: bool = False
    asks: bool = False
    """Whether it holds server requests instead of the final result."""


class MockNotice(msgspec.Struct, frozen=True):
    """Show a message to the user of the mock."""

    text: str


Act = MockDelay | SendNotification | Write | Put | SendResponse | MockNotice
Playing = Generator[Act, Any, None]
"""Yields acts. The value sent back for `Put` is ignored."""


class Manner(msgspec.Struct, frozen=True):
    """What a client supports."""

    era: Era
    capabilities: dict[str, Any] = {}
    """Capabilities that the client declares."""
    token: RequestId | None = None
    """Progress token; None if the client did not request progress."""
    level: int | None = 0
    """Minimum rank of log messages; None for no log messages."""


def state_of(turn: Turn, at: int) -> str:
    """Return the `requestState` of a step's server requests: the recorded one, or a generated one."""
    step = turn.steps[at]
    recorded = (
        peek.text(step.result.value, "requestState")
        if isinstance(step, ScriptedServerRequest) and step.result
        else None
    )
    return recorded if recorded is not None else f"mock-{turn.frame}-{at}"


def perform(turn: Turn, manner: Manner, begin: int = 0) -> Playing:
    """Play a turn up to its response, starting at step `begin`."""
    for at in range(begin, len(turn.steps)):
        step = turn.steps[at]
        yield MockDelay(step.pause_ns)
        if isinstance(step, ScriptedServerRequest) and manner.era is Era.MODERN:
            if asked := _as_result(turn, at, step, manner):
                yield SendResponse(asked, asks=True)
                return
            yield _left_out(step)
        elif isinstance(step, ScriptedResponse) and is_foreign_task(step.answer, turn.era, manner.era):
            yield SendResponse(encode({"code": _INTERNAL, "message": _A_TASK}), failed=True)
        elif isinstance(step, ScriptedResponse):
            fit = fit_error if step.failed else fit_result
            yield SendResponse(fit(step.answer, turn.method, turn.era, manner.era), step.failed)
        else:
            yield from _played(step, turn, manner, StreamChoice.OWN)
    if not turn.is_answered and not turn.method.startswith("notifications/"):
        yield MockNotice(f"{turn.method}: no answer was recorded, so none is given")


def afterwards(turn: Turn, manner: Manner) -> Playing:
    """Play the messages after the response."""
    for step in turn.after:
        yield MockDelay(step.pause_ns)
        if isinstance(step, ScriptedServerRequest) and manner.era is Era.MODERN:
            yield _left_out(step)
        elif not isinstance(step, ScriptedResponse):
            yield from _played(step, turn, manner, StreamChoice.COMMON)


def _played(step: Say | ScriptedServerRequest | Junk, turn: Turn, manner: Manner, where: StreamChoice) -> Playing:
    if not isinstance(step, Junk) and step.apart:
        where = StreamChoice.COMMON
    match step:
        case Say():
            yield from _acts_of(step, turn, manner, where)
        case Junk():
            yield Write(step.payload)
        case ScriptedServerRequest():
            for query in step.queries:
                if may_ask(query, manner.capabilities):
                    yield Put(query, where)
                else:
                    yield _left_out(step)
        case _:
            assert_never(step)


def _acts_of(step: Say, turn: Turn, manner: Manner, where: StreamChoice) -> Iterator[Act]:
    params = step.params
    if step.method == PROGRESS:
        if manner.token is None:
            return
        params = Part(None, peek.mapping(params.value) | {"progressToken": manner.token})
    elif step.method == LOG_MESSAGE:
        level = rank(peek.at(params.value, "level"))
        if manner.level is None or (level is not None and level < manner.level):
            return
    elif step.method in TELLING_OF_CHANGES:
        where = StreamChoice.WATCH if manner.era is Era.LEGACY else StreamChoice.LISTENERS
        if turn.era is Era.MODERN or peek.has(params.value, "_meta", SUBSCRIPTION_ID):
            params = _unbound(params)
    yield SendNotification(step.method, params, where)


def _unbound(params: Part) -> Part:
    """Return params without the id of the recorded subscription."""
    value = peek.mapping(params.value)
    meta = without(peek.mapping(value, "_meta"), SUBSCRIPTION_ID)
    return Part(None, without(value, "_meta") | ({"_meta": meta} if meta else {}))


def may_ask(query: Query, capabilities: dict[str, Any]) -> bool:
    """Return whether the client declares the capability for a server request."""
    needed = _NEEDS.get(query.method)
    return needed is None or needed in capabilities


def _as_result(turn: Turn, at: int, step: ScriptedServerRequest, manner: Manner) -> bytes:
    """Return a result that holds the server requests; b"" if the client does not support them."""
    if not all(query.method in _NEEDS and may_ask(query, manner.capabilities) for query in step.queries):
        return b""
    if step.result is not None:
        return step.result.raw
    named = {query.key or f"question-{number}": query for number, query in enumerate(step.queries, 1)}
    requests = {name: _request(query) for name, query in named.items()}
    return encode({"resultType": INPUT_REQUIRED, "inputRequests": requests, "requestState": state_of(turn, at)})


def _request(query: Query) -> dict[str, Any]:
    value = query.params.value
    return {"method": query.method, "params": without(value, "_meta") if isinstance(value, dict) else {}}


def _left_out(step: ScriptedServerRequest) -> MockNotice:
    methods = ", ".join(query.method for query in step.queries)
    return MockNotice(f"{methods} is left out: the client does not declare that it can be asked")


def names_of(queries: Sequence[Query]) -> list[str]:
    """Return the keys under which a retry answers server requests."""
    return [query.key or f"question-{number}" for number, query in enumerate(queries, 1)]


def steps_that_ask(turn: Turn) -> Iterator[tuple[int, ScriptedServerRequest]]:
    """Yield the server requests of a turn with their positions."""
    for at, step in enumerate(turn.steps):
        if isinstance(step, ScriptedServerRequest):
            yield at, step
