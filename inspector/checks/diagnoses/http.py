"""Diagnoses of HTTP below MCP: DNS, TLS, proxies, redirects, sessions and bodies. The rest is elsewhere:

error statuses in `statuses`, headers in `headers`, responses to probes in `probes`.
"""

import re
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

import msgspec

from inspector.checks.diagnoses.attempts import ConnectNotes, HtmlPage
from inspector.checks.diagnoses.probes import is_of_probes
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import words_of_body
from inspector.checks.registry import Violation, declare, diagnoses_of
from inspector.checks.state import SESSION, CheckMoment, HttpExchangeState, HttpHeads
from inspector.protocol import peek, url_hosts
from inspector.protocol.facts import BROKEN_OFF, HttpEvent
from inspector.protocol.url_hosts import host_of
from inspector.text import cut

error, warning, hint = diagnoses_of("http")

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_LIKELY = Confidence.LIKELY
_UNREACHED = re.compile(r"refuses connections|can't be resolved|^No connection to|gave no HTTP response|stopped taking")
_MITIGATIONS = ("x-amzn-waf-action", "cf-mitigated", "x-vercel-mitigated")
"""Headers by which something in front of a server says what it does to a request."""
_TUNNEL_WARNING = "the warning page of an ngrok tunnel"
_MAY_ASK = ("tools/call", "prompts/get", "resources/read")
_NEW_NS = 5 * 10**9
"""Age of a session that no server has dropped yet by its clock."""
_LOCAL = ("localhost", "127.0.0.1", "::1")
_LOGIN_PAGE = re.compile(r"(?i)[/.](?:log-?in|sign-?in|sso|saml2?|cas|oauth2?|auth|adfs)\b")
GUARD = re.compile(
    rb"(?i)(invalid|untrusted|forbidden|not allowed|disallowed|bad|unknown).{0,20}(host|origin)\b|"
    rb"(host|origin)( header)?( is)?.{0,40}(not allowed|invalid|denied|forbidden|not permitted)|dns rebinding|"
    rb"(required|missing).{0,20}origin\b|origin( header)?( is)?.{0,20}(required|missing)"
)
NO_SESSION = re.compile(rb"(?i)(missing|no|required?|without|requires).{0,30}session|session.{0,30}(missing|required)")
BAD_VERSION = re.compile(rb"(?i)(unsupported|invalid|bad|unknown|missing).{0,30}protocol[ -]?version")
APPLICATIONS = re.compile(
    r"(?i)(?:uvicorn|hypercorn|daphne|gunicorn|waitress|werkzeug|kestrel|jetty|express|next\.js)\b"
)
"""Names of servers that run an application: what they send is no gateway's."""
_PROXIES = re.compile(r"(?i)(?:squid|tinyproxy|privoxy|mitmproxy|zscaler|bluecoat|mcafee web gateway)\b\S{0,20}")
"""Proxies that name themselves in what they send, and pass on the Server header of all else."""
_TO_ITSELF = (
    "Serve the URL. Behind a proxy that ends TLS, the server may take each request for plain HTTP: pass on "
    "X-Forwarded-Proto: https."
)
_LENGTHS = re.compile(r"received (\d+) bytes, expected (\d+)")
STREAM = "text/event-stream"


def responded(case: CheckMoment) -> HttpHeads | None:
    """Return the exchange whose response has just begun, unless it is a probe."""
    heads = case.new_heads
    return None if heads is None or heads.request.probe else heads


def refused(case: CheckMoment) -> tuple[HttpHeads, bytes] | None:
    """Return the exchange whose error body has just arrived, with the beginning of the body; None for a probe."""
    heads, frame = case.heads, case.frame
    return None if heads is None or frame is None or heads.request.probe else (heads, frame.payload[:4000])


def kind_of(http: HttpExchangeState) -> str:
    """Return the content type of a response, in lower case and without parameters."""
    return (http.header("content-type") or "").partition(";")[0].strip().lower()


def netloc(url: str) -> str:
    """Return host and port of a URL; "" if it has none."""
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""


