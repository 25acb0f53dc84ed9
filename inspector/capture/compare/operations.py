"""Operations of a conversation in full: request, messages in between, response.

A message is part of an operation only if that is certain: by its progress token or its HTTP stream; a server request
also if only one call is pending. All others are kept separately, because on a pipe an unrelated message may arrive
before or after a response. Probes and pings are left out: whether they are sent depends on timing and on what is
cached about a server.

A session through a proxy that changed messages has two views: as the client saw it, and as the server saw it.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from inspector.atomic_write import whole_file
from inspector.capture.format.records import (
    MADE_BY_PROXY,
    EditRecord,
    EndRecord,
    FrameRecord,
    Record,
    SumRecord,
    from_line,
    to_line,
)
from inspector.capture.journal import Journal
from inspector.capture.store.fold_fast_path import ANSWER, REQUEST, FoldedFrames
from inspector.capture.store.load import Loading, finish
from inspector.capture.store.store import entries
from inspector.protocol import peek
from inspector.protocol.conversation import Conversation
from inspector.protocol.events import Cancelled, Closed, Event, Notified, Progressed, RequestSent
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import ABSENT, ErrorResponse, Part, Request, ResultResponse, envelope_of, part_of
from inspector.protocol.listed_items import KIND_OF_METHOD
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.server_requests import KIND_OF_SERVER_REQUEST, asks_for_input

_SAYS_NOTHING = {"notifications/initialized", "notifications/cancelled", "notifications/progress"}
_LEFT_OUT = {"ping"}
_MAY_SPEAK = {"tools/call", "prompts/get", "resources/read", "completion/complete"}
"""Requests during which a server may send related messages."""
T = TypeVar("T")


class ServerRequestRecord(msgspec.Struct, gc=False):
    method: str
    params: Any
    answer: Any = None
    """Result or error; None if there is neither."""
    failed: bool = False
    """Whether the answer is an error."""
    frame: int = 0


class SentRequest(msgspec.Struct, gc=False):
    """One request of an operation, and its response."""

    exchange: int
    frame: int
    params: Part
    answer: Part = ABSENT
    failed: bool = False
    """Whether the answer is a JSON-RPC error."""
    answer_frame: int | None = None


class OperationRecord(msgspec.Struct, gc=False):
    """A client operation with everything that happened during it."""

    number: int
    """Number of the operation in the conversation."""
    method: str
    target: str
    frame: int
    """Number of the first request frame."""
    started_ns: int
    ended_ns: int | None = None
    state: ExchangeState = ExchangeState.PENDING
    """State of the last exchange."""
    revision: str | None = None
    """Revision of the first request; None if unknown."""
    sent: list[SentRequest] = []
    """All requests of the operation: pages, retries, polls of its task."""
    progress: Sequence[Any] = ()
    """Params of progress notifications. This and the next three are lists only if they have items, to save memory."""
    logs: Sequence[Any] = ()
    notifications: Sequence[tuple[str, Any]] = ()
    """Other notifications: method and params."""
    asked: Sequence[ServerRequestRecord] = ()

    @property
    def params(self) -> Any:
        """Params of the first request. Decoded at each access, as there may be a million."""
        return self.sent[0].params.decoded()

    @property
    def last(self) -> SentRequest:
        """Request whose response is the operation's outcome."""
        answered = [each for each in self.sent if each.answer_frame is not None]
        return answered[-1] if answered else self.sent[0]

    @property
    def answer(self) -> Any:
        """Result or error of the operation; the pages of a list are merged."""
        last = self.last
        if last.failed or self.method not in KIND_OF_METHOD or len(self.sent) < 2:
            return last.answer.decoded()
        return _joined([each.answer.decoded() for each in self.sent if each.answer_frame is not None])


class UnassignedMessage(msgspec.Struct, gc=False):
    """A message that can't be assigned to an operation with certainty."""

    method: str
    sender: Direction
    params: Any
    frame: int
    answer: Any = None
    """Response, if the message is a server request."""
    failed: bool = False


