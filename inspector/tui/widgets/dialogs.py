"""Dialogs over the dimmed screen below.

Textual draws that screen with a general renderer, segment by segment, several times before a dialog is first
visible; this took most of the time to open one. Here whole lines are dimmed, and each style is blended only once.
"""

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual._context import visible_screen_stack
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.color import Color
from textual.containers import Vertical, VerticalScroll
from textual.geometry import Region, Size
from textual.message_pump import MessagePump
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widgets import Input, Static

from inspector.present.spans import Span
from inspector.tui import keys
from inspector.tui.input_queue import drop_typed_ahead, paint_in_turn
from inspector.tui.safety import through_filters
from inspector.tui.theme import glyphs, role_styles, spans_to_text
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar, button_spans
from inspector.tui.widgets.segments import Segments

ResultT = TypeVar("ResultT")
Ways = tuple[str, str]

_CALL: Ways = ("Back", "Call")

_MOST_TURNS = 100
"""Turns of the event loop that the first paint waits for: widgets that receive messages all the time don't delay it."""


class Dialog(ModalScreen[ResultT]):
    """A screen over another one, which is visible through a translucent background."""

    places: tuple[str, ...] = ()
    """Scopes that its help lists; () for the keys that are valid in it."""

    BINDINGS = keys.menu_bindings()

    _opening = _is_new = True
    """Whether the first layout, and the first paint, are still pending."""

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        """Keep the styles that all widgets have got a moment ago, when they were mounted."""
        if self._opening:
            event.refresh_styles = False

    async def _on_resize(self, event: events.Resize) -> None:
        """Ignore the size that the dialog and all screens below are laid out for already."""
        if all(screen._compositor.size == event.size for screen in self.app.screen_stack):  # noqa: SLF001 - their layout
            event.stop()
            event.prevent_default()

    async def _on_idle(self, event: events.Idle) -> None:
        """Open as soon as the layout is known. Textual would wait for the next tick of its clock."""
        if self._opening:
            event.prevent_default()
            _open(self, _MOST_TURNS)

    def _compositor_refresh(self) -> None:
        """Paint, except during the first layout: it takes several rounds, and only the result of the last is seen."""
        if self._opening:
            return
        if self._is_new:
            self._is_new = False
            super()._compositor_refresh()
        else:
            paint_in_turn(self, super()._compositor_refresh)

    def _on_timer_update(self) -> None:
        """Lay out and paint."""
        if self._opening:
            self._opening = False
            if self._layout_required:
                self._repaint_required = False  # a layout paints everything
            elif self.size:
                self._repaint_required = True
        super()._on_timer_update()

    def close(self) -> None:
        """Run what Escape does in this dialog."""
        for binding in self._bindings.key_to_bindings.get("escape", ()):
            self.call_later(self.run_action, binding.action)
            return
        self.dismiss(None)

    def dismiss(self, result: ResultT | None = None) -> AwaitComplete:
        """Close with a result, once: Textual would close another screen the second time."""
        return super().dismiss(result) if self in self.app.screen_stack else AwaitComplete()

    def action_leave(self) -> Any:
        """Close without a result. Some dialogs have a coroutine here."""
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
        screen, size = below.pop(), self._compositor.size  # of the layout: after a resize, `size` is ahead of it
        if self._seen_below is None or len(self._seen_below) != size.height:
            ground, hidden = self.background_colors[1], _hidden_by(self).intersection(size.region)
            strips = _strips_of(screen, size, hidden)
            self._seen_below = [through_filters(self, _dimmed(strip, veil), ground) for strip in strips]
        dimmed = self._seen_below[crop.y : crop.bottom]
        whole = crop.x == 0 and crop.width == size.width
        return dimmed if whole else [strip.crop(crop.x, crop.right) for strip in dimmed]


def _hidden_by(dialog: Dialog[Any]) -> Region:
    """Return the region that the frame of a dialog covers."""
    for box in dialog.query_children(DialogBox):
        if box.styles.background.a == 1 and box.styles.opacity == 1 and box.visible:
            return box.region
    return Region()


def _strips_of(screen: Screen[Any], size: Size, hidden: Region) -> list[Strip]:
    """Return the lines of a screen. What a region hides is blank: most dialogs hide most of it.

    Textual renders each widget in full, and all of them.
    """
    above, below = Region(0, 0, size.width, hidden.y), Region(0, hidden.bottom, size.width, size.height - hidden.bottom)
    left = Region(0, hidden.y, hidden.x, hidden.height)
    right = Region(hidden.right, hidden.y, size.width - hidden.right, hidden.height)
    blank = Strip.blank(hidden.width)
    beside = zip(_painted(screen, left), _painted(screen, right), strict=True)
    middle = [Strip.join([begin, blank, end]) for begin, end in beside]
    return [*_painted(screen, above), *middle, *_painted(screen, below)]


