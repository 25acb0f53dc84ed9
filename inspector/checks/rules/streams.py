"""Streams and sessions over HTTP: what comes where, how streams begin and end, which requests must be refused.

The last three judge what a client happens to have sent: a version that there is not, a session that is over, a page of
another origin. They never send anything themselves.
"""

import re
from collections.abc import Iterator

from inspector.checks.carriage import SESSION, is_distinct, is_loopback
from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Flaw, check
from inspector.checks.scene import Case, HttpLife
from inspector.checks.traits import CARRIED
from inspector.protocol.facts import CLOSED_HERE, HttpEvent
from inspector.protocol.frames import Channel
from inspector.protocol.jsonrpc import Answer, ErrorAnswer
from inspector.protocol.revisions.table import ROWS

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_NEVER = 1 << 62
_GRACE_NS = 150_000_000
"""What a stream may stay open after its answer, where this side then closes it."""
_LONG_NS = 1_000_000_000
TAKES_ORIGINS = "W14"
"""Among a scene's notes: the server answered a request of another origin."""


def _is_plain_http(case: Case) -> bool:
    """Whether this is HTTP as it is since its second form: one address, no stream beside it that brings answers."""
    return case.scene.transport != "sse" and not case.scene.has_endpoint


def _responded(case: Case) -> HttpLife | None:
    """The exchange whose response has just begun."""
    fact, life = case.fact, case.life
    if fact is None or fact.event is not HttpEvent.RESPONSE or life is None or life.request is None:
        return None
    return life if _is_plain_http(case) else None


@check("W05", _HINT, "a session id that changes, or comes late", "http", topic="http", since=2, until=4)
def session_id_stays(case: Case) -> Iterator[Flaw]:
    """“A server MAY assign a session ID at initialization time”, by the response to initialize."""
    life = _responded(case)
    given = life.header(SESSION) if life is not None else None
    if life is None or not given or any(each.method == "initialize" for each in life.asked):
        return
    if life.request is not None and life.request.probe:
        return  # it is the session of nobody
    before = case.scene.mcp_session_id
    if not before:
        yield Flaw("the first Mcp-Session-Id comes with another response than that to initialize")
    elif given != before:
        yield Flaw("Mcp-Session-Id changes in the middle of the session")


@check("W06", _ERROR, "an answer on the stream for everything else", "carried", topic="http", since=2, until=4)
def answers_come_where_they_were_asked(case: Case) -> Iterator[Flaw]:
    """“The server MUST NOT send a JSON-RPC response on the GET stream unless resuming a previous stream.”"""
    frame, life = case.frame, case.life
    if frame is None or frame.channel is not Channel.GET or life is None or not _is_plain_http(case):
        return
    if life.sent("last-event-id") is None and isinstance(case.message, Answer | ErrorAnswer) and case.asked is not None:
        said = f"{case.asked.method[:60]} was answered on a stream opened by GET"
        yield Flaw(said, "/id", frames=(case.asked.frame,))


@check(
    "W07",
    _ERROR,
    "one message on two streams",
    "request",
    "notification notifications/progress",
    topic="http",
    since=2,
    until=4,
    fix="Choose one stream for each message.",
    needs=CARRIED,
)
def messages_come_once(case: Case) -> Iterator[Flaw]:
    """“It MUST NOT broadcast the same message across multiple streams.”"""
    frame, life = case.frame, case.life
    if frame is None or life is None or not is_distinct(case) or life.sent("last-event-id") is not None:
        return
    other = case.scene.streamed.get(hash(frame.payload))
    if other is not None and other != frame.http:
        yield Flaw(f"{case.method[:60]} came on the streams of exchange {other} and of {frame.http}", "/method")


@check(
    "W10",
    _WARNING,
    "a stream that stays open after its answer",
    "http end",
    "end",
    topic="http",
    since=2,
    confidence=Confidence.LIKELY,
    fix="End the stream once the response is sent.",
)
def streams_end_with_the_answer(case: Case) -> Iterator[Flaw]:
    """“After the response has been sent, the server SHOULD terminate the SSE stream.”"""
    if not _is_plain_http(case):
        return
    ended = [case.life] if case.fact is not None and case.life is not None else list(case.scene.http.values())
    now = case.time_ns if case.fact is not None else case.scene.last_ns
    for life in ended:
        late = now - life.answered_ns
        if not life.answered_ns or not life.events or late < _GRACE_NS:
            continue
        closed_here = case.fact is not None and case.fact.why == CLOSED_HERE
        if late < _LONG_NS and not closed_here:
            continue
        mild = None if late >= _LONG_NS else _HINT
        method = life.asked[0].method[:60] if life.asked else "its request"
        yield Flaw(f"the stream was still open {late / 1e9:.1f} s after {method} was answered on it", severity=mild)


