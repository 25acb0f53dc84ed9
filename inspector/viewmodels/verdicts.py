"""Findings as lines in the order of their weight: what to look at first, and below each what follows from it."""

from collections.abc import Mapping, Sequence

from inspector.checks.findings import Finding
from inspector.checks.registry import Check
from inspector.checks.verdict import primary_of, roots_of
from inspector.viewmodels.findings import group_lines, groups_of, summary
from inspector.viewmodels.lines import Line, span

_SHOWN = 5
"""Consequences of one fault that are named."""


def verdict_lines(findings: Sequence[Finding], checks: Mapping[str, Check], counts: Mapping[str, int]) -> list[Line]:
    """All findings, and how many there are of each severity in the last line."""
    first, roots = primary_of(findings), roots_of(findings)
    below: dict[str, list[Finding]] = {}
    above: list[Finding] = []
    for each, root in zip(findings, roots, strict=True):
        (above if root == each.id else below.setdefault(root, [])).append(each)
    groups = groups_of(above)
    if first is not None:
        groups.sort(key=lambda group: group[0].id != first.id)
    lines: list[Line] = []
    for group in groups:
        lines += group_lines(group, checks[group[0].id], counts)
        lines += _below(below.pop(group[0].id, []))
    return [*lines, summary(findings)]


def _below(follows: Sequence[Finding]) -> list[Line]:
    by_id: dict[str, Finding] = {}
    for each in follows:
        by_id.setdefault(each.id, each)
    lines: list[Line] = [_consequence(each) for each in list(by_id.values())[:_SHOWN]]
    more = len(by_id) - _SHOWN
    return [*lines, ((f"        └ and {more} more that follow", "muted"),)] if more > 0 else lines


def _consequence(finding: Finding) -> Line:
    where = f"  #{finding.frames[0]}" if finding.frames else ""
    return (
        (f"        └ {finding.id:<5} ", "muted"),
        span(finding.sentence, "muted", limit=300),
        (where, "faint"),
    )
