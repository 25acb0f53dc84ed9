"""The state of a connection as known to the checks: requests, lists, HTTP exchanges, process, subscriptions.

Only `state_updates` and `runner` update it, for one connection at a time; checks only read it. It keeps what rules need
and no messages, so that a long capture needs little memory.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import msgspec

from inspector.checks.definitions.tools import SeenTool
from inspector.checks.registry import LAST
from inspector.checks.view_state import ViewFacts
from inspector.protocol import peek, url_hosts
from inspector.protocol.facts import ConnectionFact, HttpEvent, HttpFact, ProcessFact, SseNote, header
from inspector.protocol.fingerprints import Remembered
from inspector.protocol.frames import Cause, Direction, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Message, Notification, Request, RequestId, ResultResponse
from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.tracking.numbering import ServerNumbering

N = TypeVar("N")
_MOST_OF_METHOD = 60
"""Characters of a method that a sentence quotes: servers may send long ones."""
_BETWEEN_RESTS = 64
"""Items of a list between two calls of `rest`: each takes some hundredths of a millisecond at most."""
_REMEMBERED = 10_000
_MOST_NAMES = 100_000
_NEVER = 1 << 62
"""More items than are ever counted."""
MOST_UNHEARD = 20
ALL_TRAITS = (1 << 8) - 1
"""Traits of a case that was not examined yet; see `state_updates`."""
PREFIX = "io.modelcontextprotocol/"
SESSION = "mcp-session-id"
_DISTINCT = ("notifications/progress",)
"""Notifications that a server never sends twice with the same content."""

FIRST_MODERN = next(place for place, row in enumerate(ROWS, 1) if row.era is Era.MODERN)


class TrackedRequest(msgspec.Struct):
    sender: Direction
    id: RequestId
    method: str
    params: Any
    frame: int
    time_ns: int
    http: int | None
    row: int
    """Row of the revision it is judged by, from 1; 0 if not known."""
    cause: Cause = Cause.UNKNOWN
    token: RequestId | None = None
    """Progress token."""
    cancelled: int | None = None
    """Frame of the notification that cancelled it."""
    cancelled_ns: int = 0
    answered: int | None = None
    """Frame of its first response."""
    target: str = ""
    """The tool or prompt."""
    worked: bool = False
    """Whether that is a result, and no tool error."""
    unread: int | None = None
    """Frame of a message that cannot be read and may be its response."""
    status: int | None = None
    """Status of its HTTP response; None if there was no response."""
    streams: bool = False
    """Whether its HTTP response is an event stream."""
    kept_open: bool = False
    """Whether comments came on that."""
    lives_on: bool = False
    """Whether its response was a task's handle, so that progress may continue."""

    def stage(self) -> str:
        """Return how far the HTTP response to a request without a response came; "" on stdio."""
        if self.http is None:
            return ""
        if self.status is None:
            return "not even the headers of an HTTP response came"
        came = "the headers of an event stream" if self.streams else "the headers of an HTTP response"
        came = "the headers and comments of an event stream" if self.kept_open else came
        return f"only {came} came (HTTP {self.status}), and no message in its body"

    @property
    def named(self) -> str:
        """Its method, as sentences quote it."""
        return self.method[:_MOST_OF_METHOD]

    @property
    def probe(self) -> bool:
        """Whether it tests how the server reacts."""
        return self.cause is Cause.PROBE


class ProgressState(msgspec.Struct):
    """The latest progress of a token."""

    asked: TrackedRequest
    last: float | None = None
    frame: int = 0
    count: int = 0
    """Number of notifications since `since_ns`: within a second, or a little more."""
    since_ns: int = 0
    newest_ns: int = 0


class Listen(msgspec.Struct):
    """An open `subscriptions/listen`."""

    asked: TrackedRequest
    wanted: dict[str, Any]
    acknowledged: dict[str, Any] | None = None
    began: bool = False
    """Whether any message was received on it."""


class ListedDefinition(msgspec.Struct, frozen=True):
    """A tool, prompt or resource as last listed."""

    item: Any
    frame: int
    pointer: str


