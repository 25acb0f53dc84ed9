"""Updates the state of a connection from each message, after the checks have seen it."""

from typing import Any

from inspector.checks.state import (
    ALL_TRAITS,
    FIRST_MODERN,
    MOST_UNHEARD,
    PREFIX,
    SESSION,
    CheckMoment,
    ConnectionState,
    HttpExchangeState,
    ListedDefinition,
    Listen,
    MetadataDocument,
    ProgressState,
    Rounds,
    TaskRecord,
    TrackedRequest,
    is_distinct,
    row_of,
    trim,
    value_of,
)
from inspector.protocol import peek, probes
from inspector.protocol.apps import app_uri
from inspector.protocol.facts import HttpEvent, HttpFact, SseNote
from inspector.protocol.frames import Cause, Direction, Frame
from inspector.protocol.jsonrpc import (
    ErrorResponse,
    Message,
    Notification,
    NotJsonRpc,
    Request,
    RequestId,
    ResultResponse,
    encode,
)
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import Opening, from_discover, from_initialize, modern_code, names_stateless
from inspector.protocol.revisions.table import resolve
from inspector.protocol.server_requests import INPUT_REQUIRED
from inspector.protocol.tracking.opening import declared_revision
from inspector.text import cut

_MEMBERS = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"}
ASKING = frozenset({"tools/call", "prompts/get", "resources/read"})
"""Requests whose response may require input."""
_OF_RETRIES = frozenset({"inputResponses", "requestState", "_meta"})
_MOST_REQUESTS, _MOST_KEYS = 100, 1000
_KEPT_PARAMS = 4096
"""Maximum members of an argument object that are kept with a request; larger ones are ignored here."""
_KEPT_TARGET = 100
"""Characters of the name of a tool that are kept with a request."""
_MOST_OF_LOGIN = 100
"""Maximum refusals and documents of a login that are remembered."""
CARRIED = 1
"""It was received over HTTP."""
PROBED = 2
"""It is the response to a probe."""
LARGE = 4
"""Its bytes are `LARGE_FROM` or more."""
AFTER = 8
"""An event of the process was recorded after its start."""
FAILED = 16
"""The result reports that the call failed."""
RICH = 32
"""The content is not a list, or has more than plain text blocks."""
STRUCTURED = 64
"""The result has structured content."""
TASK = 128
"""The result is about a task, or the request asked for one."""
LARGE_FROM = 100_000


def row_of_request(state: ConnectionState, method: str, params: Any) -> int:
    """Return the row of the revision that a request declares; 0 for `initialize`, which negotiates it."""
    if method == "initialize":
        return 0
    declared = declared_revision(params)
    return row_of(resolve(declared)[0]) if declared is not None else state.row


def row_of_answer(state: ConnectionState, asked: TrackedRequest, value: Any, *, is_result: bool) -> int:
    """Return the row by which to judge a response; 0 if the response confirms no revision."""
    if asked.method == "initialize":
        if not is_result:
            return 0
        opening = from_initialize(asked.params, value)
        date = peek.text(asked.params, "protocolVersion") or ""
        return row_of(opening.revision if isinstance(opening, Opening) else resolve(date, Era.LEGACY)[0])
    if asked.row < FIRST_MODERN or state.row >= FIRST_MODERN:
        return asked.row
    if not is_result:
        return asked.row if modern_code(value) is not None or names_stateless(value) else 0
    if asked.method == "server/discover":
        return asked.row if isinstance(from_discover("", value), Opening) or type(value) is not dict else 0
    return asked.row if peek.has(value, "resultType") or not state.row else 0


def learn_sent(state: ConnectionState, frame: Frame, message: Message, batched: bool) -> None:
    """Update the state for a message from the client."""
    state.process.provoked = _provocation(state, frame, message) if frame.cause is Cause.PROBE else None
    if isinstance(message, Request | Notification) and len(state.requests.unheard) < MOST_UNHEARD:
        state.requests.unheard.append(message.method)
    match message:
        case Request():
            _requested(state, frame, message)
        case Notification():
            _notified(state, frame, message)
        case ResultResponse() | ErrorResponse():
            asked = None if message.id is None else state.requests.open.get((Direction.FROM_SERVER, message.id))
            if asked is not None:
                asked.answered = frame.n
                state.requests.finish(asked)
    if frame.http is not None and not isinstance(message, Request):
        state.http.exchange(frame.http).notifications.append(
            message.method if isinstance(message, Notification) else ""
        )


