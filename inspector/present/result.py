"""The outcome of a call, a read or a prompt.

Five outcomes are always distinguished: success, an error of the tool (`isError`), an incomplete result, a refusal by
the server (a JSON-RPC error), and no response.

The result is shown first and in full; the verdict on its structure comes second and hides nothing of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from inspector import text
from inspector.forms.validate import Problem, Validation, validate
from inspector.present import spans
from inspector.present.blocks import (
    ContentBlock,
    block_of,
    json_block,
    pretty,
    resource_block,
    sounds_like_an_error,
    undecodable,
)
from inspector.present.spans import Fact, Line, Role, fact, paragraph
from inspector.present.words import text_of
from inspector.protocol import peek
from inspector.protocol.freshness import read_freshness
from inspector.protocol.jsonrpc import encode
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.revisions.openings import SERVER_INFO
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.server_requests import INPUT_REQUIRED, advice_on_unsendable, unsendable

_EVERYWHERE = {
    code: name for code, name in ROWS[0].error_names.items() if all(row.error_names.get(code) == name for row in ROWS)
}
"""Error codes that mean the same in every revision."""

_FEW_BLOCKS = 3
_PARTS = {"tools/call": "content", "resources/read": "contents", "prompts/get": "messages"}


class CallOutcome(StrEnum):
    OK = "ok"
    TOOL_ERROR = "tool error"
    JSONRPC_ERROR = "JSON-RPC error"
    INCOMPLETE = "incomplete result"
    """Input is required, the type is unknown, a required member is missing, or data can't be decoded."""
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    NO_ANSWER = "transport failure"


@dataclass(frozen=True, slots=True)
class Finished:
    """A completed request."""

    method: str
    target: str = ""
    result: Any = None
    """Any JSON; only valid if `answered`."""
    answered: bool = True
    """Whether a result was received. A result may be null."""
    error: Any = None
    """The error member of a JSON-RPC error response."""
    failure: str = ""
    """Why there is no response, one sentence; may quote foreign text."""
    hint: str = ""
    """What to do about the failure."""
    last_words: str = ""
    """The telling line that the server wrote to stderr before its end, safe to show; "" if none."""
    http_status: int = 0
    """Status of an HTTP response without a JSON-RPC response; 0 for none."""
    cancelled: bool = False
    timed_out: bool = False
    unfinished: str = ""
    """Why the result is not final, such as open questions or a task that was not followed to its end; "" if it is."""
    handle_wanted: bool = False
    """Whether only the handle of a task was wanted."""
    failed_task: bool = False
    """Whether the server reports the task as failed, whatever its result."""
    duration_ns: int | None = None
    size: int | None = None
    """Bytes of the response's payload."""
    rounds: int = 1
    output_schema: Any = None
    revision: Revision | None = None
    listed: Mapping[str, Any] | None = None
    """Entries of `resources/list` by URI, for pages that do not declare their own permissions; None without any."""


@dataclass(frozen=True, slots=True)
class StructuredPart:
    """The structured content of a result and its validation."""

    text: str
    """JSON over several lines, safe; "" if there is none."""
    verdict: Line
    """One sentence."""
    problems: tuple[Fact, ...] = ()
    """JSON pointer and sentence."""
    raw: Any = None


@dataclass(frozen=True, slots=True)
class ResultView:
    """Everything that a panel or a terminal shows of a result."""

    outcome: CallOutcome
    headline: Line
    """The outcome, the duration and the size."""
    message: tuple[Line, ...] = ()
    """The server's own message, or why there is no response."""
    facts: tuple[Fact, ...] = ()
    hint: str = ""
    """A hint for the user; "" for none."""
    blocks: tuple[ContentBlock, ...] = ()
    structured: StructuredPart | None = None


