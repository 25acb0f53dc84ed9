"""Findings from the responses to probing calls. The ordinary checks validate results against `outputSchema`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

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
_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\)|\n\s+at \S.*:\d+(?::\d+)?\)?|^panic: .*\n\ngoroutine "
    r"|\n\s+at [\w.$]+\(\w+\.java:\d+\)"
)
_PATH = re.compile(
    r"(?:/(?:home|Users)/[^/\s\"']+/|/roo[t]/|/(?:usr|opt)/(?:local/)?lib/[^\s\"']*|[^\s\"']*/(?:site-packages|node_modules)/"
    r"|[A-Za-z]:\\\\?Users\\\\?)[^\s\"']*"
)
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
) -> list[Finding]:
    """Return the findings about one tool, at most five of each check.

    `secrets`: values of environment variables that the server got, by name; short ones are ignored.
    """
    name = (peek.text(tool, "name") or "")[:80]
    found: list[Finding] = []
    counts: dict[str, int] = {}
    for id_, sentence, frames in _flaws(outcomes, secrets):
        counts[id_] = counts.get(id_, 0) + 1
        if counts[id_] <= _MOST_EACH:
            found.append(input_finding(id_, f"{name}: {sentence}", frames, revision))
    return found


def _flaws(outcomes: Sequence[ProbeOutcome], secrets: Mapping[str, str]) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    before: ProbeOutcome | None = None
    for each in outcomes:
        for id_, sentence in _of_outcome(each, secrets):
            yield id_, sentence, each.frames
        if each.call.again and before is not None and _differs(before.reply, each.reply):
            yield "not-idempotent", "the same arguments give another result", (*each.frames[:1], *before.frames[:1])
        before = each


def _of_outcome(each: ProbeOutcome, secrets: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    call, reply = each.call, each.reply
    if isinstance(reply, Broken) or (not each.alive and not isinstance(reply, Replied)):
        yield "input-ends-server", f"the server disconnects if {_said(call)}"
        return
    if isinstance(reply, Silent):
        if each.busy:
            return
        yield "input-without-response", f"no response in {reply.seconds:g} s if {_said(call)}"
        return
    if isinstance(reply, Refused):
        yield "input-fails-inside", f"HTTP {reply.status} without a JSON-RPC response if {_said(call)}"
        return
    if not isinstance(reply, Replied):
        return
    if not each.alive:
        yield "input-ends-server", f"the server disconnects after its response if {_said(call)}"
    text = text_of(reply.message)
    yield from _of_verdict(call, reply.message, text)
    yield from _leaks(call, text, secrets)


def _of_verdict(call: ProbeCall, message: ResultResponse | ErrorResponse, text: str) -> Iterator[tuple[str, str]]:
    code = message.code if isinstance(message, ErrorResponse) else None
    failed = code is not None or peek.flag(message.result, "isError") is True  # type: ignore[union-attr]
    if call.valid:
        if code == _INVALID_PARAMS or (failed and _VALIDATION.search(text)):
            yield "valid-input-rejected", f"rejected although {_said(call)}, which inputSchema allows: {_quote(text)}"
        elif code == _INTERNAL:
            yield "input-fails-inside", f"internal error if {_said(call)}: {_quote(text)}"
    elif not failed:
        yield "invalid-input-accepted", f"succeeds although {_said(call)}"
    elif code == _INTERNAL:
        yield "input-fails-inside", f"internal error if {_said(call)}: {_quote(text)}"
    elif call.argument and call.argument.lower() not in text.lower():
        yield "input-error-unspecific", f"the error does not name {call.argument!r} if {_said(call)}: {_quote(text)}"


def _leaks(call: ProbeCall, text: str, secrets: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if _TRACEBACK.search(text):
        yield "response-has-traceback", f"the response has a stack trace if {_said(call)}"
    elif (path := _PATH.search(text)) is not None and path.group() not in msgspec.json.encode(call.arguments).decode():
        yield "response-has-path", f"the response has {path.group()[:80]!r} if {_said(call)}"
    for name, value in secrets.items():
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
