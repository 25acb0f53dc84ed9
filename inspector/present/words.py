"""The status of exchanges and events besides the frames, as text that is the same on every panel."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, assert_never

import msgspec

from inspector import text
from inspector.present import spans as signs
from inspector.present.spans import Line, Role, Section, Span, fact, paragraph
from inspector.protocol import peek
from inspector.protocol.app_reports import REPORT, report_sentence
from inspector.protocol.exchanges import Exchange, ExchangeState, Progress
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    ProcessActivity,
    ProcessEvent,
    ProcessFact,
    SseNote,
    Stderr,
    exit_words,
)
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Silent
from inspector.protocol.frames import Direction
from inspector.protocol.freshness import Freshness
from inspector.protocol.jsonrpc import (
    ErrorResponse,
    Message,
    Notification,
    NotJsonRpc,
    Request,
    ResultResponse,
    encode,
    read,
)
from inspector.protocol.server_requests import KIND_OF_SERVER_REQUEST, METHOD_NOT_FOUND
from inspector.protocol.tracking.progress import progress_in
from inspector.protocol.tracking.subscriptions import LISTEN
from inspector.protocol.tracking.tasks import Task, TaskState

if TYPE_CHECKING:
    from inspector.capture.journal import Journal
    from inspector.checks.findings import Finding


TRANSPORTS = {"stdio": "stdio", "http": "Streamable HTTP", "sse": "HTTP+SSE", "memory": "memory"}
"""Names of transports on screen."""

_NO_ACCESS = (401, 403)
"""HTTP statuses of a server that requires other credentials, even in response to a probe."""
_NOT_OK = 300
_STATES: dict[str, Span] = {
    TaskState.WORKING: (f"{signs.PENDING} Working", "pending"),
    TaskState.INPUT_REQUIRED: (f"{signs.EVENT} Input required", "warning"),
    TaskState.COMPLETED: (f"{signs.OK} Completed", "ok"),
    TaskState.FAILED: (f"{signs.ERROR} Failed", "error"),
    TaskState.CANCELLED: (f"{signs.TIMES} Cancelled", "warning"),
}
_DECISIONS: Mapping[str, Span | None] = {
    "hold": (f"{signs.STOP} Held", "warning"),
    "drop": (f"{signs.TIMES} Dropped", "warning"),
    "release": None,
    "modify": None,
    "answer": None,
}
"""What a tap does with a message, by its acts; the last one counts."""
GRADES = ("hint", "warning", "error")
"""Severities, ascending; a mark is an index in it, from 1."""
SIGNS_OF_GRADES: tuple[Span, ...] = (
    (" ", "faint"),
    (signs.NOTE, "muted"),
    (signs.WARNING, "warning"),
    (signs.ERROR, "error"),
)
"""Signs by mark."""
_DAY_S = 86_400
FULL, EMPTY = "━", "─"
MOST_DECODED = 64 * 1024
"""Maximum bytes that are decoded."""
_SHOWN = 300
"""Maximum characters that are shown."""
_NAMED_ELSEWHERE = frozenset({"_meta", "name", "uri", "progressToken"})
_LOUD: Mapping[str, Role] = {
    "warning": "warning",
    "error": "error",
    "critical": "error",
    "alert": "error",
    "emergency": "error",
}


class ModelRun(msgspec.Struct, frozen=True):
    model: str
    """The model and its host."""
    took_ns: int = 0
    """Duration in nanoseconds; 0 while it runs."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    left_out: Sequence[str] = ()
    """The parts of the request that were not passed to the model."""
    why: str = ""
    """Why there is no response; "" if there is one."""
    hint: str = ""


def status_in(journal: "Journal", exchange: Exchange) -> Span:
    """Return the state of a request of a journal: held by a tap, or dropped by it, else see `status`."""
    is_open = exchange.state is ExchangeState.PENDING
    last = exchange.request_frame if is_open else exchange.answer_frame
    if last is not None and (stopped := stopped_by_tap(journal, last)) is not None:
        return stopped
    live = journal.live or journal.grows
    return status(exchange, live=live, http_status=http_status(journal, exchange))


