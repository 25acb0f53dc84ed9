"""Diagnoses of the responses to probes: requests that a server should reject.

Only responses to probes are judged here. Rules for all traffic judge some of them as well, such as
`origin-not-validated`, `unsupported-version-accepted`, `unknown-tool-as-tool-error` and `resource-not-found-code`.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import msgspec

from inspector.checks.diagnoses.attempts import ConnectNotes
from inspector.checks.findings import Confidence, Severity
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.rules.http import NO_RESPONSE, HttpNotes
from inspector.checks.state import PREFIX, SESSION, CheckMoment, HttpExchangeState, HttpHeads, is_loopback
from inspector.checks.state_updates import PROBED
from inspector.protocol import peek, probes
from inspector.protocol.facts import HttpEvent
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.revisions.openings import names_handshake
from inspector.protocol.url_hosts import host_of
from inspector.text import cut

error, warning, hint = diagnoses_of("basic")

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_PAGED = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
_METHOD_NOT_FOUND, _INVALID_PARAMS, _HEADER_MISMATCH = -32601, -32602, -32020
_OF_BODIES, _CRASHED = (400, 408, 411, 415, 422), 500
_UNREAD = re.compile(
    r"(?i)parse error|(?:invalid|malformed|unexpected|empty|missing|no)\b.{0,20}\b(?:json|body|token|end|eof)"
)
_FORMS = (
    ("content-type", probes.CHARSET, "with a charset in its Content-Type", "clients in Java and .NET"),
    ("transfer-encoding", probes.CHUNKED, "whose body is chunked, without Content-Length,", "some clients"),
)
"""Header and a part of its value, by which a probe differs; how it is described, and who sends such requests."""
_FOR_BROWSERS = ("mcp-session-id", "mcp-protocol-version", "authorization", "content-type")

_DIALLED = ""
"""In place of an address: the one that the session itself uses."""


class _Notes(msgspec.Struct):
    accepted: list[Violation] = []
    """Requests without a version that were accepted over stdio."""
    rejects_origins: bool = False
    """Whether a POST from our own origin was rejected."""
    reached: dict[str, tuple[bool, int]] = {}
    """Whether an address responded, and the entry, by address."""


def _params(case: CheckMoment) -> Any:
    """Return the params of the probe of a response; None for a response to another request."""
    return case.asked.params if case.asked is not None and case.asked.probe else None


def lacks_header(case: CheckMoment) -> bool:
    """Whether a response is for a probe over HTTP whose body lacks what a required header must repeat.

    Such a request has no correct header, so a server that compares headers first rejects it with -32020, as it must.
    """
    asked = case.asked
    if asked is None or not asked.probe or asked.http is None:
        return False
    nameless = asked.method == "tools/call" and not peek.has(asked.params, "name")
    return nameless or not peek.has(asked.params, "_meta", PREFIX + "protocolVersion")


def _refusal(case: CheckMoment, wanted: int, what: str, *, worse: Severity | None = None) -> Iterator[Violation]:
    """Yield the violation of a probe that was accepted, or rejected with another code."""
    if isinstance(case.message, ResultResponse):
        if not peek.flag(case.value, "isError"):
            yield Violation(f"{what} is accepted", severity=worse)
    elif (code := peek.integer(case.value, "code")) != wanted and not (code == _HEADER_MISMATCH and lacks_header(case)):
        yield Violation(f"{what} is rejected with {code} instead of {wanted}", "/error/code")


@warning("Unknown method is not rejected with -32601", f"answer {probes.METHOD}", f"error {probes.METHOD}")
def unknown_method_error_code(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Return error -32601 for unknown methods; clients detect features by it."""
    yield from _refusal(case, _METHOD_NOT_FOUND, "an unknown method", worse=_ERROR)


@error("`ping` has no empty result", "error ping", topic="basic/utilities/ping", until="2025-11-25")
def invalid_ping_response(case: CheckMoment) -> Iterator[Violation]:
    """“The receiver MUST respond promptly with an empty response.”

    Fix: Return the result {}.
    """
    code = peek.integer(case.value, "code")
    if case.is_moot or code is None:
        return  # `error-object-invalid` reports the latter
    mild = _WARNING if code == _METHOD_NOT_FOUND else None  # some clients reconnect then, others request a list instead
    yield Violation(f"ping is rejected with {code}", "/error/code", severity=mild)


