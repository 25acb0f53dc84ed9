"""A field at rest: rows of text on one widget. The widgets of its editor are built once it has the focus."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from inspector.forms.fields import UNSET, ChoiceField, Field
from inspector.forms.interpret import text_for
from inspector.forms.typed import json_text, same, text_of
from inspector.forms.values import FormValue
from inspector.present.spans import Role, Span, clip, spans_width, words_wrapped
from inspector.text import cell_width
from inspector.tui.theme import glyphs, grounds, role_styles
from inspector.tui.widgets.schema_form.editors import ChoiceSegments
from inspector.tui.widgets.schema_form.state import Shape
from inspector.tui.widgets.schema_form.view import FieldAction, FieldPlace, is_row
from inspector.tui.widgets.segments import segment, shown_labels

RESTING: Final = ("line", "opener", "picker", "options", "several")
"""Shapes of fields that are text at rest. The others have fields of their own, or a block of text."""
_LEAST: Final = 16
"""Minimum width of a value in cells; in a narrower row, the type is left out."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The labels of a choice, as its editor shows them."""

    labels: Sequence[str]
    chosen: Sequence[int]
    multi: bool = False

    @property
    def faint(self) -> int:
        """Number of labels that are states rather than values."""
        return 0 if self.multi else 1


Shown: TypeAlias = Span | Choices
"""A value as its editor shows it: a text, or choices."""


def choices_of(asked: Field, value: FormValue) -> Choices:
    """Return the choices of a field that shows all of them."""
    if isinstance(asked, ChoiceField) and asked.multi:
        listed = value if isinstance(value, list) else []
        on = [at for at, option in enumerate(asked.options) if option.value in listed]
        return Choices([option.title for option in asked.options], on, multi=True)
    segments = ChoiceSegments(asked, value)
    return Choices(segments.labels, (segments.index_of(value),))


def written(field: Field, asked: Field, value: FormValue, shape: Shape, selected: int | None) -> tuple[str, int | None]:
    """Return the text of a value, "" for a state that an empty line shows, and the branch that reads it back."""
    if shape == "opener" or (shape in ("line", "picker") and _is_state(field, value)):
        return "", selected
    if shape == "picker":
        return text_of(asked, value), selected
    return (None if shape == "json" else text_for(asked, value, selected)) or (json_text(value), selected)


def _is_state(field: Field, value: FormValue) -> bool:
    """Return whether a value is shown as a state of the field rather than as its text."""
    return value is UNSET or value is None or (field.default is not UNSET and same(field.default, value))


@dataclass(frozen=True, slots=True)
class RestingRow:
    """One row: the head, and on another background the value. `zones` are what a click reaches, by cells."""

    head: Sequence[Span]
    value: Sequence[Span] | None = None
    zones: Sequence[tuple[range, str | int]] = ()
    """Names of actions, and indexes of choices."""

    def segments(self, width: int, paper: Style, *, dark: bool) -> list[Segment]:
        """Return the row on a background; a value fills the width with its own."""
        inks, ground = role_styles(dark=dark), paper + grounds(dark=dark).field
        head = clip(self.head, width)
        found = [Segment(text, paper + inks[role]) for text, role in head]
        if self.value is not None:
            room = max(0, width - spans_width(head))
            value = clip(self.value, room)
            found += [Segment(text, ground + inks[role]) for text, role in value]
            found.append(Segment(" " * (room - spans_width(value)), ground))
        return found

    def text(self, width: int, *, dark: bool) -> Text:
        """Return the row for a stock way of drawing, on no background."""
        segments = self.segments(width, Style.null(), dark=dark)
        return Text.assemble(*((each.text, each.style or "") for each in segments), no_wrap=True, end="")


def roomy(place: FieldPlace, shape: Shape, width: int) -> FieldPlace:
    """Return a place in a row of this width, without the column of types where the value would have no room."""
    narrow = is_row(place, shape) and place.columns[1] and width - place.head_width < _LEAST
    return replace(place, columns=(place.columns[0], 0)) if narrow else place


def indent_of(place: FieldPlace, shape: Shape, width: int) -> int:
    """Return the width of the head that shares a row with the value; 0 if it has a row of its own."""
    return roomy(place, shape, width).head_width if is_row(place, shape) else 0


def head_row(spans: Sequence[Span], actions: Sequence[FieldAction], place: FieldPlace) -> RestingRow:
    """Return a head with its actions, filled up to the width of its column."""
    line, zones = list(spans), list[tuple[range, str | int]]()
    for action in actions:
        line.append(("  ", "text"))
        start = spans_width(line)
        line.append((action.label, "muted"))
        zones.append((range(start, spans_width(line)), action.name))
    if place.columns[0]:
        line.append((" " * (place.head_width - spans_width(line)), "text"))
    return RestingRow(line, zones=zones)


def with_value(heads: Sequence[RestingRow], value: Shown, beside: str, width: int, *, below: bool) -> list[RestingRow]:
    """Return the rows of a head, if any, with the value beside or `below` it, and the description beside that."""
    row = RestingRow(()) if below else heads[0]
    start = spans_width(row.head)
    spans: list[Span] = []
    zones = list(row.zones)
    if isinstance(value, Choices):
        segments, first = _segments(value, width - start)
        if first:
            spans.append((glyphs().ellipsis, "muted"))
        for index, (shown, role) in enumerate(segments, first):
            at = start + spans_width(spans)
            zones.append((range(at, at + cell_width(shown)), index))
            spans += [(shown, role), (" ", "text")]
    else:
        spans = [(" ", "text"), value]
    if beside:
        spans.append((f"  {beside}", "faint"))
    return [*(heads if below else ()), RestingRow(row.head, spans, zones)]


def _segments(choices: Choices, room: int) -> tuple[list[Span], int]:
    """Return the choices in order, and the index of the first: without space for all, those up to the first chosen.

    The caller marks what is left out at the beginning, for which a cell is kept, and at the end.
    """
    found: list[Span] = []
    for index, label in enumerate(shown_labels(choices.labels)):
        on = index in choices.chosen
        role: Role = "muted" if not on else "claimed" if index < choices.faint else "title"
        found.append((segment(label, on=on, multi=choices.multi), role))
    widths = [cell_width(shown) + 1 for shown, _ in found]
    chosen = min(choices.chosen, default=0)
    first = next((at for at in range(chosen) if sum(widths[at : chosen + 1]) <= room - 1 - bool(at)), chosen)
    return found[first:], first


def problem_rows(sentences: Sequence[str], indent: int, width: int) -> list[RestingRow]:
    """Return sentences about a value, each after a sign, wrapped below it."""
    before: Span = (" " * (indent + 1), "text")
    lines: list[Span] = [(words, "error" if words.startswith(glyphs().error) else "warning") for words in sentences]
    rows = [row for each in lines for row in words_wrapped((each,), max(_LEAST, width - indent - 1), 2)]
    return [RestingRow([before, *row]) for row in rows]
