"""Requests of a View that its host forwards to the server: who may call what, cancellation and progress."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

import msgspec

from inspector.capture.format.records import Entry
from inspector.features.apps.context import Denial
from inspector.features.apps.outlet import INVALID, ViewOutlet
from inspector.protocol import events, jsonrpc, peek
from inspector.protocol.apps import app_of
from inspector.protocol.events import Event
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.jsonrpc import ErrorResponse, Request, RequestId, ResultResponse
from inspector.session.session import Session
from inspector.text import cut, visible

FORWARDED = ("resources/read", "resources/list", "resources/templates/list")
"""Methods that are forwarded as they are."""


class Ask(Protocol):
    """Asks the user whether the View may call a tool that is declared to be destructive."""

    async def __call__(self, tool: str, arguments: Any) -> bool: ...


Spawn = Callable[[Coroutine[Any, Any, Any]], object]


class ForwardedCalls:
    """The forwarded requests of the current View."""

    def __init__(self, session: Session, deny: frozenset[Denial], ask: Ask, out: ViewOutlet, spawn: Spawn) -> None:
        self._session, self._deny, self._ask, self._out, self._spawn = session, deny, ask, out, spawn
        self._forwarded: dict[RequestId, Exchange] = {}
        self._tokens: dict[int, RequestId] = {}
        """Progress tokens of the View by the number of the forwarded exchange."""
        self._stop_listening = session.journal.listen(self._on_entry, in_runs=False)

    def forget(self) -> None:
        """Forget all requests: their View has gone."""
        self._forwarded.clear()
        self._tokens.clear()

    def close(self) -> None:
        """Stop following the journal."""
        self._stop_listening()

    async def call(self, request: Request) -> None:
        """Call a tool, if the View may call it and the user agrees."""
        name = peek.text(request.params, "name") or ""
        tools = self._session.journal.conversation.catalogue.tools
        tool = next((each for each in tools if each.name == name), None)
        named = visible(name, limit=100)
        if tool is None:
            self._out.note("refused", f"a call of {named}, which the server does not list")
            self._out.refuse(request, f"the server has no tool {cut(name, 100)}", INVALID)
            return
        link = app_of(tool)
        if link is not None and link.visibility and "app" not in link.visibility:
            self._out.note("refused", f"a call of {named}, whose visibility does not include app")
            self._out.refuse(request, f"an app may not call {cut(name, 100)}: its visibility does not include app")
        elif Denial.CALL in self._deny or (
            tool.destructive and not await self._ask(name, peek.at(request.params, "arguments"))
        ):
            self._out.deny(request, f"a call of {named}", "Tool call denied by user")
        else:
            self._out.note("call", f"the app calls {named}")
            await self.forward(request)

    async def forward(self, request: Request) -> None:
        """Send a request to the server and its response to the View."""
        params = dict(peek.mapping(request.params))
        meta = dict(peek.mapping(params, "_meta"))
        token = meta.pop("progressToken", None)
        params.pop("_meta", None)
        if meta:
            params["_meta"] = meta

        def opened(exchange: Exchange) -> None:
            self._forwarded[request.id] = exchange
            if isinstance(token, int | str):
                self._tokens[exchange.number] = token

        try:
            called = await self._session.call(request.method, params, opened=opened)
        finally:
            self._forwarded.pop(request.id, None)
        match called.reply:
            case Replied(message=ResultResponse() as message):
                self._out.send(_response(request.id, "result", message.result_part.raw))
            case Replied(message=ErrorResponse() as message):
                self._out.send(_response(request.id, "error", message.error_part.raw))
            case _:
                why = why_not(called.reply)
                self._out.note("error", f"{request.method}: {visible(why, limit=200)}")
                self._out.refuse(request, why)

    def cancelled(self, params: Any) -> None:
        """Cancel a forwarded request. It is answered with an error then."""
        id_ = peek.request_id(params, "requestId")
        if id_ is not None and (exchange := self._forwarded.get(id_)) is not None:
            self._spawn(self._session.cancel(exchange, "cancelled by the app"))

    def _on_entry(self, entry: Entry, found: Sequence[Event]) -> None:
        for event in found:
            if isinstance(event, events.Progressed) and (token := self._tokens.get(event.exchange.number)) is not None:
                params = {**peek.mapping(event.message.params), "progressToken": token}
                later = jsonrpc.write_notification("notifications/progress", params)
                asyncio.get_running_loop().call_soon(self._out.send, later)  # this entry is still being recorded


def _response(id_: RequestId, member: str, raw: bytes) -> bytes:
    """Return a response with the server's own bytes."""
    return msgspec.json.encode({"jsonrpc": "2.0", "id": id_, member: msgspec.Raw(raw)})


def why_not(reply: Reply) -> str:
    """Return why a request got no result."""
    match reply:
        case Replied(message=ErrorResponse() as message):
            return f"the server answered with error {message.code}: {message.message}"
        case Silent():
            return f"no response of the server within {reply.seconds:g} s"
        case GivenUp():
            return "the call was cancelled"
        case Refused() | Broken():
            return f"no response of the server: {reply.why or 'the connection was lost'}"
        case _:
            return "no response of the server"
