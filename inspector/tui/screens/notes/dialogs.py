"""The marks and views of a conversation, over the whole screen. Answers with the entry or the view to go to."""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from inspector.capture.format.notes import COLOURS, Mark, View
from inspector.errors import UsageError
from inspector.present.spans import Span
from inspector.present.traffic.rows import NotedRows, next_colour
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import OpenConversation
from inspector.tui.screens.notes.notes import Noted
from inspector.tui.widgets.bars import FooterBar, StatusLine
from inspector.tui.widgets.dialogs import Dialog
from inspector.tui.widgets.segments import Segments
from inspector.tui.widgets.virtual_list import LogList

_EMPTY: list[list[Span]] = [
    [("Nothing is marked.", "muted")],
    [("m marks a line of the traffic, ; with a comment; S here keeps the way it is looked at", "faint")],
]


class MarksScreen(Dialog["Mark | View | None"]):
    """What was noted, to be gone to or changed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings(ActionScope.MARKS),
        replace(keys.binding(keys.action("help")), action="help"),
    ]
    DEFAULT_CSS = """
    MarksScreen { layout: vertical; background: $background; }
    MarksScreen > Static { height: 1; padding: 0 2; color: $text-accent; text-style: bold; }
    """

    def __init__(self, subject: OpenConversation, noted: Noted, present: View | None) -> None:
        """`present`: how the traffic is looked at now, to be kept by a name; None where it is not looked at."""
        super().__init__()
        self._subject = subject
        self._noted = noted
        self._present = present
        self._rows = NotedRows(subject.journal, noted.notes)

    def compose(self) -> ComposeResult:
        """Title, marks, what there is to say, keys."""
        yield Static(Text(f"Marks and views  {visible(self._subject.about.label, limit=60)}"))
        yield LogList(self._rows, empty=_EMPTY)
        yield StatusLine()
        yield FooterBar()

    def on_mount(self) -> None:
        """Begin at the first."""
        self.query_one(LogList).focus()
        self._show()

    @property
    def _chosen(self) -> Mark | View | None:
        return self._rows.item(self.query_one(LogList).view.cursor)

    def _show(self) -> None:
        notes = self._noted.notes
        self._rows.show(notes)
        self.query_one(LogList).sync()
        where = "" if self._noted.is_kept else "this conversation has no file, so they are gone with it"
        said = notes.trouble or where
        counts = f"{_some(len(notes.marks), 'mark')}, {_some(len(notes.views), 'view')}"
        self.query_one(StatusLine).show([(visible(said, limit=300), "warning")], [(counts, "muted")])

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Go there."""
        self.dismiss(self._rows.item(message.index))

    def action_colour(self) -> None:
        """Give the chosen mark the next colour."""
        mark = self._chosen
        if isinstance(mark, Mark):
            self._try(lambda: self._noted.mark(mark.n, color=next_colour(mark.color)))

    def action_comment(self) -> None:
        """Write beside the chosen mark."""
        # XX

        mark = self._chosen
        if not isinstance(mark, Mark):
            return

        def written(found: tuple[str, str] | None) -> None:
            if found is not None:
                self._try(lambda: self._noted.mark(mark.n, color=found[0], text=found[1]))

        self.app.push_screen(CommentScreen(mark.n, mark.color, mark.text), written)

    def action_remove(self) -> None:
        """Take the chosen mark or view away."""
        item = self._chosen
        if isinstance(item, Mark):
            self._try(lambda: self._noted.unmark(item.n))
        elif isinstance(item, View):
            self._try(lambda: self._noted.change(lambda notes: notes.with_view(item.name, None)))

    def action_keep_view(self) -> None:
        """Keep the way the traffic is looked at now, by a name."""
        # XX

        present = self._present
        if present is None:
            return

        def named(name: str | None) -> None:
            if name:
                view = View(name, present.filter, present.columns, present.tree)
                self._try(lambda: self._noted.change(lambda notes: notes.with_view(name, view)))

        self.app.push_screen(NameScreen("A name for the filter and the columns of now"), named)

    def action_help(self) -> None:
        """Show the keys."""
        from inspector.tui.screens.help.help import HelpScreen

        self.app.push_screen(HelpScreen((ActionScope.MARKS, ActionScope.MOVING)))

    def action_leave(self) -> None:
        """Back to where one was."""
        self.dismiss(None)

    def _try(self, change: Callable[[], object]) -> None:
        try:
            change()
        except UsageError as error:
            self.notify(visible(f"{error}. {error.hint}", limit=300), severity="error", markup=False)
        self._show()


def _some(count: int, one: str) -> str:
    return f"{count:,} {one}{'' if count == 1 else 's'}"


# --- A mark and what is written beside it: a line to type into, and the colours to choose from.


class CommentScreen(Dialog[tuple[str, str] | None]):
    """Answers with the colour and the comment; None if nothing is to change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", tooltip="Change nothing.", id="comment.leave"),
        Binding("down", "app.focus_next", "Colour", show=False, tooltip="Choose the colour.", id="comment.colour"),
        Binding("up", "app.focus_previous", "Comment", show=False, tooltip="Write the comment.", id="comment.text"),
        Binding("enter", "take", "Mark", tooltip="Mark it so.", id="comment.take"),
    ]
    DEFAULT_CSS = """
    CommentScreen { align: center middle; background: $background 60%; }
    CommentScreen > Vertical {
        width: 72; max-width: 94%; height: auto; background: $surface; border: round $border; padding: 0 1;
    }
    CommentScreen Static { height: 1; color: $text-muted; }
    CommentScreen Input { border: none; height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(self, n: int, color: str, text: str) -> None:
        super().__init__()
        self._n = n
        self._color = color
        self._written = text

    def compose(self) -> ComposeResult:
        """The line, the colours."""
        with Vertical():
            yield Static(Text(f"Mark #{self._n:,}: a comment, or none. Enter marks, Esc leaves."))
            yield Input(self._written, select_on_focus=False)
            yield Segments(COLOURS, (COLOURS.index(self._color),), letters=False)

    def on_mount(self) -> None:
        """Begin with the comment."""
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()

    def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Take another colour."""
        event.stop()
        event.control.choose(event.index)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Mark it."""
        event.stop()
        self.action_take()

    def action_take(self) -> None:
        """Mark it so."""
        chosen = self.query_one(Segments).chosen
        self.dismiss((COLOURS[chosen[0]] if chosen else self._color, self.query_one(Input).value.strip()))

    def action_leave(self) -> None:
        """Change nothing."""
        self.dismiss(None)


# --- A name for something, in one line.


class NameScreen(Dialog[str | None]):
    """Answers with what was typed; None for nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", tooltip="Leave it without a name.", id="name.leave"),
    ]
    DEFAULT_CSS = """
    NameScreen { align: center middle; background: $background 60%; }
    NameScreen > Vertical {
        width: 60; max-width: 94%; height: auto; background: $surface; border: round $border; padding: 0 1;
    }
    NameScreen Static { height: 1; color: $text-muted; }
    NameScreen Input { border: none; height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(self, asked: str, proposed: str = "", *, empty: bool = False) -> None:
        """`asked` is a sentence of ours; `empty`: whether nothing is an answer, too."""
        super().__init__()
        self._asked = asked
        self._proposed = proposed
        self._empty = empty

    def compose(self) -> ComposeResult:
        """What is asked for, and a line."""
        with Vertical():
            yield Static(Text(self._asked))
            yield Input(self._proposed, select_on_focus=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take it."""
        event.stop()
        self.dismiss(event.value.strip() or ("" if self._empty else None))

    def action_leave(self) -> None:
        """Take none."""
        self.dismiss(None)
