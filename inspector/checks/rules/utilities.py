"""Rules for logging, progress, cancellation, pagination and caching."""

import re
from collections.abc import Iterator
from typing import Any

from inspector.checks.findings import Confidence, Severity
from inspector.checks.foreign_text import secret_in
from inspector.checks.registry import Violation, rules_of
from inspector.checks.rules.tools import was_requested_again
from inspector.checks.state import PREFIX, CheckMoment, TrackedRequest
from inspector.protocol import peek
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Notification
from inspector.protocol.request_meta import LEVELS
from inspector.protocol.server_requests import INPUT_REQUIRED
from inspector.text import cut

error, warning, hint = rules_of("basic/utilities/progress")

_ERROR, _HINT = Severity.ERROR, Severity.HINT
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

_PAGED = tuple(
    f"answer {method}" for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
)


@error(
    "Log message below the requested level", _LOG, topic="server/utilities/logging", mild_until="2025-11-25", mild=_HINT
)
def log_below_level(case: CheckMoment) -> Iterator[Violation]:
    """In the legacy era, `logging/setLevel` sets the level.

    Fix: Filter log messages by the requested level.
    """
    level, wanted = peek.text(case.value, "level"), case.state.ongoing.log_level
    if level in LEVELS and wanted in LEVELS and LEVELS.index(level) < LEVELS.index(wanted):
        yield Violation(f"a message of level {level}, although {wanted} was requested", "/params/level")


@error("Log message without a requested log level", _LOG, topic="server/utilities/logging", since="2026-07-28")
def unrequested_log_message(case: CheckMoment) -> Iterator[Violation]:
    """“The server MUST NOT send notifications/message for requests that don't carry a log level.”

    Fix: Send log messages only for requests with a log level.
    """
    if case.http is not None:
        open_ = [each for each in case.http.asked if each.answered is None]
    elif len(case.state.requests.open) > _MOST_OPEN:
        return
    else:
        open_ = case.state.requests.waiting()
    if not any(peek.has(each.params, "_meta", PREFIX + "logLevel") for each in open_):
        yield Violation("a log message that no open request asked for: none has a logLevel in _meta", "/params")


@error("Progress for an unknown token", _PROGRESS)
def unrequested_progress(case: CheckMoment) -> Iterator[Violation]:
    """Progress is allowed only for tokens of open requests.

    Fix: Send progress only for tokens of open requests.
    """
    progress = case.progress
    if progress is None:
        token = peek.request_id(case.value, "progressToken")
        if token is not None:
            other: Any = (
                str(token) if isinstance(token, int) else int(token) if re.fullmatch(r"[0-9]{1,18}", token) else None
            )
            alike = (
                f": a request has {other!r}, a {peek.type_name(other)}" if other in case.state.requests.progress else ""
            )
            sentence = f"progress for the token {token!r}, which no request has{alike}"
            yield Violation(sentence, "/params/progressToken")
    elif progress.asked.answered is not None and not progress.asked.lives_on:
        frames = (progress.asked.answered, progress.asked.frame)
        yield Violation(
            f"progress of {progress.asked.method} after its response", "/params/progressToken", frames=frames
        )


@error("Progress does not increase", _PROGRESS)
def progress_not_increasing(case: CheckMoment) -> Iterator[Violation]:
    """“The progress value MUST increase with each notification, even if the total is unknown.”

    Fix: Increase `progress` with each notification.
    """
    progress, now = case.progress, peek.number(case.value, "progress")
    if progress is not None and progress.last is not None and now is not None and now <= progress.last:
        yield Violation(
            f"progress went from {progress.last:g} to {now:g}", "/params/progress", frames=(progress.frame,)
        )


