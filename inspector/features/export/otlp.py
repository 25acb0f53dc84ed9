"""OpenTelemetry traces of a session, as OTLP/HTTP JSON: for a file, and for a collector while the session runs.

Each operation is a span that follows the semantic conventions for MCP (status: development). Requests of the client
are CLIENT spans. Requests of the server (sampling, elicitation, roots) are SERVER spans below the call that caused
them. Progress and log messages are events. A root span stands for the session. If a request has a `traceparent` in
`_meta`, its span joins that trace and links to the session.

Arguments, results and session ids are not exported: they may be sensitive. Credentials in URIs, and in texts of errors,
log messages and progress, are masked.

Sources: https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/, https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding,
https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/
"""

import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit, urlunsplit

from inspector import __version__
from inspector.capture.journal import Journal
from inspector.capture.messages import messages_at
from inspector.capture.store.columns import MessageKind
from inspector.errors import UsageError
from inspector.features.export.selection import Selection
from inspector.present.traffic.tree import Tree
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import ConnectionFact
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Notification, Request, encode, read
from inspector.protocol.request_meta import trace_context
from inspector.protocol.token_shapes import masked_members, without_secrets

if TYPE_CHECKING:
    import httpx

Json = dict[str, Any]

_INTERNAL, _SERVER, _CLIENT = 1, 2, 3
"""Numbers of `SpanKind` in the OTLP definitions."""
_STATUS_ERROR = 2
_BATCH = 500
"""Maximum number of spans in one request, and in one line of a file."""
_MOST_EVENTS = 128
"""Maximum number of events of one span: the default limit of OpenTelemetry SDKs."""
_LONGEST = 4000
"""Maximum number of characters of a foreign text in an attribute."""
_TARGETS = {
    "tools/call": "gen_ai.tool.name",
    "prompts/get": "gen_ai.prompt.name",
    "resources/read": "mcp.resource.uri",
    "resources/subscribe": "mcp.resource.uri",
    "resources/unsubscribe": "mcp.resource.uri",
}
"""Attribute that holds the target of a request, by method."""
_PROGRESS, _LOG = "notifications/progress", "notifications/message"

_EVERY_S = 2.0
"""Seconds between two requests to the collector."""

_PATIENCE_S = 5.0
"""Timeout of a request, which also limits the delay on exit."""


def lines(selection: Selection) -> Iterator[bytes]:
    """Yield the spans of a capture as JSON lines, each an ExportTraceServiceRequest of at most 500 spans."""
    spans = Spans(selection.journal)
    spans.update()
    operations = sorted({number for n in selection.entries() if (number := spans.operation_of(n))})
    if not operations:
        return
    made = (spans.operation(number) for number in operations)
    for batch in _batches(made, first=spans.session()):
        yield encode(spans.request(batch)) + b"\n"


def _batches(spans: Iterable[Json], *, first: Json) -> Iterator[list[Json]]:
    batch = [first]
    for span in spans:
        batch.append(span)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


