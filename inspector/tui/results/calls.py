"""Requests for an item: sending them, the time left until they time out, and the history of earlier ones.

Several may run at once. Each ends with a readable outcome, whatever happens to it.
"""

import math
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import msgspec

from inspector import text
from inspector.capture.journal import Journal
from inspector.errors import InspectError
from inspector.forms.fields import UNSET
from inspector.forms.typed import json_text
from inspector.present import words
from inspector.present.calls import PastCall
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Role, Span, lay
from inspector.protocol.exchange_log import FROM_SERVER, UNLISTED, ExchangeLog
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Broken
from inspector.protocol.listed_items import ListedItem, Tool
from inspector.session.waiting import Left
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.theme import glyphs

_SHORT_S = 10
"""With fewer seconds left, a timeout is shown as a warning."""

_LAST = 1 << 53
"""Row keys count down from here: keys must ascend, but the newest call is first."""

_PREVIEW = 200
"""Characters of the arguments that a row shows."""

_MOST_KEPT = 500
"""Calls of a tool that are kept after their connection ends."""


@dataclass(slots=True, eq=False)
class RunningCall:
    """A request made by the user: a tool call, a resource read or a prompt request."""

    item: ListedItem
    """Requested item."""
    arguments: Any
    journal: Journal
    exchange: Exchange | None = None
    """Exchange of the request; None until it is sent."""
    called: Called | None = None
    """Outcome; None while it runs."""
    over: bool = False
    cancelling: bool = False
    method: str = "tools/call"
    params: Any = None
    """Params to send; None: built from the tool's name and the arguments."""
    as_task: bool = False
    """Whether to ask the server to run it as a task."""
    begun_ns: int = field(default_factory=time.monotonic_ns)
    """Start time on the monotonic clock."""


class Calling:
    """Requests that a panel makes in one conversation."""

    def __init__(self, conversation: OpenConversation) -> None:
        self._conversation = conversation
        self.running: list[RunningCall] = []
        """Running requests, oldest first."""
        self._confirmed: set[str] = set()

    def why_not(self) -> str:
        """Why no request can be made now, in a few words; "" if one can."""
        if not self._conversation.can_act:
            return f"captures are read-only; {keys.shown_key('traffic.resend')} in Traffic resends"
        match self._conversation.stage:
            case ConversationStage.OPEN:
                return ""
            case ConversationStage.CONNECTING | ConversationStage.LOADING:
                return "still connecting"
            case ConversationStage.CLOSED | ConversationStage.FAILED | ConversationStage.RECORDED:
                return f"not connected ({keys.shown_key('reconnect')} reconnects)"

    def must_ask(self, tool: Tool) -> bool:
        """Return whether the user must confirm first: once for each tool that declares itself destructive."""
        return tool.destructive and tool.name not in self._confirmed

    def confirmed(self, tool: Tool) -> None:
        """Note that the user has confirmed calls of the tool."""
        self._confirmed.add(tool.name)

    @property
    def newest(self) -> RunningCall | None:
        """The running request that was made last."""
        return self.running[-1] if self.running else None

    def of(self, item: ListedItem | None) -> RunningCall | None:
        """Return the newest running request for an item."""
        calls = reversed(self.running)
        return next((call for call in calls if item is not None and call.item.key == item.key), None)

    def begin(
        self,
        item: ListedItem,
        arguments: object,
        method: str = "tools/call",
        params: Any = None,
        *,
        as_task: bool = False,
    ) -> RunningCall:
        """Register a request that is about to be made; `as_task` asks the server to run it as a task."""
        call = RunningCall(item, arguments, self._conversation.journal, method=method, params=params, as_task=as_task)
        self.running.append(call)
        return call

    async def make(self, call: RunningCall) -> RunningCall:
        """Send the request and wait for its outcome. Failures of server and connection are part of the outcome."""

        def opened(exchange: Exchange) -> None:
            if not exchange.method.startswith("tasks/"):  # tasks/ requests only poll the task that the call became
                call.exchange = exchange

        params: dict[str, Any] = {"name": call.item.name} if call.params is None else call.params
        if call.params is None and call.arguments is not UNSET:
            params["arguments"] = call.arguments
        if call.as_task:
            params["task"] = {}
        try:
            call.called = await self._conversation.call(call.method, params, opened)
        except InspectError as error:
            call.called = Called(Broken(call.exchange, str(error), error.hint), 1)
        finally:
            call.over = True
            self.running.remove(call)
        return call

    async def cancel(self) -> bool:
        """Cancel the newest request; return whether there was one that had been sent."""
        call = self.newest
        if call is None or call.exchange is None:
            return False
        call.cancelling = True
        await self._conversation.cancel(call.exchange)
        return True