def stopped_by_tap(journal: "Journal", n: int) -> Span | None:
    """Return that a tap holds message n, or has dropped it; None if it was forwarded, or answered in its place."""
    acts = [edit.act for edit in journal.edits.get(n, ()) if edit.act in _DECISIONS]
    return _DECISIONS[acts[-1]] if acts else None


def http_status(journal: "Journal", exchange: Exchange) -> int:
    """Return the status of the HTTP response to a request; 0 if there is none."""
    found = journal.http_exchanges.get(exchange.http) if exchange.http is not None else None
    return found.response.status if found is not None and found.response is not None else 0


def status(exchange: Exchange, *, live: bool, http_status: int = 0) -> Span:
    """Return the state of a request, in at most 17 cells.

    `live` False: no more messages can arrive. `http_status`: of its HTTP response, which is the state of a request
    that was refused or has no JSON-RPC response; 0 for none.
    """
    is_failed = exchange.state in (ExchangeState.ERROR, ExchangeState.LOST)
    if is_failed and http_status in _NO_ACCESS:
        return f"{signs.ERROR} HTTP {http_status}", "error"
    if exchange.state is ExchangeState.LOST and http_status >= _NOT_OK:
        return (
            (f"{signs.NOTE} HTTP {http_status}", "muted")
            if exchange.probe
            else (f"{signs.ERROR} HTTP {http_status}", "error")
        )
    match exchange.state:
        case ExchangeState.PENDING if live and waits_for_the_person(exchange):
            return f"{signs.EVENT} Waiting for you", "warning"
        case ExchangeState.PENDING if is_stream(exchange):
            return (f"{signs.CONNECTED} Listening", "accent") if live else (f"{signs.DISCONNECTED} Open", "muted")
        case ExchangeState.PENDING:
            return (f"{signs.PENDING} Pending", "pending") if live else (f"{signs.PENDING} No response", "warning")
        case ExchangeState.ANSWERED if exchange.asks:
            return f"{signs.EVENT} Input required", "muted" if exchange.retried else "warning"
        case ExchangeState.ANSWERED if exchange.why and not exchange.tool_error:
            return f"{signs.ERROR} Incomplete", "error"
        case ExchangeState.ANSWERED:
            return (f"{signs.ERROR} Tool error", "error") if exchange.tool_error else (f"{signs.OK} OK", "ok")
        case ExchangeState.ERROR:
            code = "" if exchange.error_code is None else f" {exchange.error_code}"
            if exchange.probe:  # which is not a defect: servers of the older era reject it, others an invalid call
                is_unknown = exchange.method == "server/discover" or exchange.error_code == METHOD_NOT_FOUND
                return f"{signs.NOTE} {'Not supported' if is_unknown else 'Rejected'}", "muted"
            return f"{signs.ERROR} Error{code}", "error"
        case ExchangeState.CANCELLED | ExchangeState.LOST if exchange.probe and exchange.method == "server/discover":
            return f"{signs.NOTE} No response", "muted"  # not responding or exiting is no defect either
        case ExchangeState.CANCELLED if is_stream(exchange):  # a cancellation is how a client closes a stream
            return f"{signs.DISCONNECTED} Closed", "muted"
        case ExchangeState.CANCELLED:
            return f"{signs.TIMES} Cancelled", "warning"
        case ExchangeState.LATE:
            return f"{signs.WARNING} Late", "warning"
        case ExchangeState.LOST:
            return f"{signs.ERROR} Lost", "error"
        case _:
            assert_never(exchange.state)


def is_stream(exchange: Exchange) -> bool:
    """Whether it is a request for a stream, which stays open without a response."""
    return exchange.method == LISTEN


def waits_for_the_person(exchange: Exchange) -> bool:
    """Whether it is a server request without a response, which waits for the user."""
    asks = exchange.sender is Direction.FROM_SERVER and exchange.method in KIND_OF_SERVER_REQUEST
    return asks and exchange.is_open


def progress_words(progress: Progress) -> str:
    """Format the progress of a request with its message: "40 %", "3 of 10", "7"."""
    words = amount(progress)
    return f"{words} {text.visible(progress.message, limit=500)}" if progress.message else words


