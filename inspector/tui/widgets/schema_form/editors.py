"""Editors of single values: a line, a text block, JSON, and a line that opens a long list of choices.

An editor shows a text and reports what is typed. Its field interprets the text.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.actions import SkipAction
from textual.document._document import Location
from textual.document._document import Selection as AreaSelection
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, TextArea
from textual.widgets.input import Selection

from inspector.forms.fields import UNSET, BoolField, ChoiceField, ConstField, Field
from inspector.forms.typed import json_text, same
from inspector.forms.values import FormValue
from inspector.tui import keys
from inspector.tui.widgets.segments import Segments

if TYPE_CHECKING:
    import regex

# Fields whose cursor moves by grapheme clusters, which users see as one character: a flag, a family, a letter with
# accents.

_JOINERS = frozenset(("\u200c", "\u200d", *map(chr, range(0xE0020, 0xE0080))))
"""Parts of clusters that Python considers unprintable: joiners, and the tags of a flag."""

UNSET_WORD = "unset"
EMPTY_WORD = 'empty text ""'

LONGEST_LINE = 2_000
"""Maximum length of a text that is edited on one line."""

_MOST_SEGMENTS = 12

_SEGMENT_CELLS = 150
"""Maximum width of all segments together; more would take too many lines."""


@cache
def _cluster() -> "regex.Pattern[str]":
    import regex  # 12 ms, only when needed

    return regex.compile(r"\X")


def cluster_start(text: str, at: int) -> int:
    """Return the start of the cluster that contains position `at`; between two clusters, `at` itself."""
    if at <= 0 or at >= len(text) or text.isascii():
        return max(0, min(at, len(text)))
    return max(found.start() for found in _cluster().finditer(text) if found.start() <= at)


def cluster_end(text: str, at: int) -> int:
    """Return the end of the cluster at position `at`; after the last cluster, the end of the text."""
    if at >= len(text) or text.isascii():
        return min(at + 1, len(text))
    return next(found.end() for found in _cluster().finditer(text) if found.end() > at)


class WholeText(Text):
    """A text that styles clusters only as a whole."""

    def stylize(self, style: Any, start: int = 0, end: int | None = None) -> None:
        """Apply a style to whole clusters."""
        super().stylize(style, *self._whole(start, end))

    def stylize_before(self, style: Any, start: int = 0, end: int | None = None) -> None:
        """Apply a style to whole clusters, below the existing styles."""
        super().stylize_before(style, *self._whole(start, end))

    def _whole(self, start: int, end: int | None) -> tuple[int, int | None]:
        if end is None or start < 0 or end <= start or self.plain.isascii():
            return start, end
        return cluster_start(self.plain, start), cluster_end(self.plain, end - 1)


class ClusterInput(Input):
    """An input line whose cursor moves by clusters."""

    def validate(self, value: str) -> None:
        """Do nothing: there are no validators, and the classes of their verdict would style the line twice more."""

    def validate_selection(self, selection: Selection) -> Selection:
        """Move both ends of the selection to the starts of clusters."""
        start, end = super().validate_selection(selection)
        return Selection(cluster_start(self.value, start), cluster_start(self.value, end))

    async def _on_key(self, event: events.Key) -> None:
        """Also insert joiners and tags."""
        typed = event.character or ""
        if typed in _JOINERS:
            event.stop()
            event.prevent_default()  # Textual also calls the base class, which handles all other keys
            self.replace(typed, *self.selection)

    def action_cursor_right(self, select: bool = False) -> None:
        """Move to the end of the cluster."""
        start, end = self.selection
        if select:
            self.selection = Selection(start, cluster_end(self.value, end))
        elif self.selection.is_empty:
            self.cursor_position = cluster_end(self.value, end)
        else:
            super().action_cursor_right()

    def action_delete_left(self) -> None:
        """Delete the cluster before the cursor, or the selection."""
        if self.selection.is_empty:
            self.delete(cluster_start(self.value, self.cursor_position - 1), self.cursor_position)
        else:
            self.delete_selection()

    def action_delete_right(self) -> None:
        """Delete the cluster at the cursor, or the selection."""
        if self.selection.is_empty:
            self.delete(self.cursor_position, cluster_end(self.value, self.cursor_position))
        else:
            self.delete_selection()

    @property
    def _value(self) -> Text:
        drawn = super()._value
        whole = WholeText(drawn.plain, no_wrap=True, overflow="ignore", end="")
        whole.spans = drawn.spans
        return whole

    def _cell_offset_to_index(self, offset: int) -> int:
        """Return the start of the cluster at a cell: a click puts the cursor there."""
        if self.password or self.value.isascii():
            return super()._cell_offset_to_index(offset)
        cell, offset = 0, offset + self.scroll_offset.x
        for found in _cluster().finditer(self.value):
            cell += cell_len(found[0])
            if offset < cell:
                return int(found.start())
        return len(self.value)


class LineEdit(ClusterInput):
    """One line of text. Focusing it selects nothing, so that a stray key deletes nothing."""

    DEFAULT_CSS = """
    LineEdit, LineEdit.-textual-compact { background: $panel; border: none; height: 1; padding: 0 1; width: 1fr; }
    LineEdit:focus, LineEdit.-textual-compact:focus {
        background: $block-cursor-background; background-tint: transparent;
    }
    LineEdit > .input--selection { text-style: reverse; }
    LineEdit > .input--placeholder { color: $text-muted; text-style: italic; }
    """

    def __init__(self, text: str, *, unset: bool, secret: bool = False) -> None:
        super().__init__(text, password=secret, compact=True, select_on_focus=False)
        self.cursor_blink = False
        self.set_reactive(Input.selection, Selection.cursor(len(text)))
        self.say(unset=unset)

    @property
    def written(self) -> str:
        return self.value

    def say(self, *, unset: bool) -> None:
        """Show what an empty line means: no value, or the empty text."""
        self.placeholder = UNSET_WORD if unset else EMPTY_WORD


class ValueLine(LineEdit):
    """The line of a field. While it is empty, it shows the state of the field, dim: unset, null or its default.

    The first key typed replaces the state. Arrows put a default into the line, to be edited.
    """

    BINDINGS = keys.bindings_of("form.kind")

    class Turned(Message):
        """An arrow key in the empty line: the next (1) or the previous (-1) branch."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Clicked(Message):
        """The line was clicked."""

    def __init__(
        self, text: str, *, ghost: str, spare: str = "", secret: bool = False, enter: str = "Edit", blanks: bool = True
    ) -> None:
        """`ghost` is the state to show, `spare` the text that an arrow key puts into the line.

        `enter` names what Enter does; `blanks`: whether a text may begin with a space.
        """
        super().__init__(text, unset=True, secret=secret)
        self._blanks = blanks
        self.show_state(ghost, spare)
        self.show_enter(enter)

    def show_enter(self, label: str) -> None:
        """Show what Enter does."""
        enter = keys.action("form.enter")
        binding = replace(keys.binding(enter), key=enter.keys[0], description=label)
        self._bindings.key_to_bindings[enter.keys[0]] = [binding]
        if self.is_attached:
            self.refresh_bindings()

    takes_lines = True
    """Whether a pasted text may have several lines: its field becomes a block then."""

    def _on_paste(self, event: events.Paste) -> None:
        """Leave a text of several lines to the field."""
        if len(event.text.splitlines()) > 1:
            event.prevent_default()

    def insert_text_at_cursor(self, text: str) -> None:
        """Insert a text. A blank at its start does not hide the state that the line shows."""
        if not self.value and not self._blanks and text.isspace():
            self.app.bell()
            return
        super().insert_text_at_cursor(text)

    def show_state(self, ghost: str, spare: str = "") -> None:
        """Show what the empty line means."""
        self.placeholder = ghost
        self._spare = spare

    def _edits_spare(self) -> bool:
        """Put the default into the line; return whether there was one."""
        if self.value or not self._spare:
            return False
        self.value = self._spare
        self.cursor_position = len(self.value)
        return True

    def action_cursor_left(self, select: bool = False) -> None:
        """Move, or edit the default, or turn to the previous branch."""
        if self.value:
            super().action_cursor_left(select)
        elif not self._edits_spare():
            self.post_message(self.Turned(-1))

    def action_cursor_right(self, select: bool = False) -> None:
        """Move, or edit the default, or turn to the next branch."""
        if self.value:
            super().action_cursor_right(select)
        elif not self._edits_spare():
            self.post_message(self.Turned(1))

    def action_home(self, select: bool = False) -> None:
        """Move to the start, also of a default."""
        self._edits_spare()
        super().action_home(select)

    def action_end(self, select: bool = False) -> None:
        """Move to the end, also of a default."""
        self._edits_spare()
        super().action_end(select)

    def action_delete_left(self) -> None:
        """Delete the cluster before the cursor, also of a default."""
        self._edits_spare()
        super().action_delete_left()

    def action_kind(self) -> None:
        """Turn to the next branch, also with a text or a default in the line."""
        self._edits_spare()
        self.post_message(self.Turned(1))

    def on_click(self) -> None:
        """Report the click."""
        self.post_message(self.Clicked())


