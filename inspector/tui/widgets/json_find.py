"""Finding in a payload: a line to type into below it, what is found marked, from one match to the next.

A small payload is searched at once, a large one on a thread, so keys are answered meanwhile; a search that takes too
long is given up and says so.
"""

import asyncio
import time
from typing import Final

from textual import work
from textual.widget import Widget

from inspector.tui.styles import glyphs
from inspector.tui.widgets.search_bar import SearchBar
from inspector.viewmodels.json_lines import JsonLines

MOST_S: Final = 3.0
"""Seconds for one search."""
_AT_ONCE = 1_000_000
"""Bytes of indented text that are searched without a thread."""


class FindBar(SearchBar):
    """The line to find with, below the view that it searches."""

    def __init__(self, finder: "Finding") -> None:
        super().__init__("find", placeholder="a text in this payload; ~ before it: its letters in order")
        self._finder = finder

    async def on_search_bar_changed(self, event: SearchBar.Changed) -> None:
        """Find what was typed, from where the search began."""
        event.stop()
        self._finder.find_from_start(event.text)

    async def on_search_bar_done(self, event: SearchBar.Done) -> None:
        """Back to the payload; after Escape nothing stays marked."""
        event.stop()
        self._finder.leave_finding(keep=event.found)


class Finding(Widget):
    """What a view of a payload does to find. A mixin: the view says what its lines are and goes to them."""

    _bar: FindBar | None = None
    _began = 0
    _generation = 0

    # What the view answers

    @property
    def lines(self) -> JsonLines:
        """The lines that are searched."""
        raise NotImplementedError

    @property
    def needle(self) -> str:
        """What is marked; "" for nothing."""
        raise NotImplementedError

    def hide_finding(self, hidden: bool) -> None:
        """Let the line to find with go out of sight with its view."""
        if self._bar is not None:
            self._bar.set_class(hidden, "hidden")

    def mark(self, needle: str) -> None:
        """Mark what matches."""
        raise NotImplementedError

    def go_to_found(self, line: int) -> None:
        """Show a line that matches."""
        raise NotImplementedError

    @property
    def line(self) -> int:
        """The line under the cursor."""
        raise NotImplementedError

    # What a reader does

    async def action_find_here(self) -> None:
        """Open the line to find with."""
        if self._bar is None and isinstance(self.parent, Widget):
            self._bar = FindBar(self)
            await self.parent.mount(self._bar, after=self)
        if self._bar is not None:
            self._began = max(self.line, 0)
            self._bar.focus()
            self._bar.select_all()

    def action_unfind(self) -> None:
        """Put the line away and mark nothing."""
        self.leave_finding(keep=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let Escape go back where nothing is being found."""
        return action != "unfind" or self._bar is not None

    def leave_finding(self, *, keep: bool) -> None:
        """Give the keys back to the payload, and put the line away unless something was found."""
        self.focus()
        if not keep:
            self.mark("")
            self._generation += 1
        if self._bar is not None and not keep:
            self._bar.remove()
            self._bar = None

    def search(self, needle: str) -> int:
        """Mark what matches and go to the nearest from the cursor on; return how many there are, up to 10,000."""
        self.mark(needle)
        found = self.lines.find(needle, max(self.line, 0))
        if found is not None:
            self.go_to_found(found)
        return self.lines.matches(needle)

    def find_from_start(self, needle: str) -> None:
        """Find what is being typed, from the line on which the search began."""
        self._generation += 1
        self.mark(needle)
        if not needle:
            self._say(None)
        elif len(self.lines.text) <= _AT_ONCE:
            found = self.lines.find(needle, self._began)
            self._took(found, self.lines.matches(needle))
        else:
            self._find_slowly(needle, self._began, backwards=False, count=True)

    def action_next_match(self) -> None:
        """Go to the next line that matches."""
        self._go_on(self.line + 1, backwards=False)

    def action_previous_match(self) -> None:
        """Go to the line before that matches."""
        self._go_on(self.line - 1, backwards=True)

    def _go_on(self, start: int, *, backwards: bool) -> None:
        lines = self.lines
        start %= max(lines.count, 1)
        if len(lines.text) <= _AT_ONCE:
            found = lines.find(self.needle, start, backwards=backwards)
            if found is not None:
                self.go_to_found(found)
        else:
            self._generation += 1
            self._find_slowly(self.needle, start, backwards=backwards, count=False)

    @work(group="find", exclusive=True)
    async def _find_slowly(self, needle: str, start: int, *, backwards: bool, count: bool) -> None:
        generation, lines, end = self._generation, self.lines, time.monotonic() + MOST_S

        def go_on() -> bool:
            return self._generation == generation and time.monotonic() < end

        if self._bar is not None and count:
            self._bar.say_error(f"{glyphs().pending} searching")
        found = await asyncio.to_thread(lines.find, needle, start, backwards=backwards, go_on=go_on)
        if self._generation != generation:
            return
        if found is not None:
            self.go_to_found(found)
        if not count:
            return
        many = await asyncio.to_thread(lines.matches, needle, go_on=go_on)
        if self._generation == generation:
            self._say(many, given_up=time.monotonic() >= end)

    def _took(self, found: int | None, many: int) -> None:
        if found is not None:
            self.go_to_found(found)
        self._say(many)

    def _say(self, many: int | None, *, given_up: bool = False) -> None:
        if self._bar is None:
            return
        self._bar.say_count(many)
        if given_up:
            self._bar.say_error(f"given up after {MOST_S:.0f} s; found so far: {many or 0:,}")
