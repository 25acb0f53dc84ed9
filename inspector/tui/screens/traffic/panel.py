"""Traffic panel: the list of everything on the wire, and the detail of one message.

Wide terminals show the detail beside or below the list; narrow ones show one at a time. The detail is created after
the first paint, and after the tools have been listed.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from inspector.capture.format.notes import View
from inspector.capture.store.columns import EntryKind
from inspector.present.rows import title_at
from inspector.present.traffic.columns import column
from inspector.protocol.frames import Frame
from inspector.tui import keys
from inspector.tui.actions import ActionScope, lend_actions
from inspector.tui.conversation import OpenConversation
from inspector.tui.panels import ExportScope, Panel
from inspector.tui.screens.traffic.list import PATIENT_TICKS, SHOW_EVERY_TICKS, MessageDetail, TrafficList
from inspector.tui.widgets.list_detail import ListDetail
from inspector.tui.widgets.virtual_lines import Ground
from inspector.tui.widgets.virtual_list import LogList

if TYPE_CHECKING:
    from inspector.tui.screens.traffic.detail import DetailPanel


_TARGET = "Method and target"


class TrafficPanel(Panel, Ground):
    places = keys.SCREENS["traffic"].places
    BINDINGS = keys.bindings("Traffic", ActionScope.DETAIL)
    DEFAULT_CSS = """
    TrafficPanel { layout: horizontal; }
    TrafficPanel > DetailPanel { width: 1fr; height: 1fr; }
    TrafficPanel.-right > TrafficList { width: 55%; }
    TrafficPanel.-below { layout: vertical; }
    TrafficPanel.-below > TrafficList { height: 50%; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self._conversation = conversation
        self.list = TrafficList(conversation)
        self.list.add_class("panel--list")
        self._side = MessageDetail(self, "traffic", lambda: self.list.rows, lambda: self._conversation)
        self.frame: ListDetail = self._side.frame
        self._ticks = 0
        self._grows = False
        self._evidence: tuple[int, str, tuple[int, int] | None] | None = None
        """Value or bytes to select in the requested entry."""
        lend_actions(self, self.actions)

    def actions(self) -> Sequence[object]:
        """Return the parts that implement the actions of its keys."""
        from inspector.tui.screens.traffic.actions import Resending, TrafficFiltering, TrafficMarking, TrafficNavigation

        return (
            TrafficNavigation(self.list, lambda: self.detail, self.point_out),
            TrafficFiltering(self.list, lambda: self.detail),
            TrafficMarking(self.list),
            Resending(self.list),
            self._side,
        )

    def compose(self) -> ComposeResult:
        """Compose the list; the detail is created later."""
        self.frame.arrange(self.app.size.width)
        self.call_after_refresh(self._create_detail)
        yield self.list

    def _create_detail(self) -> "DetailPanel | None":
        """Create the detail, unless the server's first responses would have to wait for that."""
        return self.detail if self._ticks >= PATIENT_TICKS or not self._conversation.is_starting else None

    @property
    def detail(self) -> "DetailPanel":
        """The detail of the selected message, created on first access."""
        return self._side.view

    def sync(self) -> None:
        if not self.is_mounted or not self.list.is_mounted or not self.is_attached:
            return  # a panel is mounted before its list is composed
        self._ticks += 1
        if self._grows is not self._conversation.grows:  # known once a capture has been read so far
            self._grows = self._conversation.grows
            self.list.rows.let_grow(self._grows)
        self.list.sync()
        if self._side.created is None:
            self.call_after_refresh(self._create_detail)
            return
        if not self.list.rows.following or self._ticks % SHOW_EVERY_TICKS == 0:
            self._show_detail()
        self.detail.sync()

    def rebind(self, conversation: OpenConversation) -> None:
        """Show another conversation from its beginning; layout and filter stay."""
        self._conversation = conversation
        self.list.rebind(conversation)
        if self._side.created is not None:
            self._side.created.rebind(conversation)

    def show_earlier(self, conversation: OpenConversation) -> None:
        """Show an earlier state, without showing the end of the connection again."""
        self._conversation = conversation
        self.list.rebind(conversation, card_shown=True)
        if self._side.created is not None:
            self._side.created.rebind(conversation)
        self.list.rows.let_grow(conversation.journal.live or conversation.grows)

    def show_entry(self, n: int) -> None:
        """Show an entry in full as soon as it has a row."""
        self.list.request_entry(n)

    def go_back(self) -> bool:
        """Go back from the detail to the list, close the card, or clear the filter."""
        return super().go_back() or self.list.close_card() or self.list.leave_filter()

    def copy(self) -> None:
        if self.frame.shows_detail:
            self.detail.copy()
        else:
            self.detail.copy_entry(self.list.chosen)

    ROW_ACTIONS = frozenset(
        ("mark", "comment", "pair", "origin", "within", "trace", "reference", "resend", "edit", "state", "by_value")
    )

    @property
    def has_row(self) -> bool:
        return self.list.model.count > 0

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Send again only what was a message, or a request."""
        journal, n = self._conversation.journal, self.list.chosen
        if action not in ("edit", "resend"):
            return super().check_action(action, parameters)
        is_message = 0 < n <= journal.count and journal.store.kind(n) is EntryKind.FRAME
        return is_message and (action == "edit" or journal.store.exchange(n) > 0)

    def action_toggle_tree(self) -> None:
        """Switch between the tree and the wire order."""
        self.list.toggle_tree()

    @property
    def chosen_entry(self) -> int:
        return self.list.chosen

    def action_edit(self) -> None:
        """Open the selected message as a draft in the Composer."""
        what = self._conversation.journal.store.entry(self.list.chosen).what
        if isinstance(what, Frame):
            self.post_message(self.DraftWanted(what.payload))

    def action_post_mortem(self) -> None:
        """Show or close the post-mortem card."""
        self.list.toggle_card()

    async def on_log_list_title_pressed(self, message: LogList.TitlePressed) -> None:
        """Switch the time format, or between tree and wire order, with a click on the title of that column."""
        rows = message.control
        match title_at(rows.header(rows.line_width), message.x, ("Time", "mm:ss", "Elapsed", "Delta", _TARGET)):
            case "":
                return
            case title if title == _TARGET:
                self.action_toggle_tree()
            case _:
                await self.run_action("times")

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Show the message in full, alone if there is space for only one of both."""
        self._side.make_room()
        self._show_detail()
        self.detail.focus_content()
        if self._evidence is not None:
            self.call_after_refresh(self._point, focus=True)

    def _show_detail(self) -> None:
        if self.frame.shows_detail and self.list.chosen != self.detail.entry:
            self.detail.show(self.list.chosen)

    @property
    def export_scopes(self) -> Sequence[ExportScope]:
        """The filtered entries, and the operation of the selected row or else the row itself."""
        from inspector.present.trace import entries_of

        found, model = [], self.list.model
        at = self.list.rows.view.cursor  # the list reports its selection slightly later
        n = model.entry_of(at) if 0 <= at < model.count else 0
        if model.has_filter:
            more = " so far" if model.is_filtering else ""
            found.append(ExportScope(f"filtered entries{more}", model.matching))
        if n:
            own = entries_of(self.list.journal, n)
            found.append(ExportScope("this operation", own) if own else ExportScope(f"entry {n}", (n,)))
        return found

    def show_evidence(self, n: int, pointer: str, span: tuple[int, int] | None) -> None:
        """Show an entry in full, and select the value or the bytes."""
        self._evidence = (n, pointer, span) if pointer or span is not None else None
        self.list.request_entry(n)

    def point_out(self, index: int, n: int, pointer: str, span: tuple[int, int] | None) -> None:
        """Select a value once the detail shows the row; if the detail is hidden, once it is opened."""
        self._evidence = (n, pointer, span)
        self.call_after_refresh(self._point)

    def _point(self, *, focus: bool = False) -> None:
        if self._evidence is None or not self.frame.shows_detail:
            return
        self._show_detail()
        evidence, self._evidence = self._evidence, None
        self.detail.point_at(*evidence, focus=focus)

    def present_view(self) -> View:
        """Return the current view of the traffic, without a name."""
        chosen = self.list.look.now.chosen
        return View("", self.list.filters.text, chosen, self.list.model.tree)

    def apply_view(self, view: View) -> None:
        """Apply a view; unknown columns are left out."""
        if self.list.model.tree != view.tree:
            self.list.toggle_tree()
        self.list.filters.set(view.filter)
        self.list.look.choose(tuple(name for name in view.columns if column(name) is not None))

    def action_state(self) -> None:
        """Toggle between the state at the selected row and its message."""
        if not self.frame.shows_detail:
            self.list.rows.opened()
        self.detail.toggle_state()
