"""The story of one operation over the whole screen, with the message of the chosen step, told on while it goes on.

Answers with an entry to go to.
"""

from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from inspector.present.trace import StoryRows, Trace, facts_said, markdown_of, story_of
from inspector.protocol.facts import SseNote, Stderr
from inspector.protocol.frames import Frame
from inspector.text import for_clipboard, human_size
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import OpenConversation
from inspector.tui.theme import spans_to_text
from inspector.tui.widgets.bars import FooterBar
from inspector.tui.widgets.dialogs import Dialog
from inspector.tui.widgets.payload import RAW, TREE, PayloadView
from inspector.tui.widgets.save import SaveScreen
from inspector.tui.widgets.virtual_list import LogList

_TELL_EVERY_S = 0.5
_TALL = 30
"""Rows from which on the message of the chosen step has room below."""


class StoryScreen(Dialog[int | None]):
    """Steps, and what crossed the wire with the chosen one."""

    places = (ActionScope.STORY, ActionScope.MOVING, ActionScope.JSON)
    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings(ActionScope.STORY),
        keys.binding(keys.action("help")),
    ]
    DEFAULT_CSS = """
    StoryScreen { layout: vertical; background: $background; }
    StoryScreen > #story-title { height: 1; padding: 0 2; color: $text-accent; text-style: bold; }
    StoryScreen > #story-facts { height: auto; max-height: 4; padding: 0 2; }
    StoryScreen > LogList { height: 1fr; }
    StoryScreen > PayloadView { height: 45%; border-top: solid $border-blurred; }
    StoryScreen.-low > PayloadView { display: none; }
    """

    def __init__(self, subject: OpenConversation, story: Trace, chosen: int) -> None:
        """Begin at the entry `chosen`."""
        super().__init__()
        self._subject = subject
        self._rows = StoryRows(story)
        self._begin_at = chosen
        self._count = subject.journal.count

    def compose(self) -> ComposeResult:
        """Title, facts, steps, message, keys."""
        yield Static(Text(f"Story of {self._rows.story.title}"), id="story-title")
        yield Static(id="story-facts")
        yield LogList(self._rows)
        yield PayloadView()
        yield FooterBar()

    def on_mount(self) -> None:
        """Begin with the step one comes from, and look whether there is more."""
        rows = self.query_one(LogList)
        rows.focus()
        rows.sync()
        steps = self._rows.story.steps
        rows.go_to(next((at for at, step in enumerate(steps) if step.n >= self._begin_at), 0))
        self._tell_facts()
        self.set_interval(_TELL_EVERY_S, self._go_on)

    def on_resize(self, event: events.Resize) -> None:
        """Show the message where there is height for it."""
        self.set_class(event.size.height < _TALL, "-low")

    def _go_on(self) -> None:
        journal, story = self._subject.journal, self._rows.story
        if not story.open or journal.count == self._count:
            return
        self._count = journal.count
        told = story_of(journal, story.first)
        if told is not None:
            self._rows.show(told)
            self.query_one(LogList).sync()
            self._tell_facts()

    def _tell_facts(self) -> None:
        said = spans_to_text(facts_said(self._rows.story.facts), dark=self.app.current_theme.dark)
        said.no_wrap = False
        self.query_one("#story-facts", Static).update(said)

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        """Show the message of the step."""
        message.stop()
        step = self._rows.step(message.index)
        if step is None:
            return
        what = self._subject.journal.store.entry(step.n).what
        payload = what.payload if isinstance(what, Frame | Stderr) else what.raw if isinstance(what, SseNote) else b""
        size = human_size(len(payload)) if payload else "no bytes of its own"
        tab = TREE if isinstance(what, Frame) else RAW
        self.query_one(PayloadView).show([(step.title, "strong")], [(size, "muted")], payload, tab)

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Go to the step in the traffic."""
        message.stop()
        step = self._rows.step(message.index)
        if step is not None:
            self.dismiss(step.n)

    def action_save(self) -> None:
        """Save it as Markdown."""
        told = markdown_of(self._rows.story, self._subject.journal)
        self.app.push_screen(SaveScreen(told.encode(), f"story-{self._rows.story.first}.md"))

    def action_copy_story(self) -> None:
        """Copy it as Markdown."""
        told, _ = for_clipboard(markdown_of(self._rows.story, self._subject.journal))
        self.app.copy_to_clipboard(told)
        self.notify("The story is copied as Markdown.", markup=False, timeout=3)

    def action_leave(self) -> None:
        """Back to the list."""
        self.dismiss(None)