class Spans:
    """Builds spans from a journal. Ids are derived from the capture's id, so that repeated exports match."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._tree = Tree(journal)
        self._taken = 0
        self._events: dict[int, list[int]] = defaultdict(list)
        """Notifications by operation; 0 holds log messages that belong to no operation."""
        self._trace = self._id("trace", 32)

    def update(self) -> list[int]:
        """Process new entries. Return the operations that they belong to, ascending."""
        first, last = self._taken + 1, self._journal.count
        if last < first:
            return []
        self._tree.take_many(first, last)
        self._taken = last
        touched: set[int] = set()
        store = self._journal.store
        for n in range(first, last + 1):
            number = self.operation_of(n)
            touched.add(number)
            if store.message_kind(n) is MessageKind.NOTIFICATION and store.method(n) in (_PROGRESS, _LOG):
                self._events[number].append(n)
        return sorted(touched - {0})

    def operation_of(self, n: int) -> int:
        """Return the operation that an entry belongs to or was caused by; 0 for none."""
        number = self._journal.store.exchange(n) or self._journal.store.exchange(self._tree.roots[n])
        exchanges = self._journal.conversation.exchanges
        return exchanges[number - 1].operation or 0 if 0 < number <= len(exchanges) else 0

    def is_open(self, number: int) -> bool:
        """Return whether an operation is still waiting for a response."""
        return self._parts(number)[-1].is_open

    def request(self, spans: Sequence[Json]) -> Json:
        """Return an ExportTraceServiceRequest with these spans."""
        scope = {"name": "mcp-inspect", "version": __version__}
        return {"resourceSpans": [{"resource": self._resource(), "scopeSpans": [{"scope": scope, "spans": spans}]}]}

    def session(self) -> Json:
        """Return the root span, from the first entry to the newest."""
        store, count = self._journal.store, self._journal.count
        start = store.wall_ns(1) if count else self._journal.started_wall_ns
        lasted = store.time_ns(count) - store.time_ns(1) if count else 0
        span = self._span("mcp session", _INTERNAL, self._trace, self._id("session", 16), start, lasted)
        span["attributes"] = _attributes(self._connection())
        ended = self._journal.ended
        if ended is not None and ended.why:
            span["status"] = {"code": _STATUS_ERROR, "message": _text(ended.why)}
        return span | self._events_of(0)

    def operation(self, number: int) -> Json:
        """Return the span of an operation: one request, or the pages and retries that serve one call."""
        exchanges = self._parts(number)
        first, last = exchanges[0], exchanges[-1]
        kind = _CLIENT if (first.sender is not Direction.FROM_SERVER) else _SERVER
        trace, parent, links = self._context(first)
        named = first.target if first.method in ("tools/call", "prompts/get") else ""
        end = last.ended_ns if last.ended_ns is not None else self._journal.store.time_ns(self._journal.count)
        start = self._journal.store.wall_ns(first.request_frame)
        name = f"{first.method} {named}".rstrip()
        span = self._span(_text(name), kind, trace, self._span_id(number), start, end - first.started_ns)
        span["parentSpanId"] = parent
        if links:
            span["links"] = links
        failed, message = self._failure(last)
        span["attributes"] = _attributes(self._connection() | _facts(first, last, failed))
        if failed:
            span["status"] = {"code": _STATUS_ERROR} | ({"message": message} if message else {})
        return span | self._events_of(number, exchanges[1:])

    def _parts(self, number: int) -> list[Exchange]:
        conversation = self._journal.conversation
        return [conversation.exchanges[each - 1] for each in conversation.operations.operation(number).exchanges]

    def _context(self, exchange: Exchange) -> tuple[str, str, list[Json]]:
        """Return trace id, parent span id and links of a request."""
        session = self._id("session", 16)
        request = self._message(exchange.request_frame)
        context = trace_context(request.params) if isinstance(request, Request) else None
        if context is not None:
            return context.trace, context.parent, [{"traceId": self._trace, "spanId": session}]
        cause = self._tree.exchange(self._tree.roots[exchange.request_frame])
        if cause is not None and cause.operation and cause.operation != exchange.operation:
            above, _, _ = self._context(cause)
            return above, self._span_id(cause.operation), []
        return self._trace, session, []

    def _failure(self, last: Exchange) -> tuple[str, str]:
        """Return the value of `error.type` and the error message; "" for a request that succeeded or is still open."""
        if last.error_code is not None:
            answer = self._message(last.answer_frame) if last.answer_frame else None
            return str(last.error_code), _text(answer.message) if isinstance(answer, ErrorResponse) else ""
        if last.tool_error:
            return "tool_error", ""
        if last.state in (ExchangeState.CANCELLED, ExchangeState.LOST):
            return str(last.state), _text(last.why)
        return "", ""

    def _events_of(self, number: int, further: Sequence[Exchange] = ()) -> Json:
        """Return the events of a span. `further`: all requests of the operation except the first."""
        store = self._journal.store
        found = [
            _event(store.wall_ns(each.request_frame), each.method, {"jsonrpc.request.id": str(each.id)})
            for each in further
        ]
        for n in self._events[number][: _MOST_EVENTS - len(found)]:
            message = next(iter(messages_at(self._journal, n)), None)
            params = message.params if isinstance(message, Notification) else None
            found.append(_event(store.wall_ns(n), store.method(n), _message_attributes(params)))
        dropped = len(self._events[number]) + len(further) - len(found)
        more = {"droppedEventsCount": dropped} if dropped > 0 else {}
        return ({"events": found} if found else {}) | more

    def _message(self, n: int | None) -> Any:
        """Return the first message of a frame; None if it can't be read."""
        what = self._journal.store.entry(n).what if n else None
        return read(what.payload)[0] if isinstance(what, Frame) else None

    def _resource(self) -> Json:
        opening = self._journal.conversation.opening
        client = peek.text(opening.client, "name") if opening is not None else None
        found: dict[str, Any] = {"service.name": _text(client or "mcp-inspect")}
        version = peek.text(opening.client, "version") if opening is not None and client else __version__
        if version:
            found["service.version"] = _text(version)
        return {"attributes": _attributes(found)}

    def _connection(self) -> dict[str, Any]:
        """Return the attributes that all spans of the session share."""
        connection = self._journal.connection
        return _transport(connection) if connection is not None else {}

    def _span(self, name: str, kind: int, trace: str, id_: str, start_ns: int, lasted_ns: int) -> Json:
        return {
            "traceId": trace,
            "spanId": id_,
            "name": name,
            "kind": kind,
            "startTimeUnixNano": str(max(0, start_ns)),
            "endTimeUnixNano": str(max(0, start_ns) + max(0, lasted_ns)),
        }

    def _span_id(self, operation: int) -> str:
        return self._id(f"operation {operation}", 16)

    def _id(self, what: str, digits: int) -> str:
        return hashlib.sha256(f"{self._journal.head.id} {what}".encode()).hexdigest()[:digits]


