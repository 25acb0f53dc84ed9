"""How messages travel over HTTP: statuses, headers, streams."""

import re
from collections.abc import Iterator
from urllib.parse import SplitResult, urljoin, urlsplit

from inspector.checks.findings import Severity
from inspector.checks.registry import LAST, Flaw, check
from inspector.checks.scene import Case, HttpLife
from inspector.protocol import peek
from inspector.protocol.facts import CLOSED_HERE, GIVEN_UP_HERE, HttpEvent, HttpFact
from inspector.protocol.frames import Channel
from inspector.protocol.jsonrpc import Answer, ErrorAnswer
from inspector.protocol.revisions.openings import modern_code
from inspector.protocol.tracking.opening import declared_revision

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_SESSION = "mcp-session-id"
_VISIBLE = re.compile(r"[\x21-\x7e]+")


def _heads(case: Case) -> tuple[HttpLife, HttpFact, HttpFact] | None:
    """The exchange with both heads, once the response's is there."""
    life, fact = case.life, case.fact
    if case.scene.transport == "sse" or case.scene.has_endpoint:
        return None
    if life is None or life.request is None or not isinstance(fact, HttpFact) or fact.event is not HttpEvent.RESPONSE:
        return None
    return life, life.request, fact


def _kind(life: HttpLife) -> str:
    return (life.header("content-type") or "").split(";")[0].strip().lower()


@check(
    "W01", _ERROR, "a notification is not answered by 202", "http", topic="http", since=2, fix="202, without a body."
)
def notifications_are_accepted(case: Case) -> Iterator[Flaw]:
    """Where the body asked for nothing."""
    heads = _heads(case)
    if heads and heads[1].method == "POST" and heads[0].told and not heads[0].asked:
        if 200 <= heads[2].status < 300 and heads[2].status != 202:
            yield Flaw(f"a message that asks for no answer was answered by {heads[2].status}, not 202")


@check(
    "W02", _ERROR, "a request is answered by neither JSON nor a stream", "http", topic="http", since=2, early=True,
    fix="Send Content-Type: application/json, or text/event-stream.",
)  # fmt: skip
def requests_are_answered(case: Case) -> Iterator[Flaw]:
    """202 is for what asks for no answer."""
    heads = _heads(case)
    if not heads or heads[1].method != "POST" or not heads[0].asked:
        return
    life, _, response = heads
    if response.status == 202:
        yield Flaw("a request was answered by 202, as if it were a notification")
    elif response.status == 200 and _kind(life) not in ("application/json", "text/event-stream"):
        kind = f"with Content-Type {_kind(life)[:40]}" if _kind(life) else "without a Content-Type"
        yield Flaw(f"{life.asked[0].method[:60]} was answered {kind}, neither as JSON nor as a stream")


@check("W03", _WARNING, "GET is answered by neither a stream nor 405", "http", topic="http", since=2, until=4)
def get_is_answered(case: Case) -> Iterator[Flaw]:
    """A server without a stream of its own says 405."""
    heads = _heads(case)
    if heads and heads[1].method == "GET" and case.scene.transport == "http":
        life, _, response = heads
        stream = response.status == 200 and _kind(life) == "text/event-stream"
        if not stream and response.status not in (401, 403, 405) and not 300 <= response.status < 400:
            yield Flaw(f"GET was answered by {response.status}; 405 says that there is no stream")


@check("W04", _ERROR, "a session id with characters that it can't have", "http", topic="http", since=1, until=LAST)
def session_id_is_visible(case: Case) -> Iterator[Flaw]:
    """Visible ASCII only."""
    heads = _heads(case)
    id_ = heads[0].header(_SESSION) if heads else None
    if id_ is not None and not _VISIBLE.fullmatch(id_):
        yield Flaw("Mcp-Session-Id has other characters than visible ASCII")


@check("W08", _ERROR, "the id of an event comes again", "frame", topic="http", since=2, until=4)
def event_ids_come_once(case: Case) -> Iterator[Flaw]:
    """Within a session; a resumed stream tells anew what was lost."""
    frame = case.frame
    id_ = frame.sse.id if frame is not None and frame.sse is not None else None
    if not id_ or frame is None or frame.channel is Channel.GET:
        return
    if id_ in case.scene.event_ids:
        yield Flaw(f"the event id {id_[:60]!r} was used before")
    elif len(case.scene.event_ids) < 100_000:
        case.scene.event_ids.add(id_)


@check("W09", _WARNING, "a stream ended without the answer", "http end", topic="http", since=2, until=3)
def streams_bring_the_answer(case: Case) -> Iterator[Flaw]:
    """The server should not close before it has answered."""
    life, fact = case.life, case.fact
    if life is None or not isinstance(fact, HttpFact) or fact.why in (CLOSED_HERE, GIVEN_UP_HERE):
        return
    for asked in life.asked if life.response and _kind(life) == "text/event-stream" else ():
        if asked.answered is None and asked.cancelled is None:
            yield Flaw(f"the stream ended before {asked.method[:60]} was answered", frames=(asked.frame,))


