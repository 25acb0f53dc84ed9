"""Calls, running and over, and how to look at one of them again: everything is read back from the journal.

A call made here and one found in a capture are shown by the same code. Only what no frame says is taken from the
session's reply: which clock ran out, what the carriage refused, how many rounds it took. A journal ends with its
connection; what must outlive it, `Past.keep` reads before.
"""

import dataclasses
import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import msgspec

from inspector import text
from inspector.capture.journal import Journal
from inspector.errors import InspectError
from inspector.forms.fields import UNSET
from inspector.forms.typed import json_text
from inspector.forms.validate import Validation
from inspector.present import words
from inspector.present.blocks import json_block
from inspector.present.result import CallOutcome, Finished, ResultView, result_view, verdict_of
from inspector.present.rows import RowSource, RowView
from inspector.present.server_log import Meanwhile
from inspector.present.spans import Role, Span, lay, paragraph
from inspector.present.task_outcome import outcome
from inspector.protocol import peek
from inspector.protocol.apps import listed_pages
from inspector.protocol.exchange_log import FROM_SERVER, UNLISTED, ExchangeLog
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.list_all import was_cut
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Request, read
from inspector.protocol.things import ListedItem, Tool
from inspector.protocol.tracking.tasks import Task
from inspector.session.desk import TicketState
from inspector.session.waiting import Left
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.theme import glyphs

_GONE = "The connection that it was made on is over, and what it returned ended with it. A capture would have it."


@dataclass(slots=True, eq=False)
class RunningCall:
    """A request that was made here: a tool's call, a read, a prompt."""

    thing: ListedItem
    """What it is about."""
    arguments: Any
    journal: Journal
    exchange: Exchange | None = None
    """None until it was sent."""
    called: Called | None = None
    """What came of it; None while it runs."""
    over: bool = False
    cancelling: bool = False
    method: str = "tools/call"
    params: Any = None
    """What is sent; None: the tool's name and the arguments."""
    as_task: bool = False
    """Whether the server is asked to run it as a task."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A call that is over, ready to be shown."""

    finished: Finished
    view: ResultView
    verdict: Validation | None
    raw: bytes
    """The frame of the answer; b"" if none came."""
    arguments: Any
    exchange: Exchange | None
    """None if it was never sent."""
    written: Meanwhile | None = None
    """What the server wrote to stderr during the call; None where that is not known."""


class PastCall:
    """A call of this conversation, or of an earlier one with the same server."""

    def __init__(self, journal: Journal, exchange: Exchange) -> None:
        self.exchange = exchange
        self._journal = journal
        self._kept: tuple[Any, int] | None = None

    @property
    def is_earlier(self) -> bool:
        """Whether its conversation is over and only this is left of it."""
        return self._kept is not None

    @property
    def arguments(self) -> Any:
        """With what it was called; None for nothing. Reads the disk while the conversation goes on."""
        return self._kept[0] if self._kept is not None else arguments_of(self._journal, self.exchange)

    @property
    def wall_ns(self) -> int:
        """When, by the clock on the wall."""
        return self._kept[1] if self._kept is not None else self._journal.store.wall_ns(self.exchange.request_frame)

    def keep(self) -> None:
        """Keep in memory what can't be read once the conversation is over."""
        self._kept = (self.arguments, self.wall_ns)


def look(
    journal: Journal,
    exchange: Exchange | None,
    output_schema: Any,
    called: Called | None = None,
    *,
    method: str = "tools/call",
) -> Looked:
    """Read a call back and judge its result. Reads the disk and may take a quarter of a second: for a thread."""
    if exchange is None:
        finished = Finished(method, answered=False, **_failure(None, called.reply if called else None))
        return Looked(finished, result_view(finished), None, b"", None, None)
    task = journal.conversation.tasks.of_operation(exchange.operation)
    if task is not None and task.exchange == exchange.number and task.result_frame is not None:
        return look_at_task(journal, task, output_schema)
    raw, finished = _finished(journal, exchange, output_schema, called)
    verdict = verdict_of(finished)
    view = result_view(finished, verdict)
    written = Meanwhile(journal, exchange)
    return Looked(finished, view, verdict, raw, arguments_of(journal, exchange), exchange, written)