@error("Invalid progress values", _PROGRESS)
def progress_value_invalid(case: CheckMoment) -> Iterator[Violation]:
    """Progress that exceeds the total, or is too frequent.

    Fix: Send values up to `total`, a few times per second.
    """
    progress = case.progress
    if progress is not None and progress.count == _OFTEN and case.time_ns - progress.since_ns < _SECOND_NS:
        if case.state.is_first("progress-value-invalid often"):
            sentence = f"more than {_OFTEN} progress notifications within a second"
            yield Violation(sentence, "/params", severity=_HINT, fix="Send a few progress notifications per second.")
    now, total = peek.number(case.value, "progress"), peek.number(case.value, "total")
    if now is not None and total is not None and now > total:
        yield Violation(f"progress is {now:g} of {total:g}", "/params/progress", severity=_HINT)


@hint("Progress message in a version without it", _PROGRESS, until="2024-11-05")
def progress_message_too_early(case: CheckMoment) -> Iterator[Violation]:
    """Clients of 2024-11-05 do not show it.

    Fix: Remove `message`, or negotiate a newer protocol version.
    """
    if peek.has(case.value, "message"):
        yield Violation("progress with a message, which this protocol version does not define", "/params/message")


@error(
    "Cancellation of an unknown request", "notification notifications/cancelled", topic="basic/utilities/cancellation"
)
def cancelled_unknown_request(case: CheckMoment) -> Iterator[Violation]:
    """Each side cancels its own requests; a stateless server only ends subscriptions.

    Fix: Cancel only requests that the server has sent.
    """
    id_ = peek.request_id(case.value, "requestId")
    if not case.is_modern and id_ in case.state.ongoing.task_status:
        return  # a task: `task-cancelled-by-notification` reports it
    if id_ is None or id_ in case.state.ongoing.listens or (Direction.FROM_SERVER, id_) in case.state.requests.open:
        return
    if (Direction.FROM_SERVER, id_) not in case.state.requests.done and _given_up(case) is None:
        yield Violation(f"the server cancels {id_!r}, which it did not send", "/params/requestId")


def _given_up(case: CheckMoment) -> TrackedRequest | None:
    """Return the client's request that the server cancels; None if it cancels one of its own, or none."""
    requests, id_ = case.state.requests, peek.request_id(case.value, "requestId")
    if id_ is None or id_ in requests.server_ids or id_ in case.state.ongoing.listens:
        return None
    return requests.open.get((Direction.TO_SERVER, id_))


@error(
    "Server cancels a request of the client",
    "notification notifications/cancelled",
    topic="basic/utilities/cancellation",
)
def request_cancelled_by_server(case: CheckMoment) -> Iterator[Violation]:
    """“Cancellation notifications MUST only reference requests that were previously issued in the same direction.”

    Fix: Respond with an error that has the reason: each side cancels its own requests only.
    """
    if (asked := _given_up(case)) is not None:
        reason = cut(peek.text(case.value, "reason") or "no reason given", 200)
        sentence = f"the server cancelled {asked.named} instead of responding: {reason}"
        yield Violation(sentence, "/params/requestId", (asked.frame,))


@warning("Response to a cancelled request", "late", topic="basic/utilities/cancellation", confidence=Confidence.LIKELY)
def response_after_cancellation(case: CheckMoment) -> Iterator[Violation]:
    """Within a second, the response and the cancellation may have crossed on the wire.

    Fix: Stop the work and send no response.
    """
    asked = case.asked
    if asked is None or asked.cancelled is None or asked.answered is not None:
        return
    if (after := case.time_ns - asked.cancelled_ns) > _RACE_NS:
        sentence = f"the response to {asked.method} was sent {after / 1e9:.1f} s after its cancellation"
        yield Violation(sentence, "/id", frames=(asked.cancelled, asked.frame))


def endless(case: CheckMoment, cursor: str) -> Violation:
    """Return the violation of a page that repeats a cursor, so that clients never reach the end of the list."""
    same = cursor == peek.text(case.asked_params, "cursor")
    what = "returned the cursor of its own request" if same else "returned an earlier cursor again"
    so = "the same cursor repeats forever" if same else "the same cursors repeat forever"
    sentence = f"{case.method} {what}, {cut(cursor, 60)!r}: {so}, so the list never ends and is truncated at this page"
    return Violation(sentence, "/result/nextCursor", severity=_ERROR, fix="Omit nextCursor on the last page.")


