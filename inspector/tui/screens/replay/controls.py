"""Going through a recording: the app's actions for it, and what each screen shows of the moment one stands at.

The traffic shows all of it, or while it is played what has come so far; every other screen what was known there. That
is found out when such a screen is looked at: moving through the traffic costs nothing.
"""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

from inspector.tui.conversation import ConversationStage, OpenConversation, Recording
from inspector.tui.panels import Panel

if TYPE_CHECKING:
    from inspector.capture.journal import Journal
    from inspector.config.servers import FoundServer
    from inspector.tui.app import InspectApp
    from inspector.tui.screens.replay.bar import TransportBar
    from inspector.tui.screens.replay.playback import CommonPlayback, Playback
    from inspector.tui.screens.traffic.list import TrafficList
    from inspector.tui.tabs import Tab
    from inspector.tui.widgets.virtual_list import LogList


# --- Going through several recordings at once: the timeline's cursor is where one stands in all of them.

_Key = tuple[tuple[int, int], ...]


class CommonReplaying:
    """What the app does with several recordings."""

    _common: "tuple[_Key, CommonPlayback | None] | None" = None

    @property
    def common(self: "InspectApp") -> "CommonPlayback | None":  # type: ignore[misc]
        """Where one stands in all tabs; None if there is one tab, or one is no recording or is being read."""
        if len(self.tabs) == 1:
            return None
        parts = [(tab.number, self._playback_of(tab)) for tab in self.tabs]
        key = tuple((number, id(part) if part is not None and not part.is_reading else 0) for number, part in parts)
        if self._common is None or self._common[0] != key:
            from inspector.tui.screens.replay.playback import CommonPlayback, parts_of

            found = parts_of(parts)
            self._common = key, None if found is None else CommonPlayback(found)
        return self._common[1]

    @property
    def common_in_use(self: "InspectApp") -> "CommonPlayback | None":  # type: ignore[misc]
        """The same where somebody has moved the cursor of the timeline, or plays it."""
        common = self.common if self._common is not None else None
        return common if common is not None and common.stands_somewhere else None

    def traffic_of(self: "InspectApp", tab: "Tab") -> OpenConversation:  # type: ignore[misc]
        """What the timeline shows of a tab: while all are played, what has come so far."""
        common, playback = self.common_in_use, self._playback_of(tab)
        return playback.traffic if common is not None and common.is_fronted and playback is not None else tab.subject

    def look_at_common(self: "InspectApp") -> None:  # type: ignore[misc]
        """The timeline has come in sight: tabs that were played by themselves stand where all do."""
        common = self.common_in_use
        if common is not None:
            common.apply()
            self.put_common_cursor()

    def forget_common(self: "InspectApp") -> None:  # type: ignore[misc]
        """A tab is closed: nothing of it is kept, and where one stood in all is nowhere."""
        self._common = None

    def rest_common(self: "InspectApp") -> None:  # type: ignore[misc]
        """Play all of them only while they are in sight together."""
        if self._common is not None and self._common[1] is not None and not self.shows_timeline:
            self._common[1].player.pause()

    def take_along(self: "InspectApp") -> None:  # type: ignore[misc]
        """One stands elsewhere in the tab in sight: so one does in all."""
        common, playback = self.common_in_use, self._playback_of(self.tab)
        if common is None or playback is None or self.shows_timeline:
            return
        if playback.is_at_end and not playback.is_fronted:
            common.show_all()
        else:
            common.go_to_entry(self.tab.number, playback.at)

    def put_common_cursor(self: "InspectApp") -> None:  # type: ignore[misc]
        """Let the timeline have its cursor where one stands."""
        common, panel = self.common_in_use, self.timeline
        if common is None or panel is None or common.player.playing or common.entry is None:
            return
        panel.sync()
        number, n = common.entry
        index = panel.timeline.row_at(number, n)
        if index >= 0:
            panel.rows.go_to(index)

    def moved_in_timeline(self: "InspectApp", message: "LogList.Selected") -> None:  # type: ignore[misc]
        """The reader has moved in the timeline: that is where one stands."""
        common, panel = self.common, self.timeline
        if common is None or panel is None or message.control is not panel.rows or common.player.playing:
            return
        if not message.by_reader or not 0 <= message.index < panel.timeline.count:
            return
        if panel.rows.following and not common.is_fronted:
            common.show_all()
        else:
            wire, n = panel.timeline.entry(message.index)
            common.go_to_entry(wire.number, n)

    async def step_common_match(self: "InspectApp", by: int) -> None:  # type: ignore[misc]
        """To the next entry of all that the timeline's filter shows, or the one before."""
        n = self.common_match(by)
        if n is not None:
            await self.go_to_moment(n)
        else:
            self.say("Nothing more matches.")

    def common_match(self: "InspectApp", by: int) -> int | None:  # type: ignore[misc]
        """The next entry of all that the timeline's filter shows, or the one before; None if there is none."""
        common, panel = self.common, self.timeline
        entry = common.entry if common is not None else None
        if common is None or panel is None or entry is None:
            return None
        timeline = panel.timeline
        at = timeline.row_at(*entry)
        index = at + by if by > 0 or (at >= 0 and timeline.find(*entry) is not None) else at
        if not 0 <= index < timeline.count:
            return None
        wire, n = timeline.entry(index)
        if wire.number not in common.numbers:  # its tab was closed, and the timeline without it is still being laid out
            return None
        return common.place_of(wire.number, n)


