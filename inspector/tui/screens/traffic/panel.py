"""Traffic: everything that crossed the wire, and beside it the one message in full.

Wide terminals show the detail beside or below the list; narrow ones show one at a time. The detail is made once the
first picture is drawn.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from inspector.capture.format.notes import View
from inspector.present.traffic.columns import column
from inspector.protocol.frames import Frame
from inspector.tui import keys
from inspector.tui.actions import ActionScope, lend_actions
from inspector.tui.conversation import OpenConversation
from inspector.tui.panels import ExportScope, Panel
from inspector.tui.screens.traffic.list import TrafficList
from inspector.tui.widgets.virtual_lines import Ground
from inspector.tui.widgets.virtual_list import LogList

if TYPE_CHECKING:
    from inspector.tui.screens.traffic.detail import DetailPanel


NARROW = 100
"""Below this many columns the list and the detail take turns."""
_LAYOUTS = ("right", "below", "alone")
_SHOW_EVERY_TICKS = 5
"""While rows rush past, the detail follows them at a pace at which it can be read."""


class TrafficPanel(Panel, Ground):
    """The list and the detail."""

    places = (
        *(ActionScope.EVERYWHERE, ActionScope.TRAFFIC, ActionScope.FINDING, ActionScope.LIST, ActionScope.MOVING),
        *(
            ActionScope.DETAIL,
            ActionScope.JSON,
            ActionScope.FINDING_HERE,
            ActionScope.PAYLOAD,
            ActionScope.TEXT,
            ActionScope.FILTER,
            ActionScope.SEARCH,
        ),
    )
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(ActionScope.TRAFFIC, ActionScope.DETAIL)
    DEFAULT_CSS = """
    TrafficPanel { layout: horizontal; }
    TrafficPanel > DetailPanel { width: 1fr; height: 1fr; }
    TrafficPanel.-right > TrafficList { width: 55%; }
    TrafficPanel.-right > DetailPanel { border-left: solid $border-blurred; }
    TrafficPanel.-below { layout: vertical; }
    TrafficPanel.-below > DetailPanel { height: 50%; }
    TrafficPanel.-alone > DetailPanel { display: none; }
    TrafficPanel.-detail-only > TrafficList { display: none; }
    """

    def __init__(self, subject: OpenConversation) -> None:
        super().__init__()
        self._subject = subject
        self.list = TrafficList(subject)
        self._detail: DetailPanel | None = None
        self._arrangement = "right"
        self._detail_alone = False
        self._ticks = 0
        self._evidence: tuple[int, str, tuple[int, int] | None] | None = None
        """What is to be shown of the entry that was called for."""
        lend_actions(self, self.actions)

    def actions(self) -> Sequence[object]:
        """What has the actions of its keys, beside itself."""
        from inspector.tui.screens.traffic.actions import Resending, TrafficFiltering, TrafficMarking, TrafficNavigation

        return (
            TrafficNavigation(self.list, lambda: self.detail, self.point_out),
            TrafficFiltering(self.list, lambda: self.detail),
            TrafficMarking(self.list),
            Resending(self.list),
        )

    def compose(self) -> ComposeResult:
        """The list, then room for the detail, which comes as soon as nobody waits for it."""
        self._arrange(self.app.size.width)
        self.call_after_refresh(lambda: self.detail)
        yield self.list

    @property
    def detail(self) -> "DetailPanel":
        """What shows the chosen message."""
        if self._detail is None:
            from inspector.tui.screens.traffic.detail import DetailPanel

            self._detail = DetailPanel(self._subject)
            self.mount(self._detail)
        return self._detail

    def on_resize(self, event: events.Resize) -> None:
        """Arrange for another width."""
        self._arrange(self.size.width)

    def sync(self) -> None:
        """Look again."""
        if not self.is_mounted or not self.is_attached:
            return
        self._ticks += 1
        self.list.sync()
        if not self.list.rows.following or self._ticks % _SHOW_EVERY_TICKS == 0:
            self._show_detail()
        if self._detail is not None:
            self._detail.sync()

    def rebind(self, subject: OpenConversation) -> None:
        """Show another conversation from its beginning; layout and filter stay."""
        self._subject = subject
        self.list.rebind(subject)
        if self._detail is not None:
            self._detail.rebind(subject)

    def turn_back(self, subject: OpenConversation) -> None:
        """Show another moment; what is known of how it ended is not told again."""
        self._subject = subject
        self.list.rebind(subject, mourned=True)
        if self._detail is not None:
            self._detail.rebind(subject)
        self.list.rows.let_grow(subject.journal.live or subject.grows)

    def take_focus(self) -> None:
        """The list, or the detail where it stands alone."""
        if self._detail_alone:
            self.detail.focus_content()
        else:
            self.list.rows.focus()

    def show_entry(self, n: int) -> None:
        """Show an entry in full, as soon as it is a row."""
        self.list.call_for(n)

    def go_back(self) -> bool:
        """From the detail to the list, then from the card."""
        if self._detail_alone or (self._detail is not None and self._detail.has_focus_within):
            self._detail_alone = False
            self._arrange(self.size.width)
            self.list.rows.focus()
            return True
        return self.list.put_card_away()

    def cycle_layout(self) -> None:
        """Detail beside the list, below it, or away."""
        if self.size.width >= NARROW:
            self._arrangement = _LAYOUTS[(_LAYOUTS.index(self._arrangement) + 1) % len(_LAYOUTS)]
            self._arrange(self.size.width)

    def copy(self) -> None:
        """Copy the chosen value, or message."""
        self.detail.copy()

    def action_toggle_tree(self) -> None:
        """Between the tree and the order of the wire."""
        self.list.toggle_tree()

    @property
    def chosen_entry(self) -> int:
        """The chosen one."""
        return self.list.chosen

    def action_edit(self) -> None:
        """Write the chosen message again."""
        n = self.list.chosen
        what = self._subject.journal.store.entry(n).what if n else None
        if isinstance(what, Frame):
            self.post_message(self.DraftWanted(what.payload))
        else:
            self.app.notify("This entry is not a message.", markup=False)

    def action_tab(self, by: int) -> None:
        """The next view of the message."""
        self.detail.turn(by)

    def action_post_mortem(self) -> None:
        """Show why the connection ended, or put that away."""
        self.list.toggle_card()

    def action_reveal(self) -> None:
        """Show the secret headers of the chosen message, or hide them again."""
        self.detail.reveal()

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Show the message in full, alone where there is room only for one of both."""
        if self.size.width < NARROW or self._arrangement == "alone":
            self._detail_alone = True
            self._arrange(self.size.width)
        self._show_detail()
        self.detail.focus_content()
        if self._evidence is not None:
            self.call_after_refresh(self._point, focus=True)

    def _arrange(self, width: int) -> None:
        """Have list and detail share so many columns."""
        narrow = width < NARROW
        if not narrow and self._arrangement != "alone":
            self._detail_alone = False
        wanted = {"-detail-only"} if self._detail_alone else {f"-{'alone' if narrow else self._arrangement}"}
        if self.classes != wanted:  # each change has Textual style all that is below again
            self.set_classes(wanted)

    def _show_detail(self) -> None:
        shown = self._detail.entry if self._detail is not None else 0
        if not self.has_class("-alone") and self.list.chosen != shown:
            self.detail.show(self.list.chosen)

    @property
    def export_scopes(self) -> Sequence[ExportScope]:
        """What the filter shows, and the operation that the chosen line belongs to; of a line without one the line."""
        from inspector.present.trace import entries_of

        found, model = [], self.list.model
        at = self.list.rows.view.cursor  # what it says itself of its choice comes a moment later
        n = model.entry_of(at) if 0 <= at < model.count else 0
        if model.has_filter:
            more = " so far" if model.is_filtering else ""
            found.append(ExportScope(f"filtered entries{more}", model.matching))
        if n:
            own = entries_of(self.list.journal, n)
            found.append(ExportScope("this operation", own) if own else ExportScope(f"entry {n}", (n,)))
        return found

    def show_evidence(self, n: int, pointer: str, span: tuple[int, int] | None) -> None:
        """Show an entry in full, with the value or the bytes that are meant."""
        self._evidence = (n, pointer, span) if pointer or span is not None else None
        self.list.call_for(n)

    def point_out(self, index: int, n: int, pointer: str, span: tuple[int, int] | None) -> None:
        """Have the detail show what is meant, once it shows the row; where it is hidden, once it is opened."""
        self._evidence = (n, pointer, span)
        self.call_after_refresh(self._point)

    def _point(self, *, focus: bool = False) -> None:
        if self._evidence is None or self.has_class("-alone"):
            return
        self._show_detail()
        evidence, self._evidence = self._evidence, None
        self.detail.point_at(*evidence, focus=focus)

    def present_view(self) -> View:
        """How the traffic is looked at now; it has no name yet."""
        chosen = self.list.look.now.chosen
        return View("", self.list.filters.text, chosen, self.list.model.tree)

    def look_as(self, view: View) -> None:
        """Look at the traffic as a view does; columns that there are not are left out."""
        if self.list.model.tree != view.tree:
            self.list.toggle_tree()
        self.list.filters.set(view.filter)
        self.list.look.choose(tuple(name for name in view.columns if column(name) is not None))

    def action_state(self) -> None:
        """Show what was known at the chosen line, or the line itself again."""
        if self.has_class("-alone"):
            self.list.rows.opened()
        self.detail.turn_to_state()
