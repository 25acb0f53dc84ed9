"""The calls of one tool, or the reads of one resource, newest first: when, what came of it, how long, with what.

Live calls and recorded ones are the same thing here: exchanges of the conversation. A row reads its arguments from
the capture only when it is in sight. Calls of earlier conversations with the same server stay, with their arguments.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import overload

from inspector.capture.journal import Journal
from inspector.forms.typed import json_text
from inspector.protocol.exchange_log import ExchangeLog
from inspector.protocol.exchange_table import FROM_SERVER, UNLISTED
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


class Calls(Sequence[Past]):
    """The calls of one tool, oldest first; those of this conversation are made when they are asked for."""

    def __init__(self, earlier: list[Past], numbers: "array[int]", journal: Journal) -> None:
        self._earlier = earlier
        self._numbers = numbers
        self._journal = journal
        self._made: dict[int, Past] = {}

    def __len__(self) -> int:
        return len(self._earlier) + len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Past: ...
    @overload
    def __getitem__(self, index: slice) -> list[Past]: ...
    def __getitem__(self, index: int | slice) -> Past | list[Past]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = range(len(self))[index] - len(self._earlier)
        if at < 0:
            return self._earlier[at]
        number = self._numbers[at]
        if number not in self._made:
            self._made[number] = Past(self._journal, self._journal.conversation.exchanges[number - 1])
        return self._made[number]

    def add(self, number: int) -> None:
        """There is one more: the exchange of that number."""
        self._numbers.append(number)

    def kept(self) -> list[Past]:
        """The newest of them, with what can't be read once the conversation is over."""
        found = self[-_MOST_KEPT:]
        for call in found:
            call.keep()
        return found


class CallHistory:
    """All calls of a conversation, and of those before it, by the name of their tool. `take` looks at what is new."""

    def __init__(self, subject: Subject, method: str = "tools/call") -> None:
        """`method` names what counts as a call: another one has its uris or names in the place of tools."""
        self._subject = subject
        self._method = method
        self._seen = 0
        self._calls: dict[str, Calls] = {}

    def rebind(self, subject: Subject) -> None:
        """Go on with another conversation, before the old one's journal is closed: its calls are kept."""
        self.take()
        journal = subject.journal
        self._calls = {name: Calls(calls.kept(), array("I"), journal) for name, calls in self._calls.items()}
        self._subject = subject
        self._seen = 0

    def take(self) -> bool:
        """Take in what was called since; whether there was anything."""
        journal = self._subject.journal
        exchanges = journal.conversation.exchanges
        count, before = len(exchanges), self._seen
        self._seen = count
        found = False
        for number in self._called(exchanges, before + 1, count) if count > before else ():
            target = exchanges.targets[number]
            name = exchanges.names[target] if target != UNLISTED else exchanges[number - 1].target
            if name not in self._calls:
                self._calls[name] = Calls([], array("I"), journal)
            self._calls[name].add(number)
            found = True
        return found

    def _called(self, exchanges: ExchangeLog, first: int, last: int) -> Iterator[int]:
        """Which exchanges of these are calls. Reads columns: there may be a million."""
        part = slice(first, last + 1)
        wanted = exchanges.names.index(self._method) if self._method in exchanges.names else UNLISTED
        columns = zip(range(first, last + 1), exchanges.methods[part], exchanges.states[part], strict=True)
        for number, method, bits in columns:
            if method == wanted and not bits & FROM_SERVER:
                if method != UNLISTED or exchanges[number - 1].method == self._method:
                    yield number

    @property
    def targets(self) -> tuple[str, ...]:
        """All names that were called, in the order of their first calls."""
        return tuple(self._calls)

    def of(self, name: str) -> Sequence[Past]:
        """The calls of a tool, oldest first."""
        return self._calls.get(name, [])


class HistoryRows(RowSource):
    """The calls of one tool as rows, newest first."""

    def __init__(self, subject: Subject, calls: Callable[[], Sequence[Past]]) -> None:
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
