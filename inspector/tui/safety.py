"""Second barrier against control characters: none reaches the terminal, whatever text a widget shows.

The first barrier is `inspector.text.visible`, which is applied to every untrusted text on its way to a widget and
marks what it replaces. The filters here process each line that Textual is about to draw and stop what has bypassed
that barrier. Textual applies no filters to a widget that overrides `render_lines`; our widgets pass their lines
through `through_filters`.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import groupby
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual import _xterm_parser
from textual._keyboard_protocol import MODIFIER_FUNCTIONAL_KEYS
from textual._styles_cache import StylesCache
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.color import Color
from textual.events import Key, Resize
from textual.filter import LineFilter
from textual.geometry import Size
from textual.keys import Keys, _character_to_key
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from inspector.config.paths import places
from inspector.config.remembered import StoredTheme
from inspector.config.settings import user_config
from inspector.config.terminal import terminal
from inspector.text import MARKS_KEPT, cell_width, is_mark, is_seen
from inspector.tui.theme import DARK_NAME, LIGHT_NAME, THEMES, in_theme

_MAYBE_MARKS = re.compile(r"[^\w\x00-\x7f\u2500-\u259f]{4,}")
_ASCII_TWINS = {
    **dict.fromkeys("─━▁▔▄▀╌╸╺", "-"),
    **dict.fromkeys("│┃▏▎▍▌▐▕▊╎┊", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛╋✓", "+"),
    **dict.fromkeys("█▉▇■", "#"),
    **dict.fromkeys("→▸▶›►", ">"),
    **dict.fromkeys("←◂◀‹⏎", "<"),
    **dict.fromkeys("●•·◆", "*"),
    **dict.fromkeys("↑▲␛", "^"),
    **dict.fromkeys("↓▾▼", "v"),
    **dict.fromkeys("∙⋯", "."),
    **dict.fromkeys("…≈", "~"),
    **dict.fromkeys("✗×✕", "x"),
    **dict.fromkeys("○°", "o"),
    **dict.fromkeys("“”", '"'),
    "⚑": "!",
    "★": "@",
    "‖": "=",
    "µ": "u",
}
_NOT_ASCII = r"[^\x00-\x7f]"
_UPRIGHT = RichStyle(italic=False)
_SILENT_KEYS = MODIFIER_FUNCTIONAL_KEYS | {"caps_lock", "num_lock", "scroll_lock"}

_CURSOR_REPORT = re.compile(r"\x1b\[(?!1;[2-8]R)(?P<row>\d+);(?P<col>\d+)R")
"""Textual's own also matches Shift+F3, which xterm writes as a report of row 1; no report is ever requested."""

_UNKNOWN = re.compile(r"\x1b\[(?!\[)[0-?]*+(?!\$y)[ -/]*[@-LN-Z^_`a-ln-z{|}~]|\x1bO[2-8][A-Z]")
"""A CSI sequence, except reports of the mouse and of modes, or a function key as qterminal writes it with Shift."""

_ALT_KEY = re.compile(r"\x1b([0-9=§-])")


class _TextFilter(LineFilter):
    """A filter of text rather than colours."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        super().__init__()
        self._clean = clean

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the cleaned segments; a line of printable ASCII is returned as it is."""
        if all(segment.text.isascii() and segment.text.isprintable() for segment in segments):
            return segments
        return [
            segment if segment.control else segment._replace(text=self._clean(segment.text)) for segment in segments
        ]


class _Wall(dict[int, str]):
    """Maps each character to its safe form. It is filled on demand, up to a size that ordinary text does not exceed."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        given = char if is_seen(char) else "\N{REPLACEMENT CHARACTER}" * cell_len(char)
        if "\U0001f3fb" <= char <= "\U0001f3ff":
            given = ""  # a skin tone: terminals disagree whether it takes cells of its own
        if len(self) < 8192:
            self[code] = given
        return given


class ControlFilter(_TextFilter):
    """Removes characters that control a terminal or are invisible there.

    Most are removed, not replaced: Textual counts no cell for them, so a replacement would push the rest of the line
    over the edge. Where Textual counts a cell, there is a replacement. The line keeps its width: removing a joiner
    turns one symbol into two.
    """

    def __init__(self) -> None:
        super().__init__(self._walled)
        self._wall = _Wall()

    def _walled(self, text: str) -> str:
        cleaned = _MAYBE_MARKS.sub(_few_marks, text.translate(self._wall))
        return text if cleaned == text else set_cell_size(cleaned, cell_len(text))


def _few_marks(found: re.Match[str]) -> str:
    """Keep the first few of a pile of combining marks that would cover other lines; they have no width."""
    runs = ((marks, "".join(run)) for marks, run in groupby(found.group(), is_mark))
    return "".join(run[:MARKS_KEPT] if marks else run for marks, run in runs)


class AsciiFilter(_TextFilter):
    """Writes everything in ASCII, for terminals with an ASCII encoding; each cell keeps its position."""

    def __init__(self) -> None:
        super().__init__(lambda text: re.sub(_NOT_ASCII, lambda found: _ascii(found.group()), text))


def _ascii(char: str) -> str:
    return _ASCII_TWINS.get(char, "?" * cell_width(char))


class ThemeFilter(LineFilter):
    """Translates colours to the current theme: stock widgets keep texts with the colours of their creation."""

    def __init__(self) -> None:
        super().__init__(enabled=False)
        self._dark = True

    def turn(self, *, dark: bool) -> None:
        """Set the current theme. Before the first change this filter is disabled and costs nothing."""
        self.enabled, self._dark = True, dark

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in the colours of the current theme."""
        return [
            segment if segment.style is None else segment._replace(style=in_theme(segment.style, dark=self._dark))
            for segment in segments
        ]


