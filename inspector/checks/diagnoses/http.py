"""Diagnoses of HTTP below MCP: DNS, TLS, proxies, redirects, sessions and bodies.

What an answer to one of our own probes says is no fault of the conversation: those exchanges are judged as probes.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from inspector.checks.diagnoses.probes import lacks_header
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import reason_of, words_of_body
from inspector.checks.registry import Flaw, diagnosis
from inspector.checks.state import SESSION, CheckMoment, HttpExchangeState
from inspector.protocol import peek
from inspector.protocol.facts import HttpEvent

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_LIKELY = Confidence.LIKELY
_NEVER = 1 << 62


def responded(case: CheckMoment) -> HttpExchangeState | None:
    """The exchange whose response has just begun, if it is no probe."""
    http, fact = case.http, case.fact
    if fact is None or fact.event is not HttpEvent.RESPONSE or http is None or http.request is None:
        return None
    return None if http.request.probe else http


def refused(case: CheckMoment) -> tuple[HttpExchangeState, bytes] | None:
    """The exchange, no probe, whose error has just brought its body; with the beginning of that."""
    http, frame = case.http, case.frame
    if http is None or frame is None or http.request is None or http.response is None or http.request.probe:
        return None
    return http, frame.payload[:4000]


def kind_of(http: HttpExchangeState) -> str:
    """The type of a response, in small letters and without its parameters."""
    return (http.header("content-type") or "").partition(";")[0].strip().lower()


def once(case: CheckMoment, id_: str) -> bool:
    """Whether this is the first time in the connection."""
    return case.state.is_sampled(id_, 1, _NEVER)


_TITLE = re.compile(rb"(?is)<title[^>]*>(.{1,200}?)</title>")


@diagnosis(
    "html-response",
    _ERROR,
    "a web page in the place of an answer",
    "http",
    "refusal",
    "garbled",
    "end",
    topic="",
    fix="Try /mcp or /sse behind the address. Is it a login page, or a proxy's?",
)
def is_no_web_page(case: CheckMoment) -> Iterator[Flaw]:
    """HTML answers a POST, and nothing that was tried after it led to a conversation."""
    state = case.state
    if http := responded(case):
        if http.request is not None and http.request.method == "POST" and kind_of(http) == "text/html":
            if http.response is not None and http.response.status < 500 and state.opening is None:
                state.notes["html-response"] = [case.n, http.request.target, http.response.status, ""]
    elif case.frame is not None and case.http is not None and "html-response" in state.notes:
        if found := _TITLE.search(case.frame.payload[:20_000]):
            state.notes["html-response"][3] = found.group(1).decode("utf-8", "replace").strip()
    elif case.frame is None and case.fact is None and "html-response" in state.notes:
        n, target, status, title = state.notes["html-response"]
        if state.opening is None and not state.http.has_endpoint:
            named = f" “{title[:80]}”" if title else ""
            yield Flaw(f"{target[:80]} answers with a web page{named} (status {status})", frames=(n,), instead=True)


_UNREACHED = re.compile(r"refuses connections|can't be resolved|^No connection to|gave no HTTP response|stopped taking")


@diagnosis("server-unreachable", _ERROR, "nobody answers at the address", "http end", topic="")
def somebody_answers(case: CheckMoment) -> Iterator[Flaw]:
    """Refused, not resolved, not reached: the operating system's word."""
    fact, http = case.fact, case.http
    if fact is None or fact.event is not HttpEvent.ERROR or http is None or http.request is None or http.request.probe:
        return
    if is_discovery(http) and "no HTTP response" in fact.why:
        return  # it was reached, and the next request tells more
    if (
        not _UNREACHED.search(fact.why)
        or "/.well-known/" in http.request.target
        or not once(case, "server-unreachable")
    ):
        return
    host = _host(http.request.target)
    local = "For a server in a container publish the port; " if host in _LOCAL else ""
    fix = "Is it running, at this host and port, with or without TLS? "
    yield Flaw(fact.why.rstrip("."), fix=f"{fix}{local}doctor tries 127.0.0.1 and ::1." if local else fix.strip())


