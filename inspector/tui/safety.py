"""The second wall: no control character reaches the terminal, whatever a widget was given.

The first wall is `viewmodels.text.visible`, which every foreign text passes on its way to a widget and which
shows what it replaces. The filters here see each line that Textual is about to draw and stop what came around
that wall. Textual asks no filter about a widget that overrides `render_lines`; ours pass their lines through
`through_filters`.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import groupby
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual._styles_cache import StylesCache
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

from inspector.config.paths import places
from inspector.config.remembered import KeptTheme
from inspector.config.settings import user_config
from inspector.present.copies import copied
from inspector.text import MARKS_KEPT, cell_width, is_mark, is_seen
from inspector.tui.theme import DARK_NAME, LIGHT_NAME, THEMES, in_theme

_MAYBE_MARKS = re.compile(r"[^\w\x00-\x7f\u2500-\u259f]{4,}")
_ASCII_TWINS = {
    **dict.fromkeys("─━▁▔▄▀╌╸╺", "-"),
    **dict.fromkeys("│┃▏▎▍▌▐▕▊╎┊", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛╋", "+"),
    **dict.fromkeys("█▉▇", "#"),
    **dict.fromkeys("→▸▶›", ">"),
    **dict.fromkeys("←◂◀‹", "<"),
    **dict.fromkeys("●•·◆", "*"),
    "∙": ".",
    "…": "~",
    "✓": "+",
    "✗": "x",
    "×": "x",
    "○": "o",
    "▾": "v",
    "▼": "v",
    "▲": "^",
    "⚑": "!",
    "■": "#",
    "★": "@",
    "►": ">",
    "‖": "=",
    "⏎": "<",
    "⋯": ".",
    "°": "o",
    "µ": "u",
    "≈": "~",
    "␛": "^",
    "“": '"',
    "”": '"',
}
_NOT_ASCII = r"[^\x00-\x7f]"


class _TextFilter(LineFilter):
    """A filter of letters, not of colours."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        super().__init__()
        self._clean = clean

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments cleaned; a line of ordinary ASCII comes back as it is."""
        if all(segment.text.isascii() and segment.text.isprintable() for segment in segments):
            return segments
        return [
            segment if segment.control else segment._replace(text=self._clean(segment.text)) for segment in segments
        ]


class _Wall(dict[int, str]):
    """What a terminal gets for each character; worked out once per character, for as many as ordinary text has."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        given = char if is_seen(char) else "\N{REPLACEMENT CHARACTER}" * cell_len(char)
        if len(self) < 8192:
            self[code] = given
        return given


class ControlFilter(_TextFilter):
    """Removes what acts on a terminal, or looks like nothing there.

    Mostly it removes and does not replace: Textual counts no cell for these characters, so a sign in their place
    would push the rest of the line over the edge. Where it counts one, a sign is there. What is left takes as
    many cells as before: a joiner that goes makes two pictures of one.
    """

    def __init__(self) -> None:
        super().__init__(self._walled)
        self._wall = _Wall()

    def _walled(self, text: str) -> str:
        cleaned = _MAYBE_MARKS.sub(_few_marks, text.translate(self._wall))
        return text if cleaned == text else set_cell_size(cleaned, cell_len(text))


def _few_marks(found: re.Match[str]) -> str:
    """The first few marks of a heap that would cover other lines; they take no cells."""
    runs = ((marks, "".join(run)) for marks, run in groupby(found.group(), is_mark))
    return "".join(run[:MARKS_KEPT] if marks else run for marks, run in runs)


class AsciiFilter(_TextFilter):
    """Writes everything in ASCII, for a terminal whose encoding has no more; each cell stays where it is."""

    def __init__(self) -> None:
        super().__init__(lambda text: re.sub(_NOT_ASCII, lambda found: _ascii(found.group()), text))


def _ascii(char: str) -> str:
    return _ASCII_TWINS.get(char, "?" * cell_width(char))


class ThemeFilter(LineFilter):
    """Shows what was drawn in one theme in the other: texts that stock widgets keep carry the colours of their time."""

    def __init__(self) -> None:
        super().__init__(enabled=False)
        self._dark = True

    def turn(self, *, dark: bool) -> None:
        """Another theme is in use from now on. Until the first time nothing needs this filter, and it costs nothing."""
        self.enabled, self._dark = True, dark

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in the colours of the theme in use."""
        return [
            segment if segment.style is None else segment._replace(style=in_theme(segment.style, dark=self._dark))
            for segment in segments
        ]


def install(app: App[Any], *, ascii_only: bool = False) -> None:
    """Put the filters before all others of `app`; once, before it runs."""
    walls: list[LineFilter] = [ControlFilter()]
    if ascii_only:
        walls.append(AsciiFilter())
    walls.append(ThemeFilter())
    app._filters[:0] = walls  # noqa: SLF001 - Textual has no public way; a test pins this one


def through_filters(widget: Widget, strip: Strip, background: Color | None = None) -> Strip:
    """Return a strip as Textual's own renderer would pass it on: cleaned, and without colour where that is asked.

    `background` is the widget's, if the caller has looked it up before.
    """
    background = background or widget.background_colors[1]
    for line_filter in widget.get_line_filters():
        strip = strip.apply_filter(line_filter, background)
    return strip


# --- Ways around defects of Textual, each until a release without it. docs/textual.md describes them.


def install_workarounds() -> None:
    """Put them in place, for every app of this process; doing so again changes nothing."""
    StylesCache.get_inner_outer = staticmethod(_inner_outer)  # type: ignore[method-assign, assignment]


@lru_cache(1024)
def _inner_outer(base_background: Color, background: Color) -> tuple[Style, Style]:
    """The grounds within and around a border, as `StylesCache.get_inner_outer` answers, kept by the two colours alone.

    The original is cached with the `StylesCache` itself as part of the key: 1,024 of them stay alive with all lines
    that they hold, long after their widgets are gone.
    """
    return Style(background=base_background + background), Style(background=base_background)


# --- Copies text to the clipboard, by OSC 52: without control characters, up to a size, and with a word about both.


def copy(app: App[Any], text: str, name: str = "") -> None:
    """Copy a text and say so in a toast. A text beyond `copies.LARGEST` is not copied, and the toast says that.

    `name` is what the text is ("JSON"); "" for nothing more than its size.
    """
    found = copied(name, text)
    if found.text:
        app.copy_to_clipboard(found.text)
    app.notify(found.said, markup=False, timeout=4, severity="information" if found.text else "warning")


# --- The theme of an app: the configured one, else the one that was used last; and the switch to the other, which is
# remembered.


def dress(app: App[Any]) -> None:
    """Choose the theme before anything has a style, and report no change: else everything is styled twice."""
    for theme in THEMES:
        app.register_theme(theme)
    chosen = user_config().theme or KeptTheme(places().state).last()
    app.set_reactive(App.theme, LIGHT_NAME if chosen in ("light", LIGHT_NAME) else DARK_NAME)
    app.stylesheet.set_variables(app.get_css_variables())


def turn_theme(app: App[Any]) -> None:
    """Switch between dark and light, everything visible and out of it, and remember the choice."""
    name = LIGHT_NAME if app.theme == DARK_NAME else DARK_NAME
    for each in app._filters:  # noqa: SLF001 - Textual has no public way to its filters
        if isinstance(each, ThemeFilter):
            each.turn(dark=name == DARK_NAME)
    app.theme = name
    KeptTheme(places().state).keep(name)
