"""Diagnoses of connecting: no response, unusable ids, failed version negotiation."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from inspector.checks.diagnoses.causes import MIXED_UP, telling_line
from inspector.checks.diagnoses.clauses import Clause, joined, when
from inspector.checks.diagnoses.process import cause_in, line_like, logged_while, tail_of
from inspector.checks.diagnoses.stalls import awaited_at_first, computed_at_eof, computed_at_stall, unread_at_eof
from inspector.checks.diagnoses.starting import FIX_HELD_BACK, SLOW_NS, deaf_to_initialize, held_back, unanswered
from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import LIMITED, elided, reason_of, states_no_reason
from inspector.checks.registry import Violation, declare, diagnoses_of
from inspector.checks.sayings import product_facts
from inspector.checks.state import FIRST_MODERN, PREFIX, SESSION, CheckMoment, ConnectionState, TrackedRequest
from inspector.protocol import peek
from inspector.protocol.facts import ProcessEvent, lacks_program
from inspector.protocol.frames import Cause, Direction
from inspector.protocol.jsonrpc import Notification
from inspector.protocol.probes import METHOD
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import HEADER_MISMATCH, OPENING
from inspector.protocol.revisions.table import ROWS, find, mutual
from inspector.text import cut

error, warning, hint = diagnoses_of("basic/lifecycle")

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_TOO_SLOW_NS, _SILENT_NS = 60_000_000_000, 2_000_000_000
_FIX_BLOCKED = "Handle requests concurrently: one that computes blocks all others (py-spy dump, node --inspect)."
_FIX_INSTANCES = (
    "Check whether the server restarted, or several instances share the load. Use sticky sessions, or be stateless."
)
_FIX_STDIN = (
    "Check the subcommand, and whether a script or container passes its stdin on: a shell gives a command that ends "
    "with & the input /dev/null, and docker run needs -i."
)
_FIX_REPORTED = "Correct what stderr reports, or respond first and do this work afterwards."
_FIX_THREAD = "Serve requests in threads or asynchronously: the open event stream occupies a server of one thread."
_FIX_URL = (
    "Check that this is the URL of the MCP endpoint, and whether a gateway delays the response. See the server log."
)
_FIX_SERVICE = "Respond first, and connect afterwards; see why that service is silent."
_EARLY = re.compile(
    r"(?i)(?:before|during) (?:the )?(?:session )?initiali[sz]ation|"
    r"not (yet )?(been )?initiali[sz]ed|must initiali[sz]e|uninitiali[sz]ed"
)
_DEMANDS = re.compile(
    r"(?i)\binitiali[sz]e\b.{0,30}\b(?:required|first|before|missing|expected)\b|call initiali[sz]e\b"
)
AWAITS_INITIALIZED = re.compile(
    r"(?i)(?:wait|expect|require|need|missing|before|until|without)\w{0,20}.{0,40}?\binitialized\b|"
    r"\binitialized\b.{0,40}?(?:expected|required|missing|not received|first)|\bstatus=initializing\b|"
    r"(?:unknown|unhandled|unexpected|unsupported|not found).{0,40}notifications/initialized"
)
"""Error messages of servers that wait for notifications/initialized."""
_NAME = "Accept notifications/initialized: a server that expects “initialized”, without the prefix, waits forever."
_UNKNOWN_METHOD = re.compile(r"(?i)(?:unknown|unsupported|no such) method")
_VERSION = re.compile(
    r"(?i)(unsupported|invalid|unknown|incompatible|not supported).{0,40}version|version.{0,40}(not |un)supported"
)
_DATE_SAID = re.compile(r"\b20\d\d-\d\d-\d\d\b")
_FEW = 2
_ASK_AUTHOR = "Ask the author of the server which protocol versions it supports."
_SHORT_KEY = re.compile(r"_meta[.\[\W]{1,3}(protocolVersion|clientInfo|clientCapabilities)")
_NEEDED = ("supportedVersions", "capabilities", "resultType", "ttlMs", "cacheScope")
_TOLD_BY = {"tools/list": "tools", "prompts/list": "prompts", "resources/list": "resources"}
_LISTS = (*_TOLD_BY, "resources/templates/list")
_WORKS = ("resources/read", "prompts/get")
_WAITS = ("initialize", "server/discover", "subscriptions/listen", "tools/call", "tasks/result")
"""Methods with a separate diagnosis, or without a time limit."""
_SPENT = re.compile(rb"(?i)session (?:has been |was |is )?(?:terminated|closed)|-32001\b.{0,40}\bsession not found")
"""Refusals of a server that has one transport for all clients."""
_SHARED = re.compile(
    rb"(?i)already connected to a transport|transport (?:is )?already (?:started|connected|in use)|"
    rb"stateless transport cannot be reused|server (?:is )?already (?:connected|initialized)"
)
_KNOWN_REFUSALS = (-32601, -32020, -32021, -32022)
_OFTEN = 3
"""Notifications between two lists that are the same, from which on they are reported."""
_EARLY_ENOUGH = ("notifications/message", "notifications/progress", "notifications/cancelled")


class _Listed(msgspec.Struct):
    """The newest list of a kind."""

    frame: int
    items: list[Any]
    before: bool
    """Whether the one before was the same, and `list_changed` followed it."""
    time_ns: int
    followed: int = 0
    """How often `list_changed` has followed."""


class _Notes(msgspec.Struct):
    listed: dict[str, _Listed] = {}
    """The newest list of each kind."""
    refused_discover: str = ""
    """Code and reason with which `server/discover` was rejected, if they are not about versions."""
    unimplemented: Violation | None = None
    """The rejection of `initialize` by a server that does not implement it."""


class _Silence(NamedTuple):
    """A running server, and the first request that it has not answered."""

    state: ConnectionState
    asked: TrackedRequest


class _Rejection(NamedTuple):
    """An error in response to `initialize`."""

    state: ConnectionState
    code: int | None
    reason: str
    discover: str
    """Code and reason of the response to `server/discover` before it; "" if that was about versions."""


def _heard_over_http(silence: _Silence) -> Clause:
    state, asked = silence
    if state.http.has_endpoint and asked.status == 202:
        heard = "the POST was accepted with HTTP 202, but the event stream brought no response"
    elif asked.status is None:
        heard = "no HTTP response"
    else:
        heard = asked.stage()
    return Clause(f": {heard} within {(state.last_ns - asked.time_ns) / 1e9:.0f} s")


def _awaited_service(silence: _Silence) -> Clause | None:
    awaited = awaited_at_first(silence.state)
    return Clause(f"{';' if silence.state.is_http else ':'} {awaited}", _FIX_SERVICE) if awaited else None


def _was_computing(silence: _Silence) -> bool:
    return computed_at_stall(silence.state) and not awaited_at_first(silence.state)


def _occupies_its_thread(silence: _Silence) -> bool:
    return silence.state.http.has_endpoint and silence.asked.status is None


def _was_still_computing(silence: _Silence) -> bool:
    return computed_at_eof(silence.state)


def _unread_stdin(silence: _Silence) -> Clause | None:
    unread = unread_at_eof(silence.state)
    text = f"; nothing has read the {unread:,} bytes that were written to its stdin"
    return Clause(text, "" if cause_in(silence.state) or _reported(silence) else _FIX_STDIN) if unread else None


def _reported(silence: _Silence) -> tuple[int, str] | None:
    """Return what one of the last lines of stderr says about a failure, and its entry; None if none does."""
    return telling[:2] if (telling := telling_line(tail_of(silence.state)[:4])) is not None and telling[2] else None


def _words_on_stderr(silence: _Silence) -> Clause:
    if (logged := cause_in(silence.state)) is not None:
        return Clause(f"; stderr has: {logged[1]}", logged[2], (logged[0],))
    if (reported := _reported(silence)) is not None:
        return Clause(f"; stderr has: {reported[1]}", _FIX_REPORTED, (reported[0],))
    for n, line in tail_of(silence.state):
        if line.strip():
            return Clause(f"; stderr ends with: {elided(line, 120)}", frames=(n,))
    return Clause("; stderr is empty")


_SILENT_OVER_HTTP = (
    _heard_over_http,
    _awaited_service,
    when(_was_computing, "; the process that listens there was computing", _FIX_BLOCKED),
    when(_occupies_its_thread, fix=_FIX_THREAD),
    lambda _: Clause(fix=_FIX_URL),
)
_SILENT_OVER_STDIO = (
    _awaited_service,
    _unread_stdin,
    _words_on_stderr,
    when(_was_still_computing, "; the process was still computing, so it may be starting"),
)


@error("Server is running but silent", "end")
def server_silent(case: CheckMoment) -> Iterator[Violation]:
    """The handshake was sent and the process is running, but there is no response.

    Fix: Check the subcommand, whether the server works before it reads stdin, and whether it flushes its output.
    """
    state = case.state
    if (asked := deaf_to_initialize(state)) is not None:
        stage = asked.stage() or "the server is running"
        sentence = f"initialize has no response, although server/discover had one; {stage}"
        fix = "Respond to initialize at once, and load data afterwards; see what its handler waits for."
        fix += " In a handler with an SDK, connect the server to the transport first." * state.is_http
        yield Violation(sentence, frames=(asked.frame,), instead=True, fix=fix)
        return
    asked = unanswered(state)
    if asked is None:
        return
    if state.connection is not None and (held := held_back(state.connection.argv)):
        yield Violation(held, frames=(state.opened, asked.frame), instead=True, fix=FIX_HELD_BACK)
        return
    if state.connection is not None and lacks_program(state.connection.argv):
        sentence = f"{cut(state.connection.argv[0], 60)} has no program to run: it takes the messages on stdin for one"
        fix = "Name the script of the server behind it."
        yield Violation(sentence, frames=(state.opened, asked.frame), instead=True, fix=fix)
        return
    if not state.is_http or (asked.status or 0) < 400:  # a refusal is no silence
        found = joined(_Silence(state, asked), _SILENT_OVER_HTTP if state.is_http else _SILENT_OVER_STDIO)
        sentence, frames = f"initialize has no response{found.text}", (asked.frame, *found.frames)
        yield Violation(sentence, frames=frames, instead=True, fix=found.fix)


@hint("Slow handshake", "answer initialize", "answer server/discover", topic="")
def slow_handshake(case: CheckMoment) -> Iterator[Violation]:
    """Measured from the start of the connection, without the time for which the server waited for the CPU.

    No limit is specified: clients wait from 10 s to a minute.

    Fix: Respond first, and load data afterwards; or raise the client's timeout, such as startup_timeout_sec.
    """
    states = (fact.state for _, _, fact in case.state.process.facts if fact.event is ProcessEvent.LATE)
    busy_s = sum(each.delayed_s for each in states if each is not None)  # the machine was busy with something else
    took = case.time_ns - case.state.began_ns - int(busy_s * 1e9)
    if took > SLOW_NS and case.state.began_ns and case.state.opening is None:
        worse = _WARNING if took > _TOO_SLOW_NS else None
        waits = "few clients wait for more than 60 s" if worse else product_facts()["startup-timeout"]
        more = f", apart from {busy_s:.0f} s in which it waited for the CPU" if busy_s >= 1 else ""
        yield Violation(f"the first response came {took / 1e9:.0f} s after the start{more}; {waits}", severity=worse)


def log_of(state: ConnectionState) -> str:
    """Return where a server on this transport writes its log."""
    return "log" if state.is_http else "stderr"


@error("Request rejected as if not initialized", "error", until="2025-11-25")
def rejected_as_uninitialized(case: CheckMoment) -> Iterator[Violation]:
    """The server has lost its session state, or the client sent its request too early.

    Fix: Send notifications/initialized before the first request.
    """
    state, message = case.state, peek.text(case.value, "message") or ""
    if state.opening is None or case.method in OPENING or not _EARLY.search(message[:500]):
        return
    if not state.initialized:
        how, fix = "was sent before notifications/initialized", ""
    elif state.transport == "stdio" or AWAITS_INITIALIZED.search(message[:500]):
        how, fix = "was rejected although notifications/initialized was sent", _NAME
    else:
        how, fix = "was rejected as if initialize had not been sent", _FIX_INSTANCES
        if state.is_http and not state.http.session_id:
            fix = "Check whether a proxy removes Mcp-Session-Id: the response to initialize had none."
        if cookie := state.http.session_cookie if state.is_http else "":
            how += f"; initialize was answered with the cookie {cut(cookie, 40)}, which clients do not send back"
    yield Violation(f"{case.named} {how}: {cut(message, 100)}", fix=fix)


@error("Request without a handshake is rejected", "error", since="2026-07-28")
def handshake_demanded(case: CheckMoment) -> Iterator[Violation]:
    """The server names a version without a handshake and demands one: clients of that version cannot use it.

    Fix: Serve all methods without initialize, or do not name this version in server/discover.
    """
    message = peek.text(case.value, "message") or ""
    is_opening = case.method in OPENING or case.state.opening is None
    if not is_opening and (_EARLY.search(message[:500]) or _DEMANDS.search(message[:500])):
        yield Violation(
            f"{case.named} was rejected for lack of a handshake, which {_date(case)} has not: {cut(message, 100)}"
        )


def _date(case: CheckMoment) -> str:
    return case.revision.date if case.revision else "this protocol version"


@error("No common protocol version", "error")
def no_common_version(case: CheckMoment) -> Iterator[Violation]:
    """Error -32022, or initialize rejected because of its version; right if server/discover names a common one.

    Fix: Connect with a --revision that the server supports.
    """
    code, asked = peek.integer(case.value, "code"), case.asked
    sentence = peek.text(case.value, "message") or ""
    if code != -32022 and not (case.method == "initialize" and _VERSION.search(sentence[:500])):
        return
    if case.state.opening is not None and (case.method == "initialize" or (asked is not None and asked.probe)):
        return  # the response to the probe was late, but counts; or a request was made to be rejected
    named = [each for each in peek.items(case.value, "data", "supported") if isinstance(each, str)]
    requested = peek.at(asked.params, "protocolVersion") if asked is not None else None
    dates = named or [each for each in _DATE_SAID.findall(sentence[:500]) if each != requested]
    common = [each for each in dates if find(each) is not None]
    tells = f"it supports {', '.join(cut(each, 20) for each in named[:5])}" if named else cut(sentence, 100)
    if code == -32022 and not named:
        tells += "; data.supported, which names those that it has, is missing"
    is_refused = code == -32022 and case.method == "initialize"
    if common and ((asked is not None and asked.probe) or (is_refused and mutual(common, Era.MODERN))):
        return  # right: the session opens with a version that it names
    mild = _HINT if common and is_refused else None
    row = asked.row if asked is not None else 0
    if case.state.opening is not None and row == case.state.row:
        date, is_discovered = ROWS[row - 1].date, ROWS[row - 1].era is Era.MODERN
        if date in named or is_discovered:
            where = "also lists as supported" if date in named else "lists as supported in server/discover"
            sentence = f"{case.named} declares {date}, which the server rejects and {where}"
            yield Violation(sentence, "/error", fix="Accept the protocol versions that the server lists.")
            return
    fix = f"Connect with --revision {common[0]}." if common else _ASK_AUTHOR
    yield Violation(f"the server rejects the requested protocol version: {tells}", "/error", severity=mild, fix=fix)


@error("Handshake negotiated a version without handshake", "answer initialize", until="2025-11-25")
def modern_version_in_handshake(case: CheckMoment) -> Iterator[Violation]:
    """The server echoes any requested version.

    Fix: Negotiate a protocol version that defines initialize, 2025-11-25 or older.
    """
    date = peek.text(case.value, "protocolVersion")
    row = find(date) if date else None
    if row is not None and row.era is Era.MODERN:
        sentence = f"the initialize result has the protocol version {date}, which does not define initialize"
        yield Violation(sentence, "/result/protocolVersion")


@error("Incomplete support of the stateless protocol version", "answer server/discover", topic="server/discover")
def incomplete_modern_support(case: CheckMoment) -> Iterator[Violation]:
    """server/discover has a result, but members are missing that clients of this version rely on.

    Fix: Return the required members of this protocol version in each result, or do not implement server/discover.
    """
    if type(case.value) is not dict:
        return
    missing = [name for name in _NEEDED if name not in case.value]
    if not case.value:
        sentence = "server/discover has the result {} instead of an error: the server accepts unknown methods"
        yield Violation(sentence, "/result", fix="Return error -32601 for unknown methods.")
    elif missing:
        yield Violation(f"the server/discover result lacks {', '.join(missing)}", "/result")


@hint(
    "Unknown method gets no response",
    "answer initialize",
    topic="basic",
    until="2025-11-25",
    confidence=Confidence.LIKELY,
)
def unknown_method_unanswered(case: CheckMoment) -> Iterator[Violation]:
    """The probe had no response, but initialize had: clients of both eras wait at each start.

    A hint: before initialize, legacy clients should send nothing else.

    Fix: Return error -32601 for unknown methods.
    """
    for asked in case.state.requests.all:
        http = case.state.http.exchanges.get(asked.http) if asked.http is not None else None
        silent = asked.answered is None and (asked.http is None or (http is not None and http.response is None))
        if asked.method == "server/discover" and silent and asked.frame < case.n:
            wait = (case.time_ns - asked.time_ns) / 1e9
            sentence = f"server/discover had no response when initialize was answered, {wait:.1f} s later"
            yield Violation(sentence, frames=(asked.frame,), instead=True)
            return


@hint("List changed without `list_changed`", *(f"answer {each}" for each in _TOLD_BY), until="2025-11-25")
def list_changed_silently(case: CheckMoment) -> Iterator[Violation]:
    """Two lists of one page differ, listChanged is declared, and there was no notification between them.

    Fix: Send `notifications/…/list_changed` after each change.
    """
    kind = _TOLD_BY[case.method]
    before, paged = case.state.lists.known[kind], peek.has(case.value, "nextCursor")
    if paged or (case.asked is not None and peek.has(case.asked.params, "cursor")):
        return
    if not before:
        items = peek.items(case.value, kind)
        if items and case.method in case.state.lists.complete and kind not in case.state.lists.announced:
            sentence = f"{case.method} was empty at first and has {len(items):,} items later, without a notification"
            fix = "Register everything before the first response: clients that request the list once see nothing."
            yield Violation(sentence, f"/result/{kind}", severity=_WARNING, fix=fix)
        return
    now = {peek.text(item, "uri" if kind == "resources" else "name") for item in peek.items(case.value, kind)}
    if now != set(before) and case.state.capable(kind, "listChanged") and kind not in case.state.lists.announced:
        yield Violation(f"{kind} changed without a notification", f"/result/{kind}")


@warning(
    "`list_changed` although the list is the same",
    *(f"answer {each}" for each in _TOLD_BY),
    *(f"notification notifications/{kind}/list_changed" for kind in _TOLD_BY.values()),
    until="2025-11-25",
)
def list_changed_by_list(case: CheckMoment) -> Iterator[Violation]:
    """The list is the same as before, no tool was called, and list_changed follows again, or came over and over.

    Fix: Send list_changed when the list has changed, and not when it is fetched.
    """
    state, message = case.state, case.message
    if isinstance(message, Notification):
        kind = message.method.split("/")[1]
        listed = state.notes(_Notes).listed.get(kind)
        calls = state.requests.all
        if listed is None or any(each.method == "tools/call" and each.frame > listed.frame for each in calls):
            return
        listed.followed += 1
        if listed.before and state.is_first(f"list-changed-by-list {kind}"):
            sentence = f"each response to {kind}/list is followed by {kind}/list_changed, but the list is the same"
            yield Violation(f"{sentence}: clients fetch it without end", frames=(listed.frame,))
    elif not peek.has(case.value, "nextCursor") and not peek.has(case.asked_params, "cursor"):
        kind = _TOLD_BY[case.method]
        items, known = peek.items(case.value, kind), state.notes(_Notes).listed
        last = known.get(kind)
        is_same = last is not None and last.items == items
        if last is not None and is_same and last.followed >= _OFTEN and state.is_first(f"list-changed-by-list {kind}"):
            waited = (case.time_ns - last.time_ns) / 1e9
            sentence = f"{kind}/list_changed came {last.followed} times in {waited:.1f} s, but the list is the same"
            yield Violation(f"{sentence}: each makes clients fetch it again", frames=(last.frame,))
        before = last is not None and is_same and last.followed > 0
        known[kind] = _Listed(case.n, items, before, case.time_ns)


def _reasons(rejection: _Rejection) -> Clause:
    *_, reason, discover = rejection
    also = f", and server/discover with {discover}" if discover and reason not in discover else ""
    return Clause(f": {reason[: 120 if also else 240]}{also}")


def _code_of_modern_servers(rejection: _Rejection) -> Clause | None:
    probes = [each.frame for each in rejection.state.requests.all if each.method == "server/discover"]
    if rejection.code != HEADER_MISMATCH or not probes:
        return None
    text = ". Only servers of 2026-07-28 return this code, and server/discover had no usable result"
    return Clause(text, "Return a DiscoverResult, or -32601 with the supported versions.", (min(probes),))


def _key_without_prefix(rejection: _Rejection) -> Clause | None:
    short = _SHORT_KEY.search(rejection.discover)
    fix = f"Read {PREFIX}{short[1]} in _meta, with its prefix: clients of 2026-07-28 send that." if short else ""
    return Clause(fix=fix)


def _reason_withheld(rejection: _Rejection) -> Clause | None:
    state = rejection.state
    if not states_no_reason(rejection.reason) or any(line.strip() for _, line in tail_of(state)):
        return None
    where = f"See its {log_of(state)};" if state.is_http else "Its stderr is empty:"
    return Clause(fix=f"{where} {product_facts()['onerror-withheld']}")


def _prerequisite(rejection: _Rejection) -> Clause:
    return Clause(fix=f"See its {log_of(rejection.state)}: a prerequisite is missing, or it rejects this client.")


_REJECTED_INITIALIZE = (_reasons, _code_of_modern_servers, _key_without_prefix, _reason_withheld, _prerequisite)


@error("`initialize` was rejected", "error initialize", "error server/discover", "end")
def handshake_rejected(case: CheckMoment) -> Iterator[Violation]:
    """Rejected with an error that is not about versions; a server without initialize may be of the modern era.

    Fix: Check the error message and the log of the server.
    """
    notes = case.state.notes(_Notes)
    if case.message is None:
        if case.state.opening is None and notes.unimplemented is not None:
            yield msgspec.structs.replace(notes.unimplemented, severity=_of_rejection(case.state))
        return
    code, sentence, opening = peek.integer(case.value, "code"), reason_of(case.value), case.state.opening
    if case.method == "server/discover":
        if code not in (-32601, -32022) and not (_VERSION.search(sentence) or _EARLY.search(sentence)):
            notes.refused_discover = f"{code}: {cut(sentence, 120)}"
        return
    is_unknown = code == -32601 or _UNKNOWN_METHOD.search(sentence[:500]) is not None
    if is_unknown and case.asked is not None and not peek.items(case.value, "data", "supported"):
        sentence = f"initialize is not implemented: it was rejected with {code}: {cut(reason_of(case.value), 240)}"
        fix = "Implement initialize, or server/discover of 2026-07-28: clients begin with one of them."
        frames = (case.n, case.asked.frame)
        notes.unimplemented = Violation(sentence, "/error", frames, instead=True, fix=fix)
    if is_unknown or code == -32022 or _VERSION.search(sentence[:500]) or _echoed(case):
        return
    if opening is not None and opening.era is Era.MODERN:
        return  # the connection was opened without a handshake
    rejection = _Rejection(case.state, code, sentence, notes.refused_discover)
    found = joined(rejection, _REJECTED_INITIALIZE)
    mild = _of_rejection(case.state) if code == HEADER_MISMATCH else None
    sentence = f"initialize was rejected with {code}{found.text}"
    yield Violation(sentence, "/error", found.frames, severity=mild, fix=found.fix)


def _of_rejection(state: ConnectionState) -> Severity | None:
    """Return the severity of a rejection that is right of a server whose response to server/discover is broken."""
    discovered = (each for each in state.requests.all if each.method == "server/discover")
    return _WARNING if any(each.unread is not None for each in discovered) else None


def _echoed(case: CheckMoment) -> bool:
    """Whether the server has echoed this request, so that the response is our own."""
    return case.asked is not None and (Direction.FROM_SERVER, case.asked.id) in (
        *case.state.requests.open,
        *case.state.requests.done,
    )


@error("Request has no response", "end", topic="basic")
def request_unanswered(case: CheckMoment) -> Iterator[Violation]:
    """The server is running and has responded to other requests, but not to this one for a while.

    Fix: Respond to each request, with an error if need be, and set a timeout on what it waits for.
    """
    state = case.state
    if state.opening is None or state.why:
        return
    hung = False
    for asked in sorted(state.requests.all, key=lambda each: each.frame):
        follows, hung = hung, asked.probe and asked.method == "tools/call" and asked.answered is None
        if follows and asked.probe:
            continue  # whether the server still responds after a call, which `check --probe` judges
        waited = (asked.cancelled_ns or state.last_ns) - asked.time_ns
        ours = asked.sender is Direction.TO_SERVER and asked.answered is None and asked.method not in _WAITS
        ours = ours and asked.unread is None and asked.method != METHOD  # other checks are about those
        if ours and waited >= _SILENT_NS:
            alive = asked.stage() or "the server is running"
            sentence = f"{asked.named} has no response after {waited / 1e9:.0f} s; {alive}"
            sentence += state.requests.had_worked(asked) + logged_while(state, asked)
            short = asked.cause is Cause.CHECK and asked.method in _WORKS  # it may work longer than check waits
            more = ", and may respond after check has ended" if short else ""
            mild = Severity.HINT if short else None
            yield Violation(sentence + more, frames=(asked.frame,), instead=True, severity=mild)


@error(
    "One server object serves all sessions",
    "refusal",
    "error",
    topic="basic/transports",
    wanted=lambda case: case.frame is not None,
    confidence=Confidence.LIKELY,
)
def server_object_shared(case: CheckMoment) -> Iterator[Violation]:
    """The SDK refuses to connect an object twice: the first client works, and all others fail until a restart.

    Fix: Create a server and a transport for each session, or for each request if the server is stateless.
    """
    payload = case.frame.payload[:20_000] if case.frame is not None else b""
    if (found := _SHARED.search(payload)) and case.state.is_first("server-object-shared"):
        message = found[0].decode("utf-8", "replace")
        what = "the server object is connected to another session"
        if b"stateless" in found[0].lower():
            what = "one stateless transport is used for all requests, and serves one"
        yield Violation(f"{what}: {message}", span=found.span())
    elif case.http is not None and any(each.method == "initialize" for each in case.http.asked):
        found, status = _SPENT.search(payload), case.http.response.status if case.http.response is not None else 0
        if found and case.http.sent(SESSION) is None and case.state.is_first("server-object-shared"):
            message = found[0].rpartition(b'"')[2].decode("utf-8", "replace")
            words = f"initialize without a session is refused as if it had one (HTTP {status}): {message}"
            yield Violation(words, span=found.span())


declare(
    "named-version-refused",
    _WARNING,
    "Version of `server/discover` is refused",
    topic="server/discover",
    since="2026-07-28",
    fix="Name only versions in which all requests are served: clients fail otherwise, or fall back to initialize.",
    is_diagnosis=True,
)


def refuses_named_version(state: ConnectionState, asked: TrackedRequest) -> bool:
    """Whether a server that named versions of both eras refuses its first stateless request; initialize may follow."""
    opening = state.opening
    if opening is None or opening.era is not Era.MODERN or not mutual(list(opening.supported), Era.LEGACY):
        return False
    done = state.requests.done.values()
    worked = (each for each in done if each.answered is not None and each.status in (None, 200))
    return asked.row >= FIRST_MODERN and all(each.method == "server/discover" for each in worked)


def named_version_refused(asked: TrackedRequest, how: str, frame: int) -> Violation:
    """Return the violation of a request that `refuses_named_version` is about, refused in entry `frame`."""
    sentence = f"server/discover names {ROWS[asked.row - 1].date}, but {asked.named} was refused {how}"
    return Violation(sentence, frames=(frame, asked.frame), instead=True, id="named-version-refused")


@error("List request failed", *(f"error {each}" for each in _LISTS), topic="basic")
def list_failed(case: CheckMoment) -> Iterator[Violation]:
    """The list was rejected; unknown methods, versions and missing capabilities are other faults.

    So are requests that were made to be rejected, such as one with an unknown cursor, or of what is not declared.

    Fix: Check the log of the server. Omit what cannot be listed, not the whole list.
    """
    code = peek.integer(case.value, "code")
    if case.asked is not None and code in (-32000, -32600, -32022) and refuses_named_version(case.state, case.asked):
        yield named_version_refused(case.asked, f"with {code}: {cut(reason_of(case.value), 240)}", case.n)
        return
    if case.asked is not None and case.asked.probe:
        return  # with a cursor that was never given, or of what is not declared
    explained = _KNOWN_REFUSALS if case.is_modern else (-32601, -32022)
    if LIMITED.search(reason_of(case.value)) and len(case.state.requests.done) > _FEW:
        return  # of so many requests one was refused
    if code is not None and code not in explained:
        if MIXED_UP.search((peek.text(case.value, "message") or "")[:2000]):
            return  # `schema-library-mismatch` reports it
        vague = states_no_reason(peek.text(case.value, "message") or "")
        see = f"See its {log_of(case.state)}" if vague else "Correct what the error names"
        fix = f"{see}. Omit what cannot be listed, not the whole list."
        lacks_params = code == -32602 and case.asked is not None and not case.asked.params
        more = "; the request has no params, which are optional" if lacks_params else ""
        if case.is_modern and "session" in (peek.text(case.value, "message") or "").lower():
            more = f"; {_date(case)} has no sessions"
        sentence = f"{case.method} was rejected with {code}: {cut(reason_of(case.value), 240)}{more}"
        yield Violation(sentence, "/error", fix=fix)


@warning("Message before the `initialize` result", "notification")
def message_before_handshake(case: CheckMoment) -> Iterator[Violation]:
    """A notification where clients expect the initialize result.

    Fix: Send nothing but log messages before notifications/initialized is received: some clients disconnect.
    """
    if (
        case.state.opening is None
        and case.method not in _EARLY_ENOUGH
        and case.state.is_sampled("message-before-handshake", 3)
    ):
        yield Violation(f"{case.named} was sent before the initialize result", "/method")


@error("No response after the handshake", "end", until="2025-11-25", confidence=Confidence.LIKELY)
def silent_after_handshake(case: CheckMoment) -> Iterator[Violation]:
    """`initialize` has a response, notifications/initialized was sent, and every later request is open.

    Fix: Check whether it waits for “initialized” without the prefix notifications/, or blocks after initialize.
    """
    state = case.state
    if state.opening is None or state.why or not state.initialized:
        return
    every = (*state.requests.done.values(), *state.requests.open.values())
    since = [each for each in every if each.sender is Direction.TO_SERVER and each.method not in OPENING]
    if not since or any(each.answered is not None or each.unread or (each.status or 0) >= 400 for each in since):
        return
    waited = max((each.cancelled_ns or state.last_ns) - each.time_ns for each in since)
    if waited < _SILENT_NS or any(each.sender is Direction.FROM_SERVER for each in state.requests.all):
        return
    logged = line_like(state, AWAITS_INITIALIZED)
    words = f"; its log says: {cut(logged[1].string.strip(), 120)}" if logged else logged_while(state, since[0])
    message = (
        f"the server responded to initialize, but to nothing after it: {since[0].named} has waited "
        f"for {waited / 1e9:.0f} s"
    )
    message += f"; {stage}" if (stage := since[0].stage()) else ""
    fix = ""
    if since[0].status is None and state.http.listens:
        message += ", but those of the stream of GET: it may serve one request at a time"
        fix = "Serve requests beside an open stream (more workers, asynchronously), or return 405 to GET."
    frames = (since[0].frame, *((logged[0],) if logged is not None else ()))
    yield Violation(message + words, frames=frames, instead=True, fix=fix)


@hint("No server capabilities", "answer initialize", "answer server/discover")
def no_server_capabilities(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Declare the capabilities of the server, at least {"tools": {}}: clients request nothing else."""
    if peek.at(case.value, "capabilities") == {}:
        yield Violation(
            "the server declares no capabilities: clients request no tools, prompts or resources", "/result"
        )
