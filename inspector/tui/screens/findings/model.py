"""Findings as rows: worst first, grouped by check, with a count; a folded group is one row.

Findings of one fault in several messages are one finding with a count. A check with one finding is one row.

Rows are rebuilt after a new finding, mute, fold or filter. They keep their keys, so that the cursor stays on its row.
"""

from collections.abc import Iterator, Sequence

import msgspec

from inspector import text
from inspector.checks import catalog
from inspector.checks.findings import Finding, Severity
from inspector.checks.verdict import merged, same_fault
from inspector.present import spans
from inspector.present.findings import SIGNS, finding_section, place_of, title_of
from inspector.present.live_checks import AnyChecks, JournalFindings
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Fact, Section, Span, lay

_FEW = 3
"""Groups with at most this number of findings are unfolded by default."""
_PLACE = 26
"""Maximum cells of the place."""
_MUTED: tuple[list[Span], list[Span]] = ([], [("muted ", "claimed")])
_AFFECTED, _NAMED = 3, 8
"""Places of a group that its detail names."""


class Group(msgspec.Struct, frozen=True):
    """The findings of one check with one severity."""

    severity: Severity
    id: str
    findings: tuple[Finding, ...]

    @property
    def key(self) -> tuple[Severity, str]:
        """Key that stays the same when the group grows."""
        return self.severity, self.id


Item = Group | Finding


Both = tuple[list[Span], list[Span]]
"""Left and right aligned spans."""


def groups_of(findings: Sequence[Finding]) -> Iterator[Group]:
    """Yield the findings by severity, worst first, then by check, in the order of their first findings."""
    groups: dict[tuple[Severity, str], list[Finding]] = {}
    for each in sorted(findings, key=lambda each: each.severity.rank):
        groups.setdefault((each.severity, each.id), []).append(each)
    for (severity, id_), several in groups.items():
        yield Group(severity, id_, tuple(several))