def look_at_task(journal: Journal, task: Task, output_schema: Any) -> Looked:
    """Read back what a task came to, and judge it as if its call had been answered. Reads the disk: for a thread."""
    exchange = journal.conversation.exchanges[task.exchange - 1] if task.exchange is not None else None
    found = outcome(journal, task) or (Finished(task.method, answered=False, failure="No result has come."), b"")
    finished, raw = dataclasses.replace(found[0], output_schema=output_schema), found[1]
    verdict = verdict_of(finished)
    arguments = arguments_of(journal, exchange) if exchange is not None else None
    return Looked(finished, result_view(finished, verdict), verdict, raw, arguments, exchange)


def look_back(past: PastCall) -> Looked:
    """What is left of a call of an earlier conversation: what became of it, and its arguments."""
    status = words.status(past.exchange, live=False)
    finished = Finished(past.exchange.method, answered=False, duration_ns=past.exchange.duration_ns, failure=_GONE)
    blocks = () if past.arguments is None else (json_block(past.arguments, "arguments"),)
    view = ResultView(CallOutcome.NO_ANSWER, (status,), paragraph(_GONE, "muted"), blocks=blocks)
    return Looked(finished, view, None, b"", past.arguments, past.exchange)


def arguments_of(journal: Journal, exchange: Exchange) -> Any:
    """The arguments of a recorded call; None if it had none or they can't be read."""
    for message in read(_payload(journal, exchange.request_frame)):
        if isinstance(message, Request) and message.id == exchange.id:
            return peek.at(message.params, "arguments")
    return None


def _finished(journal: Journal, exchange: Exchange, schema: Any, called: Called | None) -> tuple[bytes, Finished]:
    opening = journal.conversation.opening
    common: dict[str, Any] = {
        "method": exchange.method,
        "target": exchange.target,
        "duration_ns": exchange.duration_ns,
        "rounds": called.rounds if called else 1,
        "unfinished": _unfinished(called),
        "output_schema": schema,
        "revision": opening.revision if opening else None,
    }
    if exchange.answer_frame is None or (called is not None and isinstance(called.reply, Silent | GivenUp)):
        # What came after it was given up is in the traffic; whether it came before this look must not matter.
        return b"", Finished(answered=False, **common, **_failure(exchange, called.reply if called else None))
    raw = _payload(journal, exchange.answer_frame)
    common["size"] = len(raw)
    answers = [message for message in read(raw) if isinstance(message, Answer | ErrorAnswer)]
    own = [message for message in answers if message.id == exchange.id]
    for message in own or answers:  # an error may come without the request's id, as the whole body of a response
        if isinstance(message, ErrorAnswer):
            return raw, Finished(answered=False, error=message.error, **common)
        if own:
            if exchange.method == "resources/read":
                common["listed"] = listed_pages(message.result, journal.conversation.catalogue.resources)
            return raw, Finished(result=message.result, **common)
    return raw, Finished(answered=False, failure="its answer can't be read back from the capture", **common)


def _unfinished(called: Called | None) -> str:
    """Why a call's result is not the last word; "" if it is, or nobody here waited for it."""
    if called is None:
        return ""
    return called.unanswered or (called.task.why if called.task is not None else "")


def _failure(exchange: Exchange | None, reply: Reply | None) -> dict[str, Any]:
    """Why there is no answer."""
    match reply:
        case Silent():
            why = f"Nothing came for {reply.seconds:g} seconds (the {reply.clock} clock ran out)."
            return {"timed_out": True, "failure": why, "hint": "A longer --timeout gives it more time."}
        case Refused():
            status = f"HTTP {reply.status}" if reply.status is not None else "The HTTP exchange"
            cut = (
                "The server had taken it, and may have done it. To ask again all the same, repeat it: ."
                if was_cut(reply)
                else ""
            )
            return {"failure": f"{status} came without an answer. {reply.why}".strip(), "hint": cut}
        case Broken():
            return {"failure": reply.why or "The connection ended.", "hint": reply.hint}
        case GivenUp():
            return {"cancelled": True, "failure": reply.why or "Cancelled here."}
        case Replied() | None:
            return _recorded_failure(exchange)