def _status(case: Case) -> int:
    return case.life.response.status if case.life and case.life.response else 0


@check("W15", _ERROR, "an unknown method without 404", "carried", topic="http", since=5, fix="Answer 404 with -32601.")
def unknown_methods_are_404(case: Case) -> Iterator[Flaw]:
    """Intermediaries see the status alone."""
    status = _status(case)
    if (
        status
        and isinstance(case.message, ErrorAnswer)
        and peek.integer(case.value, "code") == -32601
        and status != 404
    ):
        yield Flaw(f"error -32601 came with the status {status}", "/error/code")


@check("W16", _ERROR, "an error of the protocol without 400", "carried", topic="http", since=5, fix="Answer 400.")
def protocol_errors_are_400(case: Case) -> Iterator[Flaw]:
    """-32020, -32021 and -32022; -32602 for a request that does not say what it must."""
    status, code = _status(case), peek.integer(case.value, "code")
    if not status or not isinstance(case.message, ErrorAnswer) or status == 400:
        return
    undeclared = case.asked is not None and declared_revision(case.asked.params) is None
    if (code in (-32020, -32021, -32022) and modern_code(case.value) == code) or (code == -32602 and undeclared):
        yield Flaw(f"error {code} came with the status {status}", "/error/code")


@check(
    "W17", _WARNING, "an HTTP session where there are none", "http", "frame", topic="http", since=5, fix="Send no ids."
)
def there_are_no_sessions(case: Case) -> Iterator[Flaw]:
    """No session ids, no event ids; only POST."""
    heads, frame = _heads(case), case.frame
    if heads and heads[1].method != "OPTIONS" and heads[0].header(_SESSION) is not None:
        yield Flaw("the response carries Mcp-Session-Id")
    if heads and heads[1].method in ("GET", "DELETE") and heads[2].status != 405 and case.scene.transport == "http":
        yield Flaw(f"{heads[1].method} was answered by {heads[2].status}, not 405")
    if frame is not None and frame.sse is not None and frame.sse.id and case.scene.seldom("W17", 1, 1 << 62):
        yield Flaw("an event has an id, and streams can't be resumed in this revision", severity=_HINT)


@check(
    "W19",
    _WARNING,
    "a stream that proxies may hold back",
    "http",
    topic="http",
    since=5,
    fix="Send X-Accel-Buffering: no with event streams.",
)
def streams_are_not_buffered(case: Case) -> Iterator[Flaw]:
    """Said once a connection."""
    heads = _heads(case)
    if heads and heads[2].status == 200 and _kind(heads[0]) == "text/event-stream":
        if (heads[0].header("x-accel-buffering") or "").lower() != "no" and case.scene.seldom("W19", 1, 1 << 62):
            yield Flaw("an event stream without X-Accel-Buffering: no")


@check("W20", _ERROR, "the answer to another request than the POST's", "carried", "orphan", topic="basic", since=2)
def answers_its_own_request(case: Case) -> Iterator[Flaw]:
    """A JSON body answers the request that it came for."""
    message = case.message
    if case.frame is None or case.frame.channel is not Channel.REPLY or case.life is None or not case.life.asked:
        return
    if isinstance(message, Answer | ErrorAnswer) and message.id is not None:
        if all(message.id != each.id for each in case.life.asked):
            asked = case.life.asked[0]
            said = f"the response to {asked.method[:60]} has the id {message.id!r}, and the request has {asked.id!r}"
            yield Flaw(said, "/id", (asked.frame,))


@check(
    "V01",
    _ERROR,
    "an event stream that does not begin with its endpoint",
    "frame",
    "note",
    topic="http",
    until=1,
    early=True,
)
def begins_with_its_endpoint(case: Case) -> Iterator[Flaw]:
    """It names an address of its own origin; every message event comes under the type `message`."""
    frame, note = case.frame, case.note
    if case.scene.transport != "sse":
        return
    if frame is not None and frame.sse is not None:
        if frame.sse.event not in (None, "message"):
            yield Flaw(f"a message came as an event of type {str(frame.sse.event)[:40]!r}")
        if not case.scene.has_endpoint and case.scene.seldom("V01", 1, 1 << 62):
            yield Flaw("a message came before the event that names the endpoint", severity=_HINT)
    elif note is not None and note.event == "endpoint" and case.life is not None and case.life.request is not None:
        named = b"".join(line[5:].strip() for line in note.raw.splitlines() if line.startswith(b"data:"))
        here = case.life.request.target
        if (there := _joined(here, named.decode("utf-8", "replace"))) is None or there[:2] != urlsplit(here)[:2]:
            yield Flaw(
                f"the endpoint is {named[:80].decode('utf-8', 'replace')!r}, which is elsewhere than {here[:80]!r}"
            )


def _joined(base: str, reference: str) -> SplitResult | None:
    """An address as it stands in a page; None if it is none."""
    try:
        return urlsplit(urljoin(base, reference))
    except ValueError:
        return None
