"""Rules for the HTTP transports: statuses, headers, sessions, streams."""

import re
from collections.abc import Iterator
from urllib.parse import SplitResult, urljoin, urlsplit

import msgspec

from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Violation, row_of_date, rules_of
from inspector.checks.state import (
    SESSION,
    CheckMoment,
    HttpExchangeState,
    HttpHeads,
    TrackedRequest,
    is_distinct,
    is_loopback,
)
from inspector.checks.state_updates import CARRIED
from inspector.protocol import peek
from inspector.protocol.facts import BROKEN_OFF, CLOSED_HERE, HttpEvent
from inspector.protocol.frames import Channel
from inspector.protocol.jsonrpc import UNCLAIMED, ErrorResponse, ResultResponse
from inspector.protocol.revisions.openings import modern_code
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.tracking.opening import declared_revision
from inspector.text import cut

error, warning, hint = rules_of("http")

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_SINGLE = {"content-type": "Content-Type", "mcp-session-id": "Mcp-Session-Id", "location": "Location"}
_OTHER_REASONS = (400, 401, 429)
"""Statuses that rather concern a header, the login or the rate; 403 does with a challenge."""
_BAD_REQUEST = 400
_STREAMABLE = row_of_date("2025-03-26")
_ENDS = (HttpEvent.END, HttpEvent.ERROR)
_DROPPED = "the stream of GET was broken off right after its headers; 405 means that there is no stream"
_ONE_WRITER = "Let only the SDK's transport write to the response of GET, and see the log for an exception."
_GRACE_NS = 150_000_000
"""Time that a stream may stay open after its response, if the client then closes it."""
_LONG_NS = 1_000_000_000
NO_RESPONSE = re.compile(r"gave no HTTP response: (.+)")
_NO_STATUS_LINE = re.compile(r"illegal status line: bytearray\(b['\"]([^'\"]{0,200})")
_OVER = re.compile(
    rb"(?i)session.{0,40}(not found|invalid|expired|unknown|terminated|does not exist|closed)"
    rb"|(no valid|invalid|unknown|expired|no such|unrecognized) (mcp[- ])?session"
)


class HttpNotes(msgspec.Struct):
    """What these checks keep for a later moment."""

    get_streams: dict[int, int] = {}
    """Time at which a stream of GET was opened, by the entry of its headers."""
    in_body: TrackedRequest | None = None
    """The first request over HTTP+SSE whose response was in the body of its POST."""
    in_stream: bool = False
    """Whether a response over HTTP+SSE was in the stream, where clients find it."""
    is_mixed_up: bool = False
    """Whether a POST got the response to another one: later ones may as well."""
    takes_origins: bool = False
    """Whether the server has responded to a request from another origin."""


def _heads(case: CheckMoment) -> HttpHeads | None:
    """Return the exchange whose response has just begun; None over HTTP+SSE."""
    return case.new_heads if _is_plain_http(case) else None


def _kind(http: HttpExchangeState) -> str:
    return (http.header("content-type") or "").split(";")[0].strip().lower()


@warning("HTTP header occurs twice", "http")
def header_repeated(case: CheckMoment) -> Iterator[Violation]:
    """RFC 9110, section 5.3: a header other than a list occurs once.

    Fix: Send the header once; look for a proxy that adds it again. Clients join both values by a comma.
    """
    heads = _heads(case)
    names = [name.lower() for name, _ in heads.response.headers] if heads else []
    for name in _SINGLE:
        if names.count(name) > 1 and case.state.is_first(f"header-repeated {name}"):
            yield Violation(f"a response has the header {_SINGLE[name]} {names.count(name)} times")


def _acceptance_with_a_body(case: CheckMoment) -> Iterator[Violation]:
    http, fact = case.http, case.fact
    if http is None or fact is None or not fact.body_bytes or not _is_plain_http(case):
        return
    is_accepted = http.response is not None and http.response.status == 202 and http.notifications and not http.asked
    if is_accepted and case.state.is_first("notification-not-accepted body"):
        what = cut(next(filter(None, http.notifications), "a response"), 60)
        kind = cut(_kind(http), 40) or "without a Content-Type"
        yield Violation(f"the 202 to {what} has a body of {fact.body_bytes:,} bytes ({kind})", severity=_WARNING)


