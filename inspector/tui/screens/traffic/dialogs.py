"""The columns of the traffic list: which are shown, in which order. Each change is seen at once behind it."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input, Static

from inspector import text
from inspector.errors import FilterError
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Span
from inspector.present.traffic.columns import CHOICES, FIELD, column
from inspector.present.traffic.extra_cells import field_ref
from inspector.text import visible
from inspector.tui.theme import glyphs
from inspector.tui.widgets.dialogs import Dialog
from inspector.tui.widgets.prompts import PromptScreen
from inspector.tui.widgets.virtual_list import LogList

_NAME = 20
_WORDS = {"way": "direction", "lane": "waterfall", "seconds": "time", "channel": "channel", "mark": "finding's sign"}


class _Choices(RowSource):
    """The columns that are shown, in their order, then the others."""

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
        about = "a field of the filter language" if name.startswith(FIELD) else found.about if found is not None else ""
        box = f"[{glyphs().ok}] " if on else "[ ] "
        name_of_it: Span = (text.pad(title, _NAME), "text" if on else "muted")
        return RowView([(box, "ok" if on else "faint"), name_of_it, (" " + about, "faint")])

    def apply(self, shown: list[str]) -> None:
        """Show these, in their order."""
        self.shown = shown
        rest = [name for name in self.names if name not in shown]
        self.names = [*shown, *rest]
        self.changes += 1


class ColumnsScreen(Dialog[None]):
    """A list of columns to choose from."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,C", "leave", "Back", tooltip="Keep what is chosen.", id="columns.leave"),
        Binding("space,enter", "switch", "Show/hide", tooltip="Show this column, or hide it.", id="columns.toggle"),
        Binding("J", "shift(1)", "Later", tooltip="Move the column to the right.", id="columns.later"),
        Binding("K", "shift(-1)", "Earlier", tooltip="Move the column to the left.", id="columns.earlier"),
        Binding("a", "add", "Add a field", tooltip="Show a field of the filter language.", id="columns.add"),
        Binding("r", "reset", "As the width", tooltip="Let the width decide again.", id="columns.reset"),
    ]
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
    """

    def __init__(self, shown: Sequence[str], choose: Callable[[tuple[str, ...]], None]) -> None:
        """`choose` is told of each choice; an empty one leaves it to the width."""
        super().__init__()
        self._rows = _Choices(shown)
        self._choose = choose

    def compose(self) -> ComposeResult:
        """The list, and below it the keys."""
        with Vertical():
            yield Static(Text("Columns of the traffic"))
            yield LogList(self._rows)
            yield Input(placeholder="a field, such as args.q or http.status")
            yield Static(id="wrong")
            yield Static(Text("Space show/hide   J K move   a a field   r by width   Esc back"))

    @property
    def _list(self) -> LogList:
        return self.query_one(LogList)

    def on_mount(self) -> None:
        """Begin with the list."""
        self._list.focus()

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Show it, or hide it."""
        self.action_switch()

    def action_switch(self) -> None:
        """Show the column, or hide it."""
        name = self._rows.names[self._list.view.cursor]
        shown = list(self._rows.shown)
        if name == "what":
            return  # a list without it says nothing
        shown.remove(name) if name in shown else shown.append(name)
        self._apply(shown, name)

    def action_shift(self, by: int) -> None:
        """Move the column."""
        name, shown = self._rows.names[self._list.view.cursor], list(self._rows.shown)
        if name not in shown or not 0 <= (at := shown.index(name)) + by < len(shown):
            return
        shown.insert(at + by, shown.pop(at))
        self._apply(shown, name)

    def action_add(self) -> None:
        """Let a field be typed."""
        self.query_one(Input).display = True
        self.query_one(Input).focus()

    def action_reset(self) -> None:
        """Let the width decide."""
        self._choose(())
        self.dismiss()

    def action_leave(self) -> None:
        """From the line to the list, from the list back."""
        if self.query_one(Input).has_focus:
            self.query_one(Input).display = False
            self._list.focus()
        else:
            self.dismiss()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Show the field as a column, or say that there is none of that name."""
        wanted, wrong = event.value.strip(), self.query_one("#wrong", Static)
        wrong.display = bool(wanted) and field_ref(wanted) is None
        if wrong.display:
            wrong.update(Text(f"There is no field {text.one_line(wanted, 40)}."))
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
    """Its result is the number of an entry."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", tooltip="Stay where you are.", id="go_to.leave"),
    ]
    DEFAULT_CSS = """
    GoToScreen Static { margin: 0 1; }
    GoToScreen #wrong { color: $text-error; }
    """

    def __init__(self, entry: Callable[[str], int]) -> None:
        """`entry` says which entry is meant. Raises: FilterError if none is."""
        super().__init__("Go to a number, a time 12:30:05, or seconds since the start +1.5")
        self._entry = entry

    def more(self) -> tuple[Widget, ...]:
        """What is wrong with what was typed."""
        return (Static(id="wrong"),)

    def take(self, typed: str) -> None:
        """Go there, or say what is wrong."""
        try:
            self.dismiss(self._entry(typed) if typed.strip() else None)
        except FilterError as error:
            self.query_one("#wrong", Static).update(Text(visible(str(error), limit=200)))
