"""What a client sent in a session, as a script that can be changed and played again."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from inspector.capture.journal import Journal
from inspector.protocol import jsonrpc, peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Headers,
    HttpEvent,
    HttpFact,
    ProcessEvent,
    ProcessFact,
)
from inspector.protocol.frames import Direction, Eol, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Request, ResultResponse

ENDED = "the server"
"""Key of how the server ended, beside those of the requests."""
_NOT_SENT = frozenset({"host", "content-length", "mcp-session-id", "connection", "transfer-encoding", "last-event-id"})
"""Headers that belong to one exchange; the player makes them."""
_MOST_NAMED = 8


class Step(msgspec.Struct, frozen=True):
    """One message of the client."""

    key: str
    """Its method and target, or “response to METHOD”."""
    payload: bytes
    answered: int = 0
    """Number of the client's earlier requests that had a response before this was sent."""
    pause_s: float = 0.0
    """Seconds since the message before it, of either side."""
    crlf: bool = False
    headers: Headers = ()
    """Of the HTTP request, without those that belong to one exchange."""


class ClientScript(msgspec.Struct, frozen=True):
    """What a client sent, and how its server was started."""

    steps: tuple[Step, ...]
    replies: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    """The client's responses, by the method of the server's request."""
    listens: bool = False
    """Whether it opened the standalone stream with GET."""
    environment: tuple[str, ...] | None = None
    """Names of the server's variables; None if unknown. A capture holds no values."""
    cwd: str = ""
    argv: tuple[str, ...] = ()


Outcome = dict[str, str]
"""Outcome of each request, by its key: “result”, “error -32601”, “3 items: a, b, c”, “no response”."""


def script_of(journal: Journal) -> ClientScript:
    """Read the script of a session. What preceded a restart of the server is left out."""
    steps: list[Step] = []
    replies: dict[str, bytes] = {}
    asked: dict[str, str] = {}
    started: ConnectionFact | None = None
    listens, answered, before_ns = False, 0, 0
    for entry in _entries(journal):
        what = entry.what
        if isinstance(what, ConnectionFact):
            if what.event is ConnectionEvent.RENEW:
                steps.clear()
                answered = 0
            elif what.event is ConnectionEvent.OPEN:
                started = what
        elif isinstance(what, HttpFact):
            listens |= what.event is HttpEvent.REQUEST and what.method == "GET" and not what.probe
        elif isinstance(what, Frame):
            value = json_value(what.payload)
            message = next(iter(jsonrpc.read(what.payload)), None)
            if what.direction is Direction.FROM_SERVER:
                if isinstance(message, ResultResponse | ErrorResponse):
                    answered += 1
                elif isinstance(message, Request):
                    asked[repr(message.id)] = message.method
            elif isinstance(message, ResultResponse | ErrorResponse):
                replies.setdefault(asked.get(repr(message.id), ""), what.payload)
            else:
                pause = (what.time_ns - before_ns) / 1e9 if before_ns else 0.0
                key = _key(value) or "bytes that are no message"
                steps.append(
                    Step(key, what.payload, answered, pause, what.eol is Eol.CRLF, _headers_of(journal, what.http))
                )
            before_ns = what.time_ns
    names = tuple(started.env_names) if started is not None and started.env_names else None
    argv, cwd = (started.argv, started.cwd) if started is not None else ((), "")
    return ClientScript(_numbered(steps), replies, listens, names, cwd, tuple(argv))


def _entries(journal: Journal) -> Iterator[Any]:
    for n in range(1, journal.count + 1):
        yield journal.store.entry(n)


def _numbered(steps: list[Step]) -> tuple[Step, ...]:
    """Tell messages with the same key apart."""
    seen: dict[str, int] = {}
    found = []
    for step in steps:
        count = seen[step.key] = seen.get(step.key, 0) + 1
        found.append(step if count == 1 else msgspec.structs.replace(step, key=f"{step.key} ({count})"))
    return tuple(found)


def _key(message: Any) -> str:
    method = peek.text(message, "method") or ""
    target = peek.text(message, "params", "name") or peek.text(message, "params", "uri")
    return f"{method} {target}" if target else method


def json_value(payload: bytes) -> Any:
    """Return the JSON value with its members in their order; None if it is not JSON."""
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return None


def _headers_of(journal: Journal, http: int | None) -> Headers:
    exchange = journal.http_exchanges.get(http) if http is not None else None
    if exchange is None or exchange.request is None:
        return ()
    return tuple((name, value) for name, value in exchange.request.headers if name.lower() not in _NOT_SENT)


def outcome_of(journal: Journal) -> Outcome:
    """Return the outcome of the client's requests in a session, recorded or just played."""
    found: Outcome = {}
    seen: dict[str, int] = {}
    for exchange in journal.conversation.exchanges:
        if exchange.sender is not Direction.TO_SERVER:
            continue
        key = f"{exchange.method} {exchange.target}" if exchange.target else exchange.method
        count = seen[key] = seen.get(key, 0) + 1
        found[key if count == 1 else f"{key} ({count})"] = _came_of(journal, exchange)
    for entry in journal.processes:
        if isinstance(entry.what, ProcessFact) and entry.what.event is ProcessEvent.EXIT and entry.what.code:
            found[ENDED] = f"exits with {entry.what.code}"
    return found


def _came_of(journal: Journal, exchange: Exchange) -> str:
    if exchange.state is ExchangeState.ERROR:
        return f"error {exchange.error_code}"
    frame = journal.store.entry(exchange.answer_frame).what if exchange.answer_frame else None
    if not isinstance(frame, Frame):
        http = journal.http_exchanges.get(exchange.http) if exchange.http is not None else None
        status = http.response.status if http is not None and http.response is not None else 0
        return f"HTTP {status}" if status >= 400 else "no response"
    result = peek.at(json_value(frame.payload), "result")
    for name in ("tools", "resources", "resourceTemplates", "prompts"):
        if peek.has(result, name):
            items = peek.items(result, name)
            names = sorted(peek.text(each, "name") or peek.text(each, "uri") or "?" for each in items)
            more = ", …" if len(names) > _MOST_NAMED else ""
            return f"{len(names)} items" + (f": {', '.join(names[:_MOST_NAMED])}{more}" if names else "")
    if exchange.method == "tools/call":
        said = msgspec.json.encode(peek.at(result, "content")).decode()[:200]
        return f"{'tool error' if exchange.tool_error else 'result'} {said}"
    return "result"
