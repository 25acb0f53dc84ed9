"""Ways around defects of Textual, each until a release without it. docs/textual.md describes them."""

from functools import lru_cache

from textual._styles_cache import StylesCache
from textual.color import Color
from textual.style import Style


def install() -> None:
    """Put them in place, for every app of this process; doing so again changes nothing."""
    StylesCache.get_inner_outer = staticmethod(_inner_outer)  # type: ignore[method-assign, assignment]


@lru_cache(1024)
def _inner_outer(base_background: Color, background: Color) -> tuple[Style, Style]:
    """The grounds within and around a border, as `StylesCache.get_inner_outer` answers, kept by the two colours alone.

    The original is cached with the `StylesCache` itself as part of the key: 1,024 of them stay alive with all lines
    that they hold, long after their widgets are gone.
    """
    return Style(background=base_background + background), Style(background=base_background)
