"""What the checks know of a connection so far: requests, lists, HTTP exchanges, process, subscriptions.

It is fed by `inspection` alone, one connection at a time, and checks only read it. It keeps what rules ask for and no
message, so that a long capture costs little.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from inspector.checks.definitions.tools import SeenTool
from inspector.checks.registry import LAST
from inspector.protocol import peek, url_hosts
from inspector.protocol.facts import ConnectionFact, HttpFact, ProcessFact, SseNote
from inspector.protocol.fingerprints import Remembered
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Message, Notification, Request, RequestId
from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import ROWS

_BETWEEN_RESTS = 64
"""Things of a list: to look at one takes some hundredths of a millisecond at most."""
_REMEMBERED = 10_000
_MOST_NAMES = 100_000
ALL_TRAITS = (1 << 8) - 1
"""Of a case that was not examined yet; see `traits`."""
PREFIX = "io.modelcontextprotocol/"
SESSION = "mcp-session-id"
_DISTINCT = ("notifications/progress",)
"""Notifications that a server never sends twice with the same content."""


class TrackedRequest(msgspec.Struct):
    """A request, and what became of it."""

    sender: Direction
    id: RequestId
    method: str
    params: Any
    frame: int
    time_ns: int
    http: int | None
    row: int
    """The revision it is judged by, as its place in the table from 1; 0 if not known."""
    probe: bool = False
    token: RequestId | None = None
    """Its progress token."""
    cancelled: int | None = None
    """The frame that took it back, and when."""
    cancelled_ns: int = 0
    answered: int | None = None
    """The frame of its first answer."""
    status: int | None = None
    """The status of the HTTP response to it; None if no response came."""
    lives_on: bool = False
    """Whether its answer was a task's handle: progress may go on."""


class ProgressState(msgspec.Struct):
    """The latest progress with a token."""

    asked: TrackedRequest
    last: float | None = None
    frame: int = 0
    count: int = 0
    """How many came since `since_ns`: within a second, or a little more."""
    since_ns: int = 0


class Listen(msgspec.Struct):
    """A `subscriptions/listen` that is open."""

    asked: TrackedRequest
    wanted: dict[str, Any]
    acknowledged: dict[str, Any] | None = None
    began: bool = False
    """Whether anything came on it."""


class ListedDefinition(msgspec.Struct, frozen=True):
    """A tool, prompt or resource as it was listed last."""

    item: Any
    frame: int
    pointer: str


class HttpExchangeState(msgspec.Struct):
    """One HTTP exchange: its two heads, and what it carried."""

    request: HttpFact | None = None
    response: HttpFact | None = None
    frame: int = 0
    """The entry of the response's head, else of the request's."""
    asked: list[TrackedRequest] = []
    """The requests in its body."""
    told: int = 0
    """How many messages that ask for no answer its body had."""
    answered_ns: int = 0
    """When the last of its requests was answered; 0 before that."""
    events: int = 0
    """Messages that came on its stream so far."""
    has_ids: bool = False
    """Whether an event of its stream had an id: the stream can be resumed."""
    was_primed: bool = False
    """Whether an event without a message gave it an id before the first message came."""
    retry: int | None = None
    """When the server wants to be asked again, milliseconds; None if it did not say."""

    @property
    def is_refused(self) -> bool:
        """Whether the response is an HTTP error."""
        return self.response is not None and self.response.status >= 400

    def header(self, name: str) -> str | None:
        """A header of the response, by its name in small letters; None if there is none."""
        headers = self.response.headers if self.response else ()
        return next((value for key, value in headers if key.lower() == name), None)

    def sent(self, name: str) -> str | None:
        """A header of the request, likewise."""
        headers = self.request.headers if self.request else ()
        return next((value for key, value in headers if key.lower() == name), None)


class MetadataDocument(msgspec.Struct, frozen=True):
    """A place where a login looked for metadata."""

    frame: int
    url: str
    value: Any
    """The object that was there; None if none was."""


class LoginState(msgspec.Struct):
    """What is known of the way in."""

    refusals: list[tuple[int, int, str | None]] = []
    """Of each 401 and 403: the entry, the status, and what `WWW-Authenticate` says."""
    tried: list[MetadataDocument] = []


class TaskRecord(msgspec.Struct):
    """A task of the extension."""

    frame: int
    made_ns: int
    ttl_ms: float | None
    requests: dict[str, int]
    """What it asked, by its key: a digest of each."""


class Rounds(msgspec.Struct, frozen=True):
    """How often one call was answered with questions."""

    count: int
    requests: dict[str, int]
    """What was asked last, by its key: a digest of each."""
    frame: int


class ListState:
    """What the server has listed."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, ListedDefinition]] = {"tools": {}, "prompts": {}, "resources": {}}
        self.pages: dict[str, dict[str, Any]] = {}
        """Of each list that is being fetched: what its pages had so far."""
        self.cursors: dict[str, set[str]] = {}
        """The cursors that the server gave, by list, since its first page."""
        self.fetched: dict[str, set[str]] = {}
        """The cursors whose pages were received, by list."""
        self.next_cursor: dict[str, str | None] = {}
        """The `nextCursor` of the newest page of each list."""
        self.apps: dict[str, ListedDefinition] = {}
        """The tools with a page (MCP Apps), by the page's URI."""
        self.app_tools: dict[str, str] = {}
        """The pages, by the names of the tools that have one and that a model may call."""
        self.complete: set[str] = set()
        """The lists of which the last page was received."""


