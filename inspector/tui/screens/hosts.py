"""The matrix of tools and hosts, over the whole screen, with what stands behind each mark. Escape goes back.

It is made on a thread: a surface may be large.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content

from inspector.tui import keys
from inspector.tui.screens.changes import Wrapped
from inspector.tui.screens.dialog import Dialog
from inspector.tui.subject import Subject
from inspector.tui.widgets.lines_view import Lines, LinesView
from inspector.viewmodels.hosts import matrix_lines, surface_matrix, surface_of
from inspector.viewmodels.lines import Line, plain
from inspector.viewmodels.roles import Span
from inspector.viewmodels.text import for_clipboard, visible

if TYPE_CHECKING:
    from inspector.checks.hosts.matrix import Matrix


class HostsScreen(Dialog[None]):
    """What hosts do with the tools of one server."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,M,q", "dismiss", "Back", tooltip="Back to the tools.", id="hosts.back"),
        Binding(
            "a", "every", "All/known", tooltip="Show all tools, or those of which something is known.", id="hosts.all"
        ),
        keys.binding(keys.action("copy")),
    ]
    DEFAULT_CSS = """
    HostsScreen { align: center middle; background: $background 60%; }
    HostsScreen > Vertical {
        width: 100%; height: 100%; background: $background; border: round $border; padding: 0 1;
        border-title-color: $text-accent; border-title-style: bold; border-subtitle-color: $text-muted;
    }
    """

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self._subject = subject
        self._matrix: Matrix | None = None
        self._every = False
        self._view = LinesView()

    def compose(self) -> ComposeResult:
        """A box with lines."""
        with Vertical() as box:
            box.border_title = Content(f"Hosts and the tools of {visible(self._subject.about.label, limit=40)}")
            box.border_subtitle = "a shows all, y copies, Esc closes"
            yield self._view

    def on_mount(self) -> None:
        """Hold every tool against every host."""
        self._view.empty = ([("Comparing", "muted")],)
        self._view.focus()
        self._compare()

    @work(exclusive=True)
    async def _compare(self) -> None:
        surface = surface_of(self._subject.journal.conversation)
        self._matrix = await asyncio.to_thread(surface_matrix, surface)
        self._show()

    def _show(self) -> None:
        if self._matrix is not None:
            self._view.show(MatrixLines(self._matrix, every=self._every))

    def action_every(self) -> None:
        """Show all tools, or those of which something is known."""
        self._every = not self._every
        self._show()

    def action_copy(self) -> None:
        """Copy all of it, without control characters."""
        if self._matrix is None:
            return
        lines = matrix_lines(self._matrix, self._view.size.width or 80, every=self._every)
        copied, _ = for_clipboard("\n".join(plain(line).rstrip() for line in lines))
        self.app.copy_to_clipboard(copied)
        self.app.notify(f"Copied {len(copied):,} characters.", markup=False)


class MatrixLines(Lines):
    """A matrix as wide as there is room, its notes on as many rows as they need."""

    def __init__(self, matrix: "Matrix", *, every: bool) -> None:
        self._matrix, self._every = matrix, every
        self._width = 0
        self._wrapped = Wrapped(())

    def count(self, width: int) -> int:
        """How many rows there are."""
        if width != self._width:
            self._width = width
            lines: Sequence[Line] = matrix_lines(self._matrix, width, every=self._every)
            self._wrapped = Wrapped(lines)
        return self._wrapped.count(width)

    def line(self, index: int, width: int) -> Sequence[Span]:
        """One row."""
        return self._wrapped.line(index, width)


def show_hosts(app: App[Any], subject: Subject) -> None:
    """Open the screen, or say why there is nothing to see."""
    if subject.journal.conversation.catalogue.listings["tools"].items:
        app.push_screen(HostsScreen(subject))
    else:
        app.notify("The server has listed no tools.", markup=False)
