"""The editors of single values: a line, a block of text, JSON, and a line that opens a long list of choices.

An editor shows a text and posts what is typed; what the text means is its field's business.
"""

from textual.actions import SkipAction
from textual.widgets import Input
from textual.widgets.input import Selection

from inspector.forms.fields import UNSET, BoolField, ChoiceField, ConstField, Opened, TextField
from inspector.forms.typed import json_text, same
from inspector.forms.values import FormValue
from inspector.tui.widgets.cluster_edit import ClusterArea, ClusterInput
from inspector.tui.widgets.segments import Segments

UNSET_WORD = "unset"
EMPTY_WORD = 'empty text ""'
_MOST_SEGMENTS = 12
_SEGMENT_CELLS = 150
"""Together; more would take too many lines."""


class LineEdit(ClusterInput):
    """One line of text. A focus selects nothing, so that a stray key destroys nothing."""

    DEFAULT_CSS = """
    LineEdit, LineEdit.-textual-compact { background: $panel; border: none; height: 1; padding: 0 1; width: 1fr; }
    LineEdit:focus, LineEdit.-textual-compact:focus {
        background: $block-cursor-background; background-tint: transparent;
    }
    LineEdit > .input--selection { text-style: reverse; }
    LineEdit > .input--placeholder { color: $text-disabled; text-style: italic; }
    """

    def __init__(self, text: str, *, unset: bool, secret: bool = False) -> None:
        super().__init__(text, password=secret, compact=True, select_on_focus=False)
        self.cursor_blink = False
        self.set_reactive(Input.selection, Selection.cursor(len(text)))
        self.say(unset=unset)

    @property
    def written(self) -> str:
        """What stands in it now."""
        return self.value

    def say(self, *, unset: bool) -> None:
        """Say what an empty line stands for: nothing, or the empty text."""
        self.placeholder = UNSET_WORD if unset else EMPTY_WORD


class BlockEdit(ClusterArea):
    """Several lines. Tab goes on to the next field."""

    DEFAULT_CSS = """
    BlockEdit, BlockEdit.-textual-compact {
        background: $panel; border: none; height: auto; min-height: 3; max-height: 10; padding: 0 1;
    }
    BlockEdit:focus { background: $block-cursor-background; background-tint: transparent; border: none; }
    BlockEdit .text-area--placeholder { color: $text-disabled; text-style: italic; }
    BlockEdit .text-area--cursor-line { background: transparent; }
    """

    def __init__(self, text: str, *, unset: bool, wrap: bool = True, undoes: bool = True) -> None:
        """`undoes`: it has an undo of its own; else `ctrl+z` is left to what it stands in."""
        super().__init__(text, soft_wrap=wrap, compact=True, tab_behavior="focus", highlight_cursor_line=False)
        self.cursor_blink = False
        self._undoes = undoes
        self.say(unset=unset)

    def action_undo(self) -> None:
        """Undo the last edit."""
        if not self._undoes:
            raise SkipAction
        super().action_undo()

    def action_redo(self) -> None:
        """Redo the last edit that was undone."""
        if not self._undoes:
            raise SkipAction
        super().action_redo()

    @property
    def written(self) -> str:
        """What stands in it now."""
        return self.text

    def say(self, *, unset: bool) -> None:
        """Say what an empty text stands for."""
        self.placeholder = UNSET_WORD if unset else EMPTY_WORD


def in_a_line(asked: TextField, value: FormValue) -> bool:
    """Whether a text is edited in one line."""
    return not asked.multiline and not (isinstance(value, str) and ("\n" in value or len(value) > 2000))


class Options:
    """What a segmented choice offers: "unset" first, then the values, null last where it is allowed."""

    def __init__(self, asked: Opened, value: FormValue) -> None:
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
        """Where a value stands; 0 for one that is not offered."""
        if value is UNSET:
            return 0
        return next((at for at, found in enumerate(self.values) if found is not UNSET and same(found, value)), 0)

    def segments(self, value: FormValue) -> Segments:
        """The widget."""
        return Segments(self.labels, (self.index_of(value),), faint=1)


def _as_label(value: object) -> str:
    return value if isinstance(value, str) and value else json_text(value, indent=None)


def many(asked: ChoiceField) -> bool:
    """Whether there are too many options to show side by side."""
    cells = sum(len(option.title) + 5 for option in asked.options)
    return len(asked.options) > _MOST_SEGMENTS or cells > _SEGMENT_CELLS
