"""The list of findings as rows: by severity, then by check, each with how many there are; what is folded is one row.

A check that found one thing is that one row. Rows are made anew when something was found, muted, folded or filtered,
and keep their keys, so that a cursor stays where it was.
"""

from collections.abc import Iterator, Sequence

import msgspec

from inspector import text
from inspector.checks import everything
from inspector.checks.findings import Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.present import spans
from inspector.present.findings import SIGNS, place_of, title_of
from inspector.present.live_checks import AnyChecks, JournalFindings
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Fact, Section, Span, fact, lay

_FEW = 3
"""Findings of one check that are shown one by one unless somebody folds them."""
_PLACE = 26
"""Cells of the place at most."""
_MUTED: tuple[list[Span], list[Span]] = ([], [("muted ", "claimed")])
_NAMES = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.HINT: "Hints"}


class Group(msgspec.Struct, frozen=True):
    """The findings of one severity, or of one check within it."""

    severity: Severity
    id: str
    """Of the check; "" for all of the severity."""
    findings: tuple[Finding, ...]

    @property
    def key(self) -> tuple[Severity, str]:
        """What it is known by, whatever is found later."""
        return self.severity, self.id


Item = Group | Finding


def groups_of(findings: Sequence[Finding]) -> Iterator[Group]:
    """Severities, the worst first; behind each its checks, in the order in which they first found something."""
    for severity in Severity:
        of_it = [each for each in findings if each.severity is severity]
        if not of_it:
            continue
        yield Group(severity, "", tuple(of_it))
        by_check: dict[str, list[Finding]] = {}
        for each in of_it:
            by_check.setdefault(each.id, []).append(each)
        for id_, several in by_check.items():
            yield Group(severity, id_, tuple(several))


