"""The timeline of all servers: entries of all conversations in chronological order, and the detail of one message.

It belongs to the app rather than to a tab. A row leads to the tab of its server, which shows everything else about
it.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.filters.language.fields import Term
from inspector.present.spans import Span
from inspector.text import one_line
from inspector.tui import keys
from inspector.tui.actions import ActionScope, lend_actions
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.panels import Panel
from inspector.tui.screens.traffic.detail import DetailPanel
from inspector.tui.screens.traffic.filter_pane import FilterPane
from inspector.tui.screens.traffic.list import SHOW_EVERY_TICKS, MessageDetail
from inspector.tui.screens.traffic.timeline_model import (
    Timeline,
    TimelineConversation,
    TimelineFind,
    entry_of,
    number_of,
)
from inspector.tui.screens.traffic.waterfall import AllWaterfallsScreen
from inspector.tui.screens.traffic.waterfall_model import LaneConversation
from inspector.tui.tabs import ALL, Tab, Tabs
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.list_detail import ListDetail
from inspector.tui.widgets.search_bar import NO_FILTER
from inspector.tui.widgets.virtual_lines import Ground
from inspector.tui.widgets.virtual_list import LogList

_LONGEST_S = 0.008
"""Maximum time per tick to add new entries; see the list of one conversation."""
_LONGEST_BEHIND_S = 0.02
"""The same while there is much to catch up with: a key waits that long at worst."""
_JUDGED_EVERY = 10
"""Ticks between updates of the findings: each may sort all rows again."""
_MUCH = 20_000
_AT_ONCE = 500
"""Entries of each conversation between two checks of the elapsed time."""
_AGE_EVERY_TICKS = 15
"""Ticks between updates of ages for a filter that tests them: twice a second."""


class TimelineActions:
    """Search, filter and waterfall of the timeline: actions for its panel."""

    def __init__(self, panel: "TimelinePanel") -> None:
        self._panel = panel
        self._find: TimelineFind | None = None

    def restart_search(self) -> None:
        """Repeat the search in a new timeline."""
        if self._find is not None and self._find.text:
            self.seek(self._find.text)

    @property
    def is_searching(self) -> bool:
        """Whether existing entries are still being searched."""
        return self._find is not None and self._find.is_searching

    def find_step(self) -> int | None:
        """Continue the search; return the number of matches so far, or None if there is no search."""
        if self._find is None or not self._find.text:
            return None
        self._find.step()
        return self._find.matches

    def action_find(self) -> None:
        """Open the search line."""
        self._panel.filters.open_finder()

    def action_found(self, by: int) -> None:
        """Go to the next (1) or previous (-1) match of the search.

        Without a search, every row that the filter shows is a match.
        """
        if self._panel.timeline.term is not None and (self._find is None or not self._find.text):
            self._panel.rows.go_to(self._panel.rows.view.cursor + by)
            return
        if self._find is None or not self._find.text:
            self._panel.notify(
                f"No search yet. {keys.shown_key('timeline.filter')}, then {keys.shown_key('filter.search')} searches.",
                timeout=3,
            )
            return
        self._find.step()
        index = self._find.next(self._panel.rows.view.cursor, back=by < 0)
        if index is not None:
            self._panel.rows.go_to(index)

    def action_pairs(self) -> None:
        """Toggle whether matches are shown with their request or response."""
        shown = self._panel.timeline.show_partners()
        self._panel.notify(f"Matches {'with' if shown else 'without'} their request or response.", timeout=3)

    def action_waterfall(self) -> None:
        """Show the filtered exchanges of all servers on one time axis."""
        wires = [
            LaneConversation(
                wire.journal,
                wire.clock,
                wire.number,
                wire.name,
                wire.role,
                wire.axis_offset,
                partial(getattr, wire.model, "exchanges_shown"),
            )
            for wire in self._panel.timeline.wires
        ]
        self._panel.app.push_screen(AllWaterfallsScreen(wires, self._panel.chosen), self._go_to)

    def _go_to(self, code: int | None) -> None:
        index = None if code is None else self._panel.timeline.find(number_of(code), entry_of(code))
        if index is not None:
            self._panel.rows.go_to(index)
        elif code is not None:
            self._panel.notify("That entry is hidden by the filter.", timeout=3)

    def seek(self, text: str) -> None:
        """Search for another text."""
        if self._find is not None:
            self._find.set("")
        self._find = TimelineFind(self._panel.timeline, text)


# Following the app's tabs: when they change, a new timeline is created, and shown once it is ready.


class TimelineConversations:
    """The conversations in the timeline, according to the current tabs."""

    def __init__(self) -> None:
        self.timeline = Timeline([])
        self._next: Timeline | None = None
        self._wires: dict[tuple[int, int], TimelineConversation] = {}
        """By tab number and the identity of the journal: another connection is another wire."""
        self._conversations: dict[int, OpenConversation] = {}
        self._term: Term | None = None
        self._looks = 0

    def conversation(self, number: int) -> OpenConversation | None:
        """Return the conversation of the tab with this number."""
        return self._conversations.get(number)

    def reading(self, tabs: Sequence[Tab]) -> list[str]:
        """Return the names of captures that are still being loaded; they join afterwards."""
        return [tab.name for tab in tabs if tab.conversation.stage is ConversationStage.LOADING]

    def set_filter(self, term: Term | None) -> None:
        """Apply another filter."""
        self._term = term
        self.timeline.set_filter(term)
        if self._next is not None:
            self._next.set_filter(term)

    def sync(
        self, tabs: Sequence[Tab], shown: Callable[[Tab], OpenConversation] = lambda tab: tab.conversation
    ) -> bool:
        """Follow the tabs and add new entries; return whether there is another timeline to show.

        `shown` returns what is shown of a tab, which may be a state at a replay position.
        """
        there = [(tab, shown(tab)) for tab in tabs if tab.conversation.stage is not ConversationStage.LOADING]
        wanted = {(tab.number, id(conversation.journal)): (tab, conversation) for tab, conversation in there}
        if wanted.keys() != self._wires.keys():
            self._change(wanted)
        for key, (tab, _) in wanted.items():
            self._wires[key].rename(tab.name)
        _take_in(self._next or self.timeline)
        self._looks += 1
        if self._looks % _JUDGED_EVERY == 0:
            (self._next or self.timeline).judge()
        if self._next is None or (self.timeline.count and self._next.is_behind):
            return False
        self.timeline, self._next = self._next, None
        return True

    def _change(self, wanted: dict[tuple[int, int], tuple[Tab, OpenConversation]]) -> None:
        kept = {key: wire for key, wire in self._wires.items() if key in wanted}
        for key, wire in self._wires.items():
            if key not in kept:
                wire.model.cancel_filter()
        for key, (tab, conversation) in wanted.items():
            if key not in kept:
                kept[key] = _wire(tab, conversation, self._term)
        self._wires = {key: kept[key] for key in wanted}
        self._conversations = {tab.number: open_conversation for tab, open_conversation in wanted.values()}
        self._next = Timeline([*self._wires.values()], self._term)


def _wire(tab: Tab, conversation: OpenConversation, term: Term | None) -> TimelineConversation:
    wire = TimelineConversation(
        tab.number,
        tab.name,
        conversation.journal,
        lambda: conversation.now_ns,
        threaded=True,
        found=lambda: conversation.checks_so_far,
    )
    if term is not None:
        wire.model.set_filter(term)
    return wire


def _take_in(timeline: Timeline) -> None:
    """Catch up for some milliseconds; the rest follows in the next ticks."""
    longest = _LONGEST_BEHIND_S if timeline.total - timeline.taken > _MUCH else _LONGEST_S
    end = time.perf_counter() + longest
    while timeline.refresh(_AT_ONCE) and time.perf_counter() < end:
        pass
    timeline.filter_step()


class TimelineFilter(FilterPane):
    """The filter line above the timeline; it applies to all servers."""

    def show_counts(self, timeline: Timeline, found: int | None) -> None:
        """Update the numbers of matches next to the lines."""
        filtered = timeline.term is not None
        self._show_counts(found, (timeline.matches, timeline.total, timeline.trouble) if filtered else None)


class TimelinePanel(Panel, Ground):
    places = (
        *(ActionScope.EVERYWHERE, "All servers", ActionScope.LIST, ActionScope.MOVING),
        *(ActionScope.DETAIL, ActionScope.JSON, ActionScope.PAYLOAD, ActionScope.TEXT),
        *("Filter field", ActionScope.SEARCH),
    )
    BINDINGS = keys.bindings("All servers", ActionScope.DETAIL)
    DEFAULT_CSS = """
    TimelinePanel { layout: horizontal; }
    TimelinePanel > #timeline { width: 1fr; height: 1fr; }
    TimelinePanel > DetailPanel { width: 1fr; height: 1fr; }
    TimelinePanel.-right > #timeline { width: 60%; }
    TimelinePanel.-below { layout: vertical; }
    TimelinePanel.-below > #timeline { height: 50%; }
    """

    def __init__(
        self,
        tabs: Tabs,
        traffic_of: Callable[[Tab], OpenConversation],
        show_tab: Callable[[int], Awaitable[None]],
        show_entry_of: Callable[[int, int], Awaitable[None]],
    ) -> None:
        """`traffic_of` returns what is shown of a tab. The others show a tab, or an entry in its Traffic, by number."""
        super().__init__()
        self._tabs = tabs
        self._traffic_of = traffic_of
        self._show_tab = show_tab
        self._show_entry_of = show_entry_of
        self._wires = TimelineConversations()
        self.filters = TimelineFilter(tabs.conversation)
        self._side = MessageDetail(self, "timeline", lambda: self.rows, self._first_conversation)
        self.frame: ListDetail = self._side.frame
        self.chosen: tuple[int, int] = (ALL, 0)
        """Tab and entry under the cursor."""
        self._shown: tuple[int, int] = (ALL, 0)
        self._about: OpenConversation | None = None
        self._ticks = 0
        self.actions = TimelineActions(self)
        lend_actions(self, lambda: (self.actions, self._side))

    def compose(self) -> ComposeResult:
        self.frame.arrange(self.app.size.width)
        empty: list[list[Span]] = [[("No messages, or none match the filter.", "muted")]]
        with Vertical(id="timeline", classes="panel--list"):
            yield self.filters
            yield LogList(self._wires.timeline, follow=True, empty=empty, labelled=False)
            yield StatusLine()

    @property
    def rows(self) -> LogList:
        """The list widget."""
        return self.query_one(LogList)

    @property
    def timeline(self) -> Timeline:
        return self._wires.timeline

    @property
    def detail(self) -> DetailPanel:
        return self._side.view

    def _first_conversation(self) -> OpenConversation:
        self._about = self._wires.conversation(self.chosen[0]) or self._tabs.conversation
        return self._about

    def sync(self) -> None:
        if not self.is_mounted or not self.is_attached:
            return
        self._ticks += 1
        if self._ticks % _AGE_EVERY_TICKS == 0:
            self.timeline.age()
        if self._wires.sync(self._tabs, self._traffic_of):
            self.rows.source = self.timeline
            self.actions.restart_search()
        self.rows.sync()
        self.filters.show_counts(self.timeline, self.actions.find_step())
        self.query_one(StatusLine).show(*self._status())
        if not self.rows.following or self._ticks % SHOW_EVERY_TICKS == 0:
            self._show_detail()
        if self._side.created is not None:
            self._side.created.sync()

    def go_back(self) -> bool:
        """Go back from the detail to the list, or from there to the previous tab."""
        if not super().go_back():
            self.app.call_later(self._show_tab, self._tabs.current.number)
        return True

    def copy(self) -> None:
        if self.frame.shows_detail:
            self.detail.copy()
            return
        number, n = self.chosen
        if (conversation := self._wires.conversation(number)) is not None:
            self._turn_to(conversation)
            self.detail.copy_entry(n)

    def action_filter(self) -> None:
        """Open the filter line, with completions from the previous tab."""
        self.filters.conversation = self._tabs.conversation
        self.filters.open()

    def action_clear_filter(self) -> None:
        if not self.filters.text:
            self.notify(NO_FILTER, timeout=3)
        self.filters.clear()
        self.actions.seek("")
        self._wires.set_filter(None)
        self.rows.focus()

    async def action_go(self) -> None:
        """Show the selected row in the tab of its server."""
        number, n = self.chosen
        if n and self._wires.conversation(number) is not None:
            await self._show_entry_of(number, n)

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        if 0 <= message.index < self.timeline.count:
            wire, n = self.timeline.entry(message.index)
            self.chosen = (wire.number, n)
        else:
            self.chosen = (ALL, 0)

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Show the message in full, alone if there is space for only one of both."""
        self._side.make_room()
        self._show_detail()
        self.detail.focus_content()

    def on_filter_pane_search_changed(self, message: FilterPane.SearchChanged) -> None:
        """Search for another text."""
        self.actions.seek(message.text)
        self._settle()

    def on_filter_pane_left(self, message: FilterPane.Left) -> None:
        """Focus the rows, and go to the first match if requested."""
        self.rows.focus()
        if message.found:
            self.actions.action_found(1)

    def on_filter_pane_filtered(self, message: FilterPane.Filtered) -> None:
        self._wires.set_filter(message.term)
        self._settle()

    def _settle(self) -> None:
        """Filter and search before the next key that acts."""

        def is_busy() -> bool:
            return self.timeline.is_filtering or self.actions.is_searching

        def work() -> None:
            _take_in(self.timeline)
            self.rows.sync()
            self.filters.show_counts(self.timeline, self.actions.find_step())

        self.filters.settle(is_busy, work)

    def _show_detail(self) -> None:
        number, n = self.chosen
        conversation = self._wires.conversation(number)
        if not self.frame.shows_detail or (self.chosen == self._shown and conversation is self._about):
            return
        if conversation is not None:
            self._turn_to(conversation)
        self._shown = self.chosen
        self.detail.show(n)

    def _turn_to(self, conversation: OpenConversation) -> None:
        """Let the detail show messages of a conversation."""
        if conversation is not self._about:
            self._about = conversation
            self.detail.rebind(conversation)

    def _status(self) -> tuple[list[Span], list[Span]]:
        timeline = self.timeline
        left: list[Span] = [
            (f"{len(timeline.wires)} servers, chronological", "muted"),
            (f"  {keys.shown_key('timeline.go')} opens its tab", "faint"),
        ]
        if reading := self._wires.reading(self._tabs):
            left.append((f"  {glyphs().pending} reading {one_line(', '.join(reading), 40)}", "pending"))
        elif timeline.is_behind and timeline.term is not None:
            left.append((f"  {glyphs().pending} filtering", "pending"))
        growth = self.rows.growth_label
        gap: list[Span] = [("   ", "text")] if growth else []
        return left, [*growth, *gap, (f"{timeline.total:,} entries", "muted")]
