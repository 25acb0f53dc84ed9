"""Dialog that shows a decoded value. Escape closes it; values in it can be decoded further.

`[` and `]` switch between several decodings. Nothing is verified here: a decoding is a guess.
"""

import time
from collections.abc import Sequence
from typing import Any, ClassVar

from textual import work
from textual.app import App, ComposeResult
from textual.binding import BindingType

from inspector.present.decodings import Decoding, readings, too_large
from inspector.present.spans import Span
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.theme import glyphs
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.bars import StatusLine, TabLine
from inspector.tui.widgets.dialogs import Dialog
from inspector.tui.widgets.key_bars import FooterBar
from inspector.tui.widgets.payload import BYTES, RAW, TREE, PayloadView
from inspector.tui.widgets.picture import PictureScreen

_AT_ONCE = 200_000
"""Maximum size, in bytes, of a value that is decoded without a thread."""
_DEEPEST = 20
"""Maximum number of stacked screens: a string can contain itself, encoded, any number of times."""


def decode(app: App[Any], value: bytes, where: str) -> None:
    """Show the decodings of a JSON value, or a notice that there are none. `where` has been made safe."""
    problem = too_large(value)
    if not problem and len(app.screen_stack) > _DEEPEST:
        problem = f"At most {_DEEPEST} layers are decoded."
    if problem:
        app.notify(problem, severity="warning", timeout=4)
    elif len(value) <= _AT_ONCE:
        _show(app, readings(value, time.time()), where)
    else:
        app.push_screen(DecodedScreen((), where, value))


def _show(app: App[Any], found: Sequence[Decoding], where: str) -> None:
    if found:
        app.push_screen(DecodedScreen(found, where))
    else:
        app.notify("Nothing to decode: not JSON, base64, URI, JWT or timestamp.", timeout=4)


class DecodedScreen(Dialog[None]):
    """The decodings of one value, one of them visible."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("decoded.leave")),
        keys.binding(keys.action("decoded.next")),
        keys.binding(keys.action("decoded.previous")),
        keys.binding(keys.action("decoded.picture")),
    ]
    DEFAULT_CSS = """
    DecodedScreen { background: $background; }
    DecodedScreen > StatusLine { background: $surface; }
    """

    def __init__(self, found: Sequence[Decoding], where: str, value: bytes = b"") -> None:
        """Show the decodings in `found`; if it is empty, decode `value` first."""
        super().__init__()
        self._found = tuple(found)
        self._where = where
        self._value = value
        self._chosen = 0

    def compose(self) -> ComposeResult:
        """Compose the path of the value, the tabs of the decodings, and the payload."""
        yield StatusLine(id="where")
        yield TabLine()
        yield PayloadView()
        yield StatusLine(id="facts")
        yield FooterBar()

    async def on_mount(self) -> None:
        """Show the decodings, or start to decode."""
        if self._found:
            self._draw()
        else:
            self.query_one("#where", StatusLine).show([(f"{glyphs().pending} decoding", "pending")])
            self._look()

    @work(exclusive=True)
    async def _look(self) -> None:

        found = await read_on_thread(readings, self._value, time.time())
        self._found = tuple(found)
        if not found:
            self.dismiss(None)
            _show(self.app, (), self._where)
        else:
            self._draw()

    @property
    def _view(self) -> PayloadView:
        return self.query_one(PayloadView)

    def _draw(self) -> None:
        reading = self._found[self._chosen]
        hint = "Esc back   d decode further" if self._found[self._chosen].look == "json" else "Esc back"
        back: list[Span] = [(hint, "faint")]
        self.query_one("#where", StatusLine).show([("decoded ", "muted"), (visible(self._where), "key")], back)
        names = [
            f"{place} {each.name}" if len(self._found) > 1 else each.name for place, each in enumerate(self._found, 1)
        ]
        self.query_one(TabLine).show_tabs(names, names[self._chosen])
        form = {"json": TREE, "text": RAW}.get(reading.look, BYTES)
        self._view.show([], [], reading.payload, form)
        self._view.focus_content()
        more: list[Span] = (
            [(f"{keys.shown_key('decoded.picture')} shows the image", "accent")] if reading.look == "picture" else []
        )
        warning: list[Span] = [(f"{glyphs().warning} {reading.warning}  ", "warning")] if reading.warning else []
        facts: list[Span] = [("  ·  ".join(reading.facts), "muted")]
        self.query_one("#facts", StatusLine).show([*warning, *facts], more)

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        """Show the clicked decoding."""
        message.stop()
        self._chosen = int(message.name.partition(" ")[0]) - 1 if len(self._found) > 1 else 0
        self._draw()

    def action_turn(self, by: int) -> None:
        """Show the next (1) or previous (-1) decoding."""
        if self._found:
            self._chosen = (self._chosen + by) % len(self._found)
            self._draw()

    def action_picture(self) -> None:
        """Show the image, if this is one."""
        reading = self._found[self._chosen] if self._found else None
        if reading is not None and reading.look == "picture":
            self.app.push_screen(PictureScreen(reading.payload, " · ".join(reading.facts)))

    def action_leave(self) -> None:
        self.dismiss(None)
