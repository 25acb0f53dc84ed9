"""Rules for logging, progress, cancellation, pagination and caching."""

from collections.abc import Iterator
from typing import Any

from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import secret_in
from inspector.checks.registry import Flaw, check
from inspector.checks.rules.tools import was_requested_again
from inspector.checks.state import PREFIX, CheckMoment, TrackedRequest
from inspector.protocol import peek
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Notification
from inspector.protocol.request_meta import LEVELS
from inspector.protocol.server_requests import INPUT_REQUIRED

_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
_LOG, _PROGRESS = "notification notifications/message", "notification notifications/progress"
_RACE_NS = 1_000_000_000
"""Messages that cross a cancellation on the wire within this time are no fault."""
_MOST_OPEN = 200
"""Maximum requests in flight whose log levels are examined."""
_MOST_PAGES = 100
_OFTEN, _SECOND_NS = 100, 1_000_000_000
"""Number of progress notifications within this time that are too many."""
_LOOKED_AT = 16_384
"""Maximum bytes of a log message that are searched."""


@check(
    "log-below-level",
    _ERROR,
    "Log message below the requested level",
    _LOG,
    topic="server/utilities/logging",
    mild_until="2025-11-25",
    mild=_HINT,
    fix="Filter log messages by the requested level.",
)
def log_below_level(case: CheckMoment) -> Iterator[Flaw]:
    """In the legacy era, `logging/setLevel` sets the level."""
    level, wanted = peek.text(case.value, "level"), case.state.ongoing.log_level
    if level in LEVELS and wanted in LEVELS and LEVELS.index(level) < LEVELS.index(wanted):
        yield Flaw(f"a message of level {level}, although {wanted} was requested", "/params/level")


@check(
    "unrequested-log-message",
    _ERROR,
    "Log message without a requested log level",
    _LOG,
    topic="server/utilities/logging",
    since="2026-07-28",
    fix="Send log messages only for requests with a log level.",
)
def unrequested_log_message(case: CheckMoment) -> Iterator[Flaw]:
    """“The server MUST NOT send notifications/message for requests that don't carry a log level.”"""
    if case.http is not None:
        open_ = [each for each in case.http.asked if each.answered is None]
    elif len(case.state.requests.open) > _MOST_OPEN:
        return
    else:
        open_ = [each for (side, _), each in case.state.requests.open.items() if side is Direction.TO_SERVER]
    if not any(peek.has(each.params, "_meta", PREFIX + "logLevel") for each in open_):
        yield Flaw("a log message, but no open request has a log level", "/params")


@check(
    "unrequested-progress",
    _ERROR,
    "Progress for an unknown token",
    _PROGRESS,
    topic="basic/utilities/progress",
    fix="Send progress only for tokens of open requests.",
)
def unrequested_progress(case: CheckMoment) -> Iterator[Flaw]:
    """Progress is allowed only for tokens of open requests."""
    progress = case.progress
    if progress is None:
        token = peek.request_id(case.value, "progressToken")
        if token is not None:
            yield Flaw(f"progress for the token {token!r}, which no request has", "/params/progressToken")
    elif progress.asked.answered is not None and not progress.asked.lives_on:
        frames = (progress.asked.answered, progress.asked.frame)
        yield Flaw(f"progress of {progress.asked.method} after its response", "/params/progressToken", frames=frames)


@check(
    "progress-not-increasing",
    _ERROR,
    "Progress does not increase",
    _PROGRESS,
    topic="basic/utilities/progress",
    fix="Increase `progress` with each notification.",
)
def progress_not_increasing(case: CheckMoment) -> Iterator[Flaw]:
    """“The progress value MUST increase with each notification, even if the total is unknown.”"""
    progress, now = case.progress, peek.number(case.value, "progress")
    if progress is not None and progress.last is not None and now is not None and now <= progress.last:
        yield Flaw(f"progress went from {progress.last:g} to {now:g}", "/params/progress", frames=(progress.frame,))


