"""Interactive view of a payload: folding, search, and the path of each line.

Only visible lines are processed, so 10 MB scroll like ten lines. A big payload is prepared on a thread, and the view
shows that meanwhile. A line too long for the screen shows its beginning and its exact size until it is expanded.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Final

from textual import events, work
from textual.binding import BindingType
from textual.widget import Widget

from inspector.present.copies import Copy, of_payload, of_place
from inspector.present.json_text import JsonLines, Step, json_path, pointer
from inspector.present.spans import Span, clip
from inspector.text import human_size
from inspector.tui import keys
from inspector.tui.actions import lend_actions
from inspector.tui.input_queue import settling
from inspector.tui.theme import glyphs
from inspector.tui.threads import read_on_thread, short_turns
from inspector.tui.widgets.json_tree.model import Fold, JsonRows, Many
from inspector.tui.widgets.payload_actions import PayloadActions
from inspector.tui.widgets.search_bar import SearchBar
from inspector.tui.widgets.sent import Sent
from inspector.tui.widgets.virtual_lines import VirtualLines

AT_ONCE: Final = 1_000_000
"""Maximum payload size, in bytes, that is processed without a thread: it takes some milliseconds."""
_GUTTER = 2

_HEAVY = 4_000_000
"""Size in bytes of a payload whose lines are not kept while its screen is hidden."""

MOST_S: Final = 3.0
"""Time limit of a search, in seconds."""
_AT_ONCE = 1_000_000
"""Maximum length of indented text, in bytes, that is searched without a thread."""

_SMALL, _NESTED = 64 * 1024, 20_000
"""Payloads up to this size, in bytes, are prepared at once; larger ones up to this number of arrays and objects."""

_NOTHING: Sequence[Sequence[Span]] = ([("Nothing to show", "muted")],)

_PATIENCE_S = 0.5
"""Maximum time, in seconds, that the preparation of a payload waits for that of an earlier one."""


class FindBar(SearchBar):
    """The search line below the view."""

    def __init__(self, finder: "JsonSearch") -> None:
        super().__init__("find", placeholder="text in this message; ~ first: fuzzy")
        self._finder = finder

    async def on_search_bar_changed(self, event: SearchBar.Changed) -> None:
        """Search for the text, starting where the search began."""
        event.stop()
        self._finder.find_from_start(event.text)

    async def on_search_bar_done(self, event: SearchBar.Done) -> None:
        """Focus the payload again; after Escape, the highlights are removed."""
        event.stop()
        self._finder.leave(keep=event.found)


class JsonSearch:
    """Searches the lines of a view and highlights the matches."""

    def __init__(self, view: Any) -> None:
        """`view` has `rows` that highlight their `needle`, `lines`, `line`, `go_to_found` and `step_in_line`."""
        self._view = view
        self._bar: FindBar | None = None
        self._began = 0
        """Line on which the search began."""
        self._generation = 0

    @property
    def is_open(self) -> bool:
        return self._bar is not None

    def hide(self, hidden: bool) -> None:
        """Hide or show the search line together with its view."""
        if self._bar is not None:
            self._bar.set_class(hidden, "hidden")

    async def action_find_here(self) -> None:
        """Open the search line."""
        if self._bar is None and isinstance(self._view.parent, Widget):
            self._bar = FindBar(self)
            await self._view.parent.mount(self._bar, after=self._view)
        if self._bar is not None:
            self._began = max(self._view.line, 0)
            self._bar.focus()
            self._bar.select_all()

    def leave(self, *, keep: bool) -> None:
        """Focus the payload; unless `keep`, close the search line and remove the highlights."""
        self._view.focus()
        if not keep:
            self._mark("")
            self._generation += 1
        if self._bar is not None and not keep:
            self._bar.remove()
            self._bar = None

    def action_unfind(self) -> None:
        """Close the search line and remove the highlights."""
        self.leave(keep=False)

    def action_next_match(self) -> None:
        self._go_on(backwards=False)

    def action_previous_match(self) -> None:
        self._go_on(backwards=True)

    def find_from_start(self, needle: str) -> None:
        """Search while the user types, starting at the line on which the search began."""
        self._generation += 1
        self._mark(needle)
        lines = self._view.lines
        if not needle:
            self._say(None)
        elif lines.length <= _AT_ONCE:
            self._go_to(lines.find(needle, self._began))
            self._say(lines.matches(needle))
        else:
            self._find_slowly(needle, self._began, backwards=False, count=True)

    def _go_on(self, *, backwards: bool) -> None:
        view, lines = self._view, self._view.lines
        if view.step_in_line(backwards=backwards):
            return
        start = (view.line + (-1 if backwards else 1)) % max(lines.count, 1)
        if lines.length <= _AT_ONCE:
            self._go_to(lines.find(view.rows.needle, start, backwards=backwards), backwards=backwards)
        else:
            self._generation += 1
            self._find_slowly(view.rows.needle, start, backwards=backwards, count=False)

    def _find_slowly(self, needle: str, start: int, *, backwards: bool, count: bool) -> None:
        settling(self._view, "find", partial(self._find, needle, start, backwards=backwards, count=count))

    async def _find(self, needle: str, start: int, *, backwards: bool, count: bool) -> None:
        generation, lines, end = self._generation, self._view.lines, time.monotonic() + MOST_S

        def go_on() -> bool:
            return self._generation == generation and time.monotonic() < end

        if self._bar is not None and count:
            self._bar.show_error(f"{glyphs().pending} searching")
        found = await read_on_thread(lines.find, needle, start, backwards=backwards, go_on=go_on)
        if self._generation != generation:
            return
        self._go_to(found, backwards=backwards)
        if not count:
            return
        many = await read_on_thread(lines.matches, needle, go_on=go_on)
        if self._generation == generation:
            self._say(many, given_up=time.monotonic() >= end)

    def _mark(self, needle: str) -> None:
        self._view.rows.needle = needle
        self._view.forget()

    def _go_to(self, found: int | None, *, backwards: bool = False) -> None:
        if found is not None:
            self._view.go_to_found(found, backwards=backwards)

    def _say(self, many: int | None, *, given_up: bool = False) -> None:
        if self._bar is None:
            return
        self._bar.show_count(many)
        if given_up:
            self._bar.show_error(f"stopped after {MOST_S:.0f} s; {many or 0:,} found")


class Folding:
    """Folds and unfolds the payload of a view."""

    def __init__(self, view: "JsonView") -> None:
        self._view = view

    @property
    def _width(self) -> int:
        return self._view.line_width - _GUTTER

    def action_toggle_fold(self) -> None:
        """Fold or unfold the value, or expand or collapse the long line."""
        view = self._view
        if view.line >= 0:
            view.lay(view.rows, view.rows.toggle(view.line, self._width))

    def action_unfold(self) -> None:
        """Unfold the value or expand the long line; otherwise go to the next line."""
        view, rows = self._view, self._view.rows
        if view.line < 0:
            return
        before = rows.count
        line = rows.unfold(view.line, self._width)
        view.lay(rows, line if rows.count != before else line + 1)

    def action_fold(self) -> None:
        """Collapse the long line or fold the value; otherwise go to the enclosing value."""
        view = self._view
        if view.line >= 0:
            view.lay(view.rows, view.rows.fold(view.line))

    def action_many(self, what: Many) -> None:
        """Fold or unfold many values at once; in a large payload, they are found on a thread."""
        view, rows = self._view, self._view.rows
        if view.line < 0:
            return
        if len(rows.lines.text) <= AT_ONCE:
            self._take(rows, view.line, rows.folds_of(view.line, what))
        else:
            view.run_worker(self._fold_slowly(what), group="fold", exclusive=True)

    async def _fold_slowly(self, what: Many) -> None:
        rows, line = self._view.rows, self._view.line
        folds = await read_on_thread(rows.folds_of, line, what)
        if rows is self._view.rows:
            self._take(rows, line, folds)

    def _take(self, rows: JsonRows, line: int, folds: list[Fold]) -> None:
        self._view.lay(rows, rows.take(line, folds))


class JsonPlace:
    """The value under the cursor: its path, its copies and its decodings."""

    def __init__(self, view: "JsonView") -> None:
        self._view = view

    @property
    def whole(self) -> bytes:
        """The payload as received."""
        return self._view.whole

    @property
    def place(self) -> str | None:
        """JSON pointer from the message to the cursor; None if the payload is not JSON."""
        view = self._view
        return None if view.line < 0 or view.lines.problem else view.begins_at + pointer(view.steps)

    def copies(self) -> list[Copy]:
        """Return the ways to copy the value under the cursor and the payload."""
        view = self._view
        if view.line < 0 or view.lines.problem:
            return of_payload(view.whole)
        return of_place(view.value, view.steps, view.whole)

    def action_decode(self) -> None:
        """Show the decodings of the value under the cursor."""
        view = self._view
        view.post_message(JsonView.DecodeWanted(view, view.value, json_path(view.steps)))


class JsonView(VirtualLines):
    """View of one payload at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(
        keys.ActionScope.PAYLOAD, keys.ActionScope.JSON, keys.ActionScope.FINDING_HERE
    )

    class Selected(Sent["JsonView"]):
        """Another line is under the cursor: `path` of the sender."""

    class DecodeWanted(Sent["JsonView"]):
        """The value under the cursor is to be shown decoded."""

        def __init__(self, control: "JsonView", value: bytes, where: str) -> None:
            """`where` is the path of the value, made safe."""
            super().__init__(control)
            self.value = value
            self.where = where

    class Ready(Sent["JsonView"]):
        """The payload is prepared and on the screen."""

    def __init__(
        self, raw: bytes = b"", *, empty: Sequence[Sequence[Span]] = _NOTHING, classes: str | None = None
    ) -> None:
        """Show a payload; `empty` is shown without one."""
        super().__init__(classes=classes)
        self.whole = raw
        """The payload as received."""
        self._nothing = empty
        self._prepared: bytes | None = None
        self._preparing: asyncio.Future[JsonRows] | None = None
        """The last preparation on a thread; it may be one of an earlier payload."""
        self._is_hidden = False
        """Whether the screen that it belongs to is hidden."""
        self._is_unchanged = True
        """Whether the rows are as prepared: nothing was folded or expanded."""
        self._early: list[Callable[[], None]] = []
        """Moves of keys that were pressed before the payload was prepared."""
        self.set_reactive(VirtualLines.empty, empty)
        self.rows = JsonRows(JsonLines(b""))
        self.finder = JsonSearch(self)
        self._folding = Folding(self)
        place = JsonPlace(self)
        lend_actions(self, lambda: (self._folding, self.finder, place, PayloadActions(self, place)))
        self.begins_at = ""
        """JSON pointer from the message to the payload; "" if the payload is a whole message."""

    def on_mount(self) -> None:
        """Prepare the initial payload."""
        self.show(self.whole)

    def show(self, raw: bytes) -> None:
        """Show another payload, starting at its first line; a search stays. b"" shows nothing.

        If the payload is already shown, the position stays.
        """
        if raw and raw is self._prepared:
            return
        self.whole, self._prepared = raw, None
        self._early.clear()
        self.workers.cancel_node(self)
        if _is_quick(raw):
            self._take(JsonRows(JsonLines(raw)))
            return
        self.lay(JsonRows(JsonLines(b"")), 0)
        self.empty = ([(f"{glyphs().pending} reading {human_size(len(raw))}", "pending")],)
        self._prepare()

    def on_hide(self, event: events.Hide) -> None:
        """With its whole screen hidden, forget the lines of a heavy payload, unless its cursor or folds changed."""
        self._is_hidden = self.display
        unmoved = self._is_unchanged and self.line <= 0 and not self.finder.is_open
        if self._is_hidden and self.is_ready and unmoved and len(self.whole) >= _HEAVY:
            self._prepared = None
            self.lay(JsonRows(JsonLines(b"")), 0)

    def on_show(self, event: events.Show) -> None:
        """Prepare a payload whose lines were forgotten."""
        was_hidden, self._is_hidden = self._is_hidden, False
        if was_hidden and self.whole and not self.is_ready:
            self.show(self.whole)

    @work(exclusive=True)
    async def _prepare(self) -> None:
        raw = self.whole
        if self._preparing is not None:  # threads can't be cancelled, and each one more slows down the keys
            await asyncio.wait({self._preparing}, timeout=_PATIENCE_S)
        self._preparing = read_on_thread(_prepared, raw)
        rows = await asyncio.shield(self._preparing)
        if raw is self.whole:
            self._preparing = None  # it would keep the rows
            if not self._is_hidden or len(raw) < _HEAVY:
                self._take(rows)

    def _take(self, rows: JsonRows) -> None:
        self._prepared = self.whole
        rows.needle = self.rows.needle
        self.empty = self._nothing
        self.lay(rows, 0)
        early, self._early = self._early, []
        for move in early:
            move()
        self.post_message(self.Ready(self))

    @property
    def is_ready(self) -> bool:
        """Whether the payload is prepared."""
        return self._prepared is self.whole

    def _once_ready(self, move: Callable[[], None]) -> None:
        if self.is_ready:
            move()
        else:
            self._early.append(move)

    def action_move(self, by: int) -> None:
        self._once_ready(lambda: super(JsonView, self).action_move(by))

    def action_page(self, by: int) -> None:
        """Move by pages that share one line."""
        self._once_ready(lambda: super(JsonView, self).action_page(by))

    def action_first(self) -> None:
        self._once_ready(super().action_first)

    def action_last(self) -> None:
        self._once_ready(super().action_last)

    def moved(self) -> None:
        """Show and report a move by the user."""
        super().moved()
        self.post_message(self.Selected(self))

    def go_to_found(self, line: int, *, backwards: bool = False) -> None:
        """Go to a line and show some lines around it, and of a long line its first hit, or the last one."""
        seen = self.view.visible
        self.rows.enter(line, backwards=backwards)
        self.lay(self.rows, self.rows.reveal(line))
        if self.view.cursor not in seen:
            self.scroll_lines_to(self.view.cursor - self.view.height // 3)

    def step_in_line(self, *, backwards: bool) -> bool:
        """Show the next hit of the search in a line that is too long; return whether there was one."""
        row = (
            self.rows.step(self.view.cursor, self.line_width - _GUTTER, backwards=backwards) if self.line >= 0 else None
        )
        if row is not None:
            self.forget()
            self.go_to(row)
        return row is not None

    def go_to_line(self, line: int) -> None:
        """Go to a line, and unfold everything that hides it."""
        if 0 <= line < self.rows.lines.count:
            self.go_to_found(line)

    @property
    def lines(self) -> JsonLines:
        """The lines of the payload."""
        return self.rows.lines

    def lay(self, rows: JsonRows, line: int) -> None:
        """Show changed rows, with the cursor on a line."""
        self._is_unchanged = rows is not self.rows or (self._is_unchanged and rows.count == self.view.count)
        self.rows = rows
        self.view.resize(max(0, self.size.height - self.header_height))
        self.view.set_count(rows.count)
        self.forget()
        self.go_to(rows.row_of(line))

    @property
    def line(self) -> int:
        """Line under the cursor, from 0; -1 if there is none."""
        return self.rows.line_of(self.view.cursor) if self.view.cursor >= 0 else -1

    @property
    def path(self) -> str:
        """Path of the cursor, for example `params.arguments.q`; "" at the top level. In 10 MB: some milliseconds."""
        return self.rows.lines.path(self.line) if self.line >= 0 else ""

    @property
    def value(self) -> bytes:
        """Value under the cursor, indented."""
        return self.rows.lines.value(self.line) if self.line >= 0 else b""

    def header(self, width: int) -> Sequence[Span]:
        """Return why this is not JSON, or which part of it JSON forbids."""
        message = self.rows.lines.problem or self.rows.lines.note
        return clip([(f"{glyphs().warning} {message}", "warning")], width) if message and self.rows.lines.count else ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """Path of the line under the cursor, as steps. In 10 MB: some hundredths of a second."""
        return self.rows.lines.places.steps(self.line) if self.line >= 0 and not self.rows.lines.problem else ()

    def spans(self, index: int, width: int) -> Sequence[Span]:
        """Return a row, after its sign."""
        sign, spans = self.rows.row(index, width - _GUTTER)
        mark = {"opened": glyphs().opened, "closed": glyphs().closed, "": " "}[sign]
        return [(f"{mark} ", "accent" if sign == "closed" else "faint"), *spans]

    def opened(self) -> None:
        """Fold or unfold, for Enter and clicks."""
        self._folding.action_toggle_fold()

    def on_click(self, event: events.Click) -> None:
        """Fold or unfold by a click on the sign of a line."""
        index = self.view.top + event.y - self.header_height
        if event.x < 2 * _GUTTER and event.y >= self.header_height and index < self.view.count:
            event.prevent_default()
            self.go_to(index)
            self._folding.action_toggle_fold()

    def on_resize(self, event: events.Resize) -> None:
        """Collapse expanded lines: they were laid out for another width."""
        line = max(self.line, 0)
        self.rows.close_all()
        self.lay(self.rows, line)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable closing the search while none is open, so that Escape goes back."""
        return action != "unfind" or self.finder.is_open


def _prepared(raw: bytes) -> JsonRows:
    with short_turns():
        return JsonRows(JsonLines(raw))


def _is_quick(raw: bytes) -> bool:
    """Whether a payload is prepared before the user could press another key: deep nesting takes much longer."""
    return len(raw) <= AT_ONCE and (len(raw) <= _SMALL or raw.count(b"[") + raw.count(b"{") <= _NESTED)
