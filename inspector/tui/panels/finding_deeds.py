"""What is done about findings: they are copied, muted and heard of again, and the checks made to pause."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from inspector.checks.findings import Finding
from inspector.config.mutes import KeptMutes, Mute
from inspector.tui.panels import Panel
from inspector.tui.subject import Subject
from inspector.tui.widgets.log_list import LogList
from inspector.viewmodels.finding_facts import findings_text
from inspector.viewmodels.finding_rows import FindingRows, Group
from inspector.viewmodels.found import mute_of

if TYPE_CHECKING:
    from inspector.tui.export_ways import Scope

_MOST_COPIED = 100
_MOST_EVIDENCE = 100
"""Entries of one finding that are exported."""


class FindingDeeds(Panel):
    """A mixin of the screen of findings."""

    _subject: Subject
    _rows: FindingRows
    _list: LogList

    def _look(self) -> None:
        raise NotImplementedError

    def copy(self) -> None:
        """Copy the chosen finding, or those under the chosen heading."""
        chosen = self._findings()[:_MOST_COPIED]
        if chosen:
            self.app.copy_to_clipboard(findings_text(chosen))
            many = f"{len(chosen)} findings are" if len(chosen) > 1 else "The finding is"
            self.notify(f"{many} copied.", markup=False, timeout=3)

    def action_muted(self) -> None:
        """Show what is muted, or hide it."""
        self._rows.shows_muted = not self._rows.shows_muted
        self._look()

    def action_pause(self) -> None:
        """Let the checks stand still, or go on."""
        checks = self._subject.checks
        checks.pause(not checks.paused)
        self._look()

    def action_mute(self) -> None:
        """Mute what is chosen, or hear of it again."""
        item, checks = self._rows.item(self._list.view.cursor), self._subject.checks
        if item is None or (isinstance(item, Group) and not item.id):
            self.notify("Choose a finding, or the heading of a check.", markup=False, timeout=3)
            return
        mutes = {Mute(item.id)} if isinstance(item, Group) else {mute_of(item), Mute(item.id)} & checks.muted
        if not mutes and isinstance(item, Finding):
            mutes = {mute_of(item)}
        now = checks.muted - mutes if mutes <= checks.muted else checks.muted | mutes
        checks.mute(now)
        kept = self._kept().keep(now)
        said = "Muted in this capture. M shows what is muted." if mutes <= now else "No longer muted."
        self.notify(said if kept else f"{said} It could not be kept.", markup=False, timeout=3)
        self._look()

    @property
    def export_scopes(self) -> "Sequence[Scope]":
        """What the chosen findings rest on, with the operations that it belongs to."""
        from inspector.tui.export_ways import Scope
        from inspector.viewmodels.story import entries_of_all

        ns = dict.fromkeys(n for each in self._findings() for n in each.frames[:_MOST_EVIDENCE])
        find = partial(entries_of_all, self._subject.journal, tuple(ns))
        return (Scope("the finding's evidence", find=find),) if ns else ()

    def _kept(self) -> KeptMutes:
        from inspector.config.paths import places

        return KeptMutes(places().state, self._subject.journal.head.id)

    def _findings(self) -> Sequence[Finding]:
        item = self._rows.item(self._list.view.cursor)
        return () if item is None else item.findings if isinstance(item, Group) else (item,)
