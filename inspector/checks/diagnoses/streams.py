"""Diagnoses of event streams: buffered, closed when idle, compressed, ended early."""

import re
from collections.abc import Iterator

import msgspec

from inspector.checks.diagnoses.attempts import ConnectNotes
from inspector.checks.diagnoses.http import STREAM, kind_of, refused, responded
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import elided, words_of_body
from inspector.checks.registry import Violation, diagnoses_of, row_of_date
from inspector.checks.sayings import product_facts
from inspector.checks.state import CheckMoment, ConnectionState, HttpExchangeState
from inspector.protocol import peek
from inspector.protocol.facts import BY_CLIENT, HttpEvent
from inspector.protocol.jsonrpc import Notification, NotJsonRpc
from inspector.text import cut

error, warning, _ = diagnoses_of("http")

_CHARSET = re.compile(r"(?i);\s*charset\s*=\s*[\"']?([\w.:-]{1,40})")
_LIKELY, _GUESS = Confidence.LIKELY, Confidence.GUESS
_MOST = 1000
_TOGETHER_NS, _HELD_NS = 100_000_000, 2_000_000_000
_AT_LEAST = 3
"""Progress notifications that must arrive together before buffering is assumed."""

_LIMITS = (30, 60, 100, 125, 240, 300)
"""Seconds: usual idle timeouts of proxies and load balancers."""

_RESUMABLE = row_of_date("2025-11-25")
"""From this revision on, a server may close a stream whose events have ids before it has responded."""

_URL_ALONE = re.compile(rb"(?:https?://|/)[^\s{}\"]{1,480}")
_PATIENCE_NS = 2_000_000_000
_NAME_OF_ENDPOINT = "Send event: endpoint before the data; look for a proxy that removes the line."

_FIELDS = re.compile(rb"\s*(?:(?:event|id|retry):[^\n]*\n\s*)*data:")
"""The beginning of an event."""


class _Burst(msgspec.Struct):
    """Messages that arrived on one stream, and when."""

    first_ns: int
    last_ns: int
    progress: int = 0
    frame: int = 0
    notes: int = 0
    """Number of notifications."""


class _Notes(msgspec.Struct):
    """What these checks keep for a later moment, by the number of the HTTP exchange."""

    bursts: dict[int, _Burst] = {}
    heard: dict[int, int] = {}
    """Time of the newest event of each stream."""
    idle_ends: int = 0
    """Number of streams that ended after a usual idle timeout."""


@error("`GET` for HTTP+SSE is refused", "refusal")
def sse_stream_refused(case: CheckMoment) -> Iterator[Violation]:
    """The deprecated transport begins with GET; servers of Streamable HTTP want a POST first.

    Fix: Connect without --transport sse, and without "type": "sse" in a host's configuration.
    """
    heads, body = refused(case) or (None, b"")
    if heads is None or case.state.transport != "sse" or case.state.opening is not None:
        return
    status = heads.response.status
    if heads.request.method == "GET" and status != 401 and case.state.is_first("sse-stream-refused"):
        sentence = f"GET for the stream of HTTP+SSE was answered with HTTP {status}"
        words = words_of_body(body)
        yield Violation(f"{sentence}{words and f': {cut(words, 160)}'}; the server may speak Streamable HTTP")