class BlockEdit(TextArea):
    """A block of several lines. Tab moves to the next field."""

    DEFAULT_CSS = """
    BlockEdit, BlockEdit.-textual-compact {
        background: $panel; border: none; height: auto; min-height: 3; max-height: 10; padding: 0 1;
    }
    BlockEdit:focus { background: $block-cursor-background; background-tint: transparent; border: none; }
    BlockEdit .text-area--placeholder { color: $text-disabled; text-style: italic; }
    BlockEdit .text-area--cursor-line { background: transparent; }
    """

    def __init__(self, text: str, *, unset: bool, wrap: bool = True, undoes: bool = True) -> None:
        """`undoes`: whether it has its own undo; otherwise `ctrl+z` is left to its container."""
        super().__init__(text, soft_wrap=wrap, compact=True, tab_behavior="focus", highlight_cursor_line=False)
        self.cursor_blink = False
        self._undoes = undoes
        self.say(unset=unset)

    def action_undo(self) -> None:
        if not self._undoes:
            raise SkipAction
        super().action_undo()

    def action_redo(self) -> None:
        """Redo the last undone edit."""
        if not self._undoes:
            raise SkipAction
        super().action_redo()

    @property
    def written(self) -> str:
        return self.text

    def say(self, *, unset: bool) -> None:
        """Show what an empty text means."""
        self.show_state(UNSET_WORD if unset else EMPTY_WORD)

    def show_state(self, ghost: str, spare: str = "") -> None:
        """Show what an empty text means."""
        self.placeholder = ghost

    def render_line(self, y: int) -> Strip:
        """Return a line. A placeholder cannot be wrapped without a column for it, as in a pane that is too narrow."""
        return super().render_line(y) if self.content_size.width else Strip.blank(0)

    def validate_selection(self, selection: AreaSelection) -> AreaSelection:
        """Move both ends of the selection to the starts of clusters."""
        return AreaSelection(self._snapped(selection.start), self._snapped(selection.end))

    def _snapped(self, place: Location) -> Location:
        row, column = place
        if not 0 <= row < self.document.line_count:
            return place
        return row, cluster_start(self.document.get_line(row), column)

    async def _on_key(self, event: events.Key) -> None:
        """Also insert joiners and tags. Enter begins to type, as in a line: no text begins with a newline by it."""
        typed = event.character or ""
        if event.key == "enter" and not self.text:
            event.stop()
            event.prevent_default()
        elif typed in _JOINERS and not self.read_only:
            event.stop()
            event.prevent_default()
            self._replace_via_keyboard(typed, *self.selection)

    def get_cursor_left_location(self) -> Location:
        """Return the start of the cluster before the cursor."""
        return self._snapped(super().get_cursor_left_location())

    def get_cursor_right_location(self) -> Location:
        """Return the end of the cluster at the cursor."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        return (row, cluster_end(line, column)) if column < len(line) else super().get_cursor_right_location()

    def get_line(self, line_index: int) -> Text:
        """Return a line to draw."""
        return WholeText(self.document.get_line(line_index), end="", no_wrap=True)


class ChoiceSegments:
    """Choices of a segmented field: "unset" first, then the values; null last if it is allowed."""

    def __init__(self, asked: Field, value: FormValue) -> None:
        pairs: list[tuple[str, FormValue]] = [(UNSET_WORD, UNSET)]
        match asked:
            case BoolField():
                pairs += [("true", True), ("false", False)]
            case ConstField():
                pairs.append((_as_label(asked.value), asked.value))
            case ChoiceField():
                pairs += [(option.title, option.value) for option in asked.options]
            case _:
                pass
        listed = any(found is None for _, found in pairs)
        if (asked.nullable or value is None) and not listed:
            pairs.append(("null", None))
        self.labels = [label for label, _ in pairs]
        self.values = [found for _, found in pairs]

    def index_of(self, value: FormValue) -> int:
        """Return the index of a value; 0 if it is not offered."""
        if value is UNSET:
            return 0
        return next((at for at, found in enumerate(self.values) if found is not UNSET and same(found, value)), 0)


def _as_label(value: object) -> str:
    return value if isinstance(value, str) and value else json_text(value, indent=None)


def many(asked: ChoiceField) -> bool:
    """Whether there are too many options to show side by side."""
    cells = sum(len(option.title) + 5 for option in asked.options)
    return len(asked.options) > _MOST_SEGMENTS or cells > _SEGMENT_CELLS


def put_text(widget: Widget | None, text: str) -> None:
    """Type a text into an editor that was just focused."""
    if isinstance(widget, ValueLine) and "\n" in text:
        widget.post_message(events.Paste(text))
    elif isinstance(widget, Input):
        widget.insert_text_at_cursor(text)
    elif isinstance(widget, TextArea):
        widget.move_cursor(widget.document.end)
        widget.insert(text)
    elif isinstance(widget, Segments):
        for letter in text:
            widget.begin(letter)


def block_of(text: str, *, ghost: str, wrap: bool) -> BlockEdit:
    """Return a block without its own undo: the form undoes changes, as for all fields."""
    edit = BlockEdit(text, unset=True, wrap=wrap, undoes=False)
    edit.show_state(ghost)
    return edit


def run_of(before: str, text: str) -> str:
    """Return the kind of an edit, for undo: typing up to a space and consecutive deletions are each undone together."""
    more = len(text) - len(before)
    return "type" if more == 1 and not text[-1:].isspace() else "delete" if more == -1 else ""


def toggled(chosen: Sequence[int], index: int) -> list[int]:
    """Return the chosen indexes with one of them toggled."""
    return [each for each in chosen if each != index] if index in chosen else [*chosen, index]
