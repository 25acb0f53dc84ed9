"""Resends requests of a capture over a live session, and compares the responses.

The plan has the first request of each operation, in order: the session makes retries and polls tasks itself. The
pages of a list are separate requests, each with the cursor that the server returns now. Failures are not raised: a
rejected request, a missing response and a missing tool are rows of the result.

A value in a recorded request that originates from an earlier recorded response (a cursor, a task id, a created id) is
replaced by the value at the same place in the current response. A value that the client used before the server did is
the client's own and is kept. A number or a short text is replaced only in a member that is named like an id, because
small numbers occur everywhere.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from inspector.capture.compare.differences import Compared, Comparison, OperationVerdict, compare_two, essence, side
from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import (
    OperationRecord,
    Operations,
    SentRequest,
    ServerRequestRecord,
    UnassignedMessage,
    accounts,
)
from inspector.capture.journal import Journal
from inspector.capture.messages import exchange_at, request_of, response_of
from inspector.present.words import why_silent
from inspector.protocol import capabilities as offers
from inspector.protocol import peek
from inspector.protocol.changes import MOST, differences
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse, encode
from inspector.protocol.listed_items import KIND_OF_METHOD as LISTS
from inspector.protocol.listed_items import Tool
from inspector.protocol.server_requests import KIND_OF_SERVER_REQUEST, REJECTED, ErrorReply, Result, ServerRequest
from inspector.protocol.server_requests import Reply as ClientReply
from inspector.protocol.tracking.tasks import EXTENSION_NAME
from inspector.session.session import Session

Scalar = str | int
_WORD = re.compile(r"[\w][\w\-]*[\w]|\w")
_ID = re.compile(
    r"(?i:(?:^|[_\-])(?:id|uuid|key|ref|number|no|handle|token|cursor))$|(?<=[a-z])(?:Id|ID|Key|Ref|Token)$"
)
_LONG = 4
"""Minimum length of a text that is considered unique."""
_MADE_UP = re.compile(r"(?=.*\d)[\w\-]{6,}\Z")
_DEEPEST = 60
"""Maximum depth of values that are searched."""
_MOST = 200_000
"""Maximum number of values that are remembered."""
_LARGEST = 1_000_000
"""Maximum length of a text in which words are searched."""

_OPENINGS = {"initialize", "server/discover"}
"""Methods that every session sends itself."""

_ENDLESS = {"subscriptions/listen"}
NAME = "answer of the capture"
_DESTRUCTIVE = "it may destroy something, by its annotations or because it has none"

_PATHS = 3
"""Maximum number of places in a toast."""


class CarriedValue(msgspec.Struct, frozen=True):
    """A value that was replaced. The values are untrusted."""

    path: str
    recorded: Scalar
    live: Scalar
    source: int
    """Frame of the recorded request whose response contained the value."""


class _Origin(msgspec.Struct, frozen=True):
    live: Scalar | None
    """Current value; None if there is none."""
    source: int


class Provenance:
    """Values that responses have contained so far."""

    def __init__(self) -> None:
        self._origins: dict[Scalar, _Origin] = {}
        self._own: set[Scalar] = set()

    def asked(self, params: Any) -> None:
        """Record the values in a recorded request."""
        if len(self._own) < _MOST:
            self._own.update(value for _, value in _leaves(params) if value not in self._origins)

    def answered(self, method: str, recorded: Any, live: Any, source: int) -> None:
        """Record the values of a recorded response with the values of the current response to the same request."""
        if method in LISTS:  # listed items have names, and a name is never replaced
            recorded = {"nextCursor": cursor} if (cursor := peek.text(recorded, "nextCursor")) else {}
        for before, now in _together(recorded, live, 0):
            if before not in self._own and len(self._origins) < _MOST:
                self._origins[before] = _Origin(now, source)

    def lost_cursor(self, params: Any) -> bool:
        """Return whether a request refers to a page that the server no longer has."""
        origin = self._origins.get(peek.text(params, "cursor") or "")
        return origin is not None and origin.live is None

    def carry(self, method: str, params: Any) -> tuple[Any, list[CarriedValue]]:
        """Return the params with current values, and the list of replacements."""
        carried: list[CarriedValue] = []
        if not isinstance(params, dict):
            return params, carried
        kept = {"name", "ref"} if method in ("tools/call", "prompts/get", "completion/complete") else set()
        return {
            key: value if key in kept else self._value(value, key, key, carried) for key, value in params.items()
        }, carried

    def _value(self, value: Any, path: str, name: str, carried: list[CarriedValue], depth: int = 0) -> Any:
        if depth > _DEEPEST:
            return value
        if isinstance(value, dict):
            return {key: self._value(each, f"{path}.{key}", key, carried, depth + 1) for key, each in value.items()}
        if isinstance(value, list):
            return [self._value(each, f"{path}[{at}]", name, carried, depth + 1) for at, each in enumerate(value)]
        if isinstance(value, bool) or not isinstance(value, str | int):
            return value
        return self._scalar(value, path, name, carried)

    def _scalar(self, value: Scalar, path: str, name: str, carried: list[CarriedValue]) -> Scalar:
        telling = (isinstance(value, str) and len(value) >= _LONG) or _ID.search(name) is not None
        origin = self._origin(value) if telling else None
        if origin is not None and origin.live is not None:
            live = _as(value, origin.live)
            if live is not None and live != value:
                carried.append(CarriedValue(path, value, live, origin.source))
                return live
            return value
        return self._words(value, path, carried) if isinstance(value, str) else value

    def _words(self, text: str, path: str, carried: list[CarriedValue]) -> str:
        """Replace generated words within a text such as a URI or a sentence."""
        if len(text) > _LARGEST:
            return text

        def replaced(found: re.Match[str]) -> str:
            origin = self._origins.get(found.group()) if _MADE_UP.match(found.group()) else None
            if origin is None or origin.live is None or str(origin.live) == found.group():
                return found.group()
            carried.append(CarriedValue(path, found.group(), origin.live, origin.source))
            return str(origin.live)

        return _WORD.sub(replaced, text)

    def _origin(self, value: Scalar) -> _Origin | None:
        other: Scalar | None = str(value) if isinstance(value, int) else int(value) if _is_number(value) else None
        return self._origins.get(value) or (self._origins.get(other) if other is not None else None)


class PlannedRequest(msgspec.Struct, frozen=True):
    account: OperationRecord
    sent: SentRequest
    method: str
    params: Any
    """Recorded params without members that each client adds."""

    @property
    def page(self) -> bool:
        """Whether it requests a further page."""
        return self.sent is not self.account.sent[0]


class Skip(msgspec.Struct, frozen=True):
    """An operation that is not resent."""

    account: OperationRecord
    why: str
    """Reason as a sentence. It may quote untrusted text."""


class ResendPlan(msgspec.Struct, frozen=True):
    """Requests to resend, in the order of the capture."""

    steps: tuple[PlannedRequest, ...]
    skips: tuple[Skip, ...] = ()


class Resent(msgspec.Struct, frozen=True):
    """The outcome of resending."""

    comparison: Comparison
    sent: int
    """Number of requests that were sent."""
    skips: tuple[Skip, ...]
    carried: tuple[tuple[PlannedRequest, CarriedValue], ...]
    """Values that were replaced, each with its request."""
    notes: tuple[str, ...] = ()
    """Notes for the user. They may quote the server."""


class RecordedRequest(msgspec.Struct, frozen=True):
    method: str
    target: str
    params: Any
    """Recorded params without members that a session adds itself."""
    before: Any
    """Recorded result or error; None if there was no response."""

    @property
    def quoted(self) -> str:
        """The params as JSON. Untrusted text."""
        return "" if self.params is None else encode(self.params).decode("utf-8", "replace")


def _is_number(text: str) -> bool:
    return len(text) < 20 and text.isascii() and text.isdecimal()


def _as(recorded: Scalar, live: Scalar) -> Scalar | None:
    """Return the current value in the type of the recorded one; None if that is impossible."""
    if isinstance(recorded, str):
        return str(live)
    return int(live) if not isinstance(live, str) or _is_number(live) else None


def _leaves(value: Any, depth: int = 0) -> Iterator[tuple[str, Scalar]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from ((key, leaf) for _, leaf in _leaves(each, depth + 1))
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, depth + 1)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield "", value


def _together(recorded: Any, live: Any, depth: int) -> Iterator[tuple[Scalar, Scalar | None]]:
    """Yield each scalar of the recorded value with the live value at the same place; None if there is none."""
    if depth > _DEEPEST:
        return
    if isinstance(recorded, dict):
        for key, each in recorded.items():
            yield from _together(each, live.get(key) if isinstance(live, dict) else None, depth + 1)
    elif isinstance(recorded, list):
        for at, each in enumerate(recorded):
            there = live[at] if isinstance(live, list) and at < len(live) else None
            yield from _together(each, there, depth + 1)
    elif isinstance(recorded, str | int) and not isinstance(recorded, bool):
        now = live if isinstance(live, str | int) and not isinstance(live, bool) else None
        yield recorded, now
        if isinstance(recorded, str) and isinstance(now, str):
            yield from _within(recorded, now, depth)


def _within(recorded: str, live: str, depth: int) -> Iterator[tuple[Scalar, Scalar | None]]:
    """Yield pairs of values within two texts: from JSON, or word by word if the word counts are equal."""
    if recorded == live or len(recorded) > _LARGEST or len(live) > _LARGEST:
        return
    ours, theirs = _json(recorded), _json(live)
    if ours is not None and theirs is not None:
        yield from _together(ours, theirs, depth + 1)
        return
    words, others = _WORD.findall(recorded), _WORD.findall(live)
    if len(words) == len(others):
        yield from ((word, other) for word, other in zip(words, others, strict=True) if any(map(str.isdigit, word)))


def _json(text: str) -> Any:
    return peek.decoded(text) if text[:1] in ("{", "[") else None


def plan(found: Operations, wanted: Collection[int] | None = None) -> ResendPlan:
    """Plan the operations of a capture. `wanted` are the entries that the user chose; None for all."""
    steps: list[PlannedRequest] = []
    skips: list[Skip] = []
    for account in found.operations:
        if account.method in _OPENINGS or (
            wanted is not None and not any(each.frame in wanted for each in account.sent)
        ):
            continue
        if why := _why_not(account):
            skips.append(Skip(account, why))
        else:
            steps += _steps(account)
    return ResendPlan(tuple(steps), tuple(skips))


def up_to(found: Operations, last: int) -> Operations:
    """Return the requests up to an entry with their outcomes.

    Outcomes after the entry are included, because half of a call can't be compared.
    """
    begun = [each for each in found.operations if each.frame <= last]
    return Operations([_pages_up_to(each, last) for each in begun], found.loose)


def _pages_up_to(account: OperationRecord, last: int) -> OperationRecord:
    if account.method not in LISTS:
        return account
    return msgspec.structs.replace(account, sent=[each for each in account.sent if each.frame <= last])


def harmful(step: PlannedRequest, tools: Collection[Tool]) -> bool:
    """Return whether a step may be destructive according to the server.

    Without annotations it may: "destructiveHint: default true", "readOnlyHint: default false" (ToolAnnotations).
    """
    if step.method != "tools/call":
        return False
    name = peek.text(step.params, "name")
    tool = next((each for each in tools if each.name == name), None)
    if tool is None or tool.read_only:
        return tool is None
    return peek.flag(tool.raw, "annotations", "destructiveHint") is not False


def _why_not(account: OperationRecord) -> str:
    if account.method in _ENDLESS:
        return "it is a stream without an end"
    return "it was cancelled" if account.state is ExchangeState.CANCELLED else ""


def _steps(account: OperationRecord) -> list[PlannedRequest]:
    several = account.sent if account.method in LISTS else account.sent[:1]
    return [
        PlannedRequest(account, sent, account.method, essence(account.method, sent.params.value)) for sent in several
    ]


# Recorded responses to server requests, used again


class Replies:
    """Answers server requests from the capture while operations are resent; `turn_to` selects the operation."""

    def __init__(self, found: Operations) -> None:
        self._normal = Normal()
        self._loose = [
            each for each in found.loose if each.method in KIND_OF_SERVER_REQUEST and each.answer is not None
        ]
        self._left: list[ServerRequestRecord] = []
        self._over = False

    def turn_to(self, account: OperationRecord) -> None:
        """Select the operation that is resent now."""
        self._left = [each for each in account.asked if each.answer is not None]

    def stop(self) -> None:
        """Stop answering: everything was resent, and later server requests are handled elsewhere."""
        self._over = True

    async def answer(self, server_request: ServerRequest) -> ClientReply | None:
        """Return the recorded response; None if there is none."""
        if self._over:
            return None
        mine = [each for each in self._left if KIND_OF_SERVER_REQUEST.get(each.method) is server_request.kind]
        asked = self._normal(server_request.params)
        same = [each for each in mine if self._normal(each.params) == asked]
        if found := (same or mine)[:1]:
            self._left.remove(found[0])
            return _reply(found[0])
        others = [each for each in self._loose if KIND_OF_SERVER_REQUEST.get(each.method) is server_request.kind]
        return _reply(others[0]) if others else None


def offers_of(capabilities: Any) -> frozenset[str]:
    """Return the capabilities that a client declared, by the names of `protocol.offers`."""
    found = set()
    if peek.has(capabilities, "roots"):
        found.add(offers.ROOTS)
    if peek.has(capabilities, "sampling"):
        found.add(offers.SAMPLING)
        if peek.has(capabilities, "sampling", "tools"):
            found.add(offers.SAMPLING_TOOLS)
    if peek.has(capabilities, "elicitation"):
        modes = peek.mapping(capabilities, "elicitation")
        found |= {mode for mode, name in ((offers.FORM, "form"), (offers.URL, "url")) if name in modes or not modes}
        if not modes:
            found.discard(offers.URL)
    if peek.has(capabilities, "tasks") or EXTENSION_NAME in peek.mapping(capabilities, "extensions"):
        found.add(offers.TASKS)
    return frozenset(found)


def _reply(asked: ServerRequestRecord | UnassignedMessage) -> ClientReply:
    if not asked.failed:
        return Result(asked.answer)
    code = peek.integer(asked.answer, "code")
    return ErrorReply(
        REJECTED if code is None else code, peek.text(asked.answer, "message") or "", peek.at(asked.answer, "data")
    )


class ResendOptions(msgspec.Struct, frozen=True):
    normal: Normal
    replies: Replies
    """Must also be a policy of the session."""
    allow_destructive: bool = False
    on_send: Callable[[PlannedRequest], None] = lambda step: None
    """Called with each step before it is sent."""


class _Run:
    def __init__(self, session: Session, options: ResendOptions) -> None:
        self.session = session
        self.options = options
        self.provenance = Provenance()
        self.tools: tuple[Tool, ...] | None = None
        """Tools of the server; None if they can't be listed."""
        self.exchanges: dict[int, int] = {}
        """First new exchange, by the number of the recorded operation."""
        self.failures: dict[int, str] = {}
        self.accounts: dict[int, OperationRecord] = {}
        self.skips: list[Skip] = []
        self.carried: list[tuple[PlannedRequest, CarriedValue]] = []
        self.sent = 0

    async def learn_tools(self, steps: Sequence[PlannedRequest]) -> None:
        """List the tools if one will be called, because their annotations state whether it may be destructive."""
        if any(step.method == "tools/call" for step in steps):
            pages = await self.session.list_all("tools")
            if pages.failed is None:
                self.tools = tuple(map(Tool, pages.items))

    async def take(self, step: PlannedRequest) -> None:
        """Send one request unless there is a reason not to."""
        self.accounts[step.account.number] = step.account
        if why := self._missing(step):
            self.failures.setdefault(step.account.number, why)
            return
        if not self.options.allow_destructive and harmful(step, self.tools or ()):
            self.skips.append(Skip(step.account, _DESTRUCTIVE))
            self.accounts.pop(step.account.number)
            return
        self.provenance.asked(step.params)
        params, carried = self.provenance.carry(step.method, step.params)
        self.carried += [(step, each) for each in carried]
        self.options.replies.turn_to(step.account)
        self.options.on_send(step)
        self.sent += 1
        called = await self.session.call(step.method, params, opened=lambda exchange: self._opened(step, exchange))
        self._learn(step, called.reply)

    def _opened(self, step: PlannedRequest, exchange: Exchange) -> None:
        self.exchanges.setdefault(step.account.number, exchange.number)

    def _missing(self, step: PlannedRequest) -> str:
        if self.session.ended.is_set():
            return f"the connection had ended: {self.session.why}" if self.session.why else "the connection had ended"
        name = peek.text(step.params, "name")
        if step.method == "tools/call" and self.tools is not None and name not in {each.name for each in self.tools}:
            return f"the server has no tool {name!r}"
        return ""

    def _learn(self, step: PlannedRequest, reply: Reply) -> None:
        if not isinstance(reply, Replied):
            self.failures.setdefault(step.account.number, why_silent(reply))
            return
        live: Any = reply.message.result if isinstance(reply.message, ResultResponse) else reply.message.error
        recorded = (step.sent if step.method in LISTS else step.account.last).answer.value
        self.provenance.answered(step.method, recorded, live, step.sent.frame)