def amount(progress: Progress) -> str:
    """Format the amount: "40 %", "3 of 10", "7", or the value that is not a number. Safe to show."""
    done, total = text.visible(progress.raw) or _number(progress.progress), progress.total
    if total is None or progress.raw:
        return done
    if total in (1.0, 100.0) and 0 <= progress.progress <= total:
        return f"{100 * progress.progress / total:.0f} %"
    return f"{done} of {_number(total)}"


def progress_of(params: Any) -> Progress:
    """Return the progress in one notification."""
    return progress_in(params)


def _number(value: float) -> str:
    return f"{value:.10g}"


def sentence(fact: Fact) -> Span:
    """Describe a fact in one line that is safe to show."""
    match fact:
        case Stderr():
            return text.visible(text.decode(fact.payload[:4000]).rstrip(), limit=1000), "stderr"
        case ConnectionFact():
            return _connection(fact)
        case ProcessFact():
            return _process(fact)
        case HttpFact():
            return _http(fact)
        case SseNote():
            return _sse(fact)
        case _:
            assert_never(fact)


def _connection(fact: ConnectionFact) -> Span:
    name = TRANSPORTS.get(fact.transport) or text.visible(fact.transport, limit=40)
    why = text.visible(fact.why, limit=500)
    match fact.event:
        case ConnectionEvent.OPEN:
            target = _masked(fact.url) if fact.url else command_line(fact.argv)
            if fact.insecure:
                return f"{name} opened without certificate verification: {target}", "warning"
            return f"{name} opened{': ' if target else ''}{target}", "event"
        case ConnectionEvent.RENEW if fact.transport == "stdio":
            return f"{name} restarted{': ' if why else ''}{why}", "warning"
        case ConnectionEvent.RENEW:
            return f"{name} session lost{': ' if why else ''}{why}", "warning"
        case ConnectionEvent.CLOSE:
            return f"{name} closed{': ' if why else ''}{why}", "warning" if why else "event"
        case ConnectionEvent.ABORT:
            return f"{name} disconnected{': ' if why else ''}{why}", "error"
        case _:
            assert_never(fact.event)


def command_line(argv: tuple[str, ...]) -> str:
    """Return an argv on one line, safe to show, without credentials, quoted as in a shell."""
    from inspector.protocol.credentials import command_without_credentials  # see `_masked`

    return " ".join(_quoted(text.visible(argument, limit=500)) for argument in command_without_credentials(argv))


def _quoted(argument: str) -> str:
    if argument and not any(char in " \t'\"\\$`&|;<>()*?#~" for char in argument):
        return argument
    return "'" + argument.replace("'", "'\\''") + "'"


def _process(fact: ProcessFact) -> Span:
    match fact.event:
        case ProcessEvent.SPAWN:
            return f"process {fact.pid} started", "event"
        case ProcessEvent.EXIT:
            return f"process {fact.pid} {ending(fact)}", "event" if fact.code == 0 else "warning"
        case ProcessEvent.SIGNAL:
            return f"{text.visible(fact.signal, limit=20)} sent to process group {fact.pid}", "warning"
        case ProcessEvent.STDIN_EOF:
            return "stdin closed", "event"
        case ProcessEvent.STDOUT_EOF:
            return "stdout ended", "event"
        case ProcessEvent.STDERR_EOF:
            return "stderr ended", "event"
        case ProcessEvent.STALL:
            return _stall(fact), "warning"
        case ProcessEvent.LATE:
            delayed_s = fact.state.delayed_s if fact.state is not None else 0
            return f"late output: process {fact.pid} waited {delayed_s:.1f} s for the CPU", "event"
        case ProcessEvent.LEFT:
            return f"left by process {fact.pid}: {_children(fact)}", "warning"
        case _:
            assert_never(fact.event)


def _stall(fact: ProcessFact) -> str:
    state = fact.state or ProcessActivity()
    cpu = "" if state.cpu_percent is None else f", {state.cpu_percent:.0f} % CPU"
    awaits = "".join(f"; {text.visible(each.clause, limit=160)}" for each in state.awaits[:3])
    children = _children(fact) or "none"
    return f"no response: process {fact.pid} has {state.threads} threads{cpu}, children: {children}{awaits}"


def _children(fact: ProcessFact) -> str:
    children = fact.state.children[:5] if fact.state is not None else ()
    return ", ".join(f"{each.pid} {text.visible(each.command, limit=60)}".strip() for each in children)


