"""Base of the panels below the header. A panel reads view-models and posts messages with requests of the user."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

import msgspec
from textual import events, on
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget

from inspector.filters.language.fields import Term
from inspector.protocol.listed_items import ListedItem
from inspector.tui.conversation import OpenConversation
from inspector.tui.widgets.list_detail import ListDetail
from inspector.tui.widgets.virtual_lines import VirtualLines

if TYPE_CHECKING:
    from inspector.checks.findings import Finding
    from inspector.present.calls import CompletedCall
    from inspector.present.held_messages import TapStatus
    from inspector.tui.results.calls import RunningCall

    Part = Widget
else:
    Part = object
"""Base class of the parts of a panel, listed before its widgets.

At runtime it is `object`: creating a widget class takes as long as importing three modules, and a part is no widget.
"""


class Panes(Horizontal):
    """Place of all panels: a pane for each tab. One of them is visible, or two side by side."""

    DEFAULT_CSS = """
    Panes > .pane.-left { border-right: solid $border-blurred; }
    Panes > .pane.-right { padding: 0 0 0 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.entered: Callable[[Widget], object] = lambda widget: None
        """Called with each widget that gets the focus."""

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Report the widget with the focus."""
        self.entered(event.widget)


class ExportScope(msgspec.Struct, frozen=True):
    """A part of a conversation."""

    name: str
    entries: Sequence[int] = ()
    find: Callable[[], Sequence[int]] | None = None
    """Function that finds the entries, if that may be slow; runs on a thread."""

    def found(self) -> Sequence[int]:
        """Return all its entries."""
        return self.entries if self.find is None else self.find()


@runtime_checkable
class ShowsHeld(Protocol):
    """A panel that shows the messages held by an attached tap."""

    def show_held(self, status: "TapStatus") -> None:
        """Show the current status."""


@runtime_checkable
class CanNarrow(Protocol):
    """A panel whose counts can be limited by a filter."""

    def narrow(self, term: Term | None) -> None:
        """Count only the matches of a filter; None for everything."""


@runtime_checkable
class HasCapture(Protocol):
    """A panel with a capture under its cursor."""

    @property
    def export_capture(self) -> Path | None:
        """The capture, to be exported instead of the conversation; None if there is none."""


@runtime_checkable
class HasEntry(Protocol):
    """A panel with an entry of the journal under its cursor."""

    @property
    def chosen_entry(self) -> int:
        """Number of the entry; 0 if there is none."""


class RerunCall(msgspec.Struct, frozen=True):
    """A saved call that was run again after a restart."""

    name: str
    """Untrusted text."""
    before: bool | None = None
    """Whether its last run passed; None if there was none."""
    passed: bool | None = None
    """None if it was not run."""
    why: str = ""
    """Why it failed or was not run; may quote untrusted text."""


class RepeatableCalls(Protocol):
    """Calls, reads or prompts of a panel."""

    made: "RunningCall | None"
    """The last one, running or finished."""

    def repeat(self, made: "RunningCall") -> "RunningCall":
        """Repeat it on the current connection, without changing what is shown."""

    run_marked: Callable[[], Awaitable[Sequence[RerunCall]]]
    """Runs the saved calls that are marked to run after each restart."""


class Panel(Widget):
    """Base class of panels, as used by the app."""

    DEFAULT_CSS = """
    Panel.-right, Panel.-alone, Panel.-detail-only { layout: horizontal; }
    Panel.-alone > .panel--detail, Panel.-detail-only > .panel--list { display: none; }
    Panel.-alone > Divider, Panel.-detail-only > Divider { display: none; }
    """

    class EntryWanted(Message):
        """Requests to show an entry of the journal in Traffic."""

        def __init__(
            self, n: int, pointer: str = "", span: tuple[int, int] | None = None, *, matching: str = ""
        ) -> None:
            super().__init__()
            self.n = n
            """Number of the entry; 0 if there is none."""
            self.matching = matching
            """Filter whose matches are to be shown instead of one entry; "" for none."""
            self.pointer = pointer
            """JSON pointer to the value to select; "" for the whole entry."""
            self.span = span
            """Range of bytes to select; None for all."""

    class DraftWanted(Message):
        """Requests to open a message from the wire as a draft in the Composer."""

        def __init__(self, message: bytes) -> None:
            super().__init__()
            self.message = message

    class HeldWanted(Message):
        """Requests to show a message that an attached tap holds."""

        def __init__(self, held: int) -> None:
            super().__init__()
            self.held = held

    places: tuple[str, ...] = ()
    """Scopes that the help lists while the panel is visible."""
    frame: ListDetail | None = None
    """Arrangement of list and detail; None for a panel without a detail."""
    title_rows: Sequence[Widget] = ()
    """Title rows of its panes; that of the focused pane is highlighted. Each is a child of its pane."""
    requests: "RepeatableCalls | None" = None
    """Calls, reads or prompts made here; None if there are none."""

    def on_resize(self, event: events.Resize) -> None:
        """Arrange list and detail for the width."""
        if self.frame is not None:
            self.frame.arrange(event.size.width)

    ROW_ACTIONS: ClassVar[frozenset[str]] = frozenset()
    """Actions that apply to the selected row; without one, they are not possible."""
    row_list: VirtualLines | None = None
    """List of the rows that they apply to."""

    @property
    def has_row(self) -> bool:
        """Whether a row is selected that `ROW_ACTIONS` apply to."""
        return self.row_list is None or self.row_list.view.cursor >= 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable actions on a row only with one."""
        return action not in self.ROW_ACTIONS or self.has_row

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _mark_titles(self) -> None:
        for title in self.title_rows:
            pane = title.parent
            title.set_class(isinstance(pane, Widget) and pane.has_focus_within, "-focused")
        for lines in self.query(VirtualLines):
            lines.refresh()  # a list shows whether the focus is on it, or on its search line

    def sync(self) -> None:
        """Update; called thirty times a second and nearly free while nothing has changed."""

    def rebind(self, conversation: OpenConversation) -> None:
        """Show another conversation with the same server."""

    def show_earlier(self, conversation: OpenConversation) -> None:
        """Show an earlier state of the same conversation: nothing of later entries remains."""
        self.rebind(conversation)

    @property
    def showing(self) -> "tuple[ListedItem | None, CompletedCall | None]":
        """The item of a list and the result that are shown; None for what there is not."""
        return None, None

    async def follow_item(self, item: ListedItem) -> None:
        """Show the listed item of the same kind and name, without moving the focus; nothing if there is none."""

    @property
    def selected_findings(self) -> "Sequence[Finding]":
        """Findings about the current selection, where the Findings screen begins; () if there are none."""
        return ()

    def show_findings(self, findings: "Sequence[Finding]") -> None:
        """Select the first of these findings; only on the Findings screen."""

    @property
    def export_scopes(self) -> "Sequence[ExportScope]":
        """Visible or selected parts of the conversation, to be exported instead of all of it."""
        return ()

    def take_focus(self) -> None:
        """Focus the widget that is used first: the detail if it is open, else the list."""
        if self.frame is not None:
            self.frame.take_focus()

    def go_back(self) -> bool:
        """Go back one step, from the detail to the list; return whether there was one."""
        return self.frame is not None and self.frame.go_back()

    def copy(self) -> None:
        """Copy the selection."""

    def cycle_layout(self) -> None:
        """Switch the layout, or say that there is no other."""
        if self.frame is None or not self.frame.cycle_layout():
            self.notify("This screen has one layout at this width.", timeout=3)

    def show_entry(self, n: int) -> None:
        """Show an entry of the journal; only in Traffic."""

    def show_item(self, item: ListedItem) -> None:
        """Open an item of a list; only on the screens of tools, resources and prompts."""

    def show_evidence(self, n: int, pointer: str, span: tuple[int, int] | None) -> None:
        """Show an entry, and select a value or bytes in it; only in Traffic."""

    async def take_draft(self, message: bytes) -> None:
        """Open a message as a draft; only in the Composer."""

    async def cancel_running(self) -> bool:
        """Cancel the running call; return whether there was one."""
        return False
