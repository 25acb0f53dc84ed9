"""What checks have found about the thing that is shown: told above its form, and where screen E begins."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from textual.widget import Widget

from inspector.protocol.things import Thing
from inspector.tui.panels import Panel
from inspector.tui.subject import Subject
from inspector.tui.widgets.log_list import LogList

if TYPE_CHECKING:
    from inspector.checks.findings import Finding
    from inspector.tui.panels.thing_form import ThingHead
    from inspector.tui.panels.thing_list import ThingRows


class FindingList(Protocol):
    """A list whose things checks have looked at."""

    def findings(self, thing: Thing | None) -> "Sequence[Finding]":
        """What checks have found about a thing, worst first."""

    def own_findings(self, thing: Thing | None) -> "Sequence[Finding]":
        """The same without what most things of the list have in common."""


class FindingForm(Protocol):
    """Where it is told what was found about a thing."""

    thing: Thing | None
    """What is shown."""

    def say_findings(self, findings: "Sequence[Finding]") -> None:
        """Say what was found about it; nearly free if it was said already."""


class StepFindings(Panel):
    """The part of a panel with a list and a form."""

    subject: Subject
    side: FindingList
    form: FindingForm
    _seen_findings: tuple[object, ...] = ()

    def sync_findings(self) -> None:
        """Say of the thing that is shown what was found about it. Nearly free while both are the same."""
        checks, thing = self.subject.checks_so_far, self.form.thing
        seen = (checks, checks.changes if checks is not None else 0, thing)
        if seen != self._seen_findings:
            self._seen_findings = seen
            self.form.say_findings(self.side.own_findings(thing))

    @property
    def meant_findings(self) -> "Sequence[Finding]":
        """What was found about the thing that is shown, worst first: where the screen of findings begins."""
        return self.side.findings(self.form.thing)


class JudgedForm(Widget):
    """The part of a form with a head that tells what was found."""

    _head: "ThingHead"

    def say_findings(self, findings: "Sequence[Finding]") -> None:
        """Say what checks have found about the thing."""
        self._head.say_findings(findings)


class JudgedList(Widget):
    """The part of a list whose rows have badges."""

    _subject: Subject
    _rows: "ThingRows"
    _list: LogList
    _judged = 0

    def sync_badges(self) -> None:
        """Draw the rows anew once checks have found something. Nearly free until then."""
        checks = self._subject.checks_so_far
        changes = checks.changes if checks is not None else 0
        if changes != self._judged:
            self._judged = changes
            self._rows.judged()
            self._list.sync()

    def findings(self, thing: Thing | None) -> "Sequence[Finding]":
        """What checks have found about a thing, worst first."""
        if thing is None or self._subject.checks_so_far is None:
            return ()
        from inspector.viewmodels.thing_findings import findings_about

        return findings_about(self._subject.checks_so_far, thing)

    def own_findings(self, thing: Thing | None) -> "Sequence[Finding]":
        """The same without what most things of the list have in common."""
        if thing is None or self._subject.checks_so_far is None:
            return ()
        from inspector.viewmodels.thing_findings import own_findings

        return own_findings(self._subject.checks_so_far, thing)
