"""Appearance of roles: the only file with colours and glyphs.

There are two themes, one dark and one light, with one accent each. Text has a contrast of 4.5 or more on every
background it can appear on (a test measures it), and no state is shown by colour alone: there is also a glyph from
`glyphs()` or a text. Widgets use `$surface` or `$accent` in their CSS, view-models use names of roles.
"""

import locale
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType

import msgspec
from rich.color import Color
from rich.style import Style
from rich.text import Text
from textual.theme import Theme

from inspector.config.settings import user_config
from inspector.present.spans import Role, Span

DARK_NAME = "inspect-dark"
LIGHT_NAME = "inspect-light"


class _Colours(msgspec.Struct, frozen=True):
    """Colours of one theme: backgrounds from the screen outwards, text colours from loud to quiet, then hues."""

    background: str
    surface: str
    panel: str
    cursor: str
    cursor_blurred: str
    line: str
    """Borders; never text."""
    bar: str
    """Scrollbars; never text."""
    strong: str
    text: str
    muted: str
    faint: str
    accent: str
    blue: str
    violet: str
    green: str
    yellow: str
    orange: str
    red: str


_DARK = _Colours(
    background="#0f1217",
    surface="#141920",
    panel="#1a2029",
    cursor="#1d2f3d",
    cursor_blurred="#1c232d",
    line="#2d3642",
    bar="#4a5666",
    strong="#f1f4f8",
    text="#d3d9e1",
    muted="#a3adba",
    faint="#8d98a7",
    accent="#5fcbd8",
    blue="#8fc1ff",
    violet="#c8a8ff",
    green="#8bd49c",
    yellow="#ecc572",
    orange="#eda980",
    red="#ff8d8d",
)

_LIGHT = _Colours(
    background="#fbfbf9",
    surface="#f5f5f2",
    panel="#ecece8",
    cursor="#d9e9ec",
    cursor_blurred="#e6eaeb",
    line="#cdd2d4",
    bar="#a4acb2",
    strong="#11161c",
    text="#262d35",
    muted="#4d5762",
    faint="#5a646f",
    accent="#07606f",
    blue="#0b559f",
    violet="#643ab3",
    green="#1a652f",
    yellow="#7a5000",
    orange="#8a430d",
    red="#a8231c",
)


class Grounds(msgspec.Struct, frozen=True):
    """Backgrounds of custom-painted lines, each with the colour of text without a role."""

    header: Style
    header_focused: Style
    cursor: Style
    cursor_blurred: Style
    chosen: Style
    """Of an open tab: the background of the area below it."""
    grave: Style
    """Of a permanent warning."""
    field: Style
    """Of a place to type."""
    scrollbar: Style
    """Text colour only."""


class Glyphs(msgspec.Struct, frozen=True):
    """Signs, one cell each, in one character set."""

    to_server: str = "→"
    from_server: str = "←"
    note: str = "·"
    """A notification, and the separator between labels."""
    ok: str = "✓"
    error: str = "✗"
    warning: str = "▲"
    pending: str = "⋯"
    stderr: str = "!"
    event: str = "◆"
    finding: str = "⚑"
    question: str = "?"
    connected: str = "●"
    disconnected: str = "○"
    recording: str = "●"
    follow: str = "▼"
    frozen: str = "‖"
    cursor: str = "▌"
    blurred_cursor: str = "▏"
    """In a list without the focus."""
    opened: str = "▾"
    closed: str = "▸"
    last_branch: str = "└"
    dash: str = "─"
    scrollbar: str = "▐"
    ellipsis: str = "…"
    close: str = "✕"
    """Closes a dialog."""
    times: str = "×"
    claimed: str = "~"
    """Precedes what a server claims about itself."""
    play: str = "►"
    stop: str = "■"
    mark: str = "★"


_UNICODE = Glyphs()
_ASCII = Glyphs(
    to_server=">",
    from_server="<",
    note="-",
    ok="+",
    error="x",
    warning="!",
    pending=".",
    event="*",
    finding="!",
    connected="*",
    disconnected="o",
    recording="*",
    follow="v",
    frozen="=",
    cursor="|",
    blurred_cursor=":",
    opened="v",
    closed=">",
    last_branch="`",
    dash="-",
    scrollbar="#",
    ellipsis="~",
    close="x",
    times="x",
    play=">",
    stop="#",
    mark="@",
)


def _theme(name: str, c: _Colours, *, dark: bool) -> Theme:
    return Theme(
        name=name,
        dark=dark,
        primary=c.accent,
        secondary=c.violet,
        accent=c.accent,
        foreground=c.text,
        background=c.background,
        surface=c.surface,
        panel=c.panel,
        boost=c.panel,
        success=c.green,
        warning=c.yellow,
        error=c.red,
        variables=_variables(c),
    )


