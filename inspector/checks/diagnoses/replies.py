"""Diagnoses of single responses: ids that do not fit, no envelope, calls and metadata that are rejected."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import reason_of, words_of_body
from inspector.checks.registry import Violation, diagnoses_of
from inspector.checks.rules.results import own_result_rejected
from inspector.checks.state import CheckMoment, TrackedRequest
from inspector.forms.validate import validate
from inspector.protocol import peek
from inspector.protocol.jsonrpc import ErrorResponse, NotJsonRpc, ResultResponse
from inspector.protocol.revisions.openings import MISSING_CAPABILITY
from inspector.protocol.server_requests import REQUIRED, advice_on_unsendable, unsendable
from inspector.text import cut

error, warning, hint = diagnoses_of("basic/lifecycle")

_WARNING, _HINT = Severity.WARNING, Severity.HINT
_FEW = 3
_ASKING = ("answer tools/call", "error tools/call", "error prompts/get", "error resources/read")
_NO_METHOD = re.compile(
    r"(?i)method not (?:found|implemented|supported|allowed)|(?:unknown|unsupported|no such) method|tools/call"
)
_OWN_REQUEST = (b"jsonrpc", b"method", b"params")
_OWN_RESULT = re.compile(r"(?i)\binvalid tools/call result\b|\bvalidating tool output: ")
"""Errors of the SDKs for TypeScript and Go for a handler that returns no valid result."""
_FIX_RESULT = "Return an object with content, a list of blocks, from the handler of the tool, on each of its paths."
_NO_MEMBERS: frozenset[str] = frozenset()
_RESULTS = {
    "initialize": frozenset(("protocolVersion", "serverInfo")),
    "server/discover": frozenset(("supportedVersions",)),
    "tools/list": frozenset(("tools",)),
    "prompts/list": frozenset(("prompts",)),
    "resources/list": frozenset(("resources",)),
    "tools/call": frozenset(("content", "structuredContent")),
}
"""Members that identify a result, by method."""
_UNREADABLE = (-32700, -32600)
_NOTIFICATION = re.compile(r"\bnotifications/[a-z_/]{1,40}")
_META = re.compile(r"(?<![\w$])_meta\b(?!\"\s*:)|\bprogressToken\b")
_UNEXPECTED = re.compile(
    r"(?i)unrecognized|unknown|unexpected|additional|not allowed|not permitted|extra|forbidden|unsupported|invalid"
)


class _Stray(msgspec.Struct, frozen=True):
    """A response without an id that may belong to a request."""

    frame: int
    asked: TrackedRequest
    sentence: str
    notification: str = ""
    """The notification that it may belong to instead."""


class _Notes(msgspec.Struct):
    anonymous: list[_Stray] = []
    mismatched: list[_Stray] = []
    returns_ids: bool = False
    """Whether a response had the id of its request."""
    rejected: tuple[int, Any, str] | None = None
    """Entry of the newest error of a call, its params without `_meta`, and the reason."""


@error("Response id changed its type", "answer", "error", topic="basic")
def id_type_changed(case: CheckMoment) -> Iterator[Violation]:
    """1 and "1" are different ids, but the official TypeScript and Python clients match them.

    Fix: Return the id unchanged.
    """
    asked, message = case.asked, case.message
    if asked is None or not isinstance(message, ResultResponse | ErrorResponse) or message.id is None:
        return
    is_same_in_words = type(message.id) is not type(asked.id) and str(message.id) == str(asked.id)
    if is_same_in_words and case.state.is_first("id-type-changed"):
        sentence = (
            f"the id {asked.id!r} was returned as {message.id!r}: a different id, so many clients see no response"
        )
        yield Violation(sentence, "/id", frames=(asked.frame,))


@error("Response to a notification", "orphan", "late", "error", "garbled", "end", topic="basic")
def notification_answered(case: CheckMoment) -> Iterator[Violation]:
    """A response without an id that matches no open request; the request it was for may be known only at the end.

    Fix: Send no response to a message without an id: strict clients disconnect.
    """
    if case.message is None:
        for each in case.state.notes(_Notes).anonymous:
            if each.asked.answered is not None:
                what = each.notification or "a notification"
                yield Violation(f"{what} was answered with {each.sentence}", "/id", (each.frame,), instead=True)
    elif case.http is None and (named := _notification_named(case)):
        words = f"{named} was answered with an error with the id {case.message.id!r}: {cut(reason_of(case.value), 120)}"  # type: ignore[union-attr]
        yield Violation(words, "/id")
    elif case.http is None and _is_anonymous(case):
        waiting, sentence = case.state.requests.unanswered(), _without_an_id(case)
        words = peek.text(case.value, "message") or ""
        if "notifications/initialized" in words and isinstance(case.message, ErrorResponse):
            sentence = f"the server does not know notifications/initialized, and answered it with {sentence}"
            fix = "Accept notifications/initialized, with its prefix, and send no response to a notification."
            yield Violation(sentence, "/id", fix=fix)
        elif not waiting or "notifications/" in words:
            yield Violation(f"{_unheard(case) or 'a notification'} was answered with {sentence}", "/id")
        elif len(waiting) == 1 and case.state.is_sampled("notification-answered", _FEW):
            case.state.notes(_Notes).anonymous.append(_Stray(case.n, waiting[0], sentence, _unheard(case)))


def _notification_named(case: CheckMoment) -> str:
    """Return the notification that an error with an id that is not open says it does not know; "" for none."""
    message = case.message
    if not isinstance(message, ErrorResponse) or message.id is None:
        return ""
    if case.asked is not None and case.asked.answered is None:
        return ""
    found = _NOTIFICATION.search(reason_of(case.value))
    return found[0] if found is not None else ""


def _unheard(case: CheckMoment) -> str:
    """Return the only notification since the server's last message; "" for none or several."""
    sent = {each for each in case.state.requests.unheard if each.startswith("notifications/")}
    return cut(sent.pop(), 60) if len(sent) == 1 else ""