def body_reason(case: CheckMoment) -> str:
    """Return the reason in the body of the exchange that has just ended; "" if there is none."""
    words = case.http.words if case.fact is not None and case.http is not None else ""
    return f": {words}" if words else ""


@error("HTML page instead of a response", "http", "refusal", "garbled", "end", topic="")
def html_response(case: CheckMoment) -> Iterator[Violation]:
    """A POST got the page of another place, not that of a refusal, and no later attempt opened a connection.

    Fix: Try the paths /mcp and /sse, and check for a login page or a proxy.
    """
    state, notes = case.state, case.state.notes(ConnectNotes)
    if heads := responded(case):
        http, request, response = heads
        is_page = request.method == "POST" and kind_of(http) == "text/html" and response.status < 500
        if is_page and state.opening is None:
            notes.page = HtmlPage(case.n, http, request.target, response.status)
    elif case.frame is not None and (page := notes.page) and page.http is case.http:
        if case.frame.payload.lstrip().startswith((b"event:", b"data:", b"id:", b"{")):
            notes.page = None  # no page but messages: `response-type-unsupported` is about it
            return
        warns = b"ERR_NGROK_6024" in case.frame.payload
        page.title = _TUNNEL_WARNING if warns else words_of_body(case.frame.payload)
    elif case.frame is None and case.fact is None and (page := notes.page):
        is_warning = page.title == _TUNNEL_WARNING
        is_elsewhere = page.status < 400 or page.status == 404 or is_warning
        if is_elsewhere and state.opening is None and not state.http.has_endpoint:
            named = f" “{cut(page.title, 120)}”" if page.title else ""
            headers = ((name, page.http.header(name)) for name in _MITIGATIONS)
            named += "".join(cut(f" with {name}: {value}", 66) for name, value in headers if value)
            fix = "Send -H 'ngrok-skip-browser-warning: 1'." if is_warning else ""
            product = cut(page.http.header("server") or "", 40)
            of = f", Server: {product}" if product and not APPLICATIONS.match(product) else ""
            sentence = f"{cut(page.target, 80)} returns an HTML page{named} (HTTP {page.status}{of})"
            yield Violation(sentence, frames=(page.frame,), instead=True, fix=fix)


declare(
    "closed-without-response",
    _ERROR,
    "Connection is closed without a response",
    topic="",
    fix="See the log of the server: an exception may have ended it, or two responses to one (ERR_HTTP_HEADERS_SENT).",
    is_diagnosis=True,
)


@error("Server is unreachable", "http end", topic="")
def server_unreachable(case: CheckMoment) -> Iterator[Violation]:
    """Connection refused, name not resolved, or host not reached, with the error of the operating system.

    Fix: Check that the server is running, at this host and port, with or without TLS.
    """
    fact, http, notes = case.fact, case.http, case.state.notes(ConnectNotes)
    if fact is None or fact.event is not HttpEvent.ERROR or http is None or http.request is None or http.request.probe:
        return
    if "no HTTP response" in fact.why:
        notes.closed = notes.closed or http
    if "no HTTP response" in fact.why and (is_of_probes(http) or _is_stream_of_session(case, http)):
        return  # the host was reached, and other requests show more
    is_ours = "/.well-known/" not in http.request.target and _is_dialled(case, http.request.target)
    if "no HTTP response" in fact.why and is_ours and any(each.status for each in case.state.requests.all):
        method = next((each.method for each in http.asked), next(iter(http.notifications), ""))
        what = f"{http.request.method} ({cut(method, 60)})" if method else http.request.method
        sentence = f"the server closed the connection of {what} without a response; others had one before"
        yield Violation(sentence, id="closed-without-response")
        return
    if (
        not _UNREACHED.search(fact.why)
        or fact.why.startswith("The proxy ")
        or not is_ours
        or not case.state.is_first("server-unreachable")
    ):
        return
    host = host_of(http.request.target)
    local = "For a server in a container, publish the port; " if host in _LOCAL else ""
    fix = "Check that the server is running, at this host and port, with or without TLS. "
    closed = notes.closed
    if closed is not None and closed.request is not None and "refuses connections" in fact.why:
        what = f"{closed.request.method} ({closed.asked[0].named})" if closed.asked else closed.request.method
        sentence = f"the server closed the connection at {what} and refuses connections since: it may have ended by it"
        fix = "See the log of the server. If the URL is one of HTTP+SSE, --transport sse begins with GET."
        yield Violation(sentence, frames=(case.n, closed.frame), instead=True, fix=fix)
        return
    yield Violation(fact.why.rstrip("."), fix=f"{fix}{local.strip().rstrip(';')}." if local else fix.strip())


