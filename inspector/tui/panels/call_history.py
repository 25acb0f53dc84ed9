"""The calls of one tool, or the reads of one resource, newest first: when, what came of it, how long, with what.

Live calls and recorded ones are the same thing here: exchanges of the conversation. A row reads its arguments from
the capture only when it is in sight. Calls of earlier conversations with the same server stay, with their arguments.
"""

from collections.abc import Callable

from inspector.forms.typed import json_text
from inspector.protocol.frames import Direction
from inspector.tui.panels.calls import Past
from inspector.tui.styles import glyphs
from inspector.tui.subject import Subject
from inspector.viewmodels import text, words
from inspector.viewmodels.lines import lay
from inspector.viewmodels.roles import Span
from inspector.viewmodels.rows import RowSource, RowView

_LAST = 1 << 53
"""Keys ascend from here backwards, because the rows descend."""
_PREVIEW = 200
"""Characters of the arguments."""
_MOST_KEPT = 500
"""Calls of a tool that outlive their conversation."""


class CallHistory:
    """All calls of a conversation, and of those before it, by the name of their tool. `take` looks at what is new."""

    def __init__(self, subject: Subject, method: str = "tools/call") -> None:
        """`method` names what counts as a call: another one has its uris or names in the place of tools."""
        self._subject = subject
        self._method = method
        self._seen = 0
        self._calls: dict[str, list[Past]] = {}

    def rebind(self, subject: Subject) -> None:
        """Go on with another conversation, before the old one's journal is closed: its calls are kept."""
        self.take()
        for name, calls in self._calls.items():
            self._calls[name] = calls[-_MOST_KEPT:]
            for call in self._calls[name]:
                call.keep()
        self._subject = subject
        self._seen = 0

    def take(self) -> bool:
        """Take in what was called since; whether there was anything."""
        journal = self._subject.journal
        exchanges = journal.conversation.exchanges
        count, before = len(exchanges), self._seen
        found = False
        for exchange in exchanges[before:count] if count > before else ():
            if exchange.method == self._method and exchange.sender is Direction.TO_SERVER:
                self._calls.setdefault(exchange.target, []).append(Past(journal, exchange))
                found = True
        self._seen = count
        return found

    @property
    def targets(self) -> tuple[str, ...]:
        """All names that were called, in the order of their first calls."""
        return tuple(self._calls)

    def of(self, name: str) -> list[Past]:
        """The calls of a tool, oldest first."""
        return self._calls.get(name, [])


class HistoryRows(RowSource):
    """The calls of one tool as rows, newest first."""

    def __init__(self, subject: Subject, calls: Callable[[], list[Past]]) -> None:
        self._subject = subject
        self._calls = calls

    @property
    def count(self) -> int:
        return len(self._calls())

    @property
    def generation(self) -> int:
        return len(self._calls())

    def call(self, index: int) -> Past:
        """The call in a row."""
        return self._calls()[-1 - index]

    def key(self, index: int) -> int:
        return _LAST - (self.count - index)

    def index_of(self, key: int) -> int:
        calls = self._calls()
        return next((at for at in range(len(calls)) if self.key(at) >= key), len(calls) - 1)

    def row(self, index: int, width: int) -> RowView:
        call = self.call(index)
        exchange = call.exchange
        live = self._subject.can_act and exchange.is_open and not call.is_earlier
        taken = exchange.duration_ns
        if taken is None and live:
            taken = max(0, self._subject.now_ns - exchange.started_ns)
        clock = text.clock(call.wall_ns)[:8]
        said, role = words.status(exchange, live=live)
        spans: list[Span] = [
            (f"{clock}  ", "faint"),
            (text.pad(said, 15), role),
            (text.pad("" if taken is None else text.human_duration(taken), 8, right=True) + "  ", "muted"),
            (_preview(call), "text"),
            (f"  {glyphs().note} earlier connection" if call.is_earlier else "", "faint"),
        ]
        return RowView(lay(spans, width), live=live)


def _preview(call: Past) -> str:
    if call.exchange.method == "resources/read":
        return text.visible(call.exchange.target, limit=_PREVIEW)
    arguments = call.arguments
    if arguments in (None, {}):
        return "no arguments"
    return text.visible(json_text(arguments, indent=None)[: _PREVIEW + 1], limit=_PREVIEW)