def _is_anonymous(case: CheckMoment) -> bool:
    message = case.message
    if isinstance(message, ErrorResponse):
        if peek.integer(case.value, "code") in _UNREADABLE and not _unheard(case):
            return False  # what it could not read has no id that it could return
        return message.id is None and case.state.process.provoked is None
    return isinstance(message, NotJsonRpc) and message.reason == "a result without a usable id"


def _without_an_id(case: CheckMoment) -> str:
    is_error = isinstance(case.message, ErrorResponse)
    words = cut(reason_of(case.value), 160) if is_error else ""
    return f"{'an error' if is_error else 'a result'} without an id{': ' if words else ''}{words}"


@error("Response id does not match the request", "orphan", "late", "end", topic="basic")
def response_id_mismatch(case: CheckMoment) -> Iterator[Violation]:
    """One request was open, the response had no id or another one, and the request got no other response.

    The official TypeScript and Python clients wait for their timeout then, and that of Go disconnects if it has no id.

    Fix: Return the id of the request unchanged; 0 is an id as well.
    """
    state, message = case.state, case.message
    if message is None:
        for each in (*state.notes(_Notes).anonymous, *state.notes(_Notes).mismatched):
            if each.asked.answered is None:
                frames = (each.frame, each.asked.frame)
                sentence = f"{each.asked.named} was answered with {each.sentence}"
                yield Violation(sentence, "/id", frames, instead=True, confidence=Confidence.LIKELY)
    elif isinstance(message, ResultResponse | ErrorResponse) and message.id is not None:
        if case.http is not None and (isinstance(message, ErrorResponse) or state.opening is not None):
            return  # SDKs write "server-error" where they read no id; later `response-on-wrong-post` judges
        asked = state.requests.unanswered() if case.http is None else case.http.asked
        waiting = [each for each in asked if each.answered is None]
        if (
            len(waiting) == 1
            and str(message.id) != str(waiting[0].id)
            and state.is_sampled("response-id-mismatch", _FEW)
        ):
            sentence = f"a response with the id {message.id!r}; the id of the request is {waiting[0].id!r}"
            state.notes(_Notes).mismatched.append(_Stray(case.n, waiting[0], sentence))
    elif case.http is None and isinstance(message, ErrorResponse) and not _is_anonymous(case):
        waiting = state.requests.waiting() if state.process.provoked is None else []
        if len(waiting) == 1 and state.is_sampled("response-id-mismatch", _FEW):  # it was sent as valid JSON
            state.notes(_Notes).mismatched.append(_Stray(case.n, waiting[0], _without_an_id(case)))


