"""Random conversations, for tests that two ways of reading come to the same, and all that is known of one."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec
from hypothesis import strategies as st

from inspector.capture.journal import Journal
from inspector.capture.store.columns import Columns
from inspector.capture.store.store import Store
from inspector.protocol.exchange_log import ExchangeLog
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Fact, HttpEvent, HttpFact, Stderr
from inspector.protocol.frames import Cause, Channel, Direction, Eol

STATELESS, HANDSHAKE = "2026-07-28", "2025-11-25"
IDS = st.sampled_from([1, 2, "1"])
_TOKENS = st.integers(1, 3) | st.sampled_from(["1", True, None, 2.5])
_NUMBERS = st.integers(-1, 4) | st.sampled_from([0.5, 2.0, 10**400, "3", None, True])
_TEXTS = st.sampled_from(["", "x", "é", "a\u2028b", 7, None])
_NAMES = st.sampled_from(["search", "demo://a", "demo://b", ""])
_META = st.fixed_dictionaries(
    {}, optional={"progressToken": _TOKENS, "io.modelcontextprotocol/protocolVersion": st.just(STATELESS)}
)
_PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": _NAMES,
        "uri": _NAMES,
        "taskId": _NAMES,
        "cursor": _NAMES,
        "arguments": st.just({"q": 1}),
        "inputResponses": st.just({"k": {}}),
        "requestState": st.just("s"),
        "task": st.just({}),
        "_meta": _META,
        "notifications": st.just({"toolsListChanged": True, "resourceSubscriptions": ["demo://a"]}),
        "clientInfo": st.just({"name": "c", "version": "1"}),
        "capabilities": st.just({}),
        "protocolVersion": st.just(HANDSHAKE),
        "message": _TEXTS,
    },
)
_METHODS = st.sampled_from(
    [
        "tools/call", "tools/call", "tools/call", "tools/list",
        "resources/list", "initialize", "ping", "resources/read",
        "resources/subscribe", "subscriptions/listen", "tasks/get", "tasks/result", "tasks/cancel", "roots/list",
        "elicitation/create", "server/discover", "x" * 300,
    ]
)  # fmt: skip
_RESULTS = st.fixed_dictionaries(
    {},
    optional={
        "content": st.just([{"type": "text", "text": "é"}]),
        "isError": st.sampled_from([True, False, None]),
        "resultType": st.sampled_from(["complete", "input_required", "task", 5]),
        "inputRequests": st.just({"k": {"method": "elicitation/create", "params": {"message": "?"}}}),
        "requestState": st.just("s"),
        "tools": st.lists(st.fixed_dictionaries({"name": _NAMES}), max_size=2),
        "nextCursor": _NAMES,
        "taskId": _NAMES,
        "status": st.sampled_from(["working", "completed", "failed", "odd"]),
        "task": st.fixed_dictionaries({"taskId": _NAMES, "status": st.just("working")}),
        "protocolVersion": st.just(HANDSHAKE),
        "serverInfo": st.just({"name": "s", "version": "1"}),
        "capabilities": st.just({"tools": {}}),
    },
)
_TOLD = st.sampled_from(
    [
        "notifications/message", "notifications/tools/list_changed", "notifications/resources/updated", "a/b",
        "notifications/subscriptions/acknowledged", "notifications/tasks/status", "notifications/elicitation/complete",
    ]
)  # fmt: skip
_PROGRESS = st.fixed_dictionaries(
    {"progressToken": _TOKENS}, optional={"progress": _NUMBERS, "total": _NUMBERS, "message": _TEXTS}
)


def _json(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"jsonrpc": st.just("2.0"), **members})


_ERRORS = st.fixed_dictionaries(
    {"code": st.sampled_from([-32602, -32042, "x"]), "message": _TEXTS},
    optional={"data": st.just({"elicitations": [{"url": "https://a", "elicitationId": "e"}]})},
)
MESSAGES = st.one_of(
    _json(id=IDS, method=_METHODS, params=_PARAMS),
    _json(id=IDS, result=_RESULTS),
    _json(id=IDS, error=_ERRORS),
    _json(method=st.just("notifications/progress"), params=_PROGRESS | st.just(5)),
    _json(method=_TOLD, params=_PARAMS | _RESULTS),
    _json(method=st.just("notifications/cancelled"), params=st.fixed_dictionaries({"requestId": IDS})),
)
PAYLOADS = st.one_of(
    MESSAGES.map(lambda each: json.dumps(each).encode()),
    MESSAGES.map(lambda each: json.dumps(each, ensure_ascii=False).encode()),
    st.lists(MESSAGES, max_size=3).map(lambda each: json.dumps(each).encode()),
    st.sampled_from([b"", b"banner", b"\xff", b'{"jsonrpc":"2.0","method":"\\ud800"}', b'{"method":"a"}', b"null"]),
)
_HTTP = st.none() | st.integers(1, 3)
_FACTS: tuple[Fact, ...] = (
    ConnectionFact(ConnectionEvent.OPEN, "stdio"),
    ConnectionFact(ConnectionEvent.CLOSE, "stdio", why="gone"),
    HttpFact(HttpEvent.REQUEST, 1, "POST", "http://x"),
    HttpFact(HttpEvent.RESPONSE, 1, status=200, headers=(("content-type", "application/json"),)),
    HttpFact(HttpEvent.END, 1),
    HttpFact(HttpEvent.ERROR, 2, why="reset"),
    Stderr(b"oops"),
)
_FRAMES = st.tuples(st.sampled_from(Direction), st.sampled_from(Channel), PAYLOADS, _HTTP, st.booleans())
_C2S, _S2C = Direction.TO_SERVER, Direction.FROM_SERVER
_CALL = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "search", "_meta": {"progressToken": 1}}}
_CALLS = IDS.map(lambda id_: _put(_C2S, _CALL | {"id": id_}))
_STEPS = st.integers(0, 9).map(lambda step: (_S2C, Channel.STDOUT, _step(step), None, False))
_ASKS = st.tuples(IDS, _METHODS, _PARAMS).map(
    lambda said: _put(_C2S, {"id": said[0], "method": said[1], "params": said[2]})
)
_ANSWERS = st.tuples(IDS, _RESULTS).map(lambda said: _put(_S2C, {"id": said[0], "result": said[1]}))


def _put(direction: Direction, members: dict[str, Any]) -> tuple[Any, ...]:
    return direction, Channel.STDIN, json.dumps({"jsonrpc": "2.0"} | members).encode(), None, False


def _step(step: int) -> bytes:
    params = {"progressToken": 1, "progress": step}
    return json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).encode()


_OPENING: list[Any] = [
    _put(_C2S, {"id": "i", "method": "initialize", "params": {"protocolVersion": HANDSHAKE}}),
    _put(_S2C, {"id": "i", "result": {"protocolVersion": HANDSHAKE, "capabilities": {}, "serverInfo": {}}}),
]
_PLAIN = _CALLS | _STEPS | _ANSWERS | _ANSWERS | _ASKS
_HAPPENING = _PLAIN | _PLAIN | _FRAMES | st.sampled_from(_FACTS)
HAPPENINGS = st.tuples(
    st.sampled_from([[], _OPENING, _OPENING]),
    st.sampled_from([0, 1, 30]).flatmap(lambda size: st.lists(_HAPPENING, min_size=size, max_size=size + 10)),
).map(lambda parts: [*parts[0], *parts[1]])
"""What a journal is told."""


def tell(journal: Journal, happenings: list[Any]) -> None:
    """Have it happen."""
    for each in happenings:
        if isinstance(each, tuple):
            direction, channel, payload, http, probe = each
            cause = Cause.PROBE if probe else Cause.UNKNOWN
            journal.frame(direction, channel, payload, eol=Eol.LF, http=http, cause=cause)
        else:
            journal.fact(each)


def known(journal: Journal) -> Any:
    """All that is known of a conversation, the columns included: equal for two journals that are alike."""
    count = journal.count
    columns = _columns(journal.store.columns(1, count)) if count else {}
    methods = [journal.store.method(n) for n in range(1, count + 1)]
    parts = (journal.conversation, journal.connection_facts, journal.notices, journal.capture_path, journal.head)
    return columns, methods, _picture(parts, set())


def _columns(columns: Columns) -> dict[str, list[int]]:
    names = ("kinds", "flags", "exchanges", "times", "walls", "sizes", "places", "lengths")
    return {name: list(getattr(columns, name)) for name in names}


def _picture(value: Any, within: set[int]) -> Any:
    """A value as plain data, whatever its class hides."""
    if isinstance(value, str):
        return str(value)  # a word of an enumeration is a text
    if isinstance(value, Enum | int | float | bytes | None):
        return repr(value)
    if id(value) in within:
        return "itself"
    within = within | {id(value)}
    if isinstance(value, Store) or callable(value):
        return type(value).__name__
    if isinstance(value, ExchangeLog):
        columns = value.request_frames, value.answer_frames, value.starts, value.ends, value.failures, value.states
        return [_picture(each, within) for each in value], [list(column) for column in columns]
    if isinstance(value, Mapping):
        items = value.items() if isinstance(value, OrderedDict) else sorted(value.items(), key=repr)
        return [(_picture(key, within), _picture(each, within)) for key, each in items]
    if isinstance(value, frozenset | set):
        return sorted(map(repr, value))
    if hasattr(value, "__iter__"):
        return [_picture(each, within) for each in value]
    return type(value).__name__, [(name, _picture(each, within)) for name, each in sorted(_members(value).items())]


def _members(value: Any) -> dict[str, Any]:
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    found = dict(getattr(value, "__dict__", {}))
    for base in type(value).__mro__:
        for name in getattr(base, "__slots__", ()):
            if hasattr(value, name):
                found[name] = getattr(value, name)
    return found