@warning("Event stream is buffered", "frame", "http end", confidence=_GUESS)
def stream_buffered(case: CheckMoment) -> Iterator[Violation]:
    """Progress notifications of a long request arrive together with the response, or the stream has Content-Length.

    Fix: Send X-Accel-Buffering: no, set proxy_buffering off, and do not compress text/event-stream.
    """
    frame, http = case.frame, case.http
    bursts = case.state.notes(_Notes).bursts
    if frame is not None:
        if frame.sse is not None and frame.http is not None and len(bursts) < _MOST:
            burst = bursts.setdefault(frame.http, _Burst(frame.time_ns, frame.time_ns, 0, frame.n))
            burst.last_ns = frame.time_ns
            notes = [each.method for each in case.value if isinstance(each, Notification)]
            burst.progress += "notifications/progress" in notes
            burst.notes += len(notes)
    elif case.fact is not None and http is not None and case.fact.http in bursts:
        burst = bursts.pop(case.fact.http)
        began = http.asked[0].time_ns if http.asked else burst.first_ns
        together = burst.last_ns - burst.first_ns < _TOGETHER_NS
        if burst.progress >= _AT_LEAST and together and burst.first_ns - began >= _HELD_NS:
            waited = (burst.first_ns - began) / 1e9
            message = f"{burst.progress} progress notifications and more arrived together after {waited:.0f} s"
            proxy = _proxy(http)
            sure = _LIKELY if proxy else None
            yield Violation(message + (f", through {proxy}" if proxy else ""), frames=(burst.frame,), confidence=sure)
        elif burst.notes and http.header("content-length") is not None and case.state.is_first("stream-buffered"):
            what = http.asked[0].named if http.asked else "GET"
            sentence = f"the event stream of {what} has Content-Length: its events were kept until all were there"
            fix = (
                "Send each event when it happens: return a stream, and look for a middleware that reads the whole body."
            )
            yield Violation(
                sentence, frames=(http.frame,), severity=Severity.HINT, confidence=Confidence.CERTAIN, fix=fix
            )


def _proxy(http: HttpExchangeState) -> str:
    """Return the response header that shows a proxy."""
    if via := http.header("via"):
        return f"Via: {cut(via, 40)}"
    if ray := http.header("cf-ray"):
        return f"CF-Ray: {cut(ray, 40)}"
    server = http.header("server") or ""
    return cut(server, 40) if any(each in server.lower() for each in ("nginx", "cloudflare", "envoy", "awselb")) else ""


@warning("Idle event stream was closed", "frame", "note", "http", "http end", confidence=_GUESS)
def stream_idle_timeout(case: CheckMoment) -> Iterator[Violation]:
    """The stream ended after a silence as long as a usual idle timeout of proxies.

    Fix: Send a comment every 15 to 25 seconds, or raise the proxy's idle timeout.
    """
    notes, http, fact = case.state.notes(_Notes), case.http, case.fact
    if fact is None or fact.event is HttpEvent.RESPONSE:
        number = case.frame.http if case.frame is not None else case.note.http if case.note is not None else None
        number = fact.http if fact is not None else number
        if number is not None and len(notes.heard) < _MOST and http is not None and kind_of(http) == STREAM:
            notes.heard[number] = case.time_ns
        return
    last = notes.heard.pop(fact.http, None)
    if last is None or fact.why in BY_CLIENT or http is None:
        return
    silent = (case.time_ns - last) / 1e9
    limit = next((each for each in _LIMITS if abs(silent - each) < 1.5), None)
    if limit is not None:
        notes.idle_ends += 1
        sentence = f"the stream ended after {silent:.0f} s without an event: a usual idle timeout of proxies"
        yield Violation(sentence, confidence=_LIKELY if notes.idle_ends > 1 else None)


@error("Event stream ended without the response", "http end", since="2025-03-26", mild_until="2025-06-18")
def stream_ended_early(case: CheckMoment) -> Iterator[Violation]:
    """Streams that can be resumed may end early, since the version that defines resumption.

    Fix: Check the log of the server for a crash, and any proxy for a limit on streams.
    """
    http, fact = case.http, case.fact
    if http is None or fact is None or fact.why in BY_CLIENT or http.response is None:
        return
    if kind_of(http) != "text/event-stream" or (http.has_ids and case.row >= _RESUMABLE):
        return
    for asked in http.asked:
        is_lost = asked.answered is None and asked.unread is None and asked.cancelled is None
        if is_lost and asked.method != "subscriptions/listen":
            yield Violation(f"the stream ended before the response to {asked.named}", frames=(asked.frame,))


@error("Event stream cannot be resumed", "http end", since="2025-03-26")
def stream_not_resumed(case: CheckMoment) -> Iterator[Violation]:
    """The stream of a response ended early, its events have ids, and GET with Last-Event-ID is refused.

    Fix: Keep events until their response was sent, for all instances of the server, or send no ids.
    """
    http, fact = case.http, case.fact
    if http is None or fact is None or fact.event is not HttpEvent.END or http.response is None:
        return
    is_resumed = http.request is not None and http.request.method == "GET" and http.sent("last-event-id") is not None
    due = next((each for each in case.state.requests.all if each.answered is None and each.status == 200), None)
    if is_resumed and http.response.status >= 400 and due is not None and case.state.is_first("stream-not-resumed"):
        says = f": {cut(http.words, 160)}" if http.words else ""
        sentence = f"the stream of {due.named} ended early, and resuming it (GET with Last-Event-ID) got HTTP"
        yield Violation(f"{sentence} {http.response.status}{says}", frames=(due.frame,))


