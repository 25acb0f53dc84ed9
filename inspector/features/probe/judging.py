"""Judges the responses of one tool: how it validates its arguments, and what it gives away."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, Final

import msgspec

from inspector.capture.compare.normal import Normal
from inspector.checks.findings import Finding
from inspector.checks.rules.inputs import input_finding
from inspector.checks.rules.results import failure_in, is_refusal
from inspector.checks.validators import ABOUT_A_TYPE, MISSING_OR_TYPE, NO_NUMBER, TYPED, VALIDATION
from inspector.features.probe.comparing import (
    changed_members,
    changed_values,
    ignored_limits,
    ignored_values,
    remembered_texts,
)
from inspector.features.probe.leaks import Leaks, is_home_here, leaked
from inspector.features.probe.plan import MANY, UNKNOWN, ProbeCall
from inspector.features.probe.responses import MAX_SEARCHED_CHARS, CallFailure, failure_of, text_of
from inspector.features.probe.words import words
from inspector.protocol import peek
from inspector.protocol.flows.steps import Broken, Refused, Replied, Reply, Silent
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.revisions._shape import Revision
from inspector.text import cut

_NORMAL = Normal()
_LONG_PREFACE: Final = 60
"""Number of characters before the reason of a rejection from which they are not quoted."""
_NOT_ITS_FAULT = (401, 403, 408, 429, 502, 503, 504)
"""HTTP statuses that arguments do not explain."""
_WAITS = re.compile(r"(?i)wait|time_?out|delay|sleep|pause|interval|duration|seconds|_ms$")
"""Names of arguments that say how long a tool waits."""
_MEANT = {id_: words(f"meant {id_}") for id_ in ("fraction-lost", "text-changed", "value-normalized")}
"""Words of tools that are meant to change a value."""
_BOUND = words("bound")
"""Words about the bounds of a number."""
_NO_SUCH_VALUE = words("no-such-value")
"""Words about a text that is not one of the choices."""
_NO_SUCH_NUMBER = words("no-such-number")
"""Words about a text that is not a number."""
_NO_SUCH_TOOL, _IN_TEXT = words("no-such-tool"), words("in-text")
_MOST_EACH = 5
"""Maximum number of findings per check and tool."""
_ONE_HABIT = frozenset(
    (
        *("slow-tool", "value-normalized", "invalid-input-accepted", "valid-input-rejected", "undeclared-constraint"),
        *("input-error-unspecific", "input-fails-inside", "response-has-path", "response-has-traceback"),
    )
)
"""Checks with one cause per tool, such as arguments that are not validated: one finding with a count."""
_SHORT_CHARS: Final = 3
_NEAR_CHARS: Final = 60
_ABSENT = re.compile(r"\b(?:missing|require[ds]|empty|must be (?:a |an )?string|at least (?:1|one) char\w+)\b")
_ABSENT_THING = words("absent-thing")
_IS_EMPTY = re.compile(r"\b(?:is|are|was) empty\b")
_SEPARATORS = re.compile(r"[\s_.-]+")
_CONDITION = words("condition")
"""Errors about what an argument requires of another one, which few schemas express."""


class ProbeOutcome(msgspec.Struct, frozen=True):
    call: ProbeCall
    reply: Reply
    request: int
    """Entry of the request; 0 if it was not sent."""
    response: int
    """Entry of the response; 0 if there is none."""
    alive: bool
    """Whether the session is still open after the call."""
    busy: bool = False
    """Whether the server sent something during the call: it waits for the user, works, or wrote a response badly."""

    seconds: float = 0.0
    """How long the call took."""
    slow: bool = False
    """Whether the tool took long for valid arguments already, while the server responded to other requests."""
    stalled: bool = False
    """Whether the first call of the tool, which got a response before, gets none either when it is made again."""
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
    properties = peek.at(tool, "inputSchema", "properties")
    parts = [tool, *(properties.values() if isinstance(properties, dict) else ())]
    described = " ".join((name, *(peek.text(each, "description") or "" for each in parts)))
    leaks = Leaks(secrets, lambda path: path in written or (is_local and not is_home_here(path)))
    is_read_only = peek.flag(tool, "annotations", "readOnlyHint") is True
    for id_, sentence, frames in _flaws(outcomes, leaks, is_read_only=is_read_only):
        changed = "text-changed" if id_ == "value-changed" and sentence.startswith("the text ") else id_
        if (words := _MEANT.get(changed)) and words.search(described):
            continue
        counts[id_] = counts.get(id_, 0) + 1
        if counts[id_] <= (1 if id_ in _ONE_HABIT else _MOST_EACH):
            found.append(input_finding(id_, f"{name}: {sentence}", frames, revision))
    return [_counted(each, counts[each.id]) if each.id in _ONE_HABIT else each for each in found]


def _counted(finding: Finding, count: int) -> Finding:
    """Return a finding with the number of calls that show it."""
    more = f" (so do {count - 1} other calls of it)" if count > 2 else " (so does another call)" if count > 1 else ""
    return msgspec.structs.replace(finding, sentence=finding.sentence + more, count=count)


def _flaws(
    outcomes: Sequence[ProbeOutcome], leaks: Leaks, *, is_read_only: bool
) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    before: ProbeOutcome | None = None
    base = next((each for each in outcomes if each.call.valid), None)
    missing = [*_taken_for_missing(base, outcomes), *_fails_without_more(base, outcomes)]
    usual = {words for each in outcomes if each.call.valid and (words := _words_of(each)) is not None}
    for each in outcomes:
        for id_, sentence in _of_outcome(each, base if base is not each else None, leaks, usual):
            if not (missing and each is base and id_ == "valid-input-rejected"):
                yield id_, sentence, each.frames
        if each.call.again and before is not None and before.call.again and _differs(before.reply, each.reply):
            yield "not-idempotent", "the same arguments give another result", (*each.frames[:1], *before.frames[:1])
        before = each
    calls, texts = [each.call for each in outcomes], [success_text(each) for each in outcomes]
    remembered = remembered_texts(calls, texts) if is_read_only else ()  # others may be meant to remember
    by_name = changed_members(calls, [_members_of(each) for each in outcomes])
    compared = (*changed_values(calls, texts), *by_name, *ignored_values(calls, texts), *ignored_limits(calls, texts))
    for id_, sentence, at in (*compared, *remembered):
        yield id_, sentence, outcomes[at].frames
    yield from missing


def _taken_for_missing(
    base: ProbeOutcome | None, outcomes: Sequence[ProbeOutcome]
) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield each false and 0 of the first valid call that is called missing, while other values succeed."""
    if base is None or _verdict_of(base) is not CallFailure.REJECTED or not isinstance(base.reply, Replied):
        return
    text = text_of(base.reply.message)
    near = [text[max(each.start() - _NEAR_CHARS, 0) : each.end() + _NEAR_CHARS] for each in _ABSENT.finditer(text)]
    for name, value in base.call.arguments.items():
        others = (each for each in outcomes if each.call.valid and each.call.arguments.get(name))
        is_named = value in (False, 0) and any(_letters(name.lower()) in _letters(words.lower()) for words in near)
        if is_named and value is not None and any(success_text(each) is not None for each in others):
            shown = "false" if value is False else "0"
            yield "value-ignored", f"{cut(name, 60)!r} is called missing if it is {shown}: {_quote(text)}", base.frames