async def resend(session: Session, plan: ResendPlan, options: ResendOptions) -> Resent:
    """Send the requests of a plan over an open session."""
    run = _Run(session, options)
    await run.learn_tools(plan.steps)
    for step in plan.steps:
        if step.page and run.provenance.lost_cursor(step.params):
            continue  # the server no longer has this page; the whole list is compared anyway
        await run.take(step)
    return Resent(
        Comparison(tuple(_rows(run))), run.sent, (*plan.skips, *run.skips), tuple(run.carried), _notes(session, plan)
    )


def _rows(run: _Run) -> list[Compared]:
    live = {sent.exchange: account for account in accounts(run.session.journal).operations for sent in account.sent}
    rows = []
    for number, account in run.accounts.items():
        there = live.get(run.exchanges.get(number, 0))
        why = run.failures.get(number, "")
        if there is None:
            verdict = OperationVerdict.ONLY_BEFORE
            rows.append(Compared(verdict, account.method, account.target, side(account), None, why=why))
        else:
            row = compare_two(account, there, run.options.normal, asked_too=False)
            rows.append(msgspec.structs.replace(row, why=why if row.verdict is not OperationVerdict.SAME else ""))
    return rows


def _notes(session: Session, plan: ResendPlan) -> tuple[str, ...]:
    """Return a note if the server uses another protocol revision than the capture."""
    first = plan.steps[0].account.revision if plan.steps else None
    now = session.revision.date if session.revision else None
    if first is None or now is None or first == now:
        return ()
    return (f"The capture speaks revision {first}, the server now {now}.",)


