"""What has changed in the lists that are in sight, with both sides; how they were fetched, and what is odd about them.

It is compared on a thread: lists may be long, and descriptions too.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from inspector.tui import keys
from inspector.tui.panels.result_lines import words_wrapped
from inspector.tui.screens.dialog import Dialog
from inspector.tui.widgets.lines_view import Lines, LinesView
from inspector.viewmodels.lines import Line, plain
from inspector.viewmodels.list_news import ListNews, about_lines
from inspector.viewmodels.roles import Span
from inspector.viewmodels.text import for_clipboard

if TYPE_CHECKING:
    from inspector.viewmodels.since_seen import Memory


class ChangesScreen(Dialog[bool]):
    """About some lists. Escape and the key that opened it go back; what is to be approved can be, which gives True."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,D,q", "dismiss", "Back", tooltip="Back to the list.", id="changes.back"),
        Binding("a", "approve", "Approve", tooltip="Trust it as it is now.", id="changes.approve"),
        keys.binding(keys.action("copy")),
    ]
    DEFAULT_CSS = """
    ChangesScreen { align: center middle; background: $background 60%; }
    ChangesScreen > Vertical {
        width: 96%; height: 92%; background: $background; border: round $border; padding: 0 1;
        border-title-color: $text-accent; border-title-style: bold; border-subtitle-color: $text-muted;
    }
    """

    def __init__(
        self, news: Sequence[ListNews], now_ns: int, memory: "Memory | None" = None, kinds: Sequence[str] = ()
    ) -> None:
        """`now_ns` is the journal's clock, `memory` what is remembered of the server, `kinds` the lists in sight."""
        super().__init__()
        self._memory = memory if memory is not None and memory.alarms else None
        self._kinds = kinds
        self._news = news
        self._now_ns = now_ns
        self._lines: Sequence[Line] = ()
        self._view = LinesView()

    def compose(self) -> ComposeResult:
        """A box with lines."""
        with Vertical() as box:
            box.border_title = "Changes"
            ways = "a approves, y copies, Esc closes" if self._can_approve else "y copies, Esc closes"
            box.border_subtitle = ways
            yield self._view

    def on_mount(self) -> None:
        """Compare."""
        self._view.empty = ([("Comparing", "muted")],)
        self._view.focus()
        self._compare()

    @work(exclusive=True)
    async def _compare(self) -> None:
        self._lines = await asyncio.to_thread(self._compared)
        self._view.show(Wrapped(self._lines))

    def _compared(self) -> list[Line]:
        """What is to be approved first, then all about the lists."""
        found = about_lines(self._news, self._now_ns)
        if self._memory is None:
            return found
        from inspector.viewmodels.since_seen import since_lines

        return since_lines(self._memory, self._kinds) + found

    @property
    def _can_approve(self) -> bool:
        if self._memory is None:
            return False
        from inspector.viewmodels.since_seen import can_approve

        return can_approve(self._memory, self._kinds)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Approve only what has changed."""
        return self._can_approve if action == "approve" else True

    def action_approve(self) -> None:
        """Trust it as it is now."""
        self.dismiss(True)

    def action_copy(self) -> None:
        """Copy all of it, without control characters."""
        copied, _ = for_clipboard("\n".join(plain(line).rstrip() for line in self._lines))
        self.app.copy_to_clipboard(copied)
        self.app.notify(f"Copied {len(copied):,} characters.", markup=False)


class Wrapped(Lines):
    """Lines on as many rows as they need."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._width = 0
        self._rows: list[Sequence[Span]] = []

    def count(self, width: int) -> int:
        """How many rows there are."""
        if width != self._width:
            self._width = width
            self._rows = [row for line in self._lines for row in words_wrapped(line, max(width, 20), _indent(line))]
        return len(self._rows)

    def line(self, index: int, width: int) -> Sequence[Span]:
        """One row."""
        return self._rows[index]


def _indent(line: Line) -> int:
    said = plain(line)
    return len(said) - len(said.lstrip()) + 2