@warning("Event stream is compressed", "http", topic="")
def stream_compressed(case: CheckMoment) -> Iterator[Violation]:
    """Compression delays events.

    Fix: Do not compress text/event-stream.
    """
    heads = responded(case)
    encoding = heads.http.header("content-encoding") if heads else None
    if heads and encoding and encoding != "identity" and kind_of(heads.http) == STREAM:
        yield Violation(f"the event stream is compressed ({cut(encoding, 20)})")


@error("SSE event has no blank line at its end", "note")
def unterminated_event(case: CheckMoment) -> Iterator[Violation]:
    """An event is incomplete when the stream ends. The SSE rules require clients to discard it.

    Fix: End each event with a blank line: data: {…}, then two line feeds.
    """
    note, http = case.note, case.http
    if note is None or http is None or note.event == "endpoint" or http.request is None or http.request.probe:
        return
    data = b"\n".join(line[5:].strip() for line in note.raw.splitlines() if line.startswith(b"data:"))
    if not data:
        return
    due = next((each for each in http.asked if each.answered is None), None)
    what = f"the event with the response to {due.named}" if due is not None else "an event"
    if peek.is_json(data):
        yield Violation(f"{what} has no blank line at its end: clients wait for it, or discard it")
    else:
        yield Violation(
            f"{what} is truncated after {len(data):,} bytes of its data", fix="Check the logs of server and proxy."
        )


@warning("SSE event is not named message", "frame")
def unknown_event_name(case: CheckMoment) -> Iterator[Violation]:
    """Clients that listen for events named “message” ignore it.

    Fix: Omit the event field, or send event: message.
    """
    frame = case.frame
    if frame is None or frame.sse is None or frame.sse.event in (None, "", "message"):
        return
    name = cut(frame.sse.event, 40)
    if name == "error" and any(each.defects or isinstance(each, NotJsonRpc) for each in case.value):
        if case.state.is_sampled("unknown-event-name error", 3):
            due = case.http.asked[0].named if case.http is not None and case.http.asked else ""
            place = f"in place of the response to {due}" if due else "instead of a message"
            fix = "Send a JSON-RPC error, or a result with isError, in an event named message."
            yield Violation(f"an event named 'error' was sent {place}: {words_of_body(frame.payload)}", fix=fix)
    elif any(not isinstance(each, NotJsonRpc) for each in case.value) and case.state.is_first(
        f"unknown-event-name {name}"
    ):
        yield Violation(
            f"a JSON-RPC message arrived in an event named {name!r}: clients read events named 'message' only"
        )


