"""A few labels side by side to choose one from, or several with `multi`.

All choices are visible, including the state "unset". Each has a sign that shows whether it is chosen. Lines break at
the width.
"""

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.widget import Widget

from inspector.text import cell_width, visible
from inspector.tui import keys
from inspector.tui.theme import glyphs, role_styles
from inspector.tui.widgets.sent import Sent

_LONGEST = 40
"""Maximum length of a label, in characters."""
_SYNONYMS = {"true": ("yes",), "false": ("no",)}
"""Words that choose a label as well."""


class Segments(Widget, can_focus=True):
    """Labels to choose from. Posts `Chosen`; the owner then sets the choice with `choose`."""

    BINDINGS = keys.bindings(keys.ActionScope.FORM_CHOICE)
    COMPONENT_CLASSES: ClassVar[set[str]] = {"segments--chosen", "segments--cursor"}
    DEFAULT_CSS = """
    Segments {
        height: auto;
        width: 1fr;
        & > .segments--chosen { background: $panel; color: $accent; text-style: bold; }
        & > .segments--cursor { background: $block-cursor-background; color: $accent; text-style: bold; }
    }
    """
    ALLOW_SELECT = False

    class Chosen(Sent["Segments"]):
        """A label was chosen, or with `multi` toggled."""

        def __init__(self, control: "Segments", index: int, *, clicked: bool = False) -> None:
            super().__init__(control)
            self.index = index
            self.clicked = clicked
            """Whether by a click rather than by a key that moves to it."""

    class Typed(Sent["Segments"]):
        """A word that no label begins with; "" once it is erased."""

        def __init__(self, control: "Segments", text: str) -> None:
            super().__init__(control)
            self.text = text

    def __init__(
        self,
        labels: Sequence[str],
        chosen: Sequence[int] = (),
        *,
        multi: bool = False,
        faint: int = 0,
        tabs: bool = False,
        buttons: bool = False,
        letters: bool = True,
        states_typed: bool = True,
    ) -> None:
        """Offer `labels` (untrusted text); the first `faint` ones are states rather than values.

        `tabs` and `buttons` draw the labels as such instead of as choices. With `letters`, a letter chooses the
        label that begins with it, and letters without a match do not trigger other actions; without `states_typed`,
        the first `faint` labels are not chosen in this way.
        """
        super().__init__()
        self._labels = shown_labels(labels)
        self._chosen = set(chosen)
        self._multi = multi
        self._faint = faint
        self._typed_from = 0 if states_typed else faint
        self._tabs, self._buttons = tabs, buttons
        self._typed_at = letters and not tabs
        self._letters = letters and not tabs
        self._cursor = min(chosen, default=0)
        self._run = ""

    @property
    def chosen(self) -> tuple[int, ...]:
        """Indexes of the chosen labels."""
        return tuple(sorted(self._chosen))

    def choose(self, *indexes: int) -> None:
        """Mark these labels as chosen."""
        self._chosen = set(indexes)
        if not self._multi and indexes:
            self._cursor = indexes[0]
        self.refresh()

    def relabel(self, labels: Sequence[str]) -> None:
        """Replace the texts of the labels."""
        fresh = shown_labels(labels)
        if fresh != self._labels:
            self._labels = fresh
            self.refresh(layout=True)

    def _cells(self, index: int) -> str:
        on = index in self._chosen
        if self._buttons:
            return f"[{glyphs().cursor if on else ' '}{self._labels[index]} ]"
        if self._tabs:
            return f"{glyphs().closed if on else ' '} {self._labels[index]}"
        return segment(self._labels[index], on=on, multi=self._multi)

    def _rows(self, width: int) -> list[list[int]]:
        """Return the labels of each line, by index."""
        rows: list[list[int]] = [[]]
        used = 0
        for index in range(len(self._labels)):
            cells = cell_width(self._cells(index)) + 1
            if used and used + cells - 1 > width:
                rows.append([])
                used = 0
            rows[-1].append(index)
            used += cells
        return rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._rows(width))

    def render(self) -> Text:
        inks = role_styles(dark=self.app.current_theme.dark)
        lines = [
            Text(" ").join([Text(self._cells(index), self._style(index, inks["muted"])) for index in row])
            for row in self._rows(self.size.width)
        ]
        shown = Text("\n", no_wrap=True, end="").join(lines)
        return shown  # noqa: RET504 - a name makes clear that this is not a string, which would be parsed as markup

    def _style(self, index: int, muted: Style) -> Style:
        if self.has_focus and index == self._cursor:
            return self.get_component_rich_style("segments--cursor", partial=True)
        if index in self._chosen:
            if index < self._faint:
                return muted + Style(italic=True)
            return self.get_component_rich_style("segments--chosen", partial=True)
        return muted

    def action_step(self, by: int) -> None:
        """Move to the next label, which chooses it unless `multi` is set."""
        self._cursor = (self._cursor + by) % len(self._labels)
        self._run = ""
        self.refresh()
        if not self._multi:
            self.post_message(self.Chosen(self, self._cursor))

    def action_take(self) -> None:
        """Choose the label under the cursor, or toggle it. With a single choice, move to the next label instead."""
        if self._multi:
            self.post_message(self.Chosen(self, self._cursor))
        else:
            self.action_step(1)

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = 0
        rows = self._rows(self.size.width)
        for index in rows[event.y] if event.y < len(rows) else ():
            cells = cell_width(self._cells(index))
            if at <= event.x < at + cells:
                self._cursor = index
                self.refresh()
                self.post_message(self.Chosen(self, index, clicked=True))
            at += cells + 1

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Consume printable keys: between input fields, the user may expect to type."""
        return self._typed_at and keys.types(key, character)

    def on_key(self, event: events.Key) -> None:
        """Choose the label that begins with a letter."""
        letter = event.character
        if event.key == "backspace" and self._letters:
            event.stop()
            self._erase()
            return
        if not self._letters or letter is None or not letter.isprintable():
            return
        goes_on = self._run and (self._beginning(self._run + letter) or not self._beginning(self._run))
        if not letter.isalnum() and not goes_on:
            return
        event.stop()
        event.prevent_default()
        self.begin(letter)

    def begin(self, letter: str) -> None:
        """Choose the label that begins with what is typed. A letter that continues no label may begin another one.

        After a word that begins no label, further letters belong to that word, until it is erased.
        """
        word = self._run + letter
        begins = self._beginning(word)
        if not begins and self._may_begin_anew() and self._beginning(letter):
            word, begins = letter, self._beginning(letter)
        goes_on, self._run = len(word) > 1, word
        if not begins:
            self.post_message(self.Typed(self, word))
        elif not goes_on or self._cursor not in begins:
            if goes_on and self._multi:
                self.post_message(self.Chosen(self, self._cursor))  # the word was to be another label
            self._cursor = next((at for at in begins if at > self._cursor), begins[0])
            self.refresh()
            self.post_message(self.Chosen(self, self._cursor))

    def _may_begin_anew(self) -> bool:
        """Return whether the typed word is a letter of a label, or a whole label."""
        found = self._beginning(self._run)
        return bool(found) and (len(self._run) == 1 or any(self._run.lower() in self._words(at) for at in found))

    def _words(self, at: int) -> tuple[str, ...]:
        label = self._labels[at].lower()
        return (label, *_SYNONYMS.get(label, ()))

    def _erase(self) -> None:
        self._run = ""
        self.post_message(self.Typed(self, ""))

    def _beginning(self, text: str) -> list[int]:
        found = (
            at for at in range(len(self._labels)) if any(each.startswith(text.lower()) for each in self._words(at))
        )
        return [at for at in found if at >= self._typed_from]

    def on_focus(self) -> None:
        """Show the cursor. A letter typed earlier than the focus was set may have begun a word."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the cursor; the next word is another one."""
        self._run = ""
        self.refresh()


def shown_labels(labels: Sequence[str]) -> list[str]:
    """Return untrusted labels as they are shown."""
    return [visible(label, limit=_LONGEST) or '""' for label in labels]


def segment(label: str, *, on: bool, multi: bool) -> str:
    """Return a choice with its sign."""
    signs = (glyphs().note, glyphs().ok) if multi else (glyphs().disconnected, glyphs().connected)
    return f" {signs[on]} {label} "
