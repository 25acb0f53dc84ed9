"""Text that breaks long words, such as URLs and PATH, after a separator."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.containers import Lines
from rich.text import Text

from inspector.present.spans import characters_in
from inspector.text import cell_width, visible

_TAB = 8

_SEPARATORS = (":;,&?|", "/=")
"""Characters after which a long word breaks, the first group where possible."""


class SeparatedText(Text):
    """Text whose words that are longer than a row break after a separator: URLs, PATH, lists without spaces."""

    def wrap(self, console: Console, width: int, *args: Any, **options: Any) -> Lines:
        """Wrap at spaces, and long words after separators; without a separator anywhere."""
        broken = Lines()
        for line in self.split(allow_blank=True):
            line.expand_tabs(_TAB)
            rows = line.divide(_row_ends(line.plain, width))
            for row in rows:
                row.rstrip()
            broken.extend(rows)
        return broken


def _row_ends(text: str, width: int) -> Iterator[int]:
    """Yield where each row but the last ends, as an offset in characters."""
    begin = 0
    while cell_width(rest := text[begin:]) > width:
        most = max(1, characters_in(rest, width))
        space = rest.rfind(" ", 0, most + 1)
        after = rest.find(" ", space + 1)
        word = rest[space + 1 : after if after >= 0 else len(rest)]
        if space > 0 and cell_width(word) <= width:
            end = space + 1
        else:
            least = most // 3
            ends = (max(rest.rfind(sign, least, most) for sign in group) + 1 for group in _SEPARATORS)
            end = next(filter(None, ends), most)
        begin += end
        yield begin


def wrapping(text: Text) -> Text:
    """Return a text with the same styles that wraps at any width."""
    return SeparatedText(no_wrap=False, overflow="fold", end="\n").append_text(text)


def problem_text(problem: str) -> RenderableType:
    """Return an error that may quote untrusted text, for a `Static`, which would wrap a bare text its own way."""
    return Group(wrapping(Text(visible(problem, limit=600))))