def is_discovery(http: HttpExchangeState) -> bool:
    """Whether an HTTP exchange carries nothing but the probe for the server's era."""
    return bool(http.asked) and all(each.probe and each.method == "server/discover" for each in http.asked)


_LOCAL = ("localhost", "127.0.0.1", "::1")


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


@diagnosis(
    "accept-header-rejected",
    _ERROR,
    "the Accept header is refused",
    "http",
    topic="http",
    fix="Take both types, in any order.",
)
def accepts_what_clients_accept(case: CheckMoment) -> Iterator[Flaw]:
    """406, although both types were offered; or because a header of the user's took one away."""
    http = responded(case)
    if (
        http is not None
        and http.response is not None
        and http.response.status == 406
        and once(case, "accept-header-rejected")
    ):
        sent = http.sent("accept") or ""
        whole = "application/json" in sent and "text/event-stream" in sent
        fix = "" if whole or http.sent("accept") is None else "Leave the Accept header to this program."
        yield Flaw(f"the server answered 406 to Accept: {sent[:80]}", fix=fix)


_TYPE = re.compile(rb"(?i)(invalid|unsupported|bad|wrong).{0,20}(content[- ]type|media type)")


@diagnosis(
    "content-type-rejected",
    _ERROR,
    "the type of a body is refused",
    "http",
    "refusal",
    topic="http",
    fix="Take application/json.",
)
def takes_json(case: CheckMoment) -> Iterator[Flaw]:
    """415, or words to that effect."""
    http, body = responded(case), refused(case)
    if (
        http is not None
        and http.response is not None
        and http.response.status == 415
        and once(case, "content-type-rejected")
    ):
        yield Flaw(f"the server answered 415 to Content-Type: {(http.sent('content-type') or '')[:60]}")
    elif body is not None and _TYPE.search(body[1]) and once(case, "content-type-rejected"):
        yield Flaw("the server refused the type of a body", span=_TYPE.search(body[1]).span())  # type: ignore[union-attr]


@diagnosis(
    "sse-transport", _HINT, "HTTP as it was at first", "note", topic="http", fix="--transport sse goes there at once."
)
def speaks_todays_http(case: CheckMoment) -> Iterator[Flaw]:
    """The POST was refused, and GET named an address to post to."""
    if case.note is not None and case.note.event == "endpoint" and case.state.transport == "http":
        if once(case, "sse-transport"):
            yield Flaw("this is the older HTTP+SSE, which is deprecated; the connection has gone over to it")


_LOGIN_PAGE = re.compile(r"(?i)[/.](?:log-?in|sign-?in|sso|saml2?|cas|oauth2?|auth|adfs)\b")


@diagnosis("http-redirect", _HINT, "a redirect", "http", topic="", fix="Give the final address.")
def is_where_it_is(case: CheckMoment) -> Iterator[Flaw]:
    """After 301 to 303 a client may make a GET of a POST, which loses the body (RFC 9110, section 15.4)."""
    http = responded(case)
    if http is None or http.request is None or http.response is None or "/.well-known/" in http.request.target:
        return
    if http.response.status in (301, 302, 303, 307, 308) and once(case, f"http-redirect {http.request.target[:200]}"):
        to = http.header("location") or "nowhere"
        becomes_get = http.response.status in (301, 302, 303) and http.request.method == "POST"
        if becomes_get and case.state.opening is None and _LOGIN_PAGE.search(to[:200]):
            said = f"{http.request.target[:80]} sends a POST on to a login page: {to[:80]} ({http.response.status})"
            fix = "Let the address of the server past the single sign-on: clients expect 401 with WWW-Authenticate."
            yield Flaw(said, severity=_ERROR, fix=fix)
            return
        worse = _WARNING if becomes_get else None
        said = f"{http.request.target[:80]} leads on to {to[:80]} ({http.response.status})"
        yield Flaw(said, severity=worse)


_GUARD = re.compile(
    rb"(?i)(invalid|untrusted|forbidden|not allowed|disallowed|bad|unknown).{0,20}(host|origin)\b|"
    rb"(host|origin)( header)?( is)?.{0,40}(not allowed|invalid|denied|forbidden|not permitted)|dns rebinding"
)


