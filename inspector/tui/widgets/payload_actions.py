"""Actions on any visible payload: copy it in several forms, view or edit it in another program.

Each widget that shows a payload includes these actions. Its ancestors may offer more to copy, such as a command that
sends the request again.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from inspector.config.paths import places
from inspector.config.programs import EDITORS, PAGERS, program, run_on
from inspector.config.settings import user_config
from inspector.errors import UsageError
from inspector.present.copies import Copy
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import clip
from inspector.text import human_size, one_line, visible
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.widgets.dialogs import Dialog, DialogBox
from inspector.tui.widgets.virtual_list import LogList

_NAMES = 14
"""Width of the longest name, in cells."""


@runtime_checkable
class OffersMoreCopies(Protocol):
    """An ancestor that offers more to copy than the payload."""

    def more_to_copy(self) -> list[Copy]:
        """Return the copies that belong to the visible payload."""


class ShowsPayload(Protocol):
    """A widget that shows a payload."""

    @property
    def whole(self) -> bytes:
        """The exact payload."""

    @property
    def place(self) -> str | None:
        """JSON pointer from the message to the cursor; None if unknown."""

    def copies(self) -> list[Copy]:
        """Return the ways to copy the payload."""


class PayloadActions:
    """The actions copy, page and edit, for a widget that shows a payload."""

    def __init__(self, widget: Widget, payload: ShowsPayload) -> None:
        """`payload` is the same widget, typed by what it shows."""
        self._widget = widget
        self._payload = payload

    class Edited(Message):
        """Reports a payload that was changed in the user's editor. If it is not handled, the change is dropped."""

        def __init__(self, payload: bytes) -> None:
            super().__init__()
            self.payload = payload

    class ExpectWanted(Message):
        """Requests a test case for the value at a JSON pointer; None if the pointer is unknown."""

        def __init__(self, view: Widget, place: str | None) -> None:
            super().__init__()
            self.view = view
            self.place = place

    def action_copy_as(self) -> None:
        """Let the user choose what to copy."""
        above: Sequence[Any] = self._widget.ancestors
        more = next((each.more_to_copy() for each in above if isinstance(each, OffersMoreCopies)), [])
        choose_copy(self._widget.app, [*self._payload.copies(), *more] if self._payload.whole else [])

    def action_expect(self) -> None:
        """Request a test case for the value under the cursor."""
        self._widget.post_message(self.ExpectWanted(self._widget, self._payload.place))

    def action_page_out(self) -> None:
        """Show the payload in the user's pager.

        Control characters are made visible, because pagers such as `less -R` and `cat` pass them to the terminal.
        The editor gets the exact bytes.
        """
        self._run(PAGERS, visible(self._payload.whole.decode("utf-8", "replace"), newlines=True).encode())

    def action_edit_out(self) -> None:
        """Open the payload in the user's editor."""
        changed = self._run(EDITORS, self._payload.whole)
        if changed is None or _trimmed(changed) == self._payload.whole:
            return
        if any(getattr(above, "takes_edits", False) for above in self._widget.ancestors):
            self._widget.post_message(self.Edited(_trimmed(changed)))
        else:
            size = human_size(len(_trimmed(changed)))
            self._tell(f"The change ({size}) is discarded: recorded messages can't be changed.")

    def _run(self, names: Sequence[str], payload: bytes) -> bytes | None:
        """Run a program on the payload in the terminal; return the resulting file content, or None on failure."""
        import os

        if not payload:
            self._tell("Nothing to show.")
            return None
        try:
            own = user_config()
            argv = program(names, os.environ, own.pager if names is PAGERS else own.editor)
            with self._widget.app.suspend():
                ran = run_on(argv, payload, places(), suffix=".json" if payload[:1] in (b"{", b"[") else ".txt")
        except UsageError as error:
            self._tell(error.full_text, grave=True)
            return None
        except SuspendNotSupported:
            self._tell("Cannot run another program in this terminal.", grave=True)
            return None
        if ran.problem:
            self._tell(f"{ran.problem}.", grave=True)
        return ran.payload

    def _tell(self, sentence: str, *, grave: bool = False) -> None:
        self._widget.app.notify(sentence, timeout=4, severity="warning" if grave else "information")


def _trimmed(payload: bytes) -> bytes:
    """Strip the newline that editors append to the last line."""
    return payload.removesuffix(b"\n").removesuffix(b"\r")


# The menu of copies: one key for each, and the beginning of its text.


class _Copies(RowSource):
    """One row per copy."""

    def __init__(self, copies: Sequence[Copy]) -> None:
        self._copies = copies

    @property
    def count(self) -> int:
        return len(self._copies)

    def row(self, index: int, width: int) -> RowView:
        copy = self._copies[index]
        begins = one_line(copy.begin, max(width - _NAMES - 4, 8))
        return RowView(clip([(f"{copy.key}  ", "accent"), (f"{copy.name:{_NAMES}}", "text"), (begins, "muted")], width))


def choose_copy(app: App[Any], copies: Sequence[Copy]) -> None:
    """Let the user choose one of these copies; say so if there is none."""

    def chose(chosen: Copy | None) -> None:
        if chosen is not None:
            copy(app, chosen.make(), chosen.name)

    if copies:
        app.push_screen(CopyScreen(copies), chose)
    else:
        app.notify("Nothing to copy.", timeout=4)


class CopyScreen(Dialog[Copy | None]):
    """Dialog that returns the chosen copy; None if cancelled."""

    BINDINGS = keys.bindings_of("copy.leave")
    DEFAULT_CSS = """
    CopyScreen { align: center middle; background: $background 60%; }
    CopyScreen > Vertical {
        width: 90; max-width: 94%; height: auto;
        background: $surface; border: round $border; padding: 0 1;
    }
    CopyScreen LogList { background: $surface; }
    CopyScreen Static { height: 1; margin: 0 1; color: $text-muted; }
    """

    def __init__(self, copies: Sequence[Copy]) -> None:
        super().__init__()
        self._copies = copies
        self._list = LogList(_Copies(copies))

    def compose(self) -> ComposeResult:
        with DialogBox() as box:
            box.border_title = "Copy"
            yield self._list
            yield Static(Text("Enter Copy  Esc Close  (without control characters)"))

    def on_mount(self) -> None:
        """Fit the height to the number of copies."""
        self._list.styles.height = len(self._copies)
        self._list.focus()

    def on_key(self, event: events.Key) -> None:
        """Choose the copy with this letter."""
        chosen = next((copy for copy in self._copies if copy.key == event.character), None)
        if chosen is not None:
            event.stop()
            self.dismiss(chosen)

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Choose the copy under the cursor."""
        event.stop()
        self.dismiss(self._copies[event.index])
