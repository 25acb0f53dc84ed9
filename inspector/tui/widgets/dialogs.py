"""Dialogs over the dimmed screen below.

Textual draws that screen with a general renderer, segment by segment, several times before a dialog is first
visible; this took most of the time to open one. Here whole lines are dimmed, and each style is blended only once.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual._context import visible_screen_stack
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.color import Color
from textual.containers import Vertical, VerticalScroll
from textual.geometry import Region
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widgets import Input, Static

from inspector.present.spans import Span
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.safety import through_filters
from inspector.tui.theme import glyphs, role_styles, spans_to_text
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar, button_spans
from inspector.tui.widgets.segments import Segments

ResultT = TypeVar("ResultT")


class Dialog(ModalScreen[ResultT]):
    """A screen over another one, which is visible through a translucent background."""

    places: tuple[ActionScope, ...] = ()
    """Scopes that its help lists; () for the keys that are valid in it."""

    BINDINGS: ClassVar[list[BindingType]] = keys.menu_bindings()

    _opening = True
    """Whether the first paint is still pending."""

    def _compositor_refresh(self) -> None:
        """Paint, except during the first layout: it takes three rounds, and only the result of the last one is seen."""
        if not self._opening:
            super()._compositor_refresh()

    def _on_timer_update(self) -> None:
        """Lay out and paint. Textual calls this when a new screen has processed all its messages."""
        self._opening = False
        super()._on_timer_update()

    def close(self) -> None:
        """Run what Escape does in this dialog."""
        for binding in self._bindings.key_to_bindings.get("escape", ()):
            self.call_later(self.run_action, binding.action)
            return
        self.dismiss(None)

    _seen_below: list[Strip] | None = None
    """Cache: the dimmed lines of the screen below; None if they have changed or have not been rendered yet."""

    def refresh(self, *regions: Region, **more: bool) -> "Dialog[ResultT]":
        """Drop the cached lines of the screen below: Textual also calls this whenever that screen changes."""
        self._seen_below = None
        return super().refresh(*regions, **more)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines of the screen below, dimmed; a plain background if there is no screen below."""
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
    """Blend a style with the veil. Links and other meta data are removed: nothing below is clickable."""
    inks = (
        None if ink is None else (Color.from_rich_color(ink) + veil).rich_color for ink in (style.color, style.bgcolor)
    )
    return style.clear_meta_and_links() + Style.from_color(*inks)


class DialogBox(Vertical):
    """The frame of a dialog, with a mark in its upper border that closes the dialog by a click."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines, with the mark."""
        strips = super().render_lines(crop)
        begin, end = self._mark_cells
        if strips and crop.y == 0 and crop.x <= begin and end <= crop.right and self._has_frame:
            strip, ink = strips[0], role_styles(dark=self.app.current_theme.dark)["accent"]
            before, under, after = strip.divide([begin - crop.x, end - crop.x, strip.cell_length])
            ground = next((segment.style for segment in under if segment.style is not None), Style.null())
            mark = Strip([Segment(f" {glyphs().close} ", ground + ink)])
            strips[0] = through_filters(self, Strip.join([before, mark, after]))
        return strips

    @property
    def _has_frame(self) -> bool:
        return bool(self.styles.border_top[0])

    @property
    def _mark_cells(self) -> tuple[int, int]:
        """First cell of the mark in the upper border, and the cell after it."""
        width = self.outer_size.width
        return width - 5, width - 2

    def on_click(self, event: events.Click) -> None:
        """Close the dialog like Escape."""
        begin, end = self._mark_cells
        at = event.screen_offset - self.region.offset
        if self._has_frame and at.y == 0 and begin <= at.x < end and isinstance(self.screen, Dialog):
            event.stop()
            self.screen.close()


class DialogButtons(ItemBar):
    """Buttons below the input line of a dialog: the first submits it, the second closes the dialog."""

    DEFAULT_CSS = """
    DialogButtons { height: 1; background: $surface; }
    """

    def __init__(self, label: str) -> None:
        """`label` names what Enter does."""
        super().__init__()
        submit = BarItem(button_spans(label, keys.key_name("enter"), "title"), "submit")
        back = BarItem(button_spans("Back", keys.key_name("escape")), "back")
        self.show([BarLine((submit, back), gap=1, inset=1)])

    def pressed(self, name: str) -> None:
        """Submit the input line, or close the dialog."""
        if name == "submit":
            line = self.screen.query_one(Input)
            self.call_later(line.run_action, "submit")
        elif isinstance(self.screen, Dialog):
            self.screen.close()


# A confirmation before an action that its server calls destructive. The dialog's own text is trusted; quoted text is
# set apart.

Ways = tuple[str, str]
_CALL: Ways = ("Back", "Call")


class ConfirmScreen(Dialog[bool]):
    """Yes or no. Escape means no, and so does Enter unless "yes" was selected."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("confirm.yes")),
        keys.binding(keys.action("confirm.no")),
        keys.binding(keys.action("confirm.take")),
    ]
    DEFAULT_CSS = """
    ConfirmScreen { align: center middle; background: $background 60%; }
    ConfirmScreen > Vertical {
        width: 72; max-width: 94%; height: auto; max-height: 90%;
        background: $surface; border: round $warning; padding: 1 2; border-title-color: $text-warning;
    }
    ConfirmScreen VerticalScroll { height: auto; max-height: 12; background: $background; padding: 0 1; margin: 1 0; }
    ConfirmScreen Static { height: auto; }
    """

    def __init__(self, title: str, question: Sequence[Sequence[Span]], quoted: str, ways: Ways = _CALL) -> None:
        """`question` is lines; `quoted` is untrusted text that has been made safe; `ways` labels no and yes."""
        super().__init__()
        self._title = title
        self._question = question
        self._quoted = quoted
        self._ways = ways

    def compose(self) -> ComposeResult:
        """Compose a box with the question, the quoted text and the two answers."""
        dark = self.app.current_theme.dark
        with DialogBox() as box:
            box.border_title = Text(self._title).plain.replace("[", "(")
            question = Text("\n").join(spans_to_text(line, dark=dark) for line in self._question)
            question.no_wrap = False
            yield Static(question)
            with VerticalScroll(can_focus=False):
                yield Static(Text(self._quoted))
            named = zip(self._ways, ("confirm.no", "confirm.yes"), strict=True)
            labels = [f"{label} {keys.key_name(keys.action(name).keys[0])}" for label, name in named]
            yield Segments(labels, (0,), letters=False, buttons=True)

    def on_mount(self) -> None:
        """Focus the answers; "no" is selected."""
        self.query_one(Segments).focus()

    def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Select an answer; a click also confirms it."""
        event.stop()
        event.control.choose(event.index)
        if event.clicked:
            self.action_take()

    def action_take(self) -> None:
        """Confirm the selected answer."""
        self.dismiss(self.query_one(Segments).chosen == (1,))

    def action_answer(self, yes: bool) -> None:
        """Close with an answer."""
        self.dismiss(yes)


# Full screens and dialogs. One that closes itself checks first that it is on top.


def is_on_top(screen: Screen[Any]) -> bool:
    """Whether a screen is open and no other screen lies over it: `dismiss` always removes the one on top.

    Textual also calls a modal screen current that lies below another one.
    """
    return screen.app.screen_stack[-1:] == [screen]
