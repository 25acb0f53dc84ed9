"""Runs in a terminal: an app of our base that writes what it receives, as JSON lines, and draws an image.

`python -m tests.terminals.receiver LOG`; `p` draws the image, `Q` quits.
"""

import io
import json
import sys
from typing import Any

from PIL import Image
from textual import events
from textual.app import ComposeResult
from textual.widgets import Static

from inspector.tui.lasting_app import LastingApp
from inspector.tui.safety import apply_theme, install
from inspector.tui.widgets.picture import PictureScreen

MAGENTA = (255, 0, 255)


class Receiver(LastingApp[None]):
    """Writes keys, the mouse and sizes."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, path: str) -> None:
        super().__init__()
        install(self)
        apply_theme(self)
        self._file = open(path, "w", buffering=1, encoding="utf-8")  # noqa: SIM115 - written until the app ends
        self._last: events.Event | None = None

    def compose(self) -> ComposeResult:
        yield Static("receiver")

    def on_mount(self) -> None:
        self.call_after_refresh(self._write, "ready", True)

    def _write(self, name: str, value: Any) -> None:
        print(json.dumps({name: value}), file=self._file)

    async def on_event(self, event: events.Event) -> None:
        """Write an event before it is handled; one that nothing handles comes back."""
        if event is self._last:
            return await super().on_event(event)
        self._last = event
        if isinstance(event, events.Key):
            self._write("key", event.key)
            if event.key == "p":
                self.push_screen(PictureScreen(_image(), "An image"))
            elif event.key == "Q":
                self.exit()
        elif isinstance(event, events.MouseEvent) and not isinstance(event, events.MouseMove):
            self._write("mouse", [type(event).__name__, event.x, event.y])
        elif isinstance(event, events.Resize):
            self._write("size", [*event.size])
        elif isinstance(event, events.Paste):
            self._write("paste", event.text)
        return await super().on_event(event)


def _image() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (400, 300), MAGENTA).save(out, "PNG")
    return out.getvalue()


if __name__ == "__main__":
    Receiver(sys.argv[1]).run()
