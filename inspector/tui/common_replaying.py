"""Going through several recordings at once: the timeline's cursor is where one stands in all of them.

Whoever has moved it takes it along into the tabs: their screens show that moment, and a step there moves all.
"""

from typing import TYPE_CHECKING

from inspector.tui.subject import Subject

if TYPE_CHECKING:
    from inspector.tui.app import InspectApp
    from inspector.tui.common_playback import CommonPlayback
    from inspector.tui.tabs import Tab
    from inspector.tui.widgets.log_list import LogList

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
            from inspector.tui.common_playback import CommonPlayback, parts_of

            found = parts_of(parts)
            self._common = key, None if found is None else CommonPlayback(found)
        return self._common[1]

    @property
    def common_in_use(self: "InspectApp") -> "CommonPlayback | None":  # type: ignore[misc]
        """The same where somebody has moved the cursor of the timeline, or plays it."""
        common = self.common if self._common is not None else None
        return common if common is not None and common.stands_somewhere else None

    def traffic_of(self: "InspectApp", tab: "Tab") -> Subject:  # type: ignore[misc]
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