def _fails_without_more(
    base: ProbeOutcome | None, outcomes: Sequence[ProbeOutcome]
) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield an internal error of the required arguments alone, also a second time, while more arguments succeed."""
    if base is None or _verdict_of(base) is not CallFailure.INSIDE or not isinstance(base.reply, Replied):
        return
    least = base.call.arguments.keys()
    same = (each for each in outcomes if each is not base and each.call.arguments.keys() - {UNKNOWN} == least)
    again = any(_verdict_of(each) is CallFailure.INSIDE for each in same)
    fuller = (each for each in outcomes if each.call.valid and each.call.arguments.keys() - {UNKNOWN} > least)
    if again and (works := next((each for each in fuller if success_text(each) is not None), None)):
        more = ", ".join(cut(repr(name), 60) for name in works.call.arguments.keys() - least)
        sentence = f"internal error without the optional {more}: {_quote(text_of(base.reply.message))}"
        yield "input-fails-inside", sentence, base.frames


def success_text(outcome: ProbeOutcome) -> str | None:
    """Return the text of a successful response; None for all else."""
    reply = outcome.reply
    if not isinstance(reply, Replied) or not isinstance(reply.message, ResultResponse):
        return None
    text = text_of(reply.message)
    return text if failure_of(reply.message, text) is CallFailure.NOT else None


def _members_of(outcome: ProbeOutcome) -> dict[str, Any]:
    """Return the members of a successful result; a text by itself has the name ""."""
    if success_text(outcome) is None or not isinstance(outcome.reply, Replied):
        return {}
    result = getattr(outcome.reply.message, "result", None)
    text = peek.text(peek.at(result, "content", 0), "text") or ""
    found = peek.at(result, "structuredContent") or peek.decoded(text)
    plain = {"": text} if peek.decoded(text) is None else {}
    return plain | found if isinstance(found, dict) else plain


def _words_of(outcome: ProbeOutcome) -> Any:
    """Return the text of a response, without moments and generated ids; None if there is none."""
    return _NORMAL(text_of(outcome.reply.message)) if isinstance(outcome.reply, Replied) else None


def _of_outcome(
    each: ProbeOutcome, base: ProbeOutcome | None, leaks: Leaks, known: Set[Any]
) -> Iterator[tuple[str, str]]:
    """Yield check and sentence. `base`: the first valid call, None if this is it; what fails there fails always.

    `known`: the texts of the responses to valid calls, which are about no invalid argument.
    """
    call, reply = each.call, each.reply
    if not each.repeated:
        return
    if isinstance(reply, Broken) or (not each.alive and not isinstance(reply, Replied)):
        yield "input-ends-server", f"the server disconnects if {call.condition}"
        return
    if isinstance(reply, Silent):
        if each.busy or (base is not None and isinstance(base.reply, Silent)):
            return
        waits = _WAITS.search(call.argument) and isinstance(call.arguments.get(call.argument), int)
        again = ", nor to the first call again: it may limit the number of calls" if each.stalled else ""
        yield (
            "slow-tool" if each.slow or each.stalled or waits else "input-without-response",
            f"no response in {reply.seconds:g} s if {call.condition}{again}",
        )
        return
    if isinstance(reply, Refused):
        fails_always = base is not None and isinstance(base.reply, Refused)
        if reply.status not in _NOT_ITS_FAULT and not fails_always:
            what = f"HTTP {reply.status} without a JSON-RPC response" if reply.status else "no readable response"
            yield "input-fails-inside", f"{what} if {call.condition}"
        return
    if not isinstance(reply, Replied):
        return
    if not each.alive:
        yield "input-ends-server", f"the server disconnects after its response if {call.condition}"
    text = text_of(reply.message)
    usual = text_of(base.reply.message) if base is not None and isinstance(base.reply, Replied) else ""
    for id_, sentence in _of_verdict(call, reply.message, text, _verdict_of(base), usual, is_base=base is None):
        if id_ != "input-error-unspecific" or _words_of(each) not in known:
            yield id_, sentence
    yield from leaked(call, text, leaks, is_error=failure_of(reply.message, text) is not CallFailure.NOT)


def _verdict_of(outcome: ProbeOutcome | None) -> CallFailure:
    if outcome is None or not isinstance(outcome.reply, Replied):
        return CallFailure.NOT
    return failure_of(outcome.reply.message, text_of(outcome.reply.message))


def _of_verdict(
    call: ProbeCall, message: ResultResponse | ErrorResponse, text: str, base: CallFailure, usual: str, *, is_base: bool
) -> Iterator[tuple[str, str]]:
    """`usual`: the text of the response to the first valid call."""
    failure = failure_of(message, text)
    if failure is CallFailure.UNAUTHORIZED:
        return
    if failure is CallFailure.NOT:
        is_refused = _shape_words(text) - _shape_words(usual) or is_refusal(text)  # in a report of the tool's own
        is_refused = is_refused or (isinstance(message, ResultResponse) and failure_in(message.result)[0] != "")
        if not call.valid and base not in (CallFailure.NOT, CallFailure.UNAUTHORIZED) and ABOUT_A_TYPE.search(usual):
            yield (
                "valid-input-rejected",
                f"fails with valid arguments, but succeeds if {call.condition}: {_quote(usual)}",
            )
        elif not call.valid and not call.may_succeed and not is_refused:
            yield "invalid-input-accepted", f"succeeds although {call.condition}"
    elif is_base and _NO_SUCH_TOOL.search(text) and call.tool in text:
        yield "valid-input-rejected", f"tools/list has the tool, but its call is answered: {_quote(text)}"
    elif call.valid and failure is CallFailure.OTHERWISE and (words := _own_words(call)) and words.search(text):
        named = [each for each in call.arguments if _is_named(each, text)]  # of two, it may be about their order
        if base is CallFailure.NOT and named == [call.argument] and not _CONDITION.search(text):
            sentence = f"rejected although {call.condition}, which inputSchema allows: {_quote(text)}"
            yield "valid-input-rejected", sentence
    elif call.valid and failure is CallFailure.REJECTED:
        has_nul = any("\0" in str(each) for each in call.arguments.values())  # no path and few databases may have one
        is_absent = _ABSENT_THING.search(text) and _quotes(call, text)
        if base is not CallFailure.REJECTED and not has_nul and not is_absent:
            is_number = type(call.arguments.get(call.argument)) in (int, float) and call.arguments[call.argument]
            shape = NO_NUMBER if is_number else MISSING_OR_TYPE  # no number but 0 counts as missing
            is_shape = shape.search(text) and not _is_about_value(call, text)
            is_certain = (call.declared or is_shape) and not (_CONDITION.search(text) or _is_about_empty(call, text))
            id_ = "valid-input-rejected" if is_certain else "undeclared-constraint"
            empty = "a list" if call.arguments.get(call.argument) == [] else "a text"
            why = f"if {empty} is empty" if _is_about_empty(call, text) else f"although {call.condition}"
            yield id_, f"rejected {why}, which inputSchema allows: {_quote(text)}"
    elif failure is CallFailure.INSIDE:
        if base is not CallFailure.INSIDE and not is_base and text != usual:
            yield "input-fails-inside", f"internal error if {call.condition}: {_quote(text)}"
    elif _is_about_empty(call, text):
        return  # the text that was made up for another argument
    elif not call.valid and call.argument and not _is_named(call.argument, text) and UNKNOWN not in text:
        sentence = f"the error does not name {call.argument!r} if {call.condition}: {_quote(text)}"
        yield "input-error-unspecific", sentence


def _own_words(call: ProbeCall) -> re.Pattern[str] | None:
    """Return what a server of few words says of a value that its schema names, or of a number in any form."""
    match call.arguments.get(call.argument):
        case int() if call.declared:
            return _BOUND
        case str() if call.declared:
            return _NO_SUCH_VALUE
        case float():
            return _NO_SUCH_NUMBER
    return None


def _is_named(argument: str, text: str) -> bool:
    """Whether an error names an argument, in words or otherwise, or one item: “filter at index 0” of “filters”."""
    return _letters(argument.lower().removesuffix("s")) in _letters(text.lower())


def _shape_words(text: str) -> frozenset[str]:
    """Return the phrases about missing arguments and types in a text, in lower case."""
    return frozenset(found.group().lower() for found in MISSING_OR_TYPE.finditer(text[:MAX_SEARCHED_CHARS]))


def _is_about_value(call: ProbeCall, text: str) -> bool:
    """Whether an error quotes a text that was sent without naming a type, or wants digits in it: the shape is right.

    A list of many items is the reason by itself.
    """
    is_long = any(isinstance(each, list) and len(each) >= MANY for each in call.arguments.values())
    return is_long or (_quotes(call, text) and (not TYPED.search(text) or _IN_TEXT.search(text) is not None))


def _quotes(call: ProbeCall, text: str) -> bool:
    """Whether an error has a text that was sent."""
    sent = (each for each in call.arguments.values() if isinstance(each, str) and len(each) > _SHORT_CHARS)
    return any(each in text for each in sent)


def _is_about_empty(call: ProbeCall, text: str) -> bool:
    """Whether an error says that an argument is missing which was sent as an empty string or list: many servers do."""
    low = text[:MAX_SEARCHED_CHARS].lower()
    near = [
        _letters(low[max(found.start() - _NEAR_CHARS, 0) : found.end() + _NEAR_CHARS])
        for found in _ABSENT.finditer(low)
    ]
    empty = {_letters(member.lower()) for name, value in call.arguments.items() for member in _empty(name, value)}
    return any(name in words for name in empty for words in near) or (bool(empty) and _IS_EMPTY.search(low) is not None)


def _letters(text: str) -> str:
    """Return a text without what separates parts of a name, which errors write in other ways."""
    return _SEPARATORS.sub("", text)


def _empty(name: str, value: Any, depth: int = 6) -> Iterator[str]:
    """Yield the names of the members that are empty strings or lists, at any depth."""
    if value in ("", []):
        yield name
    elif isinstance(value, dict) and depth:
        for key, each in value.items():
            yield from _empty(key, each, depth - 1)
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _empty(name, each, depth - 1)


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
    found = peek.decoded(peek.text(block, "text") or "")
    return block if found is None else found


def _quote(text: str) -> str:
    words = " ".join(text.split())
    found = VALIDATION.search(words)
    return (
        f"… {cut(words[found.start() if len(words) - found.start() > 40 else max(len(words) - 118, 0) :], 118)}"
        if found and found.start() > _LONG_PREFACE
        else cut(words, 120)
    ) or "no text"
