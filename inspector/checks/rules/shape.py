"""Rules for the shape of params and results: required members and their types.

The shapes stand in `checks/shapes/notation.py`. What a reader wants to know of such a rule stands here.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from msgspec.structs import replace

from inspector.checks.findings import Severity
from inspector.checks.learning import is_nested
from inspector.checks.registry import Flaw, check, declare, row_of_date
from inspector.checks.shapes.judge import ShapeFault, judge_of, strangers
from inspector.checks.shapes.notation import OF_EXTENSION, PARAMS, RESULTS
from inspector.checks.state import CheckMoment, TrackedRequest
from inspector.protocol import peek
from inspector.protocol.jsonrpc import ABSENT, Answer, Notification, Request
from inspector.protocol.revisions.table import ROWS

_ERROR, _WARNING = Severity.ERROR, Severity.WARNING
_CORE_TASKS_SINCE = row_of_date("2025-11-25")
"""From this row on a tool call can be answered by a task."""
_MAY_ASK = {"tools/call", "prompts/get", "resources/read"}


@check(
    "result-not-object",
    _ERROR,
    "a result is not an object",
    "answer",
    topic="schema",
    fix="Send an object; put the value into a member of it.",
)
def result_has_its_shape(case: CheckMoment) -> Iterator[Flaw]:
    """Every result against the shape of its method in its revision."""
    name = shape_of_result(case)
    if name and (faults := judge_of(case.row, name)(case.value)):
        for fault in faults:
            flaw = _as_flaw(fault, "/result", case.method, _named(case.value, fault.pointer))
            yield (
                flaw if fault.pointer or fault.rule == "null-optional-member" else replace(flaw, id="result-not-object")
            )


@check(
    "params-not-object",
    _ERROR,
    "params is not an object",
    "request",
    "notification",
    topic="schema",
    fix="Send params by name.",
)
def params_have_their_shape(case: CheckMoment) -> Iterator[Flaw]:
    """The params of every request and notification of the server's."""
    message = case.message
    assert isinstance(message, Request | Notification)
    if message.params_part is not ABSENT and type(case.value) is not dict:
        yield Flaw(f"{message.method[:60]}: params is no object", "/params")
        return
    name = shape_of_params(case)
    if name:
        if faults := judge_of(case.row, name)(case.value if message.params_part is not ABSENT else {}):
            yield from map(_as_flaw, faults, ["/params"] * len(faults), [message.method] * len(faults))


def shape_of_result(case: CheckMoment) -> str:
    """The type that an answer's result must be of; "" where nothing is known of it."""
    asked, value = case.asked, case.value
    if not case.row or asked is None:
        return ""
    if type(value) is dict:
        kind = value.get("resultType")
        if (
            case.row >= _CORE_TASKS_SINCE
            and asked.method == "tools/call"
            and is_nested(value)
            and not _asked_for_task(asked)
        ):
            return "Result"  # `task-handle-nested` or `task-not-requested` reports it
        if kind == "input_required" and asked.method in _MAY_ASK:
            return "Asking" if case.is_modern else _plain_shape(asked.method)
        if kind == "task":
            return "Handled" if case.is_modern and asked.method in ("tools/call", "tasks/get") else ""
        if "task" in value and _asked_for_task(asked):
            return "Created"
    return (OF_EXTENSION.get(asked.method) if case.is_modern else None) or _plain_shape(asked.method)


def _asked_for_task(asked: TrackedRequest) -> bool:
    return type(asked.params) is dict and "task" in asked.params


def shape_of_params(case: CheckMoment) -> str:
    """The type that a request's or a notification's params must be of; "" where nothing is known of it."""
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
    """The name of the thing in a list that a place is in; "" if it is in none, or that has no name."""
    member, _, rest = pointer.lstrip("/").partition("/")
    at = rest.partition("/")[0]
    if not at.isdecimal() or "/" not in rest:
        return ""
    name = peek.text(value, member, int(at), "name")
    return name[:80] if name else ""


def _as_flaw(fault: ShapeFault, root: str, method: str, name: str = "") -> Flaw:
    place = fault.pointer.lstrip("/") or root.lstrip("/")
    severity = None if fault.hard else _WARNING
    of = f" ({name})" if name else ""
    return Flaw(
        f"{method}{of}: {place} {fault.sentence}",
        root + fault.pointer,
        id=fault.rule or "result-not-object",
        severity=severity,
    )