AnyPlayback: TypeAlias = "Playback | CommonPlayback"
_OF_A_MOMENT = frozenset(
    ("tools", "resources", "prompts", "inbox", "server", "log", "tasks", "skills", "network", "findings")
)
"""Screens that show what was known at a moment."""
_PAUSE_S = 0.003
"""Between two looks at what a filter has found."""
_ACTIONS = frozenset(
    ("play", "speed", "step", "step_exchange", "step_match", "go_to_entry", "replay_start", "replay_end")
)


class Replaying(CommonReplaying):
    """What the app does with recordings."""

    _bar_of_replay: "TransportBar | None" = None

    @property
    def playback(self: "InspectApp") -> "AnyPlayback | None":  # type: ignore[misc]
        """Where one stands in the recording in sight, or in all that the timeline shows; None if none is."""
        return self.common if self.shows_timeline else self._playback_of(self.tab)

    def _playback_of(self: "InspectApp", tab: "Tab") -> "Playback | None":  # type: ignore[misc]
        if not isinstance(tab.subject, Recording) or tab.subject.stage not in (
            ConversationStage.RECORDED,
            ConversationStage.LOADING,
        ):
            return None
        from inspector.tui.screens.replay.playback import Playback

        known: WeakKeyDictionary[Tab, Playback] = vars(self).setdefault("_playbacks", WeakKeyDictionary())
        if tab not in known:
            known[tab] = Playback(tab.subject)
        return known[tab]

    def offer_server(self: "InspectApp", tab: "Tab") -> None:  # type: ignore[misc]
        """Show how the server of a recording was started or dialled, and ask whether it is to be, in a tab beside."""
        from inspector.present.start import OpenServer
        from inspector.tui.screens.start.start import ApproveScreen

        if self.opener is None:
            self.say("Nothing can be opened from here.")
            return
        server, missing = recorded_server(tab.subject.journal, tab.subject.about.label)
        if server is None:
            self.say(missing, severity="warning")
            return

        def answered(sure: bool | None) -> None:
            if sure:
                self.run_worker(self.open_tab(OpenServer(server)), group="opening")
                if missing:
                    self.say(missing, severity="warning")

        self.push_screen(ApproveScreen(server), answered)

    async def subject_for(self: "InspectApp", name: str) -> OpenConversation:  # type: ignore[misc]
        """What a screen of the tab in sight is to show."""
        playback = self._playback_of(self.tab)
        if playback is None:
            return self.tab.subject
        if name not in _OF_A_MOMENT:
            return playback.traffic if name == "traffic" else self.tab.subject
        if playback.is_far:
            await asyncio.to_thread(playback.state)
        return playback.state()

    def show_moment(self: "InspectApp", panel: Panel, subject: OpenConversation) -> None:  # type: ignore[misc]
        """Let a panel, and the header, show that moment; nothing is done if they do."""
        if self._playback_of(self.tab) is None:
            return
        bound: WeakKeyDictionary[Panel, OpenConversation] = vars(self).setdefault("_bound", WeakKeyDictionary())
        if bound.get(panel, self.tab.subject) is not subject:
            panel.turn_back(subject)
        bound[panel] = subject
        if self.header.subject is not subject:
            self.header.rebind(subject)

    def look_at_replay(self: "InspectApp") -> None:  # type: ignore[misc]
        """Let come what is due, and renew the bar."""
        self.rest_common()
        playback = self.playback
        if playback is not None and playback.tick():
            self.say("That was the end. $ shows everything, _ plays it again.")
        bar = self._bar_of_replay
        if bar is None and playback is not None:
            from inspector.tui.screens.replay.bar import TransportBar

            bar = self._bar_of_replay = TransportBar(self)
            self.screen_stack[0].mount(bar)  # a screen that lies over it now would take it along
        if bar is not None and bar.is_attached:
            bar.sync(playback)

    async def look_again(self: "InspectApp") -> None:  # type: ignore[misc]
        """One stands elsewhere: let the screen in sight show it."""
        panel = self.panel
        if self.shows_timeline:
            panel.sync()
            self.put_common_cursor()
            return
        subject = await self.subject_for(self.tab.shown)
        self.show_moment(panel, subject)
        panel.sync()
        self.put_cursor()

    def put_cursor(self: "InspectApp") -> None:  # type: ignore[misc]
        """Let the traffic, if it is in sight, have its cursor where one stands."""
        playback, rows = self._playback_of(self.tab), self._traffic
        if playback is None or rows is None or self.tab.shown != "traffic" or playback.player.playing:
            return
        if playback.position is None and playback.front is None:
            return
        rows.sync()
        if not rows.go_to_entry(playback.at) and rows.model.count:
            rows.rows.go_to(rows.model.jumps.nearest(playback.at))
        playback.chosen = rows.model.entry_of(rows.rows.view.cursor) if rows.model.count else 0

    @property
    def _traffic(self: "InspectApp") -> "TrafficList | None":  # type: ignore[misc]
        from inspector.tui.screens.traffic.panel import TrafficPanel

        panel = self.tab.panels.get("traffic")
        return panel.list if isinstance(panel, TrafficPanel) and panel.list.is_attached else None

    def on_log_list_selected(self: "InspectApp", message: "LogList.Selected") -> None:  # type: ignore[misc]
        """The reader has moved in the traffic, or in the timeline: that is where one stands."""
        if self.shows_timeline:
            self.moved_in_timeline(message)
            return
        playback, rows = self._playback_of(self.tab), self._traffic
        if playback is None or rows is None or message.control is not rows.rows or playback.player.playing:
            return
        before, playback.chosen = playback.chosen, rows.chosen
        find = rows.model.find
        if playback.visited and rows.chosen and find(playback.visited) == find(rows.chosen) is not None:
            playback.visited = 0
            return
        if message.by_reader:  # the first word of a list that has just been laid is no move, and may come before
            playback.visited = 0
        if rows.rows.following and playback.front is None:
            playback.position = None
        elif message.by_reader and rows.chosen not in (0, before):
            playback.go(rows.chosen)
            self.take_along()

    # --- actions

    async def go_to_moment(self: "InspectApp", n: int) -> None:  # type: ignore[misc]
        """Stand at entry n."""
        playback = self.playback
        if playback is not None and playback.count:
            playback.go(n)
            self.take_along()
            await self.look_again()

    async def action_play(self: "InspectApp") -> None:  # type: ignore[misc]
        """Play, or pause."""
        playback = self.playback
        if playback is None or not playback.count:
            return
        if playback.player.playing:
            playback.player.pause()
            return
        if playback.starts_far:
            await asyncio.to_thread(playback.play)
        else:
            playback.play()
        await self.look_again()
        rows = self._rows_of_replay
        if rows is not None:
            rows.action_last()

    def action_speed(self: "InspectApp") -> None:  # type: ignore[misc]
        """Play faster, or from the fastest on at half speed."""
        if self.playback is not None:
            self.playback.turn_speed()

    async def action_step(self: "InspectApp", by: int) -> None:  # type: ignore[misc]
        """An entry on, or back."""
        if self.playback is not None:
            await self.go_to_moment(self.playback.at + by)

    async def action_step_exchange(self: "InspectApp", by: int) -> None:  # type: ignore[misc]
        """To the next request, or the one before."""
        n = self.playback.next_exchange(by) if self.playback is not None else None
        if n is not None:
            await self.go_to_moment(n)

    async def action_step_match(self: "InspectApp", by: int) -> None:  # type: ignore[misc]
        """To the next entry that the filter of the traffic shows, or the one before."""
        if self.shows_timeline:
            await self.step_common_match(by)
            return
        playback, rows = self._playback_of(self.tab), self._traffic
        if playback is None:
            return
        if rows is None or not rows.model.has_filter:
            self.say("The traffic has no filter: / sets one there.")
            return
        while rows.model.is_filtering:  # a screen that is out of sight does not go on with its filter
            rows.model.filter_step()
            await asyncio.sleep(_PAUSE_S)
        shown = rows.model.entries
        later = [n for n in shown if (n > playback.at if by > 0 else n < playback.at)]
        if later:
            await self.go_to_moment(min(later) if by > 0 else max(later))
        else:
            self.say("Nothing more matches.")

    def action_go_to_entry(self: "InspectApp") -> None:  # type: ignore[misc]
        """Ask for a number or a time, and go there."""
        from inspector.tui.screens.traffic.dialogs import GoToScreen

        playback = self.playback
        if playback is None:
            return

        def went(n: int | None) -> None:
            if n:
                self.call_later(self.go_to_moment, n)

        self.push_screen(GoToScreen(playback.meant), went)

    async def action_replay_start(self: "InspectApp") -> None:  # type: ignore[misc]
        """To the first entry."""
        await self.go_to_moment(1)

    async def action_replay_end(self: "InspectApp") -> None:  # type: ignore[misc]
        """To the end; everything is shown."""
        playback = self.playback
        if playback is None:
            return
        playback.show_all()
        self.take_along()
        await self.look_again()
        rows = self._rows_of_replay
        if rows is None or not rows.source.count:
            return
        rows.action_last()
        own, traffic = self._playback_of(self.tab), self._traffic
        if own is not None and traffic is not None and traffic.rows is rows and traffic.model.count:
            own.chosen = traffic.model.entry_of(rows.view.cursor)

    @property
    def _rows_of_replay(self: "InspectApp") -> "LogList | None":  # type: ignore[misc]
        """The rows in sight that are about where one stands, if they are."""
        if self.shows_timeline:
            return self.timeline.rows if self.timeline is not None else None
        traffic = self._traffic if self.tab.shown == "traffic" else None
        return traffic.rows if traffic is not None else None

    def offers_replay(self: "InspectApp", action: str) -> bool | None:  # type: ignore[misc]
        """Whether an action is there now; None: it is none of these."""
        return self.playback is not None if action in _ACTIONS else None


