"""Diagnoses of HTTP below MCP: DNS, TLS, proxies, redirects, sessions and bodies.

Responses to probes are judged in `probes`, not here.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from msgspec.structs import replace

from inspector.checks.diagnoses.opening import named_version_refused, refuses_named_version
from inspector.checks.diagnoses.probes import lacks_header
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import reason_of, words_of_body
from inspector.checks.registry import Flaw, diagnosis
from inspector.checks.state import SESSION, CheckMoment, HttpExchangeState, host_of
from inspector.protocol import peek
from inspector.protocol.facts import HttpEvent

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_LIKELY = Confidence.LIKELY
_NEVER = 1 << 62


def responded(case: CheckMoment) -> HttpExchangeState | None:
    """Return the exchange whose response has just begun, unless it is a probe."""
    http, fact = case.http, case.fact
    if fact is None or fact.event is not HttpEvent.RESPONSE or http is None or http.request is None:
        return None
    return None if http.request.probe else http


def refused(case: CheckMoment) -> tuple[HttpExchangeState, bytes] | None:
    """Return the exchange whose error body has just arrived, with the beginning of the body; None for a probe."""
    http, frame = case.http, case.frame
    if http is None or frame is None or http.request is None or http.response is None or http.request.probe:
        return None
    return http, frame.payload[:4000]


def kind_of(http: HttpExchangeState) -> str:
    """Return the content type of a response, in lower case and without parameters."""
    return (http.header("content-type") or "").partition(";")[0].strip().lower()


def once(case: CheckMoment, id_: str) -> bool:
    """Whether this is the first call with this id in the connection."""
    return case.state.is_sampled(id_, 1, _NEVER)


@diagnosis(
    "html-response",
    _ERROR,
    "HTML page instead of a response",
    "http",
    "refusal",
    "garbled",
    "end",
    topic="",
    fix="Try the paths /mcp and /sse, and check for a login page or a proxy.",
)
def html_response(case: CheckMoment) -> Iterator[Flaw]:
    """A POST got an HTML response, and no later attempt opened a connection."""
    state = case.state
    if http := responded(case):
        if http.request is not None and http.request.method == "POST" and kind_of(http) == "text/html":
            if http.response is not None and http.response.status < 500 and state.opening is None:
                state.notes["html-response"] = [case.n, http.request.target, http.response.status, ""]
    elif case.frame is not None and case.http is not None and "html-response" in state.notes:
        state.notes["html-response"][3] = words_of_body(case.frame.payload)
    elif case.frame is None and case.fact is None and "html-response" in state.notes:
        n, target, status, title = state.notes["html-response"]
        if state.opening is None and not state.http.has_endpoint:
            named = f" “{title[:120]}”" if title else ""
            yield Flaw(f"{target[:80]} returns an HTML page{named} (HTTP {status})", frames=(n,), instead=True)


_UNREACHED = re.compile(r"refuses connections|can't be resolved|^No connection to|gave no HTTP response|stopped taking")


@diagnosis(
    "server-unreachable",
    _ERROR,
    "Server is unreachable",
    "http end",
    topic="",
    fix=("Check that the server is running, at this host and port, with or without TLS."),
)
def server_unreachable(case: CheckMoment) -> Iterator[Flaw]:
    """Connection refused, name not resolved, or host not reached, with the error of the operating system."""
    fact, http = case.fact, case.http
    if fact is None or fact.event is not HttpEvent.ERROR or http is None or http.request is None or http.request.probe:
        return
    if is_discovery(http) and "no HTTP response" in fact.why:
        return  # the host was reached, and the next request shows more
    if (
        not _UNREACHED.search(fact.why)
        or "/.well-known/" in http.request.target
        or not once(case, "server-unreachable")
    ):
        return
    host = host_of(http.request.target)
    local = "For a server in a container, publish the port; " if host in _LOCAL else ""
    fix = "Check that the server is running, at this host and port, with or without TLS. "
    yield Flaw(fact.why.rstrip("."), fix=f"{fix}{local}doctor tries 127.0.0.1 and ::1." if local else fix.strip())


def is_discovery(http: HttpExchangeState) -> bool:
    """Whether an HTTP exchange carries only the probe for the server's era."""
    return bool(http.asked) and all(each.probe and each.method == "server/discover" for each in http.asked)


