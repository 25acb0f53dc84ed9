"""Diagnoses of HTTP statuses that are errors: 429, 5xx, and the 4xx that nothing else explains."""

import re
from collections.abc import Iterator
from http.client import responses
from typing import Final, NamedTuple

from inspector.checks.diagnoses.attempts import ConnectNotes
from inspector.checks.diagnoses.clauses import Clause, joined, when
from inspector.checks.diagnoses.http import (
    APPLICATIONS,
    BAD_VERSION,
    GUARD,
    NO_SESSION,
    body_reason,
    deferred,
    is_discovery,
    kind_of,
    of_discovery,
)
from inspector.checks.diagnoses.opening import named_version_refused, refuses_named_version
from inspector.checks.findings import Severity
from inspector.checks.foreign_text import STATUS_ONLY, reason_of
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.sayings import product_facts
from inspector.checks.state import SESSION, CheckMoment, ConnectionState, HttpExchangeState, TrackedRequest
from inspector.protocol.facts import HttpEvent
from inspector.text import cut

error = diagnoses_of("http")[0]

_WARNING = Severity.WARNING
_WANTS_LOGIN = re.compile(
    r"(?i)\bHTTP 401\b|unauthori[sz]ed|unauthenticated|authentication (?:error|required|failed)|"
    r"\b(?:missing|no|required?|without|provide)\b.{0,30}(?:api[ _-]?key|token|authorization|credentials)|"
    r"(?:api[ _-]?key|token|authorization|credentials).{0,30}(?:missing|required|not (?:provided|set|found))"
)
_FOR_401 = "; credentials are missing, for which the status is 401"
_SEND_401 = "Return 401 with WWW-Authenticate: clients begin a login with it alone."
_GATEWAY = frozenset((502, 503, 504, *range(520, 527), 530))
"""Statuses of gateways; those from 520 on are used by one of them only, and are in no registry."""
_OF_API_GATEWAY = ("x-amzn-errortype", "apigw-requestid", "x-amz-apigw-id")
_ELSEWHERE = (401, 406, 407, 415, 421, 429)
"""Statuses with a separate diagnosis."""
_NOT_HERE = {
    404: "Check the path; most end with /mcp or /sse.",
    405: "Check the path, and whether a proxy blocks POST: this URL does not accept POST.",
    413: "Raise the limit for request bodies in the server or proxy.",
    426: "Check the URL: it expects another protocol, such as WebSocket.",
}
_UNACCEPTABLE, _CRASHED, _NOT_IMPLEMENTED, _BAD_GATEWAY = 406, 500, 501, 502
_BAD_REQUEST, _NO_LOGIN, _FORBIDDEN, _COMMON = 400, 401, 403, 405

_UNHANDLED = (
    "Read the exception in the log of the server. If the MCP app is mounted in another one, pass its lifespan: "
    "FastAPI(lifespan=mcp_app.lifespan)."
)


class _Refusal(NamedTuple):
    """A 4xx status in response to a request."""

    state: ConnectionState
    http: HttpExchangeState
    asked: TrackedRequest
    status: int
    words: str
    """The reason in the body, as a clause; "" if there is none."""


class _ServerError(NamedTuple):
    """A 5xx status in response to a POST."""

    http: HttpExchangeState
    status: int
    words: str
    """The reason in the body, as a clause; "" if there is none."""
    application: str
    """What runs the application, if it sent the response itself; "" if unknown."""
    is_empty: bool
    """Whether the body is."""


def _retry_after(http: HttpExchangeState) -> str:
    after = http.header("retry-after")
    return f"; Retry-After: {cut(after, 40)}{' s' if after.isdecimal() else ''}" if after else ""


@error("Rate limited", "http", "error", "http end", "end", topic="")
def rate_limited(case: CheckMoment) -> Iterator[Violation]:
    """HTTP 429, with Retry-After if present. The request must have failed; a stream or notification may not matter.

    Fix: Send fewer requests, or raise the limit.
    """
    heads = case.heads
    yield from of_discovery(case, "rate-limited")
    if heads is None or heads.request.probe or heads.response.status != 429:
        return
    http = heads.http
    if case.fact is not None and case.fact.event is HttpEvent.REQUEST:
        return
    begins = case.fact is not None and case.fact.event is HttpEvent.RESPONSE
    if begins and http.asked:
        return  # the body may state the reason
    what = http.asked[0].named if http.asked else heads.request.method
    words = f": {reason_of(case.value)}" if case.fact is None else body_reason(case)
    sentence = f"{what} was answered with HTTP 429, too many requests{cut(words, 200)}{_retry_after(http)}"
    violation = Violation(sentence, frames=(http.frame,), instead=True, severity=None if http.asked else _WARNING)
    yield from deferred(case, http, "rate-limited", violation)


