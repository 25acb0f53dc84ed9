"""Replay of captures: its actions, and the state that each screen shows.

Traffic shows the whole capture, or during playback the entries so far. Every other screen shows the state at the
replay position, computed only when that screen is visible. Moving through Traffic is therefore cheap.
"""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast
from weakref import WeakKeyDictionary

from textual.app import App

from inspector.capture.journal import Journal
from inspector.config.environment import MINIMAL
from inspector.protocol import peek
from inspector.protocol.credentials import MASK
from inspector.tui import keys
from inspector.tui.bars import HeaderBar
from inspector.tui.conversation import ConversationStage, OpenConversation, Recording
from inspector.tui.panels import Panel
from inspector.tui.screens.traffic.list import TrafficList
from inspector.tui.screens.traffic.panel import TrafficPanel
from inspector.tui.tabs import Tab, Tabs
from inspector.tui.toasts import Toasts
from inspector.tui.widgets.virtual_list import LogList

if TYPE_CHECKING:
    from inspector.config.servers import FoundServer
    from inspector.tui.screens.replay.bar import TransportBar
    from inspector.tui.screens.replay.playback import AnyPlayback, CommonPlayback, Playback
    from inspector.tui.screens.traffic.timeline import TimelinePanel

_OF_PLAYING = frozenset(("play", "speed"))
_PAUSE_S = 0.003
"""Delay between two polls of a running filter, in seconds."""


class CommonReplay:
    """Replay of several captures at once. The timeline's cursor is the position in all of them."""

    def __init__(self, tabs: Tabs, playback_of: "Callable[[Tab], Playback | None]") -> None:
        self._tabs = tabs
        self._playback_of = playback_of
        self._found: tuple[tuple[tuple[int, int], ...], CommonPlayback | None] | None = None
        """Cache: tab numbers with the ids of their playbacks (0 if not created yet), and the common playback."""

    @property
    def playback(self) -> "CommonPlayback | None":
        """The playback of all tabs; None with a single tab, or if a tab is live or still loading."""
        if len(self._tabs) == 1:
            return None
        parts = [(tab.number, self._playback_of(tab)) for tab in self._tabs]
        key = tuple((number, id(part) if part is not None and not part.is_reading else 0) for number, part in parts)
        if self._found is None or self._found[0] != key:
            from inspector.tui.screens.replay.playback import CommonPlayback, parts_of

            found = parts_of(parts)
            self._found = key, None if found is None else CommonPlayback(found)
        return self._found[1]

    @property
    def in_use(self) -> "CommonPlayback | None":
        """The playback of all tabs if the user has moved the timeline's cursor or plays it; otherwise None."""
        playback = self.playback if self._found is not None else None
        return playback if playback is not None and playback.has_position else None

    def traffic_of(self, tab: Tab) -> OpenConversation:
        """Return what the timeline shows of a tab: during playback, the entries so far."""
        common, own = self.in_use, self._playback_of(tab)
        return own.traffic if common is not None and common.is_fronted and own is not None else tab.conversation

    @property
    def _timeline(self) -> "TimelinePanel | None":
        return cast("TimelinePanel | None", self._tabs.timeline)

    def timeline_shown(self) -> None:
        """Move every tab to the common position when the timeline becomes visible."""
        playback = self.in_use
        if playback is not None:
            playback.apply()
            self.put_cursor()

    def forget(self) -> None:
        """Drop the state of a closed tab, including the common position."""
        self._found = None

    def suspend(self) -> None:
        """Pause the common playback while the timeline is hidden."""
        if self._found is not None and self._found[1] is not None and not self._tabs.shows_timeline:
            self._found[1].player.pause()

    def follow_tab(self) -> None:
        """Apply a move in the active tab to all tabs."""
        common, own = self.in_use, self._playback_of(self._tabs.current)
        if common is None or own is None or self._tabs.shows_timeline:
            return
        if own.is_at_end and not own.is_fronted:
            common.show_all()
        else:
            common.go_to_entry(self._tabs.current.number, own.at)

    def put_cursor(self) -> None:
        """Put the timeline's cursor on the current entry."""
        playback, panel = self.in_use, self._timeline
        if playback is None or panel is None or playback.player.playing or playback.entry is None:
            return
        panel.sync()
        index = panel.timeline.row_at(*playback.entry)
        if index >= 0:
            panel.rows.go_to(index)

    @property
    def rows(self) -> LogList | None:
        """The rows of the timeline; None if it has not been shown yet."""
        return self._timeline.rows if self._timeline is not None else None

    def follow_cursor(self, message: LogList.Selected) -> None:
        """Follow the timeline's cursor after the user has moved it."""
        playback, panel = self.playback, self._timeline
        if playback is None or panel is None or panel not in message.control.ancestors or playback.player.playing:
            return
        if not message.by_reader or not 0 <= message.index < panel.timeline.count:
            return
        if panel.rows.following and not playback.is_fronted:
            playback.show_all()
        else:
            wire, n = panel.timeline.entry(message.index)
            playback.go_to_entry(wire.number, n)

    def next_match(self, by: int) -> int | None:
        """Return the next (1) or previous (-1) entry that matches the timeline's filter; None if there is none."""
        playback, panel = self.playback, self._timeline
        entry = playback.entry if playback is not None else None
        if playback is None or panel is None or entry is None:
            return None
        timeline = panel.timeline
        at = timeline.row_at(*entry)
        index = at + by if by > 0 or (at >= 0 and timeline.find(*entry) is not None) else at
        if not 0 <= index < timeline.count:
            return None
        wire, n = timeline.entry(index)
        if wire.number not in playback.numbers:  # its tab has been closed, and the timeline is not rebuilt yet
            return None
        return playback.place_of(wire.number, n)


