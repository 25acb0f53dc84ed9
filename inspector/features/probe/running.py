"""Makes the planned calls of each tool in sequence, and judges the responses.

A call that ends the server, or after which it no longer responds, is a finding. The probing continues with a
new session, a limited number of times, so that one defect does not hide others.
"""

import asyncio
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from math import inf
from typing import Any, Final, NamedTuple

import msgspec

from inspector.capture.compare.normal import Normal
from inspector.capture.store.columns import MessageKind
from inspector.checks.findings import Finding
from inspector.checks.foreign_text import LIMITED
from inspector.checks.rules.inputs import input_finding
from inspector.checks.rules.results import failure_in, is_refusal
from inspector.errors import InspectError
from inspector.features.probe.comparing import (
    changed_values,
    ignored_limits,
    ignored_values,
    remembered_texts,
    slow_places,
    unapplied_defaults,
    usual_of,
)
from inspector.features.probe.habits import of_many_tools
from inspector.features.probe.plan import MANY, ProbeCall, plan_tool
from inspector.protocol import peek
from inspector.protocol.flows.steps import Broken, Refused, Replied, Reply, Silent
from inspector.protocol.frames import Cause, Direction
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.listed_items import Tool
from inspector.protocol.revisions._shape import Revision
from inspector.session.options import SessionState
from inspector.session.probing import call_once, responds
from inspector.session.session import Session
from inspector.text import visible

_LONGEST = 200_000
"""Maximum number of characters of a response that are searched."""
_INVALID_PARAMS, _INTERNAL = -32602, -32603
_VALIDATION = re.compile(
    r"(?i)validation error|invalid (?:arguments|input|params|parameters|type)|input validation|schema validation"
    r"|is a required property|is not of type|expected (?:string|number|object|array|boolean|integer), received"
    r"|\b(?:is|are) (?:required|missing)\b|missing (?:required |the )?(?:argument|parameter|field|property|value)"
    r"|\[type=\w+, input_value=|must be (?:a |an )?(?:string|number|integer|object|array|boolean)\b|invalid_type"
)
"""Typical messages of common validators: pydantic, zod, ajv, jsonschema."""
_OF_A_RESPONSE = re.compile(r"(?i)validation errors? for \w*(?:response|result|output)\b|output validation error")
"""Messages of the same validators about what the tool returns, or has got itself."""
_OF_CREDENTIALS = re.compile(
    r"\b[A-Z0-9_]{0,30}(?:API_?KEY|_TOKEN|_SECRET|_PASSWORD|CREDENTIALS?)\b|(?i:authenticat|\bunauthori[sz]ed\b"
    r"|\bforbidden\b|\b(?:api|access|bearer|auth|authorization) (?:key|token|header)s?\b|\bcredentials?\b"
    r"|\b(?:log|sign)(?:ged|ned)?[ -]?in\b)"
)
"""Words of errors about a key, a token or a login."""
_OF_SETUP = re.compile(
    rf"{_OF_CREDENTIALS.pattern}|\b[A-Z][A-Z0-9]{{0,30}}_[A-Z0-9]|(?i:\benvironment variable|\bnot installed\b)"
    r"|\.(?:json|ya?ml|toml|csv|parquet|sqlite3?|db|wasm|onnx|jar)\b['\"`]? (?:is |was )?(?i:missing|not found)\b"
)
"""Words of errors about what the server lacks: a key, a login, a variable, a program or a file."""
_LACKING = re.compile(
    r"(?i)\b(?:missing|required|needed|invalid|expired|please|not (?:set|found|configured|provided|authenticated|log)"
    r"|no|un(?:set|authori[sz]ed))\b"
)
_NORMAL = Normal()
_SHORT_REFUSAL: Final = 400
"""Maximum number of characters of a refusal that is not marked as an error; a longer text is about credentials."""
_MOST_PAUSES, _PAUSE_S = 30, 1.0
"""Pauses for servers that limit the rate of calls."""
_LONG_PREFACE: Final = 60
"""Number of characters before the reason of a rejection from which they are not quoted."""
_SHAPE = re.compile(
    r"(?i)\brequired\b|\bmissing\b|is not of type|expected (?:string|number|object|array|boolean|integer), received"
    r"|\[type=(?:missing|\w+_type|\w+_parsing), |must be (?:a |an )?(?:string|number|integer|object|array|boolean)\b"
    r"|invalid_type"
)
"""Messages about a missing argument or a type. Other rejections may be caused by texts that are made up here."""
_NOT_ITS_FAULT = (401, 403, 408, 429, 502, 503, 504)
"""HTTP statuses that arguments do not explain."""
_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\)|\n[ \t]+at \S.*:\d+(?::\d+)?\)?|^panic: .*\n\ngoroutine "
    r"|\n[ \t]+at [\w.$]+\(\w+\.java:\d+\)"
)
_WORD = re.compile(r"[^\s\"']+")
_VENDORED = re.compile(r"/(?:site-packages|node_modules)/")
_PLACE = re.compile(r"(?<![\w.-])/(?:home|Users)/[^/]+/|/roo[t]/|/(?:usr|opt)/(?:local/)?lib/|[A-Za-z]:\\\\?Users\\\\?")
_SOURCE = re.compile(
    r"(?:/[\w.@+-]{1,80}){2,20}\.(?:py|js|cjs|mjs|ts|go|rs|java|rb|php|cs|ya?ml|toml|ini|env)\b(?::\d+)?"
)
"""An absolute path of a source file or of settings."""
_ERROR_TEXT: Final = 5_000
"""Maximum number of characters of an error that are searched for source files."""
_HOME = re.compile(r"/(?:home|Users)/[^/]+/")
_SHORTEST_SECRET: Final = 8
_MOST_EACH = 5
"""Maximum number of findings per check and tool."""
_ONE_HABIT = frozenset(
    (
        *("slow-tool", "invalid-input-accepted", "valid-input-rejected", "undeclared-constraint"),
        *("input-error-unspecific", "input-fails-inside", "response-has-path", "response-has-traceback"),
    )
)
"""Checks with one cause per tool, such as arguments that are not validated: one finding with a count."""

