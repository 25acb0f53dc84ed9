"""What a client sent in a session, as a script that can be changed and played again."""

import json
import zlib
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from inspector.capture.compare.normal import Normal
from inspector.capture.journal import Journal
from inspector.protocol import jsonrpc, peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Headers,
    HttpEvent,
    HttpFact,
    InheritedState,
    ProcessEvent,
    ProcessFact,
)
from inspector.protocol.frames import Direction, Eol, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Request, ResultResponse
from inspector.text import counted

ENDED = "the server"
"""Key of how the server ended, beside those of the requests."""
DELETION = "DELETE"
"""Key of how the server refused the end of the session."""
SESSION = "mcp-session-id"
_NOT_SENT = frozenset({"last-event-id"})
"""Headers that belong to one exchange. Of others, such as `Host`, the player replaces the value."""
OPENINGS = frozenset({"initialize", "server/discover", "notifications/initialized"})
_MOST_NAMED = 8
NO_RESPONSE = "no response"
_NORMAL = Normal()
_LISTS = ("tools", "resources", "resourceTemplates", "prompts")
_PLAIN = frozenset({"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"})
_MOST_CONTENT = 160
VERSION = "protocolVersion"


class Step(msgspec.Struct, frozen=True):
    key: str
    """Its method and target, or “response to METHOD”."""
    payload: bytes
    waiting: int = 0
    """Number of the client's earlier requests that had no response yet when this was sent."""
    pause_s: float = 0.0
    """Seconds since the message before it, of either side; of the first one, since the server was started."""
    eol: Eol = Eol.LF
    headers: Headers = ()
    """Of the HTTP request, without those that belong to one exchange."""
    is_next_page: bool = False
    """Whether its cursor is the one of the response before: the player then takes that of the server it plays to."""


class ClientScript(msgspec.Struct, frozen=True):
    """What a client sent, and how its server was started."""

    steps: tuple[Step, ...]
    replies: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    """The client's responses, by the method of the server's request."""
    listens: bool = False
    """Whether it opened the standalone stream with GET."""
    deletes: bool = False
    """Whether it ended the HTTP session with DELETE."""
    keeps_session: bool = True
    """Whether it sent the session id of the server."""
    reuses: bool | None = None
    """Whether it used a TCP connection for several requests; None if unknown."""
    environment: tuple[str, ...] | None = None
    """Names of the server's variables; None if unknown. A capture holds no values."""
    cwd: str = ""
    argv: tuple[str, ...] = ()
    inherited: InheritedState | None = None
    """What the server inherited from the process that started it; None if unknown."""


Outcome = dict[str, str]
"""Outcome of each request, by its key: “result”, “error -32601”, “3 items: a, b, c”, “no response”."""


def script_of(journal: Journal) -> ClientScript:
    """Read the script of a session. What preceded a restart of the server is left out."""
    reading = _ScriptReading(journal)
    for n in range(1, journal.count + 1):
        reading.take(journal.store.entry(n))
    return reading.script()


class _ScriptReading:
    """Reads the script of a session entry by entry."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._steps: list[Step] = []
        self._replies: dict[str, bytes] = {}
        self._asked: dict[str, str] = {}
        """Methods of the server's requests by id."""
        self._started: ConnectionFact | None = None
        self._requests = self._answered = self._before_ns = 0
        self._cursor: Any = None
        self._http: list[HttpFact] = []

    def take(self, entry: Any) -> None:
        """Read one entry."""
        what = entry.what
        if isinstance(what, ConnectionFact):
            if what.event in (ConnectionEvent.OPEN, ConnectionEvent.RENEW):
                self._started = what
                self._before_ns = entry.time_ns
                self._steps.clear()
                self._requests = self._answered = 0
        elif isinstance(what, HttpFact) and not what.probe:
            self._http.append(what)
        elif isinstance(what, Frame):
            if what.direction is Direction.FROM_SERVER:
                self._take_from_server(what)
            else:
                self._take_from_client(what)
            self._before_ns = what.time_ns

    def _take_from_server(self, frame: Frame) -> None:
        for message in jsonrpc.read(frame.payload):
            if isinstance(message, ResultResponse | ErrorResponse):
                self._answered += 1
            elif isinstance(message, Request):
                self._asked[repr(message.id)] = message.method
        self._cursor = peek.at(json_value(frame.payload), "result", "nextCursor")

    def _take_from_client(self, frame: Frame) -> None:
        message = next(iter(jsonrpc.read(frame.payload)), None)
        if isinstance(message, ResultResponse | ErrorResponse):
            self._replies.setdefault(self._asked.get(repr(message.id), ""), frame.payload)
            return
        value = json_value(frame.payload)
        cursor = peek.at(value, "params", "cursor")
        step = Step(
            _key(value) or "bytes that are no message",
            frame.payload,
            max(0, self._requests - self._answered),
            (frame.time_ns - self._before_ns) / 1e9 if self._before_ns else 0.0,
            frame.eol if frame.http is None else Eol.LF,
            _headers_of(self._journal, frame.http),
            cursor is not None and cursor == self._cursor,
        )
        self._steps.append(step)
        self._requests += requests_in(value)

    def script(self) -> ClientScript:
        """Return the script of what was read."""
        started = self._started or ConnectionFact(ConnectionEvent.OPEN, "")
        asked = [each for each in self._http if each.event is HttpEvent.REQUEST]
        return ClientScript(
            _numbered(self._steps),
            self._replies,
            any(each.method == "GET" for each in asked),
            any(each.method == "DELETE" for each in asked),
            self._keeps_session(),
            _reuses(self._http),
            started.env_names or None,
            started.cwd,
            started.argv,
            started.inherited,
        )

    def _keeps_session(self) -> bool:
        """Whether each message after the server had named a session had its id."""
        exchanges = [self._journal.http_exchanges.get(each.http) for each in self._http]
        heads = [each.response.headers for each in exchanges if each is not None and each.response is not None]
        is_named = any(name.lower() == SESSION for headers in heads for name, _ in headers)
        later = [{name.lower() for name, _ in each.headers} for each in self._steps[1:]]
        return not (is_named and any(later) and not any(SESSION in names for names in later))


