"""HTTP exchanges as rows and in full: request, response, timing and sizes.

Rows are made only while visible, and an exchange is read from the journal when it is shown. Stream content is listed
with event id and time since the request, keep-alives included.
"""

import base64
import binascii
from collections.abc import Iterable, Iterator, Sequence

from inspector import text
from inspector.capture.connection_facts import HttpExchange
from inspector.capture.journal import Journal
from inspector.present import spans as signs
from inspector.present.http import exchange_sections, masked_url
from inspector.present.spans import Fact, Line, Role, Section, Span, lay
from inspector.protocol import peek
from inspector.protocol.facts import HttpEvent, HttpFact, HttpTiming, SseNote, header
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.headers import METHOD, NAME, VERSION, headers_for
from inspector.protocol.jsonrpc import ErrorResponse, Message, Notification, NotJsonRpc, Request, ResultResponse, read
from inspector.protocol.revisions.table import NEWEST, find
from inspector.protocol.tracking.opening import PROTOCOL_VERSION

_ENCODED, _END = "=?base64?", "?="

MOST_SEARCHED, MOST_SHOWN = 5000, 500
"""Entries after a request that are searched for its content; items of its stream that are listed."""

_HTTP, _METHOD, _STATUS, _KIND, _TOOK, _SIZE = 6, 8, 8, 8, 10, 10
_WIDE_FROM = 75
_STREAM = "text/event-stream"

_STEPS: tuple[tuple[str, str], ...] = (
    ("lookup", "DNS lookup"),
    ("connect", "connected"),
    ("tls", "TLS"),
    ("send", "request sent"),
    ("wait", "TTFB"),
)


def titles(width: int) -> list[Span]:
    """Return the column titles."""
    names = [("#", _HTTP), ("Method", _METHOD), ("Status", _STATUS), ("Kind", _KIND)]
    spans: list[Span] = [(text.pad(name, cells), "muted") for name, cells in names]
    spans.append((_right("Duration", _TOOK), "muted"))
    if width >= _WIDE_FROM:
        spans.append((_right("Size", _SIZE), "muted"))
    return lay([*spans, ("Message", "muted")], width)


def row(journal: Journal, exchange: HttpExchange, now_ns: int, width: int) -> list[Span]:
    """Return one exchange in exactly `width` cells."""
    request, response, end = exchange.request, exchange.response, exchange.end
    cells: list[Span] = [
        (text.pad(str(exchange.http), _HTTP), "muted"),
        (text.pad(_word(request.method if request else "?", _METHOD - 1), _METHOD), "method"),
        (text.pad(*_fitted(_status(response, end), _STATUS)), _status_role(response, end)),
        (text.pad(*_fitted(_kind(response), _KIND)), "muted"),
        (_right(_took(exchange, now_ns), _TOOK), "pending" if end is None else "text"),
    ]
    if width >= _WIDE_FROM:
        size = "" if end is None or end.body_bytes is None else text.human_size(end.body_bytes)
        cells.append((_right(size, _SIZE), "muted"))
    if count := len(verdicts(journal, exchange)):
        cells.append(
            (f"{signs.WARNING} header/body mismatch{'' if count == 1 else f' {signs.TIMES}{count}'}  ", "warning")
        )
    return lay([*cells, *_what(journal, exchange)], width)


def verdicts(journal: Journal, exchange: HttpExchange) -> tuple[str, ...]:
    """Return the mismatches between headers and bodies of an exchange."""
    request, response = exchange.request, exchange.response
    found: tuple[str, ...] = ()
    if request is not None and (sent := body_of(journal, exchange)):
        found = request_verdicts(request, sent)
    if response is not None and exchange.end_n and _kind(response) != "sse":
        found += response_verdicts(response, _answer(journal, exchange))
    return found


def sections(journal: Journal, exchange: HttpExchange, *, reveal: bool = False) -> list[Section]:
    """Return everything known about an exchange."""
    found: list[Section] = []
    if wrong := verdicts(journal, exchange):
        lines: tuple[Line, ...] = tuple(((f"{signs.WARNING} {each}", "warning"),) for each in wrong)
        found.append(Section("Header/body mismatch", lines=lines))
    found += exchange_sections(exchange, reveal=reveal)
    found.append(Section("Time", _timing(exchange)))
    crossed, more = _crossed(journal, exchange)
    note = "" if not more else f"The first {MOST_SHOWN} from {MOST_SEARCHED:,} entries."
    nothing = "" if crossed else "No data yet." if not exchange.end_n else "No data."
    found.append(Section("Content", lines=crossed, note=note or nothing))
    return found