def _recorded_failure(exchange: Exchange | None) -> dict[str, Any]:
    if exchange is None:
        return {"failure": "It was never sent."}
    if exchange.state is ExchangeState.CANCELLED:
        return {"cancelled": True, "failure": exchange.why or "It was cancelled."}
    if exchange.state is ExchangeState.PENDING:
        return {"failure": "No answer has come."}
    return {"failure": exchange.why or "The connection ended before an answer."}


def _payload(journal: Journal, n: int) -> bytes:
    what = journal.store.entry(n).what
    return what.payload if isinstance(what, Frame) else b""


# --- Making calls: several may be on their way, and each ends in words, whatever becomes of it.


class Calling:
    """The calls that a panel makes of one subject."""

    def __init__(self, subject: OpenConversation, done: str = "called") -> None:
        """`done` says what can't be done where nothing can be called: "called", "read"."""
        self._subject = subject
        self._done = done
        self.running: list[RunningCall] = []
        """Oldest first."""
        self._confirmed: set[str] = set()

    def why_not(self) -> str:
        """Why nothing can be called now, in a few words; "" if it can."""
        if not self._subject.can_act:
            return f"a recording: not {self._done}; r in the traffic resends"
        match self._subject.stage:
            case ConversationStage.OPEN:
                return ""
            case ConversationStage.CONNECTING | ConversationStage.LOADING:
                return "still connecting"
            case ConversationStage.CLOSED | ConversationStage.FAILED | ConversationStage.RECORDED:
                return "not connected (^r connects again)"

    def must_ask(self, tool: Tool) -> bool:
        """Whether a person must confirm first: once for each tool that is claimed to destroy something."""
        return tool.destructive and tool.name not in self._confirmed

    def confirmed(self, tool: Tool) -> None:
        """A person has confirmed."""
        self._confirmed.add(tool.name)

    @property
    def newest(self) -> RunningCall | None:
        """The call that was made last, of those that run."""
        return self.running[-1] if self.running else None

    def of(self, thing: ListedItem | None) -> RunningCall | None:
        """The newest call of a tool that runs."""
        calls = reversed(self.running)
        return next((call for call in calls if thing is not None and call.thing.key == thing.key), None)

    def begin(
        self,
        thing: ListedItem,
        arguments: object,
        method: str = "tools/call",
        params: Any = None,
        *,
        as_task: bool = False,
    ) -> RunningCall:
        """Note a call that is about to be made; `as_task` asks the server to run it as a task."""
        call = RunningCall(thing, arguments, self._subject.journal, method=method, params=params, as_task=as_task)
        self.running.append(call)
        return call

    async def make(self, call: RunningCall) -> RunningCall:
        """Make the call and wait for what comes of it. Raises nothing that a server or a connection can cause."""

        def opened(exchange: Exchange) -> None:
            if not exchange.method.startswith("tasks/"):  # those follow what the call has become
                call.exchange = exchange

        params: dict[str, Any] = {"name": call.thing.name} if call.params is None else call.params
        if call.params is None and call.arguments is not UNSET:
            params["arguments"] = call.arguments
        if call.as_task:
            params["task"] = {}
        try:
            call.called = await self._subject.call(call.method, params, opened)
        except InspectError as error:
            call.called = Called(Broken(call.exchange, str(error), error.hint), 1)
        finally:
            call.over = True
            self.running.remove(call)
        return call

    async def cancel(self) -> bool:
        """Cancel the newest call; whether there was one that had been sent."""
        call = self.newest
        if call is None or call.exchange is None:
            return False
        call.cancelling = True
        await self._subject.cancel(call.exchange)
        return True


def question(tool: Tool, label: str) -> list[list[tuple[str, Any]]]:
    """What to ask before a destructive call, as lines."""
    return [
        [
            ("Call ", "text"),
            (visible(tool.name, limit=120), "strong"),
            (" on ", "text"),
            (visible(label, limit=60), "strong"),
            ("?", "text"),
        ],
        [("Its server claims that it destroys something. You are asked once for this tool.", "muted")],
    ]