@error("`endpoint` event is missing", "http", "garbled", "end")
def endpoint_event_missing(case: CheckMoment) -> Iterator[Violation]:
    """HTTP+SSE begins with an endpoint event.

    Fix: Send event: endpoint with the URL as its data first, and a blank line after it.
    """
    state, heads, frame, notes = case.state, responded(case), case.frame, case.state.notes(ConnectNotes)
    if frame is not None:
        if frame.sse is not None and frame.sse.event is None and state.opening is None and not state.http.has_endpoint:
            if (url := _URL_ALONE.fullmatch(frame.payload[:500].strip())) and case.http is not None:
                notes.nameless_endpoint = (case.n, url[0].decode("utf-8", "replace"))
            elif case.http is not None and case.http.request is not None and case.http.request.method == "GET":
                notes.first_event = notes.first_event or elided(frame.payload[:500].decode("utf-8", "replace"), 60)
    elif case.fact is None and notes.nameless_endpoint is not None:
        if state.opening is None and not state.http.has_endpoint:
            n, named = notes.nameless_endpoint
            sentence = f"the first event has a URL, {cut(named, 80)!r}, but no name: an endpoint event begins with"
            yield Violation(f"{sentence} event: endpoint", frames=(n,), instead=True, fix=_NAME_OF_ENDPOINT)
    elif case.fact is not None and case.fact.event is HttpEvent.REQUEST and case.fact.method == "GET":
        notes.first_get = notes.first_get or (case.n, case.time_ns, case.http)
    elif heads is not None:
        if heads.request.method == "GET" and heads.response.status == 200 and kind_of(heads.http) == STREAM:
            notes.first_stream = notes.first_stream or case.n
            notes.compression = heads.http.header("content-encoding") or ""
    elif case.fact is None and notes.first_get is not None and _is_held_back(state, *notes.first_get[1:]):
        sentence = "GET had no response, not even its headers: clients do not know where to POST"
        yield Violation(sentence, frames=(notes.first_get[0],), instead=True, fix=product_facts()["headers-held-back"])
    elif case.fact is None and notes.first_stream and not state.http.has_endpoint:
        is_answered = any(each.status is not None and each.status < 400 for each in state.requests.all)
        if state.opening is None and not is_answered:
            heard = f"the first event was {notes.first_event!r}" if notes.first_event else "the stream was opened"
            sentence = f"{heard}, but no endpoint event arrived: clients do not know where to POST"
            packed = cut(notes.compression, 20) if not notes.first_event else ""
            sentence += (
                f"; the stream is compressed ({packed}), and what compresses it may hold it back" if packed else ""
            )
            yield Violation(sentence, frames=(notes.first_stream,), instead=True)


def _is_held_back(state: ConnectionState, since_ns: int, http: HttpExchangeState | None) -> bool:
    """Whether a client of HTTP+SSE has waited without success for the headers of the stream."""
    if state.opening is not None or state.http.has_endpoint or http is None:
        return False
    posts = [each for each in state.requests.all if each.method == "initialize"]
    is_for_sse = all(each.status in (404, 405) for each in posts) if posts else state.transport == "sse"
    return is_for_sse and http.response is None and state.last_ns - since_ns > _PATIENCE_NS


@error("Message spans several lines of an SSE event", "garbled", confidence=_LIKELY)
def multiline_event_data(case: CheckMoment) -> Iterator[Violation]:
    """The data of an event is a single bracket: the first line of indented JSON.

    Fix: Write JSON without line feeds, or begin each of its lines with data:.
    """
    frame = case.frame
    if frame is not None and frame.sse is not None and frame.payload.strip() in (b"{", b"["):
        yield Violation("only the first line of an indented message begins with data:, so the rest is lost")


@warning("Response declares another charset than UTF-8", "http")
def charset_not_utf_8(case: CheckMoment) -> Iterator[Violation]:
    """Messages are UTF-8; what another charset does not have is lost, mostly as question marks.

    Fix: Write responses as UTF-8, and declare no charset, or utf-8, in Content-Type.
    """
    heads = responded(case)
    if heads is None or not heads.http.asked:
        return
    http = heads.http
    found = _CHARSET.search((http.header("content-type") or "")[:300])
    if found is not None and kind_of(http) in ("application/json", STREAM):
        if found[1].lower() not in ("utf-8", "utf8", "us-ascii") and case.state.is_first("charset-not-utf-8"):
            what = f"the response to {http.asked[0].named} declares charset {found[1]} in place of UTF-8"
            yield Violation(f"{what}: characters that {found[1]} lacks are lost")


@error("Body does not match `Content-Type`", "note", "garbled")
def content_type_mismatch(case: CheckMoment) -> Iterator[Violation]:
    """JSON instead of an event stream, or events instead of JSON; clients find no message in either.

    Fix: Send application/json with a JSON body, and text/event-stream with events.
    """
    http, note, frame = case.http, case.note, case.frame
    if http is None or http.request is None or http.request.probe:
        return
    method = http.asked[0].named if http.asked else http.request.method
    if note is not None:
        if note.raw.lstrip()[:1] in (b"{", b"[") and peek.is_json(note.raw):
            yield Violation(f"the response to {method} is plain JSON, but its Content-Type is text/event-stream")
    elif frame is not None and frame.sse is None and "json" in kind_of(http) and _FIELDS.match(frame.payload):
        yield Violation(
            f"the response to {method} is an event stream, but its Content-Type is {cut(kind_of(http), 60)}"
        )