class HttpState:
    """The HTTP exchanges of the connection, and what their headers and streams showed."""

    def __init__(self) -> None:
        self.exchanges: dict[int, HttpExchangeState] = {}
        self.has_endpoint = False
        """Whether the server named an address to post to: the HTTP+SSE transport, whatever revision was negotiated."""
        self.event_ids: set[str] = set()
        self.session_id = ""
        """The newest `Mcp-Session-Id` of a response."""
        self.streamed: OrderedDict[int, int] = OrderedDict()
        """Digests of messages that can't be repeated, in the order of arrival, and the exchange that carried them."""

    def exchange(self, number: int) -> HttpExchangeState:
        """The exchange with this number."""
        return self.exchanges.setdefault(number, HttpExchangeState(asked=[]))


class ProcessState:
    """The server's process."""

    def __init__(self) -> None:
        self.facts: list[tuple[int, int, ProcessFact]] = []
        """Entry number, time in nanoseconds, and fact."""
        self.provoked: tuple[int, str] | None = None
        """The newest message to the server, if it was one of doctor's: its entry, and what it was; else None."""
        self.stderr: deque[tuple[int, bytes]] = deque(maxlen=200)
        self.flood = (0, 0)
        """The entry that began the second with the most bytes on stderr, and how many these were."""
        self._second = (0, 0, 0)

    def on_stderr(self, n: int, time_ns: int, payload: bytes) -> None:
        """The child wrote to stderr."""
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
        """The completed and cancelled ones, the newest last, without params; at most `_REMEMBERED`."""
        self.server_ids: set[RequestId] = set()
        """Ids that the server has used for requests of its own."""
        self.progress: dict[RequestId, ProgressState] = {}
        """By progress token."""

    def finish(self, request: TrackedRequest) -> None:
        """A request is over; its id is remembered for a while, its params are not."""
        key = request.sender, request.id
        if self.open.get(key) is request:
            del self.open[key]
        self.done[key] = msgspec.structs.replace(request, params=None)
        self.done.move_to_end(key)
        trim(self.done)

    def use_id(self, id_: RequestId) -> None:
        """The server uses an id for a request of its own."""
        if len(self.server_ids) < _MOST_NAMES:
            self.server_ids.add(id_)


class OngoingState:
    """What outlasts a request: subscriptions, tasks, and calls that take several rounds."""

    def __init__(self) -> None:
        self.listens: dict[RequestId, Listen] = {}
        self.subscribed: set[str] = set()
        """URIs of resources."""
        self.log_level = ""
        """The level of the last successful `logging/setLevel`; "" for none."""
        self.task_status: dict[str, str] = {}
        """The newest status of each task."""
        self.elicitation_ids: set[str] = set()
        """Of elicitations in URL mode: those for which a completion notification may come."""
        self.tasks: OrderedDict[str, TaskRecord] = OrderedDict()
        self.rounds: OrderedDict[int, Rounds] = OrderedDict()
        """By a digest of the call without what a retry adds."""


class ConnectionState:
    """One connection."""

    def __init__(
        self,
        number: int = 1,
        beside: Mapping[str, frozenset[str]] | None = None,
        seen: Mapping[str, Remembered] | None = None,
        rest: Callable[[], None] = lambda: None,
    ) -> None:
        """`rest` is called repeatedly while one message is checked for long, so that other threads can run."""
        self.number = number
        """Which connection of the journal it is, from 1."""
        self.beside = beside or {}
        """The names of tools of other servers that a host may have beside this one, by server."""
        self.seen = seen or {}
        """What is remembered of the server from earlier connections, by kind of list."""
        self.rest = rest

        self.lists = ListState()
        self.http = HttpState()
        self.process = ProcessState()
        self.requests = RequestState()
        self.ongoing = OngoingState()
        self.login = LoginState([], [])

        self.connection: ConnectionFact | None = None
        self.opened = 1
        """The entry that records the opening of the connection."""
        self.began_ns = 0
        self.last_ns = 0
        self.wall_offset_ns: int | None = None
        """What to add to a moment to get the time of day, since 1970; None before the first frame."""
        self.why = ""
        """Why the connection ended, as the transport reported it."""
        self.messages = 0
        """Messages that the server sent."""
        self.first_message_ns: int | None = None

        self.handshake: TrackedRequest | None = None
        """The newest `initialize`."""
        self.opening: Opening | None = None
        self.revision: Revision | None = None
        self.row = 0
        self.initialized = False
        self.answers_initialize = False
        """Whether a server that was opened without initialize has responded to it all the same: it is of both eras."""

        self.notes: dict[str, Any] = {}
        """What a diagnosis keeps for a later moment, by its id; only that diagnosis reads it."""
        self.judged: dict[str, int] = {}
        """How often something expensive was checked, by its name."""
        self._said: set[tuple[str, ...]] = set()

    @property
    def transport(self) -> str:
        """“stdio”, "http", "sse", "memory", or "" where nothing says."""
        return self.connection.transport if self.connection else ""

    @property
    def is_http(self) -> bool:
        """Whether it is carried by HTTP of either kind."""
        return self.transport in ("http", "sse")

    def capable(self, *path: str) -> bool:
        """Whether the server declares a capability, "true" in the place of an object included."""
        found = peek.at(self.opening.capabilities if self.opening else {}, *path)
        return found is not None and found is not False

    def offered(self, asked: TrackedRequest | None, *path: str) -> bool:
        """Whether the client declares one: on the request where requests say so, else in the handshake."""
        return peek.at(self.client_capabilities(asked), *path) is not None

    def client_capabilities(self, asked: TrackedRequest | None) -> dict[str, Any]:
        """What the client declares."""
        if asked is not None and peek.has(asked.params, "_meta", PREFIX + "clientCapabilities"):
            return peek.mapping(asked.params, "_meta", PREFIX + "clientCapabilities")
        if self.opening is not None:
            return self.opening.client_capabilities
        return peek.mapping(self.handshake.params if self.handshake else None, "capabilities")

    def settle(self, opening: Opening) -> None:
        """The revision is known, or another one now."""
        self.opening, self.revision, self.row = opening, opening.revision, row_of(opening.revision)

    def is_sampled(self, name: str, first: int, every: int) -> bool:
        """Whether to look at this one of many: the first so many, then one of so many. Counts it."""
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
    """Forget the oldest of what is too much to remember."""
    while len(remembered) > _REMEMBERED:
        remembered.popitem(last=False)


