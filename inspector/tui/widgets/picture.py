"""Dialog that draws an image of a result in the terminal, at the user's request.

The image is decoded only then, on a thread; images with excessive dimensions are refused. The terminal is queried
once for its graphics support, while the app is suspended. If it does not respond, half-block characters are used.
"""

import io
import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any, Final

from rich.control import Control
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import work
from textual.app import ComposeResult, SuspendNotSupported
from textual.widgets import Static

from inspector.config.terminal import Terminal, terminal
from inspector.present.blocks import read_picture
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.dialogs import Dialog, DialogBox

logger = logging.getLogger(__name__)

MOST_PIXELS: Final = 40_000_000
_LARGEST: Final = (1600, 1600)
"""Maximum size in pixels; larger images are reduced before they are drawn."""
_LARGEST_IN_XTERM: Final = (1000, 1000)
"""xterm draws nothing of an image that passes its maxGraphicSize, by default 1000x1000."""
_PLACEHOLDERS_SINCE: Final = (0, 28)
"""Version of kitty that introduced the placeholders which textual-image uses; earlier ones draw boxes."""
_DEFINED_COLOR: Final = re.compile(r"#(\d+);2;\d+;\d+;\d+")


class PictureScreen(Dialog[None]):
    """One image. Escape, Enter and `v` close it."""

    BINDINGS = keys.bindings_of("picture.back")
    DEFAULT_CSS = """
    PictureScreen { align: center middle; background: $background; }
    PictureScreen > Vertical { width: 100%; height: 100%; align: center middle; }
    PictureScreen .picture--title { dock: top; height: 1; padding: 0 1; color: $text-muted; }
    PictureScreen .picture--said { width: auto; max-width: 90%; color: $text-warning; }
    /* A sixel image that reaches the last row scrolls the terminal, in Konsole the last but one. */
    PictureScreen .picture { width: auto; height: auto; max-width: 100%; max-height: 100%; margin-bottom: 2; }
    """

    def __init__(self, data: bytes, title: str) -> None:
        """`title` has been made safe."""
        super().__init__()
        self._data = data
        self._title = title

    def compose(self) -> ComposeResult:
        """Compose the title, and a text until the image is ready."""
        yield Static(Text(f"{self._title}   Esc back"), classes="picture--title")
        with DialogBox():
            yield Static(Text("drawing"), classes="picture--said")

    def on_mount(self) -> None:
        """Start decoding."""
        self._draw()

    @work(exclusive=True)
    async def _draw(self) -> None:
        too_big = _too_big(self._data)
        if too_big:
            self._say(too_big)
            return
        try:
            make = self._maker()
            picture = await read_on_thread(_decoded, self._data)
            widget = make(picture)
        except ImportError as error:
            self._say(f"Cannot draw images here: {error}")
        except (OSError, ValueError, SyntaxError, EOFError, MemoryError) as error:
            self._say(f"Invalid image: {_words(error)}.")
        else:
            widget.add_class("picture")
            for box in self.query(DialogBox):
                await box.remove_children()
                await box.mount(widget)

    def _maker(self) -> Any:
        """Return the widget class for this terminal. To query the terminal, the app is suspended."""
        if self.app.is_headless:
            return _widget_for(terminal(), can_ask=False)
        try:
            with nullcontext() if _widget_for.cache_info().currsize else self.app.suspend():
                return _widget_for(terminal(), can_ask=True)
        except SuspendNotSupported:
            return _widget_for(terminal(), can_ask=False)

    def _say(self, sentence: str) -> None:
        for static in self.query(".picture--said").results(Static):  # without one, the screen was closed meanwhile
            static.update(Text(visible(sentence, limit=400)))


