"""An input line for filtering or searching: a label, the input, the number of matches, and an error.

It reports the input once the user pauses. The search itself is up to the owner, who responds with `show_count` or
`show_error`. Escape clears the line and leaves it. Tab stays, and Enter too if nothing matches: in the list behind the
line, what is typed next would act.
"""

from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Label

from inspector.text import one_line
from inspector.tui import keys
from inspector.tui.input_queue import forget_postponed, hold_keys, is_typed_ahead, postpone, release_keys
from inspector.tui.theme import glyphs
from inspector.tui.widgets.schema_form.editors import ClusterInput
from inspector.tui.widgets.sent import Sent

NO_FILTER = "No filter is set."
"""What clearing a filter says where there is none."""
_PAUSE = 0.12
"""Pause in typing, in seconds, after which the input is reported."""


class SearchLine(ClusterInput):
    """The input field. Keys that do not type anything are handled by the bar."""

    IS_SEARCH: ClassVar[bool] = True
    """Whether keys in it move through the list beside it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings(keys.ActionScope.SEARCH),
        Binding("tab,shift+tab", "stay", show=False),
    ]

    def __init__(self, placeholder: str) -> None:
        super().__init__(placeholder=placeholder, compact=True, select_on_focus=False)
        self.cursor_blink = False  # a blinking cursor keeps writing to the terminal
        self.found_nothing = False
        """Whether nothing matches the text: keys typed ahead then act nowhere else."""

    async def _on_key(self, event: events.Key) -> None:
        """Handle typing. In an empty line, a question mark opens the help, as it does outside of fields."""
        if event.character == "?" and not self.value:
            event.stop()
            event.prevent_default()
            await self.run_action("app.help")

    def action_stay(self) -> None:
        """Keep the focus: there is nothing to complete."""
        self.app.bell()

    def action_leave(self) -> None:
        """Clear the line, and leave it."""
        self.post_message(SearchBar.Left())

    def action_done(self) -> None:
        """Go to the matches."""
        self.post_message(SearchBar.Found())


class SearchBar(Widget):
    """A line to type into; its owner hides it while it is not needed."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text("utf-8")

    class Changed(Sent["SearchBar"]):
        """The user has paused typing, or the text was set."""

        def __init__(self, control: "SearchBar", text: str) -> None:
            super().__init__(control)
            self.text = text
            """Text to search for; "" matches everything."""

    class Done(Sent["SearchBar"]):
        """The user leaves the line for the content that is searched."""

        def __init__(self, control: "SearchBar", found: bool) -> None:
            super().__init__(control)
            self.found = found
            """True after Enter: go to the matches. False after Escape."""

    class Left(Message):
        """From the field to its bar: Escape."""

    class Found(Message):
        """From the field to its bar: Enter."""

    def __init__(self, label: str, *, placeholder: str = "", grows: bool = False) -> None:
        """`label` and `placeholder` are trusted text.

        `grows`: what is searched may match later. Then a second Enter leaves the line although nothing matches.
        """
        super().__init__()
        self._grows = grows
        self._matches: int | None = None
        """Number of matches of the text; None if it is unknown."""
        self._stays = False
        """Whether Enter was pressed although nothing matches."""
        self._label = label
        self._line = self.make_line(placeholder)
        self._count, self._error = Label("", classes="search--count"), Label("", classes="search--error")
        self._reported = ""
        self._total: int | None = None
        """Number of what is searched; None if it is not shown."""

    def make_line(self, placeholder: str) -> SearchLine:
        """Create the field; subclasses may create another one."""
        return SearchLine(placeholder)

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Label(Content(self._label), classes="search--label")
            yield self._line
            yield self._count
        yield self._error

    @property
    def text(self) -> str:
        return self._line.value

    @text.setter
    def text(self, text: str) -> None:
        self._line.value = text
        self._line.cursor_position = len(text)
        self._tell()

    def focus(self, scroll_visible: bool = True) -> "SearchBar":
        """Focus the line, as soon as it is mounted."""
        if self._line.is_attached:  # at once: the next key after the one that opens it belongs to it
            self.screen.set_focus(self._line, scroll_visible)
        else:
            hold_keys(self)
            self.call_after_refresh(self._focus_line, scroll_visible)
        return self

    def _focus_line(self, scroll_visible: bool) -> None:
        self._line.focus(scroll_visible)
        release_keys(self)

    def select_all(self) -> None:
        """Select the text, so that typing replaces it."""
        self._line.select_all()

    def show_count(self, count: int | None, *, of: int | None = None) -> None:
        """Show the number of matches; None shows nothing. Clears an error."""
        self._total = of
        self._matches = count
        self._line.found_nothing = count == 0
        stays = self._stays and count == 0
        self._say(self._ways_out() if stays else "", error=True, stays=stays)
        if count is None:
            self._say("")
            return
        sign = glyphs().ok if count else glyphs().warning
        total = "" if of is None else f" of {of:,}"
        self._say(f"{sign} {count:,}{total}", none=count == 0)

    def _ways_out(self) -> str:
        again = f"{keys.shown_key('search.done')} again keeps it, " if self._grows else ""
        return f"No match: {again}{keys.shown_key('search.leave')} clears"

    def show_error(self, sentence: str) -> None:
        """Show why the text cannot be used; the previous search stays in effect."""
        self._say("")
        self._say(f"{glyphs().error} {sentence}", error=True)

    def _say(self, text: str, *, error: bool = False, none: bool = False, stays: bool = False) -> None:
        if not self._line.is_attached:  # a list may arrive before the bar is composed
            self.call_after_refresh(self._say, text, error=error, none=none, stays=stays)
            return
        label = self._error if error else self._count
        label.update(Content(one_line(text, 400)))
        label.set_class(none, "-none")
        if error:
            self.set_class(bool(text) and not stays, "-wrong")
            self.set_class(stays, "-stays")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Wait for a pause before reporting; an emptied line is reported at once."""
        event.stop()
        if event.value:
            postpone(self, _PAUSE, self._tell)
        else:
            self._tell()

    def _tell(self) -> None:
        forget_postponed(self)
        if self.text != self._reported:
            self._reported = self.text
            self._matches, self._stays = None, False
            self._line.found_nothing = False
            self.post_message(self.Changed(self, self.text))

    def on_search_bar_found(self, event: Found) -> None:
        """Report the text without waiting, and go to the matches. Without a match, the keys that follow stay here."""
        event.stop()
        self._tell()
        if self._matches == 0 and not (self._grows and self._stays and not is_typed_ahead(self)):
            self._stays = True
            self.show_count(0, of=self._total)
            self.app.bell()
            return
        self.post_message(self.Done(self, True))

    def on_search_bar_left(self, event: Left) -> None:
        """Clear the line, and report that the user leaves it.

        What was typed last is searched first, without a pause: the cursor ends at the same row at any speed.
        """
        event.stop()
        self._tell()
        self.text = ""
        self.post_message(self.Done(self, False))
