"""A line that can be pressed: the head of a field, with the few things that can be done to the field.

Each deed has a sign to click and a letter to press, and the letter is shown while the line has the focus. A line
without deeds takes no focus: Tab should stop only where there is something to do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget

from inspector.tui import keys
from inspector.tui.styles import glyphs, spans_to_text
from inspector.viewmodels.roles import Span
from inspector.viewmodels.spans import spans_width
from inspector.viewmodels.text import cell_width


@dataclass(frozen=True, slots=True)
class Deed:
    """Something to do to a field."""

    name: str
    """What the message says: "add", "remove", "up", "down", "fold", "write"."""
    label: str
    """Sign and word."""


class FormBar(Widget):
    """Spans, then deeds; one line if there is room. The first deed is what Enter does."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.Where.FORM_LINE)
    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar--deed", "bar--deed-focused"}
    DEFAULT_CSS = """
    FormBar {
        height: auto;
        width: 1fr;
        & > .bar--deed { color: $text-muted; }
        & > .bar--deed-focused { color: $accent; text-style: bold; }
        &:focus { background: $block-cursor-background; }
    }
    """
    ALLOW_SELECT = False

    class Pressed(Message):
        """A deed was asked for."""

        def __init__(self, control: "FormBar", deed: str) -> None:
            super().__init__()
            self._control = control
            self.deed = deed

        @property
        def control(self) -> "FormBar":
            """The line it comes from."""
            return self._control

    def __init__(
        self,
        spans: Sequence[Span] = (),
        deeds: Sequence[Deed] = (),
        classes: str | None = None,
        *,
        typed_at: bool = True,
    ) -> None:
        """`typed_at`: it stands among fields, where somebody may type: what is no key of its own then does nothing."""
        super().__init__(classes=classes)
        self._typed_at = typed_at
        self._spans = spans
        self._deeds = tuple(deeds)
        self._zones: list[tuple[range, str]] = []
        self.can_focus = bool(deeds)

    def show(self, spans: Sequence[Span], deeds: Sequence[Deed] | None = None) -> None:
        """Show something else; `deeds` None leaves the deeds."""
        self._spans = spans
        if deeds is not None:
            self._deeds = tuple(deeds)
            self.can_focus = bool(deeds)
        self.refresh(layout=len(self._rows(self.size.width)) != self.size.height)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Return the rows it needs."""
        return len(self._rows(width))

    def _rows(self, width: int) -> list[list[Span]]:
        """Break the words between spans, so that nothing is cut that has room in a row; the last row has the deeds.

        There is always room for the letters, so that nothing moves when the focus comes.
        """
        rows: list[list[Span]] = [[]]
        for words, role in self._spans:
            if rows[-1] and spans_width([*rows[-1], (words, role)]) > width and words.startswith("  "):
                rows.append([])
            rows[-1].append((words, role))
        cells = sum(cell_width(self._label(at, letters=True)) + 2 for at in range(len(self._deeds)))
        if cells and rows[-1] and spans_width(rows[-1]) + cells > width:
            rows.append([])
        return rows

    def render(self) -> Text:
        """Return the lines."""
        width, dark = self.size.width, self.app.current_theme.dark
        lines = [spans_to_text(row, dark=dark) for row in self._rows(width)]
        line = lines[-1]
        style = self.get_component_rich_style("bar--deed-focused" if self.has_focus else "bar--deed", partial=True)
        self._zones = []
        for at, deed in enumerate(self._deeds):
            line.append("  ")
            start = cell_width(line.plain)
            line.append(self._label(at, letters=self.has_focus), style)
            self._zones.append((range(start, cell_width(line.plain)), deed.name))
        for each in lines:
            each.truncate(width, overflow="ellipsis")
        shown = Text("\n", no_wrap=True, end="").join(lines)
        return shown  # noqa: RET504 - a name says that this is no string to be read as markup

    def _label(self, at: int, *, letters: bool) -> str:
        deed = self._deeds[at]
        if not letters:
            return deed.label
        key = keys.key_name("enter") if at == 0 else _LETTERS.get(deed.name, "")
        return f"{deed.label} {key}".rstrip()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Keep what can be typed to itself."""
        return self._typed_at and keys.types(key, character)

    @property
    def folds(self) -> bool:
        """Whether Enter only folds what is below."""
        return bool(self._deeds) and self._deeds[0].name == "fold"

    def action_do(self, name: str) -> None:
        """Do what a letter stands for, if it can be done here."""
        if any(deed.name == name for deed in self._deeds):
            self.post_message(self.Pressed(self, name))

    def action_press(self) -> None:
        """Do the first thing."""
        if self._deeds:
            self.post_message(self.Pressed(self, self._deeds[0].name))

    def on_click(self, event: events.Click) -> None:
        """Do what was clicked; the words stand for the first thing."""
        event.stop()
        for zone, name in self._zones:
            if event.x in zone and event.y == self.size.height - 1:
                self.post_message(self.Pressed(self, name))
                return
        self.action_press()

    def on_focus(self) -> None:
        """Show the letters, and to the left that it is here."""
        self._mark(here=True)
        self.refresh()

    def on_blur(self) -> None:
        """Hide the letters."""
        self._mark(here=False)
        self.refresh()

    def _mark(self, *, here: bool) -> None:
        if self.parent is not None and self.has_class("field--head"):
            self.parent.set_class(here, "-at-head")


_LETTERS = {"remove": "d", "up": "K", "down": "J", "add": "a", "null": keys.key_name("ctrl+n")}

ADD = Deed("add", "+ add")
REMOVE = Deed("remove", f"{glyphs().times} remove")
UP = Deed("up", "↑")
DOWN = Deed("down", "↓")
