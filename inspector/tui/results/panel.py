"""Result of a call: the outcome in one line, its progress while it runs, and tabs with its views.

Three kinds of failure are distinguished: a tool that reports an error, a request that the server rejects, and a
missing response. This module sends nothing: the user's actions are posted as messages.
"""

from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Static

from inspector import text
from inspector.present.calls import CompletedCall, PastCall
from inspector.present.spans import Span, plain, spans_width
from inspector.present.words import bar, progress_spans, state_of
from inspector.protocol.exchanges import Exchange, Progress
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.panels import Panel
from inspector.tui.results.calls import CallClocks, HistoryRows, RunningCall, clock_lines, whole_seconds
from inspector.tui.results.views import CONTENT, HISTORY, STRUCTURED, ResultBody, ResultWords
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.picture import PictureScreen
from inspector.tui.widgets.schema_form.view import FieldAction, FormBar
from inspector.tui.widgets.sent import Sent
from inspector.tui.widgets.virtual_list import LogList

_GO = keys.key_name("ctrl+g")
_HEADLINE_GAP = 4
"""Cells of the headline without text: its edges, and the space in the middle."""
_BEFORE: Span = ("of the previous connection", "warning")
_NO_CLOCKS = CallClocks()
_BAR = 24
"""Maximum cells of the progress bar."""