def _reuses(facts: list[HttpFact]) -> bool | None:
    """Return whether connections were reused, from their numbers or from what was measured of them."""
    numbers = [each.connection for each in facts if each.event is HttpEvent.REQUEST and each.connection]
    if len(numbers) > 1:
        return len(set(numbers)) < len(numbers)
    timings = [each.timing for each in facts if each.timing is not None and each.timing.send is not None]
    return any(each.connect is None for each in timings[1:]) if len(timings) > 1 else None


def requests_in(value: Any) -> int:
    """Return the number of requests in a message, which may be a batch."""
    messages = value if isinstance(value, list) else [value]
    return sum(peek.has(each, "method") and peek.has(each, "id") for each in messages)


def _numbered(steps: list[Step]) -> tuple[Step, ...]:
    """Tell messages with the same key apart."""
    seen: dict[str, int] = {}
    found = []
    for step in steps:
        count = seen[step.key] = seen.get(step.key, 0) + 1
        found.append(step if count == 1 else replace(step, key=f"{step.key} ({count})"))
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


def outcome_of(journal: Journal, watched: frozenset[str] = frozenset()) -> Outcome:
    """Return the outcome of the client's requests in a session, recorded or just played.

    `watched`: capabilities, and VERSION, that count as part of the outcome of the opening.
    """
    found: Outcome = {}
    seen: dict[str, int] = {}
    items: dict[str, list[str]] = {}
    for exchange in journal.conversation.exchanges:
        if exchange.sender is not Direction.TO_SERVER:
            continue
        key = f"{exchange.method} {exchange.target}" if exchange.target else exchange.method
        count = seen[key] = seen.get(key, 0) + 1
        answer = _answer_of(journal, exchange)
        if answer is not None and not _is_own(answer, exchange.id):
            found[_numbered_key(key, count)] = f"response with id {json.dumps(peek.at(answer, 'id'))}"
            continue
        result = peek.at(answer, "result")
        member = next((each for each in _LISTS if peek.has(result, each)), None)
        asked = _message_in(journal, exchange.request_frame, exchange.id)
        if member is not None and peek.has(asked, "params", "cursor") and key in items:
            items[key] += _names(result, member)  # a further page of the same list
        elif member is not None and count == 1:
            items[key] = _names(result, member)
        else:
            found[_numbered_key(key, count)] = _came_of(journal, exchange, asked, answer, member, watched)
    found |= {key: _list_words(names) for key, names in items.items()}
    return found | _ends_of(journal, found) | _deletion_of(journal)


def replies_of(journal: Journal) -> dict[str, dict[str, Any]]:
    """Return result or error of each request of the client that got one, by its key."""
    found: dict[str, dict[str, Any]] = {}
    for exchange in journal.conversation.exchanges:
        answer = _answer_of(journal, exchange) if exchange.sender is Direction.TO_SERVER else None
        if isinstance(answer, dict):
            key = f"{exchange.method} {exchange.target}" if exchange.target else exchange.method
            found.setdefault(key, {name: answer[name] for name in ("result", "error") if name in answer})
    return found


def _numbered_key(key: str, count: int) -> str:
    return key if count == 1 else f"{key} ({count})"


def _names(result: Any, member: str) -> list[str]:
    items = peek.items(result, member)
    return [peek.text(each, "name") or peek.text(each, "uri") or "?" for each in items]


