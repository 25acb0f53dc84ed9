"""Rules for the shape of params and results: required members and their types.

The shapes are in `checks/shapes/notation.py`; this module has the titles and fixes of these rules.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from inspector.checks.findings import Severity
from inspector.checks.foreign_text import and_more
from inspector.checks.registry import Violation, declare, row_of_date, rules_of
from inspector.checks.shapes.judge import ShapeFault, judge_of, strangers
from inspector.checks.shapes.notation import OF_EXTENSION, PARAMS, RESULTS
from inspector.checks.state import CheckMoment, TrackedRequest
from inspector.checks.state_updates import is_nested, is_result_of_a_tool
from inspector.protocol import peek
from inspector.protocol.jsonrpc import ABSENT, Notification, Request, ResultResponse
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.server_requests import MAY_ASK
from inspector.text import cut

error, _, hint = rules_of("schema")

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_CORE_TASKS_SINCE = row_of_date("2025-11-25")
"""From this revision on, a tool call can return a task."""
_AMONG_PROPERTIES = re.compile(
    r"^/tools/\d+/(?:in|out)putSchema/properties/(required|type|additionalProperties|description|title|\$schema)$"
)
"""Pointer to a property that has the name of a keyword."""
_ITEM = re.compile(r"^(/\w+)/\d+(?=/|$)")
"""How the pointer to an item of a list begins."""

_TOLD_ELSEWHERE = {("Abilities", "tasks")}


@error("Result is not an object", "answer")
def result_not_object(case: CheckMoment) -> Iterator[Violation]:
    """Validates each result against the shape of its method.

    Fix: Return an object; put the value into one of its members.
    """
    name = shape_of_result(case)
    if name and case.method == "server/discover" and peek.at(case.value, "supportedVersions") == []:
        sentence = "server/discover: supportedVersions is empty, so clients find no version in common"
        yield Violation(sentence, "/result/supportedVersions", id="discover-result-invalid")
    if name and (faults := judge_of(case.row, name)(case.value)):
        alike: dict[tuple[str, str], list[ShapeFault]] = {}
        for fault in faults:
            alike.setdefault((fault.rule, _ITEM.sub(r"\1/*", fault.pointer)), []).append(fault)
        for fault, *more in alike.values():
            violation = _as_violation(fault, "/result", case.method, _named(case.value, fault.pointer))
            others = [_named(case.value, each.pointer) or each.pointer for each in more]
            id_ = violation.id if fault.pointer or fault.rule == "null-optional-member" else "result-not-object"
            yield replace(violation, id=id_, sentence=violation.sentence + and_more(others, "item"))


@error("`params` is not an object", "request", "notification")
def params_not_object(case: CheckMoment) -> Iterator[Violation]:
    """Validates the params of each server request and notification.

    Fix: Send `params` as an object with named members.
    """
    message = case.message
    assert isinstance(message, Request | Notification)
    if message.params_part is not ABSENT and type(case.value) is not dict:
        yield Violation(f"{case.named}: params is not an object, but {peek.type_name(case.value)}", "/params")
        return
    name = shape_of_params(case)
    if name:
        if faults := judge_of(case.row, name)(case.value if message.params_part is not ABSENT else {}):
            yield from map(_as_violation, faults, ["/params"] * len(faults), [message.method] * len(faults))


def shape_of_result(case: CheckMoment) -> str:
    """Return the name of the type that a result must have; "" if unknown."""
    asked, value = case.asked, case.value
    if not case.row or asked is None:
        return ""
    if (asked.probe and value == {}) or (asked.method == "resources/read" and is_result_of_a_tool(value)):
        return ""  # an unknown method is accepted, or a missing resource is reported as in a tool
    if type(value) is dict:
        kind = value.get("resultType")
        if (
            case.row >= _CORE_TASKS_SINCE
            and asked.method == "tools/call"
            and is_nested(value)
            and not _requests_task(asked)
        ):
            return "Result"  # `task-handle-nested` or `task-not-requested` reports it
        if kind == "input_required" and asked.method in MAY_ASK:
            return "Asking" if case.is_modern else _plain_shape(asked.method)
        if kind == "task":
            return "Handled" if case.is_modern and asked.method in ("tools/call", "tasks/get") else ""
        if "task" in value and _requests_task(asked):
            return "Created"
    return (OF_EXTENSION.get(asked.method) if case.is_modern else None) or _plain_shape(asked.method)


def _requests_task(asked: TrackedRequest) -> bool:
    return type(asked.params) is dict and "task" in asked.params


def shape_of_params(case: CheckMoment) -> str:
    """Return the name of the type that params must have; "" if unknown."""
    revision, method = case.revision, case.method
    if revision is None:
        return ""
    if method in revision.server_notifications or method in revision.server_requests:
        return PARAMS.get(method, "")
    return OF_EXTENSION.get(method, "") if case.is_modern and method.startswith("notifications/") else ""


@cache
def _plain_shape(method: str) -> str:
    return RESULTS.get(method, "Result")


def _named(value: Any, pointer: str) -> str:
    """Return the name of the list item that contains a pointer's target, or the type of the block; "" for neither."""
    member, _, rest = pointer.lstrip("/").partition("/")
    at = rest.partition("/")[0]
    if not at.isdecimal() or "/" not in rest:
        return ""
    name = peek.text(value, member, int(at), "type" if member == "content" else "name")
    return cut(name, 80) if name else ""


def _as_violation(fault: ShapeFault, root: str, method: str, name: str = "") -> Violation:
    place = fault.pointer.lstrip("/") or root.lstrip("/")
    severity = None if fault.hard else _WARNING
    of = f" ({name})" if name else ""
    keyword = _AMONG_PROPERTIES.search(fault.pointer)
    instead = f": the keyword {keyword[1]} belongs beside properties, not in it" if keyword else ""
    return Violation(
        f"{method}{of}: {place} {fault.sentence}{instead}",
        root + fault.pointer,
        id=fault.rule or "result-not-object",
        severity=severity,
    )


for _row in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()[1:]:
    _id, _title, _topic, _since, _until, _fix = _row.split("\t")
    declare(_id, _ERROR, _title, topic=_topic, since=_since, until=_until, fix=_fix)


# Members of other protocol versions


def _is_sampled(case: CheckMoment) -> bool:
    return bool(case.row) and case.state.is_sampled(f"member-of-other-version {case.method[:80]}", 5, 200)


@hint("Member of another protocol version", "answer", "request", heavy=True, wanted=_is_sampled)
def member_of_other_version(case: CheckMoment) -> Iterator[Violation]:
    """Legal, but clients of this version ignore the member. Each is reported once per connection.

    A warning if its value is not valid in any version: newer clients refuse it.

    Fix: Remove the member, or negotiate a protocol version that defines it.
    """
    is_answer = isinstance(case.message, ResultResponse)
    name = shape_of_result(case) if is_answer else shape_of_params(case)
    for each in strangers(case.row, name, case.value) if name else ():
        if (each.type, each.member) in _TOLD_ELSEWHERE:
            continue
        if case.state.is_first(f"member-of-other-version {each.type}.{each.member}"):
            first, last = ROWS[each.rows[0] - 1].date, ROWS[each.rows[-1] - 1].date
            when = f"exists since {first}" if each.rows[0] > case.row else f"was removed after {last}"
            faults = judge_of(each.rows[0], name)(case.value)
            bad = next((f" and {fault.sentence} there" for fault in faults if fault.pointer == each.pointer), "")
            yield Violation(
                f"{case.named}: {each.member} {when}{bad}",
                ("/result" if is_answer else "/params") + each.pointer,
                severity=_WARNING if bad else None,
            )