def again(journal: Journal, n: int) -> RecordedRequest | str:
    """Return the request that entry n belongs to, or a sentence that explains why it can't be resent."""
    exchange = exchange_at(journal, n)
    if exchange is None:
        return "This line belongs to no request."
    if exchange.sender is not Direction.TO_SERVER:
        return "This is a server request. Only client requests can be sent again."
    if exchange.method in _OPENINGS:
        return f"{exchange.method} opens a session, and this one is open: ^r opens a new one."
    request = request_of(journal, exchange)
    if request is None:
        return "The message can't be read back."
    params = essence(exchange.method, request.params)
    return RecordedRequest(exchange.method, exchange.target, params, _answer(journal, exchange))


def may_destroy(asked: RecordedRequest, tools: Collection[Tool]) -> bool:
    """Return whether a tool is called that does not declare itself non-destructive."""
    tool = next((each for each in tools if each.name == peek.text(asked.params, "name")), None)
    if asked.method != "tools/call" or (tool is not None and tool.read_only):
        return False
    return tool is None or peek.flag(tool.raw, "annotations", "destructiveHint") is not False


def outcome(asked: RecordedRequest, called: Called) -> str:
    """Compare the current response with the recorded one in one sentence, which may quote the server."""
    reply = called.reply
    match reply:
        case Replied():
            return _beside(asked, _value(reply.message))
        case Silent():
            return f"No answer came within {reply.seconds:g} s."
        case Refused():
            return f"It was refused: HTTP {reply.status}." if reply.status else f"No answer came: {reply.why}."
        case Broken():
            return f"No answer came: {reply.why}."
        case GivenUp():
            return "It was given up."


def _beside(asked: RecordedRequest, after: Any) -> str:
    if asked.before is None:
        return "An answer came; there was none before."
    normal = Normal()
    found = differences(normal(asked.before), normal(after))
    if not found:
        return "Identical response."
    paths = ", ".join(each.path or "(root)" for each in found[:_PATHS])
    many = f"{MOST}+" if len(found) > MOST else str(len(found))
    more = f" and {len(found) - _PATHS} more" if _PATHS < len(found) <= MOST else ""
    return f"{many} {'place differs' if len(found) == 1 else 'places differ'} from before: {paths}{more}."


def _answer(journal: Journal, exchange: Exchange) -> Any:
    response = response_of(journal, exchange)
    return None if response is None else _value(response)


def _value(message: ResultResponse | ErrorResponse) -> Any:
    return {"result": message.result} if isinstance(message, ResultResponse) else {"error": message.error}