def _is_stream_of_session(case: CheckMoment, http: HttpExchangeState) -> bool:
    """Whether an HTTP exchange is a GET for the stream of a session, which `get-response-invalid` judges."""
    return http.request is not None and http.request.method == "GET" and case.state.opening is not None


def _is_dialled(case: CheckMoment, target: str) -> bool:
    """Whether a URL is at the server itself, and not one that it named, such as that of its metadata."""
    connection = case.state.connection
    return connection is None or not connection.url or netloc(connection.url) == netloc(target)


def is_discovery(http: HttpExchangeState) -> bool:
    """Whether an HTTP exchange carries only the probe for the server's era."""
    return bool(http.asked) and all(each.probe and each.method == "server/discover" for each in http.asked)


def deferred(case: CheckMoment, http: HttpExchangeState, id_: str, violation: Violation) -> Iterator[Violation]:
    """Yield a violation, or keep it for `of_discovery`: a server that rejects only the probe of its era works."""
    if is_discovery(http):
        frames = violation.frames if violation.instead else (case.n, *violation.frames)
        case.state.notes(ConnectNotes).probe[id_] = msgspec.structs.replace(violation, frames=frames, instead=True)
    elif case.state.is_first(id_):
        yield violation


def of_discovery(case: CheckMoment, id_: str) -> Iterator[Violation]:
    """At the end, yield the violation of a rejected probe if no session was opened; nothing at other moments."""
    is_end = case.fact is None and case.frame is None
    found = case.state.notes(ConnectNotes).probe.get(id_)
    if is_end and case.state.opening is None and found is not None and case.state.is_first(id_):
        yield found


@hint("Deprecated HTTP+SSE transport", "note")
def sse_transport(case: CheckMoment) -> Iterator[Violation]:
    """The POST was rejected, and GET returned an endpoint event.

    Fix: Connect with --transport sse to skip the first attempt.
    """
    if case.note is not None and case.note.event == "endpoint" and case.state.transport == "http":
        if case.state.is_first("sse-transport"):
            yield Violation("the server uses the deprecated HTTP+SSE transport; the connection has switched to it")


@hint("HTTP redirect", "http", topic="")
def http_redirect(case: CheckMoment) -> Iterator[Violation]:
    """After 301 to 303 a client may turn a POST into a GET, which loses the body (RFC 9110, section 15.4).

    Fix: Use the final URL.
    """
    heads = responded(case)
    if heads is None or "/.well-known/" in heads.request.target:
        return
    http, request, response = heads
    if response.status not in (301, 302, 303, 307, 308):
        return
    url, to = cut(request.target, 200), http.header("location") or "nowhere"
    if case.state.is_first(f"http-redirect {url}"):
        becomes_get = response.status in (301, 302, 303) and request.method == "POST"
        if becomes_get and case.state.opening is None and _LOGIN_PAGE.search(to[:200]):
            sentence = (
                f"{cut(request.target, 80)} redirects POST to a login page: {cut(to, 80)} (HTTP {response.status})"
            )
            fix = "Exempt the server's URL from single sign-on: clients expect 401 with WWW-Authenticate."
            yield Violation(sentence, severity=_ERROR, fix=fix)
            return
        worse = None if not becomes_get else _ERROR if case.state.opening is None else _WARNING
        sentence = f"{cut(request.target, 80)} redirects to {cut(to, 80)} (HTTP {response.status})"
        if http.asked and netloc(to) not in ("", netloc(request.target)):
            worse, sentence = _ERROR, f"{sentence}: another origin, where clients send no token"
        if _leads_back(request.target, to):
            sentence = f"{cut(url, 80)} redirects to itself (HTTP {response.status})"
            yield Violation(sentence, severity=worse, fix=_TO_ITSELF)
            return
        if behind := _inside(to, request.target):
            fix = "Have the proxy rewrite Location, or the server use X-Forwarded-Proto and X-Forwarded-Host."
            yield Violation(sentence + behind, severity=_ERROR if case.state.opening is None else worse, fix=fix)
        else:
            more = "; most clients then send GET in place of POST" if becomes_get else ""
            fix = "Use the final URL, or redirect with 307 or 308." if becomes_get else ""
            yield Violation(sentence + more, severity=worse, fix=fix)
    elif _leads_back(request.target, to) and case.state.is_first(f"http-redirect again {url}"):
        sentence = f"{cut(url, 80)} redirects to itself again and again (HTTP {response.status})"
        yield Violation(sentence, severity=_ERROR, fix=_TO_ITSELF)


