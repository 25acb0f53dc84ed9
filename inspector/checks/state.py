"""What the checks know of a conversation so far: who waits for what, what was declared, what was listed.

It is fed by `inspection` alone, one connection at a time, and checks only read it. It keeps what rules ask for and no
message, so that a long capture costs little.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from inspector.checks.registry import LAST
from inspector.protocol import peek, url_hosts
from inspector.protocol.facts import ConnectionFact, HttpEvent, HttpFact, ProcessFact, SseNote
from inspector.protocol.fingerprints import Remembered
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Message, Notification, Request, RequestId
from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import ROWS

if TYPE_CHECKING:
    from inspector.checks.diagnoses.definitions import SeenTool


_BETWEEN_RESTS = 64
"""Things of a list: to look at one takes some hundredths of a millisecond at most."""
_REMEMBERED = 10_000
_MOST_NAMES = 100_000
ALL_TRAITS = (1 << 8) - 1
"""Of a case at which nobody has looked yet; see `traits`."""
PREFIX = "io.modelcontextprotocol/"


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
    """What progress on it is told under."""
    cancelled: int | None = None
    """The frame that took it back, and when."""
    cancelled_ns: int = 0
    answered: int | None = None
    """The frame of its first answer."""
    status: int | None = None
    """The status of the HTTP response to it; None if no response came."""
    lives_on: bool = False
    """Whether its answer was a task's handle: progress may go on."""


class Telling(msgspec.Struct):
    """The newest word of progress under a token."""

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


class HttpLife(msgspec.Struct):
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


class TaskLife(msgspec.Struct):
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


_Beside = Mapping[str, frozenset[str]] | None
_Seen = Mapping[str, Remembered] | None


class _Offered:
    """The part of a scene that the server has listed."""

    def __init__(self, beside: _Beside, seen: _Seen) -> None:
        self.beside = beside or {}
        """The names of tools of other servers that a host may have beside this one, by server."""
        self.seen = seen or {}
        """What is remembered of the server from before, by kind of list."""
        self.known: dict[str, dict[str, ListedDefinition]] = {"tools": {}, "prompts": {}, "resources": {}}
        self.pages: dict[str, dict[str, Any]] = {}
        """Of each list that is being fetched: what its pages had so far."""
        self.cursors: dict[str, set[str]] = {}
        """The cursors that the server gave, by list, since its first page."""
        self.fetched: dict[str, set[str]] = {}
        """The cursors that pages came for, likewise."""
        self.next_cursor: dict[str, str | None] = {}
        """What the newest page of each list named as the next one."""
        self.apps: dict[str, ListedDefinition] = {}
        """The tools that bring a page, by the page's URI."""
        self.app_tools: dict[str, str] = {}
        """The pages, by the names of the tools that bring them and that a model may call."""
        self.whole: set[str] = set()
        """The lists of which the last page has come."""


class _Carried:
    """The part of a scene that HTTP has brought."""

    def __init__(self) -> None:
        self.http: dict[int, HttpLife] = {}
        self.has_endpoint = False
        """Whether the server named an address to post to: HTTP as it was at first, whatever revision was agreed on."""
        self.event_ids: set[str] = set()
        self.mcp_session_id = ""
        """The newest that a response carried."""
        self.streamed: OrderedDict[int, int] = OrderedDict()
        """Digests of messages that can't come twice, as they came on streams, and the exchange they came on."""
        self.login = LoginState([], [])


class _Ran:
    """The part of a scene that is about the process."""

    def __init__(self) -> None:
        self.processes: list[tuple[int, int, ProcessFact]] = []
        """Number, time and fact."""
        self.provoked: tuple[int, str] | None = None
        """The newest message to the server, if it was one of doctor's: its entry, and what it was; else None."""
        self.stderr: deque[tuple[int, bytes]] = deque(maxlen=200)
        self.flood = (0, 0)
        """The entry that began the second with the most bytes on stderr, and how many these were."""
        self._second = (0, 0, 0)

    def muttered(self, n: int, time_ns: int, payload: bytes) -> None:
        """The child wrote to stderr."""
        self.stderr.append((n, payload[:4096]))
        first, began, size = self._second
        if not first or time_ns - began > 1_000_000_000:
            first, began, size = n, time_ns, 0
        size += len(payload) + 1
        self._second = (first, began, size)
        if size > self.flood[1]:
            self.flood = (first, size)


