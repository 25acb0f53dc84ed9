"""How a field looks: its head, its editor for the value of the moment, and what is wrong with it.

A field is drawn again only when its value takes another shape; nothing here takes what is typed. Every widget is known
by the place of its value; no name from a schema ever becomes an id or a class.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget

from inspector.forms.fields import UNSET, Field, JsonField, Opened, kind_of
from inspector.forms.typed import json_text, text_of
from inspector.forms.values import FormValue
from inspector.present.spans import Span, spans_width
from inspector.text import cell_width, pad, visible
from inspector.tui import keys
from inspector.tui.theme import glyphs, spans_to_text

# A line that can be pressed: the head of a field, with the few things that can be done to the field.


@dataclass(frozen=True, slots=True)
class FieldAction:
    """Something to do to a field."""

    name: str
    """What the message says: "add", "remove", "up", "down", "fold", "write"."""
    label: str
    """Sign and word."""


class FormBar(Widget):
    """Spans, then deeds; one line if there is room. The first deed is what Enter does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings(keys.ActionScope.FORM_LINE),
        keys.binding(keys.action("menu.act")),  # it keeps letters from the app
    ]
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
        deeds: Sequence[FieldAction] = (),
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

    def show(self, spans: Sequence[Span], deeds: Sequence[FieldAction] | None = None) -> None:
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


_LETTERS = {name: keys.shown_key(f"line.{name}") for name in ("remove", "up", "down", "add")} | {
    "null": keys.shown_key("form.null")
}
"""The keys of what a line offers, while it has the focus."""

ADD = FieldAction("add", "+ add")
REMOVE = FieldAction("remove", f"{glyphs().times} remove")
UP = FieldAction("up", "↑")
DOWN = FieldAction("down", "↓")


# The head of a field in words: its name, what is asked, in what state it is, and what can be done to it.

GROUPS = ("object", "list", "union")
"""The shapes that hold fields."""
_FOLD = FieldAction("fold", "fold")
_UNFOLD = FieldAction("fold", "unfold")
_CHOOSE = FieldAction("choose", f"{glyphs().opened} choose")
_WRITE = FieldAction("write", "set a value")
_OPEN = FieldAction("add", f"{glyphs().closed} open")


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """The place of a field, as its head says it."""

    name: str = ""
    """Foreign text; "" for the root and for a branch of a union."""
    item: int | None = None
    """The index of an item of a list."""
    of: int = 0
    """How many items that list has."""
    removable: bool = False
    """Whether it can be taken away, place and all: an item, or a member that the schema does not name."""
    bare: bool = False
    """Without a head: the root, and a branch."""
    last: bool = False
    """Whether nothing follows it in what it is in."""
    columns: tuple[int, int] = (0, 0)
    """The cells of the names and of the types above and below it; zeros: the head has a line of its own."""

    @property
    def head_width(self) -> int:
        """The cells of a head in one row with its editor, and the space behind it."""
        return sum(self.columns) + 4


ROWS = ("line", "number", "options", "several")
"""The shapes whose editor fits into one row with the head."""
_ONE_ROW = (*ROWS, "null", "absent", "picker", "lazy")
_WIDEST_NAME, _WIDEST_TYPE = 24, 12
"""Cells of names and types in one row with their editors; a longer name has a line of its own."""


def is_row(place: FieldPlace, shape: str) -> bool:
    """Whether head and editor share a row."""
    return shape in ROWS and place.columns[0] > 0 and not place.removable


def name_width(name: str, asked: Field) -> int:
    """The cells of a field's name with the star of a required one; 0 if that is too long for a column."""
    width = cell_width(visible(name, limit=80)) + (2 if asked.required else 0)
    return width if width <= _WIDEST_NAME else 0


def type_width(asked: Field) -> int:
    """The cells of a field's type in a column."""
    return min(cell_width(kind_of(asked)), _WIDEST_TYPE)