def _gateway_error(failure: _ServerError) -> Clause:
    if any(failure.http.header(name) for name in _OF_API_GATEWAY):
        lacks = ", or returned no object with statusCode, headers and body" * (failure.status == _BAD_GATEWAY)
        return Clause(
            f"API Gateway returned HTTP {failure.status}{failure.words}: the function behind it failed{lacks}",
            "See the log of the function in CloudWatch.",
        )
    product = failure.http.header("server") or ""
    stated = f"{failure.status} {responses.get(failure.status, '')}".rstrip()
    named = product and f" ({cut(product, 40)})"
    return Clause(
        f"a gateway{named} returned HTTP {stated}: the server behind it does not respond{failure.words}",
        "Check that the server is running: connect without the gateway, and see the gateway's log.",
    )


def _server_answered(failure: _ServerError) -> Clause:
    return Clause(f"the server answered {failure.http.asked[0].named} with HTTP {failure.status}{failure.words}")


def _sent_by_application(failure: _ServerError) -> Clause | None:
    is_of_gateways = failure.status in _GATEWAY
    return Clause(f": sent by the application itself ({failure.application})") if is_of_gateways else None


def _empty_crash(failure: _ServerError) -> Clause | None:
    if failure.status != _CRASHED or not failure.is_empty:
        return None
    return Clause(" and an empty body", f"See the log of the server. {product_facts()['stateless-transport']}")


def _is_unhandled(failure: _ServerError) -> bool:
    return failure.http.header("server") == "uvicorn" and failure.http.words == "Internal Server Error"


def _wants_login(failure: _ServerError) -> bool:
    return _WANTS_LOGIN.search(failure.words) is not None and failure.http.sent("authorization") is None


def _is_not_implemented(failure: _ServerError) -> bool:
    return failure.status == _NOT_IMPLEMENTED


_SERVER_ERROR: Final = (
    _server_answered,
    when(_is_unhandled, ", which uvicorn and Starlette send for an exception that nothing handled", _UNHANDLED),
    _sent_by_application,
    _empty_crash,
    when(_wants_login, _FOR_401, _SEND_401),
    when(_is_not_implemented, fix="Declare nothing that needs it, or implement it here."),
)
"""What may explain a 5xx status that no gateway sent."""


@error("HTTP server error (5xx)", "http end", "end", topic="")
def http_server_error(case: CheckMoment) -> Iterator[Violation]:
    """5xx for a POST, without a response in the body; to the probe for the era only if a connection was opened.

    Fix: See the log of the server.
    """
    heads, probe = case.heads, case.state.notes(ConnectNotes).probe
    if case.fact is None and case.state.opening is not None and "http-server-error" in probe:
        yield probe["http-server-error"]
    if heads is None or heads.request.method != "POST" or heads.request.probe:
        return
    http, status, probed = heads.http, heads.response.status, is_discovery(heads.http)
    is_answered = not any(each.answered is None for each in http.asked)
    if status < 500 or (is_answered and not (probed and status == _CRASHED)) or (probed and status in _GATEWAY):
        return  # a gateway is judged by the outcome of the next request
    if not probed and not case.state.is_first("http-server-error"):
        return
    own = APPLICATIONS.match(http.header("server") or http.header("x-powered-by") or "") if status <= 504 else None
    is_empty = case.fact is not None and case.fact.body_bytes == 0
    failure = _ServerError(http, status, body_reason(case), own[0] if own is not None else "", is_empty)
    is_of_gateway = status in _GATEWAY and own is None
    found = _gateway_error(failure) if is_of_gateway else joined(failure, _SERVER_ERROR)
    sentence = found.text + _retry_after(http)
    if probed:
        fix = "Return a JSON-RPC error for unknown requests."
        probe["http-server-error"] = Violation(sentence, "", (http.frame,), None, _WARNING, instead=True, fix=fix)
    else:
        yield Violation(sentence, frames=(http.frame,), instead=True, fix=found.fix)


def _is_page(refusal: _Refusal) -> bool:
    return kind_of(refusal.http) == "text/html"


def _words_of_refusal(refusal: _Refusal) -> Clause:
    words = f"{' and an HTML page' if _is_page(refusal) else ''}{refusal.words}"
    words = words or (f" {responses.get(refusal.status, '')}" if refusal.status > _COMMON else "")
    if (kind := kind_of(refusal.http)).startswith("application/grpc"):
        words += cut(f"; the response is one of gRPC ({refusal.http.header('grpc-message') or kind})", 120)
    product = refusal.http.header("server") or ""
    return Clause(words or (f" (Server: {cut(product, 40)})" if product else ""))


def _is_in_vain(refusal: _Refusal) -> bool:
    """Whether it states no reason, and all requests with the id of the session have failed."""
    worked = any(each.worked and each.method != "initialize" for each in refusal.state.requests.all)
    return not worked and refusal.http.sent(SESSION) is not None and bool(STATUS_ONLY.fullmatch(refusal.http.words))


def _is_probe(refusal: _Refusal) -> bool:
    return refusal.asked.probe and refusal.asked.method != "server/discover"


