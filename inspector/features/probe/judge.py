"""Findings from the responses to probing calls. The ordinary checks validate results against `outputSchema`."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from inspector.checks.findings import Finding
from inspector.checks.rules.inputs import input_finding
from inspector.features.probe.plan import ProbeCall
from inspector.protocol import peek
from inspector.protocol.flows.steps import Broken, Refused, Replied, Reply, Silent
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.revisions._shape import Revision

_LONGEST = 200_000
"""Maximum number of characters of a response that are searched."""
_INVALID_PARAMS, _INTERNAL = -32602, -32603
_VALIDATION = re.compile(
    r"(?i)validation error|invalid (?:arguments|input|params|parameters|type)|input validation|schema validation"
    r"|is a required property|is not of type|expected (?:string|number|object|array|boolean|integer), received"
    r"|\[type=\w+, input_value=|must be (?:a |an )?(?:string|number|integer|object|array|boolean)\b|invalid_type"
)
"""Typical messages of common validators: pydantic, zod, ajv, jsonschema."""
_SHAPE = re.compile(
    r"(?i)\brequired\b|\bmissing\b|is not of type|expected (?:string|number|object|array|boolean|integer), received"
    r"|\[type=(?:missing|\w+_type|\w+_parsing), |must be (?:a |an )?(?:string|number|integer|object|array|boolean)\b"
    r"|invalid_type"
)
"""Messages about a missing argument or a type. Other rejections may be caused by texts that are made up here."""
_NOT_ITS_FAULT = (401, 403, 408, 429, 502, 503, 504)
"""HTTP statuses that arguments do not explain."""
_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\)|\n\s+at \S.*:\d+(?::\d+)?\)?|^panic: .*\n\ngoroutine "
    r"|\n\s+at [\w.$]+\(\w+\.java:\d+\)"
)
_PATH = re.compile(
    r"(?:/(?:home|Users)/[^/\s\"']+/|/roo[t]/|/(?:usr|opt)/(?:local/)?lib/[^\s\"']*|[^\s\"']*/(?:site-packages|node_modules)/"
    r"|[A-Za-z]:\\\\?Users\\\\?)[^\s\"']*"
)
_HOME = re.compile(r"/(?:home|Users)/[^/]+/")
_SHORTEST_SECRET: Final = 8
_MOST_EACH = 5
"""Maximum number of findings per check and tool."""


class ProbeOutcome(msgspec.Struct, frozen=True):
    """A probing call and its outcome."""

    call: ProbeCall
    reply: Reply
    request: int
    """Entry of the request; 0 if it was not sent."""
    response: int
    """Entry of the response; 0 if there is none."""
    alive: bool
    """Whether the session is still open after the call."""
    busy: bool = False
    """Whether the server sent a request or a notification during the call: it waits for the user, or is working."""

    slow: bool = False
    """Whether the tool took long for valid arguments already, while the server responded to other requests."""

    @property
    def frames(self) -> tuple[int, ...]:
        """Entries that serve as evidence: response, then request."""
        return tuple(n for n in (self.response, self.request) if n)


def judge(
    tool: Mapping[str, Any],
    outcomes: Sequence[ProbeOutcome],
    *,
    revision: Revision | None,
    secrets: Mapping[str, str],
    is_local: bool = False,
) -> list[Finding]:
    """Return the findings about one tool, at most five of each check.

    `secrets`: values of environment variables that the server got, by name; short ones are ignored. `is_local`:
    whether the server runs on this machine, so that a home directory that does not exist is only an example.
    """
    name = (peek.text(tool, "name") or "")[:80]
    found: list[Finding] = []
    counts: dict[str, int] = {}
    written = msgspec.json.encode(tool).decode()
    leaks = _Leaks(secrets, lambda path: path in written or (is_local and not _is_home_here(path)))
    for id_, sentence, frames in _flaws(outcomes, leaks):
        counts[id_] = counts.get(id_, 0) + 1
        if counts[id_] <= (1 if id_ == "slow-tool" else _MOST_EACH):
            found.append(input_finding(id_, f"{name}: {sentence}", frames, revision))
    return found


class _Leaks(NamedTuple):
    """What a response should not have."""

    secrets: Mapping[str, str]
    is_example: Callable[[str], bool]
    """whether a path does not show anything about the server's machine."""


def _is_home_here(path: str) -> bool:
    """Return whether a path may be real: it is not in a home directory, or that exists on this machine."""
    home = _HOME.match(path)
    return home is None or os.path.isdir(home.group())


def _flaws(outcomes: Sequence[ProbeOutcome], leaks: _Leaks) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    before: ProbeOutcome | None = None
    base = next((each for each in outcomes if each.call.valid), None)
    for each in outcomes:
        for id_, sentence in _of_outcome(each, base if base is not each else None, leaks):
            yield id_, sentence, each.frames
        if each.call.again and before is not None and _differs(before.reply, each.reply):
            yield "not-idempotent", "the same arguments give another result", (*each.frames[:1], *before.frames[:1])
        before = each


