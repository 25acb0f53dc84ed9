"""What fills the screen below the header: each panel asks view-models and posts what the person wants."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec
from textual.message import Message
from textual.widget import Widget

from inspector.protocol.things import ListedItem
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import OpenConversation

if TYPE_CHECKING:
    from inspector.checks.findings import Finding
    from inspector.filters.language.fields import Term
    from inspector.present.held import TapStatus
    from inspector.tui.screens.items.calls import RunningCall


if TYPE_CHECKING:
    Part = Widget
else:
    Part = object
"""What parts of a panel derive from, to be named before its widgets.

A class of widgets takes as long to make as three modules to import, and a part is none by itself.
"""


class ExportScope(msgspec.Struct, frozen=True):
    """A part of a conversation."""

    name: str
    entries: Sequence[int] = ()
    find: Callable[[], Sequence[int]] | None = None
    """Finds the entries, where that may take long: for a thread."""

    def found(self) -> Sequence[int]:
        """All entries of it."""
        return self.entries if self.find is None else self.find()


@runtime_checkable
class ShowsHeld(Protocol):
    """A panel that shows what an attached tap holds."""

    def show_held(self, status: "TapStatus") -> None:
        """Show it as it is now."""


@runtime_checkable
class CanNarrow(Protocol):
    """A panel that counts what a filter lets through."""

    def narrow(self, term: "Term | None") -> None:
        """Count only that; None: everything."""


@runtime_checkable
class HasEntry(Protocol):
    """A panel with an entry of the journal under its cursor."""

    @property
    def chosen_entry(self) -> int:
        """Its number; 0 for none."""


class RepeatableCalls(Protocol):
    """The calls, reads or prompts of a panel."""

    made: "RunningCall | None"
    """The last one, running or over."""

    def repeat(self, made: "RunningCall") -> "RunningCall":
        """Make it again on the connection of now; nothing moves on the screen."""


class Panel(Widget):
    """What the app asks of every panel."""

    class EntryWanted(Message):
        """An entry of the journal is to be shown in the traffic."""

        def __init__(
            self, n: int, pointer: str = "", span: tuple[int, int] | None = None, *, matching: str = ""
        ) -> None:
            super().__init__()
            self.n = n
            """0 for none."""
            self.matching = matching
            """A filter: its entries are to be shown instead of one; "" for none."""
            self.pointer = pointer
            """The value in it that is meant; "" for the whole."""
            self.span = span
            """The bytes of it that are meant; None for all."""

    class DraftWanted(Message):
        """A message is to be written again, from one that crossed the wire."""

        def __init__(self, message: bytes) -> None:
            super().__init__()
            self.message = message

    class HeldWanted(Message):
        """A message that an attached tap holds is to be shown."""

        def __init__(self, held: int) -> None:
            super().__init__()
            self.held = held

    places: tuple[ActionScope, ...] = ()
    """What the help shows while it is visible."""
    requests: "RepeatableCalls | None" = None
    """The calls, reads or prompts that are made here; None for none."""

    def sync(self) -> None:
        """Look again, thirty times a second: nearly free while nothing has changed."""

    def rebind(self, subject: OpenConversation) -> None:
        """Show another conversation with the same server."""

    def turn_back(self, subject: OpenConversation) -> None:
        """Show another moment of the same conversation: nothing stays of what came later."""
        self.rebind(subject)

    @property
    def meant_findings(self) -> "Sequence[Finding]":
        """What checks have found about what is chosen here: where the screen of findings begins; () for nothing."""
        return ()

    def show_findings(self, findings: "Sequence[Finding]") -> None:
        """Begin at the first of these. Means something on the screen of findings."""

    @property
    def export_scopes(self) -> "Sequence[ExportScope]":
        """Parts of the conversation that are visible or chosen here, to be exported instead of all of it."""
        return ()

    @property
    def export_capture(self) -> Path | None:
        """A capture that is chosen here, to be exported instead of the conversation; None for none."""
        return None

    def take_focus(self) -> None:
        """Focus what a person uses first."""

    def go_back(self) -> bool:
        """Go back one step; whether there was one."""
        return False

    def copy(self) -> None:
        """Copy what is selected."""

    def cycle_layout(self) -> None:
        """Arrange another way."""

    def show_entry(self, n: int) -> None:
        """Show an entry of the journal. Means something on the traffic's screen."""

    def show_item(self, thing: ListedItem) -> None:
        """Open an item of a list. Means something on the screens of tools, resources and prompts."""

    def show_evidence(self, n: int, pointer: str, span: tuple[int, int] | None) -> None:
        """Show an entry, and what in it is meant. Means something on the traffic's screen."""

    async def take_draft(self, message: bytes) -> None:
        """Write a message again. Means something where messages are written by hand."""

    async def cancel_running(self) -> bool:
        """Cancel what runs; whether something did."""
        return False
