"""Rules for JSON-RPC as MCP uses it: ids, batches, errors, `_meta`."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from inspector.checks.findings import JSON_RPC, Severity
from inspector.checks.foreign_text import elided, words_of_body
from inspector.checks.json_flaws import flaw_of, is_encoded_json
from inspector.checks.registry import Violation, row_of_date, rules_of
from inspector.checks.sayings import product_facts
from inspector.checks.state import PREFIX, CheckMoment
from inspector.protocol import peek
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import NULL_ERROR, RESPELLED_ID, ErrorResponse, NotJsonRpc, Request, ResultResponse
from inspector.protocol.request_meta import TRACEPARENT
from inspector.text import cut

error, warning, hint = rules_of("basic")

_HINT = Severity.HINT
_NOT_JSON = ("not JSON", "an empty line")
_BRACKETS = (b"{", b"[")
_LATE_MESSAGE = re.compile(rb'\{\s{0,9}"(?:jsonrpc|id|result|error)"\s{0,9}:')
_ALONE = "Write nothing but the message to the body: send warnings to a log (display_errors=0 of PHP)."
_ENCODE = "Encode each message with a JSON library, and do not change its text afterwards."
_ID_NUMBER = re.compile(rb'"id"\s*:\s*(-?\d[\d.eE+-]{0,40})')
_ABILITY = {"sampling/createMessage": "sampling", "roots/list": "roots", "elicitation/create": "elicitation"}
_KEYS_HAVE_NAMES = row_of_date("2025-06-18")
"""From this revision on, the form of keys is specified."""
_LABEL = r"[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_KEY = re.compile(
    rf"(?:{_LABEL}(?:\.{_LABEL})*/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?|openai/toolInvocation/\w+"
)
"""A valid key, or one that ChatGPT defines."""
_RESERVED = re.compile(r"(?:[^./]+\.)?(?:modelcontextprotocol|mcp)(?:\.[^/]*)?/")
"""Reserved prefixes: the second label is one of two words (the first, in earlier versions)."""
_DEFINED = frozenset(
    PREFIX + name
    for name in (
        *("protocolVersion", "clientInfo", "clientCapabilities", "logLevel", "serverInfo", "subscriptionId"),
        *("related-task", "model-immediate-response", "skills", "ui", "tasks"),
    )
)
_WITH_META = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "tools/call": "content",
    "resources/read": "contents",
}
"""Methods whose results have a list of items, each with a `_meta`, and the list's member."""
_TRACE = {"traceparent": TRACEPARENT, "tracestate": re.compile(r"[\x20-\x7e]*"), "baggage": re.compile(r"[\x20-\x7e]*")}
_IF_NOTHING_WORKS = (
    "If requests fail at this URL, it is that of HTTP+SSE: use --transport sse, or another path, such as /mcp."
)
_OF_SSE = "Use --transport sse, or the server's URL of Streamable HTTP, such as /mcp."
_EVENT = re.compile(rb"(?:event|id|data):")
"""The begin of a server-sent event."""


