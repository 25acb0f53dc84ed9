"""Diagnoses of the responses to probes: requests that a server should reject.

Only responses to probes are judged here. Rules for all traffic judge some of them as well, such as
`origin-not-validated`, `unsupported-version-accepted`, `unknown-tool-as-tool-error` and `resource-not-found-code`.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from inspector.checks.findings import Confidence, Severity
from inspector.checks.learning import PROBED
from inspector.checks.registry import Flaw, check, diagnosis
from inspector.checks.rules.http import TAKES_ORIGINS
from inspector.checks.state import PREFIX, SESSION, CheckMoment, HttpExchangeState, host_of, is_loopback
from inspector.protocol import peek, probes
from inspector.protocol.facts import HttpEvent
from inspector.protocol.jsonrpc import Answer

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_PAGED = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
_METHOD_NOT_FOUND, _INVALID_PARAMS, _HEADER_MISMATCH = -32601, -32602, -32020


def _params(case: CheckMoment) -> Any:
    """The params of the probe that is answered; None for what answers no probe."""
    return case.asked.params if case.asked is not None and case.asked.probe else None


def lacks_header(case: CheckMoment) -> bool:
    """Whether what is answered is a probe over HTTP whose body lacks what a required header has to repeat.

    Such a request has no right header, so a server that compares headers first rejects it with -32020, as it must.
    """
    asked = case.asked
    if asked is None or not asked.probe or asked.http is None:
        return False
    nameless = asked.method == "tools/call" and not peek.has(asked.params, "name")
    return nameless or not peek.has(asked.params, "_meta", PREFIX + "protocolVersion")


def _refusal(case: CheckMoment, wanted: int, what: str, *, worse: Severity | None = None) -> Iterator[Flaw]:
    """That a probe was taken, or refused by another code than it should."""
    if isinstance(case.message, Answer):
        yield Flaw(f"{what} is taken as if nothing were wrong", severity=worse)
    elif (code := peek.integer(case.value, "code")) != wanted and not (code == _HEADER_MISMATCH and lacks_header(case)):
        yield Flaw(f"{what} is refused by {code}, not {wanted}", "/error/code")


@diagnosis(
    "unknown-method-error-code",
    _WARNING,
    "an unknown method is not told by -32601",
    f"answer {probes.METHOD}",
    f"error {probes.METHOD}",
    topic="basic",
    fix="Answer unknown requests with error -32601: by that clients find out what there is.",
)
def unknown_methods_are_told(case: CheckMoment) -> Iterator[Flaw]:
    """JSON-RPC's own code for it."""
    yield from _refusal(case, _METHOD_NOT_FOUND, "a method that does not exist", worse=_ERROR)


@diagnosis(
    "invalid-ping-response",
    _ERROR,
    "a ping that is not answered by nothing",
    "error ping",
    topic="basic/utilities/ping",
    until="2025-11-25",
)
def pings_are_answered(case: CheckMoment) -> Iterator[Flaw]:
    """“The receiver MUST respond promptly with an empty response.”"""
    if case.asked is not None and case.asked.probe:
        yield Flaw(f"ping is refused by {peek.integer(case.value, 'code')}", "/error/code", fix="Answer {}.")


@diagnosis(
    "invalid-params-error-code",
    _WARNING,
    "a call without a name",
    "answer tools/call",
    "error tools/call",
    topic="server/tools",
    fix="Answer -32602 to params that are not what the method needs.",
    needs=PROBED,
)
def invalid_params_are_told(case: CheckMoment) -> Iterator[Flaw]:
    """Invalid params have a code; a result would be one of no tool."""
    params = _params(case)
    if type(params) is dict and "name" not in params:
        yield from _refusal(case, _INVALID_PARAMS, "a call that names no tool")