_SHORT_CHARS: Final = 3
_NEAR_CHARS: Final = 60
_ABSENT = re.compile(r"\b(?:missing|required|empty|must be (?:a |an )?string|at least (?:1|one) char\w+)\b")
_SEPARATORS = re.compile(r"[\s_.-]+")
_TYPED = re.compile(r"(?i)\[type=|is not of type|expected \w+, received|must be (?:a |an )?\w+\b|invalid_type")
_CONDITION = re.compile(
    r"(?i)\b(?:required|needed|mandatory|allowed|specify|provide)\b.{0,30}\b(?:when|if|unless|either)\b"
    r"|\b(?:required|needed|mandatory|missing|must be (?:given|set|provided)) (?:for|with|by|in|to)\b"
)
"""Errors about what an argument requires of another one, which few schemas express."""
MOST_RESTARTS = 10
"""Maximum number of new sessions of one run."""
_MOST_OF_TOOL = 3
"""Maximum number of them because of one tool; its other calls are not made then."""
_MOST_SILENT = 2
"""Number of calls without a response after which a tool is not called again."""
_SLOW = 0.5
"""Fraction of the timeout. If the first call takes longer, the input of another one does not explain a timeout."""


def _paths(text: str) -> Iterator[str]:
    """Yield the paths in a text that name a user, a system directory or installed code."""
    for word in _WORD.findall(text):
        word = word.rpartition("\\n")[2]  # of a text inside JSON
        if _VENDORED.search(word):
            yield word
        elif found := _PLACE.search(word):
            yield word[found.start() :]


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

    seconds: float = 0.0
    """How long the call took."""
    slow: bool = False
    """Whether the tool took long for valid arguments already, while the server responded to other requests."""
    repeated: bool = True
    """False if the call ended the server, and the same call of the next session did not."""

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
    """Return the findings about one tool: one for each check of how it validates, at most five of any other.

    `secrets`: values of environment variables that the server got, by name; short ones are ignored. `is_local`:
    whether the server runs on this machine, so that a home directory that does not exist is only an example.
    """
    name = (peek.text(tool, "name") or "")[:80]
    found: list[Finding] = []
    counts: dict[str, int] = {}
    written = msgspec.json.encode(tool).decode()
    leaks = _Leaks(secrets, lambda path: path in written or (is_local and not _is_home_here(path)))
    is_read_only = peek.flag(tool, "annotations", "readOnlyHint") is True
    for id_, sentence, frames in _flaws(outcomes, leaks, is_read_only=is_read_only):
        counts[id_] = counts.get(id_, 0) + 1
        if counts[id_] <= (1 if id_ in _ONE_HABIT else _MOST_EACH):
            found.append(input_finding(id_, f"{name}: {sentence}", frames, revision))
    return [_counted(each, counts[each.id]) if each.id in _ONE_HABIT else each for each in found]