class FindingRows(RowSource):
    """The rows of one journal's findings."""

    folds = True

    def __init__(self) -> None:
        self.wanted = ""
        """Words that all have to be in a finding for it to be shown."""
        self.shows_muted = False
        self.shown = 0
        """How many findings match, the folded ones included."""
        self._found: JournalFindings | None = None
        self._items: list[Item] = []
        self._numbers: dict[object, int] = {}
        self._at: dict[int, int] = {}
        self._turned: set[tuple[Severity, str]] = set()
        """Groups that somebody has folded, or unfolded, against what they are by themselves."""
        self._seen: tuple[object, ...] = ()
        self._generation = 0

    def take(self, found: JournalFindings | None) -> bool:
        """Look again; whether the rows are other ones now."""
        seen = (id(found), found.changes if found else 0, self.wanted, self.shows_muted, len(self._turned))
        if seen == self._seen:
            return False
        self._seen, self._found = seen, found
        self._items = list(self._made(found)) if found is not None else []
        self._at = {self.key(at): at for at in range(len(self._items))}
        self._generation += 1
        return True

    def _made(self, found: JournalFindings) -> Iterator[Item]:
        findings = [each for each in found.all if self.shows_muted or not found.is_muted(each)]
        words = self.wanted.casefold().split()
        if words:
            findings = [each for each in findings if all(word in _text(each) for word in words)]
        self.shown = len(findings)
        hidden = False
        for group in groups_of(findings):
            if not group.id:
                hidden = self._is_folded(group)
                yield group
            elif not hidden and len(group.findings) == 1:
                yield group.findings[0]
            elif not hidden:
                yield group
                if not self._is_folded(group):
                    yield from group.findings

    def _is_folded(self, group: Group) -> bool:
        by_itself = bool(group.id) and len(group.findings) > _FEW and not self.wanted
        return by_itself is not (group.key in self._turned)

    @property
    def count(self) -> int:
        return len(self._items)

    @property
    def generation(self) -> int:
        return self._generation

    def item(self, index: int) -> Item | None:
        """What a row is about."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def key(self, index: int) -> int:
        item = self._items[index]
        known: object = item.key if isinstance(item, Group) else item
        return self._numbers.setdefault(known, len(self._numbers))

    def index_of(self, key: int) -> int:
        return self._at.get(key, min(key, self.count - 1))

    def toggle_fold(self, index: int) -> None:
        item = self.item(index)
        if isinstance(item, Group):
            self._turned ^= {item.key}
            self._seen = ()
            self.take(self._found)

    def reveal(self, finding: Finding) -> int | None:
        """Unfold what hides a finding; where it is then, None if it is muted or filtered out."""
        for key in ((finding.severity, ""), (finding.severity, finding.id)):
            at = next((at for at, item in enumerate(self._items) if isinstance(item, Group) and item.key == key), None)
            if at is not None and self._is_folded(self._items[at]):  # type: ignore[arg-type]
                self.toggle_fold(at)
        return next((at for at, item in enumerate(self._items) if item == finding), None)

    def row(self, index: int, width: int) -> RowView:
        item = self._items[index]
        if isinstance(item, Finding):
            return RowView(self._one(item, width, alone=not self._stands_in_group(index)))
        return RowView(self._severity(item, width) if not item.id else self._check(item, width))

    def _stands_in_group(self, index: int) -> bool:
        item = self._items[index]
        above = next((each for each in reversed(self._items[:index]) if isinstance(each, Group)), None)
        return above is not None and isinstance(item, Finding) and above.id == item.id

    def _severity(self, group: Group, width: int) -> list[Span]:
        sign, role = SIGNS[group.severity]
        fold = spans.CLOSED if self._is_folded(group) else spans.OPENED
        left: list[Span] = [(f"{fold} ", "accent"), (f"{sign} {_NAMES[group.severity]}", role)]
        return lay([*left, (f"  {len(group.findings):,}", "muted")], width)

    def _check(self, group: Group, width: int) -> list[Span]:
        fold = spans.CLOSED if self._is_folded(group) else spans.OPENED
        whole = all(self._found is not None and self._found.is_muted(each) for each in group.findings)
        left = [*self._head(group.findings[0], f"  {fold} ", muted=whole), (title_of(group.id), "text")]
        return lay([*lay(left, max(0, width - 9)), (f"{spans.TIMES}{self._times(group):,}".rjust(9), "muted")], width)

    def _times(self, group: Group) -> int:
        """How often; of a check that found more than is kept, what it counted."""
        kept = len(group.findings)
        if self._found is None or kept != sum(each.id == group.id for each in self._found.all):
            return kept
        return max(kept, self._found.times(group.id))

    def _one(self, finding: Finding, width: int, *, alone: bool) -> list[Span]:
        muted = self._found is not None and self._found.is_muted(finding)
        left = self._head(finding, "    ", muted=muted) if alone else [("        ", "text"), *_MUTED[muted]]
        left.append((text.visible(finding.sentence, limit=300), "text" if alone else "muted"))
        place = text.fit(place_of(finding), min(_PLACE, width // 3))
        return lay([*lay(left, max(0, width - text.cell_width(place) - 1)), (f" {place}", "faint")], width)

    def _head(self, finding: Finding, indent: str, *, muted: bool) -> list[Span]:
        role = SIGNS[finding.severity][1]
        return [(indent, "accent"), (f"{finding.id:<5} ", role), *_MUTED[muted]]


def _text(finding: Finding) -> str:
    """What a filter looks through."""
    parts = (finding.id, finding.severity, title_of(finding.id), finding.sentence, place_of(finding))
    return " ".join(parts).casefold()


# What is said about findings as a whole: how many there are, how far the checks are, what a check is about.

assert everything.AREAS
Both = tuple[list[Span], list[Span]]
"""What stands at the left, and at the right."""


def counted(checks: AnyChecks | None, *, shows_muted: bool = False) -> Both:
    """How many there are of each severity, and how many are muted."""
    left: list[Span] = [("Findings", "title")]
    if checks is None:
        return left, []
    for severity in Severity:
        if number := checks.counts[severity]:
            sign, role = SIGNS[severity]
            left.append((f"  {sign} {number:,} {severity}{'' if number == 1 else 's'}", role))
    muted = len(checks.all) - sum(checks.counts.values())
    said = f"{muted:,} muted, {'shown' if shows_muted else 'hidden'}"
    right: list[Span] = [(said, "claimed")] if muted > 0 else []
    if checks.later:
        right.append(
            (
                f"{'  ' if right else ''}{checks.later:,} more after this moment",
                "warning",
            )
        )
    return left, right


def checked(checks: AnyChecks | None, entries: int, *, failed: bool = False) -> Both:
    """How far the checks are, and what they left out. `failed`: an error of this program has ended them."""
    if checks is None:
        return [("Checks have not started yet.", "muted")], []
    left: list[Span] = []
    if failed:
        said = f"internal error: checks stopped at {checks.checked:,} of {entries:,}"
        left.append((f"{spans.ERROR} {said}", "error"))
    elif checks.paused:
        left.append((f"paused: checked {checks.checked:,} of {entries:,}, p resumes", "warning"))
    elif checks.is_done:
        left.append((f"{spans.OK} all {entries:,} entries checked", "muted"))
    else:
        left.append((f"{spans.PENDING} checked {checks.checked:,} of {entries:,}", "pending"))
    right: list[Span] = []
    if checks.passed_over:
        right.append((f"{checks.passed_over:,} long messages skipped  ", "warning"))
    if checks.skimmed:
        right.append((f"{checks.skimmed:,} log messages of a flood skipped  ", "muted"))
    if checks.unasked:
        right.append((f"{checks.unasked:,} results not validated", "warning"))
    return left, right


def set_aside_line(checks: AnyChecks | None) -> list[Span]:
    """The check that failed by a mistake of ours, and how many others did; [] for none."""
    failed = checks.set_aside if checks is not None else ()
    if not failed:
        return []
    more = f"  +{len(failed) - 1} more" if len(failed) > 1 else ""
    return [(f"{spans.ERROR} {text.visible(failed[0].sentence, limit=400)}", "error"), (more, "muted")]


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