class HttpExchangeState(msgspec.Struct):
    """One HTTP exchange: the headers of both sides, and the messages that it carried."""

    request: HttpFact | None = None
    response: HttpFact | None = None
    frame: int = 0
    """Entry of the response's headers, else of the request's."""
    asked: list[TrackedRequest] = []
    """Requests in its body."""
    notifications: list[str] = []
    """Methods of the notifications in its body; "" for a response."""
    answered_ns: int = 0
    """Time of the response to the last of its requests; 0 before that."""
    events: int = 0
    """Number of messages on its stream so far."""
    has_ids: bool = False
    """Whether an event of its stream had an id, so that the stream can be resumed."""
    was_primed: bool = False
    """Whether an event without a message gave it an id before the first message."""
    words: str = ""
    """What the body of an HTTP error states as the reason; "" if nothing."""
    retry: int | None = None
    """Milliseconds after which the client should reconnect; None if the server did not specify it."""

    @property
    def is_refused(self) -> bool:
        """Whether the response is an HTTP error."""
        return self.response is not None and self.response.status >= 400

    def header(self, name: str) -> str | None:
        """Return a header of the response; None if there is none."""
        return header(self.response.headers, name) if self.response else None

    def sent(self, name: str) -> str | None:
        """Return a header of the request, likewise."""
        return header(self.request.headers, name) if self.request else None


class HttpHeads(NamedTuple):
    """An HTTP exchange with the headers of both sides."""

    http: HttpExchangeState
    request: HttpFact
    response: HttpFact


class MetadataDocument(msgspec.Struct, frozen=True):
    """A URL at which a login looked for metadata."""

    frame: int
    url: str
    value: Any
    """The object at that URL; None if there was none."""
    status: int | None = None


class LoginState(msgspec.Struct):
    """The authorization of a connection, as far as recorded."""

    refusals: list[tuple[int, int, str | None]] = []
    """Entry, status and `WWW-Authenticate` of each 401 and 403."""
    tried: list[MetadataDocument] = []
    words: str = ""
    """What the body of the first refusal states."""
    page: str | None = None
    """Who sent the first refusal, if it is an HTML page: its Server header; None for another body."""


class TaskRecord(msgspec.Struct):
    """A task of the tasks extension."""

    frame: int
    made_ns: int
    ttl_ms: float | None
    requests: dict[str, int]
    """Digests of its input requests, by key."""


class Rounds(msgspec.Struct, frozen=True):
    """The rounds in which a call required input."""

    count: int
    requests: dict[str, int]
    """Digests of the last input requests, by key."""
    frame: int


class ListState:
    """Lists of the server, as received so far."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, ListedDefinition]] = {"tools": {}, "prompts": {}, "resources": {}}
        self.pages: dict[str, dict[str, Any]] = {}
        """Items of the pages so far, for each list that is being fetched."""
        self.cursors: dict[str, set[str]] = {}
        """Cursors that the server returned since the first page, by list."""
        self.fetched: dict[str, set[str]] = {}
        """Cursors whose pages were received, by list."""
        self.next_cursor: dict[str, str | None] = {}
        """`nextCursor` of the newest page, by list."""
        self.apps: dict[str, ListedDefinition] = {}
        """Tools with a page (MCP Apps), by the page's URI."""
        self.app_tools: dict[str, str] = {}
        """Page of each tool that has one and that a model may call, by the tool's name."""
        self.complete: set[str] = set()
        """Lists whose last page was received."""
        self.announced: dict[str, int] = {}
        """Entry of the newest `list_changed`, by kind."""


class HttpState:
    """The HTTP exchanges of the connection, and what their headers and streams have shown."""

    def __init__(self) -> None:
        self.exchanges: dict[int, HttpExchangeState] = {}
        self.has_endpoint = False
        """Whether the server named an endpoint for messages: the HTTP+SSE transport, regardless of the revision."""
        self.listens = 0
        """Entry at which the newest stream of GET was opened; 0 if there is none."""
        self.event_ids: set[str] = set()
        self.session_id = ""
        """Newest `Mcp-Session-Id` of a response."""
        self.session_cookie = ""
        """Name of the cookie in that response; "" if there was none."""
        self.streamed: OrderedDict[int, int] = OrderedDict()
        """Exchanges by the digest of a message that cannot be repeated, in the order of arrival."""

    def exchange(self, number: int) -> HttpExchangeState:
        """Return the exchange with this number, creating it if needed."""
        return self.exchanges.setdefault(number, HttpExchangeState(asked=[]))


class ProcessState:
    """The server's process."""

    def __init__(self) -> None:
        self.facts: list[tuple[int, int, ProcessFact]] = []
        """Entry number, time in nanoseconds, and fact."""
        self.provoked: tuple[int, str] | None = None
        """Entry and description of the newest message to the server, if doctor sent it on purpose; else None."""
        self.stderr: deque[tuple[int, bytes]] = deque(maxlen=200)
        self.flood = (0, 0)
        """The entry that began the second with the most bytes on stderr, and the number of those bytes."""
        self._second = (0, 0, 0)

    def on_stderr(self, n: int, time_ns: int, payload: bytes) -> None:
        """Add a line that the child wrote to stderr."""
        self.stderr.append((n, payload[:4096]))
        first, began, size = self._second
        if not first or time_ns - began > 1_000_000_000:
            first, began, size = n, time_ns, 0
        size += len(payload) + 1
        self._second = (first, began, size)
        if size > self.flood[1]:
            self.flood = (first, size)