_LOCAL = ("localhost", "127.0.0.1", "::1")


def _deferred(case: CheckMoment, http: HttpExchangeState, id_: str, flaw: Flaw) -> Iterator[Flaw]:
    """Yield a flaw, or keep it for `_of_discovery`: a server that rejects only the probe of its era works."""
    if is_discovery(http):
        frames = flaw.frames if flaw.instead else (case.n, *flaw.frames)
        case.state.notes[f"{id_} probe"] = replace(flaw, frames=frames, instead=True)
    elif once(case, id_):
        yield flaw


def _of_discovery(case: CheckMoment, id_: str) -> Iterator[Flaw]:
    """At the end, yield the flaw of a rejected probe if no session was opened; nothing at other moments."""
    is_end = case.fact is None and case.frame is None
    if is_end and case.state.opening is None and f"{id_} probe" in case.state.notes and once(case, id_):
        yield case.state.notes[f"{id_} probe"]


@diagnosis(
    "accept-header-rejected",
    _ERROR,
    "`Accept` header is rejected",
    "http",
    "end",
    topic="http",
    fix="Accept both application/json and text/event-stream, in any order.",
)
def accept_header_rejected(case: CheckMoment) -> Iterator[Flaw]:
    """HTTP 406, although both types were accepted, or because a header of the user removed one."""
    http = responded(case)
    is_post = http is not None and http.request is not None and http.request.method == "POST"  # a stream is optional
    if http is not None and is_post and http.response is not None and http.response.status == 406:
        sent = http.sent("accept") or ""
        whole = "application/json" in sent and "text/event-stream" in sent
        fix = "" if whole or http.sent("accept") is None else "Remove the custom Accept header."
        flaw = Flaw(f"the server returned HTTP 406 for Accept: {sent[:80]}", fix=fix)
        yield from _deferred(case, http, "accept-header-rejected", flaw)
    yield from _of_discovery(case, "accept-header-rejected")


_TYPE = re.compile(rb"(?i)(invalid|unsupported|bad|wrong).{0,20}(content[- ]type|media type)")


@diagnosis(
    "content-type-rejected",
    _ERROR,
    "`Content-Type` is rejected",
    "http",
    "refusal",
    "end",
    topic="http",
    fix="Accept application/json.",
)
def content_type_rejected(case: CheckMoment) -> Iterator[Flaw]:
    """HTTP 415, or an error message to that effect."""
    http, body = responded(case), refused(case)
    if http is not None and http.response is not None and http.response.status == 415:
        flaw = Flaw(f"the server returned HTTP 415 for Content-Type: {(http.sent('content-type') or '')[:60]}")
        yield from _deferred(case, http, "content-type-rejected", flaw)
    elif body is not None and (words := _TYPE.search(body[1])):
        flaw = Flaw("the server rejected the content type of a body", span=words.span())
        yield from _deferred(case, body[0], "content-type-rejected", flaw)
    yield from _of_discovery(case, "content-type-rejected")


@diagnosis(
    "sse-transport",
    _HINT,
    "Deprecated HTTP+SSE transport",
    "note",
    topic="http",
    fix="Connect with --transport sse to skip the first attempt.",
)
def sse_transport(case: CheckMoment) -> Iterator[Flaw]:
    """The POST was rejected, and GET returned an endpoint event."""
    if case.note is not None and case.note.event == "endpoint" and case.state.transport == "http":
        if once(case, "sse-transport"):
            yield Flaw("the server uses the deprecated HTTP+SSE transport; the connection has switched to it")


_LOGIN_PAGE = re.compile(r"(?i)[/.](?:log-?in|sign-?in|sso|saml2?|cas|oauth2?|auth|adfs)\b")