def _counted(finding: Finding, count: int) -> Finding:
    """Return a finding with the number of calls that show it."""
    more = f" (so do {count - 1} other calls of it)" if count > 2 else " (so does another call)" if count > 1 else ""
    return msgspec.structs.replace(finding, sentence=finding.sentence + more, count=count)


class _Leaks(NamedTuple):
    """What a response should not have."""

    secrets: Mapping[str, str]
    is_example: Callable[[str], bool]
    """whether a path does not show anything about the server's machine."""


def _is_home_here(path: str) -> bool:
    """Return whether a path may be real: it is not in a home directory, or that exists on this machine."""
    home = _HOME.match(path)
    return home is None or os.path.isdir(home.group())


def _flaws(
    outcomes: Sequence[ProbeOutcome], leaks: _Leaks, *, is_read_only: bool
) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    before: ProbeOutcome | None = None
    base = next((each for each in outcomes if each.call.valid), None)
    missing = [*_taken_for_missing(base, outcomes)]
    for each in outcomes:
        for id_, sentence in _of_outcome(each, base if base is not each else None, leaks):
            if not (missing and each is base and id_ == "valid-input-rejected"):
                yield id_, sentence, each.frames
        if each.call.again and before is not None and _differs(before.reply, each.reply):
            yield "not-idempotent", "the same arguments give another result", (*each.frames[:1], *before.frames[:1])
        before = each
    calls, texts = [each.call for each in outcomes], [_succeeded(each) for each in outcomes]
    remembered = remembered_texts(calls, texts) if is_read_only else ()  # others may be meant to remember
    compared = (*changed_values(calls, texts), *ignored_values(calls, texts), *ignored_limits(calls, texts))
    for id_, sentence, at in (*compared, *remembered):
        yield id_, sentence, outcomes[at].frames
    yield from missing


