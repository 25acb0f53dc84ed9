"""Runs the checks over the entries of a journal, in batches of any size.

Entries are taken in journal order and findings returned. Only this module updates the state: a check sees what was
known before its message, and the state is updated afterwards. Expensive checks wait for `judge_pending`. Nothing
that a server sent raises an exception here. A check with an internal error is disabled, and the others continue.
Callers with an event loop run it on a thread.
"""

import logging
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import PurePath
from typing import Protocol

import msgspec

from inspector.checks import catalog
from inspector.checks.diagnoses.bytes import LONG, too_long
from inspector.checks.findings import Finding, Severity, page_of
from inspector.checks.foreign_text import reason_of, states_no_reason, words_of_body
from inspector.checks.http_sessions import SessionStates
from inspector.checks.registry import CHECKS, Check, Judge, Violation, tables
from inspector.checks.sayings import explained, with_meaning
from inspector.checks.state import FIRST_MODERN, CheckMoment, ConnectionState, HttpExchangeState, TrackedRequest, row_of
from inspector.checks.state_updates import (
    find_progress,
    learn_http,
    learn_received,
    learn_response,
    learn_sent,
    learn_sse_event,
    learn_sse_note,
    row_of_answer,
    traits_of_notification,
    traits_of_result,
)
from inspector.checks.view_state import learn_view
from inspector.protocol import peek
from inspector.protocol.credentials import without_credentials
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    ProcessFact,
    SseNote,
    Stderr,
)
from inspector.protocol.fingerprints import Remembered
from inspector.protocol.frames import Cause, Channel, Direction, Eol, Frame
from inspector.protocol.jsonrpc import (
    UNCLAIMED,
    ErrorResponse,
    Message,
    Notification,
    NotJsonRpc,
    Request,
    RequestId,
    ResultResponse,
)
from inspector.protocol.probes import CURSOR
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import ROWS, resolve
from inspector.protocol.server_requests import INPUT_REQUIRED
from inspector.protocol.tracking.opening import declared_revision
from inspector.protocol.unreadable import answered_id, is_unreadable, messages_of
from inspector.text import cut

_SPACE = re.compile(r"(?<!\s)\s+")
"""Line ends in quoted text: a finding is one line."""

_LARGE = re.compile(rb"[:\[,]\s*-?\d{16}")
_REFUSALS = ("tool-failure-as-protocol-error", "invalid-arguments-as-protocol-error")
"""Checks of how a call is rejected: a probe may be rejected in either form."""
_BY_ITSELF = (Cause.PROBE, Cause.CHECK, Cause.RETRY)
"""Causes of requests that the user did not make."""
LEARNING = "the analysis of entries"
"""In place of a check's id: the code shared by all checks failed at an entry, which is skipped."""
_OF_REPORTING = ("tool-failure-unmarked", "tool-failure-as-protocol-error")  # how it is reported is the defect
MOST_OF_ONE = 200
"""Maximum findings of one check that are kept individually; further ones are only counted."""
MOST_VIOLATIONS = 60
"""Maximum violations of one check per message."""
MOST_EARLY = 200
"""Maximum messages before the response to `initialize` that are judged after it."""
MOST_WAITING = 2000
"""Maximum expensive calls that wait; further ones are skipped and counted."""
_HEAD = 500
"""Bytes of a message that cannot be read in which a sign of JSON-RPC is searched."""
_PROGRESS = "notifications/progress"
_METHOD_NOT_FOUND = -32601
_ENOUGH = 24
"""Characters by which a quoted text is recognised, and fewer than which are not quoted."""
MOST_QUOTED = 160
LONGEST = 280
"""Characters of a sentence to which the message of a refusal is added."""
_NONE: Iterator[Violation] = iter(())
logger = logging.getLogger(__name__)


class DisabledCheck(msgspec.Struct, frozen=True):
    """A check with an internal error, the location of the error, and the entry."""

    check: str
    """Id of the check, or `LEARNING`."""
    error: str
    """Type and message of the exception; may quote what a server sent."""
    where: str
    """File and line: "results.py:41"."""
    n: int
    """The entry being examined."""

    @property
    def sentence(self) -> str:
        """Message for users; may contain foreign text."""
        what = self.check if self.check == LEARNING else f"check {self.check}"
        message = f"{what} failed with an internal error at #{self.n}: {self.error} ({self.where})"
        return f"{message}; other checks continue; please report it"