@diagnosis("http-redirect", _HINT, "HTTP redirect", "http", topic="", fix="Use the final URL.")
def http_redirect(case: CheckMoment) -> Iterator[Flaw]:
    """After 301 to 303 a client may turn a POST into a GET, which loses the body (RFC 9110, section 15.4)."""
    http = responded(case)
    if http is None or http.request is None or http.response is None or "/.well-known/" in http.request.target:
        return
    if http.response.status in (301, 302, 303, 307, 308) and once(case, f"http-redirect {http.request.target[:200]}"):
        to = http.header("location") or "nowhere"
        becomes_get = http.response.status in (301, 302, 303) and http.request.method == "POST"
        if becomes_get and case.state.opening is None and _LOGIN_PAGE.search(to[:200]):
            said = f"{http.request.target[:80]} redirects POST to a login page: {to[:80]} (HTTP {http.response.status})"
            fix = "Exempt the server's URL from single sign-on: clients expect 401 with WWW-Authenticate."
            yield Flaw(said, severity=_ERROR, fix=fix)
            return
        worse = _WARNING if becomes_get else None
        said = f"{http.request.target[:80]} redirects to {to[:80]} (HTTP {http.response.status})"
        yield Flaw(said, severity=worse)


_GUARD = re.compile(
    rb"(?i)(invalid|untrusted|forbidden|not allowed|disallowed|bad|unknown).{0,20}(host|origin)\b|"
    rb"(host|origin)( header)?( is)?.{0,40}(not allowed|invalid|denied|forbidden|not permitted)|dns rebinding|"
    rb"(required|missing).{0,20}origin\b|origin( header)?( is)?.{0,20}(required|missing)"
)


@diagnosis(
    "host-rejected",
    _ERROR,
    "`Host` or `Origin` is rejected",
    "http",
    "refusal",
    topic="http",
    fix=("Allow the host in the server, or have the proxy send a Host that the server allows."),
)
def host_rejected(case: CheckMoment) -> Iterator[Flaw]:
    """HTTP 421, or an error about Host or Origin: right for foreign pages, wrong for the server's own name."""
    http, body = responded(case), refused(case)
    found = _GUARD.search(body[1]) if body is not None else None
    is_421 = http is not None and http.response is not None and http.response.status == 421
    is_said = found is not None and body is not None and body[0].response is not None and _may_be(body[0])
    if not (is_421 or is_said) or not once(case, "host-rejected"):
        return
    at = http or (body[0] if body is not None else None)
    assert at is not None
    assert at.request is not None
    assert at.response is not None
    if found and not at.sent("origin") and b"origin" in found.group().lower() and b"host" not in found.group().lower():
        said = f"the server rejects requests without Origin with HTTP {at.response.status}: {_quoted(body)[:120]}"
        fix = "Accept requests without Origin: only browsers send it. Connect with -H 'Origin: …' meanwhile."
        yield Flaw(said, fix=fix)
        return
    host = at.sent("host") or _netloc(at.request.target)
    origin = f", Origin {at.sent('origin')}" if at.sent("origin") else ""
    words = f": {found.group().decode('utf-8', 'replace')[:60]}" if found else ""
    fix = (
        f"Allow the host ({host.partition(':')[0][:60]}:*) in the server, or have the proxy send a Host that "
        "the server allows."
    )
    yield Flaw(f"the server rejected Host {host[:60]}{origin} with HTTP {at.response.status}{words}", fix=fix)


def _quoted(body: tuple[HttpExchangeState, bytes] | None) -> str:
    return words_of_body(body[1]) if body is not None else ""


def _may_be(http: HttpExchangeState) -> bool:
    return http.response is not None and http.response.status in (400, 403, 421)