@warning(
    "`tools/call` without a name is not rejected with -32602",
    "answer tools/call",
    "error tools/call",
    topic="server/tools",
    needs=PROBED,
)
def invalid_params_error_code(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Return -32602 (Invalid params)."""
    params = _params(case)
    if type(params) is dict and "name" not in params:
        yield from _refusal(case, _INVALID_PARAMS, "a call without a tool name")


@warning(
    "Unknown task is not rejected with -32602",
    *(f"{kind} tasks/{what}" for kind in ("answer", "error") for what in ("get", "cancel")),
    topic="basic/utilities/tasks",
    since="2025-11-25",
    needs=PROBED,
)
def unknown_task_error_code(case: CheckMoment) -> Iterator[Violation]:
    """“Receivers MUST return -32602 for an invalid or nonexistent taskId in tasks/get, tasks/result or tasks/cancel.”

    Fix: Return -32602 for a task that does not exist.
    """
    if peek.text(_params(case), "taskId") == probes.TASK:
        yield from _refusal(case, _INVALID_PARAMS, f"{case.method} of a task that does not exist", worse=_ERROR)


@warning("Probe got no response", "http end", "end")
def probe_unanswered(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Respond to every request, with an error if need be."""
    if case.fact is not None:
        yield from _dropped(case)
        return
    last = (
        case.state.process.provoked[0] if case.state.process.provoked and case.state.why else 0
    )  # it made the server exit (`exit-on-invalid-message`)
    asked = [each for each in case.state.requests.all if each.probe and each.frame != last]
    for each in asked:
        is_judged_elsewhere = each.method in ("server/discover", "initialize") or probes.calls_a_tool(
            each.method, each.params
        )
        is_list_again = each.method in _PAGED and case.state.capable(each.method.partition("/")[0])
        is_silent = each.answered is None and (each.http is None or (each.method == probes.METHOD and not each.status))
        if is_silent and not is_judged_elsewhere and not is_list_again:
            frames = (each.frame,)
            yield Violation(f"{each.named}, sent as a probe, has no response", frames=frames, instead=True)


def is_of_probes(http: HttpExchangeState) -> bool:
    """Whether an HTTP exchange carries only requests that test how the server reacts."""
    return bool(http.asked) and all(each.probe for each in http.asked)


def _dropped(case: CheckMoment) -> Iterator[Violation]:
    """Yield a violation if the connection was closed in place of an HTTP response to a probe."""
    http, fact = case.http, case.fact
    if http is None or fact is None or case.state.opening is None or not is_of_probes(http):
        return
    found = NO_RESPONSE.search(fact.why) if fact.event is HttpEvent.ERROR and http.response is None else None
    first = http.asked[0]
    if found is not None and first.method != "server/discover" and not probes.calls_a_tool(first.method, first.params):
        sentence = f"{first.named}, sent as a probe, got no HTTP response: {cut(found[1].rstrip('.'), 160)}"
        fix = "Return a JSON-RPC error; see the log of the server, where the handler may have failed."
        yield Violation(sentence, frames=(case.n, first.frame), instead=True, fix=fix)


@warning(
    "Unknown cursor is accepted",
    *(f"answer {method}" for method in _PAGED),
    topic="server/utilities/pagination",
    is_diagnosis=False,
)
def unissued_cursor_accepted(case: CheckMoment) -> Iterator[Violation]:
    """“Invalid cursors SHOULD result in an error with code -32602.” A hint if the server issues no cursors at all.

    Fix: Return -32602 for cursors that the server did not issue.
    """
    if peek.text(_params(case), "cursor") == probes.CURSOR:
        mild = None if any(case.state.lists.cursors.values()) else _HINT
        yield Violation("an unknown cursor returns a page", "/result", severity=mild)


@warning(
    "Missing prompt argument is not rejected with -32602",
    "answer prompts/get",
    "error prompts/get",
    topic="server/prompts",
    needs=PROBED,
    is_diagnosis=False,
)
def missing_argument_accepted(case: CheckMoment) -> Iterator[Violation]:
    """“Missing required arguments: -32602.”

    Fix: Return -32602 if a required argument is missing.
    """
    params = _params(case)
    known = case.listed_as("prompts", peek.text(params, "name"))
    needed = [each for each in peek.items(known.item if known else None, "arguments") if peek.flag(each, "required")]
    if needed and not peek.mapping(params, "arguments"):
        yield from _refusal(case, _INVALID_PARAMS, "a prompt without a required argument")


@error(
    "Request without a version in `_meta` is not refused with -32602",
    "answer tools/list",
    "error tools/list",
    "end",
    since="2026-07-28",
    is_diagnosis=False,
)
def undeclared_version_accepted(case: CheckMoment) -> Iterator[Violation]:
    """Required because modern requests are self-contained.

    Over stdio the era of such a request is unknown, so a server that also implements initialize, or names a version
    that begins with it, may take it for a legacy one; this is known only at the end.

    Fix: Return -32602 if _meta lacks the protocol version or the capabilities.
    """
    asked, state = case.asked, case.state
    if asked is None:
        supported = state.opening.supported if state.opening is not None else ()
        is_also_legacy = state.answers_initialize or names_handshake(supported)
        if not is_also_legacy:
            yield from state.notes(_Notes).accepted
    elif asked.probe and not peek.has(asked.params, "_meta", PREFIX + "protocolVersion"):
        for violation in _refusal(case, _INVALID_PARAMS, "a request without _meta"):
            severity = _WARNING if violation.pointer else None
            found = Violation(violation.sentence, violation.pointer, severity=severity, frames=(case.n,), instead=True)
            if asked.http is not None:
                yield found
            else:
                state.notes(_Notes).accepted.append(found)


def _knocked(case: CheckMoment) -> HttpHeads | None:
    """Return the HTTP exchange of a probe whose response has just begun; None if that may be of another request."""
    heads = None if case.state.notes(HttpNotes).is_mixed_up else case.new_heads
    return heads if heads is not None and heads.request.probe else None


def _status(http: HttpExchangeState) -> int:
    return http.response.status if http.response is not None else 0


@error("Body in a second packet is not read", "http end", topic="http", confidence=Confidence.LIKELY)
def second_packet_not_read(case: CheckMoment) -> Iterator[Violation]:
    """A request like others that work, whose body was sent a moment after its head, is rejected.

    Clients such as httpx 0.28.1 (2026-11-29) send two packets.

    Fix: Read until Content-Length bytes of the body have arrived: one read returns one packet.
    """
    yield from _unread(case, probes.IN_TWO, "", "whose body follows its head in a second packet", "Python clients")


@warning("A usual form of a request is refused", "http end", topic="http", confidence=Confidence.LIKELY)
def request_form_refused(case: CheckMoment) -> Iterator[Violation]:
    """A request like others that work, with a charset in its Content-Type or with a chunked body, is rejected.

    Fix: Compare media types without their parameters, in any case; let a library for HTTP read bodies.
    """
    for name, value, form, who in _FORMS:
        yield from _unread(case, name, value, form, who)


def _unread(case: CheckMoment, name: str, value: str, form: str, who: str) -> Iterator[Violation]:
    """Yield a violation if a probe that was sent in this form, by one of its headers, was refused for its body."""
    http = case.http
    sent = http.sent(name) if http is not None and http.request is not None and http.request.probe else None
    if http is None or sent is None or value not in sent:
        return
    is_read = 200 <= _status(http) < 300 and not _UNREAD.search(http.words)
    if not is_read and (_status(http) in _OF_BODIES or _status(http) >= _CRASHED or _UNREAD.search(http.words)):
        words = f": {cut(http.words, 160)}" if http.words else ""
        yield Violation(f"a request {form} was answered with HTTP {_status(http)}{words}; {who} send such requests")


@error("Server is at another path", "http", "http end", topic="http")
def endpoint_elsewhere(case: CheckMoment) -> Iterator[Violation]:
    """Nothing is at the path of the URL, and one near it or a usual one speaks JSON-RPC, or opens an event stream.

    Fix: Use that URL.
    """
    http, state = case.http, case.state
    refused = state.notes(ConnectNotes).rejected
    if http is None or http.request is None or not http.request.probe or state.opening is not None or refused is None:
        return
    is_stream = http.request.method == "GET" and (http.header("content-type") or "").startswith("text/event-stream")
    if ((http.asked and http.events) or (is_stream and _status(http) == 200)) and state.is_first("endpoint-elsewhere"):
        sentence = f"{refused.sentence}, but MCP answers at {cut(http.request.target, 160)}"
        yield Violation(sentence, frames=(case.n,), instead=True)


@warning("Unknown session id is not rejected with 404", "http", topic="http", since="2025-03-26", until="2025-11-25")
def unknown_session_status(case: CheckMoment) -> Iterator[Violation]:
    """Servers must return 404 for an expired session; clients expect the same for an unknown one.

    Acceptance is a warning, as is a 5xx status; another rejection is a hint.

    Fix: Return HTTP 404; clients then start a new session.
    """
    heads = _knocked(case)
    if heads is None or heads.http.sent(SESSION) != probes.SESSION or heads.response.status in (401, 403, 404):
        return
    mild = _HINT if 400 <= heads.response.status < 500 else None
    yield Violation(f"an unknown session id is answered with HTTP {heads.response.status}, not 404", severity=mild)


@hint("Web clients cannot use the server (CORS)", "http", topic="")
def cors_missing(case: CheckMoment) -> Iterator[Violation]:
    """Reports what a CORS preflight response lacks for clients in foreign web pages.

    A server that admits certain origins only, as the specification requires of local ones, is not judged by ours.

    Fix: Answer OPTIONS, if web clients should use the server.
    """
    if (heads := _knocked(case)) is None:
        return
    http, request, response = heads
    if http.sent("origin") == probes.ORIGIN and request.method == "POST" and 400 <= response.status < 500:
        case.state.notes(_Notes).rejects_origins = True
    if request.method != "OPTIONS" or http.sent("origin") is None:
        return
    allowed = (http.header("access-control-allow-headers") or "").lower()
    names = {each.strip() for each in allowed.split(",")}
    if http.header("access-control-allow-origin") is None:
        if _has_allowed_origins(http) or case.state.notes(_Notes).rejects_origins:
            return
        yield Violation(
            f"a preflight (OPTIONS) was answered with HTTP {_status(http)}, without Access-Control-Allow-Origin"
        )
    elif missing := [
        name for name in _FOR_BROWSERS if name not in names and ("*" not in names or name == "authorization")
    ]:
        lines = f"Access-Control-Allow-Headers: {', '.join(_FOR_BROWSERS)}"
        fix = f"{lines}; Access-Control-Expose-Headers: Mcp-Session-Id"
        sentence = f"Access-Control-Allow-Headers of a preflight does not let web clients send {', '.join(missing)}"
        yield Violation(sentence, fix=fix)


@hint("Web clients cannot read `Mcp-Session-Id` (CORS)", "http", topic="")
def cors_session_hidden(case: CheckMoment) -> Iterator[Violation]:
    """A response that pages of other origins may read has a session id, which is hidden from them.

    Fix: Send Access-Control-Expose-Headers: Mcp-Session-Id with each response.
    """
    http, fact = case.http, case.fact
    if http is None or fact is None or fact.event is not HttpEvent.RESPONSE or http.header(SESSION) is None:
        return
    exposed = (http.header("access-control-expose-headers") or "").lower()
    if http.header("access-control-allow-origin") is None or "*" in exposed or "mcp-session-id" in exposed:
        return
    if case.state.is_first("cors-session-hidden"):
        yield Violation("Access-Control-Expose-Headers lacks Mcp-Session-Id: web clients lose the session")


def _has_allowed_origins(http: HttpExchangeState) -> bool:
    """Whether a response without Access-Control-Allow-Origin shows that other origins are admitted."""
    varies = "origin" in (http.header("vary") or "").lower()
    return _status(http) in (401, 403) or varies or http.header("access-control-allow-methods") is not None


@warning("`Host` is not validated on a local server", "http", topic="http", confidence=Confidence.LIKELY)
def host_not_validated(case: CheckMoment) -> Iterator[Violation]:
    """DNS rebinding: a foreign page whose name resolves to this machine has the origin of the server.

    A hint if Origin is validated, which the specification requires and which stops a POST of a browser.

    Fix: Compare Host with the allowed names: DNS rebinding gives this machine other names.
    """
    heads = _knocked(case)
    if heads is None or heads.http.sent("host") != probes.HOST:
        return
    status = heads.response.status
    if is_loopback(heads.request.target) and 200 <= status < 300:
        mild = None if case.state.notes(HttpNotes).takes_origins else _HINT
        yield Violation(f"a request with Host: {probes.HOST} was answered with HTTP {status}", severity=mild)


@hint("Server listens on one loopback address only", "http", "http end", "end", topic="")
def loopback_address_family(case: CheckMoment) -> Iterator[Violation]:
    """Of 127.0.0.1 and ::1, only one responds.

    Judged for localhost, which means both, and for an address that did not respond.

    Fix: Listen on both, or use the address instead of localhost: clients differ in which they try first.
    """
    state, http, fact = case.state, case.http, case.fact
    known = state.notes(_Notes).reached
    request = http.request if http is not None else None
    if fact is not None:
        if request is None or fact.event not in (HttpEvent.RESPONSE, HttpEvent.ERROR):
            return
        answered, host = fact.event is HttpEvent.RESPONSE, host_of(request.target)
        if not request.probe:
            known[_DIALLED] = known.get(_DIALLED, (False, 0))[0] or answered, case.n
        elif host in ("127.0.0.1", "::1") and request.method == "OPTIONS" and http is not None:
            if http.sent("origin") is None:
                known[urlsplit(request.target).netloc] = answered, case.n
        return
    reached = known.get(_DIALLED, (False, 0))[0]
    there = [(place, n) for place, (answered, n) in known.items() if place and answered]
    not_there = [(place, n) for place, (answered, n) in known.items() if place and not answered]
    named = state.connection is not None and host_of(state.connection.url) == "localhost"
    if there and not_there and (named or not reached):
        sentence = f"nothing listens at {not_there[0][0]}, but {there[0][0]} responds"
        yield Violation(
            sentence, frames=(there[0][1], not_there[0][1]), instead=True, severity=None if reached else _ERROR
        )