class CallClocks(msgspec.Struct, frozen=True):
    """Time left until a call times out."""

    left: Left | None = None
    """None if no response is awaited: not sent yet, or the user has to act between two rounds."""
    held: bool = False
    """Whether a server request waits for the user."""


def question(tool: Tool, label: str, problems: int = 0) -> list[list[tuple[str, Any]]]:
    """Return the text of the confirmation before a destructive call, as lines. `problems`: of the arguments."""
    errors = f"{text.counted(problems, 'error')} in the arguments"
    invalid = [[(f"{glyphs().error} {errors}: they do not match the schema", "error")]] if problems else []
    return [
        *invalid,
        [(f"{glyphs().warning} Destructive (destructiveHint)", "warning"), ("  asked once per tool", "faint")],
        [("Tool    ", "faint"), (visible(tool.name, limit=120), "strong")],
        [("Server  ", "faint"), (visible(label, limit=60), "text")],
    ]


# The two timeouts of a running call


def clocks_of(conversation: OpenConversation, exchange: Exchange | None) -> CallClocks:
    """Return the current time left of a call."""
    if exchange is None or not (exchange.is_open or exchange.asks):
        return CallClocks()
    left = conversation.requests.clocks_of(exchange)
    asked = any(each.server_request.cause == exchange.number for each in conversation.inbox.waiting)
    return CallClocks(left, asked or (left is not None and left.held))


def clock_lines(clocks: CallClocks) -> list[list[Span]]:
    """Return the lines that show the timeouts; empty if there is nothing to show."""
    held: list[Span] = []
    if clocks.held:
        where = f"  {keys.shown_key('respond')} responds, {keys.shown_key('screen.inbox')} opens the Inbox"
        held = [(f"{glyphs().event} blocked: waiting for your input", "warning"), (where, "faint")]
    lines = [held] if held else []
    left = clocks.left
    if left is None:
        return lines
    idle = "paused" if clocks.held and left.clocks.idle_s is not None else _of(left.idle_s, left.clocks.idle_s)
    total = _of(left.total_s, left.clocks.total_s)
    lines.append([("idle timeout   ", "faint"), (idle, _role(None if clocks.held else left.idle_s))])
    lines.append([("total timeout  ", "faint"), (total, _role(left.total_s))])
    return lines


def whole_seconds(clocks: CallClocks) -> tuple[int | None, int | None, bool]:
    """Return a value that changes exactly when the shown lines do."""
    left = clocks.left
    if left is None:
        return None, None, clocks.held
    return _whole(left.idle_s), _whole(left.total_s), clocks.held


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else max(0, math.ceil(seconds))


def _of(seconds: float | None, whole: float | None) -> str:
    if seconds is None or whole is None:
        return "off"
    return f"{_span(_whole(seconds) or 0)} left of {_span(whole)}"


def _span(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:g} s"
    return text.human_duration(round(min(seconds, 1e9)) * 1_000_000_000)


def _role(seconds: float | None) -> Role:
    return "warning" if seconds is not None and seconds < _SHORT_S else "muted"


# History