class RequestState:
    """The requests of both sides, by sender and id."""

    def __init__(self) -> None:
        self.open: dict[tuple[Direction, RequestId], TrackedRequest] = {}
        self.done: OrderedDict[tuple[Direction, RequestId], TrackedRequest] = OrderedDict()
        """Completed and cancelled requests, newest last; params only of cancelled probes. At most `_REMEMBERED`."""
        self.numbering = ServerNumbering()
        self.server_ids: set[RequestId] = set()
        """Ids that the server has used for its own requests."""
        self.progress: dict[RequestId, ProgressState] = {}
        """By progress token."""
        self.unheard: list[str] = []
        """Methods of what was sent since the server's last message, oldest first; at most `MOST_UNHEARD`."""

    @property
    def all(self) -> tuple[TrackedRequest, ...]:
        """The open requests, then those that are done."""
        return (*self.open.values(), *self.done.values())

    def waiting(self) -> list[TrackedRequest]:
        """Return the client's open requests, oldest first."""
        return [each for (side, _), each in self.open.items() if side is Direction.TO_SERVER]

    def unanswered(self) -> list[TrackedRequest]:
        """Return the client's requests without a response: those that were given up, then those that are open."""
        given_up = (each for each in self.done.values() if each.answered is None)
        return [*(each for each in given_up if each.sender is Direction.TO_SERVER), *self.waiting()]

    def had_worked(self, asked: TrackedRequest) -> str:
        """Return a clause if the same request, or another call of the tool, succeeded before; "" otherwise."""
        same = (each for each in self.done.values() if (each.method, each.target) == (asked.method, asked.target))
        count = sum(each.worked and each.frame < asked.frame for each in same)
        return f"; {'an earlier one' if count == 1 else f'{count:,} earlier ones'} succeeded" if count else ""

    def requested_id(self, id_: RequestId) -> RequestId:
        """Return the id of the client's request that a response with the id `id_` is for."""
        side = Direction.TO_SERVER
        return self.numbering.request_id(
            id_,
            lambda: [each for asker, each in self.open if asker is side],
            lambda zero: (side, zero) in self.open or (side, zero) in self.done,
        )

    def finish(self, request: TrackedRequest) -> None:
        """Finish a request: its id is remembered for a while, its params only if a probe of ours was cancelled."""
        key = request.sender, request.id
        if self.open.get(key) is request:
            del self.open[key]
        keeps = request.cause is Cause.PROBE and request.answered is None
        ended = request if keeps else msgspec.structs.replace(request, params=None)
        self.done[key] = ended
        self.done.move_to_end(key)
        progress = None if request.token is None else self.progress.get(request.token)
        if progress is not None and progress.asked is request:
            progress.asked = ended
        trim(self.done)

    def use_id(self, id_: RequestId) -> None:
        """Remember an id that the server uses for its own request."""
        if len(self.server_ids) < _MOST_NAMES:
            self.server_ids.add(id_)


class OngoingState:
    """State that outlasts a request: subscriptions, tasks, and calls of several rounds."""

    def __init__(self) -> None:
        self.listens: dict[RequestId, Listen] = {}
        self.subscribed: set[str] = set()
        """URIs of subscribed resources."""
        self.log_level = ""
        """Level of the last successful `logging/setLevel`; "" for none."""
        self.task_status: dict[str, str] = {}
        """Newest status of each task."""
        self.elicitation_ids: set[str] = set()
        """Ids of elicitations in URL mode, which may get a completion notification."""
        self.tasks: OrderedDict[str, TaskRecord] = OrderedDict()
        self.rounds: OrderedDict[int, Rounds] = OrderedDict()
        """By a digest of the call without the members of a retry."""


