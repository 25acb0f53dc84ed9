"""What can be done with any payload in sight: copied in one form or another, read or edited in another program.

A mixin of whatever shows a payload. Those above it in the tree may know of more to copy, such as how to send it again.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

from rich.text import Text
from textual import events
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from inspector.config.paths import places
from inspector.config.programs import EDITORS, PAGERS, program, run_on
from inspector.errors import UsageError
from inspector.present.copies import Copy, of_payload
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import clip
from inspector.text import human_size, one_line, visible
from inspector.tui import keys
from inspector.tui.safety import copy
from inspector.tui.widgets.dialogs import Dialog
from inspector.tui.widgets.virtual_list import LogList


@runtime_checkable
class KnowsMore(Protocol):
    """Knows more to copy than the payload."""

    def more_to_copy(self) -> list[Copy]:
        """What belongs to the payload in sight."""


class PayloadDeeds(Widget):
    """Copy, page, edit."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.ActionScope.PAYLOAD)

    class Edited(Message):
        """A payload was changed in the person's editor. Unanswered, the change is dropped."""

        def __init__(self, control: "PayloadDeeds", payload: bytes) -> None:
            super().__init__()
            self._control = control
            self.payload = payload

        @property
        def control(self) -> "PayloadDeeds":
            """The view it comes from."""
            return self._control

    class ExpectWanted(Message):
        """A test case is to be made of the value under the cursor."""

        def __init__(self, view: "PayloadDeeds") -> None:
            super().__init__()
            self.view = view

    @property
    def whole(self) -> bytes:
        """The exact payload."""
        raise NotImplementedError

    def copies(self) -> list[Copy]:
        """What can be copied of it."""
        return of_payload(self.whole)

    def action_copy_as(self) -> None:
        """Choose what to copy."""
        if not self.whole:
            self._tell("There is nothing here to copy.")
            return
        above: Sequence[Any] = self.ancestors
        more = next((each.more_to_copy() for each in above if isinstance(each, KnowsMore)), [])
        self.app.push_screen(CopyScreen([*self.copies(), *more]), self._copy)

    def _copy(self, chosen: Copy | None) -> None:
        if chosen is None:
            return
        copy(self.app, chosen.make(), chosen.name)

    def action_expect(self) -> None:
        """Choose what a test is to expect of the value under the cursor."""
        self.post_message(self.ExpectWanted(self))

    @property
    def place(self) -> str | None:
        """Where the cursor is, as a JSON pointer into the message; None where that can't be told."""
        return None

    def action_page_out(self) -> None:
        """Show the payload in the person's pager.

        Control characters are made visible: pagers such as `less -R` and `cat` pass them to the terminal. The editor
        gets the exact bytes.
        """
        self._run(PAGERS, visible(self.whole.decode("utf-8", "replace"), newlines=True).encode())

    def action_edit_out(self) -> None:
        """Open the payload in the person's editor."""
        changed = self._run(EDITORS, self.whole)
        if changed is not None and _trimmed(changed) != self.whole:
            self.post_message(self.Edited(self, _trimmed(changed)))

    def _run(self, names: Sequence[str], payload: bytes) -> bytes | None:
        """Give the terminal to a program with the payload; what the file then holds, None if that did not work."""
        import os

        if not payload:
            self._tell("There is nothing here to show.")
            return None
        try:
            argv = program(names, os.environ)
            with self.app.suspend():
                ran = run_on(argv, payload, places(), suffix=".json" if payload[:1] in (b"{", b"[") else ".txt")
        except UsageError as error:
            self._tell(f"{error}: {error.hint}.".replace("..", "."), grave=True)
            return None
        except SuspendNotSupported:
            self._tell("This terminal can't be given to another program.", grave=True)
            return None
        if ran.problem:
            self._tell(f"{ran.problem}.", grave=True)
        return ran.payload

    def on_payload_deeds_edited(self, message: Edited) -> None:
        """Say that nothing came of it, unless somebody above takes it."""
        if not any(getattr(above, "takes_edits", False) for above in self.ancestors):
            message.stop()
            self._tell(f"The change ({human_size(len(message.payload))}) is dropped: what has crossed the wire stays.")

    def _tell(self, sentence: str, *, grave: bool = False) -> None:
        self.app.notify(
            visible(sentence, limit=400), markup=False, timeout=4, severity="warning" if grave else "information"
        )


def _trimmed(payload: bytes) -> bytes:
    """Without the line end that editors put behind the last line."""
    return payload.removesuffix(b"\n").removesuffix(b"\r")


# The menu of what can be copied: one key each, with the beginning of what it would be.

_NAMES = 14
"""Cells of the longest name."""


class _Copies(RowSource):
    """A row for each copy."""

    def __init__(self, copies: Sequence[Copy]) -> None:
        self._copies = copies

    @property
    def count(self) -> int:
        return len(self._copies)

    def row(self, index: int, width: int) -> RowView:
        copy = self._copies[index]
        begins = one_line(copy.begin, max(width - _NAMES - 4, 8))
        return RowView(clip([(f"{copy.key}  ", "accent"), (f"{copy.name:{_NAMES}}", "text"), (begins, "muted")], width))


class CopyScreen(Dialog[Copy | None]):
    """Answers with what is to be copied, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,Y", "leave", "Back", tooltip="Copy nothing.", id="copy.leave")
    ]
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
        """A line that says how, above the list."""
        with Vertical() as box:
            box.border_title = "Copy"
            yield self._list
            yield Static(Text("a letter or Enter copies, without control characters; Esc leaves"))

    def on_mount(self) -> None:
        """As high as there is to choose from."""
        self._list.styles.height = len(self._copies)
        self._list.focus()

    def on_key(self, event: events.Key) -> None:
        """Take what has this letter."""
        chosen = next((copy for copy in self._copies if copy.key == event.character), None)
        if chosen is not None:
            event.stop()
            self.dismiss(chosen)

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Take what is under the cursor."""
        event.stop()
        self.dismiss(self._copies[event.index])

    def action_leave(self) -> None:
        """Copy nothing."""
        self.dismiss(None)
