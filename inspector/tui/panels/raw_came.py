"""What came of messages that were written by hand: the frames of the chosen one, and below them all that were sent."""

from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.capture.journal import Journal
from inspector.protocol.drafts import DraftKind
from inspector.protocol.frames import Direction
from inspector.tui.clipboard import copy
from inspector.tui.panels.payload_view import RAW, TREE, PayloadView
from inspector.tui.panels.raw_shots import Shot, Shots, frame_title
from inspector.tui.widgets.log_list import LogList
from inspector.viewmodels.roles import Span
from inspector.viewmodels.text import human_size


class RawCame(Vertical):
    """One frame, and the list of what was sent."""

    DEFAULT_CSS = """
    RawCame { width: 1fr; height: 1fr; border-left: solid $border-blurred; }
    RawCame LogList { height: 30%; min-height: 3; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.shots = Shots()
        self.chosen: Shot | None = None
        """The one whose frames are shown."""
        self._list = LogList(self.shots, empty=([("Nothing was sent from here yet", "muted")],))
        self._view = PayloadView()
        self._place = 0

    def compose(self) -> ComposeResult:
        """The frame above the list."""
        yield self._view
        yield self._list

    @property
    def is_ready(self) -> bool:
        """Whether all parts are there."""
        return self._list.is_mounted and self._view.is_mounted

    def sync(self) -> None:
        """Look again."""
        self._list.sync()

    def focus_list(self) -> None:
        """Let keys go to the list."""
        self._list.focus()

    def add(self, shot: Shot) -> None:
        """One more was sent; it is shown."""
        self.shots.add(shot)
        self._list.sync()
        self._list.go_to(0)
        self._choose(shot)

    def changed(self, shot: Shot) -> None:
        """Something came of one: its first answer is shown."""
        self.shots.changed()
        self._choose(shot)

    def turn(self, by: int) -> None:
        """Show the next frame, or the one before."""
        if self.chosen is not None and self.chosen.frames:
            self._place = (self._place + by) % len(self.chosen.frames)
            self._show(self.chosen)

    def entry_in(self, journal: Journal) -> int:
        """The number of the frame in sight, if it is one of this journal; else 0."""
        chosen = self.chosen
        if chosen is None or chosen.journal is not journal or self._place >= len(chosen.frames):
            return 0
        return chosen.frames[self._place]

    def copy(self) -> None:
        """Copy the frame in sight, or the value under the cursor."""
        copy(self.app, self._view.value.decode("utf-8", "replace"))

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Show another one."""
        event.stop()
        if 0 <= event.index < self.shots.count and self.shots.all[event.index] is not self.chosen:
            self._choose(self.shots.all[event.index])

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Look into the frame."""
        event.stop()
        self._view.focus_content()

    def _choose(self, shot: Shot) -> None:
        self.chosen = shot
        self._place = shot.first_answer
        self._show(shot)

    def _show(self, shot: Shot) -> None:
        frame = shot.frame(self._place)
        payload = frame.payload if frame else (shot.sent.body if shot.sent else b"")
        exact = shot.draft.kind is DraftKind.EXACT and frame is not None and frame.direction is Direction.TO_SERVER
        form = TREE if frame is not None and not exact else RAW
        size: list[Span] = [(human_size(len(payload)), "faint")] if payload else []
        self._view.show(frame_title(shot, self._place), size, payload, form)