def body_of(journal: Journal, exchange: HttpExchange) -> bytes:
    """Return the request body, which is the frame after the request; b"" if there is none."""
    after = exchange.request_n + 1
    if not exchange.request_n or after > journal.count:
        return b""
    what = journal.store.entry(after).what
    own = isinstance(what, Frame) and what.http == exchange.http and what.direction is Direction.TO_SERVER
    return what.payload if own and isinstance(what, Frame) else b""


def request_verdicts(request: HttpFact, body: bytes) -> tuple[str, ...]:
    """Return the mismatches between the headers of a request and its body; `body` is that of a POST."""
    found = list(_length(request, body))
    messages = read(body)
    if len(messages) == 1:
        found += _routing(request, messages[0])
    return tuple(found)


def response_verdicts(response: HttpFact, body: bytes) -> tuple[str, ...]:
    """Return the mismatches between status or headers of a response and its body, which must not be a stream."""
    kind = (header(response.headers, "content-type") or "").partition(";")[0].strip().lower()
    is_json = not isinstance(read(body)[0], NotJsonRpc)
    found = []
    if kind.endswith("json") and body and not is_json:
        found.append(f"Content-Type says {_shown(kind)}, but the body is not a JSON-RPC message")
    if is_json and not kind.endswith("json"):
        found.append(f"Content-Type says {_shown(kind)}, but the body is a JSON-RPC message")
    if response.status in (202, 204) and body:
        found.append(f"the status {response.status} requires an empty body, got one")
    return tuple(found)