class Calls(Sequence[PastCall]):
    """Calls of one tool, oldest first. Calls of the current conversation are created on access."""

    def __init__(self, earlier: list[PastCall], numbers: "array[int]", journal: Journal) -> None:
        self._earlier = earlier
        self._numbers = numbers
        self._journal = journal
        self._made: dict[int, PastCall] = {}

    def __len__(self) -> int:
        return len(self._earlier) + len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> PastCall: ...
    @overload
    def __getitem__(self, index: slice) -> list[PastCall]: ...
    def __getitem__(self, index: int | slice) -> PastCall | list[PastCall]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = range(len(self))[index] - len(self._earlier)
        if at < 0:
            return self._earlier[at]
        number = self._numbers[at]
        if number not in self._made:
            self._made[number] = PastCall(self._journal, self._journal.conversation.exchanges[number - 1])
        return self._made[number]

    def add(self, number: int) -> None:
        self._numbers.append(number)

    def kept(self) -> list[PastCall]:
        """Return the newest calls, with everything loaded that can't be read once the conversation is over."""
        found = self[-_MOST_KEPT:]
        for call in found:
            call.keep()
        return found


class CallHistory:
    """All calls of a conversation and of earlier connections, by tool name; `take` updates them."""

    def __init__(self, conversation: OpenConversation, method: str = "tools/call") -> None:
        """`method` counts as a call; for methods other than tools/call, targets are URIs or prompt names."""
        self._conversation = conversation
        self._method = method
        self._seen = 0
        self._calls: dict[str, Calls] = {}

    def rebind(self, conversation: OpenConversation) -> None:
        """Switch to another conversation before the old journal is closed, and keep the calls so far."""
        self.take()
        journal = conversation.journal
        self._calls = {name: Calls(calls.kept(), array("I"), journal) for name, calls in self._calls.items()}
        self._conversation = conversation
        self._seen = 0

    def take(self) -> bool:
        """Add the calls made since the last update; return whether there were any."""
        journal = self._conversation.journal
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
        """Yield the numbers of exchanges that are calls. Reads columns, because there may be a million."""
        part = slice(first, last + 1)
        wanted = exchanges.names.index(self._method) if self._method in exchanges.names else UNLISTED
        columns = zip(range(first, last + 1), exchanges.methods[part], exchanges.states[part], strict=True)
        for number, method, bits in columns:
            if method == wanted and not bits & FROM_SERVER:
                if method != UNLISTED or exchanges[number - 1].method == self._method:
                    yield number

    @property
    def targets(self) -> tuple[str, ...]:
        """All names that were called, in order of the first call."""
        return tuple(self._calls)

    def of(self, name: str) -> Sequence[PastCall]:
        """Return the calls of a tool, oldest first."""
        return self._calls.get(name, [])


class HistoryRows(RowSource):
    """Calls of one tool as rows, newest first."""

    def __init__(self, conversation: OpenConversation, calls: Callable[[], Sequence[PastCall]]) -> None:
        self._conversation = conversation
        self._calls = calls

    @property
    def count(self) -> int:
        return len(self._calls())

    @property
    def generation(self) -> int:
        return len(self._calls())

    def call(self, index: int) -> PastCall:
        return self._calls()[-1 - index]

    def key(self, index: int) -> int:
        return _LAST - (self.count - index)

    def index_of(self, key: int) -> int:
        calls = self._calls()
        return next((at for at in range(len(calls)) if self.key(at) >= key), len(calls) - 1)

    def row(self, index: int, width: int) -> RowView:
        call = self.call(index)
        exchange = call.exchange
        live = self._conversation.can_act and exchange.is_open and not call.is_earlier
        taken = exchange.duration_ns
        if taken is None and live:
            taken = max(0, self._conversation.now_ns - exchange.started_ns)
        clock = text.clock(call.wall_ns)[:8]
        answered = 0 if call.is_earlier else words.http_status(self._conversation.journal, exchange)
        message, role = words.status(exchange, live=live, http_status=answered)
        spans: list[Span] = [
            (f"{clock}  ", "faint"),
            (text.pad(message, 17), role),
            (text.pad("" if taken is None else text.human_duration(taken), 8, right=True) + "  ", "muted"),
            (_preview(call), "text"),
            (f"  {glyphs().note} earlier connection" if call.is_earlier else "", "faint"),
        ]
        return RowView(lay(spans, width), live=live)


def _preview(call: PastCall) -> str:
    if call.exchange.method == "resources/read":
        return text.visible(call.exchange.target, limit=_PREVIEW)
    arguments = call.arguments
    if arguments in (None, {}):
        return "no arguments"
    return text.visible(json_text(arguments, indent=None)[: _PREVIEW + 1], limit=_PREVIEW)