class _Followed:
    """The part of a scene that outlasts a request: subscriptions, tasks, and calls that take several rounds."""

    def __init__(self) -> None:
        self.listens: dict[RequestId, Listen] = {}
        self.watched: set[str] = set()
        """Resources subscribed to."""
        self.level = ""
        """The log level that was asked for; "" for none."""
        self.states: dict[str, str] = {}
        """The newest state of each task."""
        self.visits: set[str] = set()
        """Elicitations that may be told complete."""
        self.tasks: OrderedDict[str, TaskLife] = OrderedDict()
        self.rounds: OrderedDict[int, Rounds] = OrderedDict()
        """By a digest of the call without what a retry adds."""


class _Begun:
    """The part of a scene that is about how the connection began."""

    def __init__(self) -> None:
        self.connection: ConnectionFact | None = None
        self.opened = 1
        """The entry that says that it was opened."""
        self.began_ns = 0
        self.wall_offset_ns: int | None = None
        """What to add to a moment to get the time of day, since 1970; None before the first frame."""
        self.handshake: TrackedRequest | None = None
        """The newest `initialize`."""
        self.opening: Opening | None = None
        self.revision: Revision | None = None
        self.row = 0
        self.initialized = False
        self.shakes_hands = False
        """Whether a server that was opened without initialize has responded to it all the same: it is of both eras."""


class ConnectionState(_Offered, _Carried, _Ran, _Begun, _Followed):
    """One connection."""

    def __init__(
        self, number: int = 1, beside: _Beside = None, seen: _Seen = None, rest: Callable[[], None] = lambda: None
    ) -> None:
        """`rest` is called again and again in long looks at one message, so that others have their turn meanwhile."""
        _Offered.__init__(self, beside, seen)
        _Carried.__init__(self)
        _Ran.__init__(self)
        _Begun.__init__(self)
        _Followed.__init__(self)
        self.rest = rest
        self.number = number
        """Which connection of the journal it is, from 1."""
        self.asked: dict[tuple[Direction, RequestId], TrackedRequest] = {}
        """What is open."""
        self.done: OrderedDict[tuple[Direction, RequestId], TrackedRequest] = OrderedDict()
        """What was answered or taken back, the newest last; as many as are remembered."""
        self.server_ids: set[RequestId] = set()
        """Ids that the server has used for requests of its own."""
        self.tokens: dict[RequestId, Telling] = {}
        self.messages = 0
        """Messages that the server sent."""
        self.first_message_ns: int | None = None
        self.why = ""
        """Why the connection ended, as the transport said."""
        self.last_ns = 0
        self._said: set[tuple[str, ...]] = set()
        self.notes: dict[str, Any] = {}
        """What a diagnosis wants to know again later, by its id; nobody else looks."""
        self.judged: dict[str, int] = {}
        """How often something expensive was looked at, by its name."""

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

    def remember(self, asked: TrackedRequest) -> None:
        """A request is over; its id is known for a while, its params are not."""
        key = asked.sender, asked.id
        if self.asked.get(key) is asked:
            del self.asked[key]
        self.done[key] = msgspec.structs.replace(asked, params=None)
        self.done.move_to_end(key)
        trim(self.done)

    def use(self, id_: RequestId) -> None:
        """The server uses an id for a request of its own."""
        if len(self.server_ids) < _MOST_NAMES:
            self.server_ids.add(id_)

    def seldom(self, name: str, first: int, every: int) -> bool:
        """Whether to look at this one of many: the first so many, then one of so many. Counts it."""
        count = self.judged.get(name, 0)
        if count or len(self.judged) < _MOST_NAMES:
            self.judged[name] = count + 1
        return count < first or count % every == 0

    def says_again(self, *words: str) -> bool:
        """Whether these words of a finding were said before. Remembers them."""
        known = words in self._said
        if len(self._said) < _REMEMBERED:
            self._said.add(words)
        return known

    def life(self, http: int) -> HttpLife:
        """One HTTP exchange."""
        return self.http.setdefault(http, HttpLife(asked=[]))


def trim(remembered: OrderedDict[Any, Any]) -> None:
    """Forget the oldest of what is too much to remember."""
    while len(remembered) > _REMEMBERED:
        remembered.popitem(last=False)


def row_of(revision: Revision) -> int:
    """The place of a revision in the table, from 1; of one that is not there, that of its era's newest."""
    for place, row in enumerate(ROWS, 1):
        if row.date == revision.date:
            return place
    return LAST if revision.era is Era.MODERN else LAST - 1


