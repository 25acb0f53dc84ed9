"""Full-screen list of the marks and views of a conversation. Returns the mark or view to go to."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.capture.format.notes import COLOURS, Mark, View
from inspector.errors import UsageError
from inspector.present.spans import Span
from inspector.present.traffic.note_rows import NoteRows, next_colour
from inspector.text import counted, visible
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import OpenConversation
from inspector.tui.notes import ConversationNotes
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.dialogs import Dialog
from inspector.tui.widgets.key_bars import FooterBar
from inspector.tui.widgets.prompts import CommentScreen, NameScreen
from inspector.tui.widgets.virtual_list import LogList


def _empty(*, saves: bool) -> list[list[Span]]:
    mark, comment, save = map(keys.shown_key, ("traffic.mark", "traffic.comment", "marks.view"))
    more = f" {save} saves the current view." if saves else ""
    return [[("No marks.", "muted")], [(f"{mark} marks an entry of Traffic, {comment} with a comment.{more}", "faint")]]


class MarksScreen(Dialog["Mark | View | None"]):
    """Marks and views, to go to or to change."""

    places = ("Marks and views", ActionScope.MOVING)
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("Marks and views"), keys.binding(keys.action("help"))]
    DEFAULT_CSS = """
    MarksScreen { layout: vertical; background: $background; }
    MarksScreen > Static { height: 1; padding: 0 2; color: $text-accent; text-style: bold; }
    """

    def __init__(self, conversation: OpenConversation, noted: ConversationNotes, present: View | None) -> None:
        """`present`: the current view of Traffic, which can be saved under a name; None if Traffic is not shown."""
        super().__init__()
        self._conversation = conversation
        self._noted = noted
        self._present = present
        self._rows = NoteRows(conversation.journal, noted.notes)
        self._list = LogList(self._rows, empty=_empty(saves=present is not None))

    def compose(self) -> ComposeResult:
        yield Static(Text(f"Marks and views  {visible(self._conversation.about.label, limit=60)}"))
        yield self._list
        yield StatusLine()
        yield FooterBar()

    def on_mount(self) -> None:
        self._list.focus()
        self._show()

    @property
    def _chosen(self) -> Mark | View | None:
        return self._rows.item(self._list.view.cursor)

    def _show(self) -> None:
        notes = self._noted.notes
        self._rows.show(notes)
        self._list.sync()
        message = notes.trouble or ("" if self._noted.is_kept else "not recorded: lost when the session ends")
        counts = f"{counted(len(notes.marks), 'mark')}, {counted(len(notes.views), 'view')}"
        self.query_one(StatusLine).show([(visible(message, limit=300), "warning")], [(counts, "muted")])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable what is possible for the selected row: a mark, a view or none."""
        if action in ("colour", "comment"):
            return isinstance(self._chosen, Mark)
        return (action != "remove" or self._chosen is not None) and (action != "keep_view" or self._present is not None)

    def on_log_list_selected(self) -> None:
        self.refresh_bindings()

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        self.dismiss(self._rows.item(message.index))

    def action_colour(self) -> None:
        """Give the selected mark the next colour."""
        if isinstance(mark := self._chosen, Mark):
            self._try(lambda: self._noted.mark(mark.n, color=next_colour(mark.color)))

    def action_comment(self) -> None:
        """Edit the comment of the selected mark."""
        if not isinstance(mark := self._chosen, Mark):
            return

        def written(found: tuple[str, str] | None) -> None:
            if found is not None:
                self._try(lambda: self._noted.mark(mark.n, color=found[0], text=found[1]))

        self.app.push_screen(CommentScreen(mark.n, mark.color, mark.text, COLOURS), written)

    def action_remove(self) -> None:
        """Remove the selected mark or view."""
        if isinstance(item := self._chosen, Mark):
            self._try(lambda: self._noted.unmark(item.n))
        elif isinstance(item, View):
            self._try(lambda: self._noted.change(lambda notes: notes.with_view(item.name, None)))

    def action_keep_view(self) -> None:
        """Save the current view of Traffic under a name."""
        if (present := self._present) is None:
            return

        def named(name: str | None) -> None:
            if name:
                view = View(name, present.filter, present.columns, present.tree)
                self._try(lambda: self._noted.change(lambda notes: notes.with_view(name, view)))

        self.app.push_screen(NameScreen("Name of the view (filter and columns)"), named)

    def _try(self, change: Callable[[], object]) -> None:
        try:
            change()
        except UsageError as error:
            self.notify(error.full_text, severity="error")
        self._show()
