"""What of the traffic is in sight or chosen, for whoever exports it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.tui.panels import Part
from inspector.tui.panels.traffic_list import TrafficList

if TYPE_CHECKING:
    from inspector.tui.export_ways import Scope


class Exportable(Part):
    """A mixin of the traffic's panel."""

    list: TrafficList

    @property
    def export_scopes(self) -> "Sequence[Scope]":
        """What the filter shows, and the operation that the chosen line belongs to; of a line without one the line."""
        from inspector.tui.export_ways import Scope
        from inspector.viewmodels.story import entries_of

        found, model = [], self.list.model
        at = self.list.rows.view.cursor  # what it says itself of its choice comes a moment later
        n = model.entry_of(at) if 0 <= at < model.count else 0
        if model.has_filter:
            more = " so far" if model.is_filtering else ""
            found.append(Scope(f"what the filter shows{more}", model.matching))
        if n:
            own = entries_of(self.list.journal, n)
            found.append(Scope("this operation", own) if own else Scope(f"entry {n}", (n,)))
        return found