class Operations(msgspec.Struct, gc=False):
    """All operations of a conversation in the order of their first requests, and the messages outside them."""

    operations: list[OperationRecord] = []
    loose: list[UnassignedMessage] = []


class Read(msgspec.Struct, frozen=True):
    """Content of a capture that was read."""

    accounts: Operations
    notices: tuple[str, ...]
    """What the user should know about the file; may quote file names."""
    client: str = ""
    """Name, version and declared capabilities of the client, as untrusted text; "" if unknown."""


View = Literal["client", "server"]


def accounts(journal: Journal) -> Operations:
    """Collect the operations of a journal. For a file, `read_operations` is faster."""
    collector = OperationCollector()
    for entry in entries(journal.store, 1, journal.count):
        if isinstance(entry.what, Frame):
            collector.take(entry.what)
    return collector.collected(journal.conversation.exchanges)


class OperationCollector:
    """Collects operations from frames in order: from frames with their events, or with `take` from frames alone."""

    def __init__(self, fold: Conversation | None = None) -> None:
        """Create a collector.

        `fold` interprets the frames before they are passed here. Without it, only `take` may be used.
        """
        self._fold = Conversation() if fold is None else fold
        self._by_operation: dict[int, OperationRecord] = {}
        self._by_exchange: dict[int, tuple[OperationRecord, SentRequest]] = {}
        self._server_requests: dict[int, ServerRequestRecord | UnassignedMessage] = {}
        self._loose: list[UnassignedMessage] = []
        self._open = _OpenRequests()

    def take(self, frame: Frame) -> None:
        """Process the next frame."""
        self.on_frame(frame, self._fold.observe(frame))

    def on_frame(self, frame: Frame, events: Sequence[Event]) -> None:
        """Process the next frame with the events that the fold derived from it."""
        for event in events:
            self._on_event(frame, event)

    def on_plain_frame(self, taken: FoldedFrames, record: FrameRecord, n: int) -> None:
        """Process the next frame, which is one plain message: a call, its result, progress, or another notification."""
        envelope = envelope_of(record.raw or "")
        if envelope is None:
            return
        if taken.kind == ANSWER:
            self._answered_plainly(taken.exchange, part_of(envelope.result), record.tm, n)
        elif taken.kind == REQUEST:
            self._began(self._fold.exchanges.at(taken.exchange), part_of(envelope.params))
        elif taken.exchange:
            self._told_progress(taken.exchange, part_of(envelope.params).value)
        elif taken.method not in _SAYS_NOTHING:
            self._told_of(taken.method, part_of(envelope.params).value, record.dir, record.ex, n)

    def collected(self, exchanges: Sequence[Exchange] | None = None) -> Operations:
        """Return the collected operations. `exchanges` provide the end of requests that no frame ended."""
        known = self._fold.exchanges if exchanges is None else exchanges
        for number, (account, sent) in self._by_exchange.items():
            if sent is account.sent[-1] and sent.answer_frame is None:
                found = known[number - 1]
                account.state, account.ended_ns = found.state, found.ended_ns
        return Operations([*self._by_operation.values()], self._loose)

    def _on_event(self, frame: Frame, event: Event) -> None:
        if frame.direction.is_of_view:
            return
        match event:
            case RequestSent(exchange=exchange, message=message):
                if exchange.sender is Direction.TO_SERVER:
                    self._began(exchange, message.params_part)
                else:
                    self._asked(frame, exchange, message)
            case Closed(exchange=exchange, message=answer):
                self._closed(exchange, answer)
            case Progressed(exchange=exchange, message=note):
                self._told_progress(exchange.number, note.params)
            case Cancelled(exchange=exchange):
                self._open.remove(exchange.number)
            case Notified(message=note) if note.method not in _SAYS_NOTHING:
                self._told_of(note.method, note.params, frame.direction, frame.http, frame.n)
            case _:
                pass

    def _began(self, exchange: Exchange, params: Part) -> None:
        if exchange.probe or exchange.method in _LEFT_OUT:
            return
        sent = SentRequest(exchange.number, exchange.request_frame, params)
        operation = exchange.operation or 0
        account = self._by_operation.get(operation)
        if account is None:
            account = self._by_operation[operation] = OperationRecord(
                operation,
                exchange.method,
                exchange.target,
                exchange.request_frame,
                exchange.started_ns,
                revision=exchange.revision,
            )
        account.sent.append(sent)
        account.state, account.ended_ns = ExchangeState.PENDING, None
        self._by_exchange[exchange.number] = account, sent
        if exchange.method in _MAY_SPEAK:
            self._open.add(exchange)
        self._note_answers(account, params)

    def _note_answers(self, account: OperationRecord, params: Part) -> None:
        """Copy the answers in a retry to the input requests of the previous result (2026-07-28)."""
        if len(account.sent) < 2 or not account.asked:
            return
        brought = peek.mapping(params.value, "inputResponses")
        before = peek.mapping(account.sent[-2].answer.value, "inputRequests")
        for key, asked in zip(before, account.asked[-len(before) :] if before else (), strict=False):
            asked.answer = brought.get(key)

    def _answered_plainly(self, number: int, result: Part, time_ns: int, n: int) -> None:
        self._open.remove(number)
        if found := self._by_exchange.get(number):
            account, sent = found
            sent.answer, sent.answer_frame = result, n
            account.state, account.ended_ns = ExchangeState.ANSWERED, time_ns

    def _closed(self, exchange: Exchange, message: ResultResponse | ErrorResponse) -> None:
        self._open.remove(exchange.number)
        failed = isinstance(message, ErrorResponse)
        part = message.error_part if isinstance(message, ErrorResponse) else message.result_part
        if server_request := self._server_requests.pop(exchange.number, None):
            server_request.answer, server_request.failed = part.value, failed
        if (found := self._by_exchange.get(exchange.number)) is None:
            return
        account, sent = found
        sent.answer, sent.failed, sent.answer_frame = part, failed, exchange.answer_frame
        account.state, account.ended_ns = exchange.state, exchange.ended_ns
        if exchange.asks and asks_for_input(part.value):
            for asked in peek.mapping(part.value, "inputRequests").values():
                frame = exchange.answer_frame or 0
                record = ServerRequestRecord(peek.text(asked, "method") or "", peek.at(asked, "params"), frame=frame)
                account.asked = _with(account.asked, record)

    def _asked(self, frame: Frame, exchange: Exchange, message: Request) -> None:
        if exchange.method in _LEFT_OUT:
            return
        theirs = exchange.method in KIND_OF_SERVER_REQUEST and exchange.method != "roots/list"
        account = self._owner(frame.http) if theirs else None
        if account is None:
            loose = UnassignedMessage(exchange.method, frame.direction, message.params, frame.n)
            self._server_requests[exchange.number] = loose
            self._loose.append(loose)
            return
        asked = ServerRequestRecord(exchange.method, message.params, frame=frame.n)
        self._server_requests[exchange.number] = asked
        account.asked = _with(account.asked, asked)

    def _told_progress(self, number: int, params: Any) -> None:
        if found := self._by_exchange.get(number):
            members = peek.mapping(params)
            kept = {key: value for key, value in members.items() if key != "progressToken"}
            found[0].progress = _with(found[0].progress, kept)

    def _told_of(self, method: str, params: Any, sender: Direction, http: int | None, n: int) -> None:
        account = self._owner(http) if http is not None and sender is Direction.FROM_SERVER else None
        if account is None:
            self._loose.append(UnassignedMessage(method, sender, params, n))
        elif method == "notifications/message":
            account.logs = _with(account.logs, params)
        else:
            account.notifications = _with(account.notifications, (method, params))

    def _owner(self, http: int | None) -> OperationRecord | None:
        """Return the operation that a server message belongs to; None if unknown."""
        number = self._open.only(http)
        found = self._by_exchange.get(number) if number is not None else None
        return found[0] if found else None


