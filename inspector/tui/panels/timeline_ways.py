"""What a person can do to the timeline beside looking: find in it, see partners; what it can't do, it says."""

from functools import partial
from typing import TYPE_CHECKING

from textual.widget import Widget

from inspector.tui.panels.filter_pane import FilterPane
from inspector.viewmodels.merging import entry_of, number_of
from inspector.viewmodels.waterfall import LaneWire

if TYPE_CHECKING:
    from inspector.tui.widgets.log_list import LogList
    from inspector.viewmodels.timeline import Timeline
    from inspector.viewmodels.timeline_find import TimelineFind


class TimelineWays(Widget):
    """The actions of a panel that has a timeline, its rows and a line above them."""

    chosen: tuple[int, int]
    """The number of the tab and the entry that the cursor is on."""
    line: FilterPane
    """The lines above the rows."""
    _find: "TimelineFind | None" = None

    @property
    def rows(self) -> "LogList":
        """The rows."""
        raise NotImplementedError

    @property
    def timeline(self) -> "Timeline":
        """What they show."""
        raise NotImplementedError

    def find_anew(self) -> None:
        """There is another timeline: look in that one."""
        if self._find is not None and self._find.text:
            self._seek(self._find.text)

    def find_step(self) -> int | None:
        """Look on; how much was found so far, None if nothing is looked for."""
        if self._find is None or not self._find.text:
            return None
        self._find.step()
        return self._find.matches

    def action_find(self) -> None:
        """Open the line to find with."""
        self.line.open_finder()

    def action_found(self, by: int) -> None:
        """To the next row that was found, or the one before; where nothing is looked for, to the next that matches."""
        if self.timeline.term is not None and (self._find is None or not self._find.text):
            self.rows.go_to(self.rows.view.cursor + by)
            return
        if self._find is None or not self._find.text:
            self.notify("Nothing is looked for: * finds a text.", markup=False, timeout=3)
            return
        self._find.step()
        index = self._find.next(self.rows.view.cursor, back=by < 0)
        if index is not None:
            self.rows.go_to(index)

    def action_partners(self) -> None:
        """Show the partners of what matches, or no more."""
        shown = self.timeline.show_partners()
        self.notify(f"Matches {'with' if shown else 'without'} their partners.", markup=False, timeout=3)

    def action_waterfall(self) -> None:
        """Show the exchanges of all servers that the filter lets through on one axis of time."""
        from inspector.tui.screens.waterfall import AllWaterfallsScreen

        wires = [
            LaneWire(
                wire.journal,
                wire.clock,
                wire.number,
                wire.name,
                wire.role,
                wire.axis_offset,
                partial(getattr, wire.model, "exchanges_shown"),
            )
            for wire in self.timeline.wires
        ]
        self.app.push_screen(AllWaterfallsScreen(wires, self.chosen), self._go_to)

    def _go_to(self, code: int | None) -> None:
        index = None if code is None else self.timeline.find(number_of(code), entry_of(code))
        if index is not None:
            self.rows.go_to(index)
        elif code is not None:
            self.notify("The filter hides that line.", markup=False, timeout=3)

    def action_tree(self) -> None:
        """Say where the tree is."""
        said = "All servers stand in one order of time here. o goes to the line in its own tab, where T shows the tree."
        self.notify(said, markup=False, timeout=5)

    def on_filter_pane_sought(self, message: FilterPane.Sought) -> None:
        """Look for another text."""
        self._seek(message.text)

    def on_filter_pane_left(self, message: FilterPane.Left) -> None:
        """Back to the rows, or to the first that was found."""
        self.rows.focus()
        if message.found:
            self.action_found(1)

    def _seek(self, text: str) -> None:
        from inspector.viewmodels.timeline_find import TimelineFind  # few look for anything

        if self._find is not None:
            self._find.set("")
        self._find = TimelineFind(self.timeline, text)
