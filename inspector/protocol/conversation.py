"""Conversation state, folded from frames: each frame updates the state and returns events.

The state depends only on the frames. It does not depend on which side we are or whether a user is present, so live,
proxied and recorded traffic are handled alike. Invalid input never raises. Results are decoded only where the state
depends on them (lists, openings); of a tool's result, only the flag `isError` is read.
"""

from collections.abc import Callable
from typing import Any, assert_never

import msgspec

from inspector.documents import prepared_type
from inspector.protocol import events, peek
from inspector.protocol.events import Event
from inspector.protocol.exchange_log import ExchangeLog
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Message, Notification, NotJsonRpc, Part, Request, ResultResponse
from inspector.protocol.listed_items import KIND_OF_METHOD
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import find
from inspector.protocol.server_requests import (
    COMPLETE,
    INPUT_REQUIRED,
    KIND_OF_SERVER_REQUEST,
    MAY_ASK,
    ServerRequest,
    Visits,
    server_requests_in,
    visits_in,
)
from inspector.protocol.tracking.catalogue import Catalogue
from inspector.protocol.tracking.exchanges import (
    HttpEnd,
    OperationTracker,
    Pairs,
    goes_on,
    is_same_request,
    what_is_lost,
)
from inspector.protocol.tracking.opening import OpeningTracker, declared_revision
from inspector.protocol.tracking.progress import ProgressTracker
from inspector.protocol.tracking.subscriptions import TELLING_OF_CHANGES, Subscriptions
from inspector.protocol.tracking.tasks import TELLING, News, Tasks, related_task
from inspector.protocol.unreadable import is_unreadable, lose_answered, messages_of
from inspector.text import cut

_TO_SERVER = Direction.TO_SERVER

"""Methods whose result may request input (2026-07-28, basic/patterns/mrtr)."""

FORWARDED = frozenset({"tools/call", "resources/read"})
"""Requests of a View that its host sends to the server (MCP Apps 2026-01-26)."""

_REMEMBERED = {"initialize", "server/discover", *KIND_OF_METHOD}
"""Methods whose results update the state. Their params are kept until the response arrives."""