class ResultPanel(Widget):
    """Shows one call at a time, and the history of calls."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings(keys.ActionScope.RESULT, keys.ActionScope.DETAIL),
        replace(keys.binding(keys.action("copy")), show=True),
    ]
    DEFAULT_CSS = """
    ResultPanel { layout: vertical; }
    ResultPanel > .result--headline { height: 1; }
    ResultPanel > .result--cause { height: auto; max-height: 3; padding: 0 1; }
    ResultPanel > .result--running { height: auto; padding: 0 1; }
    ResultPanel > FormBar { margin: 0 0 1 0; }
    """

    class Wanted(Sent["ResultPanel"]):
        """The user's action on a call: "show", "edit" or "repeat"; on the running one: "cancel"."""

        def __init__(
            self, control: "ResultPanel", action: str, call: PastCall | CompletedCall | RunningCall | None
        ) -> None:
            super().__init__(control)
            self.action = action
            self.call = call

    def __init__(self, words: ResultWords | None = None) -> None:
        super().__init__()
        self.looked: CompletedCall | None = None
        """Shown finished call, read back; None if nothing is shown or while a call runs."""
        self._call: RunningCall | None = None
        self._earlier = False
        """Whether the shown call belongs to an earlier connection."""
        self._shown_progress: object = None
        self.headline = StatusLine(classes="result--headline")
        self._cause = Static("", classes="result--cause")
        self._progress = Static("", classes="result--running")
        cancel = FieldAction("cancel", f"[ Cancel {keys.shown_key('request.cancel')} ]")
        self._bar = FormBar((), (cancel,), typed_at=False)
        for part in (self._cause, self._progress, self._bar):
            part.display = False  # not by a class of the panel, which would restyle all its parts
        self.body = ResultBody(words)
        """Tabs with the views."""

    def compose(self) -> ComposeResult:
        yield self.headline
        yield self._cause
        yield self._progress
        yield self._bar
        yield self.body

    def on_mount(self) -> None:
        self._headline()

    @property
    def is_empty(self) -> bool:
        """Whether no call is shown."""
        return self.looked is None and self._call is None

    @property
    def exchange(self) -> Exchange | None:
        """Exchange of the shown call; None without a call, or before it is sent."""
        if self.looked is not None:
            return self.looked.exchange
        return self._call.exchange if self._call else None

    @property
    def chosen(self) -> PastCall | CompletedCall | RunningCall | None:
        """Call that actions apply to: the one under the cursor in the history, else the shown one."""
        history = self.body.history
        if self.body.tab == HISTORY and isinstance(history.source, HistoryRows) and history.source.count:
            return history.source.call(max(history.view.cursor, 0))
        return self.looked or self._call

    def show_nothing(self) -> None:
        self._take(None, None)

    def show_running(self, call: RunningCall, *, turn: bool = True) -> None:
        """Show a running call; `turn` switches to the Content tab."""
        self._take(None, call)
        if turn:
            self.body.show_tab(CONTENT)
        self.tick(0)

    def show(self, looked: CompletedCall, *, earlier: bool = False) -> None:
        """Show a finished call; `earlier`: it belongs to an earlier connection."""
        self._take(looked, None, earlier=earlier)

    def show_cause(self, line: list[Span]) -> None:
        """Show the primary finding about the shown call; [] for none."""
        self._cause.display = bool(line)
        words = spans_to_text(line, dark=self.app.current_theme.dark)
        words.no_wrap = False
        self._cause.update(words)

    def outlive(self) -> None:
        """Mark the shown call as part of the previous connection."""
        self._earlier = True
        self._headline()

    def _take(self, looked: CompletedCall | None, call: RunningCall | None, *, earlier: bool = False) -> None:
        self.looked, self._call, self._earlier = looked, call, earlier
        self._shown_progress = None
        self._progress.display = self._bar.display = call is not None
        self.body.show(looked, waiting=call is not None, written=looked.written if looked is not None else None)
        self._headline()
        self.refresh_bindings()

    def _headline(self) -> None:
        line = self.headline
        if self.looked is not None:
            exchange = self.looked.exchange
            number = f"#{exchange.request_frame}" if exchange else ""
            right: list[Span] = [_BEFORE] if self._earlier else [(number, "faint")]
            go: Span = ("Form  " if self.has_focus_within else "Result  ", "faint")
            hint: list[Span] = [(f"{_GO} ", "accent"), go, *right]
            headline = [*self.looked.view.headline]
            has_room = spans_width([*headline, *hint]) + _HEADLINE_GAP <= self.size.width
            line.show(headline, hint if has_room else right)
        elif self._call is not None:
            line.show([(f"{glyphs().pending} Running", "pending")], [_BEFORE] if self._earlier else [])
        else:
            line.show([("Result", "muted")])

    def on_resize(self) -> None:
        """Fit the headline to the width."""
        self._headline()

    def on_descendant_focus(self) -> None:
        """Show the key that returns to the form."""
        self.call_later(self._headline)

    def on_descendant_blur(self) -> None:
        """Show the key that goes to the result."""
        self.call_later(self._headline)

    def tick(self, now_ns: int, clocks: CallClocks = _NO_CLOCKS) -> None:
        """Update progress and timeouts of a running call. `now_ns` is the time on the journal's clock."""
        call = self._call
        if call is None:
            return
        exchange = call.exchange
        elapsed = max(0, now_ns - exchange.started_ns) // 100_000_000 if exchange and now_ns else 0
        progress = exchange.progress if exchange else None
        task = call.journal.conversation.tasks.of_operation(exchange.operation) if exchange else None
        word = (task.state, task.message) if task else None
        shown = (elapsed, exchange, progress, call.cancelling, whole_seconds(clocks), word)
        if shown == self._shown_progress:
            return
        self._shown_progress = shown
        lines = [_elapsed(call, elapsed)]
        if progress is not None:
            lines += _progress(progress, max(10, min(_BAR, self.size.width - 30)))
        if task is not None:
            said_last: Span = ("  " + text.visible(task.message, limit=500), "text")
            lines.append(
                [
                    ("task  ", "faint"),
                    state_of(task),
                    said_last,
                    (f"  {keys.shown_key('screen.tasks')} shows it", "faint"),
                ]
            )
        lines += clock_lines(clocks)
        words = Text("\n").join(spans_to_text(line, dark=self.app.current_theme.dark) for line in lines)
        words.no_wrap = False
        self._progress.update(words)

    def action_tab(self, by: int) -> None:
        """Show the next tab."""
        self.body.show_tab((self.body.tab + by) % self.body.tabs)
        self.body.focus_body()

    def on_form_bar_pressed(self, event: FormBar.Pressed) -> None:
        """Cancel the running call."""
        event.stop()
        self.post_message(self.Wanted(self, "cancel", self._call))

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Show the chosen call, the picture of the chosen block, or the whole block."""
        event.stop()
        block = self.body.block
        if event.control is self.body.history:
            self.body.show_tab(CONTENT)
            source = self.body.history.source
            assert isinstance(source, HistoryRows)
            self.post_message(self.Wanted(self, "show", source.call(event.index)))
            self.body.focus_body()
        elif block is not None and block.look == "image":
            self.action_picture()
        elif block is not None and self.body.whole_blocks:
            self.body.show_tab(STRUCTURED)
            self.body.focus_body()

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Stop the message, which an ancestor would take for one of its own list."""
        event.stop()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the picture action only if there is a picture."""
        return action != "picture" or has_picture(self.looked)

    def action_picture(self) -> None:
        """Show the picture of the block under the cursor, else the first picture."""
        blocks = [self.body.block, *(self.looked.view.blocks if self.looked else ())]
        found = next((block for block in blocks if block and block.look == "image" and block.data), None)
        if found is None or found.data is None:
            self.app.notify("No image in this result.")
            return
        self.app.push_screen(PictureScreen(found.data, plain(found.title)))

    async def action_markdown(self) -> None:
        """Toggle between rendered Markdown and plain text."""
        if await self.body.toggle_markdown():
            self.body.focus_body()
        else:
            self.app.notify("No text in this result.")

    def action_again(self) -> None:
        """Ask the panel to repeat the chosen call."""
        if self.chosen is not None:
            self.post_message(self.Wanted(self, "repeat", self.chosen))

    def action_entry(self) -> None:
        """Show the request of the shown result in Traffic."""
        if self._earlier:
            self.app.notify("The request belongs to the previous connection.")
        elif self.exchange is not None:
            self.post_message(Panel.EntryWanted(self.exchange.request_frame))

    def action_edit(self) -> None:
        """Ask the panel to put the arguments of the chosen call into the form."""
        if self.chosen is not None:
            self.post_message(self.Wanted(self, "edit", self.chosen))

    def action_copy(self) -> None:
        """Copy the content of the visible tab or the block under the cursor, without control characters."""
        if shown := self.body.to_copy:
            copy(self.app, shown)


def has_picture(looked: CompletedCall | None) -> bool:
    return looked is not None and any(each.look == "image" and each.data for each in looked.view.blocks)


def _elapsed(call: RunningCall, tenths: int) -> list[Span]:
    if call.cancelling:
        return [(f"{glyphs().times} cancelling", "warning")]
    if call.exchange is None:
        return [(f"{glyphs().pending} sending", "pending")]
    return [(f"{tenths / 10:.1f} s", "pending")]


def _progress(progress: Progress, width: int) -> list[list[Span]]:
    words: list[Span] = [*progress_spans(progress), (f"  {glyphs().times}{progress.count}", "faint")]
    drawn = bar(progress, width)
    return [drawn, words] if drawn else [words]
