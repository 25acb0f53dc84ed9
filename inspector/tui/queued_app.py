"""An app whose keys and clicks act one after the other, even if many arrive at once."""

from typing import Any, TypeVar

from textual.events import Event, Key
from textual.message import Message
from textual.screen import Screen

from inspector.tui.input_queue import InputQueue, QueuedScreen
from inspector.tui.lasting_app import LastingApp

_T = TypeVar("_T")
_LOOK_S = 0.1
_left_keys: list[Key] = []
"""Keys typed while one app makes room for the next."""


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

    def exit(self, *arguments: Any, **named: Any) -> None:
        """Exit. Keys that have not had their turn are left to the next app, should there be one."""
        super().exit(*arguments, **named)
        _left_keys[:] = self.input_queue.take_keys()

    def take_left_keys(self) -> None:
        """Handle the keys that the app before this one has left."""
        for key in _left_keys:
            self.post_message(key)
        _left_keys.clear()

    def post_message(self, message: Message) -> bool:
        """Queue a message, but for a key while the app exits."""
        if self._exit and isinstance(message, Key):
            _left_keys.append(message)
            return False
        return super().post_message(message)

    async def on_event(self, event: Event) -> None:
        """Handle keys and clicks one after the other."""
        if self._exit and isinstance(event, Key):  # it was queued before
            _left_keys.append(event)
        elif self.input_queue.concerns(event):
            await self.input_queue.take(event, self.act)
        else:
            await self.act(event)

    async def act(self, event: Event) -> None:
        await super().on_event(event)
