"""What the server proposes for the argument that is being typed: asked for when the typist pauses, taken by a key.

A server that does not complete says so once and is not asked again. An answer that comes after the next question has
gone out is dropped. What is proposed is foreign: it is shown made safe, and taken as it came.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from textual import work
from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from inspector.errors import InspectError
from inspector.protocol.flows.steps import Replied
from inspector.protocol.jsonrpc import Answer
from inspector.tui import keys
from inspector.tui.subject import Stage, Subject
from inspector.tui.widgets.log_list import LogList
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.completion import NOT_SUPPORTED, Completion, completion_failed, completion_of
from inspector.viewmodels.lines import span
from inspector.viewmodels.rows import RowSource, RowView

PAUSE: Final = 0.15
"""Seconds without a change after which the server is asked."""
_ROWS: Final = 5
"""Values in sight at once."""


class Wanted(msgspec.Struct, frozen=True):
    """What is to be completed."""

    reference: dict[str, Any]
    """The prompt or template, as the specification refers to it."""
    name: str
    """Of the argument."""
    value: str
    """What has been typed of it."""
    others: dict[str, str]
    """The other arguments, as far as they are known."""


class _Values(RowSource):
    """Values as rows. A server may send ten thousand at once, and a few are in sight."""

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values

    @property
    def count(self) -> int:
        return len(self._values)

    def row(self, index: int, width: int) -> RowView:
        return RowView((span(self._values[index], "text", limit=300),))


class Completions(Widget):
    """A short list of values below a form; not there while there is nothing to say."""

    DEFAULT_CSS = """
    Completions { height: auto; width: 1fr; display: none; }
    Completions.-shown { display: block; }
    Completions > LogList { height: 0; }
    """

    class Taken(Message):
        """A value was chosen; as it came."""

        def __init__(self, value: str) -> None:
            super().__init__()
            self.value = value

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self._subject = subject
        self._wanted: Wanted | None = None
        self._found = Completion()
        self._taken = -1
        self._silent = False
        """Whether the server is known not to complete."""
        self._timer: Timer | None = None
        self._line = StatusLine()
        self._list = LogList(_Values(()))

    def compose(self) -> ComposeResult:
        """A word on what there is, and the values."""
        yield self._line
        yield self._list

    def rebind(self, subject: Subject) -> None:
        """Ask another conversation from now on."""
        self._subject = subject
        self._silent = False
        self.consider(None)

    def consider(self, wanted: Wanted | None) -> None:
        """Something else is being typed, or nothing that could be completed."""
        if wanted == self._wanted:
            return
        taken = self._found.values[self._taken] if self._taken >= 0 else None
        before, self._wanted = self._wanted, wanted
        if wanted and before and (wanted.name, wanted.value) == (before.name, taken):
            return
        if self._timer is not None:
            self._timer.stop()
        if wanted is None or self._silent or self._subject.stage is not Stage.OPEN or not self._subject.can_act:
            self._show(Completion())
        else:
            self._timer = self.set_timer(PAUSE, lambda: self._ask(wanted))

    @work(exclusive=True, group="completion")
    async def _ask(self, wanted: Wanted) -> None:
        found = await self._answer(wanted)
        if self._wanted == wanted:
            self._show(found)

    async def _answer(self, wanted: Wanted) -> Completion:
        opening = self._subject.opening
        features = opening.revision.features if opening else frozenset()
        if opening and "completions capability" in features and "completions" not in opening.capabilities:
            return NOT_SUPPORTED
        params: dict[str, Any] = {
            "ref": wanted.reference,
            "argument": {"name": wanted.name, "value": wanted.value},
        }
        if "completion context" in features and wanted.others:
            params["context"] = {"arguments": wanted.others}
        try:
            called = await self._subject.call("completion/complete", params, lambda exchange: None)
        except InspectError as error:
            return Completion(note=(span(f"not completed: {error}", "warning", limit=300),))
        if not isinstance(called.reply, Replied):
            return Completion(note=(("not completed: no answer came", "warning"),))
        message = called.reply.message
        return completion_of(message.result) if isinstance(message, Answer) else completion_failed(message.error)

    def _show(self, found: Completion) -> None:
        self._found, self._taken = found, -1
        self._silent = self._silent or not found.supported
        rows = self._list.source = _Values(found.values)
        self._list.go_to(0)
        self._list.styles.height = min(rows.count, _ROWS)
        either = keys.action("resources.complete").key_text.replace("  ", " or ")
        key = [(f"{either} takes one", "faint")] if rows.count else []
        self._line.show(list(found.note), key)  # type: ignore[arg-type]
        self.set_class(bool(found.note), "-shown")

    def take_next(self) -> str | None:
        """The next value, beginning again after the last; None if there is none."""
        values = self._found.values
        if not values:
            return None
        self._taken = (self._taken + 1) % len(values)
        self._list.go_to(self._taken)
        return values[self._taken]

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Take the value under the cursor."""
        event.stop()
        self._taken = event.index
        self.post_message(self.Taken(self._found.values[event.index]))

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Nothing depends on where the cursor is."""
        event.stop()