def _painted(screen: Screen[Any], wanted: Region) -> list[Strip]:
    """Return the lines of a region of a screen."""
    if not wanted.width:
        return [Strip.blank(0)] * wanted.height
    lines: list[dict[int, Strip]] = [{} for _ in range(wanted.height)]
    free = [[wanted.column_span] for _ in lines]
    for widget, (region, clip) in screen._compositor.visible_widgets.items():  # noqa: SLF001 - no public way to them
        part = region.intersection(clip).intersection(wanted)
        rows = range(part.y - wanted.y, part.bottom - wanted.y)
        if not part or not any(free[row] for row in rows):
            continue
        for row, strip in zip(rows, widget.render_lines(part.translate(-region.offset)), strict=False):
            left: list[tuple[int, int]] = []
            for start, end in free[row]:  # widgets come front to back: the first one is seen
                begin, stop = max(start, part.x), min(end, part.right)
                if begin < stop:
                    lines[row][begin] = strip.crop(begin - part.x, stop - part.x)
                    left += [(start, begin), (stop, end)]
                else:
                    left.append((start, end))
            free[row] = [(start, end) for start, end in left if start < end]
    for line, gaps in zip(lines, free, strict=True):
        line.update((start, Strip.blank(end - start)) for start, end in gaps)
    return [Strip.join(line[x] for x in sorted(line)) for line in lines]


def _open(dialog: Dialog[Any], turns: int) -> None:
    """Paint a dialog once no widget of it has a message to process, or after so many turns of the loop."""
    if not dialog._opening or not dialog.is_running:  # noqa: SLF001
        return
    if turns and any(_is_busy(node) for node in (dialog.app, *dialog.walk_children(with_self=True))):
        asyncio.get_running_loop().call_soon(_open, dialog, turns - 1)
    elif dialog.size and dialog.is_current:
        with dialog._context():  # noqa: SLF001
            dialog._on_timer_update()  # noqa: SLF001


def _is_busy(node: MessagePump) -> bool:
    """Whether messages wait in a widget. Textual has no public name for the one that it has taken from the queue."""
    return bool(node.message_queue_size) or node._pending_message is not None  # noqa: SLF001


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


def _kind(y: int, last: int) -> int:
    """Return which line of a frame: 0 is its top, 1 any in between, 2 its bottom."""
    return 0 if y == 0 else 2 if y == last else 1


class DialogBox(Vertical):
    """The frame of a dialog, with a mark in its upper border that closes the dialog by a click."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines, with the mark. Those between the borders are all alike: nothing but their edges is seen."""
        last = self.outer_size.height - 1
        kinds = {0: crop.y, 1: max(crop.y, 1), 2: last}
        drawn = {
            kind: super(DialogBox, self).render_lines(Region(crop.x, y, crop.width, 1))[0]
            for kind, y in kinds.items()
            if any(_kind(each, last) == kind for each in crop.line_range)
        }
        strips = [drawn[_kind(y, last)] for y in crop.line_range]
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
        submit = BarItem(button_spans(label, keys.key_name("enter"), "button"), "submit")
        back = BarItem(button_spans("Back", keys.key_name("escape")), "back")
        self.show([BarLine((submit, back), gap=1)])

    def pressed(self, name: str) -> None:
        """Submit the input line, or close the dialog."""
        if name == "submit":
            line = self.screen.query_one(Input)
            self.call_later(line.run_action, "submit")
        elif isinstance(self.screen, Dialog):
            self.screen.close()


# A confirmation before an action that its server calls destructive. The dialog's own text is trusted; quoted text is
# set apart.


class ConfirmScreen(Dialog[bool]):
    """Yes or no. Escape means no, and so does Enter unless "yes" was selected."""

    BINDINGS = keys.bindings_of("confirm.yes", "confirm.no", "confirm.take")
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
        """Focus the answers; "no" is selected. Keys typed before the question answer nothing."""
        drop_typed_ahead(self)
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
        self.dismiss(yes)


# Full screens and dialogs. One that closes itself checks first that it is on top.


def is_on_top(screen: Screen[Any]) -> bool:
    """Whether a screen is open and no other screen lies over it: `dismiss` always removes the one on top.

    Textual also calls a modal screen current that lies below another one.
    """
    return screen.app.screen_stack[-1:] == [screen]
