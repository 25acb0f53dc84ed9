"""The result of a call: what came of it, its blocks, its structure beside the schema's verdict, and the raw answer.

While a call runs its progress stands here, with the way to cancel it. Nothing is judged here and nothing is called:
what a person wants done is posted.
"""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from inspector.protocol.exchanges import Exchange
from inspector.tui import keys
from inspector.tui.panels.calls import Call, Looked
from inspector.tui.panels.result_lines import result_lines
from inspector.tui.styles import glyphs, spans_to_text
from inspector.tui.widgets.form_bar import Deed, FormBar
from inspector.tui.widgets.json_view import JsonView
from inspector.tui.widgets.log_list import LogList
from inspector.tui.widgets.segments import Segments
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels import text
from inspector.viewmodels.lines import fact_lines
from inspector.viewmodels.result_blocks import Block
from inspector.viewmodels.roles import Span
from inspector.viewmodels.rows import RowSource, SpanRows
from inspector.viewmodels.words import progress_words

TABS = ("Content", "Structured", "Raw", "History")
CONTENT, STRUCTURED, RAW, HISTORY = range(4)
_BAR = 24
"""Cells of the progress bar at most."""


class ResultPanel(Widget):
    """Shows one call of a tool at a time, and the list of its calls."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.Where.RESULT, keys.Where.DETAIL)
    HELP = """\