class ConnectionState:
    def __init__(
        self,
        number: int = 1,
        beside: Mapping[str, frozenset[str]] | None = None,
        seen: Mapping[str, Remembered] | None = None,
        rest: Callable[[], None] = lambda: None,
    ) -> None:
        """Start a connection; `rest` is called repeatedly during long checks, so that other threads can run."""
        self.number = number
        """Number of the connection in the journal, from 1."""
        self.beside = beside or {}
        """Names of the tools of other servers that a host may use at the same time, by server."""
        self.seen = seen or {}
        """Stored definitions of the server from earlier connections, by kind of list."""
        self.rest = rest
        self.lists = ListState()
        self.http = HttpState()
        self.process = ProcessState()
        self.requests = RequestState()
        self.ongoing = OngoingState()
        self.login = LoginState([], [])
        self.view = ViewFacts()
        self.connection: ConnectionFact | None = None
        self.opened = 1
        """Entry that records the opening of the connection."""
        self.began_ns = 0
        self.last_ns = 0
        self.wall_offset_ns: int | None = None
        """Difference between the time since 1970 and the monotonic clock; None before the first frame."""
        self.why = ""
        """Reason why the connection ended, as the transport reported it."""
        self.hint = ""
        """What to do about it; "" if unknown."""
        self.messages = 0
        """Number of messages from the server."""
        self.first_message_ns: int | None = None
        self.handshake: TrackedRequest | None = None
        """The newest `initialize`."""
        self.opening: Opening | None = None
        self.revision: Revision | None = None
        self.row = 0
        self.initialized = False
        self.answers_initialize = False
        """Whether a server that was opened without initialize also responded to it, so that it supports both eras."""
        self._notes: dict[type, Any] = {}
        self.judged: dict[str, int] = {}
        """Number of calls of `is_sampled`, by name."""
        self._said: set[tuple[str, ...]] = set()

    @property
    def transport(self) -> str:
        """“stdio”, "http", "sse", "memory", or "" if unknown."""
        return self.connection.transport if self.connection else ""

    @property
    def is_http(self) -> bool:
        """Whether either HTTP transport carries it."""
        return self.transport in ("http", "sse")

    def capable(self, *path: str) -> bool:
        """Whether the server declares a capability, also with "true" in place of an object."""
        found = peek.at(self.opening.capabilities if self.opening else {}, *path)
        return found is not None and found is not False

    def offered(self, asked: TrackedRequest | None, *path: str) -> bool:
        """Whether the client declares a capability: on the request in stateless revisions, else in the handshake."""
        return peek.at(self.client_capabilities(asked), *path) is not None

    def client_capabilities(self, asked: TrackedRequest | None) -> dict[str, Any]:
        """Return the capabilities that the client declares."""
        if asked is not None and peek.has(asked.params, "_meta", PREFIX + "clientCapabilities"):
            return peek.mapping(asked.params, "_meta", PREFIX + "clientCapabilities")
        if self.opening is not None:
            return self.opening.client_capabilities
        return peek.mapping(self.handshake.params if self.handshake else None, "capabilities")

    def settle(self, opening: Opening) -> None:
        """Set the revision after the opening, or after a change of it."""
        self.opening, self.revision, self.row = opening, opening.revision, row_of(opening.revision)

    def notes(self, kind: type[N]) -> N:
        """Return what a module of checks keeps for a later moment: an object of its own type, made on first use."""
        found: N | None = self._notes.get(kind)
        if found is None:
            found = self._notes[kind] = kind()
        return found

    def is_first(self, name: str) -> bool:
        """Count an item, and return whether it is the first of this name."""
        return self.is_sampled(name, 1)

    def is_sampled(self, name: str, first: int, every: int = _NEVER) -> bool:
        """Count an item, and return whether to examine it: the first `first` ones, then one of `every`, if any."""
        count = self.judged.get(name, 0)
        if count or len(self.judged) < _MOST_NAMES:
            self.judged[name] = count + 1
        return count < first or count % every == 0

    def is_repeated(self, *words: str) -> bool:
        """Whether this text of a finding was reported before. Remembers it."""
        known = words in self._said
        if len(self._said) < _REMEMBERED:
            self._said.add(words)
        return known


def trim(remembered: OrderedDict[Any, Any]) -> None:
    """Forget the oldest entries beyond the limit."""
    while len(remembered) > _REMEMBERED:
        remembered.popitem(last=False)


def row_of(revision: Revision) -> int:
    """Return the row of a revision, from 1; for an unknown one the newest row of its era."""
    for place, row in enumerate(ROWS, 1):
        if row.date == revision.date:
            return place
    return LAST if revision.era is Era.MODERN else LAST - 1