@warning("Server numbers its responses itself", "answer", "error", topic="basic")
def response_id_counted(case: CheckMoment) -> Iterator[Violation]:
    """Matches only clients that number their requests from 0, as the official SDKs do without a probe.

    Fix: Return the id of the request: clients that number otherwise, or send two requests at once, get no response.
    """
    asked, message = case.asked, case.message
    if asked is None or not isinstance(message, ResultResponse | ErrorResponse) or type(message.id) is not int:
        return
    notes = case.state.notes(_Notes)
    if message.id == asked.id:
        notes.returns_ids = True
    elif type(asked.id) is int and not notes.returns_ids and case.state.is_first("response-id-counted"):
        sentence = f"the request {asked.id} was answered with the id {message.id}: the server counts from 0"
        yield Violation(sentence, "/id", frames=(asked.frame,))


@error("Response is not JSON-RPC", "garbled", topic="basic")
def json_rpc_envelope_missing(case: CheckMoment) -> Iterator[Violation]:
    """An object without jsonrpc, where a response is due: a bare result, or another API.

    Fix: Send {"jsonrpc": "2.0", "id": …, "result": …}, with the id of the request.
    """
    message, payload = case.message, case.payload
    if not isinstance(message, NotJsonRpc) or not message.reason.startswith("an object without"):
        return
    asked = (case.http and case.http.asked) or case.state.requests.unanswered()
    due = asked[0] if asked else None
    members = _members(payload)
    if case.is_foreign_event and "jsonrpc" not in members:
        return
    if due is None or "jsonrpc" in members or not case.state.is_sampled("json-rpc-envelope-missing", 2):
        return
    if members & _RESULTS.get(due.method, _NO_MEMBERS):
        yield Violation(f"the response to {due.named} is a bare result, without jsonrpc and id", frames=(due.frame,))
    elif case.http is not None and (case.http.header("content-type") or "").startswith("text/event-stream"):
        shown = payload[:80].decode("utf-8", "replace").strip()
        fix = "Send JSON-RPC messages only. A comment, a line that begins with “:”, keeps a stream open."
        yield Violation(f"an event before the response to {due.named} is not JSON-RPC: {shown}", fix=fix)
    elif case.http is not None:
        named = cut(", ".join(sorted(members)[:4]), 80)
        fix = "Check that this is the URL of the MCP endpoint; most end with /mcp or /sse."
        words = words_of_body(payload)
        sentence = f"the response to {due.named} is not JSON-RPC; its members are {named or 'none'}"
        sentence += f": {words}" if words else ""
        if not words and all(each in payload for each in _OWN_REQUEST):
            sentence = f"the response to {due.named} repeats the request: the URL is not that of an MCP server"
        yield Violation(sentence, frames=(due.frame,), fix=fix)


def _members(payload: bytes) -> frozenset[str]:
    value = peek.decoded(payload)
    return frozenset(value) if type(value) is dict else _NO_MEMBERS


@warning("Call was rejected", "error tools/call", topic="server/tools", confidence=Confidence.LIKELY)
def call_rejected(case: CheckMoment) -> Iterator[Violation]:
    """Reports the reason that the error, its data, or the tool's own schema states.

    Fix: Correct the call. If the tool itself failed, the server should return isError with the reason.
    """
    if case.asked is None or case.is_moot:
        return
    name = peek.text(case.asked.params, "name") or ""
    known = case.listed_as("tools", name)
    if known is not None and peek.has(known.item, "outputSchema"):
        if (found := own_result_rejected(name, reason_of(case.value))) is not None:
            yield found
            return
    if case.asked.probe or peek.integer(case.value, "code") in (-32603, MISSING_CAPABILITY, REQUIRED):
        return  # the first has its own check; the call is right if the client lacks something
    problems = _problems(known.item if known is not None else None, case.asked)
    why = f"; the arguments do not match inputSchema: {problems}" if problems else ""
    if type(case.value) is not dict:
        return  # `error-object-invalid` reports it
    code, message = peek.integer(case.value, "code"), reason_of(case.value)
    if _OWN_RESULT.search(message[:300]):
        sentence = f"{cut(name, 60)}: the server rejects its own result with {code}: {cut(message, 240)}"
        yield Violation(sentence, "/error", (case.asked.frame,), fix=_FIX_RESULT)
        return
    why += case.state.requests.had_worked(case.asked)
    calls = [each for each in case.state.requests.all if each.method == "tools/call"]
    if (
        code == -32601
        and known is not None
        and not why
        and _NO_METHOD.search(message)
        and not any(each.worked for each in calls)
    ):
        why = ": the server lists tools, and has no handler for tools/call"
    sentence = f"{cut(name, 60)} was rejected with {code}: {cut(message, 240)}{why}"
    yield Violation(sentence, "/error", (case.asked.frame,))