_Moment = tuple[int, str, str, int]
"""Revision, kind, method, traits."""
_Plan = tuple[tuple[Judge, Check], ...]
"""The checks to call at a moment."""


class ObservedEntry(Protocol):
    """The view of a journal's entry that the checks need."""

    @property
    def n(self) -> int:
        """Number of the entry, from 1."""

    @property
    def time_ns(self) -> int:
        """Time on the monotonic clock, in nanoseconds."""

    @property
    def what(self) -> Frame | Fact:
        """A frame, or a fact about something besides the frames."""


def is_odd(frame: Frame, messages: tuple[Message, ...]) -> bool:
    """Whether a frame needs a closer look; False for one plain message in plain bytes."""
    first, payload = messages[0], frame.payload
    return (
        len(messages) != 1
        or type(first) is NotJsonRpc
        or bool(first.defects)
        or frame.eol is Eol.CRLF
        or (frame.eol is Eol.NONE and frame.channel is Channel.STDOUT)
        or frame.sse is not None
        or payload[:1] != b"{"
        or len(payload) > 1 << 20
        or b"\x1b" in payload
        or b"NaN" in payload
        or b"Infinity" in payload
        or _LARGE.search(payload) is not None
        or not (payload.isascii() or _is_utf8(payload))
    )


def is_for_a_probe(state: ConnectionState, http: HttpExchangeState, n: int) -> bool:
    """Whether this is the response to an HTTP probe: its headers are sufficient, and its requests are finished."""
    if http.request is None or not http.request.probe:
        return False
    for asked in http.asked:
        asked.answered = n
        state.requests.finish(asked)
    return True


def is_undeclared(asked: TrackedRequest) -> bool:
    """Whether it is the request that doctor sends without a protocol version."""
    is_modern = asked.row > 0 and ROWS[asked.row - 1].era is Era.MODERN
    return is_modern and asked.method == "tools/list" and declared_revision(asked.params) is None


def is_our_doing(case: CheckMoment, id_: str, *, again: bool) -> bool:
    """Whether a finding is caused by what mcp-inspect requests by itself; `again` if it was found before.

    A repeated request has the faults of the first one again; an invented cursor and calls are judged as probes.
    """
    asked = case.asked
    if asked is None or asked.cause not in _BY_ITSELF:
        return False
    if not asked.probe:
        return again
    if is_undeclared(asked):
        return id_ != "undeclared-version-accepted"
    if peek.text(asked.params, "cursor") == CURSOR:
        return again or id_ != "unissued-cursor-accepted"
    return again or (asked.method == "tools/call" and id_ in _REFUSALS)


def is_provoked(case: CheckMoment) -> bool:
    """Whether a finding is about a request that tests how the server reacts; the probe of the era opens the session."""
    http = case.http
    asked = [case.asked] if case.asked is not None else http.asked if http is not None else []
    if any(each.probe and each.method != "server/discover" for each in asked):
        return True
    return http is not None and http.request is not None and http.request.probe


def own_words(case: CheckMoment, violation: Violation) -> str:
    """Return what a refusal says, to be added to a sentence about it that does not quote it; "" if it does."""
    words = ""
    if isinstance(case.message, ErrorResponse):
        words = reason_of(case.value) if peek.integer(case.value, "code") != _METHOD_NOT_FOUND else ""
    elif case.http is not None and case.http.is_refused:
        words = case.http.words
    words, sentence = " ".join(words.split()), violation.sentence
    if states_no_reason(words) or is_provoked(case) or " ".join(sentence.split()).find(words[:_ENOUGH]) >= 0:
        return ""
    room = min(MOST_QUOTED, LONGEST - len(sentence))
    return f"; the server says “{words[:room]}”" if room >= _ENOUGH else ""


def was_reported_for_task(case: CheckMoment, id_: str, violation: Violation) -> bool:
    """Whether an earlier message about the same task had this fault: one finding suffices, however many polls."""
    if not case.method.startswith(("tasks/", "notifications/tasks")):
        return False
    task = peek.text(case.value, "taskId") or peek.text(case.asked_params, "taskId")
    return task is not None and case.state.is_repeated("task", id_, violation.pointer, violation.sentence, task)


