"""Findings and checks as lines for a terminal: worst first, those of one check together, each with its evidence."""

from collections.abc import Iterable, Mapping, Sequence

from inspector.checks.aliases import aliases_of
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.registry import LAST, Check
from inspector.viewmodels.lines import Line, span
from inspector.viewmodels.roles import Role

GLYPHS: dict[Severity, tuple[str, Role]] = {
    Severity.ERROR: ("✗", "error"),
    Severity.WARNING: ("!", "warning"),
    Severity.HINT: ("·", "muted"),
}
_SHOWN = 3
"""Findings of one check that are told in full."""
_HOSTS = 3
"""Ways in which hosts take it that are told."""


def groups_of(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings of one check together: the worst first, then in the order in which they came."""
    found: dict[str, list[Finding]] = {}
    for each in findings:
        found.setdefault(each.id, []).append(each)
    groups = [sorted(group, key=lambda each: each.severity.rank) for group in found.values()]
    return sorted(groups, key=lambda group: group[0].severity.rank)


def finding_lines(findings: Sequence[Finding], checks: Mapping[str, Check], counts: Mapping[str, int]) -> list[Line]:
    """All findings, and how many there are of each severity in the last line."""
    lines: list[Line] = []
    for group in groups_of(findings):
        lines += group_lines(group, checks[group[0].id], counts)
    return [*lines, summary(findings)]


def group_lines(group: Sequence[Finding], check: Check, counts: Mapping[str, int]) -> list[Line]:
    """What one check found: its title, the evidence of the first few, and what to do."""
    first = group[0]
    glyph, role = GLYPHS[first.severity]
    times = len(group) if len(group) < counts.get(check.id, 0) // 2 else counts.get(check.id, len(group))
    many = f"  ×{times:,}" if times > 1 else ""
    also = "".join(f"  ({name})" for name in aliases_of(check.id))
    title: Line = ((f"{glyph} {check.id:<5}", role), (check.title, "strong"), (also, "faint"), (many, "muted"))
    lines: list[Line] = [title]
    lines += [
        (("        ", "text"), *_milder(each, first), span(each.sentence, limit=400), *_place(each))
        for each in group[:_SHOWN]
    ]
    if len(group) > _SHOWN:
        lines.append((("        … and more of the same", "muted"),))
    if first.fix:
        lines.append((("        → ", "accent"), span(first.fix, limit=400)))
    lines += _hosts(first)
    if first.page:
        lines.append(((f"        {first.page}", "faint"),))
    return lines


def _milder(finding: Finding, worst: Finding) -> Line:
    """That one is not as bad as the heading says."""
    return () if finding.severity is worst.severity else ((f"({finding.severity}) ", GLYPHS[finding.severity][1]),)


def _hosts(finding: Finding) -> list[Line]:
    from inspector.viewmodels.hosts import words_of

    told = words_of(finding)
    lines: list[Line] = [((f"        {names}: ", "muted"), (sentence, "muted")) for names, sentence in told[:_HOSTS]]
    return [*lines, ((f"        and {len(told) - _HOSTS} more", "muted"),)] if len(told) > _HOSTS else lines


def _place(finding: Finding) -> tuple[tuple[str, Role], ...]:
    where = f"  #{finding.frames[0]}" if finding.frames else ""
    if finding.pointer:
        where += f" {finding.pointer}"
    if finding.span:
        where += f" bytes {finding.span[0]}–{finding.span[1]}"
    sure = "" if finding.confidence is Confidence.CERTAIN else f"  ({finding.confidence})"
    return span(where, "muted", limit=200), (sure, "faint")


def unexplained(failure: str) -> Line:
    """That something failed and no check found anything."""
    return (("! ", "warning"), span(f"No check explains the failure: {failure}", "warning", limit=300))


def summary(findings: Iterable[Finding], failure: str = "") -> Line:
    """How many there are of each severity. `failure` says what failed; then no findings is no good news."""
    counts = dict.fromkeys(Severity, 0)
    for each in findings:
        counts[each.severity] += 1
    if not any(counts.values()):
        return unexplained(failure) if failure else (("✓ nothing found", "ok"),)
    parts = [f"{count:,} {severity}{'' if count == 1 else 's'}" for severity, count in counts.items() if count]
    return ((", ".join(parts), "strong"),)


def check_lines(checks: Iterable[Check]) -> list[Line]:
    """Every check on a line: id, severity, revisions, title."""
    lines: list[Line] = []
    for each in checks:
        glyph, role = GLYPHS[each.severity]
        lines.append(
            (
                (f"{each.id:<6}", "strong"),
                (f"{glyph} {each.severity:<8}", role),
                (f"{_revisions(each):<26}", "muted"),
                (each.title, "text"),
                ("".join(f"  ({name})" for name in aliases_of(each.id)), "faint"),
            )
        )
    return lines


def _revisions(check: Check) -> str:
    if (check.since, check.until) == (1, LAST):
        return "all"
    first, last = check.revisions[0], check.revisions[-1]
    if check.until == LAST:
        return f"from {first}"
    return first if first == last else f"{first} to {last}"
