"""Dialogs of Traffic: the trace of an operation, the columns of the list, and going to an entry."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Input, Static

from inspector import text
from inspector.errors import FilterError
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Span
from inspector.present.trace import Trace, TraceRows, facts_line, markdown_of, trace_of
from inspector.present.traffic.columns import CHOICES, FIELD, column
from inspector.present.traffic.extra_cells import field_ref
from inspector.protocol.facts import SseNote, Stderr
from inspector.protocol.frames import Frame
from inspector.text import human_size, visible
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.clipboard import copy
from inspector.tui.conversation import OpenConversation
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.widgets.dialogs import Dialog, DialogBox
from inspector.tui.widgets.key_bars import FooterBar
from inspector.tui.widgets.payload import RAW, TREE, PayloadView
from inspector.tui.widgets.prompts import PromptScreen
from inspector.tui.widgets.save import SaveScreen
from inspector.tui.widgets.virtual_list import LogList

_TELL_EVERY_S = 0.5
_TALL = 30
"""Minimum height in rows to show the message of the selected step."""

_NAME_CELLS = 20
_WORDS = {"way": "Direction", "lane": "Waterfall", "seconds": "Time", "channel": "Channel", "mark": "Finding's sign"}


class TraceScreen(Dialog[int | None]):
    """Steps of an operation, and the message of the selected one."""

    places = ("Trace", ActionScope.MOVING, ActionScope.JSON)
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("Trace"), keys.binding(keys.action("help"))]
    DEFAULT_CSS = """
    TraceScreen { layout: vertical; background: $background; }
    TraceScreen > #trace-title { height: 1; padding: 0 2; color: $text-accent; text-style: bold; }
    TraceScreen > #trace-facts { height: auto; max-height: 4; padding: 0 2; }
    TraceScreen > LogList { height: 1fr; }
    TraceScreen > PayloadView { height: 45%; border-top: solid $border-blurred; }
    TraceScreen.-low > PayloadView { display: none; }
    """

    def __init__(self, conversation: OpenConversation, trace: Trace, chosen: int) -> None:
        """Start at the entry `chosen`."""
        super().__init__()
        self._conversation = conversation
        self._rows = TraceRows(trace)
        self._begin_at = chosen
        self._count = conversation.journal.count

    def compose(self) -> ComposeResult:
        yield Static(Text(f"Trace of {self._rows.trace.title}"), id="trace-title")
        yield Static(id="trace-facts")
        yield LogList(self._rows)
        yield PayloadView()
        yield FooterBar()

    def on_mount(self) -> None:
        """Go to the initial step, and keep checking for more."""
        rows = self.query_one(LogList)
        rows.focus()
        rows.sync()
        steps = self._rows.trace.steps
        rows.go_to(next((at for at, step in enumerate(steps) if step.n >= self._begin_at), 0))
        self._show_facts()
        self.set_interval(_TELL_EVERY_S, self._go_on)

    def on_resize(self, event: events.Resize) -> None:
        """Show the message if there is enough height."""
        self.set_class(event.size.height < _TALL, "-low")

    def _go_on(self) -> None:
        journal, trace = self._conversation.journal, self._rows.trace
        if not trace.open or journal.count == self._count:
            return
        self._count = journal.count
        found = trace_of(journal, trace.first)
        if found is not None:
            self._rows.show(found)
            self.query_one(LogList).sync()
            self._show_facts()

    def _show_facts(self) -> None:
        shown_text = spans_to_text(facts_line(self._rows.trace.facts), dark=self.app.current_theme.dark)
        shown_text.no_wrap = False
        self.query_one("#trace-facts", Static).update(shown_text)

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        """Show the message of the step."""
        message.stop()
        step = self._rows.step(message.index)
        if step is None:
            return
        what = self._conversation.journal.store.entry(step.n).what
        payload = what.payload if isinstance(what, Frame | Stderr) else what.raw if isinstance(what, SseNote) else b""
        size = human_size(len(payload)) if payload else "no message"
        tab = TREE if isinstance(what, Frame) else RAW
        self.query_one(PayloadView).show([(step.title, "strong")], [(size, "muted")], payload, tab)

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Go to the step in Traffic."""
        message.stop()
        step = self._rows.step(message.index)
        if step is not None:
            self.dismiss(step.n)

    def action_save(self) -> None:
        """Save the trace as Markdown."""
        markdown = markdown_of(self._rows.trace, self._conversation.journal)
        self.app.push_screen(SaveScreen(markdown.encode(), f"story-{self._rows.trace.first}.md"))

    def action_copy_trace(self) -> None:
        copy(self.app, markdown_of(self._rows.trace, self._conversation.journal), "trace as Markdown")


