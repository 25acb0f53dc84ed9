"""One line of tabs, one of which is open. A click or its owner opens another."""

from collections.abc import Sequence

from textual.message import Message

from inspector.tui.widgets.item_bar import Item, ItemBar, Line
from inspector.viewmodels.roles import Span


class TabLine(ItemBar):
    """Names from left to right, and something said at the right edge."""

    DEFAULT_CSS = """
    TabLine { height: 1; background: $surface; }
    """

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, control: "TabLine", name: str) -> None:
            super().__init__()
            self._control = control
            self.name = name

        @property
        def control(self) -> "TabLine":
            """The line it comes from."""
            return self._control

    def show_tabs(self, names: Sequence[str], chosen: str, right: Sequence[Span] = ()) -> None:
        """Show these tabs, one of them open."""
        tabs = tuple(
            Item(((f" {name} ", "title" if name == chosen else "muted"),), name=name, chosen=name == chosen)
            for name in names
        )
        self.show([Line(left=tabs, right=(Item(tuple(right), rank=1),) if right else (), gap=0, inset=0)])

    def pressed(self, name: str) -> None:
        """Tell which tab was clicked."""
        self.post_message(self.Chosen(self, name))