_ROLES: dict[CallOutcome, tuple[str, Role]] = {
    CallOutcome.OK: (f"{spans.OK} OK", "ok"),
    CallOutcome.TOOL_ERROR: (f"{spans.ERROR} Tool error", "error"),
    CallOutcome.INCOMPLETE: (f"{spans.ERROR} Incomplete result", "error"),
    CallOutcome.JSONRPC_ERROR: (f"{spans.ERROR} JSON-RPC error", "error"),
    CallOutcome.TIMEOUT: (f"{spans.WARNING} Timed out", "warning"),
    CallOutcome.CANCELLED: (f"{spans.TIMES} Cancelled", "warning"),
    CallOutcome.NO_ANSWER: (f"{spans.ERROR} No response", "error"),
}


def outcome_of(finished: Finished) -> CallOutcome:
    """Return the outcome; a response takes precedence over everything else."""
    if finished.error is not None:
        return CallOutcome.JSONRPC_ERROR
    if finished.cancelled:
        return CallOutcome.CANCELLED
    if finished.timed_out:
        return CallOutcome.TIMEOUT
    if finished.failure or not finished.answered:
        return CallOutcome.NO_ANSWER
    if finished.method == "tools/call" and peek.flag(finished.result, "isError") is True:
        return CallOutcome.TOOL_ERROR
    return CallOutcome.INCOMPLETE if incomplete(finished) else CallOutcome.OK


def incomplete(finished: Finished) -> str:
    """Return why a result is not complete, one sentence without its full stop; "" if it is."""
    result, method = finished.result, finished.method
    if finished.unfinished:
        return finished.unfinished
    if method in _PARTS and not isinstance(result, dict):
        return f"the result is {encode(result)[:40].decode('utf-8', 'replace')}, not an object"
    kind = peek.at(result, "resultType")
    if kind == INPUT_REQUIRED:
        return "input required, none given"
    if method == "tools/call" and (kind == "task" or _is_nested_handle(result)):
        return "" if finished.handle_wanted else "the call became a task; its result is unknown"
    if kind not in (None, "complete"):
        return f"its resultType is {encode(kind)[:60].decode('utf-8', 'replace')}, which is unknown"
    if method in _PARTS and not isinstance(peek.at(result, _PARTS[method]), list):
        has = f"is of type {peek.type_name(result[_PARTS[method]])}" if _PARTS[method] in result else "is missing"
        return f"{_PARTS[method]} {has}, and the schema requires an array"
    for number, part in enumerate(peek.items(result, _PARTS.get(method, "")), 1):
        if why := undecodable(peek.at(part, "content") if method == "prompts/get" else part):
            return f"part {number} is invalid: {why}"
    return ""


def _is_nested_handle(result: Any) -> bool:
    """Whether a result is the handle of a task as in the core protocol of 2025."""
    return peek.text(result, "task", "taskId") is not None and not peek.has(result, "content")


def request_not_sent(finished: Finished, stderr: Sequence[str] = ()) -> tuple[str, str] | None:
    """Return which request the server could not send to the client, by its error or stderr, and a hint; else None."""
    match outcome_of(finished):
        case CallOutcome.JSONRPC_ERROR:
            texts = [peek.text(finished.error, "message")]
        case CallOutcome.TOOL_ERROR:
            texts = [peek.text(block, "text") for block in peek.items(finished.result, "content")[:_FEW_BLOCKS]]
        case _:
            return None
    method = next(filter(None, (unsendable(each or "") for each in (*texts, *stderr))), "")
    if not method:
        return None
    why, hint = advice_on_unsendable(method, finished.revision)
    return f"the server wanted to send {why}", hint


def verdict_of(finished: Finished) -> Validation | None:
    """Validate the structured content against the tool's output schema; None if there is nothing to validate.

    This may take a good part of a second: keep it off the event loop. A tool error is exempt because it has no
    result.
    """
    if finished.output_schema is None or outcome_of(finished) not in (CallOutcome.OK, CallOutcome.INCOMPLETE):
        return None
    if peek.text(finished.result, "resultType") not in (None, "complete"):
        return None
    if not peek.has(finished.result, "structuredContent"):
        missing = "is missing, but the tool has an outputSchema"
        return Validation(False, (Problem(("structuredContent",), missing, "required"),))
    return validate(finished.output_schema, peek.at(finished.result, "structuredContent"))