@diagnosis(
    "probe-unanswered",
    _WARNING,
    "a probe without any answer",
    "end",
    topic="basic",
    fix="Answer every request, with an error if need be: who asks waits for it.",
)
def everything_is_answered(case: CheckMoment) -> Iterator[Flaw]:
    """What was tried on purpose, and left without a word."""
    last = (
        case.state.process.provoked[0] if case.state.process.provoked and case.state.why else 0
    )  # it ended the server (exit-on-invalid-message)
    everything = (*case.state.requests.open.values(), *case.state.requests.done.values())
    asked = [each for each in everything if each.probe and each.frame != last]
    for each in asked:
        if each.answered is None and each.method not in ("server/discover", "initialize") and each.http is None:
            frames = (each.frame,)
            yield Flaw(f"{each.method[:60]}, made to see what comes, got no answer", frames=frames, instead=True)


@check(
    "unissued-cursor-accepted",
    _WARNING,
    "a cursor that was never given is taken",
    *(f"answer {method}" for method in _PAGED),
    topic="server/utilities/pagination",
    fix="Answer -32602 to cursors that you did not give.",
)
def cursors_are_looked_at(case: CheckMoment) -> Iterator[Flaw]:
    """“Invalid cursors SHOULD result in an error with code -32602.” A hint where the server gives no cursors at all."""
    if peek.text(_params(case), "cursor") == probes.CURSOR:
        mild = None if any(case.state.lists.cursors.values()) else _HINT
        yield Flaw("a cursor that was never given brings a page", "/result", severity=mild)


@check(
    "missing-argument-accepted",
    _WARNING,
    "a prompt without an argument that it needs",
    "answer prompts/get",
    "error prompts/get",
    topic="server/prompts",
    fix="Answer -32602 where a required argument is missing.",
    needs=PROBED,
)
def arguments_are_demanded(case: CheckMoment) -> Iterator[Flaw]:
    """“Missing required arguments: -32602.”"""
    params = _params(case)
    known = case.state.lists.known["prompts"].get(peek.text(params, "name") or "")
    needed = [each for each in peek.items(known.item if known else None, "arguments") if peek.flag(each, "required")]
    if needed and not peek.mapping(params, "arguments"):
        yield from _refusal(case, _INVALID_PARAMS, "a prompt without an argument that it needs")


@check(
    "undeclared-version-accepted",
    _ERROR,
    "a request that does not say its revision is taken",
    "answer tools/list",
    "error tools/list",
    "end",
    topic="basic",
    since="2026-07-28",
    fix="Answer -32602 where _meta lacks the protocol version or the capabilities.",
)
def requests_declare_themselves(case: CheckMoment) -> Iterator[Flaw]:
    """Required since requests have to stand for themselves.

    Over stdio nothing else tells the era of such a request, so a server that takes initialize as well may take it for
    one of the older era: which is known only at the end.
    """
    asked, state = case.asked, case.state
    if asked is None:
        if "undeclared-version-accepted" in state.notes and not state.answers_initialize:
            yield from state.notes["undeclared-version-accepted"]
    elif asked.probe and not peek.has(asked.params, "_meta", PREFIX + "protocolVersion"):
        for flaw in _refusal(case, _INVALID_PARAMS, "a request without _meta"):
            severity = _WARNING if flaw.pointer else None
            found = Flaw(flaw.sentence, flaw.pointer, severity=severity, frames=(case.n,), instead=True)
            if asked.http is not None:
                yield found
            else:
                state.notes.setdefault("undeclared-version-accepted", []).append(found)


def _knocked(case: CheckMoment) -> HttpExchangeState | None:
    """The HTTP exchange made on purpose whose response has just begun."""
    http, fact = case.http, case.fact
    if fact is None or fact.event is not HttpEvent.RESPONSE or http is None or http.request is None:
        return None
    return http if http.request.probe else None


def _status(http: HttpExchangeState) -> int:
    return http.response.status if http.response is not None else 0


