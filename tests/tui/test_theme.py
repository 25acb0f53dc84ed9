"""Themes that can be read, and signs that can be written."""

from typing import get_args

import msgspec
import pytest
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from inspector.present.spans import Role
from inspector.text import cell_width
from inspector.tui import theme as styles

GROUNDS = ("background", "surface", "panel", "block-cursor-background", "block-cursor-blurred-background")
INKS = ("text", "text-muted", "text-disabled", "text-error", "text-warning", "text-success", "accent")


def contrast(one: Color, other: Color) -> float:
    """The ratio that WCAG 2 defines, 1 to 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", styles.THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("ground", GROUNDS)
def test_every_role_can_be_read_on_every_ground(theme: Theme, ground: str) -> None:
    below = Color.parse(theme.to_color_system().generate()[ground])
    for role, style in styles.role_styles(dark=theme.dark).items():
        assert style.color is not None, role
        ink = Color.from_rich_color(style.color)
        own = below if style.bgcolor is None else Color.from_rich_color(style.bgcolor)
        assert contrast(ink, own) >= 4.5, (role, ground)


@pytest.mark.parametrize("theme", styles.THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("ground", GROUNDS)
def test_the_text_of_stock_widgets_can_be_read_too(theme: Theme, ground: str) -> None:
    colours = theme.to_color_system().generate()
    for ink in INKS:
        assert contrast(Color.parse(colours[ink]), Color.parse(colours[ground])) >= 4.5, (ink, ground)


@pytest.mark.parametrize("dark", [True, False])
def test_every_role_has_a_style(dark: bool) -> None:
    assert set(styles.role_styles(dark=dark)) == set(get_args(Role))


def test_every_sign_takes_one_cell_and_has_one_in_ascii() -> None:
    for alphabet in (styles.glyphs("utf-8"), styles.glyphs("ANSI_X3.4-1968")):
        for name, sign in msgspec.structs.asdict(alphabet).items():
            assert cell_width(sign) == 1, name
    assert all(sign.isascii() for sign in msgspec.structs.astuple(styles.glyphs("latin-1")))


def test_directions_differ_without_colour() -> None:
    for encoding in ("UTF-8", "ascii"):
        assert styles.glyphs(encoding).to_server != styles.glyphs(encoding).from_server


def test_spans_are_never_read_as_markup() -> None:
    text = styles.spans_to_text([("[@click=app.quit]x[/]", "error"), ("[/", "muted")], dark=True)
    assert text.plain == "[@click=app.quit]x[/][/"
    assert len(text.spans) == 2


async def test_both_themes_are_accepted_by_the_app() -> None:
    app: App[None] = App()
    async with app.run_test():
        for theme in styles.THEMES:
            app.register_theme(theme)
            app.theme = theme.name
            assert app.current_theme is theme


async def test_no_color_leaves_no_colour_on_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app: App[None] = App()
    app.register_theme(styles.THEMES[0])
    async with app.run_test() as pilot:
        app.theme = styles.DARK_NAME
        await pilot.pause()
        inks = [segment.style for strip in app.screen._compositor.render_strips() for segment in strip]
        assert inks
        for ink in inks:
            for colour in (ink.color, ink.bgcolor) if ink else ():
                assert colour is None or colour.triplet is None or len(set(colour.triplet)) == 1, colour
