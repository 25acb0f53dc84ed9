"""Rules for logging, progress, cancellation, pagination and caching."""

from collections.abc import Iterator
from typing import Any

from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import secret_in
from inspector.checks.registry import Flaw, check
from inspector.checks.rules.tools import was_asked_again
from inspector.checks.state import PREFIX, CheckMoment
from inspector.protocol import peek
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Notification
from inspector.protocol.questions import INPUT_REQUIRED
from inspector.protocol.request_meta import LEVELS

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_LOG, _PROGRESS = "notification notifications/message", "notification notifications/progress"
_RACE_NS = 1_000_000_000
"""What crosses a cancellation on the wire within this time is nobody's fault."""
_MOST_OPEN = 200
"""With more requests in flight nobody looks for one that asked for log messages."""
_MOST_PAGES = 100
_OFTEN, _SECOND_NS = 100, 1_000_000_000
"""So many words of progress within this time are too many."""
_LOOKED_AT = 16_384
"""Bytes of a log message that are searched."""


@check(
    "log-below-level",
    _ERROR,
    "a log message below the level that was asked for",
    _LOG,
    topic="server/utilities/logging",
    mild_until="2025-11-25",
    mild=_HINT,
)
def level_is_respected(case: CheckMoment) -> Iterator[Flaw]:
    """In the handshake era by `logging/setLevel`."""
    level, wanted = peek.text(case.value, "level"), case.state.ongoing.log_level
    if level in LEVELS and wanted in LEVELS and LEVELS.index(level) < LEVELS.index(wanted):
        yield Flaw(f"a message of level {level}, after {wanted} was asked for", "/params/level")


@check(
    "unrequested-log-message",
    _ERROR,
    "a log message that no request asked for",
    _LOG,
    topic="server/utilities/logging",
    since="2026-07-28",
)
def logging_was_asked_for(case: CheckMoment) -> Iterator[Flaw]:
    """“The server MUST NOT send notifications/message for requests that don't carry a log level.”"""
    if case.http is not None:
        open_ = [each for each in case.http.asked if each.answered is None]
    elif len(case.state.requests.open) > _MOST_OPEN:
        return
    else:
        open_ = [each for (side, _), each in case.state.requests.open.items() if side is Direction.TO_SERVER]
    if not any(peek.has(each.params, "_meta", PREFIX + "logLevel") for each in open_):
        yield Flaw("a log message, and no open request asks for any", "/params")


@check("unrequested-progress", _ERROR, "progress that nobody asked for", _PROGRESS, topic="basic/utilities/progress")
def progress_was_asked_for(case: CheckMoment) -> Iterator[Flaw]:
    """Only for tokens of requests that are open."""
    progress = case.progress
    if progress is None:
        token = peek.request_id(case.value, "progressToken")
        if token is not None:
            yield Flaw(f"progress for the token {token!r}, which no request has", "/params/progressToken")
    elif progress.asked.answered is not None and not progress.asked.lives_on:
        frames = (progress.asked.answered, progress.asked.frame)
        yield Flaw(f"progress on {progress.asked.method} after its answer", "/params/progressToken", frames=frames)


@check("progress-not-increasing", _ERROR, "progress that does not grow", _PROGRESS, topic="basic/utilities/progress")
def progress_grows(case: CheckMoment) -> Iterator[Flaw]:
    """“The progress value MUST increase with each notification, even if the total is unknown.”"""
    progress, now = case.progress, peek.number(case.value, "progress")
    if progress is not None and progress.last is not None and now is not None and now <= progress.last:
        yield Flaw(f"progress went from {progress.last:g} to {now:g}", "/params/progress", frames=(progress.frame,))


@check(
    "progress-value-invalid", _ERROR, "progress with values that can't be", _PROGRESS, topic="basic/utilities/progress"
)
def progress_stays_within_total(case: CheckMoment) -> Iterator[Flaw]:
    """More than all, or more often than anybody can look."""
    progress = case.progress
    if progress is not None and progress.count == _OFTEN and case.time_ns - progress.since_ns < _SECOND_NS:
        if case.state.is_sampled("progress-value-invalid often", 1, 1 << 62):
            said = f"more than {_OFTEN} words of progress within a second"
            yield Flaw(said, "/params", severity=_HINT, fix="A few in a second are enough.")
    now, total = peek.number(case.value, "progress"), peek.number(case.value, "total")
    if now is not None and total is not None and now > total:
        yield Flaw(f"progress is {now:g} of {total:g}", "/params/progress", severity=_HINT)


@check(
    "progress-message-too-early",
    _HINT,
    "progress with a message before there were any",
    _PROGRESS,
    topic="basic/utilities/progress",
    until="2024-11-05",
)
def message_is_of_this_revision(case: CheckMoment) -> Iterator[Flaw]:
    """Clients of the first revision do not show it."""
    if peek.has(case.value, "message"):
        yield Flaw("progress with a message, which this revision does not have", "/params/message")


@check(
    "cancelled-unknown-request",
    _ERROR,
    "a cancellation of what the server did not ask",
    "notification notifications/cancelled",
    topic="basic/utilities/cancellation",
)
def cancels_its_own(case: CheckMoment) -> Iterator[Flaw]:
    """Each side cancels its own requests; a stateless server only ends what listens."""
    id_ = peek.request_id(case.value, "requestId")
    if not case.is_modern and id_ in case.state.ongoing.task_status:
        return  # a task, and task-cancelled-by-notification says so
    if id_ is None or id_ in case.state.ongoing.listens or (Direction.FROM_SERVER, id_) in case.state.requests.open:
        return
    if (Direction.FROM_SERVER, id_) not in case.state.requests.done:
        yield Flaw(f"the server cancels {id_!r}, which it did not ask", "/params/requestId")