@hint("`nextCursor` repeats", *_PAGED, topic="server/utilities/pagination")
def cursor_cycle(case: CheckMoment) -> Iterator[Violation]:
    """A repeated cursor (`pagination-incomplete` for tools), an empty page with a cursor, or a list without an end.

    Fix: Omit nextCursor on the last page.
    """
    cursor = peek.text(case.value, "nextCursor")
    asked = peek.text(case.asked_params, "cursor")
    if cursor is None or was_requested_again(case):
        return
    before = case.state.lists.cursors.get(case.method, ())
    if asked is not None and cursor in before:
        if case.method != "tools/list":
            yield endless(case, cursor)
    elif asked is not None and len(before) == _MOST_PAGES:
        yield Violation(f"{_MOST_PAGES} pages of {case.method} were received, and there are more", "/result/nextCursor")
    elif not any(each for each in case.value.values() if type(each) is list):
        yield Violation("an empty page has a cursor", "/result/nextCursor")


@warning(
    "`nextCursor` is rejected as a cursor",
    *(hook.replace("answer", "error") for hook in _PAGED),
    topic="server/utilities/pagination",
)
def cursor_rejected(case: CheckMoment) -> Iterator[Violation]:
    """A server must accept the cursors that it sends; also "", which “clients MUST NOT treat as the end”.

    Fix: Omit nextCursor on the last page; an empty string is a cursor.
    """
    cursor = peek.text(case.asked_params, "cursor")
    if cursor is not None and cursor in case.state.lists.cursors.get(case.method, ()) and not case.is_moot:
        sent = f"nextCursor {cut(cursor, 60)!r}" if cursor else 'nextCursor ""'
        sentence = f"the server sends {sent} in {case.method} but rejects it: clients treat the list as truncated"
        worse = _ERROR if cursor else None
        fix = "Accept the cursors that the server sends." if cursor else ""
        yield Violation(sentence, "/error", severity=worse, fix=fix)


@error("Pages with different `cacheScope`", *_PAGED, topic="server/utilities/caching", since="2026-07-28")
def cache_scope_inconsistent(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Use one `cacheScope` for all pages of a list."""
    first = case.state.lists.pages.get(case.method)
    if first and case.asked is not None and peek.has(case.asked.params, "cursor"):
        scope: Any = peek.at(case.value, "cacheScope")
        if scope != first["cacheScope"]:
            sentence = f"the cacheScope of this page is {scope!r}, that of the first {first['cacheScope']!r}"
            yield Violation(sentence, "/result/cacheScope", frames=(first["frame"],))


@hint("Harmful caching hints", "answer", topic="server/utilities/caching", since="2026-07-28")
def harmful_cache_hints(case: CheckMoment) -> Iterator[Violation]:
    """Caching hints are for complete results; results for one user are not public.

    Fix: Use cacheScope private for results that depend on credentials.
    """
    if type(case.value) is not dict or "ttlMs" not in case.value:
        return
    if case.value.get("resultType") == INPUT_REQUIRED:
        yield Violation("caching hints on an input_required result", "/result/ttlMs")
    elif case.method == "resources/read" and case.value.get("cacheScope") == "public" and case.http is not None:
        if case.http.sent("authorization") is not None:
            yield Violation("a resource that was read with credentials has the cacheScope public", "/result/cacheScope")


@error("Log message may contain a secret", _LOG, topic="server/utilities/logging", confidence=Confidence.LIKELY)
def secret_in_log(case: CheckMoment) -> Iterator[Violation]:
    """“Log messages MUST NOT contain credentials or secrets.” The finding does not repeat them. A flood is sampled.

    Fix: Remove the secret, or log a few characters of it.
    """
    message = case.message
    if not isinstance(message, Notification) or not case.state.is_sampled("secret-in-log", 1000, 20):
        return
    if found := secret_in(message.params_part.raw[:_LOOKED_AT]):
        yield Violation(f"a log message seems to contain {found}", "/params/data")