@check(
    "progress-value-invalid",
    _ERROR,
    "Invalid progress values",
    _PROGRESS,
    topic="basic/utilities/progress",
    fix="Send values up to `total`, a few times per second.",
)
def progress_value_invalid(case: CheckMoment) -> Iterator[Flaw]:
    """Progress that exceeds the total, or is too frequent."""
    progress = case.progress
    if progress is not None and progress.count == _OFTEN and case.time_ns - progress.since_ns < _SECOND_NS:
        if case.state.is_sampled("progress-value-invalid often", 1, 1 << 62):
            said = f"more than {_OFTEN} progress notifications within a second"
            yield Flaw(said, "/params", severity=_HINT, fix="Send a few progress notifications per second.")
    now, total = peek.number(case.value, "progress"), peek.number(case.value, "total")
    if now is not None and total is not None and now > total:
        yield Flaw(f"progress is {now:g} of {total:g}", "/params/progress", severity=_HINT)


@check(
    "progress-message-too-early",
    _HINT,
    "Progress message in a version without it",
    _PROGRESS,
    topic="basic/utilities/progress",
    until="2024-11-05",
    fix="Remove `message`, or negotiate a newer protocol version.",
)
def progress_message_too_early(case: CheckMoment) -> Iterator[Flaw]:
    """Clients of 2024-11-05 do not show it."""
    if peek.has(case.value, "message"):
        yield Flaw("progress with a message, which this protocol version does not define", "/params/message")


@check(
    "cancelled-unknown-request",
    _ERROR,
    "Cancellation of an unknown request",
    "notification notifications/cancelled",
    topic="basic/utilities/cancellation",
    fix="Cancel only requests that the server has sent.",
)
def cancelled_unknown_request(case: CheckMoment) -> Iterator[Flaw]:
    """Each side cancels its own requests; a stateless server only ends subscriptions."""
    id_ = peek.request_id(case.value, "requestId")
    if not case.is_modern and id_ in case.state.ongoing.task_status:
        return  # a task: `task-cancelled-by-notification` reports it
    if id_ is None or id_ in case.state.ongoing.listens or (Direction.FROM_SERVER, id_) in case.state.requests.open:
        return
    if (Direction.FROM_SERVER, id_) not in case.state.requests.done and _given_up(case) is None:
        yield Flaw(f"the server cancels {id_!r}, which it did not send", "/params/requestId")


def _given_up(case: CheckMoment) -> TrackedRequest | None:
    """Return the client's request that the server cancels; None if it cancels one of its own, or none."""
    requests, id_ = case.state.requests, peek.request_id(case.value, "requestId")
    if id_ is None or id_ in requests.server_ids or id_ in case.state.ongoing.listens:
        return None
    return requests.open.get((Direction.TO_SERVER, id_))


@check(
    "request-cancelled-by-server",
    _ERROR,
    "Server cancels a request of the client",
    "notification notifications/cancelled",
    topic="basic/utilities/cancellation",
    fix="Respond with an error that has the reason: each side cancels its own requests only.",
)
def request_cancelled_by_server(case: CheckMoment) -> Iterator[Flaw]:
    """“Cancellation notifications MUST only reference requests that were previously issued in the same direction.”"""
    if (asked := _given_up(case)) is not None:
        reason = (peek.text(case.value, "reason") or "no reason given")[:200]
        said = f"the server cancelled {asked.method[:60]} instead of responding: {reason}"
        yield Flaw(said, "/params/requestId", (asked.frame,))


@check(
    "response-after-cancellation",
    _WARNING,
    "Response to a cancelled request",
    "late",
    topic="basic/utilities/cancellation",
    confidence=Confidence.LIKELY,
    fix="Stop the work and send no response.",
)
def response_after_cancellation(case: CheckMoment) -> Iterator[Flaw]:
    """Within a second, the response and the cancellation may have crossed on the wire."""
    asked = case.asked
    if asked is None or asked.cancelled is None or asked.answered is not None:
        return
    if (after := case.time_ns - asked.cancelled_ns) > _RACE_NS:
        said = f"the response to {asked.method} was sent {after / 1e9:.1f} s after its cancellation"
        yield Flaw(said, "/id", frames=(asked.cancelled, asked.frame))


_PAGED = tuple(
    f"answer {method}" for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
)


def endless(case: CheckMoment, cursor: str) -> Flaw:
    """Return the flaw of a page that repeats a cursor, so that clients never reach the end of the list."""
    same = cursor == peek.text(case.asked.params if case.asked else None, "cursor")
    what = "returned the cursor of its own request" if same else "returned an earlier cursor again"
    so = "the same cursor repeats forever" if same else "the same cursors repeat forever"
    said = f"{case.method} {what}, {cursor[:60]!r}: {so}, so the list never ends and is truncated at this page"
    return Flaw(said, "/result/nextCursor", severity=_ERROR, fix="Omit nextCursor on the last page.")