@warning("Server cannot send a request to the client", *_ASKING, topic="server/tools")
def request_not_sendable(case: CheckMoment) -> Iterator[Violation]:
    """The error of an SDK names an elicitation, sampling or roots request that its handler wanted to send.

    Fix: Connect with --era legacy, in which servers send requests, or return input_required from the handler.
    """
    if case.asked is None or case.is_moot:
        return
    is_error = isinstance(case.message, ErrorResponse)
    texts = [peek.text(case.value, "message")] if is_error else []
    if not is_error and peek.flag(case.value, "isError"):
        texts = [peek.text(block, "text") for block in peek.items(case.value, "content")[:_FEW]]
    if method := next(filter(None, (unsendable(each or "") for each in texts)), ""):
        name = peek.text(case.asked.params, "name") or peek.text(case.asked.params, "uri") or case.method
        why, fix = advice_on_unsendable(method, case.revision)
        sentence = f"{cut(name, 60)} wanted to send {why}"
        yield Violation(sentence, "/error" if is_error else "/result/content", (case.asked.frame,), fix=fix)


@error("`_meta` is rejected", "error", "answer tools/call", topic="basic")
def meta_rejected(case: CheckMoment) -> Iterator[Violation]:
    """The error names `_meta`, which the request has, as an unknown member: its params are validated too strictly.

    Or the same call succeeds without it, which check tries once.

    Fix: Accept `_meta` in the params of every request: clients send a progressToken and trace context there.
    """
    if case.asked is None:
        return
    if not peek.has(case.asked.params, "_meta"):
        earlier = case.state.notes(_Notes).rejected if case.asked.probe else None
        if earlier is not None and isinstance(case.message, ResultResponse) and earlier[1] == case.asked.params:
            sentence = f"tools/call was rejected because of its _meta, without which it works: {cut(earlier[2], 160)}"
            yield Violation(sentence, "", (earlier[0], case.n), instead=True)
        return
    if isinstance(case.message, ErrorResponse) and case.method == "tools/call":
        bare = {name: value for name, value in case.asked.params.items() if name != "_meta"}
        case.state.notes(_Notes).rejected = case.n, bare, reason_of(case.value)
    words = reason_of(case.value) if isinstance(case.message, ErrorResponse) else ""
    if peek.flag(case.value, "isError"):
        words = " ".join(peek.text(each, "text") or "" for each in peek.items(case.value, "content")[:3])
    words = words[:1000]
    if _META.search(words) and _UNEXPECTED.search(words) and not _is_required_meta(case):
        sentence = f"{case.named} was rejected because of its _meta, which every request may have: {cut(words, 160)}"
        place = "/error" if isinstance(case.message, ErrorResponse) else "/result"
        yield Violation(sentence, place, (case.asked.frame,))


def _is_required_meta(case: CheckMoment) -> bool:
    """Whether the error may be about what `_meta` has to contain in a stateless revision."""
    return case.is_modern and peek.integer(case.value, "code") in (-32602, -32020, -32021, -32022)


def _problems(tool: Any, asked: TrackedRequest) -> str:
    """Return the validation errors of the arguments of a call, as one phrase."""
    schema = peek.at(tool, "inputSchema")
    if type(schema) is not dict:
        return ""
    found = validate(schema, peek.mapping(asked.params, "arguments")).problems[:2]
    stated = "; ".join(cut(f"{each.pointer.lstrip('/')} {each.sentence}".strip(), 80) for each in found)
    needed = peek.items(schema, "required")
    nulls = [name for name, value in peek.mapping(asked.params, "arguments").items() if value is None]
    spare = [cut(name, 40) for name in nulls if name not in needed][:3] if found else []
    return stated + (f" (null is a value: leave out {', '.join(spare)})" if spare else "")