@error("Invalid JSON-RPC message", "garbled", topic=JSON_RPC)
def invalid_json_rpc(case: CheckMoment) -> Iterator[Violation]:
    """JSON of another shape on any transport; over HTTP also invalid JSON.

    Invalid lines of stdout are diagnosed as bytes.

    Fix: Send one JSON object per message.
    """
    message = case.message
    assert isinstance(message, NotJsonRpc)
    if message.reason.startswith("an object without") or not case.frame or not case.frame.payload.strip():
        return
    if case.http is None and message.reason in _NOT_JSON:
        return
    kind = case.http.header("content-type") or "" if case.http is not None else "json"
    if "json" in kind or "event-stream" in kind:
        begin = case.frame.payload.lstrip()[:1]
        if begin in _BRACKETS and message.reason == "not JSON" and (flaw := flaw_of(case.frame.payload)):
            what = f"the response to {case.http.asked[0].named}" if case.http and case.http.asked else "a message"
            yield Violation(f"{what} is not valid JSON: {flaw}", fix=_ENCODE)
            return
        if case.frame.sse is not None and _EVENT.match(case.frame.payload):
            sentence = "the data of an event are a whole event with event: and data:, so it was formatted twice"
            yield Violation(sentence, fix="Pass the JSON alone where the framework writes the events.")
            return
        named = case.frame.sse.event if case.frame.sse is not None else None
        severity = _HINT if case.state.opening is not None else None
        if named == "endpoint" and severity is None:  # else the URL works, and clients ignore the event
            sentence = "the stream of GET begins with an endpoint event, so this is the URL of HTTP+SSE"
            yield Violation(sentence, fix=_OF_SSE)
            return
        if named not in (None, "", "message", "error"):
            words = words_of_body(case.frame.payload)
            sentence = f"the event {cut(named, 40)!r} has no message, so clients ignore it: {words}"
            yield Violation(sentence, severity=severity, fix=_IF_NOTHING_WORKS if named == "endpoint" else "")
            return
        if begin not in _BRACKETS and (found := _LATE_MESSAGE.search(case.frame.payload)) and case.http is not None:
            lead = re.sub(r"<[^<>]*>", "", case.frame.payload[: found.start()].decode("utf-8", "replace"))
            what = cut(case.http.asked[0].method, 60) if case.http.asked else "a request"
            sentence = f"the response to {what} has text before its JSON: {elided(' '.join(lead.split()), 160)}"
            yield Violation(sentence, fix=_ALONE)
            return
        what = "an HTML page" if begin == b"<" else message.reason
        if begin and begin not in _BRACKETS and is_encoded_json(case.frame.payload):
            what = "JSON that is encoded in base64 and not decoded again"
        is_told = message.reason == "not JSON" or begin == b"{" or message.reason.startswith("a JSON string")
        text = words_of_body(case.frame.payload)[:80] if is_told else ""
        due = f" in response to {case.http.asked[0].named}" if case.http and case.http.asked else ""
        yield Violation(f"received {what}{due}: {text}" if text else f"received {what}{due}")