@cache
def _widget_for(terminal: Terminal, *, can_ask: bool) -> Any:
    """Return the widget class; with `can_ask`, after asking the terminal what it supports. It must be free then.

    The queries of textual-image are left out inside a multiplexer: tmux makes a title of them.
    """
    if not can_ask or terminal.is_multiplexed or _lacks_placeholders():
        with _without_terminal():
            from textual_image.widget import HalfcellImage
        return HalfcellImage
    from textual_image.widget import Image

    _fix_sixels()
    return Image


def _fix_sixels() -> None:
    """Fix what textual-image writes for a sixel image, once.

    It selects no color that it has just defined: xterm and foot go on with the one before it. And it leaves the cursor
    a row below the image, where the rest of its last line is written, and a line feed may scroll.
    """
    from textual_image.widget.sixel import _ImageSixelImpl

    drawn = _ImageSixelImpl._get_sixel_segments  # noqa: SLF001 - a test pins it

    def fixed(image: Any, sixels: str) -> list[Segment]:
        region = image.screen.find_widget(image).visible_region
        *segments, _ = drawn(image, _DEFINED_COLOR.sub(r"\g<0>#\1", sixels))
        return [*segments, Segment(Control.move_to(region.right, region.bottom - 1).segment.text, Style())]

    _ImageSixelImpl._get_sixel_segments = fixed  # type: ignore[method-assign, assignment]  # noqa: SLF001


@contextmanager
def _without_terminal() -> Iterator[None]:
    """Let textual-image find no terminal that it could ask while it is imported."""
    stdout = sys.__stdout__
    sys.__stdout__ = io.StringIO()  # type: ignore[misc, assignment]
    try:
        yield
    finally:
        sys.__stdout__ = stdout  # type: ignore[misc]


def _lacks_placeholders() -> bool:
    """Whether the terminal is a kitty that reports graphics but draws the placeholders of textual-image as boxes."""
    from textual_image._terminal import TerminalError, capture_terminal_response

    if not os.environ.get("KITTY_WINDOW_ID"):
        return False
    try:
        with capture_terminal_response("\x1bP>|", "\x1b\\", 0.3) as response:
            sys.__stdout__.write("\x1b[>q")  # type: ignore[union-attr]
            sys.__stdout__.flush()  # type: ignore[union-attr]
    except (TerminalError, TimeoutError, OSError):
        return True  # versions before 0.26.2 do not answer
    found = re.search(r"kitty\((\d+)\.(\d+)", response.sequence)
    return found is None or (int(found[1]), int(found[2])) < _PLACEHOLDERS_SINCE


def _too_big(data: bytes) -> str:
    found = read_picture(data)
    if found is None or found.width is None or found.height is None:
        return ""
    pixels = found.width * found.height
    return f"Too large: {pixels:,} pixels." if pixels > MOST_PIXELS else ""


def _words(error: Exception) -> str:
    """Return why an image can't be read. For unknown formats, Pillow's own message names objects of mcp-inspect."""
    from PIL import UnidentifiedImageError

    return "unknown format, or damaged" if isinstance(error, UnidentifiedImageError) else str(error)


def _decoded(data: bytes) -> Any:
    """Return the reduced image; damage is tolerated in parts that only describe it.

    Raises: what Pillow raises: OSError, ValueError, SyntaxError, EOFError.
    """
    from PIL import ImageFile, UnidentifiedImageError

    try:
        return _opened(data)
    except UnidentifiedImageError:
        ImageFile.LOAD_TRUNCATED_IMAGES = True  # checksums of other parts than the image are not verified either
        try:
            return _opened(data)
        finally:
            ImageFile.LOAD_TRUNCATED_IMAGES = False


def _opened(data: bytes) -> Any:
    from PIL import Image

    with Image.open(io.BytesIO(data)) as picture:
        if picture.width * picture.height > MOST_PIXELS:
            raise ValueError("too many pixels")
        largest = _LARGEST_IN_XTERM if terminal().is_xterm else _LARGEST
        picture.draft("RGB", largest)
        picture.thumbnail(largest)
        return picture.convert("RGBA")