def has_head(place: FieldPlace, shape: str) -> bool:
    """Whether there is a head: always, but at a bare place only where there is nothing else to press."""
    return not place.bare or shape in ("lazy", "absent", "null", "picker")


def head_spans(asked: Opened | Field, place: FieldPlace, shape: str, value: FormValue, *, folded: bool) -> list[Span]:
    """The words of a head."""
    spans: list[Span] = []
    if shape in GROUPS:
        spans.append((f"{glyphs().closed if folded else glyphs().opened} ", "accent"))
    spans.append((visible(place.name, limit=80), "strong"))
    if asked.required:
        spans.append((" *", "error"))
    if place.columns[0] and shape in _ONE_ROW:
        spans.append((" " * (place.columns[0] - spans_width(spans)), "text"))
    if is_row(place, shape):
        spans.append(("  ", "text"))
        return [*spans, (pad(kind_of(asked), place.columns[1]), "faint")]
    if title := _title(asked, place.name):
        spans.append((f"  {title}", "text"))
    spans.append(("  " + f" {glyphs().note} ".join(_words(asked, shape, value)), "faint"))
    if shape in ("null", "picker"):
        spans.append((f"  {visible(text_of(asked, value), limit=60) or 'unset'}", "literal"))
    return spans


def _title(asked: Opened | Field, name: str) -> str:
    """The title, unless it only repeats the name."""
    title = visible(asked.title, limit=60)
    return "" if title.casefold() == name.casefold().replace("_", " ") else title


def with_problems(spans: list[Span], count: int) -> list[Span]:
    """The words of a folded head that hides so many problems: their number comes first."""
    return [*spans[:2], (f"  {glyphs().error} {count}", "error"), *spans[2:]] if count else spans


def _words(asked: Field, shape: str, value: FormValue) -> list[str]:
    words = [kind_of(asked), visible(asked.constraint_text().removesuffix(", integer"), limit=80)]
    if shape == "absent":
        words.append("unset")
    if shape == "list" and isinstance(value, list):
        words.append(f"{len(value)} now")
    if asked.deprecated:
        words.append("deprecated")
    return [word for word in dict.fromkeys(words) if word]


def deeds(asked: Field, place: FieldPlace, shape: str, *, folded: bool) -> list[FieldAction]:
    """What can be done to a field, the usual thing first."""
    found = list(_own_deeds(asked, place, shape, folded))
    if place.item is not None and place.of > 1:
        found += [UP, DOWN]
    if place.removable:
        found.append(REMOVE)
    return found


def _own_deeds(asked: Field, place: FieldPlace, shape: str, folded: bool) -> Iterator[FieldAction]:
    single = {"lazy": _OPEN, "absent": ADD, "null": _WRITE, "picker": _CHOOSE}
    if shape in single:
        yield single[shape]
    if shape in GROUPS and not place.bare:
        yield _UNFOLD if folded else _FOLD
        if not asked.required and not place.removable and shape != "union":
            yield REMOVE


def about(asked: Field, shape: str, place: FieldPlace | None = None) -> str:
    """What the schema says of a field, and why it looks the way it does; "" for nothing.

    In a row with the editor the head has no room for the title and for what is allowed: they come first then.
    """
    parts = [visible(asked.description, limit=2000)]
    if place is not None and is_row(place, shape):
        words = [_title(asked, place.name), *_words(asked, shape, UNSET)[1:]]
        parts.insert(0, f" {glyphs().note} ".join(word for word in words if word))
        if all(parts):
            parts[0] += f" {glyphs().note}"
    if isinstance(asked, JsonField):
        parts.append(f"Edit as JSON: {visible(asked.why, limit=300)}.")
    elif shape == "json":
        parts.append("The value has another type than the schema: edit it as JSON.")
    if asked.examples:
        parts.append(f"Example: {visible(json_text(asked.examples[0], indent=None), limit=80)}")
    return " ".join(part for part in parts if part)
