"""What checks have found in the message that the detail shows: a line at its top, a tab of its own, and its evidence.

The line and the tab are there only where there is something to say.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.widget import Widget

from inspector.tui import keys
from inspector.tui.panels.payload_view import BYTES, TREE, PayloadView
from inspector.tui.subject import Subject
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.detail import Detail, Side
from inspector.viewmodels.lines import Section

if TYPE_CHECKING:
    from inspector.checks.findings import Finding

FINDINGS = "Findings"


class DetailFindings(Widget):
    """A mixin of the detail."""

    _subject: Subject
    _detail: Detail | None
    _tab: str
    _turned: int | None
    is_laid_out: bool
    _seen_findings = -1

    def _draw(self) -> None:
        raise NotImplementedError

    def _sides_in_sight(self) -> Sequence[Side]:
        raise NotImplementedError

    @property
    def findings(self) -> "list[Finding]":
        """Those of the message, and of the one that it answers or that answers it; worst first."""
        checks, detail = self._subject.checks_so_far, self._detail
        if checks is None or detail is None:
            return []
        entries = {detail.n, *(side.n for side in detail.sides)}
        found = [each for n in sorted(entries) for each in checks.of(n)]
        return sorted(found, key=lambda each: each.severity.rank)

    def look_for_findings(self) -> None:
        """Draw anew if checks have found something since."""
        checks = self._subject.checks_so_far
        changes = checks.changes if checks is not None else 0
        if changes != self._seen_findings:
            self._seen_findings = changes
            self._draw()

    def draw_finding_line(self, found: "list[Finding]") -> None:
        """Say the worst above the tabs, and how many there are."""
        line = self.query_one("#found", StatusLine)
        line.set_class(not found, "hidden")
        if not found:
            return
        from inspector.viewmodels.finding_facts import finding_line

        all_of_them = keys.key_name(keys.action("screen.findings").keys[0])
        line.show(list(finding_line(found[0], len(found) - 1)), [(f"{all_of_them} all", "faint")])

    def finding_sections(self) -> tuple[Section, ...]:
        """What the tab shows."""
        from inspector.viewmodels.finding_facts import finding_section

        return tuple(map(finding_section, self.findings))

    def point_at(self, n: int, pointer: str = "", span: tuple[int, int] | None = None, *, focus: bool = True) -> None:
        """Show where in entry n something is: the value in the tree, or the bytes. Nothing if it is not shown here."""
        if not self.is_laid_out:
            self.call_after_refresh(self.point_at, n, pointer, span, focus=focus)
            return
        detail = self._detail
        place = next((at for at, side in enumerate(detail.sides) if side.n == n), None) if detail else None
        if place is None:
            return
        self._tab = BYTES if span is not None and not pointer else TREE
        self._turned = place
        self._draw()
        for at, side in enumerate(self._sides_in_sight()):
            if side.n == n:
                view = self.query_one(("#first", "#second")[at], PayloadView)
                view.point_at(pointer, span)
                if focus:
                    view.focus_content()
