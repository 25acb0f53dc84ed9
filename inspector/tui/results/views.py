"""Views of one result: content blocks, structured content with its validation, raw response, stderr, history, schema.

For results without structured content, the second view shows the block under the cursor in full: as a tree, as text
or as bytes.

One view is visible at a time. This module validates nothing and sends nothing.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import overload

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from inspector.present.blocks import ContentBlock
from inspector.present.calls import CompletedCall
from inspector.present.highlight import highlighted
from inspector.present.json_text import JsonLines
from inspector.present.result import CallOutcome, ResultView
from inspector.present.rows import RowSource, SpanRows
from inspector.present.server_log import Meanwhile
from inspector.present.spans import Line, Span, clip, fact_lines, words_wrapped
from inspector.text import counted, decode
from inspector.tui import keys
from inspector.tui.results.content import ContentView
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.widgets.bars import ButtonBar
from inspector.tui.widgets.json_tree.view import JsonView
from inspector.tui.widgets.payload import BYTES, TREE, PayloadView
from inspector.tui.widgets.payload import RAW as AS_TEXT
from inspector.tui.widgets.payload_model import HexLines, bytes_per_line
from inspector.tui.widgets.segments import Segments
from inspector.tui.widgets.virtual_list import LogList

MOST_WRAPPED = 20_000
"""Maximum long lines of one block of JSON that are wrapped; others are cut at the edge."""
MOST_CHARACTERS = 10_000_000
"""Maximum characters of one block."""
_AT_ONCE = 50_000
"""Maximum characters of one block that are laid out before the first paint: more than a screen has."""
_REST_AFTER_S = 0.05
"""Time for that paint."""
MOST_BYTES = 1_024
"""Maximum bytes of one block that is not text."""

TABS = ("Content", "Structured", "Raw", "stderr", "History", "Schema")
CONTENT, STRUCTURED, RAW, STDERR, HISTORY, SCHEMA = range(6)
_MOST_MARKDOWN = 50_000
"""Maximum characters to render per text: each paragraph becomes a widget."""
_MOST_RENDERED = 20
"""Maximum number of texts to render."""
_RUNNING: Sequence[Sequence[Span]] = ((("Waiting for the result", "faint"),),)
_NO_STRUCTURE: Sequence[Sequence[Span]] = ((("No structured content", "muted"),),)
_NO_STDERR: Sequence[Sequence[Span]] = ((("No stderr output during this call", "muted"),),)
_NO_SCHEMA: Sequence[Sequence[Span]] = ((("This tool has no schema", "muted"),),)
_NO_ANSWER: Sequence[Sequence[Span]] = ((("No response", "muted"),),)


@dataclass(frozen=True, slots=True)
class ResultLines:
    """Lines, and for each the index of its block, -1 for none."""

    lines: Sequence[Line]
    blocks: Sequence[int]
    is_cut: bool = False
    """Whether a block has more text than was asked for."""


class _Rows(Sequence[Line]):
    def _row(self, row: int) -> Line:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | Sequence[Line]:
        rows = range(len(self))[index]
        return self._row(rows) if isinstance(rows, int) else [self._row(each) for each in rows]


class JsonBlockLines(_Rows):
    """The lines of JSON, coloured when they are shown; long ones are wrapped to several rows."""

    def __init__(self, lines: JsonLines, width: int) -> None:
        self._lines = lines
        self._width = width
        self._long: list[int] = []
        """First row of each wrapped line, ascending."""
        self._wrapped: list[list[Line]] = []
        self._before: list[int] = []
        """For each of them, how many rows there are before it beyond one for each line."""
        more = 0
        for index in lines.wider_than(width)[:MOST_WRAPPED]:
            rows = words_wrapped(tuple(lines.line(index)), width, 4)
            self._long.append(index + more)
            self._wrapped.append(rows)
            self._before.append(more)
            more += len(rows) - 1
        self._count = lines.count + more

    def __len__(self) -> int:
        return self._count

    def _row(self, row: int) -> Line:
        at = bisect_right(self._long, row) - 1
        if at < 0:
            return self._plain(row)
        rows = self._wrapped[at]
        part = row - self._long[at]
        return rows[part] if part < len(rows) else self._plain(row - self._before[at] - len(rows) + 1)

    def _plain(self, line: int) -> Line:
        return tuple(clip(self._lines.line(line), self._width))


class Joined(_Rows):
    """Several sequences of lines, one after the other."""

    def __init__(self, parts: Sequence[Sequence[Line]]) -> None:
        self._parts = parts
        self._ends = [*accumulate(map(len, parts))]

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def _row(self, row: int) -> Line:
        at = bisect_right(self._ends, row)
        return self._parts[at][row - (self._ends[at - 1] if at else 0)]


class _Writer:
    def __init__(self, width: int, most: int) -> None:
        self.width = max(width, 20)
        self.most = most
        self.is_cut = False
        self.parts: list[Sequence[Line]] = []
        self.blocks: list[int] = []
        self.block = -1
        self._own: list[Line] = []
        """The last part, while it grows."""

    def line(self, *spans: Span) -> None:
        if not self.parts or self.parts[-1] is not self._own:
            self._own = []
            self.parts.append(self._own)
        self._own.append(spans)
        self.blocks.append(self.block)

    def add(self, lines: Sequence[Line]) -> None:
        """Add lines of one part, which may be built when they are shown."""
        self.parts.append(lines)
        self.blocks += [self.block] * len(lines)

    def long(self, spans: Line, indent: int = 0) -> None:
        """Write a line, wrapped to several rows if necessary."""
        rows = words_wrapped(spans, self.width, indent)
        if len(rows) == 1:
            self.line(*rows[0])
        else:
            self.add(rows)


@dataclass(frozen=True, slots=True)
class ResultWords:
    """Texts and views for results of one kind."""

    nothing: str = "Not called yet"
    press: str = "calls the tool"
    """Effect of the form's key."""
    history: str = "No calls yet"
    structured: bool = True
    """Whether there are structured contents and schemas; else the second view shows one block in full."""
    buttons: tuple[str, ...] = ("copy", "tools.save", "result.again", "result.traffic")
    """Ids of the actions that are offered as buttons."""