class Replay:
    """Replay in the active tab, or in the timeline of all tabs."""

    def __init__(
        self, app: App[None], tabs: Tabs, header: HeaderBar, toasts: Toasts, held: Callable[[], int | None]
    ) -> None:
        """`held` returns the number of messages that the attached tap holds; None if none is attached."""
        self._app = app
        self._held = held
        self._tabs = tabs
        self._header = header
        self._toasts = toasts
        self._playbacks: WeakKeyDictionary[Tab, Playback] = WeakKeyDictionary()
        self._bound: WeakKeyDictionary[Panel, OpenConversation] = WeakKeyDictionary()
        """The state that each panel shows. A panel without an entry shows its whole capture."""
        self.common = CommonReplay(tabs, self.playback_of)
        self.bar: TransportBar | None = None

    @property
    def playback(self) -> "AnyPlayback | None":
        """The playback of the active tab, or of all tabs while the timeline is visible; None if nothing is replayed."""
        return self.common.playback if self._tabs.shows_timeline else self.playback_of(self._tabs.current)

    def allows(self, action: str) -> bool:
        """Whether an action is possible: nothing plays in an empty capture, or at the end of one that grows."""
        playback = self.playback
        if playback is None or not playback.count or action not in _OF_PLAYING:
            return playback is not None and bool(playback.count)
        return not playback.grows or playback.is_fronted or not playback.is_at_end

    def playback_of(self, tab: Tab) -> "Playback | None":
        """The playback of a tab; None if the tab shows no capture."""
        if not isinstance(tab.conversation, Recording) or tab.conversation.stage not in (
            ConversationStage.RECORDED,
            ConversationStage.LOADING,
        ):
            return None
        from inspector.tui.screens.replay.playback import Playback

        if tab not in self._playbacks:
            self._playbacks[tab] = Playback(tab.conversation)
        return self._playbacks[tab]

    def tick(self) -> None:
        """Show the entries that are due, and update the bar."""
        self.common.suspend()
        playback = self.playback
        if playback is not None and playback.tick():
            play, end = keys.shown_key("replay.play"), keys.shown_key("replay.end")
            self._toasts.say(f"End of the capture. {end} shows everything, {play} replays.")
        if self.bar is None and playback is not None:
            from inspector.tui.screens.replay.bar import TransportBar

            self.bar = TransportBar(self.go_to_moment)
            self._app.screen_stack[0].mount(self.bar, before="FooterBar")  # below a menu; a dialog would take it along
        if self.bar is not None and self.bar.is_attached:
            self.bar.sync(playback, self._held())

    # State at the position

    async def conversation_for(self, name: str, tab: Tab) -> OpenConversation:
        """Return the conversation that a screen of a tab has to show."""
        playback = self.playback_of(tab)
        if playback is None:
            return tab.conversation
        if not keys.SCREENS[name].is_of_a_moment:
            return playback.traffic if name == "traffic" else tab.conversation
        if playback.is_far:
            await asyncio.to_thread(playback.state)
        return playback.state()

    def show_moment(self, panel: Panel, conversation: OpenConversation, tab: Tab) -> None:
        """Show the state at the position of a tab in a panel and in the header, unless they show it already."""
        if self.playback_of(tab) is None:
            return
        if self._bound.get(panel, tab.conversation) is not conversation:
            panel.show_earlier(conversation)
        self._bound[panel] = conversation
        if tab is self._tabs.current and self._header.conversation is not conversation:
            self._header.rebind(conversation)

    async def _show_again(self) -> None:
        panel = self._tabs.panel
        if self._tabs.shows_timeline:
            panel.sync()
            self.common.put_cursor()
            return
        tab = self._tabs.current
        conversation = await self.conversation_for(tab.shown, tab)
        self.show_moment(panel, conversation, tab)
        panel.sync()
        self.put_cursor()

    def put_cursor(self) -> None:
        """Put the cursor of Traffic, if it is visible, on the current entry."""
        playback, rows = self.playback_of(self._tabs.current), self._traffic
        if playback is None or rows is None or self._tabs.current.shown != "traffic" or playback.player.playing:
            return
        if playback.position is None and playback.front is None:
            return
        rows.sync()
        if not rows.go_to_entry(playback.at) and rows.model.count:
            rows.rows.go_to(rows.model.jumps.nearest(playback.at))
        playback.chosen = rows.model.entry_of(rows.rows.view.cursor) if rows.model.count else 0

    @property
    def _traffic(self) -> TrafficList | None:
        panel = self._tabs.current.panels.get("traffic")
        return panel.list if isinstance(panel, TrafficPanel) and panel.list.is_attached else None

    @property
    def _rows(self) -> LogList | None:
        """The visible list that follows the replay, if any."""
        if self._tabs.shows_timeline:
            return self.common.rows
        traffic = self._traffic if self._tabs.current.shown == "traffic" else None
        return traffic.rows if traffic is not None else None

    def follow_cursor(self, message: LogList.Selected) -> None:
        """Follow the cursor of Traffic or of the timeline after the user has moved it."""
        if self._tabs.shows_timeline:
            self.common.follow_cursor(message)
            return
        playback, rows = self.playback_of(self._tabs.current), self._traffic
        if playback is None or rows is None or rows not in message.control.ancestors or playback.player.playing:
            return
        before, playback.chosen = playback.chosen, rows.chosen
        find = rows.model.find
        if playback.visited and rows.chosen and find(playback.visited) == find(rows.chosen) is not None:
            playback.visited = 0
            return
        if message.by_reader:  # a new list reports its first row, possibly late: that is not a move
            playback.visited = 0
        if rows.rows.following and playback.front is None:
            playback.position = None
        elif message.by_reader and rows.chosen not in (0, before) and not playback.stays:
            playback.go(rows.chosen)
            self.common.follow_tab()

    # Seeking and playing

    async def go_to_moment(self, n: int) -> None:
        """Seek to entry n."""
        playback = self.playback
        if playback is not None and playback.count:
            playback.go(n)
            self.common.follow_tab()
            await self._show_again()

    async def action_play(self) -> None:
        """Toggle between play and pause."""
        playback = self.playback
        if playback is None or not playback.count:
            return
        if playback.player.playing:
            playback.player.pause()
            return
        if playback.starts_slowly:
            await asyncio.to_thread(playback.play)
        else:
            playback.play()
        await self._show_again()
        rows = self._rows
        if rows is not None:
            rows.action_last()

    def action_speed(self, by: int) -> None:
        """Play faster (1) or slower (-1)."""
        if self.playback is not None:
            self.playback.change_speed(by)

    async def action_step(self, by: int) -> None:
        """Step one entry forward (1) or back (-1)."""
        own, traffic = self.playback_of(self._tabs.current), self._traffic
        if (
            own is not None
            and traffic is not None
            and traffic.rows is self._rows
            and own.stays
            and not traffic.rows.following
        ):
            await self.go_to_moment(traffic.chosen + by)
        elif self.playback is not None:
            await self.go_to_moment(self.playback.at + by)

    async def action_step_exchange(self, by: int) -> None:
        """Step to the next (1) or previous (-1) request."""
        n = self.playback.next_exchange(by) if self.playback is not None else None
        if n is not None:
            await self.go_to_moment(n)
        else:
            self._toasts.say(f"No {'next' if by > 0 else 'previous'} request.")

    async def action_step_match(self, by: int) -> None:
        """Step to the next (1) or previous (-1) entry that matches the filter of the visible list."""
        if self._tabs.shows_timeline:
            n = self.common.next_match(by)
        else:
            playback, rows = self.playback_of(self._tabs.current), self._traffic
            if playback is None:
                return
            if rows is None or not rows.model.has_filter:
                self._toasts.say(f"No filter set. Press {keys.shown_key('traffic.filter')} in Traffic.")
                return
            while rows.model.is_filtering:  # a hidden screen does not continue its filter
                rows.model.filter_step()
                await asyncio.sleep(_PAUSE_S)
            later = [n for n in rows.model.entries if (n > playback.at if by > 0 else n < playback.at)]
            n = (min(later) if by > 0 else max(later)) if later else None
        if n is not None:
            await self.go_to_moment(n)
        else:
            self._toasts.say("No more matches.")

    def action_go_to_entry(self) -> None:
        """Ask for an entry number or a time, and seek to it."""
        from inspector.tui.screens.traffic.dialogs import GoToScreen

        playback = self.playback
        if playback is None:
            return

        def went(n: int | None) -> None:
            if n:
                self._app.call_later(self.go_to_moment, n)

        self._app.push_screen(GoToScreen(playback.parse_position), went)

    async def action_replay_start(self) -> None:
        """Seek to the first entry."""
        await self.go_to_moment(1)

    async def action_replay_end(self) -> None:
        """Seek to the end, which shows everything."""
        playback = self.playback
        if playback is None:
            return
        playback.show_all()
        self.common.follow_tab()
        await self._show_again()
        rows = self._rows
        if rows is None or not rows.source.count:
            return
        rows.action_last()
        own, traffic = self.playback_of(self._tabs.current), self._traffic
        if own is not None and traffic is not None and traffic.rows is rows and traffic.model.count:
            own.chosen = traffic.model.entry_of(rows.view.cursor)


def recorded_server(journal: Journal, name: str) -> "tuple[FoundServer | None, str]":
    """Return the server of a capture as it was started, and one sentence on missing information ("" if complete).

    `name` is the name of the file. The server is None if the capture does not say how it was started. A capture
    holds no values of environment variables: they come from the current environment.
    """
    from inspector.config.servers import FoundServer

    opened, opening = journal.connection, journal.conversation.opening
    other = f"{keys.shown_key('tabs.open')} opens a server."
    if opened is None or not (opened.argv or opened.url):
        return None, f"The capture does not contain the command of its server. {other}"
    if any(MASK in each for each in (*opened.argv, opened.url)):
        return None, f"Part of the server's command is redacted in the capture. {other}"
    named = (peek.text(opening.server, "name") if opening is not None else "") or name
    wanted = [each for each in opened.env_names if each not in MINIMAL]
    env = tuple((each, os.environ[each]) for each in wanted if each in os.environ)
    lacking = [each for each in wanted if each not in os.environ]
    url = "" if opened.argv else opened.url
    server = FoundServer(named, "this capture", Path(name), argv=opened.argv, url=url, cwd=opened.cwd, env=env)
    return server, f"Environment variables that are not set here: {', '.join(lacking)}." if lacking else ""