@check(
    "cursor-cycle",
    _HINT,
    "`nextCursor` repeats",
    *_PAGED,
    topic="server/utilities/pagination",
    fix="Omit nextCursor on the last page.",
)
def cursor_cycle(case: CheckMoment) -> Iterator[Flaw]:
    """A repeated cursor (`pagination-incomplete` for tools), an empty page with a cursor, or a list without an end."""
    cursor = peek.text(case.value, "nextCursor")
    asked = peek.text(case.asked.params if case.asked else None, "cursor")
    if cursor is None or was_requested_again(case):
        return
    before = case.state.lists.cursors.get(case.method, ())
    if asked is not None and cursor in before:
        if case.method != "tools/list":
            yield endless(case, cursor)
    elif asked is not None and len(before) == _MOST_PAGES:
        yield Flaw(f"{_MOST_PAGES} pages of {case.method} were received, and there are more", "/result/nextCursor")
    elif not any(each for each in case.value.values() if type(each) is list):
        yield Flaw("an empty page has a cursor", "/result/nextCursor")


@check(
    "cursor-rejected",
    _WARNING,
    "`nextCursor` is rejected as a cursor",
    *(hook.replace("answer", "error") for hook in _PAGED),
    topic="server/utilities/pagination",
    fix="Omit nextCursor on the last page; an empty string is a cursor.",
)
def cursor_rejected(case: CheckMoment) -> Iterator[Flaw]:
    """A server must accept the cursors that it sends; also "", which “clients MUST NOT treat as the end”."""
    cursor = peek.text(case.asked.params if case.asked else None, "cursor")
    if cursor is not None and cursor in case.state.lists.cursors.get(case.method, ()) and not case.is_moot:
        sent = f"nextCursor {cursor[:60]!r}" if cursor else 'nextCursor ""'
        said = f"the server sends {sent} in {case.method} but rejects it: clients treat the list as truncated"
        worse = _ERROR if cursor else None
        fix = "Accept the cursors that the server sends." if cursor else ""
        yield Flaw(said, "/error", severity=worse, fix=fix)


@check(
    "cache-scope-inconsistent",
    _ERROR,
    "Pages with different `cacheScope`",
    *_PAGED,
    topic="server/utilities/caching",
    since="2026-07-28",
    fix="Use one `cacheScope` for all pages of a list.",
)
def cache_scope_inconsistent(case: CheckMoment) -> Iterator[Flaw]:
    first = case.state.lists.pages.get(case.method)
    if first and case.asked is not None and peek.has(case.asked.params, "cursor"):
        scope: Any = peek.at(case.value, "cacheScope")
        if scope != first["cacheScope"]:
            said = f"this page has {scope!r}, the first {first['cacheScope']!r}"
            yield Flaw(said, "/result/cacheScope", frames=(first["frame"],))


@check(
    "harmful-cache-hints",
    _HINT,
    "Harmful caching hints",
    "answer",
    topic="server/utilities/caching",
    since="2026-07-28",
    fix="Use cacheScope private for results that depend on credentials.",
)
def harmful_cache_hints(case: CheckMoment) -> Iterator[Flaw]:
    """Caching hints are for complete results; results for one user are not public."""
    if type(case.value) is not dict or "ttlMs" not in case.value:
        return
    if case.value.get("resultType") == INPUT_REQUIRED:
        yield Flaw("caching hints on an input_required result", "/result/ttlMs")
    elif case.method == "resources/read" and case.value.get("cacheScope") == "public" and case.http is not None:
        if case.http.sent("authorization") is not None:
            yield Flaw("a resource that was read with credentials has the cacheScope public", "/result/cacheScope")


@check(
    "secret-in-log",
    _ERROR,
    "Log message may contain a secret",
    _LOG,
    topic="server/utilities/logging",
    confidence=Confidence.LIKELY,
    fix="Remove the secret, or log a few characters of it.",
)
def secret_in_log(case: CheckMoment) -> Iterator[Flaw]:
    """“Log messages MUST NOT contain credentials or secrets.” The finding does not repeat them. A flood is sampled."""
    message = case.message
    if not isinstance(message, Notification) or not case.state.is_sampled("secret-in-log", 1000, 20):
        return
    if found := secret_in(message.params_part.raw[:_LOOKED_AT]):
        yield Flaw(f"a log message seems to contain {found}", "/params/data")
