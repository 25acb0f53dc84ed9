"""A card: one section of facts and lines in a frame, wrapped at its width. It can be focused and copied.

The content of a section is safe already and is passed as text objects; nothing here parses markup.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import ClassVar

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from inspector.present.spans import Fact, Role, Section, plain, section_lines
from inspector.text import cell_width, for_clipboard
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.theme import role_styles, spans_to_text
from inspector.tui.widgets.wrapping import SeparatedText, wrapping

COPY = replace(keys.binding(keys.action("copy")), show=True)
"""Binding for widgets whose text can be copied; it is shown in the footer."""
_WIDEST_KEY, _GAP = 22, 2


class SectionCard(Static, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [COPY]
    DEFAULT_CSS = """
    SectionCard {
        height: auto;
        width: 1fr;
        padding: 0 1;
        border: round $border-blurred;
        border-title-color: $text-accent;
        border-title-style: bold;
        &:focus { border: round $border; }
    }
    """

    def __init__(self, section: Section) -> None:
        super().__init__(markup=False)
        self.section = section
        """The current section."""

    def show(self, section: Section) -> None:
        """Show another state of the section; nearly free if nothing has changed."""
        if section != self.section:
            self.section = section
            self._draw()

    def on_mount(self) -> None:
        """Draw now and after each change of theme."""
        self._draw()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._draw())

    def _draw(self) -> None:
        self.border_title = Content(self.section.title)
        self.update(section_renderable(self.section, dark=self.app.current_theme.dark))

    def action_copy(self) -> None:
        copy(self.app, sections_text([self.section]), "section")


def sections_text(sections: Iterable[Section]) -> str:
    """Return sections as plain text for the clipboard."""
    whole = "\n\n".join("\n".join(map(plain, section_lines(section))) for section in sections)
    return for_clipboard(whole)[0]


def section_renderable(section: Section, *, dark: bool) -> RenderableType:
    """Return a section without its title, as a renderable that wraps at any width."""
    inks = role_styles(dark=dark)
    parts: list[RenderableType] = []
    if section.note:
        parts.append(wrapping(spans_to_text([(section.note, "claimed")], dark=dark)))
    if section.facts:
        parts.append(_Facts(section.facts, inks))
    if section.facts and section.lines:
        parts.append(Text(""))
    parts += [wrapping(spans_to_text(line, dark=dark)) for line in section.lines]
    return Group(*parts)


class _Facts:
    """Facts in two columns. A table of Rich shows the same, and takes four times as long."""

    def __init__(self, facts: tuple[Fact, ...], inks: Mapping[Role, Style]) -> None:
        self._key_width = min(_WIDEST_KEY, max(cell_width(fact.key) for fact in facts))
        self._rows = [(Text(fact.key, inks["muted"]), SeparatedText(fact.value, inks[fact.role])) for fact in facts]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Return the rows, keys and values each wrapped within their column."""
        room, rows = max(1, options.max_width - self._key_width - _GAP), Text(end="")
        for key, value in self._rows:
            keys = key.wrap(console, self._key_width, overflow="fold")
            for left, right in zip_longest(keys, value.wrap(console, room), fillvalue=Text()):
                rows.append_text(left).append(" " * (self._key_width - left.cell_len + _GAP))
                rows.append_text(right).append("\n")
        return rows.render(console)