def _leads_back(url: str, location: str) -> bool:
    try:
        return urljoin(url, location) == url
    except ValueError:
        return False


@warning("HTTP session has expired", "error", "http end")
def session_expired(case: CheckMoment) -> Iterator[Violation]:
    """HTTP 404 to a POST with the session id: the correct response to an expired session.

    404 to a GET only says that there is no stream, and 404 with -32601 that the method is unknown.

    Fix: Check whether the server restarted, or several instances share the load. Store sessions outside the process,
    or be stateless.
    """
    http, fact = case.http, case.fact
    if fact is None:
        if http is not None and case.frame is not None and peek.integer(case.value, "code") == -32601:
            case.state.notes(ConnectNotes).unknown_method = case.frame.http
        return
    if (heads := case.heads) is None or http is None or case.state.opening is None:
        return
    of_session = heads.request.method == "POST" and not heads.request.probe and http.sent(SESSION) is not None
    if of_session and heads.response.status == 404 and case.state.notes(ConnectNotes).unknown_method != fact.http:
        if case.state.is_first("session-expired"):
            method = f"{http.asked[0].named}" if http.asked else "a message"
            sentence = f"{method} was answered with HTTP 404: the server no longer knows the session"
            cookie = case.state.http.session_cookie
            fix = "Route by Mcp-Session-Id, or be stateless: most clients keep no cookies." if cookie else ""
            if cookie:
                sentence += f"; it was begun with the cookie {cut(cookie, 40)}, which clients do not send back"
            elif case.time_ns - case.state.began_ns < _NEW_NS:
                sentence += ", which has just begun: another instance may have it"
            yield Violation(sentence, frames=(http.frame,), instead=True, fix=fix)


@error("TLS certificate is not trusted", "http end", topic="")
def certificate_untrusted(case: CheckMoment) -> Iterator[Violation]:
    """Judged by the certificate authorities of this system; or the server does not use TLS.

    Fix: Trust its issuer with --cacert FILE.
    """
    why = case.fact.why if case.fact is not None and case.fact.event is HttpEvent.ERROR else ""
    if why.startswith("The TLS certificate") and case.state.is_first("certificate-untrusted"):
        own = "self" in why or "unable to get local issuer" in why
        fix = "Trust its issuer with --cacert FILE" + (", or that of a corporate proxy." if own else ".")
        yield Violation(why.rstrip("."), fix=f"{fix} --insecure disables verification for this run.")
    elif why.startswith("The TLS handshake") and case.state.is_first("certificate-untrusted"):
        yield Violation(why.rstrip("."), fix="Check whether the port uses TLS. If not, the URL begins with http://.")