@diagnosis(
    "unknown-session-status",
    _WARNING,
    "a session that there is not is not told by 404",
    "http",
    topic="http",
    since="2025-03-26",
    until="2025-11-25",
    fix="Answer 404: then clients begin a new session by themselves.",
)
def unknown_sessions_are_told(case: CheckMoment) -> Iterator[Flaw]:
    """404 is what a session that is over must get; that one that never was is told alike is what clients expect.

    To take it is a warning, and so is an error of the server's own; another refusal is a hint.
    """
    http = _knocked(case)
    if http is None or http.sent(SESSION) != probes.SESSION or _status(http) in (401, 403, 404):
        return
    mild = _HINT if 400 <= _status(http) < 500 else None
    yield Flaw(f"a session id that was never given is answered by {_status(http)}, not 404", severity=mild)


_FOR_BROWSERS = ("mcp-session-id", "mcp-protocol-version", "authorization", "content-type")


@diagnosis(
    "cors-missing",
    _HINT,
    "web clients can't use it",
    "http",
    topic="",
    fix="Only if web clients should: answer OPTIONS.",
)
def browsers_may_ask(case: CheckMoment) -> Iterator[Flaw]:
    """What the answer to a preflight lacks for clients in web pages of elsewhere."""
    http = _knocked(case)
    if http is None or http.request is None or http.request.method != "OPTIONS" or http.sent("origin") is None:
        return
    allowed = (http.header("access-control-allow-headers") or "").lower()
    names = {each.strip() for each in allowed.split(",")}
    if http.header("access-control-allow-origin") is None:
        yield Flaw(f"a preflight (OPTIONS) was answered by {_status(http)}, without Access-Control-Allow-Origin")
    elif missing := [
        name for name in _FOR_BROWSERS if name not in names and ("*" not in names or name == "authorization")
    ]:
        lines = f"Access-Control-Allow-Headers: {', '.join(_FOR_BROWSERS)}"
        fix = f"{lines}; Access-Control-Expose-Headers: Mcp-Session-Id"
        yield Flaw(f"a preflight allows web clients no {', '.join(missing)}", fix=fix)


@diagnosis(
    "host-not-validated",
    _WARNING,
    "a local server that listens to any name",
    "http",
    topic="http",
    confidence=Confidence.LIKELY,
    fix="Compare Host with the names that are meant, too: web pages can give this machine a name of their own.",
)
def host_is_looked_at(case: CheckMoment) -> Iterator[Flaw]:
    """DNS rebinding: a page of elsewhere whose name leads to this machine is of the server's own origin then.

    A hint where Origin is looked at, which is what the specification asks for and what stops a browser's POST.
    """
    http = _knocked(case)
    if http is None or http.request is None or http.sent("host") != probes.HOST:
        return
    if is_loopback(http.request.target) and 200 <= _status(http) < 300:
        mild = None if TAKES_ORIGINS in case.state.notes else _HINT
        yield Flaw(f"a request to Host: {probes.HOST} was answered by {_status(http)}", severity=mild)


@diagnosis(
    "loopback-address-family",
    _HINT,
    "the server is at one of this machine's two addresses",
    "http",
    "http end",
    "end",
    topic="",
    fix="Listen on both, or name the address instead of localhost: which is tried first differs between clients.",
)
def both_addresses_answer(case: CheckMoment) -> Iterator[Flaw]:
    """127.0.0.1 and ::1, where one answers and the other does not.

    Judged for the name localhost, which stands for both, and for an address that was dialled and did not answer.
    """
    state, http, fact = case.state, case.http, case.fact
    known: dict[str, tuple[bool, int]] = state.notes.setdefault("loopback-address-family", {})
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
        said = f"nothing listens at {not_there[0][0]}, and {there[0][0]} answers"
        yield Flaw(said, frames=(there[0][1], not_there[0][1]), instead=True, severity=None if reached else _ERROR)


_DIALLED = ""
"""In the place of an address: the one that the session itself uses."""