@error('`jsonrpc` is missing or not "2.0"', "frame")
def jsonrpc_member_invalid(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Set "jsonrpc": "2.0"."""
    for message in case.value:
        for defect in message.defects:
            if defect.startswith('"jsonrpc"') and not isinstance(message, NotJsonRpc):
                yield Violation(f"message whose {defect}", "/jsonrpc")


@error("Response has both or neither of `result` and `error`", "frame")
def result_and_error(case: CheckMoment) -> Iterator[Violation]:
    """`"error": null` is reported once, since a serializer writes it into every response.

    Fix: Return either `result` or `error`.
    """
    for message in case.value:
        if "both result and error" in message.defects:
            named = _to(case, getattr(message, "id", None))
            yield Violation(f"the response{named} has both result and error", "/error")
        elif NULL_ERROR in message.defects and case.state.is_first("result-and-error null"):
            sentence = f'response has "error": null beside its result: {product_facts()["null-error"]}'
            yield Violation(sentence, "/error", fix="Omit `error` from a response with a result.")
        elif isinstance(message, NotJsonRpc) and message.reason.startswith("an object without"):
            if case.is_foreign_event:
                return
            named = _to(case, peek.request_id(peek.decoded(case.frame.payload), "id")) if case.frame else ""
            what = f"the response{named} has" if named else "message has no method,"
            yield Violation(f"{what} no result and no error")


def _to(case: CheckMoment, answered: int | str | None) -> str:
    """Name the request that a response of the server is for; "" if it is not known."""
    is_of_server = case.frame is not None and case.frame.direction is Direction.FROM_SERVER
    asked = case.state.requests.open.get((Direction.TO_SERVER, answered or 0)) if is_of_server else None
    return f" to {asked.named}" if asked is not None else ""


@error("`error` lacks `code` or `message`", "error", "orphan")
def error_object_invalid(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Return an integer `code` and a string `message`."""
    if not isinstance(case.message, ErrorResponse):
        return
    if type(case.value) is not dict:
        shown = f": {cut(case.value, 120)}" if isinstance(case.value, str) else ""
        what = f"the error of {case.named} is" if case.method else "it is"
        sentence = f"error must be an object with code and message; {what} of type {peek.type_name(case.value)}{shown}"
        yield Violation(sentence, "/error")
        return
    if peek.integer(case.value, "code") is None:
        yield Violation("error.code is missing or not an integer", "/error/code")
    if peek.text(case.value, "message") is None:
        yield Violation("error.message is missing or not a string", "/error/message")


@error("Request has an invalid id", "frame", until="2025-11-25")
def request_id_invalid(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Use a string or an integer."""
    for message in case.value:
        if any(defect.startswith("a request without a possible response") for defect in message.defects):
            yield Violation(f"the id of {cut(message.method, 60)} is neither a string nor an integer", "/id")


@error("Server reuses a request id", "request", until="2025-11-25")
def request_id_reused(case: CheckMoment) -> Iterator[Violation]:
    """“The request ID MUST NOT have been previously used by the requestor within the same session.”

    Fix: Use a new id for each request; count upwards.
    """
    assert isinstance(case.message, Request)
    if case.message.id in case.state.requests.server_ids:
        yield Violation(f"the server request id {case.message.id!r} was used before in this session", "/id")


@error("Response to an unknown request", "orphan")
def unexpected_response(case: CheckMoment) -> Iterator[Violation]:
    """The id must equal that of a request, with the same type.

    Fix: Return the id of the request.
    """
    message = case.message
    if (
        isinstance(message, ResultResponse | ErrorResponse)
        and message.id is not None
        and not _same_text(case, message.id)
    ):
        yield Violation(f"response with the id {message.id!r}, but no open request has this id", "/id")


def _same_text(case: CheckMoment, id_: int | str) -> bool:
    other: int | str = str(id_) if isinstance(id_, int) else int(id_) if id_.isdecimal() and len(id_) < 19 else id_
    return other != id_ and (Direction.TO_SERVER, other) in case.state.requests.open


@warning("Response id is spelled differently", "frame", topic=JSON_RPC)
def id_spelling_changed(case: CheckMoment) -> Iterator[Violation]:
    """`1.0` and `1e0` are the JSON number 1; clients that keep ids as integers or text may not match them.

    Fix: Return the id unchanged; do not parse it with a JSON library that reads all numbers as doubles.
    """
    for message in case.value:
        if RESPELLED_ID in message.defects and isinstance(message, ResultResponse | ErrorResponse):
            if case.state.is_first("id-spelling-changed"):
                sentence = (
                    f"the response has the id {_spelling(case, message.id)}, the request {message.id}: "
                    "the same JSON number, but other clients may not match them"
                )
                yield Violation(sentence, "/id")


def _spelling(case: CheckMoment, id_: int | str | None) -> str:
    """Return how an integer id is written in the frame, as far as the beginning or end of the frame shows it."""
    payload = case.payload
    for found in _ID_NUMBER.finditer(payload[:4096] + payload[-4096:]):
        written = found.group(1)
        if not written.isdigit() and float(written) == id_:
            return written.decode()
    return f"{id_}.0"


@error("Duplicate response", "late")
def duplicate_response(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Send one response per request."""
    asked = case.asked
    if asked is not None and asked.answered is not None:
        yield Violation(
            f"second response to {asked.method} (id {asked.id!r})", "/id", frames=(asked.answered, asked.frame)
        )


@error("Error without an id", "error", "orphan")
def error_without_id(case: CheckMoment) -> Iterator[Violation]:
    """An error without an id is allowed only if the id could not be read, and in HTTP error responses.

    Fix: Return the id of the request.
    """
    message = case.message
    if not isinstance(message, ErrorResponse) or message.id is not None:
        return
    if peek.integer(case.value, "code") in (-32700, -32600):
        return  # it could not read the id, as of raw messages from the composer
    if case.state.is_http and (case.http is None or case.http.response is None or case.http.response.status >= 400):
        return
    if case.http is not None and case.http.notifications and not case.http.asked:
        sentence = f"{cut(case.http.notifications[0], 60)} was answered with an error: {cut(message.message, 100)}"
        yield Violation(sentence, "/error", fix="Return HTTP 202 without a body: a notification has no response.")
        return
    yield Violation(f"error without an id: {cut(message.message, 100)}", "/id")


@error("Notification has an id", "request")
def notification_with_id(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Remove the id from the notification."""
    if case.method.startswith("notifications/"):
        yield Violation(f"{case.named} has an id, but a notification has none", "/id")


@error("Batch in a protocol version without batches", "frame", topic="changelog", since="2025-06-18", early=True)
def batch_unsupported(case: CheckMoment) -> Iterator[Violation]:
    """Only 2025-03-26 has batches.

    Fix: Send each message by itself.
    """
    if _is_batch(case):
        due = f" in response to {case.http.asked[0].named}" if case.http and case.http.asked else ""
        yield Violation(f"{_messages(case.value)} in one array{due}; this protocol version has no batches")


@hint("Batch before batches were specified", "frame", until="2024-11-05")
def batch_not_specified(case: CheckMoment) -> Iterator[Violation]:
    """2024-11-05 does not mention batches.

    Fix: Send each message by itself.
    """
    if _is_batch(case):
        yield Violation(f"{_messages(case.value)} in one array, which this protocol version does not define")


def _messages(batch: Sequence[Any]) -> str:
    return "1 message" if len(batch) == 1 else f"{len(batch)} messages"


def _is_batch(case: CheckMoment) -> bool:
    return case.frame is not None and case.frame.payload[:1] == b"[" and not isinstance(case.value[0], NotJsonRpc)


@error(
    "Server request without the client capability",
    "request",
    topic="basic/lifecycle",
    until="2025-11-25",
    mild_until="2025-03-26",
    belated=True,
)
def client_capability_not_declared(case: CheckMoment) -> Iterator[Violation]:
    """The server may only use declared capabilities, and methods of the protocol version.

    Fix: Check the client capabilities before sending the request.
    """
    revision, method = case.revision, case.method
    assert revision is not None
    if method.startswith("notifications/"):
        return
    if method not in revision.server_requests:
        yield Violation(f"{cut(method, 60)} is not a server request in {revision.date}", "/method")
    elif (ability := _ABILITY.get(method)) and not case.state.offered(None, ability):
        during = "".join(f" during {each.named}" for each in case.state.requests.waiting()[-1:])
        yield Violation(f"the server sent {method}{during}, but the client does not declare {ability}", "/method")


@error("Server request in a stateless protocol version", "request", topic="basic/patterns/mrtr", since="2026-07-28")
def server_request_not_allowed(case: CheckMoment) -> Iterator[Violation]:
    """In stateless protocol versions, server requests are sent inside results.

    Fix: Return "resultType": "input_required" with the request instead.
    """
    yield Violation(
        f"the server sent the request {case.named}; this protocol version has no server requests", "/method"
    )


@hint("Unknown notification", "notification", topic="schema")
def unknown_notification(case: CheckMoment) -> Iterator[Violation]:
    """Legal, but clients ignore it.

    Fix: Send only notifications of the negotiated protocol version.
    """
    revision, method = case.revision, case.method
    if revision is not None and method not in revision.server_notifications and method != "notifications/tasks":
        near = next((each for each in revision.server_notifications if _bare(each) == _bare(method)), "")
        meant = f": {near} is meant, which clients know" if near else ""
        fix = f"Call it {near}." if near else ""
        worse = Severity.WARNING if near else None
        sentence = f"{cut(method, 60)} is not a server notification in {revision.date}{meant}"
        yield Violation(sentence, "/method", severity=worse, fix=fix)


def _bare(method: str) -> str:
    """Return the name of a notification without what authors spell otherwise: its prefix, case and marks."""
    return re.sub(r"[^a-z]", "", method.lower().rpartition("notifications/")[2])


@error("`_meta` is not an object, or has invalid keys", "meta", *(f"answer {each}" for each in _WITH_META))
def invalid_meta(case: CheckMoment) -> Iterator[Violation]:
    """A key is a name with an optional prefix of dotted labels.

    Fix: Use an object whose keys follow the naming rules of `_meta`.
    """
    meta = peek.at(case.value, "_meta")
    if type(meta) is dict and case.row >= _KEYS_HAVE_NAMES:
        for key in meta:
            if not _KEY.fullmatch(key):
                yield Violation(f"{cut(key, 60)!r} is not a valid key of _meta{_flaw(key)}", f"{case.root}/_meta")
            elif "/" in key and _RESERVED.match(key) and key not in _DEFINED:
                if case.state.is_first(f"invalid-meta {key[:80]}"):
                    sentence = f"{cut(key, 80)!r} has a reserved prefix but is not a specified key"
                    yield Violation(sentence, f"{case.root}/_meta", severity=_HINT)
    items = peek.items(case.value, _WITH_META.get(case.method, "")) if isinstance(case.message, ResultResponse) else ()
    for at, item in enumerate(items):
        for key in peek.mapping(item, "_meta") if case.row >= _KEYS_HAVE_NAMES else ():
            if not _KEY.fullmatch(key) and case.state.is_first(f"invalid-meta {key[:80]}"):
                place = f"/result/{_WITH_META[case.method]}/{at}/_meta"
                sentence = f"{cut(key, 60)!r} is not a valid key of _meta{_flaw(key)}"
                yield Violation(sentence, place, severity=Severity.WARNING)


def _flaw(key: str) -> str:
    return (
        ": a prefix ends with its only slash"
        if key.count("/") > 1
        else ": a name begins and ends with a letter or digit"
    )


@error("Invalid trace context in `_meta`", "meta", since="2026-07-28")
def invalid_trace_context(case: CheckMoment) -> Iterator[Violation]:
    """The three keys without a prefix have formats defined by the W3C.

    Fix: Format the value as W3C Trace Context specifies.
    """
    meta = peek.at(case.value, "_meta")
    if type(meta) is dict:
        for key, pattern in _TRACE.items():
            if key in meta and not (isinstance(meta[key], str) and pattern.fullmatch(meta[key])):
                yield Violation(f"{key} is not valid trace context", f"{case.root}/_meta/{key}")


@error("Reserved error code", "error", since="2026-07-28")
def reserved_error_code(case: CheckMoment) -> Iterator[Violation]:
    """-32020 to -32099 are reserved by the specification.

    Fix: Use a code outside of -32020 to -32099.
    """
    code = peek.integer(case.value, "code")
    if code is not None and -32099 <= code <= -32023 and code != -32042:
        yield Violation(f"the error code {code} is reserved, and the specification does not define it", "/error/code")


@error("Obsolete error code", "error", since="2026-07-28")
def obsolete_error_code(case: CheckMoment) -> Iterator[Violation]:
    """-32002 and -32042 were removed.

    Fix: Return -32602 for a resource that does not exist; send elicitations inside results.
    """
    code = peek.integer(case.value, "code")
    if code in (-32002, -32042):
        yield Violation(f"the error code {code} must not be used in this protocol version", "/error/code")


@hint("Error code without a defined meaning", "error", since="2026-07-28")
def undefined_error_code(case: CheckMoment) -> Iterator[Violation]:
    """-32000 to -32019 are implementation-defined: legal, but no client knows what they mean.

    Fix: Use a code of JSON-RPC or MCP, or describe the code in the message.
    """
    code = peek.integer(case.value, "code")
    if code is not None and -32019 <= code <= -32000 and code != -32002 and not case.is_moot:
        yield Violation(f"clients cannot interpret the error code {code}", "/error/code")