def recorded_server(journal: "Journal", name: str) -> "tuple[FoundServer | None, str]":
    """The server of a capture as it was started or dialled, and what is missing, one sentence; "" for nothing.

    `name` is that of the file. None if the capture does not say how. It holds no values of variables: those of the
    same names are taken from here.
    """
    from inspector.config.environment import MINIMAL
    from inspector.config.servers import FoundServer
    from inspector.protocol import peek
    from inspector.protocol.credentials import MASK

    opened, opening = journal.connection, journal.conversation.opening
    if opened is None or not (opened.argv or opened.url):
        return None, "This capture does not say how its server was started. O opens one that you name."
    if any(MASK in each for each in (*opened.argv, opened.url)):
        return None, "This capture hides a part of the command that started its server. O opens one that you type."
    named = (peek.text(opening.server, "name") if opening is not None else "") or name
    wanted = [each for each in opened.env_names if each not in MINIMAL]
    env = tuple((each, os.environ[each]) for each in wanted if each in os.environ)
    lacking = [each for each in wanted if each not in os.environ]
    url = "" if opened.argv else opened.url
    server = FoundServer(named, "this capture", Path(name), argv=opened.argv, url=url, cwd=opened.cwd, env=env)
    return server, f"Not set here, as they were then: {', '.join(lacking)}." if lacking else ""