def _netloc(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""


@diagnosis(
    "session-expired",
    _WARNING,
    "HTTP session has expired",
    "error",
    "http end",
    topic="http",
    fix=(
        "Check whether the server restarted, or several instances share the load. Store sessions outside the "
        "process, or be stateless."
    ),
)
def session_expired(case: CheckMoment) -> Iterator[Flaw]:
    """HTTP 404 to a POST with the session id: the correct response to an expired session.

    404 to a GET only says that there is no stream, and 404 with -32601 that the method is unknown.
    """
    http, fact = case.http, case.fact
    if fact is None:
        if http is not None and case.frame is not None and peek.integer(case.value, "code") == -32601:
            case.state.notes["session-expired"] = case.frame.http
        return
    if http is None or http.request is None or http.response is None or case.state.opening is None:
        return
    of_session = http.request.method == "POST" and not http.request.probe and http.sent(SESSION) is not None
    if of_session and http.response.status == 404 and case.state.notes.get("session-expired") != fact.http:
        if once(case, "session-expired"):
            method = f"{http.asked[0].method[:60]}" if http.asked else "a message"
            said = f"{method} was answered with HTTP 404: the server no longer knows the session"
            yield Flaw(said, frames=(http.frame,), instead=True)


_NO_SESSION = re.compile(rb"(?i)(missing|no|required?|without|requires).{0,30}session|session.{0,30}(missing|required)")


@diagnosis(
    "session-id-not-issued",
    _ERROR,
    "Session id required but not issued",
    "refusal",
    topic="http",
    fix="Send Mcp-Session-Id with the response to initialize.",
)
def session_id_not_issued(case: CheckMoment) -> Iterator[Flaw]:
    """The response to initialize had no session id, or one that a browser may not read."""
    found = refused(case)
    if found is None or case.state.opening is None or case.is_modern or found[0].sent(SESSION) is not None:
        return
    if words := _NO_SESSION.search(found[1]):
        fix = "Send Mcp-Session-Id with the response to initialize, and Access-Control-Expose-Headers for web clients."
        yield Flaw(
            ("the server requires a session id, but its response to initialize had none"), span=words.span(), fix=fix
        )


@diagnosis(
    "certificate-untrusted",
    _ERROR,
    "TLS certificate is not trusted",
    "http end",
    topic="",
    fix="Trust its issuer with --cacert FILE.",
)
def certificate_untrusted(case: CheckMoment) -> Iterator[Flaw]:
    """Judged by the certificate authorities of this system; or the server does not use TLS."""
    why = case.fact.why if case.fact is not None and case.fact.event is HttpEvent.ERROR else ""
    if why.startswith("The TLS certificate") and once(case, "certificate-untrusted"):
        own = "self" in why or "unable to get local issuer" in why
        fix = "Trust its issuer with --cacert FILE" + (", or that of a corporate proxy." if own else ".")
        yield Flaw(why.rstrip("."), fix=f"{fix} --insecure disables verification for this run.")
    elif why.startswith("The TLS handshake") and once(case, "certificate-untrusted"):
        yield Flaw(why.rstrip("."), fix="Check whether the port uses TLS. If not, the URL begins with http://.")


@diagnosis(
    "proxy-failure",
    _ERROR,
    "Proxy error",
    "http",
    "http end",
    topic="",
    fix="Check HTTPS_PROXY and NO_PROXY.",
)
def proxy_failure(case: CheckMoment) -> Iterator[Flaw]:
    """The proxy failed, or requires authentication (407)."""
    http, fact = responded(case), case.fact
    if fact is not None and fact.event is HttpEvent.ERROR and fact.why.startswith("The proxy"):
        if once(case, "proxy-failure"):
            yield Flaw(fact.why.rstrip("."))
    elif http is not None and http.response is not None and http.response.status == 407 and once(case, "proxy-failure"):
        yield Flaw("the proxy requires authentication (HTTP 407)")


@diagnosis(
    "wrong-endpoint-event",
    _ERROR,
    "`endpoint` event has a wrong URL",
    "note",
    "http end",
    topic="http",
    fix=("Send a path of the same origin, by which clients reach the server."),
)
def wrong_endpoint_event(case: CheckMoment) -> Iterator[Flaw]:
    """Another origin, or a path that does not exist: mostly a prefix that a proxy removes."""
    state = case.state
    if case.note is not None and case.note.event == "endpoint":
        named = state.notes["wrong-endpoint-event"] = _data(case.note.raw)
        other = _netloc(named) if "//" in named else ""
        url = state.connection.url if state.connection is not None else ""
        if other and url and other != _netloc(url):
            fix = "Send a path, or the URL by which clients reach the server: see root_path and forwarded headers."
            said = f"the endpoint event names {named[:80]}, but the server was reached at {_netloc(url)[:60]}"
            yield Flaw(said, fix=fix)
    elif (http := case.http) is not None and "wrong-endpoint-event" in state.notes:
        if http.request is not None and http.response is not None and http.request.method == "POST":
            if http.response.status in (404, 405) and http.sent(SESSION) is None and once(case, "wrong-endpoint-event"):
                named = state.notes["wrong-endpoint-event"]
                said = f"POST to the URL of the endpoint event, {named[:80]}, returned HTTP {http.response.status}"
                reason = _body_reason(case, keep=True)
                fix = "If a proxy removes a path prefix, configure it in the server (root_path)."
                if "session" in reason.lower():
                    fix = "If several instances share the load, route a session to one of them."
                yield Flaw(said + reason, fix=fix)


def _data(raw: bytes) -> str:
    found = [line[5:].strip() for line in raw.decode("utf-8", "replace").split("\n") if line.startswith("data:")]
    return "".join(found)


@diagnosis(
    "header-body-mismatch",
    _ERROR,
    "Headers do not match the body",
    "error",
    topic="http",
    since="2026-07-28",
    fix=("Compare Mcp-Method, Mcp-Name and MCP-Protocol-Version with the body, before and after the proxy."),
)
def header_body_mismatch(case: CheckMoment) -> Iterator[Flaw]:
    """Error -32020: a proxy has changed one of them, or the server parses them incorrectly."""
    if peek.integer(case.value, "code") == -32020 and not lacks_header(case):
        if case.asked is not None and (name := _encoded_header(case)) is not None:
            said = f"the server compares {name} with the body without decoding it: the value is encoded as"
            said = f"{said} =?base64?…?=, because headers hold visible ASCII only"
            fix = f"Decode =?base64?…?= in {name}, then compare it with the body."
            yield Flaw(said, "/error", (case.asked.frame,), fix=fix)
            return
        said = (peek.text(case.value, "message") or "")[:120]
        frames = (case.asked.frame,) if case.asked is not None else ()
        fix = "Compare Mcp-Method, Mcp-Name and MCP-Protocol-Version with the body, before and after the proxy."
        yield Flaw(
            f"the server reports that headers and body of {case.method[:40]} differ: {said}", "/error", frames, fix=fix
        )


def _encoded_header(case: CheckMoment) -> str | None:
    """Return the header that the error names and whose value is encoded; the only encoded one if it names none."""
    headers = case.http.request.headers if case.http is not None and case.http.request is not None else ()
    encoded = [name for name, value in headers if value.startswith("=?base64?") and value.endswith("?=")]
    said = (peek.text(case.value, "message") or "").lower()
    named = [name for name in encoded if name.lower() in said]
    return named[0] if named else encoded[0] if len(encoded) == 1 and "mcp-" not in said else None


@diagnosis(
    "client-capability-required",
    _WARNING,
    "Server requires a client capability",
    "error",
    topic="basic",
    since="2026-07-28",
    fix="Connect with --capability NAME.",
)
def client_capability_required(case: CheckMoment) -> Iterator[Flaw]:
    """Error -32021 names the missing capability."""
    if peek.integer(case.value, "code") == -32021:
        named = ", ".join(str(each)[:40] for each in peek.mapping(case.value, "data", "requiredCapabilities"))
        offered = named.split(",")[0] or "…"
        yield Flaw(
            f"{case.method[:40]} requires the client capability {named or '(not named)'}",
            "/error/data",
            fix=f"Connect with --capability {offered}.",
        )


_BAD_VERSION = re.compile(rb"(?i)(unsupported|invalid|bad|unknown|missing).{0,30}protocol[ -]?version")


@diagnosis(
    "version-header-rejected",
    _ERROR,
    "Negotiated `MCP-Protocol-Version` is rejected",
    "refusal",
    topic="http",
    since="2025-06-18",
    until="2025-11-25",
    fix="Accept the version of the initialize result.",
)
def version_header_rejected(case: CheckMoment) -> Iterator[Flaw]:
    """MCP-Protocol-Version has the version that initialize negotiated, but the server rejects it."""
    found, revision = refused(case), case.state.revision
    if found is None or revision is None or found[0].sent("mcp-protocol-version") != revision.in_header:
        return
    if (words := _BAD_VERSION.search(found[1])) and once(case, "version-header-rejected"):
        said = f"the server rejects MCP-Protocol-Version: {revision.in_header}, which initialize negotiated"
        yield Flaw(
            said,
            span=words.span(),
            fix=("Accept the version of the initialize result, and requests without the header."),
        )


_GATEWAY = {502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout"}


_SAID = "what refusals said"
_MOST_SAID = 1000


def _body_reason(case: CheckMoment, *, keep: bool = False) -> str:
    """Return the reason in the body of the exchange that has just ended; "" if there is none."""
    known = case.state.notes.get(_SAID, {}) if case.fact is not None else {}
    words = (known.get if keep else known.pop)(case.fact.http, "") if case.fact is not None else ""
    return f": {words}" if words else ""


@diagnosis(
    "rate-limited",
    _ERROR,
    "Rate limited",
    "http",
    "error",
    "http end",
    "end",
    topic="",
    fix="Send fewer requests, or raise the limit.",
)
def rate_limited(case: CheckMoment) -> Iterator[Flaw]:
    """HTTP 429, with Retry-After if present. The request must have failed; a stream or notification may not matter."""
    http = case.http
    yield from _of_discovery(case, "rate-limited")
    if http is None or http.request is None or http.response is None or http.request.probe:
        return
    if http.response.status != 429 or (case.fact is not None and case.fact.event is HttpEvent.REQUEST):
        return
    begins = case.fact is not None and case.fact.event is HttpEvent.RESPONSE
    if begins and http.asked:
        return  # the body may state the reason
    what = http.asked[0].method[:60] if http.asked else http.request.method
    words = f": {reason_of(case.value)}" if case.fact is None else _body_reason(case)
    after = http.header("retry-after")
    when = f"; Retry-After: {after[:40]}{' s' if after.isdecimal() else ''}" if after else ""
    said = f"{what} was answered with HTTP 429, too many requests{words[:200]}{when}"
    flaw = Flaw(said, frames=(http.frame,), instead=True, severity=None if http.asked else _WARNING)
    yield from _deferred(case, http, "rate-limited", flaw)


@diagnosis(
    "http-server-error", _ERROR, "HTTP server error (5xx)", "http end", topic="", fix="See the log of the server."
)
def http_server_error(case: CheckMoment) -> Iterator[Flaw]:
    """5xx for a POST, without a response in the body."""
    http = case.http
    if http is None or http.request is None or http.response is None or http.request.method != "POST":
        return
    if http.request.probe:
        return
    status, probed = http.response.status, is_discovery(http)
    if status < 500 or not any(each.answered is None for each in http.asked) or (probed and status in _GATEWAY):
        return  # a gateway is judged by the outcome of the next request
    if not once(case, "http-server-error probe" if probed else "http-server-error"):
        return
    if status in _GATEWAY:
        gateway = f"a gateway returned HTTP {status} {_GATEWAY[status]}"
        said = f"{gateway}: the server behind it does not respond{_body_reason(case)}"
        fix = "Check that the server is running: connect without the gateway, and see the gateway's log."
    else:
        said, fix = (
            f"the server answered {http.asked[0].method[:60]} with HTTP {status}{_body_reason(case)}",
            "See the log of the server.",
        )
    fix = "Return a JSON-RPC error for unknown requests." if probed else fix
    yield Flaw(said, frames=(http.frame,), instead=True, fix=fix, severity=_WARNING if probed else None)


_ELSEWHERE = (401, 406, 407, 415, 421, 429)
"""Statuses with a separate diagnosis."""
_NOT_HERE = {
    404: "Check the path; most end with /mcp or /sse.",
    405: "Check the path, and whether a proxy blocks POST: this URL does not accept POST.",
    413: "Raise the limit for request bodies in the server or proxy.",
    426: "Check the URL: it expects another protocol, such as WebSocket.",
}


@diagnosis(
    "http-request-rejected",
    _ERROR,
    "HTTP request was rejected",
    "refusal",
    "http end",
    "end",
    topic="http",
    fix="Check the URL and the credentials.",
)
def http_request_rejected(case: CheckMoment) -> Iterator[Flaw]:
    """A 4xx status that nothing else explains, with the reason in its body; at first only if all attempts fail."""
    state, fact, http = case.state, case.fact, case.http
    if case.frame is not None and refused(case) is not None:
        known = state.notes.setdefault(_SAID, {})
        if len(known) < _MOST_SAID and case.frame.http is not None:
            known[case.frame.http] = words_of_body(case.frame.payload)[:200]
    elif fact is None and case.frame is None:
        if "http-request-rejected" in state.notes and state.opening is None and not state.http.has_endpoint:
            tried = {each.method for each in (*state.requests.open.values(), *state.requests.done.values())}
            if "http-request-rejected initialize" in state.notes or "initialize" not in tried:
                yield state.notes["http-request-rejected"]
    elif fact is not None and http is not None and http.request is not None and http.response is not None:
        status, asked = http.response.status, next((each for each in http.asked if each.answered is None), None)
        if not 400 <= status < 500 or status in _ELSEWHERE or asked is None or http.request.probe:
            return
        if status == 404 and http.sent(SESSION) is not None:
            return
        if status == 403 and http.header("www-authenticate"):
            return  # the challenge states what is required
        if refuses_named_version(state, asked):
            yield named_version_refused(asked, f"with HTTP {status}{_body_reason(case)}", http.frame)
            return
        wants_a_token = status == 403 and http.sent("authorization") is None
        fix = (
            "If credentials are missing, return 401 with WWW-Authenticate."
            if wants_a_token
            else _NOT_HERE.get(status, "")
        )
        said = f"the server answered POST ({asked.method[:60]}) with HTTP {status}{_body_reason(case)}"
        mild = _WARNING if asked.method == "ping" else None  # everything else may work
        flaw = Flaw(said, frames=(http.frame, asked.frame), instead=True, fix=fix, severity=mild)
        if state.opening is not None and asked.method not in ("initialize", "server/discover"):
            yield flaw
        elif asked.method == "initialize" or "http-request-rejected" not in state.notes:
            state.notes["http-request-rejected"] = flaw  # server/discover counts only if nothing else was tried
            if asked.method == "initialize":
                state.notes["http-request-rejected initialize"] = True


_LENGTHS = re.compile(r"received (\d+) bytes, expected (\d+)")


@diagnosis(
    "body-truncated",
    _ERROR,
    "HTTP body is truncated",
    "http end",
    "garbled",
    topic="http",
    fix=("Check the logs of server and proxy for a crash or a timeout."),
)
def body_truncated(case: CheckMoment) -> Iterator[Flaw]:
    """Fewer bytes than Content-Length, a connection that breaks, or incomplete JSON."""
    http, fact = case.http, case.fact
    if http is None or not http.asked or http.request is None or http.request.probe or kind_of(http) == STREAM:
        return
    method = http.asked[0].method[:60]
    if fact is not None:
        if found := _LENGTHS.search(fact.why):
            said = f"the response to {method} has {int(found[1]):,} bytes, but its Content-Length is {int(found[2]):,}"
            yield Flaw(
                said,
                fix=(
                    "Set Content-Length to the number of bytes sent, not characters; a proxy that changes a "
                    "body must update it."
                ),
            )
        elif fact.why.startswith("the server broke the connection off"):
            said = f"the connection was closed in the middle of the response to {method}"
            yield Flaw(said, fix="Check the logs of server and proxy for a crash or a timeout.")
    elif case.frame is not None and "json" in kind_of(http) and _stops_in_the_middle(case.frame.payload):
        size = len(case.frame.payload)
        said = f"the response to {method} is incomplete JSON: it ends after {size:,} bytes"
        fix = "Check the log of the server for a crash during the write."
        if http.header("content-length") == str(size) and not case.frame.payload.isascii():
            said += ", which is its Content-Length: it seems to count characters"
            fix = "Set Content-Length to the number of bytes of the encoded body."
        yield Flaw(said, span=(max(size - 1, 0), size), fix=fix)


STREAM = "text/event-stream"


def _stops_in_the_middle(payload: bytes) -> bool:
    """Whether it is an incomplete beginning of JSON."""
    import json  # the error of the decoder has the position; truncated bodies are rare

    text = payload.decode("utf-8", "replace").strip()
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return text.startswith(("{", "[")) and (error.pos >= len(text) - 1 or error.msg.startswith("Unterminated"))
    except RecursionError:
        return False
    return False


@diagnosis(
    "empty-body",
    _ERROR,
    "Empty body instead of a response",
    "http end",
    topic="http",
    fix="Send the JSON-RPC response; 202 without a body is for notifications.",
)
def empty_body(case: CheckMoment) -> Iterator[Flaw]:
    """HTTP 200 for a request without any body, or an event stream that ends without a message and cannot be resumed."""
    http, fact = case.http, case.fact
    if http is None or fact is None or http.response is None or http.request is None or http.request.probe:
        return
    if fact.event is not HttpEvent.END or fact.why:
        return
    is_stream = kind_of(http) == STREAM
    if is_stream and case.state.opening is not None:
        return  # `stream-ended-early` reports it
    empty = http.events == 0 and not http.has_ids if is_stream else fact.body_bytes == 0
    if empty and 200 <= http.response.status < 300 and http.response.status != 202:
        if http.asked and http.asked[0].answered is None:
            what = "an event stream without a message" if is_stream else "an empty body"
            yield Flaw(f"{http.asked[0].method[:60]} was answered with HTTP {http.response.status} and {what}")


@diagnosis(
    "body-encoding-invalid",
    _ERROR,
    "Body does not match `Content-Encoding`",
    "http end",
    topic="http",
    fix=("Send Content-Encoding only for bodies that are compressed; check proxies that compress or decompress."),
)
def body_encoding_invalid(case: CheckMoment) -> Iterator[Flaw]:
    http, fact = case.http, case.fact
    if http is not None and fact is not None and fact.why.startswith("the compressed body can't be decoded"):
        said = (
            f"Content-Encoding is {(http.header('content-encoding') or '')[:20]}, but the body cannot be "
            "decoded with it"
        )
        yield Flaw(
            said,
            fix=(
                "Send Content-Encoding only for bodies that are compressed; check proxies that compress or decompress."
            ),
        )


_NEEDS_SESSION = re.compile(
    rb"(?i)mcp-session-id.{0,40}(?:required|missing|absent)|"
    rb"(?:missing|without|requires?) .{0,20}(?:mcp-session-id|session)|"
    rb"session id (?:is )?(?:required|missing)"
)


@diagnosis(
    "session-id-not-forwarded",
    _ERROR,
    "`Mcp-Session-Id` does not reach the server",
    "refusal",
    topic="http",
    fix="Configure the proxy or gateway to forward the request header Mcp-Session-Id.",
)
def session_id_not_forwarded(case: CheckMoment) -> Iterator[Flaw]:
    """The request had Mcp-Session-Id, but the server says that it is missing."""
    found = refused(case)
    if found is None or case.state.opening is None or found[0].sent(SESSION) is None:
        return
    if words := _NEEDS_SESSION.search(found[1]):
        said = "the server reports a missing Mcp-Session-Id, which was sent: a proxy or gateway removes it"
        yield Flaw(said, span=words.span(), confidence=_LIKELY)