class CheckMoment:
    """The event that checks are called for."""

    __slots__ = (
        *("asked", "fact", "frame", "http", "listed", "message", "n", "note"),
        *("known_at", "row", "state", "progress", "tools", "time_ns", "traits", "value"),
    )

    def __init__(self, state: ConnectionState, n: int, time_ns: int, row: int) -> None:
        self.state = state
        self.n = n
        """Number of the entry."""
        self.known_at = n
        """Entry at which it can be judged: a later one, if the declarations were not known yet."""
        self.time_ns = time_ns
        self.row = row
        """Row of the revision to judge by; 0 if not known."""
        self.traits = ALL_TRAITS
        self.frame: Frame | None = None
        self.message: Message | None = None
        self.value: Any = None
        """Params, result or error, decoded; None for anything without one."""
        self.listed: list[tuple[str, str, dict[str, Any]]] | None = None
        """Tools of a page, once a check has requested them."""
        self.tools: tuple[SeenTool, ...] | None = None
        """Tools with their traits, once a diagnosis has requested them."""
        self.asked: TrackedRequest | None = None
        """Request of a response or of a progress notification."""
        self.progress: ProgressState | None = None
        """Progress of the token, for a progress notification."""
        self.fact: HttpFact | None = None
        self.note: SseNote | None = None
        self.http: HttpExchangeState | None = None
        """HTTP exchange that carries it."""

    @property
    def heads(self) -> HttpHeads | None:
        """Its HTTP exchange; None if the headers of a side are not known."""
        http = self.http
        if http is None or http.request is None or http.response is None:
            return None
        return HttpHeads(http, http.request, http.response)

    @property
    def new_heads(self) -> HttpHeads | None:
        """The same when the response has just begun; None at any other moment."""
        return self.heads if self.fact is not None and self.fact.event is HttpEvent.RESPONSE else None

    @property
    def root(self) -> str:
        """Pointer to its result or params."""
        return "/result" if isinstance(self.message, ResultResponse) else "/params"

    def rest(self, at: int) -> None:
        """Let other threads run from time to time; a check calls this for each index of a list that may be long."""
        if not at % _BETWEEN_RESTS:
            self.state.rest()

    @property
    def revision(self) -> Revision | None:
        """Revision to judge by; None if not known."""
        return ROWS[self.row - 1] if self.row else None

    @property
    def is_modern(self) -> bool:
        """Whether the revision to judge by is known and of the stateless era."""
        return self.row >= FIRST_MODERN

    @property
    def asked_params(self) -> Any:
        """Params of the request; None without one."""
        return self.asked.params if self.asked is not None else None

    def listed_as(self, kind: str, name: str | None) -> ListedDefinition | None:
        """Return the definition that the server holds itself to in this message; None if not known.

        After `list_changed` it is not known until the list is requested again, nor for a request sent before that.
        """
        known, announced = self.state.lists.known[kind].get(name or ""), self.state.lists.announced.get(kind)
        sent = self.asked.frame if self.asked is not None else self.n
        return known if known and (announced is None or announced < known.frame < sent) else None

    @property
    def payload(self) -> bytes:
        """Payload of the frame; b"" without one."""
        return self.frame.payload if self.frame is not None else b""

    @property
    def is_foreign_event(self) -> bool:
        """Whether it is an event of an unknown type, which clients ignore."""
        sse = self.frame.sse if self.frame is not None else None
        return sse is not None and sse.event not in (None, "", "message", "error", "response")

    @property
    def is_moot(self) -> bool:
        """Whether this is an error response to a request that was cancelled: the client ignores it."""
        return self.asked is not None and self.asked.cancelled is not None and isinstance(self.message, ErrorResponse)

    @property
    def method(self) -> str:
        """Method of the message, or of a response's request."""
        return getattr(self.message, "method", None) or (self.asked.method if self.asked else "")

    @property
    def named(self) -> str:
        """That method, as sentences quote it."""
        return self.method[:_MOST_OF_METHOD]


def value_of(http: HttpExchangeState, fact: HttpFact) -> Any:
    """Return the metadata document of a login's exchange: a JSON object with status 200; None for anything else.

    Discovery tries several places, so an error with a JSON body is an ordinary "not here" (RFC 9728, section 3.2;
    RFC 8414, section 3.2).
    """
    if http.response is None or http.response.status != 200:
        return None
    value = peek.decoded(fact.document or b"")
    return value if isinstance(value, dict) else None


def is_distinct(case: CheckMoment) -> bool:
    """Whether a message on a stream is short, and of a kind that a server never sends twice."""
    frame, message = case.frame, case.message
    if frame is None or frame.sse is None or len(frame.payload) > 4096:
        return False
    return isinstance(message, Request) or (isinstance(message, Notification) and message.method in _DISTINCT)


def is_loopback(url: str) -> bool:
    """Whether the host of a URL is this machine."""
    return url_hosts.is_loopback(url_hosts.host_of(url))