FIRST_MODERN = next(place for place, row in enumerate(ROWS, 1) if row.era is Era.MODERN)


def row_of(revision: Revision) -> int:
    """The place of a revision in the table, from 1; of one that is not there, that of its era's newest."""
    for place, row in enumerate(ROWS, 1):
        if row.date == revision.date:
            return place
    return LAST if revision.era is Era.MODERN else LAST - 1


class CheckMoment:
    """What just happened, for the checks that look at such moments."""

    __slots__ = (
        *("asked", "fact", "frame", "http", "listed", "message", "n", "note"),
        *("known_at", "row", "state", "progress", "tools", "time_ns", "traits", "value"),
    )

    def __init__(self, state: ConnectionState, n: int, time_ns: int, row: int) -> None:
        self.state = state
        self.n = n
        """The entry's number."""
        self.known_at = n
        """The entry with which it can be judged: a later one, if what was declared was not known yet."""
        self.time_ns = time_ns
        self.row = row
        """The revision to judge by; 0 if not known."""
        self.traits = ALL_TRAITS
        self.frame: Frame | None = None
        self.message: Message | None = None
        self.value: Any = None
        """Params, result or error, decoded; None for what has none."""
        self.listed: list[tuple[str, str, dict[str, Any]]] | None = None
        """The tools of a page, once a check has asked for them."""
        self.tools: tuple[SeenTool, ...] | None = None
        """The same with their traits, once a diagnosis has asked for them."""
        self.asked: TrackedRequest | None = None
        """The request of a response, or of a progress notification."""
        self.progress: ProgressState | None = None
        """Of a progress notification: what is known about its token."""
        self.fact: HttpFact | None = None
        self.note: SseNote | None = None
        self.http: HttpExchangeState | None = None
        """The HTTP exchange that carries it."""

    def rest(self, at: int) -> None:
        """Let others have their turn, now and then: a check has come to this place of a list that may be long."""
        if not at % _BETWEEN_RESTS:
            self.state.rest()

    @property
    def revision(self) -> Revision | None:
        """The row of the table to judge by."""
        return ROWS[self.row - 1] if self.row else None

    @property
    def is_modern(self) -> bool:
        """Whether the revision to judge by is known, and of the stateless era."""
        return self.row >= FIRST_MODERN

    @property
    def method(self) -> str:
        """The message's method; of an answer, its request's."""
        return getattr(self.message, "method", None) or (self.asked.method if self.asked else "")


def value_of(http: HttpExchangeState, fact: HttpFact) -> Any:
    """The metadata document of an exchange of a login: a JSON object with status 200; None for anything else.

    Discovery tries several places, so an error with a JSON body is an ordinary "not here" (RFC 9728, section 3.2; RFC
    8414, section 3.2).
    """
    if http.response is None or http.response.status != 200:
        return None
    try:
        value = msgspec.json.decode(fact.document) if fact.document else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def is_distinct(case: CheckMoment) -> bool:
    """Whether it came on a stream, is short, and would not be sent twice by a server that sends it once."""
    frame, message = case.frame, case.message
    if frame is None or frame.sse is None or len(frame.payload) > 4096:
        return False
    return isinstance(message, Request) or (isinstance(message, Notification) and message.method in _DISTINCT)


def host_of(url: str) -> str:
    """The host of an address, in small letters; "" if it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine."""
    return url_hosts.is_loopback(host_of(url))