def _provocation(state: ConnectionState, frame: Frame, message: Message) -> tuple[int, str] | None:
    """Return what doctor sent on purpose; None for what any client may send: the probe of the era, calls, a list."""
    if isinstance(message, NotJsonRpc):
        return frame.n, "bytes that are not JSON"
    method, params = getattr(message, "method", ""), getattr(message, "params", None)
    is_list = method == "tools/list" and not peek.has(params, "cursor")
    if is_list and (state.row < FIRST_MODERN or peek.has(params, "_meta")):
        return None
    if method == "server/discover" or probes.calls_a_tool(method, params):
        return None
    return frame.n, f"{cut(method, 60)}, a request that was made to be rejected"


def _requested(state: ConnectionState, frame: Frame, request: Request) -> None:
    params = request.params
    row = row_of_request(state, request.method, params)
    asked = TrackedRequest(
        Direction.TO_SERVER, request.id, request.method, params, frame.n, frame.time_ns, frame.http, row, frame.cause
    )
    asked.target = (peek.text(params, "name") or "")[:_KEPT_TARGET]
    state.requests.open[Direction.TO_SERVER, request.id] = asked
    token = peek.request_id(params, "_meta", "progressToken")
    if token is not None:
        asked.token = token
        state.requests.progress[token] = ProgressState(asked)
        _forget_tokens(state.requests.progress)
    if frame.http is not None:
        state.http.exchange(frame.http).asked.append(asked)
    if request.method == "initialize":
        state.handshake = asked
    if request.method == "subscriptions/listen":
        state.ongoing.listens[request.id] = Listen(asked, peek.mapping(params, "notifications"))


def _notified(state: ConnectionState, frame: Frame, message: Notification) -> None:
    if message.method == "notifications/initialized":
        state.initialized = True
    elif message.method == "notifications/cancelled":
        id_ = peek.request_id(message.params, "requestId")
        asked = None if id_ is None else state.requests.open.get((Direction.TO_SERVER, id_))
        if asked is not None:
            asked.cancelled, asked.cancelled_ns = frame.n, frame.time_ns
            state.requests.finish(asked)


def find_progress(state: ConnectionState, case: CheckMoment) -> None:
    """Look up the progress and the request of a progress notification, before it is checked."""
    token = peek.request_id(case.value, "progressToken")
    case.progress = state.requests.progress.get(token) if token is not None else None
    case.asked = case.progress.asked if case.progress else None


def learn_received(state: ConnectionState, case: CheckMoment) -> None:
    """Update the state for a message from the server, after it was checked."""
    state.messages += 1
    state.requests.unheard.clear()
    if state.first_message_ns is None and type(case.message) in (Request, Notification, ResultResponse, ErrorResponse):
        state.first_message_ns = case.time_ns
    message = case.message
    if isinstance(message, Request):
        state.requests.use_id(message.id)
        asked = TrackedRequest(
            Direction.FROM_SERVER, message.id, message.method, case.value, case.n, case.time_ns, None, case.row
        )
        state.requests.open[Direction.FROM_SERVER, message.id] = asked
        if message.method == "elicitation/create":
            _note_visit(state, case.value)
    elif isinstance(message, Notification):
        _learn_from_notification(state, case, message)
    if case.http is not None:
        learn_streamed(state, case)


def _learn_from_notification(state: ConnectionState, case: CheckMoment, message: Notification) -> None:
    if message.method == "notifications/progress":
        progress = case.progress
        if progress is not None:
            progress.last, progress.frame = peek.number(case.value, "progress"), case.n
            progress.newest_ns = case.time_ns
            if case.time_ns - progress.since_ns > 1_000_000_000:
                progress.since_ns, progress.count = case.time_ns, 0
            progress.count += 1
    elif message.method == "notifications/cancelled":
        id_ = peek.request_id(case.value, "requestId")
        asked = None if id_ is None else state.requests.open.get((Direction.FROM_SERVER, id_))
        if asked is not None:
            asked.cancelled = case.n
            state.requests.finish(asked)
        elif id_ in state.ongoing.listens:
            state.ongoing.listens[id_].began = True
        elif id_ is not None and (given_up := state.requests.open.get((Direction.TO_SERVER, id_))) is not None:
            if id_ not in state.requests.server_ids:
                given_up.answered = case.n
                state.requests.finish(given_up)
    elif message.method in ("notifications/tasks/status", "notifications/tasks"):
        _note_task(state, case)
    elif message.method.endswith("/list_changed"):
        kind = message.method.split("/")[1]
        state.lists.announced[kind] = case.n
        state.lists.complete.discard(f"{kind}/list")
    listen = listen_of(state, case.value) if state.ongoing.listens else None
    if listen is not None:
        listen.began = True
        if message.method == "notifications/subscriptions/acknowledged":
            listen.acknowledged = peek.mapping(case.value, "notifications")


