"""A payload, to be walked through: folded and unfolded, searched, each line with its path.

Only lines in sight are read, so 10 MB scroll like ten lines; a big payload is prepared on a thread and the view
says so meanwhile. A line too long for the screen shows its beginning and its exact size until it is opened.
"""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.binding import BindingType
from textual.message import Message

from inspector.tui import keys
from inspector.tui.styles import glyphs
from inspector.tui.widgets.json_find import Finding
from inspector.tui.widgets.json_rows_view import AT_ONCE, JsonRowsView
from inspector.tui.widgets.payload_deeds import PayloadDeeds
from inspector.viewmodels.copies import Copy, of_payload, of_place
from inspector.viewmodels.json_lines import JsonLines
from inspector.viewmodels.json_places import json_path, pointer
from inspector.viewmodels.json_rows import JsonRows
from inspector.viewmodels.roles import Span
from inspector.viewmodels.text import human_size

_SMALL, _NESTED = 64 * 1024, 20_000
"""Bytes that are prepared at once whatever they are, and how many lists and objects of larger ones."""
_NOTHING: Sequence[Sequence[Span]] = ([("Nothing to show", "muted")],)


class JsonView(JsonRowsView, Finding, PayloadDeeds):
    """One payload at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.Where.JSON, keys.Where.FINDING_HERE)
    HELP = """\
The payload, indented; numbers, escapes and the order of keys are as they came. Enter folds and unfolds a value,
and opens a line that is too long for the screen; `f`, `l` and `a` fold many. `*` finds a text, `n` and `N` go through
what was found. `d` decodes the value under the cursor, `Y` copies it in one form or another.
"""

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
        """Show a payload; `empty` is what stands there without one."""
        super().__init__(id=id, classes=classes)
        self._raw = raw
        self._nothing = empty
        self._prepared: bytes | None = None
        self.empty = empty
        self.begins_at = ""
        """Where in a message the payload stands, as a JSON pointer; "" if it is one."""

    def on_mount(self) -> None:
        """Prepare what was given at first."""
        self.show(self._raw)

    def show(self, raw: bytes) -> None:
        """Show another payload from its first line; a search stays. b"" shows nothing.

        The one that is shown already stays where it is.
        """
        if raw and raw is self._prepared:
            return
        self._raw, self._prepared = raw, None
        self.workers.cancel_node(self)
        if _is_quick(raw):
            self._take(JsonRows(JsonLines(raw)))
            return
        self._arrange(JsonRows(JsonLines(b"")), 0)
        self.empty = ([(f"{glyphs().pending} reading {human_size(len(raw))}", "pending")],)
        self._prepare()

    @work(exclusive=True)
    async def _prepare(self) -> None:
        raw = self._raw
        rows = await asyncio.to_thread(_prepared, raw)
        if raw is self._raw:
            self._take(rows)

    def _take(self, rows: JsonRows) -> None:
        self._prepared = self._raw
        rows.needle = self._rows.needle
        self.empty = self._nothing
        self._arrange(rows, 0)
        self.post_message(self.Ready(self))

    @property
    def is_ready(self) -> bool:
        """Whether the payload is prepared."""
        return self._prepared is self._raw

    def moved(self) -> None:
        """Show and tell where the reader went."""
        super().moved()
        self.post_message(self.Selected(self))

    @property
    def needle(self) -> str:
        """What is marked."""
        return self._rows.needle

    def mark(self, needle: str) -> None:
        """Mark what matches."""
        self._rows.needle = needle
        self.forget()

    def go_to_found(self, line: int) -> None:
        """Show a line with what stands around it."""
        seen = self.view.visible
        self._arrange(self._rows, self._rows.reveal(line))
        if self.view.cursor not in seen:
            self.scroll_lines_to(self.view.cursor - self.view.height // 3)

    def go_to_line(self, line: int) -> None:
        """Show a line, whatever it is folded into."""
        if 0 <= line < self._rows.lines.count:
            self.go_to_found(line)

    @property
    def whole(self) -> bytes:
        """The payload as it came."""
        return self._raw

    @property
    def place(self) -> str | None:
        """Where the cursor is in the payload, as a JSON pointer."""
        return None if self.line < 0 or self._rows.lines.problem else self.begins_at + pointer(self.steps)

    def copies(self) -> list[Copy]:
        """Copies of the value under the cursor, and of the payload."""
        if self.line < 0 or self._rows.lines.problem:
            return of_payload(self._raw)
        return of_place(self.value, self.steps, self._raw)

    def action_decode(self) -> None:
        """Show what the value under the cursor may stand for."""
        from inspector.tui.screens.decoded import decode

        decode(self.app, self.value, json_path(self.steps))


def _prepared(raw: bytes) -> JsonRows:
    return JsonRows(JsonLines(raw))


def _is_quick(raw: bytes) -> bool:
    """Whether a payload is prepared before a person could press another key: what is nested much takes longer."""
    return len(raw) <= AT_ONCE and (len(raw) <= _SMALL or raw.count(b"[") + raw.count(b"{") <= _NESTED)