def has_meta(case: CheckMoment) -> bool:
    """Whether the message has `_meta` of any type."""
    return type(case.value) is dict and "_meta" in case.value


def is_plain_refusal(http: HttpExchangeState, messages: tuple[Message, ...]) -> bool:
    """Whether this is the body of an HTTP error that does not claim to be JSON-RPC: an OAuth error, a proxy's page."""
    if http.response is None or http.response.status < 400:
        return False
    return any(type(each) is NotJsonRpc or any(UNCLAIMED in defect for defect in each.defects) for each in messages)


def is_no_response(http: HttpExchangeState) -> bool:
    """Whether this is the body of a GET that is no event stream, or of a DELETE: it responds to no request."""
    kind = (http.header("content-type") or "").partition(";")[0].strip().lower()
    return http.request is not None and http.request.method in ("GET", "DELETE") and kind != "text/event-stream"


def is_acknowledgement(http: HttpExchangeState, messages: tuple[Message, ...], *, is_sse_transport: bool) -> bool:
    """Whether this is the body of an HTTP success that only acknowledges a POST, so that it needs to be no message.

    So it is for notifications and responses, with status 202, and for every POST of the HTTP+SSE transport, whose
    responses are events of the stream.
    """
    if http.response is None or not 200 <= http.response.status < 300 or not (http.asked or http.notifications):
        return False
    is_accepted = is_sse_transport or not http.asked or http.response.status == 202
    return is_accepted and all(type(each) is NotJsonRpc for each in messages)


def _words(http: HttpExchangeState, payload: bytes) -> str:
    """Return the reason in a body, and the one of a platform that states it in a header."""
    routed = http.header("x-render-routing")
    return cut(words_of_body(payload), 200 - 60 * bool(routed)) + (
        f", x-render-routing: {cut(routed, 40)}" if routed else ""
    )


def _is_utf8(payload: bytes) -> bool:
    try:
        payload.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def request_of(
    state: ConnectionState, case: CheckMoment, message: ResultResponse | ErrorResponse
) -> TrackedRequest | None:
    """Return the open request of a response: by its id, or, without a usable one, by the HTTP exchange."""
    if message.id is not None:
        for each in case.http.asked if case.http else ():  # clients of a stateless server may use the same ids
            if each.answered is None and each.id == message.id:
                return each
        found = state.requests.open.get((Direction.TO_SERVER, state.requests.requested_id(message.id)))
        if found is not None or isinstance(message, ResultResponse):
            return found
    there = [each for each in case.http.asked if each.answered is None] if case.http else []
    return there[0] if len(there) == 1 and isinstance(message, ErrorResponse) else None


# Checks with an internal error


