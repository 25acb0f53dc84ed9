"""A field at rest: rows of text on one widget. The widgets of its editor are built once it has the focus."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from rich.text import Text

from inspector.forms.fields import ChoiceField, Opened
from inspector.forms.values import FormValue
from inspector.present.spans import Role, Span, clip, spans_width, words_wrapped
from inspector.text import cell_width
from inspector.tui.theme import grounds, spans_to_text
from inspector.tui.widgets.schema_form.editors import ChoiceSegments
from inspector.tui.widgets.schema_form.view import FieldAction, FieldPlace
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


def choices_of(asked: Opened, value: FormValue) -> Choices:
    """Return the choices of a field that shows all of them."""
    if isinstance(asked, ChoiceField) and asked.multi:
        listed = value if isinstance(value, list) else []
        on = [at for at, option in enumerate(asked.options) if option.value in listed]
        return Choices([option.title for option in asked.options], on, multi=True)
    segments = ChoiceSegments(asked, value)
    return Choices(segments.labels, (segments.index_of(value),))


@dataclass(frozen=True, slots=True)
class RestingRow:
    """One row: the head, and on another background the value. `zones` are what a click reaches, by cells."""

    head: Sequence[Span]
    value: Sequence[Span] | None = None
    zones: Sequence[tuple[range, str | int]] = ()
    """Names of actions, and indexes of choices."""

    def text(self, width: int, *, dark: bool) -> Text:
        """Return the row, filled up to the width."""
        line = spans_to_text(clip(self.head, width), dark=dark)
        if self.value is not None:
            start = len(line)
            line.append_text(spans_to_text(clip(self.value, max(0, width - line.cell_len)), dark=dark))
            line.pad_right(max(0, width - line.cell_len))
            line.stylize_before(grounds(dark=dark).field, start)
        return line


def roomy(place: FieldPlace, width: int) -> FieldPlace:
    """Return a place in a row of this width, without the column of types where the value would have no room."""
    narrow = place.columns[1] and width - place.head_width < _LEAST
    return replace(place, columns=(place.columns[0], 0)) if narrow else place


def head_row(spans: Sequence[Span], actions: Sequence[FieldAction], width: int) -> RestingRow:
    """Return a head with its actions, filled up to `width` cells if it is less."""
    line, zones = list(spans), list[tuple[range, str | int]]()
    for action in actions:
        line.append(("  ", "text"))
        start = spans_width(line)
        line.append((action.label, "muted"))
        zones.append((range(start, spans_width(line)), action.name))
    line.append((" " * (width - spans_width(line)), "text"))
    return RestingRow(line, zones=zones)


def with_value(row: RestingRow, value: Span | Choices, beside: str, width: int) -> RestingRow:
    """Return a row with the value of its field and its description beside it."""
    start = spans_width(row.head)
    room = width - start
    spans: list[Span] = []
    zones = list(row.zones)
    if isinstance(value, Choices):
        for index, (shown, role) in _segments(value, room):
            at = start + spans_width(spans)
            zones.append((range(at, at + cell_width(shown)), index))
            spans += [(shown, role), (" ", "text")]
    else:
        spans = [(" ", "text"), value]
    if beside:
        spans.append((f"  {beside}", "faint"))
    return RestingRow(row.head, spans, zones)


def _segments(choices: Choices, room: int) -> list[tuple[int, Span]]:
    """Return the choices by index; if there is no space for all of them, the chosen ones are first."""
    found: list[tuple[int, Span]] = []
    for index, label in enumerate(shown_labels(choices.labels)):
        on = index in choices.chosen
        role: Role = "muted" if not on else "claimed" if index < choices.faint else "title"
        found.append((index, (segment(label, on=on, multi=choices.multi), role)))
    if sum(cell_width(shown) + 1 for _, (shown, _) in found) > room + 1:
        found.sort(key=lambda each: each[0] not in choices.chosen)
    return found


def problem_rows(sentences: Sequence[Span], indent: int, width: int) -> list[RestingRow]:
    """Return sentences about a value, wrapped below it."""
    before: Span = (" " * indent, "text")
    rows = [row for each in sentences for row in words_wrapped((each,), max(_LEAST, width - indent), 2)]
    return [RestingRow([before, *row]) for row in rows]
