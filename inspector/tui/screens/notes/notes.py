"""What a person notes about a conversation: the notes of its file, kept with each change, and shown in all its lists.

Notes are those of the capture, so all moments of a recording have the same.
"""

from typing import TYPE_CHECKING

from inspector.capture.format.notes import Mark
from inspector.tui.noted import noted_of

if TYPE_CHECKING:
    from inspector.capture.format.notes import View
    from inspector.tui.app import InspectApp
    from inspector.tui.screens.traffic.panel import TrafficPanel


# The list of marks and views, from any screen: what is chosen there is gone to in the traffic.


class AppMarking:
    """What the app does with marks."""

    def action_marks(self: "InspectApp") -> None:  # type: ignore[misc]
        """List marks and views."""
        from inspector.tui.screens.notes.dialogs import MarksScreen
        from inspector.tui.screens.traffic.panel import TrafficPanel

        if self.shows_timeline:
            return
        panel = self.tab.panels.get("traffic")
        traffic = panel if isinstance(panel, TrafficPanel) else None
        noted = noted_of(self.subject)

        def went(found: "Mark | View | None") -> None:
            self.call_later(self._go_to_noted, found, traffic)

        present = traffic.present_view() if traffic is not None else None
        self.push_screen(MarksScreen(self.subject, noted, present), went)

    async def _go_to_noted(  # type: ignore[misc]
        self: "InspectApp", found: "Mark | View | None", traffic: "TrafficPanel | None"
    ) -> None:
        from inspector.capture.format.notes import Mark

        if traffic is not None:
            traffic.list.show_notes()
        if isinstance(found, Mark) and found.n <= self.subject.journal.count:
            await self._go_to_mark(found.n)
        elif found is not None and not isinstance(found, Mark):
            await self.action_show("traffic")
            if traffic is not None:
                traffic.look_as(found)

    async def _go_to_mark(self: "InspectApp", n: int) -> None:  # type: ignore[misc]
        """On a screen of a recording to that moment, else to the line of the traffic."""
        if self.playback is not None and self.tab.shown != "traffic":
            await self.go_to_moment(n)
            return
        await self.action_show("traffic")
        if self.playback is not None:
            await self.go_to_moment(n)
        else:
            self.panel.show_entry(n)