@diagnosis("host-rejected", _ERROR, "a guard against other hosts refuses this one", "http", "refusal", topic="http")
def lets_its_own_host_in(case: CheckMoment) -> Iterator[Flaw]:
    """421, or words about Host or Origin: right for web pages of elsewhere, wrong for the name it is reached by."""
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
    host = at.sent("host") or _netloc(at.request.target)
    origin = f", Origin {at.sent('origin')}" if at.sent("origin") else ""
    words = f": {found.group().decode('utf-8', 'replace')[:60]}" if found else ""
    fix = f"Allow the host ({host.partition(':')[0][:60]}:*) in the server, or have the proxy send the Host it knows."
    yield Flaw(f"the server refused Host {host[:60]}{origin} with {at.response.status}{words}", fix=fix)


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
    "the session is gone",
    "error",
    "http end",
    topic="http",
    fix="Was it restarted, or do several take turns? Keep sessions outside of the process, or be stateless.",
)
def sessions_last(case: CheckMoment) -> Iterator[Flaw]:
    """404 to a POST that names the session: the right answer to one that is over, and why was it?

    404 to a GET says only that there is no stream to listen to, and 404 with -32601 that there is no such method.
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
            method = f"{http.asked[0].method[:60]} was" if http.asked else "a message was"
            said = f"{method} answered with 404: the server does not know the session any more"
            yield Flaw(said, frames=(http.frame,), instead=True)


_NO_SESSION = re.compile(rb"(?i)(missing|no|required?|without|requires).{0,30}session|session.{0,30}(missing|required)")


@diagnosis("session-id-not-issued", _ERROR, "a session id is wanted, and none was given", "refusal", topic="http")
def gives_the_session_it_wants(case: CheckMoment) -> Iterator[Flaw]:
    """The response to initialize had none, or had one that a browser may not read."""
    found = refused(case)
    if found is None or case.state.opening is None or found[0].sent(SESSION) is not None:
        return
    if words := _NO_SESSION.search(found[1]):
        fix = "Send Mcp-Session-Id with the response to initialize, and Access-Control-Expose-Headers for web clients."
        yield Flaw("the server wants a session id, and its answer to initialize had none", span=words.span(), fix=fix)


@diagnosis("certificate-untrusted", _ERROR, "the certificate is not trusted", "http end", topic="")
def certificate_is_trusted(case: CheckMoment) -> Iterator[Flaw]:
    """By the authorities of this system; or there is no TLS at all."""
    why = case.fact.why if case.fact is not None and case.fact.event is HttpEvent.ERROR else ""
    if why.startswith("The TLS certificate") and once(case, "certificate-untrusted"):
        own = "self" in why or "unable to get local issuer" in why
        fix = "--cacert FILE trusts its issuer" + (", or that of a company's proxy." if own else ".")
        yield Flaw(why.rstrip("."), fix=f"{fix} --insecure looks away, for this run.")
    elif why.startswith("The TLS handshake") and once(case, "certificate-untrusted"):
        yield Flaw(why.rstrip("."), fix="Does it speak TLS there? If not, the address begins with http://.")


@diagnosis(
    "proxy-failure",
    _ERROR,
    "a proxy stands in between",
    "http",
    "http end",
    topic="",
    fix="See HTTPS_PROXY and NO_PROXY.",
)
def no_proxy_refuses(case: CheckMoment) -> Iterator[Flaw]:
    """It could not be passed, or wants to know who asks (407)."""
    http, fact = responded(case), case.fact
    if fact is not None and fact.event is HttpEvent.ERROR and fact.why.startswith("The proxy"):
        if once(case, "proxy-failure"):
            yield Flaw(fact.why.rstrip("."))
    elif http is not None and http.response is not None and http.response.status == 407 and once(case, "proxy-failure"):
        yield Flaw("a proxy wants credentials (407)")


@diagnosis("wrong-endpoint-event", _ERROR, "the address to post to is wrong", "note", "http", topic="http")
def endpoint_is_right(case: CheckMoment) -> Iterator[Flaw]:
    """Of another origin, or one where nothing is: mostly a prefix that a proxy has taken away."""
    state = case.state
    if case.note is not None and case.note.event == "endpoint":
        named = state.notes["wrong-endpoint-event"] = _data(case.note.raw)
        other = _netloc(named) if "//" in named else ""
        url = state.connection.url if state.connection is not None else ""
        if other and url and other != _netloc(url):
            fix = "Name a path, or the address by which clients reach it: see root_path and forwarded headers."
            said = f"the endpoint event names {named[:80]}, but the server was reached at {_netloc(url)[:60]}"
            yield Flaw(said, fix=fix)
    elif (http := responded(case)) is not None and "wrong-endpoint-event" in state.notes:
        if http.request is not None and http.response is not None and http.request.method == "POST":
            if http.response.status in (404, 405) and http.sent(SESSION) is None and once(case, "wrong-endpoint-event"):
                named = state.notes["wrong-endpoint-event"]
                said = f"POST to the URL of the endpoint event, {named[:80]}, returned HTTP {http.response.status}"
                yield Flaw(said, fix="Does a proxy take a prefix away? Then the server has to know it (root_path).")


def _data(raw: bytes) -> str:
    found = [line[5:].strip() for line in raw.decode("utf-8", "replace").split("\n") if line.startswith("data:")]
    return "".join(found)


@diagnosis(
    "header-body-mismatch", _ERROR, "head and body of a request differ", "error", topic="http", since="2026-07-28"
)
def head_and_body_agree(case: CheckMoment) -> Iterator[Flaw]:
    """-32020: a proxy has changed one of them, or the server reads them wrongly."""
    if peek.integer(case.value, "code") == -32020 and not lacks_header(case):
        said = (peek.text(case.value, "message") or "")[:120]
        frames = (case.asked.frame,) if case.asked is not None else ()
        fix = "Compare Mcp-Method, Mcp-Name and MCP-Protocol-Version with the body, before and behind the proxy."
        yield Flaw(
            f"the server says that head and body of {case.method[:40]} differ: {said}", "/error", frames, fix=fix
        )


@diagnosis(
    "client-capability-required",
    _WARNING,
    "a capability is wanted that was not offered",
    "error",
    topic="basic",
    since="2026-07-28",
)
def needs_what_was_offered(case: CheckMoment) -> Iterator[Flaw]:
    """-32021 names it."""
    if peek.integer(case.value, "code") == -32021:
        named = ", ".join(str(each)[:40] for each in peek.mapping(case.value, "data", "requiredCapabilities"))
        offered = named.split(",")[0] or "…"
        yield Flaw(
            f"{case.method[:40]} needs {named or 'a capability'} of the client",
            "/error/data",
            fix=f"--capability {offered}",
        )


_BAD_VERSION = re.compile(rb"(?i)(unsupported|invalid|bad|unknown|missing).{0,30}protocol[ -]?version")


@diagnosis(
    "version-header-rejected",
    _ERROR,
    "the version that was agreed on is refused",
    "refusal",
    topic="http",
    since="2025-06-18",
    until="2025-11-25",
)
def takes_the_version_agreed_on(case: CheckMoment) -> Iterator[Flaw]:
    """MCP-Protocol-Version says what initialize has settled, and is refused all the same."""
    found, revision = refused(case), case.state.revision
    if found is None or revision is None or found[0].sent("mcp-protocol-version") != revision.in_header:
        return
    if (words := _BAD_VERSION.search(found[1])) and once(case, "version-header-rejected"):
        said = f"MCP-Protocol-Version: {revision.in_header} is refused, which initialize has agreed on"
        yield Flaw(said, span=words.span(), fix="Take the version that was answered to initialize; or none, as before.")


_GATEWAY = {502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout"}


_SAID = "what refusals said"
_MOST_SAID = 1000


def _said(case: CheckMoment) -> str:
    """What the body of the exchange that has just ended says of its refusal; "" if it says nothing."""
    words = case.state.notes.get(_SAID, {}).pop(case.fact.http, "") if case.fact is not None else ""
    return f": {words}" if words else ""


@diagnosis(
    "rate-limited",
    _ERROR,
    "too many requests",
    "http",
    "error",
    "http end",
    topic="",
    fix="Ask less often, or raise the limit.",
)
def has_patience(case: CheckMoment) -> Iterator[Flaw]:
    """429, with when to come back if it says so. The request failed; a stream or a notification may not matter."""
    http = case.http
    if http is None or http.request is None or http.response is None or http.request.probe:
        return
    if http.response.status != 429 or (case.fact is not None and case.fact.event is HttpEvent.REQUEST):
        return
    begins = case.fact is not None and case.fact.event is HttpEvent.RESPONSE
    if (begins and http.asked) or not once(case, "rate-limited"):
        return  # the body may say why
    what = http.asked[0].method[:60] if http.asked else http.request.method
    words = f": {reason_of(case.value)}" if case.fact is None else _said(case)
    after = http.header("retry-after")
    when = f"; Retry-After: {after[:40]}{' s' if after.isdecimal() else ''}" if after else ""
    said = f"{what} was answered with HTTP 429, too many requests{words[:200]}{when}"
    yield Flaw(said, frames=(http.frame,), instead=True, severity=None if http.asked else _WARNING)


@diagnosis("http-server-error", _ERROR, "a failure of the server, or of what stands before it", "http end", topic="")
def does_not_fail(case: CheckMoment) -> Iterator[Flaw]:
    """5xx to a POST, and no answer in it."""
    http = case.http
    if http is None or http.request is None or http.response is None or http.request.method != "POST":
        return
    if http.request.probe:
        return
    status, probed = http.response.status, is_discovery(http)
    if status < 500 or not any(each.answered is None for each in http.asked) or (probed and status in _GATEWAY):
        return  # what stands before it is judged by what comes of the next request
    if not once(case, "http-server-error probe" if probed else "http-server-error"):
        return
    if status in _GATEWAY:
        said = f"a gateway answered {status} {_GATEWAY[status]}: the server behind it does not answer{_said(case)}"
        fix = "Does the server run? Ask it without the gateway, and see the gateway's log."
    else:
        said, fix = (
            f"the server answered {http.asked[0].method[:60]} with HTTP {status}{_said(case)}",
            "See what it logs.",
        )
    fix = "Answer requests that are not known with a JSON-RPC error." if probed else fix
    yield Flaw(said, frames=(http.frame,), instead=True, fix=fix, severity=_WARNING if probed else None)


_ELSEWHERE = (401, 406, 407, 415, 421, 429)
"""Refusals that have a diagnosis of their own."""
_NOT_HERE = {
    404: "Is the path right? Mostly it ends with /mcp or /sse.",
    405: "The address takes no POST: is it the right path, and does a proxy let POST through?",
    413: "A proxy, or the server, takes no body of this size: raise its limit.",
    426: "The address is that of another protocol, such as WebSocket.",
}


@diagnosis("http-request-rejected", _ERROR, "a request was refused", "refusal", "http end", "end", topic="http")
def requests_are_taken(case: CheckMoment) -> Iterator[Flaw]:
    """A status of 4xx that nothing else explains, with what its body says; of a way in only if none was found."""
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
            return  # it says what it wants
        wants_a_token = status == 403 and http.sent("authorization") is None
        fix = (
            "If credentials are missing, answer 401 with WWW-Authenticate."
            if wants_a_token
            else _NOT_HERE.get(status, "")
        )
        said = f"the server answered POST ({asked.method[:60]}) with HTTP {status}{_said(case)}"
        flaw = Flaw(said, frames=(http.frame, asked.frame), instead=True, fix=fix)
        if state.opening is not None and asked.method not in ("initialize", "server/discover"):
            yield flaw
        elif asked.method == "initialize" or "http-request-rejected" not in state.notes:
            state.notes["http-request-rejected"] = flaw  # of server/discover it counts only if nothing else was tried
            if asked.method == "initialize":
                state.notes["http-request-rejected initialize"] = True


_LENGTHS = re.compile(r"received (\d+) bytes, expected (\d+)")


@diagnosis("body-truncated", _ERROR, "a body that is cut off", "http end", "garbled", topic="http")
def bodies_come_whole(case: CheckMoment) -> Iterator[Flaw]:
    """Fewer bytes than Content-Length says, a connection that breaks, or JSON that stops in its middle."""
    http, fact = case.http, case.fact
    if http is None or not http.asked or http.request is None or http.request.probe or kind_of(http) == STREAM:
        return
    method = http.asked[0].method[:60]
    if fact is not None:
        if found := _LENGTHS.search(fact.why):
            said = f"the answer to {method} has {int(found[1]):,} bytes, and its Content-Length is {int(found[2]):,}"
            yield Flaw(
                said, fix="Content-Length counts bytes as sent, not characters; a proxy that changes a body changes it."
            )
        elif fact.why.startswith("the server broke the connection off"):
            said = f"the connection was closed in the middle of the answer to {method}"
            yield Flaw(said, fix="Did the server crash, or a proxy give up? See their logs.")
    elif case.frame is not None and "json" in kind_of(http) and _stops_in_the_middle(case.frame.payload):
        size = len(case.frame.payload)
        said = f"the answer to {method} stops in the middle of its JSON, after {size:,} bytes"
        fix = "Did the server crash while it wrote? See its log."
        if http.header("content-length") == str(size) and not case.frame.payload.isascii():
            said += ", which is its Content-Length: that seems to count characters"
            fix = "Content-Length is the number of bytes of the encoded body."
        yield Flaw(said, span=(max(size - 1, 0), size), fix=fix)


STREAM = "text/event-stream"


def _stops_in_the_middle(payload: bytes) -> bool:
    """Whether it is the beginning of JSON."""
    import json  # its errors know where they stopped; bodies that are cut are rare

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
    "an empty body in the place of an answer",
    "http end",
    topic="http",
    fix="Send the JSON-RPC response. 202 without a body is for notifications.",
)
def answers_have_a_body(case: CheckMoment) -> Iterator[Flaw]:
    """200 to a request, and not a byte; or an event stream that ends without a message and cannot be resumed."""
    http, fact = case.http, case.fact
    if http is None or fact is None or http.response is None or http.request is None or http.request.probe:
        return
    if fact.event is not HttpEvent.END or fact.why:
        return
    is_stream = kind_of(http) == STREAM
    if is_stream and case.state.opening is not None:
        return  # stream-ended-early reports it
    empty = http.events == 0 and not http.has_ids if is_stream else fact.body_bytes == 0
    if empty and 200 <= http.response.status < 300 and http.response.status != 202:
        if http.asked and http.asked[0].answered is None:
            what = "an event stream that ended without a message" if is_stream else "an empty body"
            yield Flaw(f"{http.asked[0].method[:60]} was answered by {http.response.status} with {what}")


@diagnosis("body-encoding-invalid", _ERROR, "a compressed body that can't be unpacked", "http end", topic="http")
def bodies_are_as_they_say(case: CheckMoment) -> Iterator[Flaw]:
    """Content-Encoding says so, and the bytes are something else."""
    http, fact = case.http, case.fact
    if http is not None and fact is not None and fact.why.startswith("the compressed body can't be decoded"):
        said = f"Content-Encoding is {(http.header('content-encoding') or '')[:20]}, and the body can't be unpacked"
        yield Flaw(
            said, fix="Two proxies may have unpacked it, or packed it, in turn; send no encoding that is not there."
        )


_NEEDS_SESSION = re.compile(
    rb"(?i)mcp-session-id.{0,40}(?:required|missing|absent)|"
    rb"(?:missing|without|requires?) .{0,20}(?:mcp-session-id|session)|"
    rb"session id (?:is )?(?:required|missing)"
)


@diagnosis(
    "session-id-not-forwarded",
    _ERROR,
    "a session id that does not arrive",
    "refusal",
    topic="http",
    fix="Let the proxy or gateway in between pass the request header Mcp-Session-Id on.",
)
def session_ids_arrive(case: CheckMoment) -> Iterator[Flaw]:
    """The request had Mcp-Session-Id, and the server says that there is none."""
    found = refused(case)
    if found is None or case.state.opening is None or found[0].sent(SESSION) is None:
        return
    if words := _NEEDS_SESSION.search(found[1]):
        said = "the server says that Mcp-Session-Id is missing, and it was sent: something in between removes it"
        yield Flaw(said, span=words.span(), confidence=_LIKELY)