def _facts(first: Exchange, last: Exchange, failed: str) -> dict[str, Any]:
    """Return the attributes of an operation."""
    found: dict[str, Any] = {
        "mcp.method.name": _text(first.method),
        "jsonrpc.request.id": _text(str(first.id)),
        "mcp_inspect.entry": first.request_frame,
    }
    if first.method == "tools/call":
        found["gen_ai.operation.name"] = "execute_tool"
    if first.method in _TARGETS and first.target:
        found[_TARGETS[first.method]] = _text(first.target)
    if first.revision:
        found["mcp.protocol.version"] = _text(first.revision)
    if failed:
        found["error.type"] = failed
    if last.error_code is not None:
        found["rpc.response.status_code"] = str(last.error_code)
    return found


def _transport(connection: ConnectionFact) -> dict[str, Any]:
    if not connection.url:
        return {"network.transport": "pipe"} if connection.transport == "stdio" else {}
    found: dict[str, Any] = {"network.transport": "tcp", "network.protocol.name": "http"}
    try:
        parts = urlsplit(connection.url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return found
    if host:
        found["server.address"] = _text(host)
        found["server.port"] = port or {"https": 443}.get(parts.scheme, 80)
    return found


def _message_attributes(params: Any) -> dict[str, Any]:
    """Return the attributes of a progress or log message."""
    found: dict[str, Any] = {}
    for name in ("progress", "total"):
        if isinstance(value := peek.at(params, name), int | float) and not isinstance(value, bool):
            found[f"mcp_inspect.{name}"] = value
    for name in ("message", "level", "logger"):
        if value := peek.text(params, name):
            found[f"mcp_inspect.{name}"] = _text(value)
    if (data := peek.at(params, "data")) is not None:
        data = masked_members(data)
        found["mcp_inspect.data"] = _text(data if isinstance(data, str) else encode(data).decode("utf-8", "replace"))
    return found


def _event(wall_ns: int, name: str, attributes: Mapping[str, Any]) -> Json:
    return {"timeUnixNano": str(max(0, wall_ns)), "name": _text(name), "attributes": _attributes(attributes)}


def _attributes(found: Mapping[str, Any]) -> list[Json]:
    return [{"key": key, "value": _value(value)} for key, value in found.items()]


def _value(value: Any) -> Json:
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return {"intValue": str(value)}
    return {"doubleValue": float(value)}


def _text(foreign: str) -> str:
    """Return a foreign text without credentials, with limited length, and in UTF-8, as protobuf demands."""
    return without_secrets(foreign)[:_LONGEST].encode("utf-8", "replace").decode()


# Live export to a collector


def endpoint(url: str) -> str:
    """Return the URL for traces: a URL without a path gets `/v1/traces` (OTLP/HTTP).

    Raises: UsageError if it is not an HTTP URL.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"--otlp {url}: not an HTTP URL", hint="Example: --otlp http://127.0.0.1:4318")
    return urlunsplit(parts._replace(path="/v1/traces")) if parts.path in ("", "/") else url


def headers_from(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of OTEL_EXPORTER_OTLP_HEADERS: `name=value,…`, values percent-encoded (OTLP exporter)."""
    pairs = (each.partition("=") for each in environ.get("OTEL_EXPORTER_OTLP_HEADERS", "").split(","))
    return {name.strip(): unquote(value.strip()) for name, sign, value in pairs if sign and name.strip()}


def send(url: str, found: Iterable[bytes], environ: Mapping[str, str]) -> int:
    """Post each line of an export to a collector. Return the number of requests.

    Raises: UsageError if the URL can't be used, or the collector can't be reached or rejects a request.
    """
    import httpx  # imported here: the export to a file needs no client

    where, count = endpoint(url), 0
    with httpx.Client(timeout=_PATIENCE_S, headers=headers_from(environ)) as client:
        for line in found:
            try:
                _post(client, where, line)
            except httpx.HTTPError as error:
                hint = "Is a collector listening there for OTLP over HTTP (usually port 4318)?"
                raise UsageError(f"OTLP export to {where} failed: {_why(error)}", hint=hint) from None
            count += 1
    return count


def _post(client: "httpx.Client", url: str, body: bytes) -> None:
    client.post(url, content=body, headers={"Content-Type": "application/json"}).raise_for_status()


def _why(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


class LiveExport:
    """Sends the spans of a live session to a collector, from a background thread.

    A span is sent when its operation ends. Spans of open operations and of the session are sent when the journal is
    closed. A failing collector never delays the session: a notice reports the first failure, and later spans are
    still sent.
    """

    def __init__(self, journal: Journal, url: str, headers: Mapping[str, str] | None = None) -> None:
        """Create the export. Raises: UsageError if the URL can't be used."""
        self._url = endpoint(url)
        self._headers = dict(headers or {})
        self._journal = journal
        self._spans = Spans(journal)
        self._open: set[int] = set()
        self._has_failed = False
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="otlp", daemon=True)

    def start(self) -> None:
        """Start the export. It ends when the journal is closed."""
        self._journal.before_close(self.end)
        self._thread.start()

    def end(self) -> None:
        """Send the remaining spans. Returns after the last request, which has a timeout."""
        self._ending.set()
        self._thread.join(2 * _PATIENCE_S)

    def _run(self) -> None:
        import httpx  # imported here: the export to a file needs no client

        with httpx.Client(timeout=_PATIENCE_S, headers=self._headers) as client:

            def post(spans: list[Json]) -> None:
                try:
                    _post(client, self._url, encode(self._spans.request(spans)))
                except httpx.HTTPError as error:
                    self._note(_why(error))

            while not self._ending.wait(_EVERY_S):
                self._send(post, self._ended())
            self._send(post, [*self._ended(), *sorted(self._open)], session=True)

    def _ended(self) -> list[int]:
        """Return the operations that have ended since the last call."""
        self._open.update(self._spans.update())
        ended = sorted(number for number in self._open if not self._spans.is_open(number))
        self._open.difference_update(ended)
        return ended

    def _send(self, post: Callable[[list[Json]], None], numbers: Sequence[int], *, session: bool = False) -> None:
        spans = [self._spans.operation(number) for number in numbers]
        if session:
            spans.append(self._spans.session())
        for first in range(0, len(spans), _BATCH):
            post(spans[first : first + _BATCH])

    def _note(self, why: str) -> None:
        if not self._has_failed:
            self._has_failed = True
            self._journal.note(f"OTLP export to {self._url} failed: {why}")
