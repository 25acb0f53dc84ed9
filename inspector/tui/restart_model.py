"""Lines about the effects of a server's restart: changed definitions, and the last call's result before and after.

The bar shows the first of these lines; the dialog shows all.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec

from inspector import text
from inspector.features.lock.changes import DefinitionsDiff
from inspector.features.lock.lines import diff_lines
from inspector.features.lock.schemas import DefinitionChange
from inspector.features.watch.watcher import FileChange
from inspector.present import spans as signs
from inspector.present.calls import CompletedCall
from inspector.present.changes.captures import change_lines
from inspector.present.changes.sides import beside, pairs, shown
from inspector.present.spans import Line, Role, Span, span
from inspector.protocol.changes import ABSENT, MOST, JsonChange, differences
from inspector.protocol.facts import without_lifetime
from inspector.text import human_duration
from inspector.tui.panels import RerunCall

SIDE_BY_SIDE = 100
"""Minimum width in columns to show before and after side by side."""

_RATINGS: tuple[tuple[str, Role], ...] = ((signs.ERROR, "error"), (signs.WARNING, "warning"), (signs.NOTE, "muted"))

_ACTS = {"added": "+", "removed": "−"}
_MOST_SAVED = 3


class CallResult(msgspec.Struct, frozen=True):
    target: str
    """The tool, the URI or the prompt; untrusted text."""
    value: Any
    """The result; without one, an object with `error` or `failure`."""
    status: Line
    frame: int = 0
    """Number of its request in the capture; 0 if it was not sent."""
    wall_ns: int = 0
    has_failed: bool = False
    """Whether there is no response: `value` has only `failure`, a sentence."""


class ResultChange(msgspec.Struct, frozen=True):
    """The result of a call before and after a restart."""

    after: CallResult
    before: CallResult | None = None
    """None if the call had no result before the restart."""
    changes: tuple[JsonChange, ...] = ()


class RestartReport(msgspec.Struct, frozen=True):
    """Outcome of a restart, as far as it is known."""

    doing: str = ""
    """What it is waiting for, as a short text; "" once it is finished."""
    verb: str = "Restarted"
    """Verb for the outcome: "Reconnected" for a server that was not started here."""
    change: FileChange | None = None
    """File change that caused it; None if the user requested it."""
    took_ns: int | None = None
    """Time from the request to restart to the open connection; None until it is open."""
    failed: str = ""
    """Why there is no connection, as one sentence; may quote untrusted text."""
    last_words: tuple[bytes, ...] = ()
    """The end of stderr if there is no connection."""
    definitions: DefinitionsDiff | None = None
    """None until the lists of both connections have been fetched."""
    result: ResultChange | None = None
    not_run: str = ""
    """Why the last call was not repeated, as one sentence; "" if it was, or if there is none."""

    is_unmarked: bool = False
    """Whether the last call was run again although its tool says neither that it is harmless nor that it is not."""
    saved: tuple[RerunCall, ...] = ()
    """Saved calls that were run again."""

    @property
    def has_new_result(self) -> bool:
        """Whether the last call has another result."""
        return self.result is not None and bool(self.result.changes)

    @property
    def changed(self) -> bool:
        """Whether there is anything to show in full."""
        return bool(self.definitions and self.definitions.changes) or self.has_new_result


def result_of(looked: CompletedCall, target: str, wall_ns: int) -> CallResult:
    """Return the result of a call that was read back."""
    finished = looked.finished
    value, has_failed = finished.result, finished.error is None and not finished.answered
    if finished.error is not None:
        value = {"error": finished.error}
    elif has_failed:
        value = {"failure": finished.failure}
    frame = looked.exchange.request_frame if looked.exchange is not None else 0
    return CallResult(target, value, tuple(looked.view.headline), frame, wall_ns, has_failed)


def compare_results(before: CallResult | None, after: CallResult) -> ResultChange:
    """Compare two results of the same call. How long a server ran before it ended is no part of its result."""
    return ResultChange(after, before, () if before is None else differences(_lasting(before), _lasting(after)))


def _lasting(found: CallResult) -> Any:
    return {"failure": without_lifetime(found.value["failure"])} if found.has_failed else found.value


def status_line(report: RestartReport, *, ended: str = "", follows: bool = False) -> Line:
    """Return the outcome of the restart.

    `ended`: why the new connection is over, as one sentence; "" while it is not. `follows`: whether text precedes it.
    """
    if report.failed:
        return ((f"{signs.ERROR} not connected: {text.one_line(report.failed, 200)}", "error"),)
    if report.took_ns is None:
        return ((f"{signs.PENDING} {report.doing or 'connecting'}", "pending"),)
    if ended:
        took = human_duration(report.took_ns)
        return ((f"{signs.ERROR} {report.verb.lower()} in {took}, then: {text.one_line(ended, 200)}", "error"),)
    sign: Span = (f"{signs.NOTE} ", "faint") if follows else (f"{signs.CONNECTED} ", "ok")
    verb = report.verb.lower() if follows else report.verb
    return (sign, (f"{verb} in {human_duration(report.took_ns)}", "text"))


def watching_line(globs: str) -> Line:
    """Return what is being watched."""
    return ((f"{signs.CONNECTED} Watching ", "ok"), span(globs, "text", limit=200))


def change_line(report: RestartReport) -> Line:
    """Return which file has changed, and when; () if no file caused the restart."""
    change = report.change
    if change is None:
        return ()
    more = f" and {change.more:,} more" if change.more else ""
    at = text.clock(change.wall_ns)[:8]
    return ((f"{signs.NOTE} ", "faint"), span(change.name, "text", limit=60), (f"{more} changed {at}", "muted"))


def last_lines(report: RestartReport, most: int) -> list[Line]:
    """Return the end of stderr of a server that did not start; at most `most` lines."""
    words = [line for each in report.last_words if (line := text.decode(each[:2_000]).rstrip())]
    return [(("  ", "text"), span(line, "stderr")) for line in words[-max(1, most) :]]


def definitions_line(report: RestartReport) -> Line:
    """Return the number of changed definitions and the most severe change; () while that is unknown."""
    found = report.definitions
    if found is None:
        return ()
    head: Span = ("Definitions  ", "muted")
    if not found.changes:
        return (head, ("Unchanged", "faint"))
    parts: list[Span] = [head]
    for rating in sorted({each.rating for each in found.changes}, key=lambda each: each.rank):
        sign, role = _RATINGS[rating.rank]
        parts.append((f"{sign} {found.count(rating):,} {rating}  ", role))
    worst = min(found.changes, key=lambda each: each.rating.rank)
    return (*parts, *_change_summary(worst))


def _change_summary(change: DefinitionChange) -> Iterator[Span]:
    name = change.name or change.kind
    sign = _ACTS.get(change.act, "~")
    if not change.path:
        yield (f"{sign} ", "text")
        yield span(name, "method", limit=60)
        return
    yield span(name, "method", limit=60)
    yield (f": {text.visible(change.path, limit=80)}", "text")
    value = change.after if change.after is not ABSENT else change.before
    yield (f" {sign} {text.visible(shown(value, 60))}", "text")


def saved_line(report: RestartReport) -> Line:
    """Return how the saved calls ended that were run again, those with another outcome first."""
    parts: list[Span] = [("Saved calls  ", "muted")]
    for passed, sign, word in (
        (True, signs.OK, "passed"),
        (False, signs.ERROR, "failed"),
        (None, signs.WARNING, "not run"),
    ):
        if count := sum(each.passed is passed for each in report.saved):
            role: Role = "ok" if passed else "warning" if passed is None else "error"
            parts.append((f"{sign} {count:,} {word}  ", role))
    odd = [each for each in report.saved if each.passed is not True or each.before is False]
    for each in sorted(odd, key=lambda each: each.before is each.passed)[:_MOST_SAVED]:
        was = "" if each.before in (None, each.passed) else " (passed before)" if each.before else " (failed before)"
        parts += [span(each.name, "method", limit=40), (was, "warning")]
        parts.append(span(f": {each.why}  " if each.why else "  ", "text", limit=100))
    return tuple(parts)


def result_line(report: RestartReport) -> Line:
    """Return whether the last call has the same result; () while that is unknown."""
    head: Span = ("Result       ", "muted")
    if report.not_run:
        return (head, (report.not_run, "warning"))
    found = report.result
    if found is None:
        return ()
    target = span(found.after.target, "method", limit=60)
    if found.before is None:
        return (head, target, ("  ", "text"), *found.after.status)
    why: Line = (("  run again: not marked as destructive", "faint"),) if report.is_unmarked else ()
    if not found.changes:
        status = (("  ", "text"), *found.after.status) if found.after.has_failed else ()
        return (head, ("Unchanged  ", "faint"), span(found.after.target, "faint", limit=60), *status, *why)
    count = f"{min(len(found.changes), MOST):,}{'+' if len(found.changes) > MOST else ''}"
    where = text.visible(found.changes[0].path, limit=80)
    changed: Span = (f"{signs.WARNING} {count} changed  ", "warning")
    return head, changed, target, (f": {where}" if where else "", "text"), *why


def side_lines(found: ResultChange, width: int, most: int) -> list[Line]:
    """Return before and after, side by side or one below the other; at most `most` lines."""
    if not found.changes or most < 2 or found.before is None:
        return []
    wide = width >= SIDE_BY_SIDE
    room = (width - 3) // 2 if wide else width
    old, new = _side_head("Before", found.before), _side_head("After", found.after)
    lines: list[Line] = [beside(old, new, room)] if wide else []
    for before, after in chain.from_iterable(pairs(change, room) for change in found.changes[:MOST]):
        added = [beside(before, after, room)] if wide else [each for each in (before, after) if each]
        if len(lines) + len(added) > most:
            lines[-1] = (("…", "faint"),) if len(lines) > 1 else lines[-1]
            break
        lines += added
    return lines


def _side_head(name: str, found: CallResult) -> Line:
    number = f" #{found.frame}" if found.frame else ""
    at = f" {signs.NOTE} {text.clock(found.wall_ns)[:8]} {signs.NOTE} " if found.wall_ns else "  "
    return ((f"{name}{number}", "title"), (at, "faint"), *found.status)


def full_lines(report: RestartReport) -> list[Line]:
    """Return all changes, for the dialog."""
    lines: list[Line] = []
    if report.definitions is not None:
        lines += [(("Definitions", "title"),), *diff_lines(report.definitions, "before", "after"), ()]
    if report.result is not None and report.result.before is not None:
        found = report.result
        lines += [(("Result of ", "title"), span(found.after.target, "method", limit=200))]
        lines += [_side_head("Before", report.result.before), _side_head("After", found.after)]
        lines += [line for change in found.changes[:MOST] for line in change_lines(change)]
        if not found.changes:
            lines.append((("    Unchanged", "faint"),))
        if len(found.changes) > MOST:
            lines.append((("    and more", "muted"),))
    return lines