def _taken_for_missing(
    base: ProbeOutcome | None, outcomes: Sequence[ProbeOutcome]
) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield each false and 0 of the first valid call that is called missing, while other values succeed."""
    if base is None or _verdict_of(base) is not _Failure.REJECTED or not isinstance(base.reply, Replied):
        return
    text = text_of(base.reply.message)
    near = [text[max(each.start() - _NEAR_CHARS, 0) : each.end() + _NEAR_CHARS] for each in _ABSENT.finditer(text)]
    for name, value in base.call.arguments.items():
        others = (each for each in outcomes if each.call.valid and each.call.arguments.get(name))
        is_named = value in (False, 0) and any(_letters(name.lower()) in _letters(words.lower()) for words in near)
        if is_named and value is not None and any(_succeeded(each) is not None for each in others):
            shown = "false" if value is False else "0"
            yield "value-ignored", f"{name[:60]!r} is called missing if it is {shown}: {_quote(text)}", base.frames


def _succeeded(outcome: ProbeOutcome) -> str | None:
    """Return the text of a successful response; None for all else."""
    reply = outcome.reply
    if not isinstance(reply, Replied) or not isinstance(reply.message, ResultResponse):
        return None
    text = text_of(reply.message)
    return text if _failure_of(reply.message, text) is _Failure.NOT else None


def _of_outcome(each: ProbeOutcome, base: ProbeOutcome | None, leaks: _Leaks) -> Iterator[tuple[str, str]]:
    """Yield check and sentence. `base`: the first valid call, None if this is it; what fails there fails always."""
    call, reply = each.call, each.reply
    if not each.repeated:
        return
    if isinstance(reply, Broken) or (not each.alive and not isinstance(reply, Replied)):
        yield "input-ends-server", f"the server disconnects if {_described(call)}"
        return
    if isinstance(reply, Silent):
        if each.busy:
            return
        yield (
            "slow-tool" if each.slow else "input-without-response",
            f"no response in {reply.seconds:g} s if {_described(call)}",
        )
        return
    if isinstance(reply, Refused):
        fails_always = base is not None and isinstance(base.reply, Refused)
        if reply.status not in _NOT_ITS_FAULT and not fails_always:
            yield "input-fails-inside", f"HTTP {reply.status} without a JSON-RPC response if {_described(call)}"
        return
    if not isinstance(reply, Replied):
        return
    if not each.alive:
        yield "input-ends-server", f"the server disconnects after its response if {_described(call)}"
    text = text_of(reply.message)
    usual = text_of(base.reply.message) if base is not None and isinstance(base.reply, Replied) else ""
    yield from _of_verdict(call, reply.message, text, _verdict_of(base), usual, is_base=base is None)
    yield from _leaked(call, text, leaks, is_error=_failure_of(reply.message, text) is not _Failure.NOT)


class _Failure(StrEnum):
    """How a call failed."""

    NOT = "not"
    REJECTED = "rejected"
    UNAUTHORIZED = "unauthorized"
    """Without credentials, or beyond a rate limit, whatever the arguments are."""
    INSIDE = "inside"
    OTHERWISE = "otherwise"


def _is_limited(reply: Replied) -> bool:
    message = reply.message
    is_error = isinstance(message, ErrorResponse) or peek.flag(message.result, "isError") is True
    return is_error and LIMITED.search(text_of(message)[:_ERROR_TEXT]) is not None


def _verdict_of(outcome: ProbeOutcome | None) -> _Failure:
    if outcome is None or not isinstance(outcome.reply, Replied):
        return _Failure.NOT
    return _failure_of(outcome.reply.message, text_of(outcome.reply.message))


def _failure_of(message: ResultResponse | ErrorResponse, text: str) -> _Failure:
    code = message.code if isinstance(message, ErrorResponse) else None
    is_unmarked = isinstance(message, ResultResponse) and peek.flag(message.result, "isError") is not True
    if not is_unmarked and LIMITED.search(text[:_ERROR_TEXT]):  # still, after a pause
        return _Failure.UNAUTHORIZED
    if _OF_CREDENTIALS.search(text[:_ERROR_TEXT]):
        if not is_unmarked or (len(text) <= _SHORT_REFUSAL and _LACKING.search(text)):
            return _Failure.UNAUTHORIZED
    if isinstance(message, ResultResponse) and is_unmarked:
        return _Failure.OTHERWISE if failure_in(message.result)[2] else _Failure.NOT
    if code == _INVALID_PARAMS or (
        _VALIDATION.search(text) and not _OF_A_RESPONSE.search(text) and not _OF_SETUP.search(text[:_ERROR_TEXT])
    ):
        return _Failure.REJECTED
    return _Failure.INSIDE if code == _INTERNAL else _Failure.OTHERWISE


def _of_verdict(
    call: ProbeCall, message: ResultResponse | ErrorResponse, text: str, base: _Failure, usual: str, *, is_base: bool
) -> Iterator[tuple[str, str]]:
    """`usual`: the text of the response to the first valid call."""
    failure = _failure_of(message, text)
    if failure is _Failure.UNAUTHORIZED:
        return
    is_internal = isinstance(message, ErrorResponse) and message.code == _INTERNAL
    if failure is _Failure.NOT:
        is_refused = _shape_words(text) - _shape_words(usual) or is_refusal(text)  # in a report of the tool's own
        if not call.valid and not call.may_be_absent and not is_refused:
            yield "invalid-input-accepted", f"succeeds although {_described(call)}"
    elif call.valid and failure is _Failure.REJECTED:
        if base is not _Failure.REJECTED:
            is_shape = _SHAPE.search(text) and not _is_about_value(call, text)
            is_certain = (call.declared or is_shape) and not (_CONDITION.search(text) or _is_about_empty(call, text))
            id_ = "valid-input-rejected" if is_certain else "undeclared-constraint"
            why = "if a text is empty" if _is_about_empty(call, text) else f"although {_described(call)}"
            yield id_, f"rejected {why}, which inputSchema allows: {_quote(text)}"
    elif is_internal and failure is not _Failure.REJECTED:
        if base is not _Failure.INSIDE and not is_base:
            yield "input-fails-inside", f"internal error if {_described(call)}: {_quote(text)}"
    elif _is_about_empty(call, text):
        return  # the text that was made up for another argument
    elif not call.valid and call.argument and call.argument.lower() not in text.lower() and text != usual:
        sentence = f"the error does not name {call.argument!r} if {_described(call)}: {_quote(text)}"
        yield "input-error-unspecific", sentence


def _shape_words(text: str) -> frozenset[str]:
    """Return the phrases about missing arguments and types in a text, in lower case."""
    return frozenset(found.group().lower() for found in _SHAPE.finditer(text[:_ERROR_TEXT]))


def _is_about_value(call: ProbeCall, text: str) -> bool:
    """Whether an error quotes a text that was sent without naming a type: it rejects the value, not the shape.

    A NUL character is the reason by itself: no path and few databases may have one. So is a list of many items.
    """
    texts = [each for each in call.arguments.values() if isinstance(each, str)]
    is_quoted = any(len(each) > _SHORT_CHARS and each in text for each in texts)
    is_long = any(isinstance(each, list) and len(each) >= MANY for each in call.arguments.values())
    return is_long or any("\0" in each for each in texts) or (is_quoted and not _TYPED.search(text))


def _is_about_empty(call: ProbeCall, text: str) -> bool:
    """Whether an error says that an argument is missing which was sent as an empty string: many servers do."""
    low = text[:_ERROR_TEXT].lower()
    near = [
        _letters(low[max(found.start() - _NEAR_CHARS, 0) : found.end() + _NEAR_CHARS])
        for found in _ABSENT.finditer(low)
    ]
    empty = {_letters(member.lower()) for name, value in call.arguments.items() for member in _empty_texts(name, value)}
    return any(name in words for name in empty for words in near)


def _letters(text: str) -> str:
    """Return a text without what separates parts of a name, which errors write in other ways."""
    return _SEPARATORS.sub("", text)


def _empty_texts(name: str, value: Any, depth: int = 6) -> Iterator[str]:
    """Yield the names of the members that are empty strings, at any depth."""
    if value == "":
        yield name
    elif isinstance(value, dict) and depth:
        for key, each in value.items():
            yield from _empty_texts(key, each, depth - 1)
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _empty_texts(name, each, depth - 1)


def _leaked(call: ProbeCall, text: str, leaks: _Leaks, *, is_error: bool) -> Iterator[tuple[str, str]]:
    if _TRACEBACK.search(text):
        yield "response-has-traceback", f"the response has a stack trace if {_described(call)}"
    else:
        sent = msgspec.json.encode(call.arguments).decode()
        sources = (found.group() for found in _SOURCE.finditer(text[:_ERROR_TEXT]))
        paths = (*_paths(text), *sources) if is_error else ()  # a result may be about files
        path = next((path for path in paths if path not in sent and not leaks.is_example(path)), "")
        if path:
            yield "response-has-path", f"the response has {path[:80]!r} if {_described(call)}"
    for name, value in leaks.secrets.items():
        if len(value) >= _SHORTEST_SECRET and value in text:
            yield "response-has-secret", f"the response has the value of {name} if {_described(call)}"


def _differs(first: Reply, second: Reply) -> bool:
    """Return whether the content of two results differs. Metadata is ignored."""
    if not (isinstance(first, Replied) and isinstance(second, Replied)):
        return False
    contents = [_content(each.message) for each in (first, second)]
    return None not in contents and contents[0] != contents[1]  # moments and generated ids are no effect


def _content(message: ResultResponse | ErrorResponse) -> list[Any] | None:
    """Return the content of a result; None for an error, whose text may vary."""
    if isinstance(message, ErrorResponse) or peek.flag(message.result, "isError") is True:
        return None
    texts = [_decoded(block) for block in peek.items(message.result, "content")]
    found: list[Any] = _NORMAL([*texts, peek.at(message.result, "structuredContent")])
    return found


def _decoded(block: Any) -> Any:
    """Return the value of a text block with JSON, so that its members can be distinguished; else the block."""
    try:
        return msgspec.json.decode(peek.text(block, "text") or "")
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return block


def text_of(message: ResultResponse | ErrorResponse) -> str:
    """Return all text of a response: message and data of an error, text and structured content of a result."""
    if isinstance(message, ErrorResponse):
        data = peek.at(message.error, "data")
        parts = [message.message, *_strings(data)]
    else:
        blocks = peek.items(message.result, "content")
        parts = [each for block in blocks for each in _strings(_without_type(block))]
        parts += _strings(peek.at(message.result, "structuredContent"))
    return "\n".join(parts)[:_LONGEST]


def _without_type(block: Any) -> Any:
    return {key: value for key, value in block.items() if key != "type"} if isinstance(block, dict) else block


def _strings(value: Any, depth: int = 12) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth:
        for each in value.values():
            yield from _strings(each, depth - 1)
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _strings(each, depth - 1)


def _described(call: ProbeCall) -> str:
    return (
        call.what if call.argument or " is " in call.what or " has " in call.what else f"it is called with {call.what}"
    )


def _quote(text: str) -> str:
    words = " ".join(text.split())
    found = _VALIDATION.search(words)
    return (
        f"… {words[found.start() :][:118]}" if found and found.start() > _LONG_PREFACE else words[:120]
    ) or "no text"


class ProbeOptions(msgspec.Struct, frozen=True):
    """Options for probing tools."""

    wanted: bool
    is_dry: bool
    allows_writes: bool
    random: int
    seed: int
    timeout_s: float


class ProbePlan(msgspec.Struct, frozen=True):
    """The calls to make."""

    calls: dict[str, list[ProbeCall]]
    """By the name of the tool, in order; [] for a tool whose schema can't be used."""
    not_tried: dict[str, tuple[str, ...]]
    """What the limit of calls leaves out, by the name of the tool."""
    left_out: list[str]
    """Names of tools that are not called, because they do not declare `readOnlyHint`."""


