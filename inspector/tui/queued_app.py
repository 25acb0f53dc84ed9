"""An app whose keys and clicks act one after the other, even if many arrive at once."""

from typing import TypeVar

from textual.events import Event
from textual.screen import Screen

from inspector.tui.input_queue import InputQueue, QueuedScreen
from inspector.tui.lasting_app import LastingApp

_T = TypeVar("_T")
_LOOK_S = 0.1


class QueuedApp(LastingApp[_T]):
    """An app with a queue of input events. What has none of its own ticks calls `watch_queue` once it is mounted."""

    def __init__(self) -> None:
        super().__init__()
        self.input_queue = InputQueue(self, self.refocus)

    def watch_queue(self) -> None:
        """Release waiting keys regularly, should a handler hang."""
        self.set_interval(_LOOK_S, self.input_queue.look)

    def get_default_screen(self) -> Screen[object]:
        """The screen below all dialogs."""
        return QueuedScreen(id="_default")

    def refocus(self) -> None:
        """Focus a visible widget, because the focus was on a hidden one."""

    async def on_event(self, event: Event) -> None:
        """Handle keys and clicks one after the other."""
        if self.input_queue.concerns(event):
            await self.input_queue.take(event, self.act)
        else:
            await self.act(event)

    async def act(self, event: Event) -> None:
        """Handle an event."""
        await super().on_event(event)
