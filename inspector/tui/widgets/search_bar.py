"""One line to filter or to search with: a label, what is typed, how much it matches, and what is wrong with it.

It shows what was typed once the typist pauses, and knows nothing of what is searched; the searcher responds
with `say_count` or `say_error`. Escape clears the line first and leaves it only when it is empty.
"""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Label

from inspector.text import one_line
from inspector.tui import keys
from inspector.tui.theme import glyphs
from inspector.tui.widgets.schema_form.editors import ClusterInput

_PAUSE = 0.12
"""Seconds without a key after which what was typed is told."""


class SearchLine(ClusterInput):
    """The field. Its keys go to the bar where they mean something else than typing."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.ActionScope.SEARCH)

    def __init__(self, placeholder: str) -> None:
        super().__init__(placeholder=placeholder, compact=True, select_on_focus=False)
        self.cursor_blink = False  # a blinking cursor writes to the terminal all day

    async def _on_key(self, event: events.Key) -> None:
        """Take what is typed; in an empty line a question mark asks for help, as it does where nothing is typed."""
        if event.character == "?" and not self.value:
            event.stop()
            event.prevent_default()
            await self.run_action("app.help")

    def action_leave(self) -> None:
        """Clear, or leave."""
        if self.value:
            self.value = ""
        else:
            self.post_message(SearchBar.Left())

    def action_done(self) -> None:
        """Go to what was found."""
        self.post_message(SearchBar.Found())


class SearchBar(Widget):
    """A line to type into; hidden by its owner when it is not needed."""

    DEFAULT_CSS = """
    SearchBar {
        height: auto;
        background: $surface;
        padding: 0 1;
        & > Horizontal { height: 1; }
        & .search--label { width: auto; color: $accent; padding-right: 1; }
        & .search--count { width: auto; color: $text-muted; padding-left: 1; }
        & .search--count.-none { color: $text-warning; }
        & .search--error { display: none; width: 1fr; height: auto; color: $text-error; }
        & SearchLine { width: 1fr; background: $surface; color: $foreground; }
        & SearchLine:focus { background-tint: transparent; }
        & SearchLine > .input--selection { text-style: reverse; }
        & SearchLine > .input--placeholder { color: $text-disabled; }
        &.-wrong .search--error { display: block; }
        &.-wrong SearchLine { text-style: underline; }
    }
    """

    class Changed(Message):
        """The typist has paused, or the text was set."""

        def __init__(self, control: "SearchBar", text: str) -> None:
            super().__init__()
            self._control = control
            self.text = text
            """What is searched; "" for everything."""

        @property
        def control(self) -> "SearchBar":
            """The bar it comes from."""
            return self._control

    class Done(Message):
        """The reader wants back to what is searched."""

        def __init__(self, control: "SearchBar", found: bool) -> None:
            super().__init__()
            self._control = control
            self.found = found
            """True after Enter: to what was found. False after Escape."""

        @property
        def control(self) -> "SearchBar":
            """The bar it comes from."""
            return self._control

    class Left(Message):
        """From the field to its bar: Escape in an empty line."""

    class Found(Message):
        """From the field to its bar: Enter."""

    def __init__(
        self,
        label: str,
        *,
        placeholder: str = "",
        id: str | None = None,  # noqa: A002 - Textual's word
        classes: str | None = None,
    ) -> None:
        """`label` and `placeholder` are our own words."""
        super().__init__(id=id, classes=classes)
        self._label = label
        self._line = self.make_line(placeholder)
        self._timer: Timer | None = None
        self._told = ""

    def make_line(self, placeholder: str) -> SearchLine:
        """Make the field; a bar with more to offer makes another."""
        return SearchLine(placeholder)

    def compose(self) -> ComposeResult:
        """Put the parts in a row, the error under them."""
        with Horizontal():
            yield Label(Content(self._label), classes="search--label")
            yield self._line
            yield Label("", classes="search--count")
        yield Label("", classes="search--error")

    @property
    def text(self) -> str:
        """What is in the line."""
        return self._line.value

    @text.setter
    def text(self, text: str) -> None:
        self._line.value = text
        self._tell()

    def focus(self, scroll_visible: bool = True) -> "SearchBar":
        """Let keys go to the line; as soon as it is there."""
        if self._line.is_attached:  # at once: what is typed right after the key that opens it is meant for it
            self.screen.set_focus(self._line, scroll_visible)
        else:
            self.call_after_refresh(self._line.focus, scroll_visible)
        return self

    def select_all(self) -> None:
        """Let what is typed next take the place of what is in the line."""
        self._line.select_all()

    def say_count(self, count: int | None, *, of: int | None = None) -> None:
        """Show how much matches; None shows nothing. Clears an error."""
        self._say("", error=True)
        if count is None:
            self._say("")
            return
        sign = glyphs().ok if count else glyphs().warning
        total = "" if of is None else f" of {of:,}"
        self._say(f"{sign} {count:,}{total}", none=count == 0)

    def say_error(self, sentence: str) -> None:
        """Show why the text cannot be used; what was searched before stays in effect."""
        self._say("")
        self._say(f"{glyphs().error} {sentence}", error=True)

    def _say(self, text: str, *, error: bool = False, none: bool = False) -> None:
        label = self.query_one(".search--error" if error else ".search--count", Label)
        label.update(Content(one_line(text, 400)))
        label.set_class(none, "-none")
        if error:
            self.set_class(bool(text), "-wrong")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Wait for a pause; an emptied line is told at once."""
        event.stop()
        if self._timer is not None:
            self._timer.stop()
        if event.value:
            self._timer = self.set_timer(_PAUSE, self._tell)
        else:
            self._tell()

    def _tell(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        if self.text != self._told:
            self._told = self.text
            self.post_message(self.Changed(self, self.text))

    def on_search_bar_found(self, event: Found) -> None:
        """Report what was typed without waiting, and go there."""
        event.stop()
        self._tell()
        self.post_message(self.Done(self, True))

    def on_search_bar_left(self, event: Left) -> None:
        """Give the keys back."""
        event.stop()
        self.post_message(self.Done(self, False))
