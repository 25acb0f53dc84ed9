"""Compares a response with the expectations of a test case: a sentence for each difference."""

import json
import re
from typing import Any

import msgspec

from inspector.capture.compare.normal import Normal
from inspector.features.cases.model import OUTPUT_SCHEMA, CaseDefinition, Expectation, ExpectationKind
from inspector.forms.patterns import PatternUnusable, matches
from inspector.forms.validate import validate
from inspector.protocol import peek
from inspector.protocol.json_diff import ABSENT, JsonChange, differences

FAILED = "/result/isError"
"""Pointer to the flag that marks a tool error."""
WHOLES = ("", "/result", FAILED)
"""Places at which an expectation makes a case accept a tool error."""
_LONGEST = 300
"""Maximum number of characters of a quoted value."""
_MOST = 8
"""Maximum number of differences listed for one value."""
_STEPS = 5_000_000
"""Step limit of a schema check. It is high because a test can wait for a large value, unlike a screen."""
_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,9})\Z")


class ActualResponse(msgspec.Struct, frozen=True):
    """The outcome of a request."""

    reply: dict[str, Any]
    """`{"result": …}` or `{"error": …}`; {} if there was no response."""
    ms: float | None = None
    """Milliseconds from the request to the response."""
    why: str = ""
    """Why there was no response."""
    output_schema: Any = None
    """Output schema of the called tool; None if there is none."""


class Failure(msgspec.Struct, frozen=True):
    """One expectation that does not hold."""

    sentence: str
    """Description of the failure. Quotes untrusted text."""
    expectation: Expectation | None = None
    """The failed expectation; None if the case failed as a whole."""


def judge(case: CaseDefinition, came: ActualResponse, normal: Normal) -> list[Failure]:
    """Return all deviations from the expectations; [] if the case passes.

    An error or a tool error is a failure unless an expectation of the case refers to it.
    """
    if came.why:
        return [Failure(f"no answer: {came.why}")]
    if refusal := _refusal(case, came.reply):
        return [Failure(refusal)]
    found = [(each, _fault(each, came, normal)) for each in case.expect]
    return [Failure(sentence, each) for each, sentence in found if sentence]


def value_at(reply: Any, pointer: str) -> Any:
    """Return the value at a JSON Pointer; ABSENT if there is none."""
    value = reply
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _INDEX.match(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return ABSENT
    return value


def shown(value: Any) -> str:
    """Return a value as text for a sentence. The text is untrusted."""
    try:
        text = "nothing" if value is ABSENT else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "a value that is nested too deeply to be shown"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def expects_failure(case: CaseDefinition) -> bool:
    """Return whether an expectation refers to an error or a tool error."""
    return _expects_error(case) or _expects_tool_failure(case)


def _expects_error(case: CaseDefinition) -> bool:
    return any(_looks_into(each, "/error") or not each.at for each in case.expect)


def _expects_tool_failure(case: CaseDefinition) -> bool:
    return any(each.kind is not ExpectationKind.FASTER and each.at in WHOLES for each in case.expect)


def _refusal(case: CaseDefinition, reply: dict[str, Any]) -> str:
    """Return why the response as a whole is unexpected; "" if it is not."""
    if "error" in reply and not _expects_error(case):
        error = reply["error"]
        return f"answered with error {peek.at(error, 'code')}: {peek.text(error, 'message') or shown(error)}"
    if peek.flag(reply, "result", "isError") is True and not _expects_tool_failure(case):
        return f"the tool failed: {peek.text(reply, 'result', 'content', 0, 'text') or shown(reply['result'])}"
    return ""


def _looks_into(expectation: Expectation, place: str) -> bool:
    return expectation.kind is not ExpectationKind.FASTER and (expectation.at + "/").startswith(place + "/")


def _fault(expectation: Expectation, came: ActualResponse, normal: Normal) -> str:
    """Return how the response deviates from an expectation; "" if it does not."""
    if expectation.kind is ExpectationKind.FASTER:
        slow = came.ms is None or came.ms > expectation.value
        return f"it took {came.ms or 0:,.0f} ms, and {expectation.value:g} ms were allowed" if slow else ""
    value = value_at(came.reply, expectation.at)
    where = expectation.at or "the entire response"
    if expectation.kind is ExpectationKind.EXISTS:
        is_there = value is not ABSENT
        return "" if is_there is expectation.value else f"{where}: {'is there' if is_there else 'is not there'}"
    if value is ABSENT:
        return f"{where}: is not there"
    said = _SAYS[expectation.kind](expectation.value, value, came, normal)
    return f"{where}: {said}" if said else ""


def _equals(expected: Any, value: Any, came: ActualResponse, normal: Normal) -> str:
    return _told(differences(expected, value))


def _snapshot(expected: Any, value: Any, came: ActualResponse, normal: Normal) -> str:
    return _told(differences(normal(expected), normal(value)))


def _told(changes: tuple[JsonChange, ...]) -> str:
    parts = [
        f"{change.path + ': ' if change.path else ''}expected {shown(change.before)}, came {shown(change.after)}"
        for change in changes[:_MOST]
    ]
    more = len(changes) - _MOST
    return "; ".join(parts) + (f"; and {more:,} more" if more > 0 else "")


def _type(expected: Any, value: Any, came: ActualResponse, normal: Normal) -> str:
    names = expected if isinstance(expected, list) else [expected]
    verdict = validate({"type": names}, value)
    return "" if verdict.ok else f"is of type {peek.type_name(value)}, not {' or '.join(names)}: {shown(value)}"


def _matches(pattern: str, value: Any, came: ActualResponse, normal: Normal) -> str:
    if not isinstance(value, str):
        return f"is not a string: {shown(value)}"
    try:
        return "" if matches(pattern, value) else f"{pattern!r} is not found in {shown(value)}"
    except PatternUnusable as error:
        return str(error)


def _schema(schema: Any, value: Any, came: ActualResponse, normal: Normal) -> str:
    if schema == OUTPUT_SCHEMA:
        if came.output_schema is None:
            return "the tool declares no outputSchema"
        schema = came.output_schema
    verdict = validate(schema, value, steps=_STEPS)
    if verdict.ok is None:
        return verdict.note
    return "; ".join(f"{each.pointer or 'the value'} {each.sentence}" for each in verdict.problems[:_MOST])


_SAYS = {
    ExpectationKind.EQUALS: _equals,
    ExpectationKind.SNAPSHOT: _snapshot,
    ExpectationKind.TYPE: _type,
    ExpectationKind.MATCHES: _matches,
    ExpectationKind.SCHEMA: _schema,
}