def _has_other_cause(http: HttpExchangeState) -> bool:
    """Whether a notification is refused for an expired session, or redirected."""
    status = http.response.status if http.response is not None else 0
    asks = status == 403 and http.header("www-authenticate") is not None
    lost = status == 404 and http.sent(SESSION) is not None
    return asks or lost or (status < 400 and bool(http.header("location")))


@error("Notification is not answered with 202", "http", "http end", since="2025-03-26")
def notification_not_accepted(case: CheckMoment) -> Iterator[Violation]:
    """Required if the body contains no request. “The server MUST return HTTP status code 202 Accepted with no body.”

    Fix: Return HTTP 202 without a body.
    """
    yield from _acceptance_with_a_body(case)
    heads = _heads(case)
    if heads and heads.request.method == "POST" and heads.http.notifications and not heads.http.asked:
        if 200 <= heads.response.status < 300 and heads.response.status != 202:
            what = cut(next(filter(None, heads.http.notifications), "a response"), 60)
            yield Violation(f"{what} was answered with HTTP {heads.response.status}, not 202")
        elif (
            heads.response.status >= 300
            and heads.response.status not in _OTHER_REASONS
            and not _has_other_cause(heads.http)
        ):
            if case.state.opening is not None and case.state.is_first("notification-not-accepted"):
                what = cut(next(filter(None, heads.http.notifications), "a response"), 60)
                sentence = (
                    f"{what} was answered with HTTP {heads.response.status}, not 202: strict clients end the session"
                )
                yield Violation(sentence, severity=_WARNING)


@error("Response is neither JSON nor an event stream", "http", since="2025-03-26", early=True)
def response_type_unsupported(case: CheckMoment) -> Iterator[Violation]:
    """HTTP 202 is for messages that need no response.

    Fix: Send Content-Type: application/json, or text/event-stream.
    """
    heads = _heads(case)
    if not heads or heads.request.method != "POST" or not heads.http.asked:
        return
    http, _, response = heads
    if response.status in (202, 204, 205):
        what = http.asked[0].named
        yield Violation(f"{what}, a request, was answered with HTTP {response.status}, as if it were a notification")
    elif response.status == 200 and _kind(http) not in ("application/json", "text/event-stream"):
        kind = f"with Content-Type {cut(_kind(http), 40)}" if _kind(http) else "without a Content-Type"
        yield Violation(f"{http.asked[0].named} was answered {kind}, neither JSON nor an event stream")


def _is_outside(case: CheckMoment, http: HttpExchangeState) -> bool:
    """Whether a GET is for metadata, or was refused for its session: it names none, or one that had a stream before."""
    if http.request is None or "/.well-known/" in http.request.target:
        return True
    state = case.state.http
    is_lost = (http.sent(SESSION) or "") != state.session_id or state.listens or http.sent("last-event-id") is not None
    return http.response is not None and http.response.status in (400, 404) and bool(is_lost)