def _list_words(names: list[str]) -> str:
    more = f", … {zlib.crc32(repr(sorted(names)).encode()):08x}" if len(names) > _MOST_NAMED else ""
    return counted(len(names), "item") + (f": {', '.join(sorted(names)[:_MOST_NAMED])}{more}" if names else "")


def _ends_of(journal: Journal, found: Outcome) -> Outcome:
    """Return how the server ended, if badly, and not because the client had ended the session."""
    is_asked = False
    for entry in journal.processes:
        if not isinstance(entry.what, ProcessFact):
            continue
        if entry.what.event is ProcessEvent.EXIT and (not is_asked or NO_RESPONSE in found.values()):
            if entry.what.code:
                return {ENDED: f"exits with {entry.what.code}"}
            if entry.what.signal:
                return {ENDED: f"ends with {entry.what.signal}"}
        is_asked |= entry.what.event is ProcessEvent.SIGNAL or entry.what.event is ProcessEvent.STDIN_EOF
    return {}


def _deletion_of(journal: Journal) -> Outcome:
    """Return how the server refused to end the session. With 405 it may."""
    for each in journal.http_exchanges.values():
        status = each.response.status if each.response is not None else 0
        if each.request is not None and each.request.method == "DELETE" and status >= 400 and status != 405:
            return {DELETION: f"is refused with HTTP {status}"}
    return {}


def _is_own(answer: Any, id_: Any) -> bool:
    """Whether a response has the id of its request. mcp-inspect tolerates other ids; few clients do."""
    own = peek.at(answer, "id")
    return bool(own == id_) and isinstance(own, bool | str) == isinstance(id_, bool | str)


def _answer_of(journal: Journal, exchange: Exchange) -> Any:
    return _message_in(journal, exchange.answer_frame, exchange.id)


def _message_in(journal: Journal, entry: int | None, id_: Any) -> Any:
    """Return the message with this id in an entry, which may hold a batch; None without one."""
    frame = journal.store.entry(entry).what if entry else None
    value = json_value(frame.payload) if isinstance(frame, Frame) else None
    if isinstance(value, list):
        return next((each for each in value if peek.at(each, "id") == id_), None)
    return value


def _came_of(
    journal: Journal, exchange: Exchange, asked: Any, answer: Any, member: str | None, watched: frozenset[str]
) -> str:
    if exchange.state is ExchangeState.ERROR:
        return f"error {exchange.error_code}"
    if answer is None:
        http = journal.http_exchanges.get(exchange.http) if exchange.http is not None else None
        status = http.response.status if http is not None and http.response is not None else 0
        return f"HTTP {status}" if status >= 400 else NO_RESPONSE
    result = peek.at(answer, "result")
    if member is not None:
        return _list_words(_names(result, member))
    if exchange.method in OPENINGS:
        return _opening_words(asked, result, watched)
    if exchange.tool_error:
        return f"tool error {_content(peek.at(result, 'content'))}"
    return f"result {_content(result)}" if exchange.method not in _PLAIN else "result"


def _content(value: Any) -> str:
    """Return a value for comparison, without ids, times and the like; of a long one the beginning and a checksum."""
    text = json.dumps(_NORMAL(value), ensure_ascii=False, sort_keys=True)
    short = text.encode("utf-8", "replace")[:_MOST_CONTENT].decode("utf-8", "ignore")
    return text if len(text) <= _MOST_CONTENT else f"{short}… {zlib.crc32(text.encode('utf-8', 'replace')):08x}"


def _opening_words(asked: Any, result: Any, watched: frozenset[str]) -> str:
    there: list[str] = []
    missing: list[str] = []
    for name in sorted(watched - {VERSION}):
        (there if peek.has(result, "capabilities", name) else missing).append(name)
    wanted, version = peek.text(asked, "params", "protocolVersion"), peek.text(result, "protocolVersion")
    words = [f"with {name}" for name in there] + [f"without {name}" for name in missing]
    if VERSION in watched and wanted and version != wanted:
        words.append(f"with protocol version {version}")
    return f"result {', '.join(words)}".rstrip()


def watched_in(fails: ClientScript, works: ClientScript) -> frozenset[str]:
    """Return what of the response to the opening can be why a client fails: what it does next shows it.

    These are capabilities whose methods only the working client uses, and the version if the client went no further.
    """
    mine, others = ({each.key.partition("/")[0] for each in script.steps} for script in (fails, works))
    unused = (others - mine) & {"tools", "prompts", "resources"}
    return frozenset(unused | ({VERSION} if gave_up(fails) else set()))


def gave_up(script: ClientScript) -> bool:
    """Return whether a client sent nothing beyond its opening."""
    return all(each.key.partition(" (")[0] in OPENINGS for each in script.steps)