class Conversation:
    """The state after all frames so far."""

    def __init__(self) -> None:
        self.pairs = Pairs()
        self.progress = ProgressTracker(self.pairs.exchanges)
        self.operations = OperationTracker()
        self.catalogue = Catalogue()
        self.subscriptions = Subscriptions()
        self.tasks = Tasks()
        self._opening = OpeningTracker()
        self.server_requests: list[ServerRequest] = []
        """All server requests for input, oldest first."""
        self.visits = Visits()
        self._awaited: dict[int, Any] = {}
        self._on_notification: dict[str, Callable[[Frame, Notification], list[Event]]] = {
            "notifications/progress": self._progressed,
            "notifications/cancelled": self._cancelled,
            **dict.fromkeys(TELLING, self._task_notified),
        }

    @property
    def opening(self) -> Opening | None:
        """How the conversation was opened; None until a response settles it."""
        return self._opening.opening

    @property
    def exchanges(self) -> ExchangeLog:
        """All exchanges; number n is at position n - 1."""
        return self.pairs.exchanges

    def observe(self, frame: Frame) -> list[Event]:
        """Process a frame. Return its events, in the order of its messages."""
        if frame.http is not None:
            self.pairs.sessions.take(frame)
        messages = messages_of(frame)
        if is_unreadable(frame, messages) and (exchange := lose_answered(frame, messages[0], self.pairs)):
            return [*self.take(frame, messages[0]), self._cut(exchange)]
        if len(messages) == 1:
            return self.take(frame, messages[0])
        return [event for message in messages for event in self.take(frame, message)]

    def end(self, time_ns: int, why: str) -> list[Exchange]:
        """Mark all open exchanges as lost because the connection ended, and return them."""
        lost = self.pairs.lose(time_ns, why)
        for exchange in lost:
            self._awaited.pop(exchange.number, None)
            self.subscriptions.ended(exchange)
        return lost

    def waits_on(self, http: int) -> bool:
        """Return whether a request on this HTTP exchange is still open."""
        return bool(self.pairs.open_on(http))

    def http_ended(self, time_ns: int, end: HttpEnd) -> list[Exchange]:
        """Process the end of an HTTP exchange. Return the exchanges that can no longer get a response on it."""
        lost = self.pairs.lose_on(end.http, time_ns, lambda exchange: what_is_lost(exchange, end))
        for exchange in lost:
            self.subscriptions.ended(exchange)
        return lost

    def take(self, frame: Frame, message: Message) -> list[Event]:
        """Process a message that was already read from a frame, and return its events."""
        if frame.direction.is_of_view:
            return self._of_view(frame, message)
        if not isinstance(message, Request):
            self.pairs.note_other(frame.direction)
        match message:
            case Notification():
                return self._notified(frame, message)
            case Request():
                return self._requested(frame, message)
            case ResultResponse() | ErrorResponse():
                return self._answered(frame, message)
            case NotJsonRpc():
                return [events.Garbled(frame.direction, message)]
            case _:
                assert_never(message)

    def _requested(self, frame: Frame, request: Request) -> list[Event]:
        params = request.params
        declared = declared_revision(params)
        revision = declared or self._opening.revision
        exchange = self.pairs.open(frame, request, target=target_of(request.method, params), revision=revision)
        self.progress.opened(exchange, params)
        task = self.tasks.opened(exchange, params)
        if task is not None and task.operation is not None:
            self.operations.join(exchange, task.operation)
        elif (cause := self._forwarded(exchange, params)) is not None:
            self.operations.join(exchange, cause)
        else:
            self.operations.opened(exchange, params)
        if goes_on(params):
            _note_retry(self.exchanges, self.operations, exchange)
        self.subscriptions.opened(exchange, params)
        if declared and request.method in MAY_ASK:
            self._awaited[exchange.number] = params
        elif declared or request.method in _REMEMBERED:
            self._awaited[exchange.number] = _without_arguments(params)
        opened = events.RequestSent(exchange, request)
        return [opened] if exchange.sender is _TO_SERVER else [opened, *self._input_requested(exchange, params)]

    def _of_view(self, frame: Frame, message: Message) -> list[Event]:
        """Process a message between a View and its host: only its exchange is tracked."""
        match message:
            case Request():
                target = target_of(message.method, message.params)
                exchange = self.pairs.open(frame, message, target=target, revision=None)
                self.operations.begin(exchange)
                if message.method in FORWARDED:
                    self._awaited[exchange.number] = message.params
                return [events.RequestSent(exchange, message)]
            case ResultResponse() | ErrorResponse():
                ended, late = self.pairs.close(frame, message)
                if ended is None:
                    return [events.Orphaned(frame.direction, message)]
                self._awaited.pop(ended.number, None)
                if isinstance(message, ResultResponse) and ended.method == "tools/call":
                    ended.tool_error = _head_of(message.result_part).isError
                self.exchanges.keep(ended)
                return [events.LateResponse(ended, message) if late else events.Closed(ended, message)]
            case Notification():
                return [events.Notified(frame.direction, message)]
            case NotJsonRpc():
                return [events.Garbled(frame.direction, message)]
            case _:
                assert_never(message)

    def _forwarded(self, exchange: Exchange, params: Any) -> int | None:
        """Return the operation of the View's request that the host forwards with this request; None if none waits."""
        if exchange.sender is not _TO_SERVER or exchange.method not in FORWARDED:
            return None
        for asked in self.pairs.oldest_open(Direction.FROM_VIEW):
            own = (asked.method, asked.target) == (exchange.method, exchange.target)
            if own and asked.operation is not None and is_same_request(self._awaited.get(asked.number), params):
                if len(self.operations.operation(asked.operation).exchanges) == 1:
                    return asked.operation
        return None

    def _input_requested(self, exchange: Exchange, params: Any) -> list[Event]:
        """Record a request from the server for user input."""
        kind = KIND_OF_SERVER_REQUEST.get(exchange.method)
        if kind is None:
            return []
        ours = self.pairs.only_open(_TO_SERVER, exchange.http)  # by HTTP stream; on stdio only if a single one is open
        cause = None if ours is None else ours.number
        task = self.tasks.find(related_task(params) or "")
        if task is not None and task.exchange is not None:
            cause = task.exchange
        server_request = ServerRequest(
            kind,
            params,
            exchange.number,
            exchange.request_frame,
            exchange.started_ns,
            cause=cause,
            task=task.id if task else "",
        )
        self.server_requests.append(server_request)
        return [events.ServerRequested(server_request)]

    def _input_requested_in_result(self, exchange: Exchange, params: Any, result: Any) -> list[Event]:
        """Record the requests for input in an `input_required` result."""
        self.operations.asked(exchange, params, result)
        asked = server_requests_in(
            result, exchange=exchange.number, frame=exchange.answer_frame or 0, asked_ns=exchange.ended_ns or 0
        )
        self.server_requests += asked
        return [events.ServerRequested(server_request) for server_request in asked]

    def _visits_requested_in_error(self, exchange: Exchange, error: Any) -> list[Event]:
        """Record the URLs that an error asks the user to visit."""
        asked = visits_in(
            error,
            find(exchange.revision or ""),
            exchange=exchange.number,
            frame=exchange.answer_frame or 0,
            asked_ns=exchange.ended_ns or 0,
        )
        self.server_requests += asked
        return [events.ServerRequested(server_request) for server_request in asked]

    def _answered(self, frame: Frame, message: ResultResponse | ErrorResponse) -> list[Event]:
        exchange, late = self.pairs.close(frame, message)
        if exchange is None:
            refused = self.pairs.refuse(frame, message)
            return [events.Orphaned(frame.direction, message), *([] if refused is None else [self._cut(refused)])]
        found: list[Event] = [events.LateResponse(exchange, message)]
        if not late:
            found = self._closed(frame, exchange, message)
        self.exchanges.keep(exchange)
        return found

    def _cut(self, exchange: Exchange) -> Event:
        self._awaited.pop(exchange.number, None)
        self.subscriptions.ended(exchange)
        return events.Cut(exchange)

    def _closed(self, frame: Frame, exchange: Exchange, message: ResultResponse | ErrorResponse) -> list[Event]:
        found: list[Event] = [events.Closed(exchange, message)]
        found += self._task_news(frame, self.tasks.answered(frame, exchange, message), exchange.number)
        self.subscriptions.ended(exchange)
        params = self._awaited.pop(exchange.number, None)
        if isinstance(message, ErrorResponse) and exchange.sender is Direction.TO_SERVER:
            if exchange.method == "initialize" and exchange.revision is None and self.opening is not None:
                exchange.probe = True  # sent while a slow server had not answered server/discover: this is no failure
            found += self._visits_requested_in_error(exchange, message.error)
            if kind := self.catalogue.refused(exchange, params):
                found.append(events.Catalogued(kind))
        if isinstance(message, ResultResponse):
            if exchange.method in MAY_ASK:
                head = _head_of(message.result_part)
                exchange.tool_error = head.isError and exchange.method == "tools/call"
                exchange.asks = head.resultType == INPUT_REQUIRED
                known = ("task",) if exchange.method == "tools/call" else ()  # only calls become tasks (ext-tasks)
                if head.resultType not in ("", "complete", INPUT_REQUIRED, *known):
                    exchange.why = f"its resultType is {cut(head.resultType, 60)!r}, which this client does not know"
                if exchange.asks:
                    found += self._input_requested_in_result(exchange, params, message.result)
            if exchange.sender is Direction.TO_SERVER:
                found += self._learned(exchange, params, message)
        return found

    def _learned(self, exchange: Exchange, params: Any, message: ResultResponse) -> list[Event]:
        found: list[Event] = []
        if exchange.method not in _REMEMBERED and self._opening.opening is not None:
            return found
        if opening := self._opening.answered(exchange, params, message.result):
            found.append(events.Settled(opening))
        if kind := self.catalogue.answered(exchange, params, message.result):
            self.operations.answered(exchange, message.result)
            found.append(events.Catalogued(kind))
        return found

    def _notified(self, frame: Frame, message: Notification) -> list[Event]:
        if known := self._on_notification.get(message.method):
            return known(frame, message)
        if message.method == COMPLETE:
            self.visits.completed(message.params, frame.time_ns)
        found: list[Event] = [events.Notified(frame.direction, message)]
        if message.method in TELLING_OF_CHANGES:
            self.subscriptions.notified(frame, message.method, message.params)
            found += [events.Outdated(kind) for kind in self.catalogue.changed(message.method)]
        return found

    def _task_notified(self, frame: Frame, message: Notification) -> list[Event]:
        news = self._task_news(frame, self.tasks.notified(frame, message.params_part), None)
        return [events.Notified(frame.direction, message), *news]

    def _task_news(self, frame: Frame, reported_news: list[News], exchange: int | None) -> list[Event]:
        """Return the events for task updates, including new requests for input."""
        found: list[Event] = []
        for news in reported_news:
            asked = news.server_requests(frame, exchange)
            self.server_requests += asked
            found += [events.TaskUpdated(news.task), *map(events.ServerRequested, asked)]
        return found

    def _progressed(self, frame: Frame, message: Notification) -> list[Event]:
        beside = self.pairs.alone_on(frame.http, frame.direction.opposite)
        exchange = self.progress.notified(frame, message.params, self.pairs.sessions.of(frame.http), beside)
        if exchange is None:
            return [events.Notified(frame.direction, message)]
        self.exchanges.keep(exchange)
        return [events.Progressed(exchange, message)]

    def _cancelled(self, frame: Frame, message: Notification) -> list[Event]:
        id_ = peek.request_id(message.params, "requestId")
        if id_ is None:
            return [events.Notified(frame.direction, message)]
        why = peek.text(message.params, "reason") or ""
        exchange = (
            self.pairs.cancel(frame, id_, why)
            or self.subscriptions.end_by_server(frame, id_, why, self.pairs)
            or self.pairs.give_up(frame, id_, why)
        )
        if exchange is None:
            return [events.Notified(frame.direction, message)]
        self._awaited.pop(exchange.number, None)
        self.subscriptions.ended(exchange)
        return [events.Cancelled(exchange, message)]