def decoded(value: str) -> str:
    """Return the value of a header, decoded if it has the base64 form."""
    if not (value.startswith(_ENCODED) and value.endswith(_END)):
        return value
    try:
        return base64.b64decode(value[len(_ENCODED) : -len(_END)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return value


def _length(request: HttpFact, body: bytes) -> Iterable[str]:
    declared = header(request.headers, "content-length")
    if declared is not None and declared != str(len(body)):
        yield f"Content-Length says {_shown(declared)}, the body has {len(body)} bytes"


def _routing(request: HttpFact, message: Message) -> Iterable[str]:
    """Yield mismatches of version, method and name between headers and body."""
    if not isinstance(message, Request | Notification):
        return
    declared = peek.text(message.params, "_meta", PROTOCOL_VERSION)
    version = header(request.headers, VERSION)
    if declared is not None and declared != version:
        yield _differ(VERSION, version, declared, "_meta")
    revision = find(declared or version or "")
    routed = revision is not None and revision.routing_headers
    expected = headers_for(revision if revision is not None and routed else NEWEST, message.method, message.params)
    for name in (METHOD, NAME):
        value, wanted = header(request.headers, name), expected.get(name)
        if value is None and not (routed and wanted is not None):
            continue
        if value is None or wanted is None or decoded(value) != decoded(wanted):
            yield _differ(name, value, None if wanted is None else decoded(wanted), "the body")


def _differ(name: str, value: str | None, wanted: str | None, where: str) -> str:
    says = f"{name} says {_shown(decoded(value))}" if value is not None else f"there is no {name}"
    return f"{says}, {where} {'has none' if wanted is None else 'says ' + _shown(wanted)}"


def _shown(value: str) -> str:
    return text.visible(value, limit=200) or "nothing"


def _right(number: str, cells: int) -> str:
    """Right-align a number in its column, two cells before the next one."""
    return text.pad(number, cells - 2, right=True) + "  "


def _what(journal: Journal, exchange: HttpExchange) -> list[Span]:
    """Return the message of the request, problems, and the URL."""
    request, response, end = exchange.request, exchange.response, exchange.end
    spans: list[Span] = []
    if body := body_of(journal, exchange):
        spans.append((f"{_summary(read(body))}  ", "strong"))
    elif request is not None and (last := header(request.headers, "last-event-id")):
        spans.append((f"resumes after {text.visible(last, limit=60)}  ", "strong"))
    if end is not None and end.why:
        spans.append((f"{text.visible(end.why, limit=120)}  ", "error" if end.event is HttpEvent.ERROR else "warning"))
    if response is not None and (onward := header(response.headers, "location")):
        spans.append((f"{signs.TO_SERVER} {masked_url(onward)}  ", "warning"))
    if request is not None:
        spans.append((masked_url(request.target), "muted"))
    return spans


def _summary(messages: Sequence[Message]) -> str:
    """Return a short description of a body."""
    if len(messages) > 1:
        return f"batch of {len(messages)} messages"
    match messages[0]:
        case Request(method=method, params=params) | Notification(method=method, params=params):
            name = next((found for key in ("name", "uri") if (found := peek.text(params, key))), "")
            return text.visible(f"{method} {name}".rstrip(), limit=120)
        case ResultResponse() | ErrorResponse():
            return "response"
        case _:
            return "not JSON-RPC"


def _status(response: HttpFact | None, end: HttpFact | None) -> str:
    if response is not None:
        return str(response.status)
    return "failed" if end is not None else "…"


def _status_role(response: HttpFact | None, end: HttpFact | None) -> Role:
    if response is None:
        return "pending" if end is None else "error"
    return "ok" if response.status < 300 else "warning" if response.status < 400 else "error"


def _kind(response: HttpFact | None) -> str:
    """Return the short content type of a response."""
    kind = (header(response.headers, "content-type") or "" if response is not None else "").partition(";")[0].strip()
    return "sse" if kind.lower() == _STREAM else kind.rpartition("/")[2]


def _took(exchange: HttpExchange, now_ns: int) -> str:
    began, ended = exchange.requested_ns, exchange.ended_ns
    return "" if began is None else text.human_duration(max(0, (now_ns if ended is None else ended) - began))


def _word(foreign: str, cells: int) -> str:
    return text.one_line(text.visible(foreign, limit=40), cells)


def _fitted(foreign: str, cells: int) -> tuple[str, int]:
    return _word(foreign, cells - 1), cells


def _answer(journal: Journal, exchange: HttpExchange) -> bytes:
    """Return the body of a response that is not a stream: the frame before its end."""
    what = journal.store.entry(exchange.end_n - 1).what
    own = isinstance(what, Frame) and what.http == exchange.http and what.direction is Direction.FROM_SERVER
    return what.payload if own and isinstance(what, Frame) else b""


def _timing(exchange: HttpExchange) -> tuple[Fact, ...]:
    response = exchange.response
    timing = response.timing if response is not None else None
    facts = [] if timing is None else _steps(timing)
    if timing is None and response is not None:
        facts.append(Fact("steps", "not recorded", "faint"))
    began, came, ended = exchange.requested_ns, exchange.responded_ns, exchange.ended_ns
    if began is not None and came is not None:
        if timing is not None and (rest := came - began - _known_ns(timing)) > 0:
            facts.append(Fact("client", text.human_duration(rest), "muted"))
        facts.append(Fact("TTFB", text.human_duration(max(0, came - began))))
    if came is not None and ended is not None:
        facts.append(Fact("body", text.human_duration(max(0, ended - came))))
    if began is not None and ended is not None:
        facts.append(Fact("total", text.human_duration(max(0, ended - began)), "strong"))
    return tuple(facts)


def _steps(timing: HttpTiming) -> list[Fact]:
    found = [(shown, getattr(timing, name)) for name, shown in _STEPS]
    facts = [Fact(shown, text.human_duration(took)) for shown, took in found if took is not None]
    if timing.connect is None:
        facts.insert(0, Fact("connection", "reused connection", "muted"))
    return facts


def _known_ns(timing: HttpTiming) -> int:
    return sum(getattr(timing, name) or 0 for name, _ in _STEPS)


def _crossed(journal: Journal, exchange: HttpExchange) -> tuple[tuple[Line, ...], bool]:
    """Return the content in both directions, and whether there may be more."""
    began = exchange.requested_ns or 0
    last = exchange.end_n or journal.count
    searched = min(last, exchange.request_n + MOST_SEARCHED)
    lines: list[Line] = []
    for n, time_ns, what in _of(journal, exchange, searched):
        if len(lines) == MOST_SHOWN:
            return tuple(lines), True
        after = f"+{text.human_duration(max(0, time_ns - began))}"
        lines.append(((text.pad(f"#{n}", 8), "muted"), (text.pad(after, 11), "muted"), *_event(what)))
    return tuple(lines), searched < last


def _of(journal: Journal, exchange: HttpExchange, last: int) -> Iterator[tuple[int, int, Frame | SseNote]]:
    if not exchange.request_n:
        return
    for n in range(exchange.request_n + 1, last + 1):
        entry = journal.store.entry(n)
        if isinstance(entry.what, Frame | SseNote) and entry.what.http == exchange.http:
            yield n, entry.time_ns, entry.what


def _event(what: Frame | SseNote) -> list[Span]:
    if isinstance(what, SseNote):
        fields = _fields(what.event, what.id, what.retry)
        return [
            (f"{signs.FROM_SERVER} ", "muted"),
            (text.visible(text.decode(what.raw[:200]), limit=100), "faint"),
            *fields,
        ]
    way = signs.TO_SERVER if what.direction is Direction.TO_SERVER else signs.FROM_SERVER
    sse = what.sse
    fields = _fields(sse.event, sse.id, sse.retry) if sse is not None else []
    message = _summary(read(what.payload))
    return [(f"{way} ", "muted"), (f"{message}  ", "text"), (text.human_size(len(what.payload)), "muted"), *fields]


def _fields(event: str | None, id_: str | None, retry: int | None) -> list[Span]:
    members = (("event", event), ("id", id_), ("retry", None if retry is None else f"{retry} ms"))
    return [(f"  {name} {text.visible(value, limit=60)}", "event") for name, value in members if value is not None]