@check(
    "response-after-cancellation",
    _WARNING,
    "an answer to what was cancelled",
    "late",
    topic="basic/utilities/cancellation",
    confidence=Confidence.LIKELY,
    fix="Stop the work and do not answer.",
)
def stops_when_cancelled(case: CheckMoment) -> Iterator[Flaw]:
    """Within a second both may have crossed on the wire."""
    asked = case.asked
    if asked is None or asked.cancelled is None or asked.answered is not None:
        return
    if (after := case.time_ns - asked.cancelled_ns) > _RACE_NS:
        said = f"{asked.method} was answered {after / 1e9:.1f} s after it was cancelled"
        yield Flaw(said, "/id", frames=(asked.cancelled, asked.frame))


_PAGED = tuple(
    f"answer {method}" for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
)


def endless(case: CheckMoment, cursor: str) -> Flaw:
    """A page names a cursor that came before: by it no client finds the end of the list."""
    same = cursor == peek.text(case.asked.params if case.asked else None, "cursor")
    what = "returned the cursor that it was asked with" if same else "returned an earlier cursor again"
    so = "the same cursor comes back for ever" if same else "the same cursors come back for ever"
    said = f"{case.method} {what}, {cursor[:60]!r}: {so}, so the list never ends and is cut at this page"
    return Flaw(said, "/result/nextCursor", severity=_ERROR, fix="Omit nextCursor on the last page.")


@check(
    "cursor-cycle",
    _HINT,
    "a cursor that leads in a circle",
    *_PAGED,
    topic="server/utilities/pagination",
    fix="Omit it at the end.",
)
def cursors_lead_on(case: CheckMoment) -> Iterator[Flaw]:
    """A repeated cursor (`pagination-incomplete` for tools), an empty page with a cursor, or a list without an end."""
    cursor = peek.text(case.value, "nextCursor")
    asked = peek.text(case.asked.params if case.asked else None, "cursor")
    if cursor is None or was_asked_again(case):
        return
    before = case.state.lists.cursors.get(case.method, ())
    if asked is not None and cursor in before:
        if case.method != "tools/list":
            yield endless(case, cursor)
    elif asked is not None and len(before) == _MOST_PAGES:
        yield Flaw(f"{_MOST_PAGES} pages of {case.method} have come, and there are more", "/result/nextCursor")
    elif not any(each for each in case.value.values() if type(each) is list):
        yield Flaw("an empty page with a cursor", "/result/nextCursor")


@check(
    "cursor-rejected",
    _WARNING,
    "a cursor that is sent and rejected",
    *(hook.replace("answer", "error") for hook in _PAGED),
    topic="server/utilities/pagination",
    fix="Leave nextCursor out at the end: an empty string is a cursor.",
)
def cursors_are_taken(case: CheckMoment) -> Iterator[Flaw]:
    """“Clients MUST NOT treat an empty string as the end”: a server that sends it must take it."""
    if peek.text(case.asked.params if case.asked else None, "cursor") == "":
        if "" in case.state.lists.cursors.get(case.method, ()):
            said = 'the server sends nextCursor "" and rejects it as a cursor: clients take the list for cut off'
            yield Flaw(said, "/error")


@check(
    "cache-scope-inconsistent",
    _ERROR,
    "pages with different cacheScope",
    *_PAGED,
    topic="server/utilities/caching",
    since="2026-07-28",
)
def pages_share_their_scope(case: CheckMoment) -> Iterator[Flaw]:
    """All pages of a list have one."""
    first = case.state.lists.pages.get(case.method)
    if first and case.asked is not None and peek.has(case.asked.params, "cursor"):
        scope: Any = peek.at(case.value, "cacheScope")
        if scope != first["cacheScope"]:
            said = f"this page is {scope!r}, the first was {first['cacheScope']!r}"
            yield Flaw(said, "/result/cacheScope", frames=(first["frame"],))


@check(
    "harmful-cache-hints",
    _HINT,
    "caching hints where they do harm",
    "answer",
    topic="server/utilities/caching",
    since="2026-07-28",
)
def what_is_asked_or_private_is_not_cached(case: CheckMoment) -> Iterator[Flaw]:
    """Hints are for results that are complete; what one person was let in for is not for everybody."""
    if type(case.value) is not dict or "ttlMs" not in case.value:
        return
    if case.value.get("resultType") == INPUT_REQUIRED:
        yield Flaw("caching hints on a result that asks for input", "/result/ttlMs")
    elif case.method == "resources/read" and case.value.get("cacheScope") == "public" and case.http is not None:
        if case.http.sent("authorization") is not None:
            yield Flaw("a resource that was read with credentials is public to caches", "/result/cacheScope")


@check(
    "secret-in-log",
    _ERROR,
    "a log message that seems to have a secret in it",
    _LOG,
    topic="server/utilities/logging",
    confidence=Confidence.LIKELY,
    fix="Leave it out, or write a few characters of it.",
)
def logs_have_no_secrets(case: CheckMoment) -> Iterator[Flaw]:
    """“Log messages MUST NOT contain credentials or secrets.” What it is is not repeated; of a flood some are read."""
    message = case.message
    if not isinstance(message, Notification) or not case.state.is_sampled("secret-in-log", 1000, 20):
        return
    if found := secret_in(message.params_part.raw[:_LOOKED_AT]):
        yield Flaw(f"a log message has what looks like {found}", "/params/data")