class _OpenRequests:
    """Pending client requests during which a server may send related messages, by their HTTP exchange."""

    def __init__(self) -> None:
        self._carriers: dict[int, int | None] = {}
        self._carried: dict[int | None, dict[int, None]] = {}

    def add(self, exchange: Exchange) -> None:
        self.remove(exchange.number)
        self._carriers[exchange.number] = exchange.http
        self._carried.setdefault(exchange.http, {})[exchange.number] = None

    def remove(self, number: int) -> None:
        if number in self._carriers:
            http = self._carriers.pop(number)
            self._carried[http].pop(number)
            if not self._carried[http]:
                del self._carried[http]

    def only(self, http: int | None) -> int | None:
        """Return the only request on an HTTP exchange, or of all for None; None if there are none or several."""
        found = self._carriers if http is None else self._carried.get(http, {})
        return next(iter(found)) if len(found) == 1 else None


def _with(items: Sequence[T], item: T) -> Sequence[T]:
    """Append an item to a list, or begin one."""
    if isinstance(items, list):
        items.append(item)
        return items
    return [item]


def _joined(pages: Sequence[Any]) -> Any:
    """Merge the pages of a list: arrays are concatenated, the cursor is dropped."""
    whole: dict[str, Any] = {}
    for page in pages:
        for key, value in peek.mapping(page).items():
            before = whole.get(key)
            if isinstance(before, list) and isinstance(value, list):
                before += value
            else:
                whole[key] = [*value] if isinstance(value, list) else value
    whole.pop("nextCursor", None)
    return whole