@check(
    "W11",
    _WARNING,
    "a stream that can't be gone on with as it should",
    "frame",
    "http end",
    topic="http",
    since=4,
    until=4,
)
def streams_can_be_resumed(case: Case) -> Iterator[Flaw]:
    """A stream with ids begins with one, and says when to come back before it is dropped."""
    life, frame, fact = case.life, case.frame, case.fact
    if life is None or not _is_plain_http(case):
        return
    if frame is not None and frame.channel is Channel.SSE and frame.sse is not None:
        if frame.sse.id and not life.events and not life.was_primed and case.scene.seldom("W11 primed", 1, _NEVER):
            fix = "Send an event with an id and without data first."
            yield Flaw("a stream with event ids begins without an event that only has an id", severity=_HINT, fix=fix)
    elif fact is not None and fact.event is HttpEvent.END and fact.why == "" and life.has_ids and life.retry is None:
        for asked in life.asked:
            if asked.answered is None and asked.cancelled is None:
                fix = "Send retry: and milliseconds before the stream is dropped."
                said = f"the stream of {asked.method[:60]} was dropped before the answer, and without retry"
                yield Flaw(said, frames=(asked.frame,), fix=fix)


@check(
    "W18",
    _ERROR,
    "progress on another request's stream",
    "notification notifications/progress",
    topic="http",
    since=5,
)
def streams_are_about_their_request(case: Case) -> Iterator[Flaw]:
    """What comes on the stream of a request relates to it."""
    life, asked = case.life, case.asked
    if life is not None and life.asked and asked is not None and all(each is not asked for each in life.asked):
        said = f"progress on {asked.method[:60]} came on the stream of {life.asked[0].method[:60]}"
        yield Flaw(said, "/params/progressToken", frames=(asked.frame, life.asked[0].frame))


@check(
    "W12", _ERROR, "a version that there is not is accepted", "http", topic="http", since=3, fix="Answer 400 to those."
)
def versions_are_looked_at(case: Case) -> Iterator[Flaw]:
    """“If the server receives a request with an invalid or unsupported MCP-Protocol-Version, it MUST respond 400.”"""
    life = _responded(case)
    said = life.sent("mcp-protocol-version") if life is not None else None
    if life is None or said is None or life.response is None or not 200 <= life.response.status < 300:
        return
    agreed = case.scene.revision.date if case.scene.revision is not None else ""
    named = case.scene.opening.supported if case.scene.opening is not None else ()
    if said != agreed and said not in named and all(said != row.date for row in ROWS):
        yield Flaw(f"a request with MCP-Protocol-Version: {said[:40]} was answered by {life.response.status}")


_OVER = re.compile(
    rb"(?i)session.{0,40}(not found|invalid|expired|unknown|terminated|does not exist|closed)"
    rb"|(no valid|invalid|unknown|expired|no such|unrecognized) (mcp[- ])?session"
)


@check(
    "W13",
    _ERROR,
    "a session that is over is not told by 404",
    "refusal",
    topic="http",
    since=2,
    until=4,
    confidence=Confidence.LIKELY,
    fix="Answer 404: then clients begin a new session by themselves.",
)
def lost_sessions_are_404(case: Case) -> Iterator[Flaw]:
    """“The server MUST respond to requests containing that session ID with HTTP 404 Not Found.”"""
    life, frame = case.life, case.frame
    if life is None or frame is None or life.response is None or life.sent(SESSION) is None:
        return
    status = life.response.status
    if status not in (401, 403, 404) and (found := _OVER.search(frame.payload[:2000])):
        words = found.group().decode("utf-8", "replace")
        yield Flaw(f"the server answered {status} ({words[:80]}) to a request of a session", span=found.span())


@check(
    "W14",
    _ERROR,
    "a web page of elsewhere may ask a local server",
    "http",
    topic="http",
    since=2,
    early=True,
    confidence=Confidence.LIKELY,
    fix="Compare Origin with the origins that are meant, and answer 403 to others.",
)
def origins_are_looked_at(case: Case) -> Iterator[Flaw]:
    """“Servers MUST validate the Origin header on all incoming connections to prevent DNS rebinding attacks.”"""
    life = _responded(case)
    origin = life.sent("origin") if life is not None else None
    if life is None or life.request is None or life.response is None or origin is None:
        return
    if life.request.method == "OPTIONS":
        return  # a browser asks whether it may ask
    if is_loopback(life.request.target) and not is_loopback(origin) and origin.startswith(("http://", "https://")):
        if 200 <= life.response.status < 300:
            case.scene.notes[TAKES_ORIGINS] = True
            yield Flaw(f"a request with Origin: {origin[:80]} was answered by {life.response.status}")