def _variables(c: _Colours) -> dict[str, str]:
    """Define the colours that Textual would otherwise derive from the accent, so that only focused widgets use it."""
    return {
        "text": c.text,
        "text-muted": c.muted,
        "text-disabled": c.faint,
        "text-primary": c.accent,
        "text-accent": c.accent,
        "text-secondary": c.violet,
        "text-success": c.green,
        "text-warning": c.yellow,
        "text-error": c.red,
        "foreground-muted": c.muted,
        "foreground-disabled": c.faint,
        "border": c.accent,
        "border-blurred": c.line,
        "block-cursor-background": c.cursor,
        "block-cursor-foreground": c.strong,
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": c.cursor_blurred,
        "block-cursor-blurred-foreground": c.text,
        "block-cursor-blurred-text-style": "none",
        "block-hover-background": c.panel,
        "surface-active": c.panel,
        "scrollbar": c.bar,
        "scrollbar-hover": c.faint,
        "scrollbar-active": c.accent,
        "scrollbar-background": c.background,
        "scrollbar-background-hover": c.background,
        "scrollbar-background-active": c.background,
        "scrollbar-corner-color": c.background,
        "footer-background": c.background,
        "footer-foreground": c.muted,
        "footer-key-foreground": c.accent,
        "footer-description-foreground": c.muted,
        "footer-item-background": c.background,
        "input-cursor-background": c.accent,
        "input-cursor-foreground": c.background,
        "input-selection-background": c.cursor,
        "input-selection-foreground": c.strong,
        "link-color": c.blue,
        "link-color-hover": c.strong,
        "link-background-hover": c.cursor,
        "button-foreground": c.text,
        "button-color-foreground": c.background,
        "button-focus-text-style": "bold",
        "screen-selection-background": c.cursor,
    }


THEMES = (_theme(DARK_NAME, _DARK, dark=True), _theme(LIGHT_NAME, _LIGHT, dark=False))
"""The app's themes; the first one is the default."""


def _styles(c: _Colours) -> Mapping[Role, Style]:
    ink = Style.parse
    roles: dict[Role, Style] = {
        "text": ink(c.text),
        "strong": ink(f"bold {c.strong}"),
        "muted": ink(c.muted),
        "faint": ink(c.faint),
        "accent": ink(c.accent),
        "title": ink(f"bold {c.accent}"),
        "button": ink(f"{c.background} on {c.accent}"),  # in 16 colors, bold black is gray
        "method": ink(c.strong),
        "target": ink(c.blue),
        "to_server": ink(c.accent),
        "from_server": ink(c.violet),
        "request": ink(c.strong),
        "answer": ink(c.text),
        "notification": ink(c.muted),
        "stderr": ink(c.orange),
        "event": ink(f"italic {c.muted}"),
        "ok": ink(c.green),
        "pending": ink(c.yellow),
        "warning": ink(c.yellow),
        "error": ink(f"bold {c.red}"),
        "claimed": ink(f"italic {c.muted}"),
        "match": ink(f"bold reverse {c.yellow}"),
        "key": ink(c.blue),
        "string": ink(c.green),
        "number": ink(c.orange),
        "literal": ink(c.violet),
        "punctuation": ink(c.faint),
        "foreign": ink(c.text),
        "added": ink(c.green),
        "removed": ink(c.red),
    }
    return MappingProxyType(roles)


@cache
def role_styles(*, dark: bool) -> Mapping[Role, Style]:
    """Return the style of every role: colour, weight, a button's background. `dark` is `app.current_theme.dark`."""
    return _styles(_DARK if dark else _LIGHT)


@cache
def _inks(*, dark: bool) -> Mapping[str, Color]:
    """Map each colour of the other theme to its counterpart in this one."""
    old, new = (_LIGHT, _DARK) if dark else (_DARK, _LIGHT)
    return {getattr(old, name): Color.parse(getattr(new, name)) for name in _Colours.__struct_fields__}


@lru_cache(4096)
def in_theme(style: Style, *, dark: bool) -> Style:
    """Return a style with the other theme's colours replaced by those of this one."""
    inks = _inks(dark=dark)
    color, ground = (
        inks.get(found.triplet.hex) if found is not None and found.triplet is not None else None
        for found in (style.color, style.bgcolor)
    )
    return style + Style(color=color, bgcolor=ground) if color or ground else style


@cache
def grounds(*, dark: bool) -> Grounds:
    """Return the backgrounds of a theme.

    Component classes would do as well, but each costs as much as a widget whenever Textual computes styles.
    """
    c = _DARK if dark else _LIGHT
    on = Style.parse
    return Grounds(
        header=on(f"{c.muted} on {c.background}"),
        header_focused=on(f"{c.text} on {c.cursor}"),
        cursor=on(f"{c.accent} on {c.cursor}"),
        cursor_blurred=on(f"{c.muted} on {c.cursor_blurred}"),
        chosen=on(f"{c.text} on {c.background}"),
        grave=on(f"{c.text} on {c.cursor_blurred}"),
        field=on(f"{c.text} on {c.panel}"),
        scrollbar=on(c.bar),
    )


def spans_to_text(spans: Iterable[Span], *, dark: bool) -> Text:
    """Return spans as text that a stock widget shows without parsing markup."""
    styles = role_styles(dark=dark)
    return Text.assemble(*((text, styles[role]) for text, role in spans), no_wrap=True, end="")


@cache
def glyphs(encoding: str | None = None) -> Glyphs:
    """Return the signs that `encoding` supports; None uses the user's setting, else the locale's encoding, once."""
    if encoding is None and user_config().glyphs == "ascii":
        return _ASCII
    name = (encoding or locale.getencoding()).lower().replace("-", "").replace("_", "")
    return _UNICODE if name.startswith("utf") or name == "cp65001" else _ASCII
