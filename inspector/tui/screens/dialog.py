"""What a dialog stands on: the screen below, dimmed.

Textual draws that by way of a general renderer, segment by segment, several times before a dialog is first seen: most
of the time that opening one took. Here lines are dimmed as lines, and each style is mixed once.
"""

from functools import lru_cache
from typing import TypeVar

from rich.segment import Segment
from rich.style import Style
from textual._context import visible_screen_stack
from textual.color import Color
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.strip import Strip

from inspector.tui.safety import through_filters

ResultT = TypeVar("ResultT")


class Dialog(ModalScreen[ResultT]):
    """A screen over another one. With a translucent background that one is seen through it."""

    _opening = True
    """No picture has been painted yet."""

    def _compositor_refresh(self) -> None:
        """Paint, but not while it is first laid out: that takes three rounds, and only the last one is seen."""
        if not self._opening:
            super()._compositor_refresh()

    def _on_timer_update(self) -> None:
        """Lay out and paint. Textual comes here once a screen that has come up has no more messages."""
        self._opening = False
        super()._on_timer_update()

    _seen_below: list[Strip] | None = None
    """The dimmed lines of the screen below; None where they have changed, or have not been asked for yet."""

    def refresh(self, *regions: Region, **more: bool) -> "Dialog[ResultT]":
        """Look below anew: Textual asks for this whenever something below has changed, too."""
        self._seen_below = None
        return super().refresh(*regions, **more)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of the screen below, dimmed by the background; a plain ground where there is nothing below."""
        below, veil = visible_screen_stack.get([]), self.styles.background
        if not below or below[-1] is self or not 0 < veil.a < 1:
            return super().render_lines(crop)
        screen = below.pop()
        if self._seen_below is None or len(self._seen_below) != self.size.height:
            strips = screen._compositor.render_strips(self.size)  # noqa: SLF001 - as Textual's own modal screens do
            ground = self.background_colors[1]
            self._seen_below = [through_filters(self, _dimmed(strip, veil), ground) for strip in strips]
        dimmed = self._seen_below[crop.y : crop.bottom]
        whole = crop.x == 0 and crop.width == self.size.width
        return dimmed if whole else [strip.crop(crop.x, crop.right) for strip in dimmed]


def _dimmed(strip: Strip, veil: Color) -> Strip:
    plain = Style.null()
    return Strip([Segment(text, _mixed(style or plain, veil)) for text, style, control in strip if not control])


@lru_cache(4096)
def _mixed(style: Style, veil: Color) -> Style:
    """A style behind the veil, without links and other meta data: nothing below can be clicked."""
    inks = (
        None if ink is None else (Color.from_rich_color(ink) + veil).rich_color for ink in (style.color, style.bgcolor)
    )
    return style.clear_meta_and_links() + Style.from_color(*inks)