def ending(fact: ProcessFact) -> str:
    """Describe how a process ended: "exited with code 1", "was terminated by SIGKILL"."""
    if fact.signal:
        return f"was terminated by {text.visible(fact.signal, limit=20)}"
    return "ended" if fact.code is None else exit_words(fact.code)


def _http(fact: HttpFact) -> Span:
    head = f"http {fact.http} "
    match fact.event:
        case HttpEvent.REQUEST:
            return head + f"{text.visible(fact.method, limit=20)} {_masked(fact.target)}", "event"
        case HttpEvent.RESPONSE:
            reason = text.visible(fact.reason, limit=80)
            return head + f"{fact.status} {reason}".rstrip(), "event" if fact.status < 400 else "warning"
        case HttpEvent.END:
            size = "" if fact.body_bytes is None else f", {text.human_size(fact.body_bytes)}"
            why = text.visible(fact.why, limit=500)
            return head + f"ended{size}{': ' if why else ''}{why}", "warning" if why else "event"
        case HttpEvent.ERROR:
            return head + f"failed: {text.visible(fact.why, limit=500)}", "error"
        case _:
            assert_never(fact.event)


def _sse(fact: SseNote) -> Span:
    raw = text.visible(text.decode(fact.raw[:2000]), limit=500)
    return f"http {fact.http} event without a message: {raw}", "event"


def _masked(url: str) -> str:
    from inspector.present.http import masked_url  # its patterns are not needed to start a server

    return masked_url(url)


# Why a request has no response, as text.


def why_silent(reply: Silent | Refused | Broken | GivenUp) -> str:
    """Return a clause that may quote foreign text."""
    match reply:
        case Silent():
            return f"no response within {reply.seconds:g} s"
        case Refused():
            return f"rejected with HTTP {reply.status}" if reply.status else f"no response: {reply.why}"
        case Broken():
            return f"the connection ended: {reply.why}"
        case GivenUp():
            return f"cancelled: {reply.why}" if reply.why else "cancelled"


# The state of a task: the same sign and label in Tasks, in Traffic and next to a call.


def state_of(task: Task) -> Span:
    """Return the state in the newest report; an unknown state is shown unchanged."""
    if task.lost:
        return f"{signs.WARNING} Unknown", "warning"
    return state_words(task.state)


def state_words(state: str) -> Span:
    """Return the sign and the name of a state."""
    return _STATES.get(state) or (f"? {text.visible(state, limit=30) or 'no state'}", "warning")


# The severity of a finding, as a number and as a sign: for row marks and for badges.


def badge(findings: "Sequence[Finding]") -> Span | None:
    """Return the count, with the sign of the highest severity; None without findings."""
    if not findings:
        return None
    sign, role = SIGNS_OF_GRADES[max(3 - each.severity.rank for each in findings)]
    return f"{sign}{len(findings)}", role


def mark(grade: int) -> Span:
    """Return the sign of a grade, one cell."""
    return SIGNS_OF_GRADES[grade]


# The age of a response and its TTL, as text.


def age_line(freshness: Freshness, now_ns: int, clock: Callable[[int], str] | None = None) -> Line:
    """Return the time of the fetch, the TTL and the cache scope. `now_ns` is the journal's clock.

    `clock` formats a moment of that clock as a time of day. With it the line contains times instead of ages, and
    does not change until the response is stale.
    """
    when = clock(freshness.received_ns) if clock else f"{_age(freshness.received_ns, now_ns)} ago"
    fetched = f"fetched {when}"
    scope = f" {signs.NOTE} cacheScope {freshness.scope}" if freshness.scope else ""
    stale_from = freshness.stale_from_ns
    if stale_from is None:
        line: Line = ((fetched + scope, "faint"),)
    elif stale_from <= freshness.received_ns:
        line = ((f"{fetched} {signs.NOTE} TTL 0: not to be cached{scope}", "faint"),)
    elif now_ns < stale_from:
        message = f" {signs.NOTE} TTL {_age(freshness.received_ns, stale_from)}"
        line = ((f"{fetched}{message}{scope}", "faint"),)
    else:
        stale = f" {signs.NOTE} stale {f'since {clock(stale_from)}' if clock else f'for {_age(stale_from, now_ns)}'}"
        line = ((fetched, "faint"), (stale, "warning"), (scope, "faint"))
    if not freshness.flaws:
        return line
    wrong = "; ".join(text.visible(flaw, limit=200) for flaw in freshness.flaws)
    return ((f"{signs.WARNING} {wrong}", "warning"), ("   ", "text"), *line)