def result_view(finished: Finished, verdict: Validation | None = None) -> ResultView:
    """Build the view; without a verdict it shows that nothing was validated (yet)."""
    outcome = outcome_of(finished)
    if outcome is CallOutcome.JSONRPC_ERROR:
        return _refused(finished)
    if outcome not in (CallOutcome.OK, CallOutcome.TOOL_ERROR, CallOutcome.INCOMPLETE):
        stderr: Line = (("stderr  ", "muted"), (finished.last_words, "stderr"))
        message = (*paragraph(finished.failure, "error"), *((stderr,) if finished.last_words else ()))
        return ResultView(outcome, _headline(finished, outcome), message, hint=text.visible(finished.hint, limit=1000))
    blocks = _blocks(finished)
    structured = _structured(finished, verdict)
    return ResultView(
        outcome,
        _broken(_headline(finished, outcome), verdict) if outcome is CallOutcome.OK else _headline(finished, outcome),
        paragraph(f"{incomplete(finished)}.", "error") if outcome is CallOutcome.INCOMPLETE else (),
        facts=_facts(finished.result),
        hint=_remark(outcome, blocks, structured) or _cause(finished),
        blocks=blocks,
        structured=structured,
    )


def _headline(finished: Finished, outcome: CallOutcome, more: str = "") -> Line:
    message, role = _ROLES[outcome]
    parts: list[str] = []
    if finished.duration_ns is not None:
        parts.append(text.human_duration(finished.duration_ns))
    if finished.size is not None:
        parts.append(text.human_size(finished.size))
    if finished.rounds > 1:
        parts.append(f"{finished.rounds} rounds")
    tail = "".join(f" {spans.NOTE} {part}" for part in parts)
    if outcome is CallOutcome.OK and finished.failed_task:
        message, role = f"{spans.ERROR} The task failed", "error"
    if outcome is CallOutcome.NO_ANSWER and finished.http_status >= 300:
        message = f"{spans.ERROR} HTTP {finished.http_status}"
    if outcome is CallOutcome.OK and _is_empty(finished.result):
        more = "; empty result"
    return (message + more, role), (tail, "muted")


def _broken(headline: Line, verdict: Validation | None) -> Line:
    """Return the headline of a success, with a warning if the result does not match the tool's schema."""
    if verdict is None or verdict.ok is not False or headline[0][1] == "error":
        return headline
    message = f"{spans.WARNING} OK, but does not match outputSchema ({len(verdict.problems)})"
    return (message, "warning"), *headline[1:]


def _refused(finished: Finished) -> ResultView:
    error = finished.error
    code, message = peek.integer(error, "code"), peek.text(error, "message")
    names = finished.revision.error_names if finished.revision is not None else _EVERYWHERE
    number = " without a code" if code is None else f" {code}"
    name = names.get(code, "") if code is not None else ""
    lines: tuple[Line, ...] = paragraph(message) if message else ((("(no message)", "muted"),),)
    blocks: tuple[ContentBlock, ...] = ()
    if peek.has(error, "data"):
        blocks = (json_block(peek.at(error, "data"), "data"),)
    elif message is None:
        blocks = (json_block(error, "error"),)
    more = f"{number} {name}".rstrip()
    headline = _headline(finished, CallOutcome.JSONRPC_ERROR, more)
    return ResultView(CallOutcome.JSONRPC_ERROR, headline, lines, hint=_cause(finished), blocks=blocks)


def _cause(finished: Finished) -> str:
    found = request_not_sent(finished)
    return f"{found[0][0].upper()}{found[0][1:]}. {found[1]}" if found is not None else ""