@warning("`GET` is answered with neither a stream nor 405", "http", "http end", since="2025-03-26", until="2025-11-25")
def get_response_invalid(case: CheckMoment) -> Iterator[Violation]:
    """A server without a stream for GET returns 405.

    Fix: Return HTTP 405 if there is no stream for GET.
    """
    heads = _heads(case)
    if heads and heads.request.method == "GET" and case.state.transport == "http":
        http, _, response = heads
        stream = response.status == 200 and _kind(http) == "text/event-stream"
        is_other = response.status in (401, 403, 405) or 300 <= response.status < 400 or _is_outside(case, http)
        if not stream and not is_other:
            kind = f" and content-type {cut(_kind(http), 60) or '(none)'}" if response.status == 200 else ""
            kind = " (as if an earlier stream of the session were still open)" if response.status == 409 else kind
            yield Violation(f"GET was answered with HTTP {response.status}{kind}; 405 means that there is no stream")
    fact, exchange = case.fact, case.http
    if fact is None or fact.event not in _ENDS or exchange is None or exchange.request is None:
        return
    found = NO_RESPONSE.search(fact.why)
    if found and exchange.request.method == "GET" and exchange.response is None and case.state.opening is not None:
        if case.state.is_first("get-response-invalid no response"):
            yield Violation(f"GET got no HTTP response: {_as_words(found[1])}; 405 means that there is no stream")
    opened_ns = case.state.notes(HttpNotes).get_streams.get(exchange.frame, case.time_ns)
    if case.time_ns - opened_ns > 1_000_000_000:
        return  # the server ended later, or the path to it
    if exchange.request.method == "GET" and fact.why.startswith(BROKEN_OFF) and not fact.body_bytes:
        if case.state.transport == "http" and case.state.opening is not None and _kind(exchange) == "text/event-stream":
            if case.state.is_first("get-response-invalid broken"):
                yield Violation(_DROPPED, fix=_ONE_WRITER)


@hint("`GET` stream ends at once", "http", "http end", since="2025-03-26", until="2025-11-25")
def get_stream_ends(case: CheckMoment) -> Iterator[Violation]:
    """Legal, but many clients open the stream again, once a second and without end.

    Fix: Keep the stream open, with a comment now and then, or return HTTP 405 if nothing is ever sent on it.
    """
    http, fact, opened = case.http, case.fact, case.state.notes(HttpNotes).get_streams
    if http is None or fact is None or http.request is None or http.request.method != "GET" or http.request.probe:
        return
    if _heads(case) and _kind(http) == "text/event-stream" and http.sent("last-event-id") is None:
        opened[http.frame] = case.time_ns
    elif fact.event is HttpEvent.END and not fact.why and not http.events and http.frame in opened:
        seconds = (case.time_ns - opened[http.frame]) / 1e9
        if seconds < 1 and not case.state.http.has_endpoint and case.state.is_first("get-stream-ends"):
            again = f"; it says to open it again after {http.retry} ms (retry)" if http.retry is not None else ""
            yield Violation(f"the stream of GET ended after {seconds:.2f} s, without an event{again}")


def _as_words(why: str) -> str:
    """Return why there was no response; with the text that replaces the status line, if any."""
    line = _NO_STATUS_LINE.search(why)
    return f"it begins with {cut(line[1], 60)!r} instead of a status line" if line else cut(why.rstrip("."), 160)