def result_lines(view: ResultView, width: int, most: int = MOST_CHARACTERS) -> ResultLines:
    """Return the lines for a width in cells, with at most so many characters of each plain text."""
    writer = _Writer(width, most)
    for parts in view.message:
        writer.long(parts)
    if view.hint:
        writer.line()
        writer.long(((f"{glyphs().event} {view.hint}", "muted"),), 2)
    if not view.blocks:
        _nothing(writer, view)
    for index, block in enumerate(view.blocks):
        if writer.blocks:
            writer.line()
        writer.block = index
        _block(writer, block, index, len(view.blocks))
        writer.block = -1
    if view.facts:
        writer.line()
    for fact in fact_lines(view.facts):
        writer.long(fact, 2)
    return ResultLines(Joined(writer.parts), tuple(writer.blocks), writer.is_cut)


def _nothing(writer: _Writer, view: ResultView) -> None:
    if view.outcome in (CallOutcome.OK, CallOutcome.TOOL_ERROR, CallOutcome.INCOMPLETE):
        more = " Structured shows the result." if view.structured and view.structured.raw is not None else ""
        writer.line(("No content blocks." + more, "muted"))


def _block(writer: _Writer, block: ContentBlock, index: int, of: int) -> None:
    number = f"{index + 1}/{of} " if of > 1 else ""
    writer.line((f"{glyphs().closed} {number}", "accent"), *block.title)
    for fact in fact_lines(block.facts, indent="  "):
        writer.long(fact, 4)
    if block.look == "image" and block.data:
        writer.line((f"  {keys.shown_key('result.picture')} shows it", "accent"))
    if block.look == "json":
        _json(writer, block)
    elif block.text:
        _text(writer, block)
    elif block.look == "blob" and block.data:
        _bytes(writer, block.data)


def _bytes(writer: _Writer, data: bytes) -> None:
    lines = HexLines(data[:MOST_BYTES], bytes_per_line(writer.width))
    for index in range(lines.count):
        writer.line(*lines.line(index))
    if len(data) > MOST_BYTES:
        writer.line((f"Truncated: {len(data):,} bytes in total.", "warning"))


def _text(writer: _Writer, block: ContentBlock) -> None:
    shown = block.text
    coloured = highlighted(shown, block.mime_type, block.uri)
    if coloured is not None:
        for each in coloured:
            writer.long(each)
        return
    for line in shown[: writer.most].split("\n"):
        writer.long(((line, "foreign"),))
    writer.is_cut = writer.is_cut or len(shown) > writer.most
    if len(shown) > writer.most == MOST_CHARACTERS:
        writer.line(("Truncated. Raw shows all.", "warning"))


def _json(writer: _Writer, block: ContentBlock) -> None:
    writer.add(JsonBlockLines(JsonLines(block.text.encode("utf-8", "replace")), writer.width))


