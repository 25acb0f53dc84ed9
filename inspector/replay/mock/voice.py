"""The voice: what goes out of an actor, act by act; questions that wait for an answer, and streams that listen.

It knows the order of things and no transport: an outlet is where the messages of a request go, or those of the session.
"""

import asyncio
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, assert_never

from inspector.protocol import jsonrpc, peek
from inspector.protocol.jsonrpc import Part, RequestId
from inspector.protocol.tracking.subscriptions import SUBSCRIPTION_ID, UPDATED, Filter
from inspector.replay.mock.faults import Fault, Kind
from inspector.replay.mock.openings import as_raw
from inspector.replay.mock.performing import Act, Answer, Playing, Put, Send, Tell, Wait, Where, Write
from inspector.replay.mock.stage import Stage


class Outlet(Protocol):
    """Where messages go out."""

    async def send(self, payload: bytes) -> None:
        """Send one message."""

    async def write(self, payload: bytes) -> None:
        """Send bytes that are no message, where that is possible."""

    async def cut(self, payload: bytes) -> None:
        """Send half of this and break off. Whoever called does not come back where the connection carries more."""


class Voice:
    """What one client hears. `common` carries what belongs to no request."""

    def __init__(self, stage: Stage, common: Outlet) -> None:
        self._stage = stage
        self._common = common
        self._asked = 0
        self._answers: dict[RequestId, asyncio.Future[tuple[Part, bool]]] = {}
        self._watchers: dict[object, tuple[RequestId, Filter, Outlet]] = {}

    @contextmanager
    def watched(self, id_: RequestId, wanted: Filter, outlet: Outlet) -> Iterator[None]:
        """For the time of the block, what is wanted goes out there."""
        key = object()
        self._watchers[key] = id_, wanted, outlet
        try:
            yield
        finally:
            del self._watchers[key]

    def answered(self, id_: RequestId | None, part: Part, *, failed: bool) -> None:
        """The client has answered a question."""
        waiting = self._answers.pop(id_, None) if id_ is not None else None
        if waiting is None:
            self._stage.differs(f"the client answered {id_!r}, which nobody asked")
        elif not waiting.done():
            waiting.set_result((part, failed))

    async def drive(self, playing: Playing, own: Outlet, answering: "Answering | None" = None) -> None:
        """Do what the turn says, one act after the other."""
        for act in playing:
            await self._act(act, own, answering)

    async def _act(self, act: Act, own: Outlet, answering: "Answering | None") -> None:
        match act:
            case Wait():
                if act.ns and math.isfinite(self._stage.settings.speed):
                    await asyncio.sleep(act.ns / 1e9 / self._stage.settings.speed)
            case Send():
                await self._send(act, own)
            case Write():
                await own.write(act.payload)
            case Put():
                part, failed = await self._ask(act, own if act.where is Where.OWN else self._common)
                self._stage.compare(act.query, part, failed=failed)
            case Answer():
                if answering is not None:
                    await answering.take(act)
            case Tell():
                self._stage.tell_once(act.text)
            case _:
                assert_never(act)

    async def _send(self, act: Send, own: Outlet) -> None:
        if act.where is Where.LISTENERS or (act.where is Where.WATCH and self._watchers):
            for id_, wanted, outlet in tuple(self._watchers.values()):
                if _wants(wanted, act):
                    meta = peek.mapping(act.params.value, "_meta") | {SUBSCRIPTION_ID: id_}
                    params = peek.mapping(act.params.value) | {"_meta": meta}
                    await outlet.send(jsonrpc.write_notification(act.method, params))
            return
        head = {"jsonrpc": "2.0", "method": act.method}
        there = act.params is not jsonrpc.ABSENT
        payload = jsonrpc.encode(head | ({"params": as_raw(act.params.raw)} if there else {}))
        await (own if act.where is Where.OWN else self._common).send(payload)

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


class Answering:
    """How one request is answered, with the fault that happens to it."""

    def __init__(self, id_: RequestId, own: Outlet, fault: Fault | None) -> None:
        self._id, self.own, self._fault = id_, own, fault
        self.is_final = False
        """Whether an answer went out that is no question."""

    async def take(self, answer: Answer) -> None:
        """Send what the turn came to."""
        await self._send("error" if answer.failed else "result", answer.json)
        self.is_final = not answer.asks

    async def result(self, json: bytes) -> None:
        """Send a result."""
        await self._send("result", json)

    async def error(self, code: int, message: str, data: Any = None) -> None:
        """Send an error."""
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        await self._send("error", jsonrpc.encode(error))

    async def _send(self, member: str, json: bytes) -> None:
        payload = jsonrpc.encode({"jsonrpc": "2.0", "id": self._id, member: as_raw(json)})
        if self._fault is not None and self._fault.kind is Kind.CUT:
            await self.own.cut(payload)
        elif self._fault is not None and self._fault.kind is Kind.MALFORMED:
            await self.own.send(payload[: len(payload) // 2])
        else:
            await self.own.send(payload)


def _wants(wanted: Filter, act: Send) -> bool:
    """Whether a stream was asked to carry this."""
    if act.method == UPDATED:
        uri = peek.text(act.params.value, "uri") or ""
        return any(uri == each or uri.startswith(each) for each in wanted.uris)
    return bool(getattr(wanted, act.method.split("/")[1], False))
