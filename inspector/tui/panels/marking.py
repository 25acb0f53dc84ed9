"""What a person notes in the traffic: the actions of a panel that has a list of it, apart from that panel."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from inspector.errors import UsageError
from inspector.tui.panels import Part
from inspector.tui.panels.traffic_list import TrafficList
from inspector.viewmodels.columns import column
from inspector.viewmodels.text import visible

if TYPE_CHECKING:
    from inspector.capture.notes import View

_MARKED = "mark"
"""The filter that lets only marked lines through."""


class Marking(Part):
    """Marks, comments, views."""

    list: TrafficList

    def action_mark(self) -> None:
        """Mark the chosen line, or take its mark away."""
        n = self.list.chosen
        if not n:
            return
        from inspector.tui.noting import noted_of

        noted = noted_of(self.list.filters.subject)
        self._note(lambda: noted.unmark(n) if n in noted.notes.marks else noted.mark(n))

    def action_comment(self) -> None:
        """Mark the chosen line with a colour and a comment."""
        n = self.list.chosen
        if not n:
            return
        from inspector.tui.noting import noted_of
        from inspector.tui.screens.comment import CommentScreen

        noted = noted_of(self.list.filters.subject)
        before = noted.mark_at(n)

        def written(found: tuple[str, str] | None) -> None:
            if found is not None:
                self._note(lambda: noted.mark(n, color=found[0], text=found[1]))

        self.app.push_screen(CommentScreen(n, before.color, before.text), written)

    def action_only_marked(self) -> None:
        """Show only what is marked, or what was shown before."""
        from inspector.capture.filters.terms import Has, Ref
        from inspector.viewmodels.filter_by import combined

        pane = self.list.filters
        before = pane.text.strip()
        if before == _MARKED or before.endswith(f" and {_MARKED}"):
            pane.set(before.removesuffix(_MARKED).removesuffix(" and "))
        else:
            pane.set(combined(before, Has(Ref(_MARKED)), "and"))

    def present_view(self) -> "View":
        """How the traffic is looked at now; it has no name yet."""
        from inspector.capture.notes import View

        chosen = self.list.look.now.chosen
        return View("", self.list.filters.text, chosen, self.list.model.tree)

    def look_as(self, view: "View") -> None:
        """Look at the traffic as a view does; columns that there are not are left out."""
        if self.list.model.tree != view.tree:
            self.list.toggle_tree()
        self.list.filters.set(view.filter)
        self.list.look.choose(tuple(name for name in view.columns if column(name) is not None))

    def show_notes(self) -> None:
        """Marks have changed: draw the rows anew, and filter by marks anew."""
        self.list.look.show(self.list.look.now)
        if _MARKED in self.list.filters.text or "comment" in self.list.filters.text:
            self.list.filter(self.list.term)

    def _note(self, change: Callable[[], object]) -> None:
        try:
            change()
        except UsageError as error:
            said = visible(f"{error}. {error.hint}", limit=300)
            self.notify(said, severity="error", markup=False)
        self.show_notes()