# Collecting the operations of a capture file in one pass.


def _client(opening: Opening | None) -> str:
    if opening is None or not opening.client:
        return ""
    name = " ".join(filter(None, (peek.text(opening.client, "name"), peek.text(opening.client, "version"))))
    declared = ", ".join(sorted(map(str, opening.client_capabilities))) or "no capabilities"
    return f"{name}, declares {declared}"


def read_operations(path: Path, on_progress: Callable[[int, int], None] | None = None) -> Read:
    """Read the operations of a capture.

    `on_progress` is called with the bytes read and the total bytes.

    Raises: CaptureError if the file is not a capture or must not be read.
    """
    loading = Loading(path)
    conversation = loading.journal.conversation
    collector = OperationCollector(conversation)
    loading.tell(collector)
    journal = finish(loading, on_progress)
    try:
        return Read(collector.collected(conversation.exchanges), journal.notices, _client(conversation.opening))
    finally:
        journal.close()


def write_view(path: Path, view: View, target: Path) -> int:
    """Write the messages of a capture as one party saw them; return how many differ from what was sent.

    `target` must be a new file.

    Raises: OSError.
    """
    edits = {record.of: record for record in _records(path) if isinstance(record, EditRecord) and _decides(record)}
    changed = 0
    with whole_file(target, overwrite=False) as new:
        for record in _records(path):
            if isinstance(record, SumRecord | EndRecord | EditRecord):
                continue
            seen = record
            if isinstance(record, FrameRecord):
                found = _as_seen(record, edits.get(record.n), view)
                changed += found is not record
                if found is None:
                    continue
                seen = found
            new.file.write(to_line(seen))
    return changed


def _records(path: Path) -> Iterator[Record]:
    with path.open("rb") as file:
        for line in file:
            try:
                yield from_line(line)
            except ValueError:
                continue  # unknown or damaged: not compared


def _decides(record: EditRecord) -> bool:
    return record.act in ("drop", "answer") or record.raw is not None or record.b64 is not None


def _as_seen(frame: FrameRecord, edit: EditRecord | None, view: View) -> FrameRecord | None:
    """Return a frame as one party saw it; None if that party did not see it."""
    is_receiver = (frame.dir is Direction.TO_SERVER) == (view == "server")
    if not is_receiver:
        return None if frame.origin in MADE_BY_PROXY else frame
    if edit is None:
        return None if frame.fwd == "dropped" else frame
    if edit.raw is None and edit.b64 is None:
        return None
    return msgspec.structs.replace(frame, raw=edit.raw, b64=edit.b64, len=None)