def plan_calls(tools: Sequence[Tool], options: ProbeOptions) -> ProbePlan:
    """Return the calls of each allowed tool."""
    allowed = [tool for tool in tools if options.allows_writes or tool.read_only]
    plans = {tool.name: plan_tool(tool.raw, random=options.random, seed=options.seed) for tool in allowed}
    calls = {name: each.calls for name, each in plans.items()}
    not_tried = {name: each.not_tried for name, each in plans.items() if each.not_tried}
    return ProbePlan(calls, not_tried, [tool.name for tool in tools if tool not in allowed])


def tools_of(session: Session) -> list[Tool]:
    """Return the tools with a name, as last listed."""
    return [tool for tool in session.journal.conversation.catalogue.tools if tool.name]


async def run_probe(
    session: Session,
    planned: ProbePlan,
    *,
    reopen: Callable[[], Session],
    timeout_s: float,
    secrets: Mapping[str, str],
    warn: Callable[[str], None],
    until_s: float = inf,
) -> list[Finding]:
    """Make the calls of the plan over an open session, and return the findings.

    `reopen`: returns a new session, not connected yet, that continues the journal. `secrets`: as in `judge`. `warn`:
    called with what was not probed, and with each new session. `until_s`: when no more calls are made, on the
    monotonic clock.
    """
    run = _Run(session, reopen, timeout_s, warn, until_s)
    before = tools_of(session)
    found: list[Finding] = []
    names: list[str] = []
    barren: list[str] = []
    try:
        for tool in before:
            if (calls := planned.calls.get(tool.name)) and run.is_over:
                warn(f"{visible(tool.name, limit=60)}: not probed, because the time is over")
            elif calls:
                outcomes = await run.outcomes(tool, calls)
                found += judge(
                    tool.raw,
                    outcomes,
                    revision=run.session.revision,
                    secrets=secrets,
                    is_local=session.transport.kind == "stdio",
                )
                found += await run.slow_values(tool, calls, outcomes)
                found += await run.defaults_not_applied(tool, calls, outcomes)
                names += [tool.name[:80]] * (len(found) - len(names))
                if not any(_succeeded(each) is not None for each in outcomes if each.call.valid):
                    barren.append(visible(tool.name, limit=60))
            if not run.is_alive:
                warn("the server no longer responds; what follows in the plan was not called")
                return of_many_tools(found, names)
        return [*of_many_tools(found, names), *await _changed_definitions(run.session, [tool.raw for tool in before])]
    finally:
        if barren:
            known = "it" if len(barren) == 1 else "them"
            warn(f"{', '.join(barren)}: no valid call succeeded, so little is known about {known}")
        await run.close()