_OPTIONAL = "Leave an optional member out instead of sending null."
for _id, _title, _topic, _since, _until, _fix in (
    ("null-optional-member", "null in the place of an optional member", "schema", "", "", _OPTIONAL),
    (
        "initialize-result-invalid",
        "the answer to initialize lacks what it must have",
        "basic/lifecycle",
        "",
        "2025-11-25",
        "",
    ),
    (
        "discover-result-invalid",
        "the answer to server/discover lacks what it must have",
        "server/discover",
        "2026-07-28",
        "",
        "",
    ),
    ("result-type-missing", "a result without resultType", "basic", "2026-07-28", "", 'Add "resultType": "complete".'),
    (
        "capability-not-object",
        "a capability is declared in a wrong way",
        "schema",
        "",
        "",
        "A capability is an object, {} at least.",
    ),
    ("tool-incomplete", "a tool lacks its name or its input schema", "server/tools", "", "", ""),
    (
        "input-schema-not-object",
        "an input schema is not of type object",
        "schema",
        "",
        "",
        'Begin it with "type": "object".',
    ),
    (
        "output-schema-not-object",
        "an output schema is not of type object",
        "schema",
        "2025-06-18",
        "",
        'Begin it with "type": "object".',
    ),
    ("content-missing", "a tool's result without content", "schema", "", "", "Send content, an empty array at least."),
    ("unknown-content-type", "content of a type that the revision does not have", "server/tools", "", "", ""),
    ("content-block-incomplete", "content lacks a member of its type", "schema", "", "", ""),
    (
        "invalid-base64",
        "data that is not base64",
        "schema",
        "",
        "",
        "Encode with the standard alphabet and its padding.",
    ),
    (
        "structured-content-not-object",
        "structuredContent is not an object",
        "server/tools",
        "2025-06-18",
        "2025-11-25",
        "Wrap the value in an object.",
    ),
    ("is-error-not-boolean", "isError is not true or false", "schema", "", "", ""),
    ("resource-uri-missing", "a resource or template lacks its URI or name", "schema", "", "", ""),
    ("invalid-uri", "a URI that is none", "server/resources", "", "", "Percent-encode what RFC 3986 does not allow."),
    ("prompt-name-missing", "a prompt or its argument lacks a name", "schema", "", "", ""),
    ("invalid-role", "a role that is neither user nor assistant", "server/prompts", "", "", "There is no system role."),
    (
        "prompt-content-not-block",
        "a prompt's message is not one block",
        "schema",
        "",
        "",
        "Send one content block per message.",
    ),
    (
        "log-message-invalid",
        "a log message with an unknown level or without data",
        "server/utilities/logging",
        "",
        "",
        "",
    ),
    ("cursor-not-string", "a cursor that is not a string", "server/utilities/pagination", "", "", ""),
    (
        "cache-hints-missing",
        "a result without caching hints",
        "server/utilities/caching",
        "2026-07-28",
        "",
        "Add ttlMs and cacheScope.",
    ),
    (
        "cache-hints-invalid",
        "caching hints with values that can't be",
        "server/utilities/caching",
        "2026-07-28",
        "",
        "",
    ),
    ("request-state-not-string", "requestState is not a string", "schema", "2026-07-28", "", "Encode it as one."),
    ("sampling-request-invalid", "sampling/createMessage lacks what it must have", "client/sampling", "", "", ""),
    ("unknown-sampling-content", "sampling content that the revision does not have", "schema", "", "", ""),
    ("task-invalid", "a task lacks what it must have", "basic/utilities/tasks", "2025-11-25", "", ""),
):
    declare(_id, _ERROR, _title, topic=_topic, since=_since, until=_until, fix=_fix)


# Members of other revisions

_NEVER = 1 << 62
_TOLD_ELSEWHERE = {("Abilities", "tasks")}


def _is_looked_at(case: CheckMoment) -> bool:
    """The first results of each method, and some of the others."""
    return bool(case.row) and case.state.is_sampled(f"member-of-other-version {case.method[:80]}", 5, 200)


@check(
    "member-of-other-version",
    Severity.HINT,
    "a member that is of another revision",
    "answer",
    "request",
    topic="schema",
    heavy=True,
    wanted=_is_looked_at,
)
def members_are_of_the_revision(case: CheckMoment) -> Iterator[Flaw]:
    """Legal, and clients of this revision do not look at it; each is told once a connection."""
    is_answer = isinstance(case.message, Answer)
    name = shape_of_result(case) if is_answer else shape_of_params(case)
    for each in strangers(case.row, name, case.value) if name else ():
        if (each.type, each.member) in _TOLD_ELSEWHERE:
            continue
        if case.state.is_sampled(f"member-of-other-version {each.type}.{each.member}", 1, _NEVER):
            first, last = ROWS[each.rows[0] - 1].date, ROWS[each.rows[-1] - 1].date
            when = f"is there from {first} on" if each.rows[0] > case.row else f"was there until {last}"
            yield Flaw(
                f"{case.method[:60]}: {each.member} {when}", ("/result" if is_answer else "/params") + each.pointer
            )
