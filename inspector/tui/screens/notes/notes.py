"""What a person notes about a conversation: the notes of its file, kept with each change, and shown in all its lists.

Notes are those of the capture, so all moments of a recording have the same.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from inspector.capture.format.notes import Mark, Notes, NotesFile, new_mark
from inspector.tui.conversation import OpenConversation, PastSubject

if TYPE_CHECKING:
    from inspector.capture.format.notes import View
    from inspector.tui.app import InspectApp
    from inspector.tui.screens.traffic.panel import TrafficPanel


class Noted:
    """The notes of one conversation."""

    def __init__(self, subject: OpenConversation) -> None:
        """Read them."""
        journal = subject.journal
        self._journal = journal
        self._file = NotesFile(journal.capture_path, journal.head.id)
        self.changes = 0
        """Grows with each change."""
        self.notes = self._file.read()
        self.colour = ""
        """The colour that was given last."""
        self._take(self.notes)

    @property
    def is_kept(self) -> bool:
        """Whether there is a file for them."""
        return self._file.path is not None

    def change(self, made: Callable[[Notes], Notes]) -> None:
        """Make other notes of them, and keep those. Raises: UsageError if they can't be kept; nothing is changed."""
        self._take(self._file.change(made))

    def mark_at(self, n: int) -> Mark:
        """The mark of an entry, or the one that it would get. Nothing is changed."""
        return self.notes.marks.get(n) or new_mark(n, self.colour or new_mark(n).color)

    def mark(self, n: int, *, color: str = "", text: str | None = None) -> Mark:
        """Mark an entry; what is not named stays, and without a mark the colour is the last one given.

        Raises: UsageError.
        """
        before = self.mark_at(n)
        mark = new_mark(n, color or before.color, before.text if text is None else text)
        self.change(lambda notes: notes.marked(n, mark))
        self.colour = mark.color
        return mark

    def unmark(self, n: int) -> None:
        """Take the mark of an entry away. Raises: UsageError."""
        self.change(lambda notes: notes.marked(n, None))

    def _take(self, notes: Notes) -> None:
        self.notes = notes
        self.changes += 1
        self._journal.marks.clear()
        self._journal.marks.update(notes.marks)


_noted: "WeakKeyDictionary[OpenConversation, Noted]" = WeakKeyDictionary()


def noted_of(subject: OpenConversation) -> Noted:
    """The notes of a conversation; of a moment of a recording, those of the recording."""
    whole = subject.whole if isinstance(subject, PastSubject) else subject
    found = _noted.get(whole)
    if found is None:
        found = _noted[whole] = Noted(whole)
    return found


# --- The list of marks and views, from any screen: what is chosen there is gone to in the traffic.


class AppMarking:
    """What the app does with marks."""

    def action_marks(self: "InspectApp") -> None:  # type: ignore[misc]
        """List marks and views."""
        # XX
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
            traffic.show_notes()
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