def _lacks_credentials(refusal: _Refusal) -> bool:
    words = _words_of_refusal(refusal).text
    is_anonymous = refusal.http.sent("authorization") is None
    is_of_path = any(refusal.http.header(name) for name in _OF_API_GATEWAY) and "Missing Authentication Token" in words
    return is_anonymous and not (is_of_path or _is_page(refusal)) and _WANTS_LOGIN.search(words) is not None


def _is_forbidden_by_page(refusal: _Refusal) -> bool:
    return refusal.status == _FORBIDDEN and _is_page(refusal)


def _is_forbidden_without_token(refusal: _Refusal) -> bool:
    return refusal.status == _FORBIDDEN and refusal.http.sent("authorization") is None


_REFUSED: Final = (
    _words_of_refusal,
    when(
        _is_in_vain,
        "; no request with the Mcp-Session-Id that initialize returned has succeeded",
        "Find the session by the request header Mcp-Session-Id.",
    ),
    when(_is_probe, fix="Return a JSON-RPC error with the id of the request, which clients can read."),
    when(_lacks_credentials, _FOR_401, _SEND_401),
    when(
        _is_forbidden_by_page,
        fix="See what in front of the server answers with this page, and allow the request there.",
    ),
    when(_is_forbidden_without_token, fix="If credentials are missing, return 401 with WWW-Authenticate."),
    lambda refusal: Clause(fix=_NOT_HERE.get(refusal.status, "")),
)
"""What may explain a refusal, the most telling first."""


@error("HTTP request was rejected", "http end", "end")
def http_request_rejected(case: CheckMoment) -> Iterator[Violation]:
    """A 4xx status that nothing else explains, with the reason in its body; at first only if all attempts fail.

    Fix: Check the URL and the credentials.
    """
    state, fact, heads, notes = case.state, case.fact, case.heads, case.state.notes(ConnectNotes)
    if fact is None and case.frame is None:
        yield from _rejected_attempts(state)
    elif fact is not None and heads is not None and not heads.request.probe:
        http, status = heads.http, heads.response.status
        asked = next((each for each in http.asked if each.answered is None), None)
        if status == _BAD_REQUEST and http.notifications and not http.asked:
            yield from _refused_notification(case, http)
        elsewhere = status in _ELSEWHERE and not (status == _UNACCEPTABLE and kind_of(http) == "text/html")
        if not 400 <= status < 500 or elsewhere or asked is None:
            return
        if (status == 404 and http.sent(SESSION) is not None) or (status == 403 and http.header("www-authenticate")):
            return  # the session has expired, or the challenge states what is required
        if refuses_named_version(state, asked):
            yield named_version_refused(asked, f"with HTTP {status}{body_reason(case)}", http.frame)
            return
        refusal = _Refusal(state, http, asked, status, body_reason(case))
        found = joined(refusal, _REFUSED)
        sentence = f"the server answered POST ({asked.named}) with HTTP {status}{found.text}"
        mild = _WARNING if asked.method in ("ping", "subscriptions/listen") else None  # everything else may work
        mild = Severity.HINT if _is_probe(refusal) else mild  # a request that it can't accept may get an HTTP error
        violation = Violation(sentence, frames=(http.frame, asked.frame), instead=True, fix=found.fix, severity=mild)
        if state.opening is not None and asked.method not in ("initialize", "server/discover"):
            yield violation
        elif state.http.has_endpoint and asked.method == "initialize":
            notes.rejected_over_sse = violation
        elif asked.method == "initialize" or notes.rejected is None:
            notes.rejected = violation  # server/discover counts only if nothing else was tried
            notes.rejected_initialize |= asked.method == "initialize"


def _rejected_attempts(state: ConnectionState) -> Iterator[Violation]:
    """Yield the rejection of the attempt that matters, if none of them has opened the connection."""
    notes, is_open = state.notes(ConnectNotes), state.opening is not None or state.http.has_endpoint
    if not is_open and any(status == _NO_LOGIN for _, status, _ in state.login.refusals):
        return  # POST is not there, and the stream of the older transport wants a login
    if notes.rejected_over_sse is not None and state.opening is None:
        yield notes.rejected_over_sse
    elif notes.rejected is not None and not is_open and notes.nameless_endpoint is None:
        tried = {each.method for each in state.requests.all}
        if notes.rejected_initialize or "initialize" not in tried:
            yield notes.rejected


def _refused_notification(case: CheckMoment, http: HttpExchangeState) -> Iterator[Violation]:
    """HTTP 400 for a notification, unless its words are about headers, which have their own checks."""
    words, state = body_reason(case), case.state
    raw = words.encode()
    if state.opening is None or BAD_VERSION.search(raw) or NO_SESSION.search(raw) or GUARD.search(raw):
        return
    if case.state.is_first("http-request-rejected notification"):
        what = cut(next(filter(None, http.notifications), "a response to a request of the server"), 60)
        sentence = f"the server answered POST ({what}) with HTTP 400{words}: strict clients end the session"
        fix = "Accept notifications and responses with HTTP 202: nothing is sent in return."
        yield Violation(sentence, frames=(http.frame,), instead=True, severity=_WARNING, fix=fix)
