"""Two captures side by side, as text and as data: a summary, then each difference with its place."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from inspector.capture.compare.differences import Compared, Comparison, OperationPlace, OperationVerdict
from inspector.documents import prepared_type
from inspector.present.changes.sides import both_sides, encodable
from inspector.present.spans import Line, Role, Span, span
from inspector.protocol.changes import ABSENT, MOST, JsonChange

MOST_TOLD = 2000
"""Maximum number of operations listed one by one."""
_SIGNS: dict[OperationVerdict, tuple[str, Role]] = {
    OperationVerdict.SAME: ("=", "muted"),
    OperationVerdict.DIFFERENT: ("≠", "warning"),
    OperationVerdict.ONLY_BEFORE: ("−", "removed"),
    OperationVerdict.ONLY_AFTER: ("+", "added"),
}


@prepared_type
class Names(msgspec.Struct, frozen=True):
    """Names of the two sides."""

    before: str
    after: str


def summary(found: Comparison, names: Names) -> str:
    """Return how much is equal and how much is not, in one sentence."""
    if not found.rows:
        return "Nothing to compare."
    counts = {verdict: found.count(verdict) for verdict in OperationVerdict}
    lines = [f"{counts[OperationVerdict.SAME]:,} unchanged"]
    if found.is_empty:
        return f"No difference: {lines[0]}."
    lines.append(f"{counts[OperationVerdict.DIFFERENT]:,} changed")
    for verdict, name in ((OperationVerdict.ONLY_BEFORE, names.before), (OperationVerdict.ONLY_AFTER, names.after)):
        if counts[verdict]:
            lines.append(f"{counts[verdict]:,} only in {name}")
    unrelated = (
        ""
        if counts[OperationVerdict.SAME] or counts[OperationVerdict.DIFFERENT]
        else " The captures have no operation in common."
    )
    return ", ".join(lines) + "." + unrelated


def comparison_lines(found: Comparison, names: Names) -> list[Line]:
    """Return all differences, safe to show."""
    lines: list[Line] = [(span(summary(found, names), "title"),)]
    differing = [row for row in found.rows if row.verdict is not OperationVerdict.SAME]
    for row in differing[:MOST_TOLD]:
        lines += [(), head_line(row, names), *_reason(row)]
        changes = row.changes
        for change in changes[:MOST]:
            lines += change_lines(change)
        if len(changes) > MOST:
            lines.append((("    and more", "muted"),))
    if len(differing) > MOST_TOLD:
        lines += [(), ((f"and {len(differing) - MOST_TOLD:,} more", "muted"),)]
    return lines


def head_line(row: Compared, names: Names) -> Line:
    """Return the operation and its place on each side."""
    sign, role = _SIGNS[row.verdict]
    return ((f"{sign} ", role), *title(row), (f"  {_where(row, names)}", "muted"))


def title(row: Compared) -> Line:
    """Return the method and the target of an operation."""
    target: tuple[Span, ...] = ((" ", "text"), span(row.target, "target", limit=120)) if row.target else ()
    return (span(row.method, "method", limit=120), *target)


def change_lines(change: JsonChange) -> list[Line]:
    """Return one changed place with its value on each side."""
    head: Line = (("    ", "text"), span(change.path or "(root)", "key", limit=300))
    return [head, *both_sides(change.before, change.after, "      ")]


def comparison_data(found: Comparison, names: Names) -> dict[str, Any]:
    """Return the comparison as data for scripts, without equal operations."""
    rows = [row for row in found.rows if row.verdict is not OperationVerdict.SAME]
    return {
        "before": names.before,
        "after": names.after,
        "counts": {verdict.value.replace(" ", "_"): found.count(verdict) for verdict in OperationVerdict},
        "operations": [_row_data(row) for row in rows],
    }


def _row_data(row: Compared) -> dict[str, Any]:
    changes = row.changes
    return {
        "verdict": row.verdict.value.replace(" ", "_"),
        "method": row.method,
        "target": row.target,
        "before": _side_data(row.before),
        "after": _side_data(row.after),
        "beside": row.loose,
        "why": row.why,
        "changes": [*_changes_data(changes)],
        "more": len(changes) > MOST,
    }


def _changes_data(changes: Sequence[JsonChange]) -> Iterator[dict[str, Any]]:
    for change in changes[:MOST]:
        sides = {"before": change.before, "after": change.after}
        yield {"path": change.path} | {name: encodable(value) for name, value in sides.items() if value is not ABSENT}


def _side_data(side: OperationPlace | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {"frame": side.frame, "duration_ms": None if side.duration_ns is None else side.duration_ns / 1e6}


def _where(row: Compared, names: Names) -> str:
    if row.before is not None and row.after is not None:
        return f"#{row.before.frame} and #{row.after.frame}"
    side, name = (row.before, names.before) if row.before is not None else (row.after, names.after)
    return f"only in {name}, #{side.frame}" if side is not None and side.frame else f"only in {name}"


def _reason(row: Compared) -> list[Line]:
    return [(("    ", "text"), span(row.why, "muted"))] if row.why else []
