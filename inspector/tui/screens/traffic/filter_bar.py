"""Input line for filters, with syntax colours, error position and completions.

It parses its text on each key with injected functions and reports it once the user pauses; an invalid filter is not
reported. Enter does nothing while the filter is invalid.
"""

from collections.abc import Callable, Sequence

from rich.highlighter import Highlighter
from rich.text import Text
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Input

from inspector.filters.language.completion import Suggestion, Suggestions
from inspector.present.spans import Span
from inspector.text import one_line, visible
from inspector.tui import keys
from inspector.tui.screens.traffic.filter_model import FilterReading, colours
from inspector.tui.theme import glyphs, role_styles
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.search_bar import SearchBar, SearchLine

_PLACEHOLDER = "text, or tool == search and dur > 500ms"
_PROPOSED = 8
"""Maximum number of completions shown at once."""


class FilterLine(SearchLine):
    """The input field."""

    BINDINGS = keys.bindings("Filter field")

    class Asked(Message):
        """Request of the field to its bar: "complete", "turn" or "older"."""

        def __init__(self, what: str) -> None:
            super().__init__()
            self.what = what

    def action_complete(self) -> None:
        """Insert the first completion, or show possible beginnings of a filter; without any, focus the next pane."""
        self.post_message(self.Asked("complete"))

    def action_turn(self, by: int) -> None:
        """Make the next completion the first one."""
        self.post_message(self.Asked("turn"))

    def action_older(self) -> None:
        """Recall an earlier filter."""
        self.post_message(self.Asked("older"))


class FilterBar(SearchBar):
    """Input line for a filter."""

    DEFAULT_CSS = """
    FilterBar > StatusLine { background: $surface; padding: 0; display: none; }
    FilterBar.-hinting > StatusLine { display: block; }
    """

    class Kept(Message):
        """The user has confirmed a filter: it is remembered, and saved if it defines a name."""

        def __init__(self, reading: FilterReading, text: str) -> None:
            super().__init__()
            self.reading = reading
            self.text = text

    def __init__(
        self,
        read: Callable[[str], FilterReading],
        propose: Callable[[str], Suggestions],
        recall: Callable[[], Sequence[str]],
    ) -> None:
        """`read` parses a text, `propose` completes a prefix, `recall` returns earlier filters, the newest last."""
        super().__init__("filter", placeholder=_PLACEHOLDER, grows=True)
        self._read = read
        self._propose = propose
        self._recall = recall
        self._proposals = Suggestions(0)
        self._turned = 0
        self._back = 0
        """Position in the history of filters; 0 is the user's own text."""
        self._typed = ""
        self.reading = FilterReading()
        """The parsed text of the line."""

    def make_line(self, placeholder: str) -> SearchLine:
        """Create a field with syntax colours."""
        line = FilterLine(placeholder)
        line.highlighter = _Colours(self)
        return line

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield StatusLine()

    @property
    def error(self) -> str:
        """Error in the text; "" if there is none."""
        return self.reading.error

    def on_input_changed(self, event: Input.Changed) -> None:
        """Parse at once. Textual also calls the base class's handler, which reports the text after a pause."""
        self.look()

    def look(self) -> None:
        """Parse the text, and show errors and completions."""
        self.reading = self._read(self.text)
        before = self.text[: self._line.cursor_position]
        self._proposals = self._propose(before) if self._line.has_focus and before else Suggestions(0)
        self._turned = 0
        self._hint()

    def _hint(self) -> None:
        items = self._items()
        word = self.text[self._proposals.start : self._line.cursor_position]
        going_on = bool(items) and items[0].text != word
        wrong = bool(self.error) and not (
            going_on and self.reading.column >= len(self.text[: self._proposals.start].rstrip())
        )
        self.set_class(wrong, "-wrong")
        self._say(f"{glyphs().error} {self.error}" if wrong else "", error=True)
        spans = _proposed(items) if going_on and not wrong else self._in_full()
        self.set_class(bool(spans), "-hinting")
        self.query_one(StatusLine).show(*spans or ([], []))

    def _in_full(self) -> tuple[list[Span], list[Span]] | None:
        reading = self.reading
        if reading.saves:
            what = f"Enter saves it as @{reading.saves}" if reading.body else f"Enter deletes @{reading.saves}"
            return [(what, "muted")], []
        full = one_line(reading.full, 300)
        differs = full.strip('"') != self.text.strip().strip('"')
        return ([("= ", "faint"), (full, "muted")], []) if full and differs and self._line.has_focus else None

    def _items(self) -> Sequence[Suggestion]:
        items = self._proposals.items
        turned = self._turned % len(items) if items else 0
        return (*items[turned:], *items[:turned])

    def show_count(self, count: int | None, *, of: int | None = None) -> None:
        """Show the number of matches, unless the text is invalid."""
        if self.has_class("-wrong"):
            return
        super().show_count(count, of=of)

    def on_filter_line_asked(self, event: FilterLine.Asked) -> None:
        """Handle a request of the field."""
        event.stop()
        match event.what:
            case "complete":
                self._complete()
            case "turn":
                self._turned += 1
                self._hint()
            case _:
                self._older()

    def _complete(self) -> None:
        if not self.text:  # keep the focus: the letters that follow belong to the line
            self._proposals = self._propose("")
            self._hint()
            return
        items = self._items()
        if not items:
            self.app.bell()
            return
        start, cursor = self._proposals.start, self._line.cursor_position
        text = items[0].text
        rest = self.text[cursor:]
        space = "" if rest.startswith((" ", ")")) or text.endswith("{") else " "
        self._line.value = self.text[:start] + text + space + rest
        self._line.cursor_position = start + len(text) + len(space)
        self.look()

    def _older(self) -> None:
        used = self._recall()
        if not self._back:
            self._typed = self.text
        self._back = (self._back + 1) % (len(used) + 1)
        self._line.value = used[-self._back] if self._back else self._typed
        self._line.cursor_position = len(self._line.value)

    def on_search_bar_found(self, event: SearchBar.Found) -> None:
        """Report a confirmed filter, or keep the focus if it is invalid. Textual also calls the base handler."""
        self.look()
        if self.error:
            event.stop()
            event.prevent_default()
            self._proposals = Suggestions(0)
            self._hint()
            return
        self._back = 0
        if self.text:
            self.post_message(self.Kept(self.reading, self.text))


class _Colours(Highlighter):
    """Colours the text by its tokens, and marks the position of an error."""

    def __init__(self, bar: FilterBar) -> None:
        self._bar = bar

    def highlight(self, text: Text) -> None:
        """Add the styles."""
        styles, reading = role_styles(dark=self._bar.app.current_theme.dark), self._bar.reading
        for start, end, role in colours(text.plain):
            text.stylize(styles[role], start, end)
        if reading.error and text.plain and self._bar.has_class("-wrong"):
            at = min(reading.column, len(text.plain) - 1)
            text.stylize(styles["error"], at)
            text.stylize("reverse", at, at + 1)


def _proposed(items: Sequence[Suggestion]) -> tuple[list[Span], list[Span]]:
    first, *others = items
    left: list[Span] = [("Tab ", "faint"), (visible(first.text, limit=60), "accent")]
    left += [("  " + visible(other.text, limit=40), "muted") for other in others[: _PROPOSED - 1]]
    if len(items) > _PROPOSED:
        left.append((f"  and {len(items) - _PROPOSED} more", "faint"))
    return left, [(first.help, "faint")]