def _age(since_ns: int, now_ns: int) -> str:
    return text_of(now_ns - since_ns)


def text_of(nanoseconds: int) -> str:
    """Format a duration in whole seconds or in larger units: "12 s", "3h 12m", "400 days"."""
    seconds = max(0, nanoseconds) // 1_000_000_000
    if seconds >= 3 * _DAY_S:
        return f"{seconds // _DAY_S:,} days"
    if seconds < 100:
        return f"{seconds} s" if seconds or nanoseconds <= 0 else text.human_duration(nanoseconds)
    return text.human_duration(seconds * 1_000_000_000)


# The progress of a request: a bar, the amount, the rate and the estimated time left.


def bar(progress: Progress, width: int) -> list[Span]:
    """Return a bar of `width` cells; empty without a total."""
    share = fraction(progress)
    if share is None or width < 1:
        return []
    full = round(min(max(share, 0.0), 1.0) * width)
    return [(FULL * full, "accent"), (EMPTY * (width - full), "faint")]


def fraction(progress: Progress) -> float | None:
    """Return the reported fraction, which can be below 0 or above 1; None without a valid total."""
    if progress.raw or progress.total is None or progress.total <= 0:
        return None
    return progress.progress / progress.total


def figures(progress: Progress, *, running: bool = True) -> str:
    """Format amount, rate and time left: "3 of 10 · 30 % · 1.2/s · about 6 s left". Safe to show.

    The time left is omitted if it is not `running`.
    """
    parts = [amount(progress)]
    share = fraction(progress)
    if share is not None and "%" not in parts[0]:
        parts.append(f"{share:.0%}".replace("%", " %"))
    if not progress.wrong and progress.rate:
        parts.append(pace(progress.rate))
        if running and progress.total is not None and 0 < progress.progress < progress.total and progress.rate > 0:
            parts.append(left((progress.total - progress.progress) / progress.rate))
    return " · ".join(parts)


def pace(rate: float) -> str:
    """Format the rate per second, or per minute if it is low."""
    return f"{text.rounded(rate)}/s" if abs(rate) >= 0.1 else f"{rate * 60:.2g}/min"


def left(seconds: float) -> str:
    """Format the estimated time left."""
    if seconds < 1:
        return "less than 1 s left"
    if seconds < 99.5:
        return f"about {seconds:.0f} s left"
    return f"about {text.human_duration(round(min(seconds, 1e8)) * 1_000_000_000)} left"


def progress_spans(progress: Progress, *, running: bool = True) -> list[Span]:
    """Return the figures, their defect, and the server's message."""
    spans: list[Span] = [(figures(progress, running=running), "text")]
    if progress.wrong:
        spans.append((f"  {signs.WARNING} {progress.wrong}", "warning"))
    if progress.message:
        spans.append((f"  {text.visible(progress.message, limit=500)}", "text"))
    return spans


# The run of a model for a sampling request: model, duration, and what was not passed to it.


def model_run_words(account: ModelRun) -> str:
    """Return model, duration and tokens as one line, safe to show."""
    counted = [f"{number:,} {word}" for number, word in _tokens(account)]
    took = text.human_duration(account.took_ns)
    return text.visible(f"{account.model} in {took}{_bracketed(counted)}", limit=200)


def left_out(account: ModelRun) -> str:
    """Return what was not passed to the model as one line, safe to show; "" if nothing was left out."""
    return text.visible(", ".join(account.left_out), limit=300)


def model_run_section(account: ModelRun) -> Section:
    """Return the origin of the response, or why there is none and what to do."""
    if account.why:
        lines = (*paragraph(account.why, "error", limit=1000), *paragraph(account.hint, "muted", limit=1000))
        asked = fact("model", f"{account.model}, {text.human_duration(account.took_ns)}")
        return Section("No response from the model", (asked,), lines)
    facts = [signs.Fact("by", model_run_words(account), "strong")]
    if lost := left_out(account):
        facts.append(signs.Fact("not passed", lost, "warning"))
    return Section("Response of the model", tuple(facts), note="review it, then send it")