What came of a call. `[` and `]` go through its views: the blocks, the structured part with its verdict, the answer as
it came, and the earlier calls. Three failures look different because they are: a tool that says it failed, a request that
the server refused, and an answer that never came.
"""
    DEFAULT_CSS = """
    ResultPanel { layout: vertical; }
    ResultPanel > .result--headline { height: 1; }
    ResultPanel > .result--running { height: auto; padding: 0 1; display: none; }
    ResultPanel.-running > .result--running { display: block; }
    ResultPanel > .result--cancel { display: none; margin: 0 1; }
    ResultPanel.-running > .result--cancel { display: block; }
    ResultPanel > Segments { margin: 0 0 1 0; }
    ResultPanel > .result--verdict { height: auto; max-height: 50%; padding: 0 2; margin: 0 0 1 0; }
    ResultPanel > .result--body { height: 1fr; display: none; }
    ResultPanel.-content > .result--content { display: block; }
    ResultPanel.-structured > .result--structured { display: block; }
    ResultPanel > .result--verdict { display: none; }
    ResultPanel.-structured > .result--verdict { display: block; }
    ResultPanel.-raw > .result--raw { display: block; }
    ResultPanel.-history > .result--history { display: block; }
    ResultPanel.-rendered > .result--content { display: none; }
    ResultPanel.-rendered.-content > .result--markdown { display: block; padding: 0 2; }
    """

    class Wanted(Message):
        """Something is wanted of a call: "show", "edit", "repeat"; or of the running one: "cancel"."""

        def __init__(self, control: "ResultPanel", deed: str, exchange: Exchange | None) -> None:
            super().__init__()
            self._control = control
            self.deed = deed
            self.exchange = exchange

        @property
        def control(self) -> "ResultPanel":
            """The panel."""
            return self._control

    def __init__(self) -> None:
        super().__init__()
        self._looked: Looked | None = None
        self._call: Call | None = None
        self._block_of: tuple[int, ...] = ()
        self._width = 0
        self._shown_progress: object = None

    def compose(self) -> ComposeResult:
        """Headline, progress, tabs, and a body for each tab."""
        yield StatusLine(classes="result--headline")
        yield Static("", classes="result--running")
        yield FormBar((), (Deed("cancel", f"{glyphs().times} cancel"),), classes="result--cancel")
        yield Segments(TABS, (CONTENT,))
        yield LogList(SpanRows(), empty=_NO_CALL, classes="result--body result--content")
        yield VerticalScroll(classes="result--body result--markdown")
        yield Static("", classes="result--verdict")
        yield JsonView(empty=_NO_STRUCTURE, classes="result--body result--structured")
        yield JsonView(empty=_NO_ANSWER, classes="result--body result--raw")
        yield LogList(SpanRows(), empty=_NO_HISTORY, classes="result--body result--history")

    def on_mount(self) -> None:
        """Show the first tab, with nothing in it."""
        self.show_tab(CONTENT)
        self._headline()

    # What is shown

    @property
    def exchange(self) -> Exchange | None:
        """The call that is shown."""
        if self._looked is not None:
            return self._looked.exchange
        return self._call.exchange if self._call else None

    @property
    def chosen(self) -> Exchange | None:
        """The call that a key means: the one under the cursor in the history, else the one that is shown."""
        history = self.query_one(".result--history", LogList)
        source = history.source
        if self.tab == HISTORY and source.count and 0 <= history.view.cursor < source.count:
            from inspector.tui.panels.call_history import HistoryRows

            return source.exchange(history.view.cursor) if isinstance(source, HistoryRows) else None
        return self.exchange

    @property
    def looked(self) -> Looked | None:
        """The call that is shown, if it is over."""
        return self._looked

    @property
    def tab(self) -> int:
        """The tab in sight."""
        return self.query_one(Segments).chosen[0]

    def show_history(self, rows: RowSource) -> None:
        """Show the calls of another tool."""
        self.query_one(".result--history", LogList).source = rows

    def show_nothing(self) -> None:
        """Show that there is no call."""
        self._looked = self._call = None
        self._take()

    def show_running(self, call: Call) -> None:
        """Show a call that runs."""
        self._looked, self._call = None, call
        self._take()
        if self.tab != CONTENT:
            self.show_tab(CONTENT)
        self.tick(0)

    def show(self, looked: Looked) -> None:
        """Show a call that is over."""
        self._looked, self._call = looked, None
        self._take()
        if self.tab == HISTORY:
            self.show_tab(CONTENT)

    def _take(self) -> None:
        looked = self._looked
        self.set_class(self._call is not None, "-running")
        self.remove_class("-rendered")
        self._headline()
        self._lay_out()
        structured = looked.view.structured if looked else None
        self.query_one(".result--structured", JsonView).show(structured.text.encode() if structured else b"")
        self.query_one(".result--raw", JsonView).show(looked.raw if looked else b"")
        lines = [structured.verdict, *fact_lines(structured.problems, indent="  ")] if structured else []
        dark = self.app.current_theme.dark
        verdict = Text("\n").join(spans_to_text(line, dark=dark) for line in lines)
        verdict.no_wrap = False
        self.query_one(".result--verdict", Static).update(verdict)

    def _lay_out(self) -> None:
        content = self.query_one(".result--content", LogList)
        self._width = content.line_width
        content.empty = _RUNNING if self._call else _NO_CALL
        if self._looked is None or not self._width:
            content.source = SpanRows()
            return
        laid = result_lines(self._looked.view, self._width)
        self._block_of = laid.blocks
        content.source = SpanRows(laid.lines)
        content.go_to(0)

    def _headline(self) -> None:
        line = self.query_one(".result--headline", StatusLine)
        if self._looked is not None:
            line.show([*self._looked.view.headline], [(self._clock(), "faint")])
        elif self._call is not None:
            line.show([(f"{glyphs().pending} Running", "pending")])
        else:
            line.show([("Result", "muted")])

    def _clock(self) -> str:
        exchange = self._looked.exchange if self._looked else None
        return f"#{exchange.request_frame}" if exchange else ""

    def tick(self, now_ns: int) -> None:
        """Renew what changes while a call runs. `now_ns` is the journal's clock."""
        call = self._call
        if call is None:
            return
        exchange = call.exchange
        elapsed = max(0, now_ns - exchange.started_ns) // 100_000_000 if exchange and now_ns else 0
        shown = (elapsed, exchange.progress if exchange else None, call.cancelling)
        if shown == self._shown_progress:
            return
        self._shown_progress = shown
        lines = [_elapsed(call, elapsed)]
        if exchange and exchange.progress:
            lines += _progress(exchange, max(10, min(_BAR, self.size.width - 30)))
        body = Text("\n").join(spans_to_text(line, dark=self.app.current_theme.dark) for line in lines)
        body.no_wrap = False
        self.query_one(".result--running", Static).update(body)

    # Tabs

    def show_tab(self, tab: int) -> None:
        """Show one of the views."""
        self.query_one(Segments).choose(tab)
        for index, name in enumerate(TABS):
            self.set_class(index == tab, f"-{name.lower()}")

    def focus_body(self) -> None:
        """Focus the view in sight."""
        if self.has_class("-rendered") and self.tab == CONTENT:
            self.query_one(".result--markdown").focus()
            return
        self.query_one(f".result--{TABS[self.tab].lower()}").focus()

    def action_tab(self, by: int) -> None:
        """Show the next view."""
        self.show_tab((self.tab + by) % len(TABS))
        self.focus_body()

    def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Show the view that was clicked."""
        event.stop()
        self.show_tab(event.index)

    def on_form_bar_pressed(self, event: FormBar.Pressed) -> None:
        """Cancel."""
        event.stop()
        self.post_message(self.Wanted(self, "cancel", self.exchange))

    # Doing something with what is shown

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Show the chosen call, or the picture of the chosen block."""
        event.stop()
        if event.control.has_class("result--history"):
            self.post_message(self.Wanted(self, "show", self.chosen))
        elif (block := self._block()) is not None and block.look == "image":
            self.action_picture()

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Keep it: the tools' list is another one."""
        event.stop()

    def _block(self) -> Block | None:
        """The block under the cursor, else the first."""
        if self._looked is None or not self._looked.view.blocks:
            return None
        cursor = self.query_one(".result--content", LogList).view.cursor
        index = self._block_of[cursor] if 0 <= cursor < len(self._block_of) else 0
        return self._looked.view.blocks[max(index, 0)]

    def action_picture(self) -> None:
        """Show the picture of the block under the cursor, else the first picture."""
        blocks = [self._block(), *(self._looked.view.blocks if self._looked else ())]
        found = next((block for block in blocks if block and block.look == "image" and block.data), None)
        if found is None or found.data is None:
            self.app.notify("There is no picture in this result.", markup=False)
            return
        from inspector.tui.screens.picture import PictureScreen

        self.app.push_screen(PictureScreen(found.data, text.visible("".join(part for part, _ in found.title))))

    async def action_markdown(self) -> None:
        """Show texts as the Markdown they may be, or as they are."""
        if self.has_class("-rendered"):
            self.remove_class("-rendered")
            self.focus_body()
            return
        blocks = self._looked.view.blocks if self._looked else ()
        texts = [block.text for block in blocks if block.look in ("plain", "markdown") and block.text]
        if not texts:
            self.app.notify("There is no text in this result.", markup=False)
            return
        from textual.widgets import Markdown

        body = self.query_one(".result--markdown", VerticalScroll)
        await body.remove_children()
        await body.mount(*(Markdown(shown[:_MOST_MARKDOWN], open_links=False) for shown in texts[:20]))
        self.add_class("-rendered")
        self.show_tab(CONTENT)
        self.focus_body()

    def action_edit(self) -> None:
        """Want the arguments of the chosen call in the form."""
        if self.chosen is not None:
            self.post_message(self.Wanted(self, "edit", self.chosen))

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew."""
        self.call_after_refresh(self._relay)

    def _relay(self) -> None:
        if self.query_one(".result--content", LogList).line_width != self._width:
            self._lay_out()

    def sync(self) -> None:
        """Take over what has changed in the history."""
        if self.tab == HISTORY:
            self.query_one(".result--history", LogList).sync()


_MOST_MARKDOWN = 50_000
"""Characters of a text that are rendered: each paragraph becomes a widget."""
_NO_CALL: Sequence[Sequence[Span]] = (
    (("Not called yet", "muted"),),
    ((f"{keys.key_name('ctrl+j')} calls the tool", "faint"),),
)
_RUNNING: Sequence[Sequence[Span]] = ((("the result comes here", "faint"),),)
_NO_STRUCTURE: Sequence[Sequence[Span]] = ((("No structured content", "muted"),),)
_NO_ANSWER: Sequence[Sequence[Span]] = ((("No answer", "muted"),),)
_NO_HISTORY: Sequence[Sequence[Span]] = ((("No calls of this tool yet", "muted"),),)


def _elapsed(call: Call, tenths: int) -> list[Span]:
    if call.cancelling:
        return [(f"{glyphs().times} cancelling", "warning")]
    if call.exchange is None:
        return [(f"{glyphs().pending} sending", "pending")]
    return [(f"{tenths / 10:.1f} s", "pending"), ("   ^c cancels", "faint")]


def _progress(exchange: Exchange, width: int) -> list[list[Span]]:
    progress = exchange.progress
    assert progress is not None
    words: list[Span] = [(progress_words(progress), "text"), (f"  {glyphs().times}{progress.count}", "faint")]
    if progress.total is None or progress.total <= 0:
        return [words]
    share = min(max(progress.progress / progress.total, 0.0), 1.0)
    full = round(share * width)
    bar: list[Span] = [("━" * full, "accent"), ("─" * (width - full), "faint"), (f" {share:.0%}", "muted")]
    return [bar, words]
