"""What a person can do to the traffic by filtering and finding: the actions, apart from the panel that has them."""

from typing import TYPE_CHECKING

from inspector.tui.panels import Part
from inspector.tui.panels.traffic_list import TrafficList

if TYPE_CHECKING:
    from inspector.tui.panels.detail import DetailPanel


class Filtering(Part):
    """The actions of a panel that has a list of traffic and a detail."""

    list: TrafficList

    @property
    def detail(self) -> "DetailPanel":
        """What shows the chosen message."""
        raise NotImplementedError

    def action_filter(self) -> None:
        """Open the filter line."""
        self.list.filters.open()

    def action_clear_filter(self) -> None:
        """Show all lines again."""
        self.list.clear_filter()

    def action_find(self) -> None:
        """Open the line to find with."""
        self.list.filters.open_finder()

    def action_partners(self) -> None:
        """Show the partners of what matches, or no more."""
        shown = self.list.show_partners()
        where = " In the tree they are one row anyway." if self.list.model.tree else ""
        self.notify(f"Matches {'with' if shown else 'without'} their partners.{where}", markup=False, timeout=3)

    def action_by_value(self, how: str) -> None:
        """Filter by what is chosen: the value in the payload, or else the row."""
        from inspector.viewmodels.filter_by import combined, path_test, row_test

        chosen = self.detail.chosen_value() if self.detail.has_focus_within else None
        if chosen is not None:
            test = path_test(*chosen)
        else:
            test = row_test(self.list.filters.subject.journal, self.list.chosen) if self.list.chosen else None
        if test is None:
            self.notify("There is nothing here to filter by.", markup=False, timeout=3)
            return
        pane = self.list.filters
        pane.set(combined(pane.text, test, how))