def listen_of(state: ConnectionState, params: Any) -> Listen | None:
    """Return the open `subscriptions/listen` that a notification names; None if it names none."""
    id_ = peek.request_id(params, "_meta", PREFIX + "subscriptionId")
    return None if id_ is None else state.ongoing.listens.get(id_)


def learn_response(state: ConnectionState, case: CheckMoment) -> None:
    """Update the state for a response to a client request."""
    asked = case.asked
    assert asked is not None
    asked.answered = case.n
    asked.worked = isinstance(case.message, ResultResponse) and peek.at(case.value, "isError") is not True
    learn_response_time(state, asked, case.time_ns)
    state.ongoing.listens.pop(asked.id, None)
    if isinstance(case.message, ResultResponse):
        _learn_from_result(state, case, asked)
    elif peek.integer(case.value, "code") is not None:
        for each in peek.items(case.value, "data", "elicitations"):
            _note_visit(state, each)
    state.requests.finish(asked)


def _learn_from_result(state: ConnectionState, case: CheckMoment, asked: TrackedRequest) -> None:
    result = case.value
    if asked.method == "initialize":
        opening = from_initialize(asked.params, result)
        if isinstance(opening, Opening) and asked.probe and state.opening is not None:
            state.answers_initialize = True
        elif isinstance(opening, Opening):
            state.settle(opening)
    elif asked.method == "server/discover":
        asked.unread = case.n if type(result) is not dict else None
        _discovered(state, asked, result)
    elif asked.method in _MEMBERS:
        _listed(state, case, asked)
    elif asked.method == "resources/subscribe":
        state.ongoing.subscribed.add(peek.text(asked.params, "uri") or "")
    elif asked.method == "resources/unsubscribe":
        state.ongoing.subscribed.discard(peek.text(asked.params, "uri") or "")
    elif asked.method == "logging/setLevel":
        state.ongoing.log_level = peek.text(asked.params, "level") or ""
    elif asked.method in ("tasks/get", "tasks/cancel"):
        _note_task(state, case)
    if type(result) is dict and ("task" in result or result.get("resultType") == "task"):
        asked.lives_on = True
        _note_task(state, case)
    if asked.method in ASKING:
        _note_round(state, case, asked)


def _discovered(state: ConnectionState, asked: TrackedRequest, result: Any) -> None:
    opening = from_discover(peek.text(asked.params, "_meta", PREFIX + "protocolVersion") or "", result)
    if isinstance(opening, Opening) and not _opened_since(state, asked):
        state.settle(opening)


def _opened_since(state: ConnectionState, asked: TrackedRequest) -> bool:
    """Whether a handshake that began after this request is complete, so that its response is too late."""
    opened = state.opening is not None and state.opening.era is Era.LEGACY
    return opened and state.handshake is not None and state.handshake.frame > asked.frame


def _listed(state: ConnectionState, case: CheckMoment, asked: TrackedRequest) -> None:
    """Remember the items of a page; a first page starts a new list."""
    kind = _MEMBERS[asked.method]
    if not peek.has(asked.params, "cursor"):
        state.lists.known[kind] = {}
        state.lists.cursors.pop(asked.method, None)
        state.lists.fetched.pop(asked.method, None)
        if kind == "tools":
            state.lists.apps, state.lists.app_tools = {}, {}
        state.lists.pages.pop(asked.method, None)
    else:
        state.lists.fetched.setdefault(asked.method, set()).add(peek.text(asked.params, "cursor") or "")
    cursor = state.lists.next_cursor[asked.method] = peek.text(case.value, "nextCursor")
    if cursor is not None:
        state.lists.cursors.setdefault(asked.method, set()).add(cursor)
    state.lists.pages.setdefault(asked.method, {"cacheScope": peek.at(case.value, "cacheScope"), "frame": case.n})
    for at, item in enumerate(peek.items(case.value, kind)):
        name = peek.text(item, "uri" if kind == "resources" else "name")
        if name is not None:
            state.lists.known[kind].setdefault(name, ListedDefinition(item, case.n, f"/result/{kind}/{at}"))
            if kind == "tools" and "_meta" in item:
                _note_app(state, name, item, case.n, at)
    (state.lists.complete.add if cursor is None else state.lists.complete.discard)(asked.method)