class CheckMoment:
    """What just happened, for the checks that look at such moments."""

    __slots__ = (
        *("asked", "fact", "frame", "life", "listed", "message", "n", "note"),
        *("known_at", "row", "scene", "surface", "telling", "time_ns", "traits", "value"),
    )

    def __init__(self, scene: ConnectionState, n: int, time_ns: int, row: int) -> None:
        self.scene = scene
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
        self.surface: tuple[SeenTool, ...] | None = None
        """The same with their traits, once a diagnosis has asked for them."""
        self.asked: TrackedRequest | None = None
        """The request that is answered, or that a word of progress is about."""
        self.telling: Telling | None = None
        """Of a word of progress: what is known under its token."""
        self.fact: HttpFact | None = None
        self.note: SseNote | None = None
        self.life: HttpLife | None = None
        """The HTTP exchange that carries it."""

    def rest(self, at: int) -> None:
        """Let others have their turn, now and then: a check has come to this place of a list that may be long."""
        if not at % _BETWEEN_RESTS:
            self.scene.rest()

    @property
    def revision(self) -> Revision | None:
        """The row of the table to judge by."""
        return ROWS[self.row - 1] if self.row else None

    @property
    def method(self) -> str:
        """The message's method; of an answer, its request's."""
        return getattr(self.message, "method", None) or (self.asked.method if self.asked else "")


# --- What HTTP teaches the scene: heads, streams, sessions, and where a login looked. No verdicts here.

SESSION = "mcp-session-id"
_MOST = 100
"""Refusals and documents of a login that are remembered."""
_DISTINCT = ("notifications/progress",)
"""Notifications that never come twice with the same words."""


def learned_head(scene: ConnectionState, case: CheckMoment, fact: HttpFact) -> None:
    """A request, a response or the end of an exchange was judged."""
    life = case.life
    assert life is not None
    if fact.event is HttpEvent.RESPONSE:
        if fact.status in (401, 403) and len(scene.login.refusals) < _MOST and _is_of_the_server(scene, life):
            scene.login.refusals.append((case.n, fact.status, life.header("www-authenticate")))
        given = life.header(SESSION)
        if given is not None and 200 <= fact.status < 300:
            scene.mcp_session_id = given
    elif fact.event in (HttpEvent.END, HttpEvent.ERROR):
        for asked in life.asked:
            scene.listens.pop(asked.id, None)
        if life.request is not None and "/.well-known/" in life.request.target and len(scene.login.tried) < _MOST:
            scene.login.tried.append(MetadataDocument(case.n, life.request.target, value_of(life, fact)))


def _is_of_the_server(scene: ConnectionState, life: HttpLife) -> bool:
    """Whether an exchange is with the MCP server: it carried a message, or went to its URL. Others are of a login."""
    if life.asked or life.told:
        return True
    url = scene.connection.url if scene.connection is not None else ""
    return life.request is not None and bool(url) and life.request.target.partition("?")[0] == url.partition("?")[0]


def value_of(life: HttpLife, fact: HttpFact) -> Any:
    """The metadata document of an exchange of a login: a JSON object with status 200; None for anything else.

    Discovery tries several places, so an error with a JSON body is an ordinary "not here" (RFC 9728, section 3.2; RFC
    8414, section 3.2).
    """
    if life.response is None or life.response.status != 200:
        return None
    try:
        value = msgspec.json.decode(fact.document) if fact.document else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def learned_note(case: CheckMoment, note: SseNote) -> None:
    """An event without a message was judged."""
    life = case.life
    if life is not None:
        if note.id:
            life.has_ids = True
            life.was_primed = life.was_primed or not life.events
        life.retry = life.retry if note.retry is None else note.retry


def learned_event(life: HttpLife, frame: Frame) -> None:
    """A message came on a stream."""
    life.events += 1
    if frame.sse is not None:
        life.has_ids = life.has_ids or bool(frame.sse.id)
        life.retry = life.retry if frame.sse.retry is None else frame.sse.retry


def learned_answer(scene: ConnectionState, asked: TrackedRequest, time_ns: int) -> None:
    """A request was answered, wherever the answer came."""
    life = scene.http.get(asked.http) if asked.http is not None else None
    if life is not None and all(each.answered is not None for each in life.asked):
        life.answered_ns = time_ns


def learned_distinct(scene: ConnectionState, case: CheckMoment) -> None:
    """Remember where a message came that can't come twice."""
    if is_distinct(case) and case.frame is not None and case.frame.http is not None:
        scene.streamed.setdefault(hash(case.frame.payload), case.frame.http)
        trim(scene.streamed)


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