def _tokens(account: ModelRun) -> list[tuple[int, str]]:
    both = ((account.tokens_in, "tokens in"), (account.tokens_out, "out"))
    return [(number, word) for number, word in both if number is not None]


def _bracketed(words: list[str]) -> str:
    return f" ({', '.join(words)})" if words else ""


# A one-line preview of a message: arguments, a log message, the message of an error.


def of_payload(payload: bytes, newest: Progress | None = None) -> Span:
    """Return the preview of a frame; ("", …) if it is empty. Safe to show.

    `newest` is shown instead of the progress in the frame.
    """
    if len(payload) > MOST_DECODED:
        return _cut(text.decode(payload[: 4 * _SHOWN])), "muted"
    messages = read(payload)
    if len(messages) > 1:
        return f"a batch of {len(messages)} messages", "muted"
    return _of_message(messages[0], payload, newest)


def _of_message(message: Message, payload: bytes, newest: Progress | None) -> Span:
    match message:
        case Request():
            return _cut(of_request(message.method, message.params)), "muted"
        case Notification():
            return _notification(message, newest)
        case ResultResponse():
            return _cut(of_result(message.result)), "muted"
        case ErrorResponse():
            return _cut(message.message), "error"
        case NotJsonRpc():
            return _garbled(message, payload)


def of_request(method: str, params: Any) -> str:
    """Return the arguments or message of a request, else its params; "" for none. Foreign text."""
    if method in ("tools/call", "prompts/get"):
        arguments = peek.at(params, "arguments")
        return "" if arguments in (None, {}) else _json(arguments)
    if method == "elicitation/create":
        return peek.text(params, "message") or ""
    if method == "initialize":
        return _join(peek.text(params, "protocolVersion"), _who(peek.at(params, "clientInfo")))
    if isinstance(params, Mapping):
        params = {key: value for key, value in params.items() if key not in _NAMED_ELSEWHERE}
    return "" if params in (None, {}, []) else _json(params)


def of_result(result: Any) -> str:
    """Return the first text in a result, else its JSON. Foreign text."""
    for block in peek.items(result, "content"):
        if found := peek.text(block, "text"):
            return found
    if peek.has(result, "serverInfo"):
        return _join(peek.text(result, "protocolVersion"), _who(peek.at(result, "serverInfo")))
    if isinstance(result, Mapping):
        result = {key: value for key, value in result.items() if key != "_meta"}
    return "" if result in (None, {}) else _json(result)


def of_log_message(params: Any) -> str:
    """Format a log message on one line: level, logger, text. Foreign text."""
    level, logger = peek.text(params, "level") or "", peek.text(params, "logger") or ""
    data = peek.at(params, "data")
    message = data if isinstance(data, str) else peek.text(data, "message") or ("" if data is None else _json(data))
    return ": ".join(part for part in (level, logger, message) if part)


def _notification(message: Notification, newest: Progress | None) -> Span:
    params = message.params
    if message.method == "notifications/message":
        return _cut(of_log_message(params)), _LOUD.get(peek.text(params, "level") or "", "text")
    if message.method == "notifications/progress":
        return progress_words(newest or progress_of(params)), "text"
    if message.method == "notifications/cancelled":
        return _cut(peek.text(params, "reason") or ""), "text"
    if message.method == REPORT:
        return _cut(report_sentence(params)), "text"
    return _cut(of_request(message.method, params)), "muted"


def _garbled(message: NotJsonRpc, payload: bytes) -> Span:
    shown = _cut(text.decode(payload[: 4 * _SHOWN]))
    return (shown, "foreign") if shown.strip() else (f"({message.reason})", "muted")


def _who(info: Any) -> str:
    return " ".join(part for key in ("name", "version") if (part := peek.text(info, key)))


def _join(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part)


def _json(value: Any) -> str:
    return text.decode(encode(value))


def _cut(foreign: str) -> str:
    return text.visible(foreign, limit=_SHOWN)