def _note_app(state: ConnectionState, name: str, tool: Any, frame: int, at: int) -> None:
    uri = app_uri(tool)
    if uri is not None:
        state.lists.apps[uri] = ListedDefinition(tool, frame, f"/result/tools/{at}")
        shown_to = peek.at(tool, "_meta", "ui", "visibility")
        if type(shown_to) is not list or "model" in shown_to:
            state.lists.app_tools[name] = uri


def _note_visit(state: ConnectionState, params: Any) -> None:
    if (id_ := peek.text(params, "elicitationId")) is not None:
        state.ongoing.elicitation_ids.add(id_)


def _note_task(state: ConnectionState, case: CheckMoment) -> None:
    word = peek.at(case.value, "task") or case.value
    id_, status = peek.text(word, "taskId"), peek.text(word, "status")
    if id_ is None or status is None:
        return
    state.ongoing.task_status[id_] = status
    task = state.ongoing.tasks.get(id_)
    if task is None:
        task = state.ongoing.tasks[id_] = TaskRecord(case.n, case.time_ns, None, {})
        trim(state.ongoing.tasks)
    task.ttl_ms = peek.number(word, "ttlMs")
    if len(task.requests) < _MOST_KEYS:
        task.requests.update(requests_of(word))


def is_result_of_a_tool(value: Any) -> bool:
    """Whether the result of a read is the report of a failure, as tools return it."""
    return peek.flag(value, "isError") is True and not peek.has(value, "contents")


def is_nested(result: Any) -> bool:
    """Whether a result is a task's handle in the form of the core of 2025-11-25, not of the extension."""
    nested = peek.text(result, "task", "taskId") is not None
    return nested and not peek.has(result, "content") and not peek.has(result, "taskId")


def requests_of(word: Any) -> dict[str, int]:
    """Return digests of a task's or a result's input requests by key, for comparison."""
    found = peek.mapping(word, "inputRequests")
    return {key: hash(encode(found[key])) for key in list(found)[:_MOST_REQUESTS]}


def call_of(asked: TrackedRequest) -> int:
    """Return a digest of a call without the members of a retry: the same for all rounds of one call."""
    params = {key: value for key, value in peek.mapping(asked.params).items() if key not in _OF_RETRIES}
    return hash(encode([asked.method, params]))


def is_retry(asked: TrackedRequest) -> bool:
    """Whether a request continues a call whose result required input."""
    return peek.has(asked.params, "inputResponses") or peek.has(asked.params, "requestState")


def _note_round(state: ConnectionState, case: CheckMoment, asked: TrackedRequest) -> None:
    asks = peek.text(case.value, "resultType") == INPUT_REQUIRED
    if not asks and not is_retry(asked):
        return
    call = call_of(asked)
    before = state.ongoing.rounds.pop(call, None)
    if asks:
        count = before.count + 1 if before is not None and is_retry(asked) else 1
        state.ongoing.rounds[call] = Rounds(count, requests_of(case.value), case.n)
        trim(state.ongoing.rounds)


def _forget_tokens(progress: dict[RequestId, ProgressState]) -> None:
    """Forget some finished tokens if there are too many; the others are kept to recognize late progress.

    Most may belong to open requests, so that the search for finished ones is worth it only after many new tokens.
    """
    if len(progress) >= 2 * _KEPT_PARAMS and not len(progress) % _KEPT_PARAMS:
        ended = [token for token, each in progress.items() if each.asked.answered is not None]
        for token in ended[:_KEPT_PARAMS]:
            del progress[token]


def _is_named_metadata(state: ConnectionState, target: str) -> bool:
    """Whether a challenge names this URL as that of the metadata, which the endpoint itself never is."""
    endpoint = state.connection.url if state.connection is not None else ""
    return target != endpoint and any(f'"{target}"' in (challenge or "") for _, _, challenge in state.login.refusals)


