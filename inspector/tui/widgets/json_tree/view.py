"""A payload, to be walked through: folded and unfolded, searched, each line with its path.

Only visible lines are read, so 10 MB scroll like ten lines; a big payload is prepared on a thread and the view
says so meanwhile. A line too long for the screen shows its beginning and its exact size until it is opened.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events, work
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget

from inspector.present.copies import Copy, of_payload, of_place
from inspector.present.json_text import JsonLines, Step, json_path, pointer
from inspector.present.spans import Span, clip
from inspector.text import human_size
from inspector.tui import keys
from inspector.tui.actions import lend_actions
from inspector.tui.theme import glyphs
from inspector.tui.widgets.json_tree.model import Fold, JsonRows, Many
from inspector.tui.widgets.payload_actions import PayloadDeeds
from inspector.tui.widgets.search_bar import SearchBar
from inspector.tui.widgets.virtual_lines import VirtualLines

AT_ONCE: Final = 1_000_000
"""Bytes up to which a payload is worked through without a thread: some milliseconds."""
_GUTTER = 2


MOST_S: Final = 3.0
"""Seconds for one search."""
_AT_ONCE = 1_000_000
"""Bytes of indented text that are searched without a thread."""


class FindBar(SearchBar):
    """The line to find with, below the view that it searches."""

    def __init__(self, finder: "JsonSearch") -> None:
        super().__init__("find", placeholder="text in this message; ~ first: fuzzy")
        self._finder = finder

    async def on_search_bar_changed(self, event: SearchBar.Changed) -> None:
        """Find what was typed, from where the search began."""
        event.stop()
        self._finder.find_from_start(event.text)

    async def on_search_bar_done(self, event: SearchBar.Done) -> None:
        """Back to the payload; after Escape nothing stays marked."""
        event.stop()
        self._finder.leave(keep=event.found)


class JsonSearch:
    """Finds a text in the payload of a view, and marks what matches."""

    def __init__(self, view: "JsonView") -> None:
        self._view = view
        self._bar: FindBar | None = None
        self._began = 0
        """The line on which the search began."""
        self._generation = 0

    @property
    def is_open(self) -> bool:
        """Whether the line to find with is shown."""
        return self._bar is not None

    def hide(self, hidden: bool) -> None:
        """Let the line to find with go hidden with its view."""
        if self._bar is not None:
            self._bar.set_class(hidden, "hidden")

    async def action_find_here(self) -> None:
        """Open the line to find with."""
        if self._bar is None and isinstance(self._view.parent, Widget):
            self._bar = FindBar(self)
            await self._view.parent.mount(self._bar, after=self._view)
        if self._bar is not None:
            self._began = max(self._view.line, 0)
            self._bar.focus()
            self._bar.select_all()

    def leave(self, *, keep: bool) -> None:
        """Give the keys back to the payload, and put the line away unless something was found."""
        self._view.focus()
        if not keep:
            self._mark("")
            self._generation += 1
        if self._bar is not None and not keep:
            self._bar.remove()
            self._bar = None

    def action_unfind(self) -> None:
        """Put the line away and mark nothing."""
        self.leave(keep=False)

    def action_next_match(self) -> None:
        """Go to the next line that matches."""
        self._go_on(backwards=False)

    def action_previous_match(self) -> None:
        """Go to the line before that matches."""
        self._go_on(backwards=True)

    def find_from_start(self, needle: str) -> None:
        """Find what is being typed, from the line on which the search began."""
        self._generation += 1
        self._mark(needle)
        lines = self._view.lines
        if not needle:
            self._say(None)
        elif len(lines.text) <= _AT_ONCE:
            self._go_to(lines.find(needle, self._began))
            self._say(lines.matches(needle))
        else:
            self._find_slowly(needle, self._began, backwards=False, count=True)

    def _go_on(self, *, backwards: bool) -> None:
        view, lines = self._view, self._view.lines
        start = (view.line + (-1 if backwards else 1)) % max(lines.count, 1)
        if len(lines.text) <= _AT_ONCE:
            self._go_to(lines.find(view.rows.needle, start, backwards=backwards))
        else:
            self._generation += 1
            self._find_slowly(view.rows.needle, start, backwards=backwards, count=False)

    def _find_slowly(self, needle: str, start: int, *, backwards: bool, count: bool) -> None:
        work = self._find(needle, start, backwards=backwards, count=count)
        self._view.run_worker(work, group="find", exclusive=True)

    async def _find(self, needle: str, start: int, *, backwards: bool, count: bool) -> None:
        generation, lines, end = self._generation, self._view.lines, time.monotonic() + MOST_S

        def go_on() -> bool:
            return self._generation == generation and time.monotonic() < end

        if self._bar is not None and count:
            self._bar.say_error(f"{glyphs().pending} searching")
        found = await asyncio.to_thread(lines.find, needle, start, backwards=backwards, go_on=go_on)
        if self._generation != generation:
            return
        self._go_to(found)
        if not count:
            return
        many = await asyncio.to_thread(lines.matches, needle, go_on=go_on)
        if self._generation == generation:
            self._say(many, given_up=time.monotonic() >= end)

    def _mark(self, needle: str) -> None:
        self._view.rows.needle = needle
        self._view.forget()

    def _go_to(self, found: int | None) -> None:
        if found is not None:
            self._view.go_to_found(found)

    def _say(self, many: int | None, *, given_up: bool = False) -> None:
        if self._bar is None:
            return
        self._bar.say_count(many)
        if given_up:
            self._bar.say_error(f"stopped after {MOST_S:.0f} s; {many or 0:,} found")


class Folding:
    """Folds and unfolds the payload of a view."""

    def __init__(self, view: "JsonView") -> None:
        self._view = view

    @property
    def _width(self) -> int:
        return self._view.line_width - _GUTTER

    def action_toggle_fold(self) -> None:
        """Fold or unfold the value, open or close the long line."""
        view = self._view
        if view.line >= 0:
            view.lay(view.rows, view.rows.toggle(view.line, self._width))

    def action_unfold(self) -> None:
        """Unfold the value or open the long line; else go on into it."""
        view, rows = self._view, self._view.rows
        if view.line < 0:
            return
        before = rows.count
        line = rows.unfold(view.line, self._width)
        view.lay(rows, line if rows.count != before else line + 1)

    def action_fold(self) -> None:
        """Close the long line or fold the value; else go out to what it is in."""
        view = self._view
        if view.line >= 0:
            view.lay(view.rows, view.rows.fold(view.line))

    def action_many(self, what: Many) -> None:
        """Fold or unfold many values at once; those of a large payload are found on a thread."""
        view, rows = self._view, self._view.rows
        if view.line < 0:
            return
        if len(rows.lines.text) <= AT_ONCE:
            self._take(rows, view.line, rows.folds_of(view.line, what))
        else:
            view.run_worker(self._fold_slowly(what), group="fold", exclusive=True)

    async def _fold_slowly(self, what: Many) -> None:
        rows, line = self._view.rows, self._view.line
        folds = await asyncio.to_thread(rows.folds_of, line, what)
        if rows is self._view.rows:
            self._take(rows, line, folds)

    def _take(self, rows: JsonRows, line: int, folds: list[Fold]) -> None:
        self._view.lay(rows, rows.take(line, folds))


class JsonPlace:
    """The value under the cursor of a view: where it is, what can be copied of it, what it may stand for."""

    def __init__(self, view: "JsonView") -> None:
        self._view = view

    @property
    def whole(self) -> bytes:
        """The payload as received."""
        return self._view.whole

    @property
    def place(self) -> str | None:
        """Where the cursor is in the message, as a JSON pointer; None in what is not JSON."""
        view = self._view
        return None if view.line < 0 or view.lines.problem else view.begins_at + pointer(view.steps)

    def copies(self) -> list[Copy]:
        """Copies of the value under the cursor, and of the payload."""
        view = self._view
        if view.line < 0 or view.lines.problem:
            return of_payload(view.whole)
        return of_place(view.value, view.steps, view.whole)

    def action_decode(self) -> None:
        """Show what the value under the cursor may stand for."""
        from inspector.tui.widgets.json_tree.decoded import decode

        decode(self._view.app, self._view.value, json_path(self._view.steps))


_SMALL, _NESTED = 64 * 1024, 20_000
"""Bytes that are prepared at once whatever they are, and how many lists and objects of larger ones."""
_NOTHING: Sequence[Sequence[Span]] = ([("Nothing to show", "muted")],)


class JsonView(VirtualLines):
    """One payload at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(
        keys.ActionScope.PAYLOAD, keys.ActionScope.JSON, keys.ActionScope.FINDING_HERE
    )

    class Selected(Message):
        """Another line is under the cursor."""

        def __init__(self, control: "JsonView") -> None:
            super().__init__()
            self._control = control

        @property
        def control(self) -> "JsonView":
            """The view it comes from; its `path` says where the cursor is."""
            return self._control

    class Ready(Message):
        """The payload is prepared and on the screen."""

        def __init__(self, control: "JsonView") -> None:
            super().__init__()
            self._control = control

        @property
        def control(self) -> "JsonView":
            """The view it comes from."""
            return self._control

    def __init__(
        self,
        raw: bytes = b"",
        *,
        empty: Sequence[Sequence[Span]] = _NOTHING,
        id: str | None = None,  # noqa: A002 - Textual's word
        classes: str | None = None,
    ) -> None:
        """Show a payload; `empty` is what is there without one."""
        super().__init__(id=id, classes=classes)
        self.whole = raw
        """The payload as received."""
        self._nothing = empty
        self._prepared: bytes | None = None
        self.empty = empty
        self.rows = JsonRows(JsonLines(b""))
        self.finder = JsonSearch(self)
        self._folding = Folding(self)
        place = JsonPlace(self)
        lend_actions(self, lambda: (self._folding, self.finder, place, PayloadDeeds(self, place)))
        self.begins_at = ""
        """Where in a message the payload stands, as a JSON pointer; "" if it is one."""

    def on_mount(self) -> None:
        """Prepare what was given at first."""
        self.show(self.whole)

    def show(self, raw: bytes) -> None:
        """Show another payload from its first line; a search stays. b"" shows nothing.

        The one that is shown already stays where it is.
        """
        if raw and raw is self._prepared:
            return
        self.whole, self._prepared = raw, None
        self.workers.cancel_node(self)
        if _is_quick(raw):
            self._take(JsonRows(JsonLines(raw)))
            return
        self.lay(JsonRows(JsonLines(b"")), 0)
        self.empty = ([(f"{glyphs().pending} reading {human_size(len(raw))}", "pending")],)
        self._prepare()

    @work(exclusive=True)
    async def _prepare(self) -> None:
        raw = self.whole
        rows = await asyncio.to_thread(_prepared, raw)
        if raw is self.whole:
            self._take(rows)

    def _take(self, rows: JsonRows) -> None:
        self._prepared = self.whole
        rows.needle = self.rows.needle
        self.empty = self._nothing
        self.lay(rows, 0)
        self.post_message(self.Ready(self))

    @property
    def is_ready(self) -> bool:
        """Whether the payload is prepared."""
        return self._prepared is self.whole

    def moved(self) -> None:
        """Show and tell where the reader went."""
        super().moved()
        self.post_message(self.Selected(self))

    def go_to_found(self, line: int) -> None:
        """Show a line with what is around it."""
        seen = self.view.visible
        self.lay(self.rows, self.rows.reveal(line))
        if self.view.cursor not in seen:
            self.scroll_lines_to(self.view.cursor - self.view.height // 3)

    def go_to_line(self, line: int) -> None:
        """Show a line, whatever it is folded into."""
        if 0 <= line < self.rows.lines.count:
            self.go_to_found(line)

    @property
    def lines(self) -> JsonLines:
        """The lines of the payload."""
        return self.rows.lines

    def lay(self, rows: JsonRows, line: int) -> None:
        """Take rows as they now are, with the cursor on a line."""
        self.rows = rows
        self.view.resize(max(0, self.size.height - self.header_height))
        self.view.set_count(rows.count)
        self.forget()
        self.go_to(rows.row_of(line))

    @property
    def line(self) -> int:
        """The line under the cursor, from 0; -1 if there is none."""
        return self.rows.line_of(self.view.cursor) if self.view.cursor >= 0 else -1

    @property
    def path(self) -> str:
        """Where the cursor is, for example `params.arguments.q`; "" at the outside. In 10 MB: some milliseconds."""
        return self.rows.lines.path(self.line) if self.line >= 0 else ""

    @property
    def value(self) -> bytes:
        """The value under the cursor, indented."""
        return self.rows.lines.value(self.line) if self.line >= 0 else b""

    def header(self, width: int) -> Sequence[Span]:
        """Return why this is not JSON, or what of it JSON forbids."""
        said = self.rows.lines.problem or self.rows.lines.note
        return clip([(f"{glyphs().warning} {said}", "warning")], width) if said and self.rows.lines.count else ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The way to the line under the cursor. In 10 MB: some hundredths of a second."""
        return self.rows.lines.places.steps(self.line) if self.line >= 0 and not self.rows.lines.problem else ()

    def spans(self, index: int, width: int) -> Sequence[Span]:
        """Return a row, with a sign before it if there is more to it."""
        sign, spans = self.rows.row(index, width - _GUTTER)
        mark = {"opened": glyphs().opened, "closed": glyphs().closed, "": " "}[sign]
        return [(f"{mark} ", "accent" if sign == "closed" else "faint"), *spans]

    def opened(self) -> None:
        """Take a double click as Enter."""
        self._folding.action_toggle_fold()

    def on_click(self, event: events.Click) -> None:
        """Fold and unfold by a click on the sign before a line."""
        index = self.view.top + event.y - self.header_height
        if event.x < 2 * _GUTTER and event.y >= self.header_height and index < self.view.count:
            event.prevent_default()
            self.go_to(index)
            self._folding.action_toggle_fold()

    def on_resize(self, event: events.Resize) -> None:
        """Close opened lines: they were laid out for another width."""
        line = max(self.line, 0)
        self.rows.close_all()
        self.lay(self.rows, line)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let Escape go back where nothing is being found."""
        return action != "unfind" or self.finder.is_open


def _prepared(raw: bytes) -> JsonRows:
    return JsonRows(JsonLines(raw))


def _is_quick(raw: bytes) -> bool:
    """Whether a payload is prepared before a person could press another key: what is nested much takes longer."""
    return len(raw) <= AT_ONCE and (len(raw) <= _SMALL or raw.count(b"[") + raw.count(b"{") <= _NESTED)
