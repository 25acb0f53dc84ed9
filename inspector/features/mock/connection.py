"""The mock's side of one connection: client messages in, scripted messages out.

It is independent of the transport: an outlet carries the messages of one request or of the session. Work that
outlives a request is spawned on the transport.
"""

import asyncio
import math
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, assert_never

from inspector.features.mock.matching import Empty, Missing, Played
from inspector.features.mock.openings import as_raw, discover_result, initialize_result, served_modern
from inspector.features.mock.playback import (
    Act,
    Manner,
    MockDelay,
    MockNotice,
    Playing,
    Put,
    SendNotification,
    SendResponse,
    StreamChoice,
    Write,
    afterwards,
    perform,
)
from inspector.features.mock.script import LISTEN, Turn, asked_of, key_of
from inspector.features.mock.shared import FaultKind, InjectedFault, MockShared
from inspector.protocol import jsonrpc, peek
from inspector.protocol.jsonrpc import ErrorResponse, Notification, NotJsonRpc, Part, Request, RequestId, read
from inspector.protocol.request_meta import LOG_LEVEL, rank
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import UNSUPPORTED_VERSION
from inspector.protocol.tracking.opening import CLIENT_CAPABILITIES, declared_revision
from inspector.protocol.tracking.subscriptions import ACKNOWLEDGED, SUBSCRIPTION_ID, UPDATED, StreamFilter, read_filter

INVALID_REQUEST, PARSE_ERROR = -32600, -32700


# Outgoing messages of a connection


class Outlet(Protocol):
    """Destination of outgoing messages."""

    async def send(self, payload: bytes) -> None:
        """Send one message."""

    async def write(self, payload: bytes) -> None:
        """Send bytes that are not a message, if the transport can."""

    async def cut(self, payload: bytes) -> None:
        """Send half of the payload and disconnect. Does not return if the connection carries other messages."""


class Sender:
    """Sends messages to one client. `common` carries messages that belong to no request."""

    def __init__(self, shared: MockShared, common: Outlet) -> None:
        self._shared = shared
        self._common = common
        self._asked = 0
        self._answers: dict[RequestId, asyncio.Future[tuple[Part, bool]]] = {}
        self._watchers: dict[object, tuple[RequestId, StreamFilter, Outlet]] = {}

    @contextmanager
    def watched(self, id_: RequestId, wanted: StreamFilter, outlet: Outlet) -> Iterator[None]:
        """Send the notifications that the filter selects to this outlet until the block ends."""
        key = object()
        self._watchers[key] = id_, wanted, outlet
        try:
            yield
        finally:
            del self._watchers[key]

    def answered(self, id_: RequestId | None, part: Part, *, failed: bool) -> None:
        """Pass the client's response to the waiting server request."""
        waiting = self._answers.pop(id_, None) if id_ is not None else None
        if waiting is None:
            self._shared.differs(f"the client answered {id_!r}, which no request has")
        elif not waiting.done():
            waiting.set_result((part, failed))

    async def drive(self, playing: Playing, own: Outlet, answering: "RequestInProgress | None" = None) -> None:
        """Perform the acts of a turn in order."""
        for act in playing:
            await self._act(act, own, answering)

    async def _act(self, act: Act, own: Outlet, answering: "RequestInProgress | None") -> None:
        match act:
            case MockDelay():
                if act.ns and math.isfinite(self._shared.settings.speed):
                    await asyncio.sleep(act.ns / 1e9 / self._shared.settings.speed)
            case SendNotification():
                await self._send(act, own)
            case Write():
                await own.write(act.payload)
            case Put():
                part, failed = await self._ask(act, own if act.where is StreamChoice.OWN else self._common)
                self._shared.compare(act.query, part, failed=failed)
            case SendResponse():
                if answering is not None:
                    await answering.take(act)
            case MockNotice():
                self._shared.report_once(act.text)
            case _:
                assert_never(act)

    async def _send(self, act: SendNotification, own: Outlet) -> None:
        if act.where is StreamChoice.LISTENERS or (act.where is StreamChoice.WATCH and self._watchers):
            for id_, wanted, outlet in tuple(self._watchers.values()):
                if _wants(wanted, act):
                    meta = peek.mapping(act.params.value, "_meta") | {SUBSCRIPTION_ID: id_}
                    params = peek.mapping(act.params.value) | {"_meta": meta}
                    await outlet.send(jsonrpc.write_notification(act.method, params))
            return
        head = {"jsonrpc": "2.0", "method": act.method}
        there = act.params is not jsonrpc.ABSENT
        payload = jsonrpc.encode(head | ({"params": as_raw(act.params.raw)} if there else {}))
        await (own if act.where is StreamChoice.OWN else self._common).send(payload)

    async def _ask(self, act: Put, outlet: Outlet) -> tuple[Part, bool]:
        self._asked += 1
        id_ = self._asked
        waiting: asyncio.Future[tuple[Part, bool]] = asyncio.get_running_loop().create_future()
        self._answers[id_] = waiting
        head = {"jsonrpc": "2.0", "id": id_, "method": act.query.method}
        there = act.query.params is not jsonrpc.ABSENT
        try:
            await outlet.send(jsonrpc.encode(head | ({"params": as_raw(act.query.params.raw)} if there else {})))
            return await waiting
        finally:
            self._answers.pop(id_, None)


