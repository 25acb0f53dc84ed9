"""Dialog that draws an image of a result in the terminal, at the user's request.

The image is decoded only then, on a thread; images with excessive dimensions are refused. The terminal is queried
once for its graphics support, while the app is suspended. If it does not respond, half-block characters are used.
"""

import asyncio
import io
import logging
import sys
from typing import Any, ClassVar, Final

from rich.text import Text
from textual import work
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Static

from inspector.present.blocks import read_picture
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.widgets.dialogs import Dialog, DialogBox

logger = logging.getLogger(__name__)

MOST_PIXELS: Final = 40_000_000
_LARGEST: Final = (1600, 1600)
"""Maximum size in pixels; larger images are reduced before they are drawn."""


class PictureScreen(Dialog[None]):
    """One image. Escape, Enter and `v` close it."""

    BINDINGS: ClassVar[list[BindingType]] = [keys.binding(keys.action("picture.back"))]
    DEFAULT_CSS = """
    PictureScreen { align: center middle; background: $background; }
    PictureScreen > Vertical { width: 100%; height: 100%; align: center middle; }
    PictureScreen .picture--title { dock: top; height: 1; padding: 0 1; color: $text-muted; }
    PictureScreen .picture--said { width: auto; max-width: 90%; color: $text-warning; }
    PictureScreen .picture { width: auto; height: auto; max-width: 100%; max-height: 100%; }
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
            picture = await asyncio.to_thread(_decoded, self._data)
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
        if "textual_image.widget" not in sys.modules and not self.app.is_headless:
            try:
                with self.app.suspend():
                    import textual_image.widget
            except SuspendNotSupported:
                logger.info("the terminal does not report which images it supports")
        import textual_image.widget

        if self.app.is_headless:
            return textual_image.widget.HalfcellImage
        found: type[Widget] = textual_image.widget.Image
        unicode_only = found is not textual_image.widget.SixelImage and sys.__stdout__ and not sys.__stdout__.isatty()
        return textual_image.widget.HalfcellImage if unicode_only else found

    def _say(self, sentence: str) -> None:
        for said in self.query(".picture--said").results(Static):  # without one, the screen was closed meanwhile
            said.update(Text(visible(sentence, limit=400)))


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
        picture.draft("RGB", _LARGEST)
        picture.thumbnail(_LARGEST)
        return picture.convert("RGBA")