def learn_http(state: ConnectionState, case: CheckMoment, fact: HttpFact) -> None:
    """Update the state for a request, a response or the end of an exchange, after it was checked."""
    http = case.http
    assert http is not None
    if fact.event is HttpEvent.RESPONSE:
        if http.request is not None and http.request.method == "GET" and fact.status == 200:
            state.http.listens = case.n
        if fact.status in (401, 403) and len(state.login.refusals) < _MOST_OF_LOGIN and _is_of_the_server(state, http):
            if not state.login.refusals and "text/html" in (http.header("content-type") or ""):
                state.login.page = cut(http.header("server") or "", 40)
            state.login.refusals.append((case.n, fact.status, http.header("www-authenticate")))
        given = http.header(SESSION)
        if given is not None and 200 <= fact.status < 300:
            state.http.session_id = given
            state.http.session_cookie = (http.header("set-cookie") or "").partition("=")[0].strip()
    elif fact.event in (HttpEvent.END, HttpEvent.ERROR):
        for asked in http.asked:
            state.ongoing.listens.pop(asked.id, None)
        if http.response is not None and http.response.status in (401, 403) and _is_of_the_server(state, http):
            state.login.words = state.login.words or http.words
        if (
            http.request is not None
            and ("/.well-known/" in http.request.target or _is_named_metadata(state, http.request.target))
            and len(state.login.tried) < _MOST_OF_LOGIN
        ):
            status = http.response.status if http.response is not None else None
            state.login.tried.append(MetadataDocument(case.n, http.request.target, value_of(http, fact), status))


def _is_of_the_server(state: ConnectionState, http: HttpExchangeState) -> bool:
    """Whether an exchange is with the MCP server: it carried a message or went to its URL. Others belong to a login."""
    if http.asked or http.notifications:
        return True
    url = state.connection.url if state.connection is not None else ""
    return http.request is not None and bool(url) and http.request.target.partition("?")[0] == url.partition("?")[0]


def learn_sse_note(case: CheckMoment, note: SseNote) -> None:
    """Update the state for an event without a message, after it was checked."""
    http = case.http
    if http is not None:
        if note.id:
            http.has_ids = True
            http.was_primed = http.was_primed or not http.events
        http.retry = http.retry if note.retry is None else note.retry
        for asked in http.asked:
            asked.kept_open = asked.kept_open or note.raw[:1] == b":"


def learn_sse_event(http: HttpExchangeState, frame: Frame) -> None:
    """Update the state for a message on a stream."""
    http.events += 1
    if frame.sse is not None:
        http.has_ids = http.has_ids or bool(frame.sse.id)
        http.retry = http.retry if frame.sse.retry is None else frame.sse.retry


def learn_response_time(state: ConnectionState, asked: TrackedRequest, time_ns: int) -> None:
    """Record the time at which all requests of an HTTP exchange have a response."""
    http = state.http.exchanges.get(asked.http) if asked.http is not None else None
    if http is not None and all(each.answered is not None for each in http.asked):
        http.answered_ns = time_ns


def learn_streamed(state: ConnectionState, case: CheckMoment) -> None:
    """Remember which exchange carried a message that cannot be repeated."""
    if is_distinct(case) and case.frame is not None and case.frame.http is not None:
        state.http.streamed.setdefault(hash(case.frame.payload), case.frame.http)
        trim(state.http.streamed)


# Traits: what one pass over a message shows, so that only checks that can apply are called


def traits_of_result(case: CheckMoment) -> int:
    """Return the traits of a result for a model; all traits for other results and for values that are not objects."""
    asked, value = case.asked, case.value
    if asked is None or asked.method not in ASKING or type(value) is not dict:
        return ALL_TRAITS
    found = CARRIED if case.http is not None else 0
    if asked.probe:
        found |= PROBED
    if case.frame is not None and len(case.frame.payload) >= LARGE_FROM:
        found |= LARGE
    if len(case.state.process.facts) > 1:
        found |= AFTER
    if value.get("isError") is True:
        found |= FAILED
    if "structuredContent" in value:
        found |= STRUCTURED
    if "task" in value or "taskId" in value or (type(asked.params) is dict and "task" in asked.params):
        found |= TASK
    return found | RICH if _is_rich(value.get("content")) else found


def _is_rich(content: Any) -> bool:
    if type(content) is not list:
        return True
    for block in content:
        if type(block) is not dict or len(block) != 2 or "text" not in block or block.get("type") != "text":
            return True
    return False


def traits_of_notification(case: CheckMoment) -> int:
    """Return the traits of a notification or a server request, which only depend on the transport."""
    return ALL_TRAITS if case.http is not None else ALL_TRAITS & ~CARRIED
