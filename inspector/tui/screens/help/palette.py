"""Palette: every action by name or synonym with its key, and the server's tools, resources and prompts."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input

from inspector.present.items import best_first
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Span, lay
from inspector.text import fit, pad, visible
from inspector.tui import keys
from inspector.tui.actions import Command
from inspector.tui.widgets.dialogs import Dialog, DialogBox
from inspector.tui.widgets.virtual_list import LogList

_NAMES, _WHERE, _KEYS = 30, 14, 10
"""Widths in cells of a command's name, of its scope, and of its key."""
_NARROW = 70
"""Cells below which only name and key are shown."""
SYNONYMS: dict[str, str] = dict(
    line.split(maxsplit=1)
    for line in Path(__file__).with_name("synonyms.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
)
"""Ids of actions with further words that find them."""


class CommandRows(RowSource):
    """Matching commands, best match first; without a search text, recent ones first."""

    def __init__(self, commands: Sequence[Command], recent: Sequence[str] = ()) -> None:
        """`recent` are ids, newest first."""
        place = {name: at for at, name in enumerate(recent)}
        self._commands = sorted(commands, key=lambda each: place.get(each.id, len(place)))
        self.found: Sequence[Command] = self._commands

    @property
    def all(self) -> int:
        """Number of commands, matching or not."""
        return len(self._commands)

    def search(self, typed: str) -> None:
        """Show commands with each word of `typed` in name, synonyms or description, or with its letters in order."""
        wanted = typed.casefold()
        self.found = best_first(self._commands, lambda each: _rank(each, wanted))
        self._generation += 1

    @property
    def count(self) -> int:
        return len(self.found)

    def row(self, index: int, width: int) -> RowView:
        found = self.found[index]
        name, does, where = (visible(each, limit=200) for each in (found.name, found.does, found.where))
        key: Span = (pad(found.key, _KEYS, right=True), "accent")
        if width < _NARROW:
            room = max(0, width - _KEYS)
            named: list[Span] = [(fit(name, room), "strong"), (f"  {where}", "faint")]
            return RowView([*lay(named, room), key])
        room = max(0, width - _NAMES - _WHERE - _KEYS)
        return RowView(
            [
                (pad(fit(name, _NAMES - 1), _NAMES), "strong"),
                (pad(fit(does, room - 1), room), "muted"),
                (pad(fit(where, _WHERE - 1), _WHERE), "faint"),
                key,
            ]
        )


def _rank(command: Command, wanted: str) -> int | None:
    """Return the rank of a match, 0 for the best; None if the command does not match."""
    name, words = command.name.casefold(), wanted.split()
    if name.startswith(wanted):
        return 0
    if all(word in name for word in words):
        return 1
    known_as = SYNONYMS.get(command.id, "").casefold()
    if any(each.startswith(wanted) for each in known_as.split()):
        return 2
    if all(word in f"{name} {command.does.casefold()} {known_as}" for word in words):
        return 3
    letters = iter(name)
    return 4 if all(letter in letters for letter in wanted.replace(" ", "")) else None


class PaletteScreen(Dialog[Command | None]):
    """Returns the chosen command, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("palette.leave")),
        Binding("up", "list('move', -1)", "Up", show=False),
        Binding("down", "list('move', 1)", "Down", show=False),
        Binding("pageup", "list('page', -1)", "Page up", show=False),
        Binding("pagedown", "list('page', 1)", "Page down", show=False),
        Binding("ctrl+home", "list('first')", "First", show=False),
        Binding("ctrl+end", "list('last')", "Last", show=False),
    ]
    DEFAULT_CSS = """
    PaletteScreen { align: center middle; }
    PaletteScreen > Vertical {
        width: 94%; max-width: 110; height: 80%; background: $background; border: round $border; padding: 0 1;
        border-title-color: $text-accent; border-title-style: bold; border-subtitle-color: $text-muted;
    }
    PaletteScreen Input { margin: 0 2; }
    PaletteScreen Input, PaletteScreen Input:focus { background: $background; background-tint: transparent; }
    """

    def __init__(self, commands: Sequence[Command], recent: Sequence[str] = ()) -> None:
        """`recent` are ids of commands, newest first; these are listed first."""
        super().__init__()
        self._rows = CommandRows(commands, recent)

    def compose(self) -> ComposeResult:
        with DialogBox() as frame:
            frame.border_title = "Palette"
            yield (line := Input(placeholder="Search actions, tools, resources and prompts", compact=True))
            line.cursor_blink = False  # blinking would write to the terminal all the time
            yield LogList(self._rows, empty=((("Nothing matches", "muted"),),))

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self._search("")

    @property
    def _list(self) -> LogList:
        return self.query_one(LogList)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._search(event.value)

    def _search(self, typed: str) -> None:
        self._rows.search(typed)
        self._list.sync()
        self._list.go_to(0)
        self.query_one(DialogBox).border_subtitle = Content(
            f"{self._rows.count:,} of {self._rows.all:,} · Enter runs · {keys.shown_key('palette.leave')} closes"
        )

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the command under the cursor, after a search for the latest text."""
        event.stop()
        shown = self._rows.found
        self._rows.search(event.value)
        at = self._list.view.cursor if self._rows.found == shown else 0
        if 0 <= at < self._rows.count:  # the cursor of an empty list is at -1
            self.dismiss(self._rows.found[at])

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        self.dismiss(self._rows.found[event.index])

    def on_click(self, event: events.Click) -> None:
        rows = self._list
        at = rows.view.top + event.y - rows.header_height
        if event.widget is rows and 0 <= at < self._rows.count:
            self.dismiss(self._rows.found[at])

    def action_list(self, way: str, by: int | None = None) -> None:
        """Move the cursor of the list while the search field keeps the focus."""
        action = getattr(self._list, f"action_{way}")
        action() if by is None else action(by)