class FindingRows(RowSource):
    """Rows of one journal's findings."""

    folds = True

    def __init__(self) -> None:
        self.wanted = ""
        """Filter: words that a visible finding must contain."""
        self.shows_muted = False
        self.shown = 0
        """Number of matching faults, including folded ones."""
        self._found: JournalFindings | None = None
        self._items: list[Item] = []
        self._numbers: dict[object, int] = {}
        self._at: dict[int, int] = {}
        self._turned: set[tuple[Severity, str]] = set()
        """Groups that the user has folded or unfolded against the default."""
        self._seen: tuple[object, ...] = ()

    def take(self, found: JournalFindings | None) -> bool:
        """Update the rows; return whether they have changed."""
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
        faults = merged(findings)
        self.shown = len(faults)
        for group in groups_of(faults):
            if len(group.findings) == 1:
                yield group.findings[0]
                continue
            yield group
            if not self._is_folded(group):
                yield from group.findings

    def _is_folded(self, group: Group) -> bool:
        return (len(group.findings) > _FEW and not self.wanted) is not (group.key in self._turned)

    @property
    def count(self) -> int:
        return len(self._items)

    def item(self, index: int) -> Item | None:
        """Return the group or finding in a row; None if there is none."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def key(self, index: int) -> int:
        item = self._items[index]
        known: object = item.key if isinstance(item, Group) else same_fault(item)
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
        """Unfold the group of a finding and return its row; None if it is muted or filtered out."""
        key = finding.severity, finding.id
        for at, item in enumerate(self._items):
            if isinstance(item, Group) and item.key == key and self._is_folded(item):
                self.toggle_fold(at)
                break
        fault = same_fault(finding)
        rows = enumerate(self._items)
        return next((at for at, item in rows if isinstance(item, Finding) and same_fault(item) == fault), None)

    def occurrences(self, finding: Finding) -> list[Finding]:
        """Return the findings of the same fault, which are merged in one row."""
        fault, found = same_fault(finding), self._found.all if self._found is not None else ()
        return [each for each in found if each.id == finding.id and same_fault(each) == fault]

    def row(self, index: int, width: int) -> RowView:
        item = self._items[index]
        if isinstance(item, Finding):
            return RowView(self._one(item, width, alone=not self._is_in_group(index)))
        return RowView(self._group(item, width))

    def _is_in_group(self, index: int) -> bool:
        item = self._items[index]
        above = next((each for each in reversed(self._items[:index]) if isinstance(each, Group)), None)
        return above is not None and isinstance(item, Finding) and above.id == item.id

    def _group(self, group: Group, width: int) -> list[Span]:
        fold = spans.CLOSED if self._is_folded(group) else spans.OPENED
        muted = all(self._found is not None and self._found.is_muted(each) for each in group.findings)
        left = [*self._head(group.severity, f"{fold} ", muted=muted), (title_of(group.id), "text")]
        right: list[Span] = [
            (f"  {group.id}", "faint"),
            (f"{spans.TIMES}{self._faults(group.findings):,}".rjust(7), "muted"),
        ]
        return _both_ends(left, right, width, 0.6)

    def _times(self, *findings: Finding) -> int:
        """Return the number of findings of one check; if it found more than is kept, its own count."""
        id_, kept = findings[0].id, sum(each.count for each in findings)
        if self._found is None or kept != sum(each.count for each in self._found.all if each.id == id_):
            return kept
        return max(kept, self._found.times(id_))

    def _faults(self, findings: Sequence[Finding]) -> int:
        """Return the number of faults, with those that are not kept."""
        return len(findings) + self._times(*findings) - sum(each.count for each in findings)

    def _one(self, finding: Finding, width: int, *, alone: bool) -> list[Span]:
        muted = self._found is not None and self._found.is_muted(finding)
        left = self._head(finding.severity, "  ", muted=muted) if alone else [("      ", "text"), *_MUTED[muted]]
        left.append((text.visible(finding.sentence, limit=300), "text" if alone else "muted"))
        place = text.fit(place_of(finding), min(_PLACE, width // 3))
        count = self._times(finding) if finding.count > 1 else 1
        times = f"  {count:,} times" if count > 1 else ""
        right: list[Span] = [
            (f"  {finding.id}" if alone else "", "faint"),
            (f"  {place}" if place else "", "muted"),
            (times, "muted"),
        ]
        return _both_ends(left, right, width, 0.4)

    def _head(self, severity: Severity, indent: str, *, muted: bool) -> list[Span]:
        sign, role = SIGNS[severity]
        return [(indent, "accent"), (f"{sign} ", role), *_MUTED[muted]]


def _both_ends(left: Sequence[Span], right: Sequence[Span], width: int, share: float) -> list[Span]:
    """Return left and right aligned spans; the first right one is dropped if they exceed a share of the width."""
    if spans.spans_width(right) > share * width:
        right = right[1:]
    return lay([*lay(left, max(0, width - spans.spans_width(right))), *right], width)


def _text(finding: Finding) -> str:
    """Return the text that a filter searches."""
    parts = (finding.id, finding.severity, title_of(finding.id), finding.sentence, place_of(finding))
    return " ".join(parts).casefold()


# The title row, the progress of the checks, and the detail of a group

assert catalog.AREAS


def counted(checks: AnyChecks | None, *, shows_muted: bool = False) -> Both:
    """Return the number of findings per severity, and of muted ones."""
    left: list[Span] = [("Findings", "title")]
    if checks is None:
        return left, []
    for severity in Severity:
        if number := checks.counts[severity]:
            sign, role = SIGNS[severity]
            left.append((f"  {sign} {text.counted(number, severity)}", role))
    muted = len(checks.hidden)
    message = f"{muted:,} muted, {'shown' if shows_muted else 'hidden'}"
    right: list[Span] = [(message, "claimed")] if muted > 0 else []
    if checks.later:
        right.append((f"{'  ' if right else ''}{checks.later:,} more after this moment", "warning"))
    return left, right


def checked(checks: AnyChecks | None, entries: int, *, failed: bool = False) -> Both:
    """Return the progress of the checks, and what they left out. `failed`: an internal error ended them."""
    if checks is None:
        return [("Checks have not started.", "muted")], []
    left: list[Span] = []
    if failed:
        message = f"An internal error ended the checks at {checks.checked:,} of {entries:,}"
        left.append((f"{spans.ERROR} {message}", "error"))
    elif checks.paused:
        left.append((f"Paused: checked {checks.checked:,} of {entries:,}", "warning"))
    elif checks.is_done:
        passed, unobserved = checks.coverage
        left.append((f"{spans.OK} {passed:,} checks passed · {unobserved:,} not observed", "muted"))
    else:
        left.append((f"{spans.PENDING} checked {checks.checked:,} of {entries:,}", "pending"))
    right: list[Span] = []
    if checks.passed_over:
        right.append((f"{checks.passed_over:,} long messages skipped  ", "warning"))
    if checks.skimmed:
        right.append((f"{checks.skimmed:,} log messages skipped  ", "muted"))
    if checks.unvalidated:
        right.append((f"{checks.unvalidated:,} results not validated", "warning"))
    if checks.is_done and not right:
        right.append((f"{entries:,} entries checked", "faint"))
    return left, right


def disabled_line(checks: AnyChecks | None) -> list[Span]:
    """Return the first check with an internal error, and the number of others; [] if there are none."""
    failed = checks.disabled_checks if checks is not None else ()
    if not failed:
        return []
    more = f"  +{len(failed) - 1} more" if len(failed) > 1 else ""
    return [(f"{spans.ERROR} {text.visible(failed[0].sentence, limit=400)}", "error"), (more, "muted")]


def about(item: Group | Finding, affected: Sequence[str] = ()) -> Section:
    """Return the detail of a row. `affected` are the names of the tools and other listed items that it is about."""
    section = about_group(item) if isinstance(item, Group) else finding_section(item)
    if not affected:
        return section
    more = f" and {len(affected) - _NAMED:,} more" if len(affected) > _NAMED else ""
    names = Fact("Affects", ", ".join(text.visible(name, limit=80) for name in affected[:_NAMED]) + more, "strong")
    facts = [each for each in section.facts if each.key != "Affects"]
    at = next((at for at, each in enumerate(facts) if each.key in ("Impact", "Fix", "Spec")), len(facts))
    return Section(section.title, (*facts[:at], names, *facts[at:]))


def about_group(group: Group) -> Section:
    """Return the detail of a group: that of its first finding, with the places of all."""
    first, count = group.findings[0], len(group.findings)
    section = finding_section(first)
    places = list(dict.fromkeys(filter(None, map(place_of, group.findings))))
    more = f" and {len(places) - _AFFECTED:,} more" if len(places) > _AFFECTED else ""
    affects = Fact("Affects", f"{count:,} places: {', '.join(places[:_AFFECTED])}{more}", "muted")
    facts = [affects if each.key == "Evidence" else each for each in section.facts]
    return Section(section.title, tuple(facts))