@prepared_type
class _Head(msgspec.Struct):
    isError: bool = False  # noqa: N815, the name on the wire
    resultType: str = ""  # noqa: N815


def target_of(method: str, params: Any) -> str:
    """Return the target of a request, such as a tool name, a URI or a task id; "" if it has none."""
    if method == "completion/complete":
        return peek.text(params, "ref", "name") or peek.text(params, "ref", "uri") or ""
    for member in ("name", "uri", "taskId", "level", "mode"):
        if found := peek.text(params, member):
            return found
    return ""


def _note_retry(exchanges: ExchangeLog, operations: OperationTracker, retry: Exchange) -> None:
    """Mark the previous exchange of the operation as retried: this request carries its responses."""
    own = operations.operation(retry.operation or 0).exchanges
    before = exchanges[own[-2] - 1] if len(own) > 1 else None
    if before is not None and before.asks:
        before.retried = True
        exchanges.keep(before)


def _without_arguments(params: Any) -> Any:
    """Return a request's params without its payload, which may be large."""
    return {key: value for key, value in peek.mapping(params).items() if key not in ("arguments", "inputResponses")}


def _head_of(result: Part) -> _Head:
    """Decode the flags that classify a result, without decoding the rest."""
    if (head := peek.decoded_as(_Head, result.raw)) is not None:
        return head
    value = result.value
    return _Head(peek.flag(value, "isError") is True, peek.text(value, "resultType") or "")