@error("Proxy error", "http", "http end", topic="")
def proxy_failure(case: CheckMoment) -> Iterator[Violation]:
    """The proxy failed, or requires authentication (407).

    Fix: Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the environment, and the log of the proxy.
    """
    heads, fact = responded(case), case.fact
    if fact is not None and fact.event is HttpEvent.ERROR and fact.why.startswith("The proxy"):
        if case.state.is_first("proxy-failure"):
            yield Violation(fact.why.rstrip("."))
    elif heads is not None and heads.response.status == 407 and case.state.is_first("proxy-failure"):
        yield Violation("the proxy requires authentication (HTTP 407)")
    elif fact is not None and fact.event is HttpEvent.END and (ended := case.http) is not None and ended.is_refused:
        name = _PROXIES.match("squid" if ended.header("x-squid-error") else ended.header("server") or "")
        if name is not None and case.state.is_first("proxy-failure"):
            status = ended.response.status if ended.response is not None else 0
            yield Violation(f"the proxy {name[0]} sent HTTP {status} by itself{body_reason(case)}")


def _lost_prefix(named: str, url: str) -> str:
    """Return a clause with what a path lacks of the directory that a URL is in; "" if it lacks nothing."""
    parts = urlsplit(url).path.split("/")[1:-1]
    after = next((n for n in range(len(parts)) if named.startswith(f"/{'/'.join(parts[n:])}/")), len(parts))
    return f", which lacks the prefix /{cut('/'.join(parts[:after]), 60)}" if after and named[:1] == "/" else ""


@error("`endpoint` event has a wrong URL", "note", "http end")
def wrong_endpoint_event(case: CheckMoment) -> Iterator[Violation]:
    """Another origin, or a path that does not exist: mostly a prefix that a proxy removes.

    Fix: Send a path of the same origin, by which clients reach the server.
    """
    state, notes = case.state, case.state.notes(ConnectNotes)
    if case.note is not None and case.note.event == "endpoint":
        named = notes.named_endpoint = "".join(lines := _data(case.note.raw))
        if len(lines) > 1:
            message = f"the endpoint event has {len(lines)} data lines, {cut(lines[0], 60)!r} and {cut(lines[1], 60)!r}"
            yield Violation(f"{message}, which together are no URL", fix="Send the URL in one data line.")
            return
        other = netloc(named) if "//" in named else ""
        url = state.connection.url if state.connection is not None else ""
        if other and url and other != netloc(url):
            fix = "Send a path, or the URL by which clients reach the server: see root_path and forwarded headers."
            message = f"the endpoint event names {cut(named, 80)}, but the server was reached at {cut(netloc(url), 60)}"
            inside = _inside(named, url)
            if named.startswith("//"):
                inside, fix = f": what follows // is a host, here {cut(other, 60)}", "Begin the path with one slash."
            yield Violation(message + inside, fix=fix)
    elif (heads := case.heads) is not None and notes.named_endpoint is not None:
        http, request, response = heads
        if request.method == "POST" and not request.probe:
            if response.status < 300:
                notes.endpoint_works = True
            elif response.status in (404, 405) and http.sent(SESSION) is None:
                named, reason = notes.named_endpoint, body_reason(case)
                if notes.endpoint_works and "session" not in reason.lower():
                    return  # a server that refuses one request in this way
                if not state.is_first("wrong-endpoint-event"):
                    return
                lost = _lost_prefix(named, state.connection.url if state.connection is not None else "")
                what = f"HTTP {response.status}{' and an HTML page' * (kind_of(http) == 'text/html')}"
                message = f"POST to the URL of the endpoint event, {cut(named, 80)}{lost}, returned {what}"
                fix = "If a proxy removes a path prefix, configure it in the server (root_path)."
                if named.startswith("{"):
                    message = f"the endpoint event holds JSON, {cut(named, 80)}, not the URL itself: {what}"
                    fix = "Send the URL itself as the data of the event, not JSON."
                elif "session" in reason.lower():
                    fix = "If several instances share the load, route a session to one of them."
                yield Violation(message + reason, fix=fix)


def _inside(named: str, reached: str) -> str:
    """Return what to add to a sentence about a URL that a server names for itself; "" for nothing."""
    return ": it seems to be the address behind a proxy" if url_hosts.is_inside(named, reached) else ""