# --- The two clocks of a call that runs, in words: what is left of each, and whether the server waits for the
# person.

_SHORT_S = 10
"""With so little left a clock is told of as a warning."""


class CallClocks(msgspec.Struct, frozen=True):
    """How the clocks of a call stand."""

    left: Left | None = None
    """None if nobody waits for an answer: it was not sent yet, or the person is waited for between two rounds."""
    held: bool = False
    """Whether a question of the server's waits for the person."""


def clocks_of(subject: OpenConversation, exchange: Exchange | None) -> CallClocks:
    """How the clocks of a call stand now."""
    if exchange is None or not (exchange.is_open or exchange.asks):
        return CallClocks()
    left = subject.clocks_of(exchange)
    waits = (each for each in subject.tickets if each.state is TicketState.WAITING)
    asked = any(each.question.cause == exchange.number for each in waits)
    return CallClocks(left, asked or (left is not None and left.held))


def clock_lines(clocks: CallClocks) -> list[list[Span]]:
    """The lines that tell of them; none where there is nothing to tell."""
    held: list[Span] = []
    if clocks.held:
        where = f"  {keys.key_name('!')} answers here, 5 in the Inbox"
        held = [(f"{glyphs().event} held: the server waits for you", "warning"), (where, "faint")]
    lines = [held] if held else []
    left = clocks.left
    if left is None:
        return lines
    idle = "stands still" if clocks.held and left.clocks.idle_s is not None else _of(left.idle_s, left.clocks.idle_s)
    total = _of(left.total_s, left.clocks.total_s)
    lines.append([("idle clock   ", "faint"), (idle, _role(None if clocks.held else left.idle_s))])
    lines.append([("total clock  ", "faint"), (total, _role(left.total_s))])
    return lines


def whole_seconds(clocks: CallClocks) -> tuple[int | None, int | None, bool]:
    """What has to change before the lines do."""
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


# --- The calls of one tool, or the reads of one resource, newest first: when, what came of it, how long, with what.

_LAST = 1 << 53
"""Keys ascend from here backwards, because the rows descend."""
_PREVIEW = 200
"""Characters of the arguments."""
_MOST_KEPT = 500
"""Calls of a tool that outlive their conversation."""


class Calls(Sequence[PastCall]):
    """The calls of one tool, oldest first; those of this conversation are made when they are asked for."""

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
        """There is one more: the exchange of that number."""
        self._numbers.append(number)

    def kept(self) -> list[PastCall]:
        """The newest of them, with what can't be read once the conversation is over."""
        found = self[-_MOST_KEPT:]
        for call in found:
            call.keep()
        return found


class CallHistory:
    """All calls of a conversation, and of those before it, by the name of their tool. `take` looks at what is new."""

    def __init__(self, subject: OpenConversation, method: str = "tools/call") -> None:
        """`method` names what counts as a call: another one has its uris or names in the place of tools."""
        self._subject = subject
        self._method = method
        self._seen = 0
        self._calls: dict[str, Calls] = {}

    def rebind(self, subject: OpenConversation) -> None:
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

    def of(self, name: str) -> Sequence[PastCall]:
        """The calls of a tool, oldest first."""
        return self._calls.get(name, [])


class HistoryRows(RowSource):
    """The calls of one tool as rows, newest first."""

    def __init__(self, subject: OpenConversation, calls: Callable[[], Sequence[PastCall]]) -> None:
        self._subject = subject
        self._calls = calls

    @property
    def count(self) -> int:
        return len(self._calls())

    @property
    def generation(self) -> int:
        return len(self._calls())

    def call(self, index: int) -> PastCall:
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


def _preview(call: PastCall) -> str:
    if call.exchange.method == "resources/read":
        return text.visible(call.exchange.target, limit=_PREVIEW)
    arguments = call.arguments
    if arguments in (None, {}):
        return "no arguments"
    return text.visible(json_text(arguments, indent=None)[: _PREVIEW + 1], limit=_PREVIEW)