class ResultBody(Widget):
    """Tabs and the view of the selected one."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text("utf-8")

    def __init__(self, words: ResultWords | None = None) -> None:
        super().__init__()
        words = words or ResultWords()
        self._actions = words.buttons
        self.has_app = False
        """Whether the tool has an app (MCP Apps) that can show the result."""
        self._buttons = ButtonBar()
        self._buttons.display = False
        self._labels = TABS if words.structured else (*TABS[:STRUCTURED], "Item", *TABS[RAW:SCHEMA])
        self._no_call: Sequence[Sequence[Span]] = (
            ((words.nothing, "muted"),),
            ((f"{keys.key_name('ctrl+j')} {words.press}", "faint"),),
        )
        self._looked: CompletedCall | None = None
        self._waiting = False
        self._block_of: Sequence[int] = ()
        self._width = 0
        self._tabs = Segments(self._labels, (CONTENT,), tabs=True)
        self.content = ContentView(SpanRows(), empty=self._no_call, classes="result--body result--content")
        """Lines of the blocks."""
        self._markdown = VerticalScroll(classes="result--body result--markdown")
        self._verdict = Static("", classes="result--verdict")
        self._structured = JsonView(empty=_NO_STRUCTURE, classes="result--body")
        self._structured.begins_at = "/result/structuredContent"
        self._item = PayloadView(classes="result--body")
        (self._structured if words.structured else self._item).add_class("result--structured")
        self.whole_blocks = not words.structured
        """Whether the second view shows the block under the cursor."""
        self._raw = JsonView(empty=_NO_ANSWER, classes="result--body result--raw")
        self.stderr = LogList(SpanRows(), empty=_NO_STDERR, classes="result--body result--stderr")
        """Stderr output of the server during the call."""
        self._written: Meanwhile | None = None
        self._schema = JsonView(empty=_NO_SCHEMA, classes="result--body result--schema")
        self.schema = b""
        """Schemas of the tool, as JSON."""
        no_history: Sequence[Sequence[Span]] = (((words.history, "muted"),),)
        self.history = LogList(SpanRows(), empty=no_history, classes="result--body result--history")
        """Earlier calls."""

    def compose(self) -> ComposeResult:
        yield self._tabs
        yield self._buttons
        yield self.content
        yield self._markdown
        yield self._verdict
        yield self._structured
        yield self._item
        yield self._raw
        yield self.stderr
        yield self.history
        yield self._schema

    def on_mount(self) -> None:
        self.show_tab(CONTENT)

    @property
    def is_ready(self) -> bool:
        return all(view.is_mounted for view in (self._schema, self._structured, self._item, self._raw))

    @property
    def tab(self) -> int:
        return self._tabs.chosen[0]

    @property
    def tabs(self) -> int:
        return len(self._labels)

    def show_schema(self, schema: bytes) -> None:
        """Show the schemas of another tool, as JSON."""
        if schema != self.schema:
            self.schema = schema
            self._schema.show(schema)

    def show(self, looked: CompletedCall | None, *, waiting: bool = False, written: Meanwhile | None = None) -> None:
        """Show a finished call; None: none yet. `written` is the server's stderr output during the call."""
        self._looked, self._waiting, self._written = looked, waiting, written
        self._show_written()
        self._buttons.display = looked is not None
        self._tabs.set_class(looked is not None, "-above")
        self.remove_class("-rendered")
        self._lay_out()
        self._label()
        structured = looked.view.structured if looked else None
        self._structured.show(structured.text.encode() if structured else b"")
        self._raw.show(looked.raw if looked else b"")
        lines = [structured.verdict, *fact_lines(structured.problems, indent="  ")] if structured else []
        dark = self.app.current_theme.dark
        verdict = Text("\n").join(spans_to_text(line, dark=dark) for line in lines)
        verdict.no_wrap = False
        self._verdict.update(verdict)

    def show_history(self, rows: RowSource) -> None:
        """Show the history of another item."""
        self.history.source = rows
        self._label()

    def _label(self) -> None:
        """Update counts and validation signs on the tabs."""
        labels = list(self._labels)
        structured = self._looked.view.structured if self._looked else None
        if structured is not None:
            signs = (glyphs().ok, glyphs().error, glyphs().warning)
            sign = next((sign for sign in signs if structured.verdict[0][0].startswith(sign)), "")
            labels[STRUCTURED] = f"{TABS[STRUCTURED]} {sign}".rstrip()
        count = self.history.source.count
        labels[HISTORY] = f"{TABS[HISTORY]} {count}" if count else TABS[HISTORY]
        labels[STDERR] = f"{TABS[STDERR]} {self.written:,}" if self.written else TABS[STDERR]
        self._tabs.relabel(labels)
        stderr = f"stderr {counted(self.written, 'line')}"
        written = [("tools.stderr", stderr)] if self.written and not self.whole_blocks else []
        self._buttons.offer(*self._actions, *(("tools.browser",) if self.has_app else ()), *written)

    def _lay_out(self, most: int = _AT_ONCE) -> None:
        content = self.content
        self._width = content.line_width
        content.empty = _RUNNING if self._waiting else self._no_call
        if self._looked is None or not self._width:
            content.show(())
            return
        laid = result_lines(self._looked.view, self._width, most)
        self._block_of = laid.blocks
        content.show(laid.lines)
        if most == _AT_ONCE:
            content.go_to(0)
            if laid.is_cut:
                self.call_after_refresh(self.set_timer, _REST_AFTER_S, partial(self._lay_out_rest, self._looked))

    def _lay_out_rest(self, looked: CompletedCall) -> None:
        if looked is self._looked and self.content.line_width == self._width:
            self._lay_out(MOST_CHARACTERS)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._relay)

    def _relay(self) -> None:
        if self.content.line_width != self._width:
            self._lay_out()

    @property
    def written(self) -> int:
        """Number of stderr lines during the call."""
        return len(self._written.lines) if self._written is not None else 0

    def _show_written(self) -> None:
        if self._written is not None:
            self._written.look()
        lines = self._written.lines if self._written is not None else []
        self.stderr.source = SpanRows([[(f"#{n} ", "faint"), (line, "foreign")] for n, line in lines])
        self._label()

    def sync(self) -> None:
        """Update the visible view: new rows, and the width if it was hidden."""
        if self._written is not None and self._written.look():  # a separate pipe: lines may arrive late
            self._show_written()
        if self.tab == HISTORY:
            self.history.sync()
        elif self.tab == STDERR:
            self.stderr.sync()
        elif self.tab == CONTENT:
            self._relay()

    def show_tab(self, tab: int) -> None:
        if tab == STRUCTURED and self.whole_blocks:
            self._show_item()
        self._tabs.choose(tab)
        for index, name in enumerate(TABS):
            self.set_class(index == tab, f"-{name.lower()}")
        searched = ((CONTENT, self.content), (STRUCTURED, self._structured), (RAW, self._raw), (SCHEMA, self._schema))
        for index, view in searched:
            view.finder.hide(index != tab)
        self._relay()

    def focus_body(self) -> None:
        """Focus the visible view."""
        rendered = self.has_class("-rendered")
        if self.tab == STRUCTURED and self.whole_blocks:
            self._item.focus_content()
            return
        first = self._markdown if rendered else self.content
        (first, self._structured, self._raw, self.stderr, self.history, self._schema)[self.tab].focus()

    def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Show the view that was clicked."""
        event.stop()
        self.show_tab(event.index)

    @property
    def block(self) -> ContentBlock | None:
        """Block under the cursor, else the first; None if there is none."""
        if self._looked is None or not self._looked.view.blocks:
            return None
        cursor = self.content.view.cursor
        index = self._block_of[cursor] if 0 <= cursor < len(self._block_of) else 0
        return self._looked.view.blocks[max(index, 0)]

    @property
    def to_copy(self) -> str:
        """Text for the clipboard: raw response, stderr lines or schemas in their tabs, else the current block."""
        if self.tab == RAW and self._looked is not None:
            return decode(self._looked.raw)
        if self.tab == STDERR and self._written is not None:
            return "\n".join(line for _, line in self._written.lines)
        if self.tab == SCHEMA:
            return decode(self.schema)
        block = self.block
        return (block.foreign or block.text) if block is not None else ""

    def _show_item(self) -> None:
        """Show the block under the cursor in full."""
        block = self.block
        if block is None:
            self._item.show([("Nothing read", "muted")], (), b"", AS_TEXT)
            return
        payload = block.payload
        form = BYTES if block.data is not None else TREE if block.look == "json" else AS_TEXT
        self._item.show(block.title, (), payload, form)

    async def toggle_markdown(self) -> bool:
        """Toggle between rendered Markdown and plain text; return False if there is no text."""
        if self.has_class("-rendered"):
            self.remove_class("-rendered")
            return True
        blocks = self._looked.view.blocks if self._looked else ()
        texts = [block.text for block in blocks if block.look in ("plain", "markdown") and block.text]
        if not texts:
            return False
        from textual.widgets import Markdown

        await self._markdown.remove_children()
        shown = texts[:_MOST_RENDERED]
        await self._markdown.mount(*(Markdown(each[:_MOST_MARKDOWN], open_links=False) for each in shown))
        self.add_class("-rendered")
        self.show_tab(CONTENT)
        return True
