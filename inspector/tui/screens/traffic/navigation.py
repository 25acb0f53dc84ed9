"""Actions on the list of traffic: jumps from line to line, columns, times, waterfall, filter and search."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from inspector.filters.language.fields import Has
from inspector.present.traffic.columns import FIELD
from inspector.text import visible
from inspector.tui.screens.traffic.list import TrafficList

if TYPE_CHECKING:
    from inspector.tui.screens.traffic.detail import DetailPanel


PointOut = Callable[[int, int, str, tuple[int, int] | None], None]
"""Has the detail show what is meant in an entry, which a row tells of: row, entry, JSON pointer, bytes."""


class TrafficNavigation:
    """Jumps, columns, times."""

    def __init__(self, traffic: TrafficList, detail: "Callable[[], DetailPanel]", point_out: PointOut) -> None:
        """`detail` gives what shows the chosen message."""
        self.list = traffic
        self._detail = detail
        self._point_out = point_out

    def action_exchange(self, by: int) -> None:
        """To the next request, or the one before."""
        index = self.list.model.jumps.exchange(self.list.rows.view.cursor, back=by < 0)
        if index is not None:
            self.list.rows.go_to(index)

    def action_pair(self) -> None:
        """From a request to its answer and back; in the tree, where both are one row, the detail turns over."""
        if self.list.model.tree:
            self._detail().turn_over()
            return
        partner = self.list.model.jumps.partner(self.list.rows.view.cursor)
        if partner is not None:
            self.list.go_to_entry(partner)

    def action_origin(self) -> None:
        """Go to what caused the chosen line."""
        n = self.list.model.jumps.origin(self.list.rows.view.cursor)
        if n is None:
            self._say("Nothing is known to have caused this.")
        elif not self.list.go_to_entry(n):
            self._say(f"#{n} is not among the lines that are shown.")

    def action_error(self, by: int) -> None:
        """Go to the next error, or the one before."""
        self._go(self.list.model.jumps.error(self.list.rows.view.cursor, back=by < 0), "error", by)

    def action_finding(self, by: int) -> None:
        """Go to the next line with a finding, or the one before, and to what is wrong in it."""
        model, rows = self.list.model, self.list.rows
        index = model.marks.next(model.jumps.entry_at(rows.view.cursor), back=by < 0)
        self._go(index, "finding", by)
        if index is None:
            return
        found = model.marks.of_row(model.jumps.entry_at(index))
        if found and found[0].frames:
            self._point_out(index, found[0].frames[0], found[0].pointer, found[0].span)

    def action_within(self, by: int) -> None:
        """Go on within the exchange, or back."""
        self._go(self.list.model.jumps.within(self.list.rows.view.cursor, back=by < 0), "line of this exchange", by)

    def _go(self, index: int | None, what: str, by: int) -> None:
        if index is None:
            self._say(f"There is no {what} {'below' if by > 0 else 'above'}.")
        else:
            self.list.rows.go_to(index)

    def action_go_to(self) -> None:
        """Ask for a number or a time, and go there."""
        from inspector.tui.screens.traffic.dialogs import GoToScreen

        self.list.app.push_screen(GoToScreen(self.list.model.jumps.entry), self._went)

    def _went(self, n: int | None) -> None:
        model = self.list.model
        if n and not self.list.go_to_entry(n) and model.count:
            self.list.rows.go_to(model.jumps.nearest(n))

    def action_times(self) -> None:
        """Tell times another way."""
        self.list.look.set(self.list.look.now.next_mode())

    def action_reference(self) -> None:
        """Count times from the chosen line; from the same line again, no more."""
        self.list.look.toggle_reference()

    def action_trace(self) -> None:
        """Tell the story of the chosen line's operation; come back with one of its entries."""
        from inspector.present.trace import story_of
        from inspector.tui.screens.traffic.trace import StoryScreen

        subject, n = self.list.filters.subject, self.list.chosen
        story = story_of(subject.journal, n)
        if story is None:
            self._say("This line belongs to no request, so there is no story to it.")
        else:
            self.list.app.push_screen(StoryScreen(subject, story, n), self._went)

    def action_columns(self) -> None:
        """Choose the columns."""
        from inspector.tui.screens.traffic.dialogs import ColumnsScreen

        self.list.app.push_screen(ColumnsScreen(self.list.look.names, self.list.look.choose))

    def action_as_column(self) -> None:
        """Show the chosen value of the payload in a column of its own, or no more."""
        from inspector.filters.language.completion import describe
        from inspector.tui.screens.traffic.filter_model import ref_of_path

        detail = self._detail()
        chosen = detail.chosen_value() if detail.has_focus_within else None
        ref = ref_of_path(chosen[0]) if chosen is not None else None
        if ref is None:
            self.action_columns()
            return
        name = FIELD + describe(Has(ref))
        now = self.list.look.names
        if name in now:
            self.list.look.choose(tuple(each for each in now if each != name))
            self._say(f"{name[1:]} is no column any more.")
            return
        at = now.index("what") + 1 if "what" in now else len(now)
        self.list.look.choose((*now[:at], name, *now[at:]))
        self._say(f"{name[1:]} is a column now. C changes the columns.")

    def action_waterfall(self) -> None:
        """Show the exchanges that the filter lets through on an axis of time; come back with one of them."""
        from inspector.tui.screens.traffic.waterfall import WaterfallScreen

        subject, chosen, listed = self.list.filters.subject, self.list.chosen, self.list
        self.list.app.push_screen(WaterfallScreen(subject, chosen, lambda: listed.model.exchanges_shown), self._went)

    def _say(self, said: str) -> None:
        self.list.notify(visible(said, limit=300), markup=False, timeout=3)


class TrafficFiltering:
    """Filters and finds in the list."""

    def __init__(self, traffic: TrafficList, detail: "Callable[[], DetailPanel]") -> None:
        self.list = traffic
        self._detail = detail

    def action_filter(self) -> None:
        """Open the filter line."""
        self.list.filters.open()

    def action_clear_filter(self) -> None:
        """Show all lines again."""
        self.list.clear_filter()

    def action_find(self) -> None:
        """Open the line to find with."""
        self.list.filters.open_finder()

    def action_pairs(self) -> None:
        """Show the partners of what matches, or no more."""
        shown = self.list.show_partners()
        where = " In the tree they are one row anyway." if self.list.model.tree else ""
        self.list.notify(f"Matches {'with' if shown else 'without'} their partners.{where}", markup=False, timeout=3)

    def action_by_value(self, how: str) -> None:
        """Filter by what is chosen: the value in the payload, or else the row."""
        from inspector.tui.screens.traffic.filter_model import combined, path_test, row_test

        detail = self._detail()
        chosen = detail.chosen_value() if detail.has_focus_within else None
        if chosen is not None:
            test = path_test(*chosen)
        else:
            test = row_test(self.list.filters.subject.journal, self.list.chosen) if self.list.chosen else None
        if test is None:
            self.list.notify("There is nothing here to filter by.", markup=False, timeout=3)
            return
        pane = self.list.filters
        pane.set(combined(pane.text, test, how))
