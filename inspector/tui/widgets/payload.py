"""Payload view with three forms: tree, exact text and bytes.

The forms are linked. Switching from the tree to text or bytes scrolls to the value under the cursor and marks its
bytes. Switching back puts the tree's cursor on the value at the cursor of text or bytes.
"""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from textual import work
from textual.app import ComposeResult
from textual.widget import Widget

from inspector.present.copies import Copy, of_payload
from inspector.present.json_text import json_path, line_of, pointer
from inspector.present.spans import Span, spans_width
from inspector.tui import keys
from inspector.tui.actions import lend_actions
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.json_tree.view import JsonView
from inspector.tui.widgets.payload_actions import PayloadActions
from inspector.tui.widgets.payload_model import ByteMap, HexLines, RawLines, bytes_per_line
from inspector.tui.widgets.virtual_lines import Lines, LinesView

TREE = "Tree"
_AT_ONCE = 1_000_000
"""Maximum payload size, in bytes, for which a value is located without a thread."""

RAW, BYTES = "Raw", "Bytes"


class _Placed(Lines, Protocol):
    """Lines that know which bytes they show."""

    def select(self, start: int, end: int) -> None:
        """Mark a range of bytes."""

    def row_at(self, offset: int, width: int) -> int:
        """Return the line that shows a byte."""

    def offset_at(self, row: int, width: int) -> int:
        """Return the offset of the first byte of a line."""


class _Hex(Lines):
    """A hex dump with as many columns as fit."""

    def __init__(self, payload: bytes) -> None:
        self._lines = HexLines(payload)

    def count(self, width: int) -> int:
        self._lines.per_line = bytes_per_line(width)
        return self._lines.count

    def line(self, index: int, width: int) -> Sequence[Span]:
        return self._lines.row(index, width).spans

    def select(self, start: int, end: int) -> None:
        """Mark a range of bytes."""
        self._lines.marked = range(start, end)

    def row_at(self, offset: int, width: int) -> int:
        """Return the line that shows a byte."""
        return offset // bytes_per_line(width)

    def offset_at(self, row: int, width: int) -> int:
        """Return the offset of the first byte of a line."""
        return row * bytes_per_line(width)