class _Choices(RowSource):
    """The visible columns in their order, then the others."""

    def __init__(self, shown: Sequence[str]) -> None:
        names = ["time" if name == "seconds" else name for name in shown]
        self.shown = [name for name in names if column(name) is not None]
        self.names = self.shown + [each.name for each in CHOICES if each.name not in self.shown]
        self.changes = 0

    @property
    def count(self) -> int:
        return len(self.names)

    @property
    def generation(self) -> int:
        return self.changes

    def row(self, index: int, width: int) -> RowView:
        name = self.names[index]
        found = column(name)
        on = name in self.shown
        title = _WORDS.get(name) or (found.title if found is not None else name)
        about = "filter field" if name.startswith(FIELD) else found.about if found is not None else ""
        box = f"[{glyphs().ok}] " if on else "[ ] "
        name_of_it: Span = (text.pad(title, _NAME_CELLS), "text" if on else "muted")
        return RowView([(box, "ok" if on else "faint"), name_of_it, (" " + about, "faint")])

    def apply(self, shown: list[str]) -> None:
        """Set the visible columns, in their order."""
        self.shown = shown
        rest = [name for name in self.names if name not in shown]
        self.names = [*shown, *rest]
        self.changes += 1


def _hint() -> str:
    toggle, left, right, add, reset, leave = (
        keys.shown_key(f"columns.{name}") for name in ("toggle", "left", "right", "add", "reset", "leave")
    )
    return f"{toggle} show/hide   {left} {right} move   {add} add field   {reset} reset   {leave} back"


class ColumnsScreen(Dialog[None]):
    """Dialog to choose the columns. Each change applies at once to the list behind it."""

    BINDINGS = keys.bindings_of(
        "columns.leave", "columns.toggle", "columns.right", "columns.left", "columns.add", "columns.reset"
    )
    DEFAULT_CSS = """
    ColumnsScreen { align: center middle; }
    ColumnsScreen > Vertical {
        width: 74; max-width: 94%; height: 22; max-height: 94%;
        background: $surface; border: round $border; padding: 0 1;
    }
    ColumnsScreen LogList { background: $surface; }
    ColumnsScreen Static { height: 1; margin: 0 1; color: $text-muted; }
    ColumnsScreen #wrong { color: $text-error; display: none; }
    ColumnsScreen Input { border: none; height: 1; padding: 0 1; background: $panel; display: none; }
    ColumnsScreen Input:focus { border: none; }
    """

    def __init__(self, shown: Sequence[str], choose: Callable[[tuple[str, ...]], None]) -> None:
        """`choose` is called with each choice; an empty one selects the columns by width."""
        super().__init__()
        self._rows = _Choices(shown)
        self._choose = choose

    def compose(self) -> ComposeResult:
        with DialogBox():
            yield Static(Text("Columns"))
            yield LogList(self._rows)
            yield Input(placeholder="filter field, such as args.q or http.status")
            yield Static(id="wrong")
            yield Static(Text(_hint()))

    @property
    def _list(self) -> LogList:
        return self.query_one(LogList)

    def on_mount(self) -> None:
        self._list.focus()

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Show or hide the column."""
        self.action_switch()

    def action_switch(self) -> None:
        """Show or hide the column under the cursor."""
        name = self._rows.names[self._list.view.cursor]
        shown = list(self._rows.shown)
        if name == "what":
            return  # the list is useless without it
        shown.remove(name) if name in shown else shown.append(name)
        self._apply(shown, name)

    def action_shift(self, by: int) -> None:
        name, shown = self._rows.names[self._list.view.cursor], list(self._rows.shown)
        if name not in shown or not 0 <= (at := shown.index(name)) + by < len(shown):
            return
        shown.insert(at + by, shown.pop(at))
        self._apply(shown, name)

    def action_add(self) -> None:
        """Open the input line for a field."""
        self.query_one(Input).display = True
        self.query_one(Input).focus()

    def action_reset(self) -> None:
        """Select the columns by width again, and close the dialog."""
        self._choose(())
        self.dismiss()

    def action_leave(self) -> None:
        """Go from the input line back to the list, or close the dialog."""
        if self.query_one(Input).has_focus:
            self.query_one(Input).display = False
            self._list.focus()
        else:
            self.dismiss()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Show the field as a column, or an error if it is unknown."""
        wanted, wrong = event.value.strip(), self.query_one("#wrong", Static)
        wrong.display = bool(wanted) and field_ref(wanted) is None
        if wrong.display:
            wrong.update(Text(f"Unknown field {text.one_line(wanted, 40)}."))
            return
        event.input.value = ""
        event.input.display = False
        self._list.focus()
        if wanted:
            name = FIELD + wanted
            self._apply([*(each for each in self._rows.shown if each != name), name], name)

    def _apply(self, shown: list[str], name: str) -> None:
        self._rows.apply(shown)
        self._choose(tuple(shown))
        self._list.sync()
        self._list.go_to(self._rows.names.index(name))


class GoToScreen(PromptScreen[int]):
    """Prompt whose result is the number of an entry."""

    VERB = "Go to"

    BINDINGS = keys.bindings_of("go_to.leave")
    DEFAULT_CSS = """
    GoToScreen Static { margin: 0 1; }
    GoToScreen #wrong { color: $text-error; }
    """

    def __init__(self, entry: Callable[[str], int]) -> None:
        """`entry` returns the entry for an input. It raises FilterError if there is none."""
        super().__init__("Number, time 12:30:05, or +1.5 s since the start")
        self._entry = entry

    def more(self) -> tuple[Widget, ...]:
        return (Static(id="wrong"),)

    def take(self, typed: str) -> None:
        try:
            self.dismiss(self._entry(typed) if typed.strip() else None)
        except FilterError as error:
            self.query_one("#wrong", Static).update(Text(visible(str(error), limit=200)))