class _Run:
    def __init__(
        self,
        session: Session,
        reopen: Callable[[], Session],
        timeout_s: float,
        warn: Callable[[str], None],
        until_s: float,
    ) -> None:
        self.session = session
        self._own: Session | None = None
        """The session to close at the end; the first one belongs to the caller."""
        self._reopen = reopen
        self._timeout_s = timeout_s
        self._warn = warn
        self._restarts = self._pauses = 0
        self._until_s = until_s

    @property
    def is_over(self) -> bool:
        """Whether no more calls are made, because of the time."""
        return time.monotonic() >= self._until_s

    @property
    def is_alive(self) -> bool:
        return self.session.state is SessionState.OPEN and self.session.journal.ended is None

    async def outcomes(self, tool: Tool, calls: Sequence[ProbeCall]) -> list[ProbeOutcome]:
        """Make the calls of one tool. Stop early if the server can't be restarted, or several got no response."""
        found: list[ProbeOutcome] = []
        restarts = silent = 0
        is_slow = is_its_doing = False
        for call in calls:
            if self.is_over:
                break
            began = time.monotonic()
            outcome = await self._outcome(tool, call)
            took, is_silent = time.monotonic() - began, isinstance(outcome.reply, Silent)
            silent += is_silent
            still_responds = self.is_alive and (
                not is_silent or await responds(self.session, silence_s=self._timeout_s)
            )
            is_slow |= still_responds and call.valid and not found and took > _SLOW * self._timeout_s
            found.append(msgspec.structs.replace(outcome, slow=is_slow, seconds=took))
            if still_responds:
                if silent < _MOST_SILENT:
                    continue
                break
            restarts += 1
            name = visible(tool.name, limit=60)
            if not await self._restart(name, outcome):
                break
            if not is_silent and not is_its_doing:
                is_its_doing = not (await self._outcome(tool, call)).alive
                if not is_its_doing:
                    found[-1] = msgspec.structs.replace(found[-1], repeated=False)
                    self._warn(f"{name}: the same call does not end the server again")
                elif not await self._restart(name, outcome):
                    break
            if restarts == _MOST_OF_TOOL:
                break
        if len(found) < len(calls):
            self._warn(f"{visible(tool.name, limit=60)}: {len(found)} of {len(calls)} calls were made")
        return found

    async def slow_values(
        self, tool: Tool, calls: Sequence[ProbeCall], outcomes: Sequence[ProbeOutcome]
    ) -> list[Finding]:
        """Return a finding for the value that takes much longer than the others, also in a second call."""
        seconds = [each.seconds if _succeeded(each) is not None else None for each in outcomes]
        for at in slow_places(calls[: len(outcomes)], seconds)[:1] if self.is_alive and not self.is_over else ():
            began = time.monotonic()
            again = await self._outcome(tool, calls[at])
            took = time.monotonic() - began
            twice = [*seconds[:at], min(took, seconds[at] or took), *seconds[at + 1 :]]
            if _succeeded(again) is not None and at in slow_places(calls[: len(outcomes)], twice):
                usual = usual_of(calls[: len(outcomes)], twice)
                sentence = f"{tool.name[:80]}: {took * 1000:,.0f} ms, others about {usual * 1000:,.0f} ms, if "
                sentence += calls[at].what
                return [input_finding("slow-input", sentence, again.frames, self.session.revision)]
        return []

    async def defaults_not_applied(
        self, tool: Tool, calls: Sequence[ProbeCall], outcomes: Sequence[ProbeOutcome]
    ) -> list[Finding]:
        """Return a finding for a declared default that is not applied without the argument, also in second calls."""
        texts = [_succeeded(each) for each in outcomes]
        base = next((at for at, call in enumerate(calls[: len(outcomes)]) if call.valid and not call.argument), 0)
        for at in unapplied_defaults(calls[: len(outcomes)], texts)[:1]:
            if not self.is_alive or self.is_over or not tool.read_only:
                break
            again = [await self._outcome(tool, calls[each]) for each in (base, at)]
            if [_succeeded(each) for each in again] == [texts[base], texts[at]]:
                sentence = f"{tool.name[:80]}: the result is not that of the default if {calls[at].what}"
                return [input_finding("default-not-applied", sentence, again[1].frames, self.session.revision)]
        return []

    async def _outcome(self, tool: Tool, call: ProbeCall) -> ProbeOutcome:
        session = self.session
        before = session.journal.count
        reply = await call_once(session, call.tool, call.arguments, tool.input_schema, silence_s=self._timeout_s)
        if self._pauses < _MOST_PAUSES and isinstance(reply, Replied) and _is_limited(reply):
            self._pauses += 1
            await asyncio.sleep(_PAUSE_S)
            before = session.journal.count
            reply = await call_once(session, call.tool, call.arguments, tool.input_schema, silence_s=self._timeout_s)
        return ProbeOutcome(call, reply, *_evidence(session, before), self.is_alive, _came_meanwhile(session, before))

    async def _restart(self, name: str, outcome: ProbeOutcome) -> bool:
        """Open a new session; return whether that worked."""
        what = f"{name}: the server {'no longer responds' if self.is_alive else 'disconnected'}: {outcome.call.what}"
        await self.session.close()
        if self._restarts == MOST_RESTARTS:
            self._warn(f"{what}; not restarted again after {MOST_RESTARTS} times")
            return False
        self._restarts += 1
        await self.close()
        session = self._reopen()
        await session.__aenter__()
        self._own = self.session = session
        try:
            await session.connect()
        except InspectError as error:
            self._warn(f"{what}; connecting again failed: {error}")
            return False
        self._warn(f"{what}; connected again")
        return True

    async def close(self) -> None:
        """Close the session that was opened here."""
        own, self._own = self._own, None
        if own is not None:
            await own.__aexit__(None, None, None)


