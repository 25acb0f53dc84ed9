"""A card: one section of facts and lines in a frame, wrapped at its width. It can be focused and copied.

The content of a section is safe already and is passed as text objects; nothing here parses markup.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
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
_WIDEST_KEY = 22


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
        parts.append(_grid(section.facts, inks, inks["muted"]))
    if section.facts and section.lines:
        parts.append(Text(""))
    parts += [wrapping(spans_to_text(line, dark=dark)) for line in section.lines]
    return Group(*parts)


def _grid(facts: tuple[Fact, ...], inks: Mapping[Role, Style], key_style: Style) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
    width = min(_WIDEST_KEY, max(cell_width(fact.key) for fact in facts))
    grid.add_column(width=width, overflow="fold")
    grid.add_column(ratio=1, overflow="fold")
    for fact in facts:
        grid.add_row(Text(fact.key, key_style), SeparatedText(fact.value, inks[fact.role]))
    return grid
