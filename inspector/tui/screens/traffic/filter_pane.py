"""The filter line and the search line above the traffic.

A filter hides rows, a search only jumps to matches; both can be active at once. The lines are created after the
first paint, because an input field costs as much as everything else.
"""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from textual.message import Message
from textual.widget import Widget

from inspector.config.paths import places
from inspector.config.remembered import SavedFilters
from inspector.errors import UsageError
from inspector.filters.language.fields import Term
from inspector.present.traffic.log import LogModel
from inspector.tui import keys
from inspector.tui.conversation import OpenConversation
from inspector.tui.input_queue import PATIENCE_S, settling

if TYPE_CHECKING:
    from inspector.filters.language.completion import Suggestions
    from inspector.tui.screens.traffic.filter_bar import FilterBar
    from inspector.tui.screens.traffic.filter_model import FilterReading
    from inspector.tui.widgets.search_bar import SearchBar

_STEP_S: Final = 0.005
"""Pause between steps of filter and search, in seconds: a thread does most of the work."""


class FilterPane(Widget):
    """The filter and search lines."""

    BINDINGS = keys.bindings("Filter and search")
    DEFAULT_CSS = """
    FilterPane { layout: vertical; height: auto; width: 1fr; }
    """

    class Filtered(Message):
        """The filter has changed; None: no filter."""

        def __init__(self, term: Term | None) -> None:
            super().__init__()
            self.term = term

    class SearchChanged(Message):
        """The search text has changed; "": no search."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """The user returns to the rows; `found`: go to the first match."""

        def __init__(self, found: bool) -> None:
            super().__init__()
            self.found = found

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self.conversation = conversation
        self._bar: FilterBar | None = None
        self._finder: SearchBar | None = None
        self._kept: SavedFilters | None = None
        self._named: dict[str, str] = {}
        self._shown_state: tuple[int, int, str] | None = None
        self._is_shown = False
        """Whether the line shows these counts; False after its text has changed."""

    @property
    def bar(self) -> "FilterBar":
        """The filter line, created on first access and hidden until it is opened."""
        if self._bar is None:
            from inspector.tui.screens.traffic.filter_bar import FilterBar

            self._bar = FilterBar(self._read, self._propose, lambda: self.kept.used())
            self._bar.display = False
            self.mount(self._bar)
        return self._bar

    @property
    def finder(self) -> "SearchBar":
        """The search line, created on first access and hidden until it is opened."""
        if self._finder is None:
            from inspector.tui.widgets.search_bar import SearchBar

            self._finder = SearchBar("find", placeholder="text; n and N find the next and the previous match")
            self._finder.display = False
            self.mount(self._finder)
        return self._finder

    @property
    def kept(self) -> SavedFilters:
        """The user's saved filters."""
        if self._kept is None:
            own = places()
            self._kept = SavedFilters(own.config, own.state)
        return self._kept

    @property
    def text(self) -> str:
        return self._bar.text if self._bar is not None else ""

    def open(self) -> None:
        """Open the filter line."""
        self._named = self.kept.named()
        self.bar.display = True
        self.bar.focus()

    def open_finder(self) -> None:
        """Open the search line."""
        self.finder.display = True
        self.finder.focus()

    def action_switch(self) -> None:
        """Search for the text of the filter line, or filter by the text of the search line."""
        finding = self._finder is not None and self._finder.has_focus_within
        source, target = (self.finder, self.bar) if finding else (self.bar, self.finder)
        text = source.text
        source.text, source.display, target.display = "", False, True
        target.text = text
        target.focus()

    def set(self, text: str) -> None:
        """Set the filter, in the line and in effect."""
        self.bar.display = bool(text)
        self.bar.text = text

    def clear(self) -> None:
        for line in (self._bar, self._finder):
            if line is not None:
                line.text = ""
                line.display = False

    def settle(self, is_busy: Callable[[], bool], work: Callable[[], None]) -> None:
        """Work until filter and search are done, at most for PATIENCE_S; keys that act wait for the matches."""

        async def go_on() -> None:
            end = time.monotonic() + PATIENCE_S
            while is_busy() and self.is_attached and time.monotonic() < end:
                await asyncio.sleep(_STEP_S)
                work()

        work()
        if is_busy():
            settling(self, "filter", go_on)

    def say(self, model: LogModel, found: int | None) -> None:
        """Update the numbers of matches next to the lines."""
        filtered = bool(self.text) and model.has_filter
        self._show_counts(
            found, (model.matches, self.conversation.journal.count, model.filter_trouble) if filtered else None
        )

    def _show_counts(self, found: int | None, filtered: tuple[int, int, str] | None) -> None:
        """Show what the search found, and the matches, the total and the trouble of the filter; None: no filter."""
        if self._finder is not None and self._finder.display:
            self._finder.show_count(found)
        if self._bar is None or not self._bar.display or (self._is_shown and filtered == self._shown_state):
            return
        self._shown_state, self._is_shown = filtered, True
        matches, total, trouble = filtered or (None, None, "")
        self._bar.show_count(matches, of=total)
        if trouble:
            self._bar.show_error(trouble)

    def _read(self, text: str) -> "FilterReading":
        from inspector.tui.screens.traffic.filter_model import read_filter

        return read_filter(text, self._named)

    def _propose(self, before: str) -> "Suggestions":
        from inspector.tui.screens.traffic.filter_model import proposals

        return proposals(before, self.conversation.journal, self._named)

    def on_search_bar_changed(self, message: "SearchBar.Changed") -> None:
        """Filter or search while the user types; an invalid filter leaves the previous one in effect."""
        message.stop()
        if message.control is not self._bar:
            self.post_message(self.SearchChanged(message.text))
            return
        self._is_shown = False
        reading = self._read(message.text)
        if not reading.error:
            self.post_message(self.Filtered(reading.term))

    def on_search_bar_done(self, message: "SearchBar.Done") -> None:
        """Return to the rows, and hide an empty line."""
        message.stop()
        message.control.display = bool(message.control.text)
        self.post_message(self.Left(message.found and message.control is self._finder))

    def on_filter_bar_kept(self, message: "FilterBar.Kept") -> None:
        """Remember a confirmed filter; save it if it defines a name."""
        message.stop()
        name, body = message.reading.saves, message.reading.body
        if not name:
            self.kept.remember(message.text)
            return
        try:
            self.kept.save(name, body)
        except UsageError as error:
            self.notify(error.full_text, severity="error")
            return
        self._named = self.kept.named()
        self.bar.text = f"@{name}" if body else ""
        self.notify(f"Saved as @{name}." if body else f"@{name} deleted.", timeout=3)