def _came_meanwhile(session: Session, before: int) -> bool:
    """Return whether the server has sent a request or a notification since entry `before`."""
    store = session.journal.store
    kinds = (MessageKind.REQUEST, MessageKind.NOTIFICATION)
    return any(
        store.message_kind(n) in kinds and store.direction(n) is Direction.FROM_SERVER
        for n in range(before + 1, session.journal.count + 1)
    )


def _evidence(session: Session, before: int) -> tuple[int, int]:
    """Return the entries of request and response of the newest call since entry `before`."""
    for each in reversed(session.journal.conversation.exchanges):
        if each.request_frame <= before:
            break
        if each.method == "tools/call":
            return each.request_frame, each.answer_frame or 0
    return 0, 0


async def _changed_definitions(session: Session, before: list[Any]) -> list[Finding]:
    """Return a finding if the tools changed during the calls without a notification."""
    journal = session.journal
    notified = any(journal.store.method(n) == "notifications/tools/list_changed" for n in range(1, journal.count + 1))
    pages = await session.list_all("tools", cause=Cause.CHECK)
    after = [tool.raw for tool in tools_of(session)]
    if notified or pages.failed is not None or after == before:
        return []
    names = {tool.get("name") for tool in before} ^ {tool.get("name") for tool in after}
    which = ", ".join(visible(str(name), limit=60) for name in sorted(map(str, names))) or "the same names"
    sentence = f"tools/list differs after the calls: {which}"
    return [input_finding("calls-change-definitions", sentence, (), session.revision)]
