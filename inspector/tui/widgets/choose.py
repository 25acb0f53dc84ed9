"""A searchable list to choose one item from, for choices that are too long to be side by side."""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from inspector.present.rows import RowSource, RowView
from inspector.text import one_line
from inspector.tui import keys
from inspector.tui.widgets.dialogs import Dialog, DialogBox
from inspector.tui.widgets.search_bar import SearchBar
from inspector.tui.widgets.virtual_list import LogList


class _Labels(RowSource):
    """Labels that match the search, in their original order."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = labels
        self._found: Sequence[int] = range(len(labels))

    def search(self, wanted: str) -> None:
        """Show the labels that contain `wanted`."""
        wanted = wanted.casefold()
        self._found = [at for at, label in enumerate(self._labels) if wanted in label.casefold()]
        self._generation += 1

    @property
    def count(self) -> int:
        return len(self._found)

    def original(self, index: int) -> int:
        return self._found[index]

    def row(self, index: int, width: int) -> RowView:
        return RowView([(one_line(self._labels[self._found[index]], width) or '""', "text")])


class ChooseScreen(Dialog[int | None]):
    """Dialog that returns the index of the chosen label; None if cancelled."""

    BINDINGS = keys.bindings_of("choose.leave", "choose.search")
    DEFAULT_CSS = """
    ChooseScreen { align: center middle; background: $background 60%; }
    ChooseScreen > Vertical {
        width: 64; max-width: 94%; height: 70%; min-height: 12;
        background: $surface; border: round $border; padding: 0 1;
    }
    ChooseScreen LogList { background: $surface; }
    ChooseScreen Static { height: 1; margin: 0 1; color: $text-muted; }
    """

    def __init__(self, name: str, labels: Sequence[str], typed: str = "") -> None:
        """`name` has been made safe; `labels` are untrusted text. `typed` is the text to search first."""
        super().__init__()
        self._typed = typed
        self._heading = name
        self._rows = _Labels(labels)

    def compose(self) -> ComposeResult:
        """Place a search line above a list."""
        with DialogBox():
            yield Static(Text(self._heading))
            yield SearchBar("search", placeholder="type to search")
            yield LogList(self._rows, empty=((("No matches", "muted"),),))

    def on_mount(self) -> None:
        """Focus the search line, with the text that was typed so far."""
        bar = self.query_one(SearchBar)
        bar.focus()
        bar.text = self._typed

    def on_search_bar_changed(self, event: SearchBar.Changed) -> None:
        self._rows.search(event.text)
        event.control.show_count(self._rows.count if event.text else None)
        self.query_one(LogList).sync()

    def on_search_bar_done(self, event: SearchBar.Done) -> None:
        """Choose the only match, or focus the list."""
        if event.found and self._rows.count == 1:
            self.dismiss(self._rows.original(0))
        elif event.found:
            self.query_one(LogList).focus()
        else:
            self.dismiss(None)

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        self.dismiss(self._rows.original(event.index))

    def action_search(self) -> None:
        """Focus the search line again."""
        self.query_one(SearchBar).focus()