def _of_outcome(each: ProbeOutcome, base: ProbeOutcome | None, leaks: _Leaks) -> Iterator[tuple[str, str]]:
    """Yield check and sentence. `base`: the first valid call, None if this is it; what fails there fails always."""
    call, reply = each.call, each.reply
    if isinstance(reply, Broken) or (not each.alive and not isinstance(reply, Replied)):
        yield "input-ends-server", f"the server disconnects if {_said(call)}"
        return
    if isinstance(reply, Silent):
        if each.busy:
            return
        yield (
            "slow-tool" if each.slow else "input-without-response",
            f"no response in {reply.seconds:g} s if {_said(call)}",
        )
        return
    if isinstance(reply, Refused):
        fails_always = base is not None and isinstance(base.reply, Refused)
        if reply.status not in _NOT_ITS_FAULT and not fails_always:
            yield "input-fails-inside", f"HTTP {reply.status} without a JSON-RPC response if {_said(call)}"
        return
    if not isinstance(reply, Replied):
        return
    if not each.alive:
        yield "input-ends-server", f"the server disconnects after its response if {_said(call)}"
    text = text_of(reply.message)
    yield from _of_verdict(call, reply.message, text, _verdict_of(base), is_base=base is None)
    yield from _leaked(call, text, leaks)


class _Failure(StrEnum):
    """How a call failed."""

    NOT = "not"
    REJECTED = "rejected"
    INSIDE = "inside"
    OTHERWISE = "otherwise"


def _verdict_of(outcome: ProbeOutcome | None) -> _Failure:
    if outcome is None or not isinstance(outcome.reply, Replied):
        return _Failure.NOT
    return _failure_of(outcome.reply.message, text_of(outcome.reply.message))


def _failure_of(message: ResultResponse | ErrorResponse, text: str) -> _Failure:
    code = message.code if isinstance(message, ErrorResponse) else None
    if code is None and peek.flag(message.result, "isError") is not True:  # type: ignore[union-attr]
        return _Failure.NOT
    if code == _INVALID_PARAMS or _VALIDATION.search(text):
        return _Failure.REJECTED
    return _Failure.INSIDE if code == _INTERNAL else _Failure.OTHERWISE


def _of_verdict(
    call: ProbeCall, message: ResultResponse | ErrorResponse, text: str, base: _Failure, *, is_base: bool
) -> Iterator[tuple[str, str]]:
    failure = _failure_of(message, text)
    is_internal = isinstance(message, ErrorResponse) and message.code == _INTERNAL
    if failure is _Failure.NOT:
        if not call.valid:
            yield "invalid-input-accepted", f"succeeds although {_said(call)}"
    elif call.valid and failure is _Failure.REJECTED:
        if base is not _Failure.REJECTED:
            is_certain = call.declared or _SHAPE.search(text)
            id_ = "valid-input-rejected" if is_certain else "undeclared-constraint"
            yield id_, f"rejected although {_said(call)}, which inputSchema allows: {_quote(text)}"
    elif is_internal:
        if base is not _Failure.INSIDE and not is_base:
            yield "input-fails-inside", f"internal error if {_said(call)}: {_quote(text)}"
    elif not call.valid and call.argument and call.argument.lower() not in text.lower():
        yield "input-error-unspecific", f"the error does not name {call.argument!r} if {_said(call)}: {_quote(text)}"


def _leaked(call: ProbeCall, text: str, leaks: _Leaks) -> Iterator[tuple[str, str]]:
    if _TRACEBACK.search(text):
        yield "response-has-traceback", f"the response has a stack trace if {_said(call)}"
    else:
        sent = msgspec.json.encode(call.arguments).decode()
        paths = (found.group() for found in _PATH.finditer(text))
        path = next((path for path in paths if path not in sent and not leaks.is_example(path)), "")
        if path:
            yield "response-has-path", f"the response has {path[:80]!r} if {_said(call)}"
    for name, value in leaks.secrets.items():
        if len(value) >= _SHORTEST_SECRET and value in text:
            yield "response-has-secret", f"the response has the value of {name} if {_said(call)}"


def _differs(first: Reply, second: Reply) -> bool:
    """Return whether the content of two results differs. Metadata is ignored."""
    if not (isinstance(first, Replied) and isinstance(second, Replied)):
        return False
    contents = [_content(each.message) for each in (first, second)]
    return None not in contents and contents[0] != contents[1]


def _content(message: ResultResponse | ErrorResponse) -> list[Any] | None:
    """Return the content of a result; None for an error, whose text may vary."""
    if isinstance(message, ErrorResponse) or peek.flag(message.result, "isError") is True:
        return None
    return [peek.at(message.result, name) for name in ("content", "structuredContent")]


def text_of(message: ResultResponse | ErrorResponse) -> str:
    """Return all text of a response: message and data of an error, text and structured content of a result."""
    if isinstance(message, ErrorResponse):
        data = peek.at(message.error, "data")
        parts = [message.message, *_strings(data)]
    else:
        parts = list(_strings(peek.at(message.result, "content")))
        parts += _strings(peek.at(message.result, "structuredContent"))
    return "\n".join(parts)[:_LONGEST]


def _strings(value: Any, depth: int = 12) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth:
        for each in value.values():
            yield from _strings(each, depth - 1)
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _strings(each, depth - 1)


def _said(call: ProbeCall) -> str:
    return (
        call.what if call.argument or " is " in call.what or " has " in call.what else f"it is called with {call.what}"
    )


def _quote(text: str) -> str:
    return " ".join(text.split())[:120] or "no text"