class UprightFilter(LineFilter):
    """Removes italics, for terminals that show them in reverse."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without italics."""
        return [
            segment._replace(style=segment.style + _UPRIGHT) if segment.style and segment.style.italic else segment
            for segment in segments
        ]


def install(app: App[Any], *, ascii_only: bool = False) -> None:
    """Install the filters before all others of `app`, and the workarounds; call it once, before the app runs."""
    install_workarounds()
    walls: list[LineFilter] = [ControlFilter()]
    if ascii_only:
        walls.append(AsciiFilter())
    if not terminal().has_italics:
        walls.append(UprightFilter())
    walls.append(ThemeFilter())
    app._filters[:0] = walls  # noqa: SLF001 - Textual has no public way; a test pins this one


def through_filters(widget: Widget, strip: Strip, background: Color | None = None) -> Strip:
    """Apply Textual's line filters to a strip: it is cleaned, and without colours if so configured.

    `background` is the widget's background, if the caller has looked it up already.
    """
    background = background or widget.background_colors[1]
    for line_filter in widget.get_line_filters():
        strip = strip.apply_filter(line_filter, background)
    return strip


# --- Workarounds for defects of Textual, each until a release fixes it. See docs/textual.md.


def install_workarounds() -> None:
    """Install the workarounds for every app of this process; calling it again changes nothing."""
    StylesCache.get_inner_outer = staticmethod(_inner_outer)  # type: ignore[method-assign, assignment]
    Widget._check_refresh = _check_refresh  # type: ignore[method-assign, assignment]  # noqa: SLF001
    Widget._size_updated = _size_updated  # type: ignore[method-assign, assignment]  # noqa: SLF001
    XTermParser._sequence_to_key_events = _key_events  # type: ignore[method-assign, assignment]  # noqa: SLF001
    _xterm_parser._re_cursor_position = _CURSOR_REPORT  # noqa: SLF001


@lru_cache(1024)
def _inner_outer(base_background: Color, background: Color) -> tuple[Style, Style]:
    """Return the styles within and around a border like `StylesCache.get_inner_outer`, but cached by the colours only.

    The original's cache key includes the `StylesCache` itself: up to 1,024 of them stay alive with all their lines,
    long after their widgets have been removed.
    """
    return Style(background=base_background + background), Style(background=base_background)


_textual_check_refresh = Widget._check_refresh  # noqa: SLF001


def _check_refresh(widget: Widget) -> None:
    """Request a layout like `Widget._check_refresh`, without the size that Textual has cached for the widget.

    A second request that precedes this check leaves the cache valid. If the screen was laid out between the two, the
    widget would keep the size that it had then.
    """
    if widget._layout_required:  # noqa: SLF001
        widget._layout_updates += 1  # noqa: SLF001 - part of the key of the cached size
    _textual_check_refresh(widget)


_textual_size_updated = Widget._size_updated  # noqa: SLF001


def _size_updated(widget: Widget, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
    """Note the size that a layout has given a widget, without a request for one more layout.

    Textual requests one for every widget of a new size, which lays out and paints the whole screen a second time. Only
    a scroll bar that appears needs one, and requests it itself. A widget whose place was looked up before the layout is
    not new to the layout, and would get no `Resize`; of two in a row, it handles one.
    """
    earlier = widget.outer_size
    changed = _textual_size_updated(widget, size, virtual_size, container_size, layout=False)
    if size != earlier:
        widget.post_message(Resize(size, virtual_size, container_size))
    return changed


_textual_key_events = XTermParser._sequence_to_key_events  # noqa: SLF001


def _key_events(parser: XTermParser, sequence: str, alt: bool = False) -> Iterable[Key]:
    """Return the keys of a sequence. Modifiers by themselves are ignored, and so are unknown sequences.

    The protocol of kitty reports Shift by itself: it would close the menu whose next key is a capital letter. Textual
    passes an unknown sequence on as the keys that its characters name, and each would act. It reads Alt+1 as "¡".
    """
    if found := _ALT_KEY.fullmatch(sequence):
        return [Key(f"alt+{_character_to_key(found[1])}", None)]
    pressed = list(_textual_key_events(parser, sequence, alt))
    seen = [key for key in pressed if key.key not in _SILENT_KEYS]
    if seen or not (pressed or _UNKNOWN.fullmatch(sequence)):
        return seen
    return [Key(Keys.Ignore, sequence)]


# --- The theme: the configured one, else the last one used. Switching to the other one is remembered.


def apply_theme(app: App[Any]) -> None:
    """Set the theme before anything is styled, without reporting a change: otherwise everything is styled twice."""
    for theme in THEMES:
        app.register_theme(theme)
    chosen = user_config().theme or StoredTheme(places().state).last()
    app.set_reactive(App.theme, LIGHT_NAME if chosen in ("light", LIGHT_NAME) else DARK_NAME)
    app.stylesheet.set_variables(app.get_css_variables())


def switch_theme(app: App[Any]) -> None:
    """Switch between dark and light, also for hidden widgets, and remember the choice."""
    name = LIGHT_NAME if app.theme == DARK_NAME else DARK_NAME
    for each in app._filters:  # noqa: SLF001 - Textual has no public way to its filters
        if isinstance(each, ThemeFilter):
            each.turn(dark=name == DARK_NAME)
    app.theme = name
    StoredTheme(places().state).keep(name)