def _data(raw: bytes) -> list[str]:
    """Return what the data lines of an event hold, without empty ones."""
    found = (line[5:].strip() for line in raw.decode("utf-8", "replace").split("\n") if line.startswith("data:"))
    return [*filter(None, found)]


@warning("Server requires a client capability", "error", topic="basic", since="2026-07-28")
def client_capability_required(case: CheckMoment) -> Iterator[Violation]:
    """Error -32021 names the missing capability, as the specification demands.

    A hint for requests whose results may ask the client: all others should work without.

    Fix: Connect with --capability NAME.
    """
    if peek.integer(case.value, "code") == -32021:
        named = ", ".join(cut(str(each), 40) for each in peek.mapping(case.value, "data", "requiredCapabilities"))
        offered = named.split(",")[0] or "…"
        yield Violation(
            f"{cut(case.method, 40)} requires the client capability {named or '(not named)'}",
            "/error/data",
            fix=f"Connect with --capability {offered}.",
            severity=Severity.HINT if case.method in _MAY_ASK else None,
        )


@error("HTTP body is truncated", "http end", "garbled")
def body_truncated(case: CheckMoment) -> Iterator[Violation]:
    """Fewer bytes than Content-Length, a connection that breaks, or incomplete JSON.

    Fix: Check the logs of server and proxy for a crash or a timeout.
    """
    http, fact = case.http, case.fact
    if http is None or not http.asked or http.request is None or http.request.probe or kind_of(http) == STREAM:
        return
    method = http.asked[0].named
    if fact is not None:
        if found := _LENGTHS.search(fact.why):
            sentence = (
                f"the response to {method} has {int(found[1]):,} bytes, but its Content-Length is {int(found[2]):,}"
            )
            yield Violation(
                sentence,
                fix=(
                    "Set Content-Length to the number of bytes sent, not characters; a proxy that changes a "
                    "body must update it."
                ),
            )
        elif fact.why.startswith(BROKEN_OFF):
            yield Violation(f"the connection was closed in the middle of the response to {method}")
    elif case.frame is not None and "json" in kind_of(http) and _stops_in_the_middle(case.frame.payload):
        size = len(case.frame.payload)
        sentence = f"the response to {method} is incomplete JSON: it ends after {size:,} bytes"
        fix = "Check the log of the server for a crash during the write."
        if http.header("content-length") == str(size) and not case.frame.payload.isascii():
            sentence += ", which is its Content-Length: it seems to count characters"
            fix = "Set Content-Length to the number of bytes of the encoded body."
        yield Violation(sentence, span=(max(size - 1, 0), size), fix=fix)


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


@error("Empty body instead of a response", "http end")
def empty_body(case: CheckMoment) -> Iterator[Violation]:
    """HTTP 200 for a request without any body, or an event stream that ends without a message and cannot be resumed.

    Fix: Send the JSON-RPC response; 202 without a body is for notifications.
    """
    heads, fact = case.heads, case.fact
    if heads is None or fact is None or heads.request.probe or fact.event is not HttpEvent.END or fact.why:
        return
    http, status = heads.http, heads.response.status
    is_stream = kind_of(http) == STREAM
    if is_stream and case.state.opening is not None:
        return  # `stream-ended-early` reports it
    empty = http.events == 0 and not http.has_ids if is_stream else fact.body_bytes == 0
    if empty and 200 <= status < 300 and status != 202 and http.asked and http.asked[0].answered is None:
        what = "an event stream without a message" if is_stream else "an empty body"
        yield Violation(f"{http.asked[0].named} was answered with HTTP {status} and {what}")


@error("Body does not match `Content-Encoding`", "http end")
def body_encoding_invalid(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Send Content-Encoding only for bodies that are compressed; check proxies that compress or decompress."""
    http, fact = case.http, case.fact
    if http is not None and fact is not None and fact.why.startswith("the compressed body can't be decoded"):
        encoding = cut(http.header("content-encoding") or "", 20)
        yield Violation(f"Content-Encoding is {encoding}, but the body cannot be decoded with it")
