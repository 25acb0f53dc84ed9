"""What is said about findings as a whole: how many there are, how far the checks are, what a check is about."""

from inspector.checks import everything
from inspector.checks.findings import Severity
from inspector.checks.registry import CHECKS
from inspector.viewmodels import signs, text
from inspector.viewmodels.finding_facts import SIGNS, title_of
from inspector.viewmodels.finding_rows import Group
from inspector.viewmodels.lines import Fact, Section, fact
from inspector.viewmodels.live_checks import LiveChecks
from inspector.viewmodels.roles import Span

assert everything.IMPORTED
Both = tuple[list[Span], list[Span]]
"""What stands at the left, and at the right."""


def counted(checks: LiveChecks | None, *, shows_muted: bool = False) -> Both:
    """How many there are of each severity, and how many are muted."""
    left: list[Span] = [("Findings", "title")]
    if checks is None:
        return left, []
    for severity in Severity:
        if number := checks.counts[severity]:
            sign, role = SIGNS[severity]
            left.append((f"  {sign} {number:,} {severity}{'' if number == 1 else 's'}", role))
    muted = len(checks.all) - sum(checks.counts.values())
    said = f"{muted:,} muted, {'shown' if shows_muted else 'M shows them'}"
    right: list[Span] = [(said, "claimed")] if muted > 0 else []
    if checks.later:
        right.append((f"{'  ' if right else ''}{checks.later:,} more after this moment, $ shows all", "warning"))
    return left, right


def checked(checks: LiveChecks | None, entries: int, *, failed: bool = False) -> Both:
    """How far the checks are, and what they left out. `failed`: an error of this program has ended them."""
    if checks is None:
        return [("The checks have not begun yet.", "muted")], []
    left: list[Span] = []
    if failed:
        said = f"an error of this program ended the checks at {checks.checked:,} of {entries:,}"
        left.append((f"{signs.ERROR} {said}", "error"))
    elif checks.paused:
        left.append((f"paused: checked {checks.checked:,} of {entries:,}, p goes on", "warning"))
    elif checks.is_done:
        left.append((f"{signs.OK} all {entries:,} entries checked", "muted"))
    else:
        left.append((f"{signs.PENDING} checked {checks.checked:,} of {entries:,}", "pending"))
    right: list[Span] = []
    if checks.passed_over:
        right.append((f"{checks.passed_over:,} long messages not read here  ", "warning"))
    if checks.skimmed:
        right.append((f"{checks.skimmed:,} log messages of a flood not looked at  ", "muted"))
    if checks.unasked:
        right.append((f"{checks.unasked:,} results not held against schemas", "warning"))
    return left, right


def set_aside_line(checks: LiveChecks | None) -> list[Span]:
    """The check that failed by a mistake of ours, and how many others did; [] for none."""
    failed = checks.set_aside if checks is not None else ()
    if not failed:
        return []
    more = f"  +{len(failed) - 1} more" if len(failed) > 1 else ""
    return [(f"{signs.ERROR} {text.visible(failed[0].sentence, limit=400)}", "error"), (more, "muted")]


def about_check(group: Group) -> Section:
    """What a heading is about: a severity, or a check with what it looks for."""
    if not group.id:
        return Section(f"{SIGNS[group.severity][0]} {len(group.findings):,} of severity {group.severity}")
    check, first = CHECKS.get(group.id), group.findings[0]
    count = len(group.findings)
    facts = [Fact("found", f"{count:,} time{'' if count == 1 else 's'}"), fact("for example", first.sentence)]
    if check is not None:
        facts.append(Fact("applies to", _revisions(check.revisions)))
    if first.fix:
        facts.append(fact("fix", first.fix, "ok"))
    if first.page:
        facts.append(fact("page", first.page, "muted"))
    return Section(f"{group.id}  {title_of(group.id)}", tuple(facts))


def _revisions(dates: tuple[str, ...]) -> str:
    return dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