def _blocks(finished: Finished) -> tuple[ContentBlock, ...]:
    result, method = finished.result, finished.method
    if peek.text(result, "resultType") == "input_required":
        return (json_block(result, "input required"),)
    if method == "tools/call" and isinstance(peek.at(result, "content"), list):
        return tuple(block_of(raw) for raw in peek.items(result, "content"))
    if method == "resources/read" and isinstance(peek.at(result, "contents"), list):
        listed = finished.listed or {}
        return tuple(
            resource_block(raw, listed.get(peek.text(raw, "uri") or "")) for raw in peek.items(result, "contents")
        )
    if method == "prompts/get" and isinstance(peek.at(result, "messages"), list):
        return tuple(block for message in peek.items(result, "messages") for block in _prompt_message(message))
    has_structure = method == "tools/call" and peek.has(result, "structuredContent")
    return () if has_structure or result in ({}, None) else (json_block(result, "result"),)


def _prompt_message(message: Any) -> tuple[ContentBlock, ...]:
    role = text.visible(peek.text(message, "role") or "no role", limit=40)
    content = peek.at(message, "content")
    if isinstance(content, list):
        return tuple(block_of(raw, prefix=role) for raw in content)
    return (block_of(content if isinstance(message, dict) else message, prefix=role),)


def _is_empty(result: Any) -> bool:
    """Whether a result has only members that every result may have. That is legal, but worth showing."""
    if not isinstance(result, dict):
        return result is None
    ignored = {"_meta", "isError", "resultType", "ttlMs", "cacheScope", "description"}
    return all(value in ([], {}, None) for key, value in result.items() if key not in ignored)


def _facts(result: Any) -> tuple[Fact, ...]:
    """Return the members other than the content, without those that every result of the era has."""
    pairs = ((key, peek.text(result, key)) for key in ("resultType", "description"))
    found = [fact(key, value) for key, value in pairs if value and (key, value) != ("resultType", "complete")]
    fresh = read_freshness(result, 0)
    if fresh.ttl_ms is not None or fresh.scope:
        lasts = "" if fresh.ttl_ms is None else f"TTL {text_of(fresh.ttl_ms * 1_000_000)}"
        found.append(fact("cache", ", ".join(part for part in (lasts, fresh.scope) if part)))
    found += [fact("cache", f"{spans.WARNING} {flaw}", "warning") for flaw in fresh.flaws]
    if meta := [key for key in peek.mapping(result, "_meta") or () if key != SERVER_INFO]:
        found.append(fact("_meta", ", ".join(meta), "muted"))
    return tuple(found)


def _structured(finished: Finished, verdict: Validation | None) -> StructuredPart | None:
    result = finished.result
    has = finished.method == "tools/call" and peek.has(result, "structuredContent")
    if not has and verdict is None:
        return None
    raw = peek.at(result, "structuredContent")
    problems: tuple[Fact, ...] = ()
    if verdict is not None:
        problems = tuple(_problem(each) for each in verdict.problems)
    return StructuredPart(pretty(raw) if has else "", _verdict_line(finished, verdict), problems, raw)


def _problem(problem: Problem) -> Fact:
    got = f": {problem.got}" if problem.got else ""
    return fact(problem.pointer or "(root)", problem.sentence + got, "error")


def _verdict_line(finished: Finished, verdict: Validation | None) -> Line:
    note = f" {spans.NOTE} {text.visible(verdict.note, limit=500)}" if verdict is not None and verdict.note else ""
    if verdict is None:
        if finished.output_schema is None:
            return (("not validated: the tool has no outputSchema", "muted"),)
        return (("not validated", "muted"),)
    if verdict.ok is None:
        return ((f"{spans.WARNING} cannot validate against outputSchema", "warning"), (note, "muted"))
    if verdict.ok:
        return ((f"{spans.OK} matches its outputSchema", "ok"), (note, "muted"))
    count = len(verdict.problems)
    plural = "problem" if count == 1 else "problems"
    return ((f"{spans.ERROR} does not match its outputSchema: {count} {plural}", "error"), (note, "muted"))


def _remark(outcome: CallOutcome, blocks: tuple[ContentBlock, ...], structured: StructuredPart | None) -> str:
    if outcome is CallOutcome.OK and blocks and structured is None and sounds_like_an_error(blocks[0].foreign):
        return "The text looks like an error, but isError is not set: a model treats it as success."
    return ""