def record_failure(check: str, n: int, error: Exception) -> DisabledCheck:
    """Return a record of an internal error."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{PurePath(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else "nowhere"
    return DisabledCheck(check, cut(f"{type(error).__name__}: {error}", 300), where, n)


assert catalog.AREAS


class Inspection:
    """The checks over one journal, from its first entry on."""

    def __init__(
        self,
        beside: Mapping[str, frozenset[str]] | None = None,
        seen: Mapping[str, Remembered] | None = None,
        rest: Callable[[], None] = lambda: None,
        read: Callable[[Frame], tuple[Message, ...]] = messages_of,
    ) -> None:
        """Start before the first entry. `beside`: names of the tools of other configured servers, by server.

        `seen`: the stored definitions of the server, by kind of list. `rest` is called from time to time during one
        long message, so that other threads can run. `read` decodes the messages of a frame: callers that have the
        objects of a long one need not decode it twice.
        """
        self._beside, self._seen, self._rest, self._read = beside or {}, seen or {}, rest, read
        self.state = ConnectionState(beside=self._beside, seen=self._seen, rest=rest)
        self.taken = 0
        """Number of entries taken so far."""
        self.counts: Counter[str] = Counter()
        """Number of findings of each check, including those that were not kept."""
        self.unvalidated = 0
        """Number of expensive calls that were skipped."""
        self.disabled_checks: dict[str, DisabledCheck] = {}
        """Checks with an internal error, by id."""
        self._tables = tables()
        self._plans: dict[_Moment, _Plan] = {}
        self._waiting: deque[tuple[CheckMoment, Check]] = deque()
        self._early: list[CheckMoment] = []
        """Messages between `initialize` and its response, which cannot be judged before that."""
        self._found: list[Finding] = []
        self._over = False
        self._sessions = SessionStates()

    def take(self, entries: Iterable[ObservedEntry]) -> list[Finding]:
        """Take the next entries; return the findings of the quick checks, in order."""
        for entry in entries:
            self.taken += 1
            what = entry.what
            try:
                if isinstance(what, HttpFact | SseNote) or (isinstance(what, Frame) and what.http is not None):
                    self.state = self._sessions.state_of(what, entry.n, entry.time_ns, self.state)
                if isinstance(what, Frame):
                    self._frame(what)
                else:
                    self._fact(entry, what)
            except Exception as error:  # boundary of the inspection: skip the entry and continue
                logger.exception("the checks lost entry %d", entry.n)
                _disable(self.disabled_checks, self._plans, LEARNING, entry.n, error)
        return self._give()

    def take_unread(self, n: int, time_ns: int, size: int, id_: RequestId | None, method: str = "") -> list[Finding]:
        """Take a long server message without decoding it, so that only its length is judged.

        With a `method` it is a request, otherwise a response. For callers that cannot wait until `take` has decoded
        it.
        """
        state = self.state
        self.taken += 1
        state.last_ns, state.messages = time_ns, state.messages + 1
        if state.first_message_ns is None:
            state.first_message_ns = time_ns
        if size > LONG:
            self._keep(CheckMoment(state, n, time_ns, state.row), CHECKS["message-too-long"], too_long(size))
        asked = None if id_ is None else state.requests.open.get((Direction.TO_SERVER, id_))
        if method and id_ is not None:
            state.requests.use_id(id_)
            state.requests.open[Direction.FROM_SERVER, id_] = TrackedRequest(
                Direction.FROM_SERVER, id_, method, None, n, time_ns, None, state.row
            )
        elif asked is not None:
            asked.answered = n
            state.requests.finish(asked)
        return self._give()

    @property
    def observed(self) -> frozenset[str]:
        """Ids of the checks that had something to examine so far."""
        plans = tuple(self._plans.values())
        return frozenset(check.id for plan in plans for _, check in plan)

    def skip_logs(self, count: int, time_ns: int) -> None:
        """Skip `count` log messages, the last at `time_ns`."""
        self.taken += count
        self.state.messages += count
        self.state.last_ns = time_ns
        if self.state.first_message_ns is None:
            self.state.first_message_ns = time_ns

    def judge_pending(self, most: int = 50) -> list[Finding]:
        """Call up to `most` of the waiting expensive checks; return their findings."""
        for _ in range(min(most, len(self._waiting))):
            case, check = self._waiting.popleft()
            assert check.judge is not None
            if check.id not in self.disabled_checks:
                self._ask(case, ((_first_of(check.judge), check),))
        return self._give()

    @property
    def waiting(self) -> int:
        """Number of expensive calls that wait."""
        return len(self._waiting)

    def finish(self) -> list[Finding]:
        """Call everything that waits, and the checks of the end. Call it once, after the last entry."""
        self._end(self.taken)
        return self._give() + self.judge_pending(len(self._waiting))

    def _give(self) -> list[Finding]:
        found, self._found = self._found, []
        return found

    def _frame(self, frame: Frame) -> None:
        if frame.direction.is_of_view:
            for message in messages_of(frame):
                self._view_message(frame, message)
            return
        self.state.last_ns, self.state.wall_offset_ns = frame.time_ns, frame.wall_ns - frame.time_ns
        messages = self._read(frame)
        if frame.direction is Direction.TO_SERVER:
            for message in messages:
                learn_sent(self.state, frame, message, len(messages) > 1)
            return
        if frame.cause is Cause.IN_PLACE:
            self._answered_in_place(frame, messages)
            return
        if frame.http is not None and is_for_a_probe(self.state, http := self.state.http.exchange(frame.http), frame.n):
            http.words = http.words or _words(http, frame.payload)
            http.events += sum(isinstance(each, ResultResponse | ErrorResponse) for each in messages)
            return
        if frame.http is not None and (http := self.state.http.exchange(frame.http)).is_refused:
            case = CheckMoment(self.state, frame.n, frame.time_ns, self.state.row)
            case.frame, case.http = frame, http
            http.words = _words(http, frame.payload)
            self._moment(case, "refusal", "")
            if is_plain_refusal(http, messages):
                return
        if frame.http is not None and frame.sse is None:
            http, is_sse_transport = self.state.http.exchange(frame.http), self.state.http.has_endpoint
            if is_no_response(http) or is_acknowledgement(http, messages, is_sse_transport=is_sse_transport):
                http.words = _words(http, frame.payload)
                return
        self._judge_frame(frame, messages)
        for message in messages:
            self._message(frame, message)

    def _answered_in_place(self, frame: Frame, messages: tuple[Message, ...]) -> None:
        """Take responses of others than the server: their requests are no longer open. Nothing of them is judged."""
        for message in messages:
            if isinstance(message, ResultResponse | ErrorResponse) and message.id is not None:
                id_ = self.state.requests.requested_id(message.id)
                asked = self.state.requests.open.get((Direction.TO_SERVER, id_))
                if asked is not None:
                    asked.answered = frame.n
                    self.state.requests.finish(asked)

    def _view_message(self, frame: Frame, message: Message) -> None:
        case = CheckMoment(self.state, frame.n, frame.time_ns, self.state.row)
        case.frame, case.message = frame, message
        method = message.method if isinstance(message, Request | Notification) else ""
        case.value = message.params if isinstance(message, Request | Notification) else None
        self._moment(case, "view", method)
        self.state.view = learn_view(self.state.view, frame, message)

    def _judge_frame(self, frame: Frame, messages: tuple[Message, ...]) -> None:
        """Judge the bytes of a frame; most are recognised as ordinary at once."""
        state = self.state
        http = state.http.exchange(frame.http) if frame.http is not None else None
        if is_odd(frame, messages):
            case = CheckMoment(state, frame.n, frame.time_ns, state.row)
            case.frame, case.http, case.value = frame, http, messages
            self._moment(case, "frame", "")
            if http is not None and frame.sse is not None:
                learn_sse_event(http, frame)

    def _message(self, frame: Frame, message: Message) -> None:
        state = self.state
        case = CheckMoment(state, frame.n, frame.time_ns, state.row)
        case.frame, case.message = frame, message
        case.http = state.http.exchanges.get(frame.http) if frame.http is not None else None
        kind = type(message)
        if kind is Notification:
            case.value, case.traits = message.params, traits_of_notification(case)  # type: ignore[union-attr]
            if message.method == _PROGRESS:  # type: ignore[union-attr]
                find_progress(state, case)
            self._moment(case, "notification", message.method)  # type: ignore[union-attr]
            if has_meta(case):
                self._moment(case, "meta", "")
        elif kind is ResultResponse or kind is ErrorResponse:
            self._answer(case, message)  # type: ignore[arg-type]
        elif kind is Request:
            case.value = message.params  # type: ignore[union-attr]
            self._moment(case, "request", message.method)  # type: ignore[union-attr]
            if has_meta(case):
                self._moment(case, "meta", "")
        else:
            self._moment(case, "garbled", "")
            self._unreadable(frame, message)
        if state.opening is None and state.handshake is not None and (kind is Notification or kind is Request):
            if len(self._early) < MOST_EARLY:
                self._early.append(case)
        learn_received(state, case)

    def _unreadable(self, frame: Frame, message: Message) -> None:
        """Finish the request of an unreadable response, which is a response nevertheless."""
        id_ = answered_id(frame) if is_unreadable(frame, (message,)) else None
        asked = None if id_ is None else self.state.requests.open.get((Direction.TO_SERVER, id_))
        if asked is not None:
            asked.answered = frame.n
            self.state.requests.finish(asked)
            return
        http = self.state.http.exchanges.get(frame.http) if frame.http is not None and frame.sse is None else None
        if http is not None or b'"jsonrpc"' in frame.payload[:_HEAD]:
            for each in self.state.requests.waiting() if http is None else http.asked:
                each.unread = frame.n

    def _judge_early(self, row: int, n: int) -> None:
        """Judge messages before the response to `initialize` by a row; entry `n` made that possible."""
        early, self._early = self._early, []
        for case in early:
            case.row, case.known_at = row, n
            kind = "request" if type(case.message) is Request else "notification"
            self._ask(
                case, tuple(each for each in self._plan((row, kind, case.method, case.traits)) if each[1].belated)
            )

    def _answer(self, case: CheckMoment, message: ResultResponse | ErrorResponse) -> None:
        state, is_result = self.state, isinstance(message, ResultResponse)
        case.value = message.result if isinstance(message, ResultResponse) else message.error
        asked = request_of(state, case, message)
        if asked is None:
            id_ = None if message.id is None else state.requests.requested_id(message.id)
            before = None if id_ is None else state.requests.done.get((Direction.TO_SERVER, id_))
            case.asked = before
            self._moment(case, "late" if before else "orphan", "")
            return
        case.asked = asked
        case.row = row_of_answer(state, asked, case.value, is_result=is_result)
        if is_result:
            case.traits = traits_of_result(case)
        self._moment(case, "answer" if is_result else "error", asked.method)
        if case.http is not None:
            self._moment(case, "carried", "")
        if type(case.value) is dict and case.value.get("resultType") == INPUT_REQUIRED:
            self._moment(case, "asking", "")
        if has_meta(case):
            self._moment(case, "meta", "")
        learn_response(state, case)
        if self._early and state.opening is not None:
            self._judge_early(state.row, case.n)

    def _fact(self, entry: ObservedEntry, fact: Fact) -> None:
        state = self.state
        case = CheckMoment(state, entry.n, entry.time_ns, state.row)
        match fact:
            case Stderr():
                state.process.on_stderr(entry.n, entry.time_ns, fact.payload)
            case ConnectionFact():
                self._connection(entry, fact)
            case ProcessFact():
                state.last_ns = entry.time_ns
                state.process.facts.append((entry.n, entry.time_ns, fact))
            case HttpFact():
                self._http(case, fact)
            case SseNote():
                case.note, case.http = fact, state.http.exchanges.get(fact.http)
                self._moment(case, "note", "")
                learn_sse_note(case, fact)
                state.http.has_endpoint = state.http.has_endpoint or fact.event == "endpoint"

    def _connection(self, entry: ObservedEntry, fact: ConnectionFact) -> None:
        if fact.event in (ConnectionEvent.OPEN, ConnectionEvent.RENEW):
            before = self.state.connection
            if fact.event is ConnectionEvent.OPEN and before is not None:
                self._end(entry.n)
            asked, done = self.state.requests.open, self.state.requests.done
            another = fact.event is ConnectionEvent.OPEN and before is not None
            self._early, self._sessions = [], SessionStates()
            self.state, self._over = (
                ConnectionState(self.state.number + another, self._beside, self._seen, self._rest),
                False,
            )
            if fact.event is ConnectionEvent.RENEW and fact.transport != "stdio":  # a response may still follow
                self.state.requests.open, self.state.requests.done = asked, done
            self.state.connection = fact if fact.transport or before is None else before
            self.state.opened, self.state.began_ns = entry.n, entry.time_ns
            return
        self.state.last_ns = entry.time_ns
        self.state.why, self.state.hint = fact.why, fact.hint
        self._end(entry.n)

    def _http(self, case: CheckMoment, fact: HttpFact) -> None:
        http = case.http = self.state.http.exchange(fact.http)
        if fact.event is HttpEvent.REQUEST:
            http.request, http.frame = fact, case.n
        elif fact.event is HttpEvent.RESPONSE:
            http.response, http.frame = fact, case.n
            for asked in http.asked:
                asked.status = fact.status
                asked.streams = (http.header("content-type") or "").startswith("text/event-stream")
                if asked.method == "initialize":
                    case.row = min(case.row, FIRST_MODERN - 1)  # servers of both eras begin a session at it
        case.fact = fact
        self._moment(case, "http end" if fact.event in (HttpEvent.END, HttpEvent.ERROR) else "http", "")
        learn_http(self.state, case, fact)
        if fact.event in (HttpEvent.END, HttpEvent.ERROR):
            self.state.http.exchanges.pop(fact.http, None)

    def _end(self, n: int) -> None:
        if not self._over and self.taken:
            self._over = True
            if self._early and self.state.handshake is not None:  # no response: use the offered version
                offered = peek.text(self.state.handshake.params, "protocolVersion") or ""
                self._judge_early(row_of(resolve(offered, Era.LEGACY)[0]), n)
            for state in self._sessions.states or (self.state,):
                state.why, state.hint = self.state.why, self.state.hint
                self._moment(CheckMoment(state, n, self.state.last_ns, state.row), "end", "")

    def _moment(self, case: CheckMoment, kind: str, method: str) -> None:
        moment = case.row, kind, method, case.traits
        plan = self._plans.get(moment)
        self._ask(case, self._plan(moment) if plan is None else plan)

    def _ask(self, case: CheckMoment, plan: _Plan) -> None:
        """Call the checks of one moment. A check that raises an exception is disabled."""
        asked = iter(plan)
        while True:
            check: Check | None = None
            try:
                for judge, check in asked:
                    for violation in judge(case):
                        self._keep(case, check, violation)
                return
            except Exception as error:  # boundary of the checks: an error in one must not stop the others
                logger.exception("a check failed at entry %d", case.n)
                _disable(self.disabled_checks, self._plans, check.id if check is not None else LEARNING, case.n, error)

    def _plan(self, moment: _Moment) -> _Plan:
        row, kind, method, traits = moment
        table = self._tables[row]
        hooks = (kind, f"{kind} {method}") if method else (kind,)
        quick = [(each.judge, each) for hook in hooks for each in table.quick.get(hook, ()) if each.judge]
        heavy = [(_for_later(self, self._waiting, each), each) for hook in hooks for each in table.heavy.get(hook, ())]
        plan = tuple((judge, each) for judge, each in (*quick, *heavy) if each.applies(traits, self.disabled_checks))
        if len(self._plans) < 1000:  # methods are foreign text: there may be any number of them
            self._plans[moment] = plan
        return plan

    def _keep(self, case: CheckMoment, asked: Check, violation: Violation) -> None:
        check = CHECKS[violation.id] if violation.id else asked
        if not check.applies_to(case.row):
            return
        again = case.state.is_repeated(check.id, violation.pointer, violation.sentence)
        if is_our_doing(case, check.id, again=again) or was_reported_for_task(case, check.id, violation):
            return
        self.counts[check.id] += 1
        if self.counts[check.id] > MOST_OF_ONE:
            return
        revision, frames = case.revision, violation.frames if violation.instead else (case.n, *violation.frames)
        page = page_of(check.topic, revision or (ROWS[check.until - 1] if check.early else None))
        words = violation.sentence + own_words(case, violation)
        sentence = _SPACE.sub(lambda it: " " if {"\n", "\r"} & {*it[0]} else it[0], words)
        severity = violation.severity or check.severity_in(case.row)
        means, advice = explained(sentence, is_failure=severity is not Severity.HINT)
        sentence = with_meaning(sentence, means)
        fix = violation.fix if check.id in _OF_REPORTING else advice or violation.fix
        self._found.append(
            Finding(
                check.id,
                severity,
                violation.confidence or check.confidence,
                without_credentials(sentence),
                frames,
                violation.pointer,
                violation.span,
                without_credentials(fix) if fix else check.fix,
                page,
                revision.date if revision else "",
                connection=case.state.number,
                trait=violation.trait,
                hosts=violation.hosts,
                provoked=is_provoked(case),
                known_at=max(case.known_at, *frames, 0),
            )
        )


def _for_later(inspection: Inspection, waiting: deque[tuple[CheckMoment, Check]], check: Check) -> Judge:
    """Return a function that queues an expensive check if it is worth its time."""

    def judge(case: CheckMoment) -> Iterator[Violation]:
        if check.wanted is None or check.wanted(case):
            if len(waiting) < MOST_WAITING:
                waiting.append((case, check))
            else:
                inspection.unvalidated += 1
        return _NONE

    return judge


def _disable(aside: dict[str, DisabledCheck], plans: dict[_Moment, _Plan], what: str, n: int, error: Exception) -> None:
    """Record an internal error, and discard all plans so that they are made again without the check."""
    if what not in aside:
        aside[what] = record_failure(what, n, error)
        plans.clear()


def _first_of(judge: Judge) -> Judge:
    return lambda case: islice(judge(case), MOST_VIOLATIONS)
