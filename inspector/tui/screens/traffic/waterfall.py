"""Waterfall: all exchanges on one time axis, on a full screen. Its result is the entry to go to, or None.

It is updated continuously, so that running exchanges grow.
"""

from array import array
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.present.spans import Span
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.screens.traffic.timeline_model import code_of
from inspector.tui.screens.traffic.waterfall_model import LaneConversation, Waterfall, Waterfalls
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.dialogs import Dialog
from inspector.tui.widgets.key_bars import FooterBar
from inspector.tui.widgets.virtual_list import LogList

_TICKS_PER_SECOND = 15
_STEP = 0.25
"""Share of the axis that one step moves."""
_ENDED = (ConversationStage.RECORDED, ConversationStage.LOADING)


class WaterfallScreen(Dialog[int | None]):
    """The lanes, their axis, and a text about the selected one."""

    places = ("Waterfall", ActionScope.MOVING, ActionScope.LIST)
    BINDINGS: ClassVar[list[BindingType]] = [*keys.bindings("Waterfall"), keys.binding(keys.action("help"))]
    DEFAULT_CSS = """
    WaterfallScreen { layout: vertical; background: $background; }
    WaterfallScreen > Static { height: 1; padding: 0 2; color: $text-accent; text-style: bold; }
    """

    def __init__(
        self, conversation: OpenConversation, chosen: int, filtered: "Callable[[], array[int] | None]" = lambda: None
    ) -> None:
        """Start at the exchange of the entry `chosen`; `filtered`: see `LaneConversation`."""
        super().__init__()
        self._lanes: Waterfall = Waterfall(
            LaneConversation(conversation.journal, lambda: conversation.now_ns, filtered=filtered)
        )
        self._chosen = self._lanes.of_entry(chosen) if chosen else -1
        self._of = visible(conversation.about.label, limit=60)
        self._follow = conversation.stage not in _ENDED

    def compose(self) -> ComposeResult:
        yield Static(Text(f"Waterfall  {self._of}"))
        message = "No matches." if self._lanes.is_filtered else "No exchanges yet."
        nothing: Span = (message, "muted")
        yield LogList(self._lanes, follow=self._follow, empty=((nothing,),))
        yield StatusLine()
        yield FooterBar()

    @property
    def rows(self) -> LogList:
        """The list of lanes."""
        return self.query_one(LogList)

    def on_mount(self) -> None:
        """Go to the initial exchange, and start to update."""
        self.rows.focus()
        self.rows.sync()
        if self._chosen >= 0:
            self.rows.go_to(self._chosen)
        self.call_after_refresh(self._look)
        self.set_interval(1 / _TICKS_PER_SECOND, self._look)

    def _look(self) -> None:
        self._lanes.look()
        self.rows.sync()
        lanes = self._lanes
        count: Span = (f"{lanes.total:,} exchanges", "muted")
        if lanes.is_filtered:
            count = (f"{lanes.count:,} of {lanes.total:,} exchanges match the filter", "accent")
        self.query_one(StatusLine).show(lanes.description(self.rows.view.cursor), [count])

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Close, with the request of the exchange as the result."""
        self.dismiss(self._answer(message.index))

    def _answer(self, index: int) -> int:
        return self._lanes.lane(index)[1].request_frame

    def action_zoom(self, factor: float) -> None:
        """Show more or less time."""
        self._look()  # An early key must change the visible axis, not the one before the first update.
        self._lanes.zoom(factor, self.rows.view.cursor)
        self._look()

    def action_pan(self, by: int) -> None:
        """Move along the axis."""
        self._lanes.pan(by * _STEP)
        self._look()

    def action_all(self) -> None:
        """Show the whole conversation."""
        self._lanes.show_all()
        self._look()

    def action_this(self) -> None:
        """Show only the time of the selected exchange."""
        self._lanes.show_lane(self.rows.view.cursor)
        self._look()

    def action_sight(self) -> None:
        """Fit the axis to the visible lanes."""
        self._lanes.fit_visible()
        self._look()


class AllWaterfallsScreen(WaterfallScreen):
    """Waterfall of all servers. Its result is the code of the entry to go to: the number of its tab, and the entry."""

    def __init__(self, wires: Sequence[LaneConversation], chosen: tuple[int, int]) -> None:
        """Start at the exchange of `chosen`: the number of the tab, and the entry."""
        Dialog.__init__(self)
        self._lanes = lanes = Waterfalls(wires)
        self._chosen = lanes.of_entry(chosen[1], chosen[0]) if chosen[1] else -1
        self._of = f"of {len(wires)} servers"
        self._follow = any(wire.journal.live for wire in wires)

    def _answer(self, index: int) -> int:
        wire, exchange = self._lanes.lane(index)
        return code_of(wire.number, exchange.request_frame)