class RequestInProgress:
    """A request that is being answered, with the fault that is injected into it."""

    def __init__(self, id_: RequestId, own: Outlet, fault: InjectedFault | None) -> None:
        self._id, self.own, self._fault = id_, own, fault
        self.is_final = False
        """Whether the final response was sent; a response with server requests is not final."""

    async def take(self, answer: SendResponse) -> None:
        """Send the response that the turn yields."""
        await self._send("error" if answer.failed else "result", answer.json)
        self.is_final = not answer.asks

    async def result(self, json: bytes) -> None:
        await self._send("result", json)

    async def error(self, code: int, message: str, data: Any = None) -> None:
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        await self._send("error", jsonrpc.encode(error))

    async def _send(self, member: str, json: bytes) -> None:
        payload = jsonrpc.encode({"jsonrpc": "2.0", "id": self._id, member: as_raw(json)})
        if self._fault is not None and self._fault.kind is FaultKind.CUT:
            await self.own.cut(payload)
        elif self._fault is not None and self._fault.kind is FaultKind.MALFORMED:
            await self.own.send(payload[: len(payload) // 2])
        else:
            await self.own.send(payload)


Spawn = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


def _wants(wanted: StreamFilter, act: SendNotification) -> bool:
    """Return whether a stream's filter selects this notification."""
    if act.method == UPDATED:
        uri = peek.text(act.params.value, "uri") or ""
        return any(uri == each or uri.startswith(each) for each in wanted.uris)
    return bool(getattr(wanted, act.method.split("/")[1], False))


class MockConnection:
    """The mock server of one client. `common` carries messages that belong to no request."""

    def __init__(self, shared: MockShared, common: Outlet, spawn: Spawn) -> None:
        self._shared = shared
        self._common = common
        self._spawn = spawn
        self._played = Played()
        self._capabilities: dict[str, Any] = {}
        self._level = 0
        self._voice = Sender(shared, common)
        self._running: dict[RequestId, asyncio.Task[Any]] = {}

    async def take(self, payload: bytes, own: Outlet, entry: int = 0) -> None:
        """Process a frame of the client; return when its requests are answered.

        `entry` is the frame's number in the mock's own recording.
        """
        for message in read(payload):
            match message:
                case Request():
                    await self._request(message, own, entry)
                case Notification():
                    self._notified(message)
                case jsonrpc.ResultResponse():
                    self._voice.answered(message.id, message.result_part, failed=False)
                case ErrorResponse():
                    self._voice.answered(message.id, message.error_part, failed=True)
                case NotJsonRpc():
                    await own.send(jsonrpc.write_error(None, PARSE_ERROR, f"Parse error: {message.reason}"))
                case _:
                    assert_never(message)

    def close(self) -> None:
        """Cancel all running work, because the client has disconnected."""
        for task in tuple(self._running.values()):
            task.cancel()

    # --- client messages other than requests

    def _notified(self, message: Notification) -> None:
        if message.method == "notifications/cancelled":
            id_ = peek.request_id(message.params, "requestId")
            if id_ is not None and (task := self._running.get(id_)) is not None:
                task.cancel()
            return
        turn = self._shared.book.note(message.method, self._played)
        if turn is not None:
            self._spawn(self._reply_to_notification(turn))

    async def _reply_to_notification(self, turn: Turn) -> None:
        manner = Manner(Era.LEGACY, self._capabilities, level=self._level)
        await self._voice.drive(perform(turn, manner), self._common)
        await self._voice.drive(afterwards(turn, manner), self._common)

    # --- requests

    async def _request(self, request: Request, own: Outlet, entry: int) -> None:
        async with asyncio.TaskGroup() as group:  # so that the client can cancel this one
            work = group.create_task(self._answer_request(request, own, entry))
            self._running[request.id] = work
            work.add_done_callback(lambda done: self._forget(request.id, done))

    def _forget(self, id_: RequestId, done: asyncio.Task[Any]) -> None:
        if self._running.get(id_) is done:
            del self._running[id_]

    async def _answer_request(self, request: Request, own: Outlet, entry: int) -> None:
        fault = self._shared.next_fault(entry)
        if fault is not None:
            self._shared.tell(f"fault: {fault.text} ({request.method})")
            if fault.kind is FaultKind.DROP:
                await asyncio.Event().wait()  # until the client cancels it or disconnects
            if fault.kind is FaultKind.DELAY:
                await asyncio.sleep(fault.seconds)
            if fault.kind is FaultKind.ERROR:
                await own.send(jsonrpc.write_error(request.id, fault.code, "an error on demand"))
                return
        await self._serve(request, own, fault)

    async def _serve(self, request: Request, own: Outlet, fault: InjectedFault | None) -> None:
        shared, method, params = self._shared, request.method, request.params
        era = Era.LEGACY if declared_revision(params) is None else Era.MODERN
        answering = RequestInProgress(request.id, own, fault)
        if why := shared.refusal_of(era) if method != "server/discover" or era is Era.MODERN else "":
            await answering.error(*self._refused(era, params, why))
            return
        if method == "ping":
            await answering.result(b"{}")
        elif method == "initialize":
            shared.meets(Era.LEGACY)
            await self._initialize(params, answering)
        elif method == "server/discover":
            await self._discover(params, era, answering)
        elif era is Era.MODERN and not self._knows(params):
            await answering.error(*self._unsupported(params))
        elif method == LISTEN and era is Era.MODERN:
            await self._listen(request, own)
        else:
            shared.meets(era)
            await self._look_up(request, era, answering)

    def _knows(self, params: Any) -> bool:
        return declared_revision(params) in served_modern(self._shared.script)

    def _refused(self, era: Era, params: Any, why: str) -> tuple[int, str, Any]:
        if era is Era.LEGACY:
            supported = list(served_modern(self._shared.script))
            asked = peek.text(params, "protocolVersion") or ""
            return UNSUPPORTED_VERSION, why, {"supported": supported, "requested": asked}
        return -32601, why, None

    def _unsupported(self, params: Any) -> tuple[int, str, Any]:
        asked = declared_revision(params) or ""
        data = {"supported": list(served_modern(self._shared.script)), "requested": asked}
        return UNSUPPORTED_VERSION, f"Unsupported protocol version: {asked}", data

    async def _initialize(self, params: Any, answering: RequestInProgress) -> None:
        self._played = Played()
        self._capabilities = peek.mapping(params, "capabilities")
        result, word = initialize_result(self._shared.script, peek.text(params, "protocolVersion") or "")
        if word:
            self._shared.report_once(word)
        turn, manner = self._shared.script.first("initialize"), Manner(Era.LEGACY, self._capabilities)
        if turn is not None:
            await self._voice.drive(_before_the_answer(turn, manner), self._common)
        await answering.result(result)
        if turn is not None:
            self._after(turn, manner)

    async def _discover(self, params: Any, era: Era, answering: RequestInProgress) -> None:
        turn = self._shared.recorded_discovery()
        if turn is None and era is Era.MODERN:
            if not self._knows(params):
                await answering.error(*self._unsupported(params))
                return
            self._shared.meets(Era.MODERN)
            await answering.result(discover_result(self._shared.script))
        elif turn is not None and turn.is_answered:
            self._shared.report_once("server/discover is answered as it was recorded; --era both has it served")
            manner = Manner(era, level=None)
            await self._voice.drive(perform(turn, Manner(turn.era or era, level=None)), answering.own, answering)
            self._after(turn, manner)
        else:
            await answering.error(-32601, "Method not found: server/discover")

    async def _look_up(self, request: Request, era: Era, answering: RequestInProgress) -> None:
        shared, params = self._shared, request.params
        asked = asked_of(params)
        manner = self._manner(era, params)
        if isinstance(params, dict) and ("inputResponses" in params or "requestState" in params):
            if (resumed := shared.resumed(request.method, params, key_of(asked))) is not None:
                shared.take_answers(*resumed, params)
                await self._play(resumed[0], manner, answering, begin=resumed[1] + 1)
                return
        if request.method.startswith("tasks/") and era is not shared.script.era:
            await answering.error(-32601, f"Method not found: {request.method}")
            return
        found = shared.book.find(request.method, asked, self._played, era)
        if isinstance(found, Missing):
            shared.differs(f"{request.method}: {found.message}", always=True)
            await answering.error(found.code, found.message, found.data)
            return
        if request.method == "logging/setLevel":
            self._level = rank(peek.at(params, "level")) or 0
        if isinstance(found, Empty):
            await answering.result(b"{}")
            return
        if found.word:
            shared.differs(found.word, always=True)
        await self._play(found.turn, manner, answering, again=found.again)

    def _manner(self, era: Era, params: Any) -> Manner:
        token = peek.request_id(params, "_meta", "progressToken")
        if era is Era.LEGACY:
            return Manner(era, self._capabilities, token, self._level)
        return Manner(
            era, peek.mapping(params, "_meta", CLIENT_CAPABILITIES), token, rank(peek.at(params, "_meta", LOG_LEVEL))
        )

    async def _play(
        self, turn: Turn, manner: Manner, answering: RequestInProgress, *, begin: int = 0, again: bool = False
    ) -> None:
        await self._voice.drive(perform(turn, manner, begin), answering.own, answering)
        if not turn.is_answered:
            await asyncio.Event().wait()  # until the client cancels it or disconnects
        if not again and answering.is_final:
            self._after(turn, manner)

    def _after(self, turn: Turn, manner: Manner) -> None:
        if turn.after:
            self._spawn(self._voice.drive(afterwards(turn, manner), self._common))

    async def _listen(self, request: Request, own: Outlet) -> None:
        """Acknowledge the requested notifications, and keep the stream open until the client closes it."""
        self._shared.meets(Era.MODERN)
        wanted = peek.at(request.params, "notifications")
        meta = {SUBSCRIPTION_ID: request.id}
        params = {"_meta": meta, "notifications": wanted if isinstance(wanted, dict) else {}}
        await own.send(jsonrpc.write_notification(ACKNOWLEDGED, params))
        with self._voice.watched(request.id, read_filter(wanted), own):
            if (turn := self._shared.script.first(LISTEN)) is not None:
                self._after(turn, self._manner(Era.MODERN, request.params))
                self._spawn(self._voice.drive(perform(turn, self._manner(Era.MODERN, request.params)), own))
            await asyncio.Event().wait()


def _before_the_answer(turn: Turn, manner: Manner) -> Playing:
    """Yield the acts of a turn before its response, which is generated instead."""
    for act in perform(turn, manner):
        if isinstance(act, SendResponse):
            return
        yield act