class PayloadView(Widget):
    """One payload below its name."""

    BINDINGS = keys.bindings(keys.ActionScope.PAYLOAD, keys.ActionScope.TEXT)
    DEFAULT_CSS = """
    PayloadView { height: 1fr; width: 1fr; layout: vertical; }
    PayloadView > StatusLine { background: $background; }
    PayloadView > .hidden { display: none; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, classes=classes)
        self._shown: tuple[bytes, str] | None = None
        self._titles: tuple[Sequence[Span], Sequence[Span]] = ((), ())
        self._place: Sequence[Span] = ()
        self._laid: _Placed | None = None
        self._raw: RawLines | None = None
        self._wraps = True
        """Whether long lines of exact text wrap; otherwise they scroll sideways."""
        self._pointer: str | None = None
        """JSON pointer to go to as soon as the tree is ready."""
        self._left_at = -1
        """Line of text or bytes that the tree's cursor led to. While the cursor stays there, so does the tree's."""
        self._map: ByteMap | None = None
        self.payload = b""
        """The payload to copy."""
        lend_actions(self, lambda: (PayloadActions(self, self),))

    def compose(self) -> ComposeResult:
        yield StatusLine()
        yield JsonView()
        yield LinesView(classes="hidden")

    def show(self, name: Sequence[Span], size: Sequence[Span], payload: bytes, form: str) -> None:
        """Show a payload; nearly free if it is already shown. Until the views are composed, it waits for them."""
        if not self.children:
            self.call_after_refresh(self.show, name, size, payload, form)
            return
        self._titles = (name, size)
        self._say()
        if self._shown is not None and self._shown[0] is payload and self._shown[1] == form:
            return
        same = self._shown is not None and self._shown[0] is payload
        before = self._shown[1] if self._shown is not None and same else ""
        if not same:
            self._map = self._pointer = None
        self._shown, self.payload = (payload, form), payload
        tree, lines = self.query_one(JsonView), self.query_one(LinesView)
        tree.set_class(form != TREE, "hidden")
        tree.finder.hide(form != TREE)
        lines.set_class(form == TREE, "hidden")
        if form == TREE:
            tree.show(payload)
            if before in (RAW, BYTES):
                self._back_to_tree(lines)
        else:
            offset = self._offset(lines) if before in (RAW, BYTES) and self._left_at < 0 else None
            self._laid = self.raw_lines(payload) if form == RAW else _Hex(payload)
            lines.show(self._laid)
            self._link(tree, offset)
        self._say()

    def _say(self) -> None:
        """Show the name, the size, and between them as much of the cursor's place as fits."""
        name, size = self._titles
        place = self._place if self._shown is not None and self._shown[1] == TREE else ()
        room = self.size.width - 8 - spans_width(name) - spans_width(size)
        if spans_width(place) > room:
            place = place[:1]  # the path alone, rather than a truncated pointer
        between: Sequence[Span] = [("   ", "text"), *place] if place and room > 12 else []
        self.query_one(StatusLine).show([*name, *between], size)

    @property
    def _can_link(self) -> bool:
        tree = self.query_one(JsonView)
        return tree.whole is self.payload and tree.line >= 0 and not tree.lines.problem

    def _link(self, tree: JsonView, offset: int | None) -> None:
        """Go to the bytes of the value under the tree's cursor, or to the byte at `offset`."""
        self._left_at = -1
        if offset is not None:
            self._go_to_bytes(offset, offset, linked=False)
        elif self._can_link and tree.line > 0:
            if len(self.payload) <= _AT_ONCE:
                self._take_span(self.payload, self._mapped().span(tree.line))
            else:
                self._link_slowly(tree.line)

    @work(exclusive=True, group="link")
    async def _link_slowly(self, line: int) -> None:
        payload = self.payload
        self._take_span(payload, await read_on_thread(self._mapped().span, line))

    def _take_span(self, payload: bytes, span: tuple[int, int]) -> None:
        if payload is self.payload and self._shown is not None and self._shown[1] != TREE:
            self._go_to_bytes(*span, linked=True)

    def _go_to_bytes(self, start: int, end: int, *, linked: bool) -> None:
        lines = self.query_one(LinesView)
        if self._laid is None:
            return
        if not lines.view.count:  # it was hidden, and has no size yet
            lines.once_laid_out(partial(self._go_to_bytes, start, end, linked=linked))
            return
        self._laid.select(start, end)
        lines.forget()
        seen = lines.view.visible
        lines.go_to(self._laid.row_at(start, lines.line_width))
        if lines.view.cursor not in seen:  # show some lines around it
            lines.scroll_lines_to(lines.view.cursor - lines.view.height // 3)
        self._left_at = lines.view.cursor if linked else -1

    def _offset(self, lines: LinesView) -> int | None:
        if self._laid is None or lines.view.cursor < 0:
            return None
        return self._laid.offset_at(lines.view.cursor, lines.line_width)

    def _back_to_tree(self, lines: LinesView) -> None:
        """Go to the value at the cursor of text or bytes, if the user has moved that cursor."""
        offset = self._offset(lines)
        if offset is None or not self._can_link or lines.view.cursor == max(self._left_at, 0):
            return
        if len(self.payload) <= _AT_ONCE:
            self.query_one(JsonView).go_to_line(self._mapped().line(offset))
        else:
            self._back_slowly(offset)

    @work(exclusive=True, group="link")
    async def _back_slowly(self, offset: int) -> None:
        payload = self.payload
        line = await read_on_thread(self._mapped().line, offset)
        if payload is self.payload:
            self.query_one(JsonView).go_to_line(line)

    def _mapped(self) -> ByteMap:
        if self._map is None:
            self._map = ByteMap(self.payload, self.query_one(JsonView).lines)
        return self._map

    def on_json_view_selected(self, message: JsonView.Selected) -> None:
        """Show the path of the cursor: at once, or computed on a thread for a large payload."""
        tree = message.control
        if len(tree.lines.text) <= _AT_ONCE:
            self._show_place(tree)
        else:
            self._find_place(tree)

    @work(exclusive=True, group="place")
    async def _find_place(self, tree: JsonView) -> None:
        line, lines = tree.line, tree.lines
        steps = await read_on_thread(lambda: lines.places.steps(line) if line > 0 and not lines.problem else ())
        if (tree.line, tree.lines) == (line, lines):
            self._place = _written(json_path(steps), pointer(steps))
            self._say()

    def _show_place(self, tree: JsonView) -> None:
        steps = tree.steps
        self._place = _written(json_path(steps), pointer(steps))
        self._say()

    def focus_content(self) -> None:
        tree = self.query_one(JsonView)
        (self.query_one(LinesView) if tree.has_class("hidden") else tree).focus()

    @property
    def whole(self) -> bytes:
        return self.payload

    @property
    def place(self) -> str | None:
        """JSON pointer to the cursor; always None here, because the tree knows its own."""
        return None

    def copies(self) -> list[Copy]:
        """Return the ways to copy the payload."""
        return of_payload(self.payload)

    @property
    def path(self) -> str:
        """Path of the tree's cursor; "" in the other forms."""
        tree = self.query_one(JsonView)
        return "" if tree.has_class("hidden") else tree.path

    @property
    def value(self) -> bytes:
        """Value under the tree's cursor; the whole payload in the other forms."""
        tree = self.query_one(JsonView)
        return self.payload if tree.has_class("hidden") else tree.value or self.payload

    @property
    def raw(self) -> RawLines | None:
        """The exact text, if it is the current form."""
        view = self.query_one(LinesView)
        return self._raw if self._raw is self._laid and not view.has_class("hidden") else None

    def raw_lines(self, payload: bytes) -> RawLines:
        """Create the exact text of a payload, with the current wrapping."""
        self._raw = RawLines(payload)
        self._raw.wraps = self._wraps
        return self._raw

    def action_wrap(self) -> None:
        """Toggle between wrapping and scrolling sideways."""
        raw, view = self.raw, self.query_one(LinesView)
        self._wraps = not self._wraps
        if raw is not None:
            offset = raw.offset_at(max(0, view.view.cursor), view.line_width)
            raw.wrap(self._wraps, offset, view.line_width)
            view.lay_out_again()
            view.go_to(raw.row_at(offset, view.line_width))
        message = "Long lines wrap." if self._wraps else "Long lines do not wrap: ← and → scroll."
        self.app.notify(message, timeout=3)

    def action_sideways(self, by: int) -> None:
        """Scroll the exact text to the right or to the left."""
        if self.raw is not None and self.raw.move(by, self.query_one(LinesView).line_width):
            self.query_one(LinesView).forget()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable wrapping for exact text only, and the arrow keys only while it does not wrap."""
        if action == "wrap":
            return self.raw is not None
        return self.raw is not None and not self.raw.wraps if action == "sideways" else True

    def point_at(self, pointer: str, span: tuple[int, int] | None) -> None:
        """Go to a value in the tree, or to a range of bytes, as soon as they are ready."""
        tree = self.query_one(JsonView)
        if self._shown is None:
            return
        if self._shown[1] != TREE:
            if span is not None:
                self._go_to_bytes(*span, linked=False)
        elif tree.whole is self.payload and tree.is_ready:
            self._point_at(pointer)
        else:
            self._pointer = pointer

    def on_json_view_ready(self, message: JsonView.Ready) -> None:
        """Go to the value that was requested before the tree was ready."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None and self._shown is not None and self._shown[1] == TREE:
            self._point_at(pointer)

    @work(exclusive=True, group="point")
    async def _point_at(self, pointer: str) -> None:
        payload, tree = self.payload, self.query_one(JsonView)
        few = len(payload) <= _AT_ONCE
        line = line_of(tree.lines, pointer) if few else await read_on_thread(line_of, tree.lines, pointer)
        if payload is self.payload:
            tree.go_to_line(line)


def _written(path: str, pointer_: str) -> Sequence[Span]:
    return [(path, "key"), ("   ", "text"), (pointer_, "faint")] if pointer_ else []