@error("`Mcp-Session-Id` has invalid characters", "http")
def session_id_characters(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Use visible ASCII characters only."""
    heads = _heads(case)
    id_ = heads.http.header(SESSION) if heads else None
    if id_ is not None and not _VISIBLE.fullmatch(id_):
        is_twice = "," in id_ and len({each.strip() for each in id_.split(",")}) == 1
        words = f"is sent twice: clients that join the values get {cut(id_, 80)!r}" if is_twice else "is empty"
        yield Violation(
            f"Mcp-Session-Id {'has characters other than visible ASCII' if id_ and not is_twice else words}"
        )


@error("SSE event id is used twice", "frame", since="2025-03-26", until="2025-11-25")
def event_id_reused(case: CheckMoment) -> Iterator[Violation]:
    """Event ids are unique within a session, but a resumed stream repeats lost events.

    Fix: Use a new id for each event of a session.
    """
    frame = case.frame
    id_ = frame.sse.id if frame is not None and frame.sse is not None else None
    if not id_ or frame is None or frame.channel is Channel.GET:
        return
    if id_ in case.state.http.event_ids:
        yield Violation(f"the event id {cut(id_, 60)!r} was used before")
    elif len(case.state.http.event_ids) < 100_000:
        case.state.http.event_ids.add(id_)


def _status(case: CheckMoment) -> int:
    return case.http.response.status if case.http and case.http.response else 0


@error("Result has an HTTP error status", "carried", since="2025-03-26")
def result_status_invalid(case: CheckMoment) -> Iterator[Violation]:
    """The official clients fail at the status and never read the body.

    Fix: Return HTTP 200 with a result; clients discard the body of an error.
    """
    if isinstance(case.message, ResultResponse) and (status := _status(case)) >= 300:
        yield Violation(f"the result of {case.named} has HTTP status {status}")


@error("Unknown method is not answered with HTTP 404", "carried", since="2026-07-28")
def unknown_method_status(case: CheckMoment) -> Iterator[Violation]:
    """Intermediaries see only the status.

    Fix: Return HTTP 404 with -32601.
    """
    status = _status(case)
    if (
        status
        and isinstance(case.message, ErrorResponse)
        and peek.integer(case.value, "code") == -32601
        and status != 404
    ):
        yield Violation(f"error -32601 has HTTP status {status}", "/error/code")


@error("Protocol error is not answered with HTTP 400", "carried", since="2026-07-28")
def protocol_error_status(case: CheckMoment) -> Iterator[Violation]:
    """Errors -32020, -32021 and -32022; -32602 for a request that lacks required members of `_meta`.

    Fix: Return HTTP 400.
    """
    status, code = _status(case), peek.integer(case.value, "code")
    if not status or not isinstance(case.message, ErrorResponse) or status == 400:
        return
    undeclared = case.asked is not None and declared_revision(case.asked.params) is None
    if (code in (-32020, -32021, -32022) and modern_code(case.value) == code) or (code == -32602 and undeclared):
        yield Violation(f"error {code} has HTTP status {status}", "/error/code")


@warning("HTTP session in a stateless protocol version", "http", "http end", "frame", since="2026-07-28")
def stateless_session_id(case: CheckMoment) -> Iterator[Violation]:
    """Session ids, event ids and other methods than POST are not allowed; another refusal than 405 is a hint.

    Fix: Send neither session ids nor event ids.
    """
    heads, frame, http = _own_heads(case), case.frame, case.http
    if heads and heads.request.method != "OPTIONS" and heads.http.header(SESSION) is not None:
        yield Violation("the response has Mcp-Session-Id: this version has no sessions")
    ended = http if case.fact is not None and case.fact.event in _ENDS and case.state.transport == "http" else None
    if ended and ended.request and ended.response and not case.state.notes(HttpNotes).is_mixed_up:
        method, status = ended.request.method, ended.response.status
        if method not in ("GET", "DELETE") or status == 405 or (ended.events and status < 300):
            return  # also if it got the response to a POST
        mild = _HINT if 400 <= status < 500 else None  # refused all the same
        sentence = f"{method} was answered with HTTP {status}, not 405"
        yield Violation(sentence, severity=mild, fix="Return 405 to other methods than POST in this protocol version.")
    if frame is not None and frame.sse is not None and frame.sse.id and case.state.is_first("stateless-session-id"):
        yield Violation("an event has an id, but streams cannot be resumed in this protocol version", severity=_HINT)


@warning("Event stream without `X-Accel-Buffering: no`", "http", since="2026-07-28")
def buffering_header_missing(case: CheckMoment) -> Iterator[Violation]:
    """Reported once per connection.

    Fix: Send X-Accel-Buffering: no with event streams.
    """
    heads = _heads(case)
    if heads and heads.response.status == 200 and _kind(heads.http) == "text/event-stream":
        if (heads.http.header("x-accel-buffering") or "").lower() != "no" and case.state.is_first(
            "buffering-header-missing"
        ):
            yield Violation("an event stream without X-Accel-Buffering: no, which proxies may buffer")


@error("Response in the body of a POST that it does not belong to", "carried", "orphan", "end", topic="basic")
def response_on_wrong_post(case: CheckMoment) -> Iterator[Violation]:
    """A JSON body must be the response to its own request; over HTTP+SSE responses are events of the stream.

    Fix: Send each response to the POST of its own request.
    """
    message, notes = case.message, case.state.notes(HttpNotes)
    if message is None and notes.in_body is not None and not notes.in_stream:
        asked = notes.in_body
        sentence = f"over HTTP+SSE {asked.named} was answered in the body of its POST, and not in the stream"
        fix = "Send responses as events of the stream that GET opened, and 202 to the POST."
        yield Violation(sentence, frames=(asked.frame,), instead=True, fix=fix)
    elif case.state.transport == "sse" and case.frame is not None and case.asked is not None:
        notes.in_stream |= case.frame.channel is not Channel.REPLY  # in both places, clients find it
        notes.in_body = notes.in_body or case.asked
    if case.frame is None or case.frame.channel is not Channel.REPLY or case.http is None or not case.http.asked:
        return
    if case.row < _STREAMABLE:
        return  # also a refusal of server/discover, which older servers send under an id of their own
    if isinstance(message, ResultResponse | ErrorResponse) and message.id is not None:
        if all(message.id != each.id for each in case.http.asked):
            asked = case.http.asked[0]
            sentence = f"the response to {asked.named} has the id {message.id!r}, but the request has {asked.id!r}"
            notes.is_mixed_up = True
            yield Violation(sentence, "/id", (asked.frame,))


@error("First SSE event is not `endpoint`", "frame", "note", until="2024-11-05", early=True)
def endpoint_event_not_first(case: CheckMoment) -> Iterator[Violation]:
    """The endpoint event has a URL of the same origin; messages are events of type `message`.

    Fix: Send the endpoint event first, with a URL of the same origin.
    """
    frame, note = case.frame, case.note
    if case.state.transport != "sse":
        return
    if frame is not None and frame.sse is not None:
        if frame.sse.event not in (None, "message"):
            yield Violation(f"a message arrived in an event of type {cut(str(frame.sse.event), 40)!r}")
        if not case.state.http.has_endpoint and case.state.is_first("endpoint-event-not-first"):
            yield Violation("a message arrived before the endpoint event", severity=_HINT)
    elif note is not None and note.event == "endpoint" and case.http is not None and case.http.request is not None:
        named = b"".join(line[5:].strip() for line in note.raw.splitlines() if line.startswith(b"data:"))
        here = case.http.request.target
        if (there := _joined(here, named.decode("utf-8", "replace"))) is None or there[:2] != urlsplit(here)[:2]:
            yield Violation(
                f"the endpoint is {named[:80].decode('utf-8', 'replace')!r}, of another origin than {cut(here, 80)!r}"
            )


def _joined(base: str, reference: str) -> SplitResult | None:
    """Return the URL that a reference in a page resolves to; None if it is invalid."""
    try:
        return urlsplit(urljoin(base, reference))
    except ValueError:
        return None


# Streams and sessions


def _is_plain_http(case: CheckMoment) -> bool:
    """Whether this is Streamable HTTP, with one URL."""
    return case.state.transport != "sse" and not case.state.http.has_endpoint


def _own_heads(case: CheckMoment) -> HttpHeads | None:
    """Return the same; None also if it may be the response to another request."""
    return None if case.state.notes(HttpNotes).is_mixed_up else _heads(case)


@hint("`Mcp-Session-Id` changes, or is issued late", "http", since="2025-03-26", until="2025-11-25")
def session_id_changed(case: CheckMoment) -> Iterator[Violation]:
    """“A server MAY assign a session ID at initialization time”, with the response to initialize.

    Fix: Issue the session id with the response to initialize, and keep it.
    """
    heads = _own_heads(case)
    given = heads.http.header(SESSION) if heads else None
    if not heads or not given or any(each.method == "initialize" for each in heads.http.asked):
        return
    if heads.request.probe or (heads.response.status >= 400 and heads.http.sent(SESSION) is None):
        return  # the request belongs to no session
    before = case.state.http.session_id
    if not before:
        yield Violation("the first Mcp-Session-Id is in another response than that to initialize")
    elif given != before:
        method = heads.http.asked[0].named if heads.http.asked else "a request without a response"
        yield Violation(f"Mcp-Session-Id changes during the session, with the response to {method}")


@error("Response on the `GET` stream", "carried", since="2025-03-26", until="2025-11-25")
def response_on_get_stream(case: CheckMoment) -> Iterator[Violation]:
    """“The server MUST NOT send a JSON-RPC response on the GET stream unless resuming a previous stream.”

    Fix: Send the response on the stream of its own request.
    """
    frame, http = case.frame, case.http
    if frame is None or frame.channel is not Channel.GET or http is None or not _is_plain_http(case):
        return
    if (
        http.sent("last-event-id") is None
        and isinstance(case.message, ResultResponse | ErrorResponse)
        and case.asked is not None
    ):
        sentence = f"the response to {case.asked.named} was sent on a stream opened by GET"
        yield Violation(sentence, "/id", frames=(case.asked.frame,))


@error(
    "Same message on two streams",
    "request",
    "notification notifications/progress",
    since="2025-03-26",
    until="2025-11-25",
    needs=CARRIED,
)
def message_on_two_streams(case: CheckMoment) -> Iterator[Violation]:
    """“It MUST NOT broadcast the same message across multiple streams.”

    Fix: Send each message on one stream only.
    """
    frame, http = case.frame, case.http
    if frame is None or http is None or not is_distinct(case) or http.sent("last-event-id") is not None:
        return
    other = case.state.http.streamed.get(hash(frame.payload))
    if other is not None and other != frame.http:
        yield Violation(f"{case.named} was sent on the streams of exchange {other} and of {frame.http}", "/method")


@warning("Stream stays open after its response", "http end", "end", since="2025-03-26", confidence=Confidence.LIKELY)
def stream_not_closed(case: CheckMoment) -> Iterator[Violation]:
    """“After the response has been sent, the server SHOULD terminate the SSE stream.”

    Fix: Close the stream after the response.
    """
    if not _is_plain_http(case):
        return
    ended = [case.http] if case.fact is not None and case.http is not None else list(case.state.http.exchanges.values())
    now = case.time_ns if case.fact is not None else case.state.last_ns
    for http in ended:
        late = now - http.answered_ns
        if not http.answered_ns or not http.events or late < _GRACE_NS:
            continue
        closed_here = case.fact is not None and case.fact.why == CLOSED_HERE
        if late < _LONG_NS and not closed_here:
            continue
        mild = None if late >= _LONG_NS else _HINT
        method = http.asked[0].named if http.asked else "its request"
        yield Violation(f"the stream was still open {late / 1e9:.1f} s after the response to {method}", severity=mild)


@warning("Stream cannot be resumed correctly", "frame", "http end", since="2025-11-25", until="2025-11-25")
def stream_not_resumable(case: CheckMoment) -> Iterator[Violation]:
    """A stream with ids begins with an event id, and sends retry before the server closes it.

    Fix: Send an event with an id and without data first, and retry: before the stream is closed.
    """
    http, frame, fact = case.http, case.frame, case.fact
    if http is None or not _is_plain_http(case):
        return
    if frame is not None and frame.channel is Channel.SSE and frame.sse is not None:
        if (
            frame.sse.id
            and not http.events
            and not http.was_primed
            and case.state.is_first("stream-not-resumable primed")
        ):
            fix = "Send an event with an id and without data first."
            yield Violation(
                ("a stream with event ids does not begin with an event that has only an id"), severity=_HINT, fix=fix
            )
    elif fact is not None and fact.event is HttpEvent.END and fact.why == "" and http.has_ids and http.retry is None:
        for asked in http.asked:
            if asked.answered is None and asked.cancelled is None:
                fix = "Send retry: and milliseconds before the stream is closed."
                sentence = f"the stream of {asked.named} was closed before the response, and without retry"
                yield Violation(sentence, frames=(asked.frame,), fix=fix)


@error("Progress on the stream of another request", "notification notifications/progress", since="2026-07-28")
def progress_on_wrong_stream(case: CheckMoment) -> Iterator[Violation]:
    """Notifications on the stream of a request must relate to it.

    Fix: Send progress on the stream of its own request.
    """
    http, asked = case.http, case.asked
    if http is not None and http.asked and asked is not None and all(each is not asked for each in http.asked):
        sentence = f"progress of {asked.named} was sent on the stream of {http.asked[0].named}"
        yield Violation(sentence, "/params/progressToken", frames=(asked.frame, http.asked[0].frame))


@error("Unsupported `MCP-Protocol-Version` is accepted", "http", since="2025-06-18")
def unsupported_version_accepted(case: CheckMoment) -> Iterator[Violation]:
    """“If the server receives a request with an invalid or unsupported MCP-Protocol-Version, it MUST respond 400.”

    Fix: Return HTTP 400 for unsupported versions.
    """
    heads = _own_heads(case)
    version = heads.http.sent("mcp-protocol-version") if heads else None
    if not heads or version is None or not 200 <= heads.response.status < 300:
        return
    agreed = case.state.revision.date if case.state.revision is not None else ""
    named = case.state.opening.supported if case.state.opening is not None else ()
    if version != agreed and version not in named and all(version != row.date for row in ROWS):
        yield Violation(
            f"a request with MCP-Protocol-Version: {cut(version, 40)} was answered with HTTP {heads.response.status}"
        )


@warning("`DELETE` for a session is not answered as such", "http", since="2025-03-26", until="2025-11-25")
def delete_response_invalid(case: CheckMoment) -> Iterator[Violation]:
    """“The server MAY respond to this request with HTTP 405 Method Not Allowed.” Some clients report other errors.

    Fix: End the session, and return HTTP 200 or 204; 405 means that clients may not end sessions.
    """
    heads = _heads(case)
    if heads is None or heads.request.method != "DELETE" or heads.request.probe or heads.http.sent(SESSION) is None:
        return
    status = heads.response.status
    if status >= 500 or status == _BAD_REQUEST:
        yield Violation(f"DELETE for the session was answered with HTTP {status}; 405 means that it can't be ended")


@error(
    "Expired session is not answered with 404",
    "refusal",
    "frame",
    since="2025-03-26",
    until="2025-11-25",
    confidence=Confidence.LIKELY,
)
def expired_session_status(case: CheckMoment) -> Iterator[Violation]:
    """“The server MUST respond to requests containing that session ID with HTTP 404 Not Found.”

    Fix: Return HTTP 404; clients then start a new session.
    """
    http, frame = case.http, case.frame
    if http is None or frame is None or http.response is None or http.sent(SESSION) is None:
        return
    status = http.response.status
    if status < 400 and not any(UNCLAIMED in each.defects for each in case.value):
        return  # a message of the protocol; its words are about something else
    is_login = status == 401 and (http.sent("authorization") or http.header("www-authenticate"))
    if status not in (403, 404) and not is_login and (found := _OVER.search(frame.payload[:2000])):
        words = found.group().decode("utf-8", "replace")
        yield Violation(
            f"the server returned HTTP {status} ({cut(words, 80)}) for a request of an expired session, not 404",
            span=found.span(),
        )


@error(
    "`Origin` is not validated (DNS rebinding risk)",
    "http",
    since="2025-03-26",
    early=True,
    confidence=Confidence.LIKELY,
)
def origin_not_validated(case: CheckMoment) -> Iterator[Violation]:
    """“Servers MUST validate the Origin header on all incoming connections to prevent DNS rebinding attacks.”

    Fix: Compare Origin with the allowed origins, and return HTTP 403 for others.
    """
    heads = _own_heads(case)
    origin = heads.http.sent("origin") if heads else None
    if not heads or origin is None or heads.request.method == "OPTIONS":
        return  # the latter is a CORS preflight
    if is_loopback(heads.request.target) and not is_loopback(origin) and origin.startswith(("http://", "https://")):
        if 200 <= heads.response.status < 300:
            case.state.notes(HttpNotes).takes_origins = True
            yield Violation(f"a request with Origin: {cut(origin, 80)} was answered with HTTP {heads.response.status}")
