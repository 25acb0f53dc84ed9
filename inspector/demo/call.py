"""A request that the demo is answering: what it asks, in which revision, and what goes back where.

Beside it stands the state of the connection it came over.

This file does not know the transport: `reply` leads to the request's own stream, `notify` to whoever listens.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from inspector.demo.eras import Era
from inspector.demo.station import Change, Station

Json = dict[str, Any]
Send = Callable[[Any], Awaitable[None]]
"""Carries one message (or, in a batch, a list of them) towards the client."""

META = "io.modelcontextprotocol/"
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

METHOD_NOT_FOUND = -32601
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
PARSE_ERROR = -32700
RESOURCE_NOT_FOUND = -32002
URL_REQUIRED = -32042
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022


class Refusal(Exception):
    """A request is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data

    def as_error(self) -> Json:
        """The `error` member of the answer."""
        error: Json = {"code": self.code, "message": str(self)}
        if self.data is not None:
            error["data"] = self.data
        return error


class Mishap(Exception):
    """A tool ran and failed: its result carries `isError`."""


@dataclass(frozen=True, slots=True)
class Options:
    """How the demo was started; the defaults make a server without a fault of its own choosing."""

    legacy: bool = True
    modern: bool = True
    page_size: int = 0
    """Items on a page of a list; 0 means all on one."""
    startup_delay: float = 0.0
    """Seconds before the first message is read."""
    crash_on: str | None = None
    """The tool whose call ends the process."""
    with_broken_tool: bool = False
    require_capability: str | None = None
    """A client capability without which a stateless `tools/call` is refused."""
    weather: float = 5.0
    """Seconds after which the barometer changes; 0: never."""


@dataclass(slots=True, eq=False)
class Link:
    """What one connection has settled: a process on stdio, a session on HTTP, one POST in the stateless era."""

    notify: Send
    era: Era | None = None
    """The revision of the handshake; None until `initialize` was answered."""
    log_level: str = "info"
    watched: set[str] = field(default_factory=set)
    """Resources of which the client wants to hear (handshake era)."""
    capabilities: Json = field(default_factory=dict)
    """What the client declared in its handshake."""
    ids: "count[int]" = field(default_factory=lambda: count(1))
    """For requests of our own."""
    waiting: dict[str, "asyncio.Future[Json]"] = field(default_factory=dict)
    """Requests of our own that are not answered yet (handshake era), by id."""
    visits: list[str] = field(default_factory=list)
    """Elicitations that an error told of, by id."""

    async def hear(self, change: Change) -> None:
        """Passes a change on, as the handshake era does: lists unasked, resources to whoever subscribed."""
        if change.what != "resource" or change.uri in self.watched:
            method, params = news(change)
            await self.notify({"jsonrpc": "2.0", "method": method, "params": params})


@dataclass(slots=True)
class Call:
    """One request, being answered."""

    id: str | int
    method: str
    params: Json
    era: Era
    link: Link
    reply: Send
    station: Station
    options: Options

    @property
    def meta(self) -> Json:
        """`_meta` of the request, empty if there is none."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def capabilities(self) -> Json:
        """What the client declared: with this request, or in its handshake."""
        declared = self.meta.get(META + "clientCapabilities") if self.era.stateless else self.link.capabilities
        return declared if isinstance(declared, dict) else {}

    def text(self, name: str) -> str:
        """A string that the params must have. Raises: Refusal."""
        value = self.params.get(name)
        if not isinstance(value, str):
            raise Refusal(INVALID_PARAMS, f"params.{name} must be a string")
        return value

    async def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Tells how far it is, if the request gave a token to tell it with."""
        token = self.meta.get("progressToken")
        if isinstance(token, bool) or not isinstance(token, (str, int)):
            return
        params: Json = {"progressToken": token, "progress": done}
        if total is not None:
            params["total"] = total
        if message and self.era.has("progress.message"):
            params["message"] = message
        await self.tell("notifications/progress", params)

    async def log(self, level: str, data: object, logger: str = "lighthouse") -> None:
        """Sends a log message, if the client wants to see that level."""
        if self._wants(level):
            await self.tell("notifications/message", {"level": level, "logger": logger, "data": data})

    def _wants(self, level: str) -> bool:
        lowest = self.meta.get(META + "logLevel") if self.era.stateless else self.link.log_level
        # Stateless: a request that names no level gets no logs (2026-07-28 server/utilities/logging).
        return lowest in LEVELS and LEVELS.index(level) >= LEVELS.index(lowest)

    async def tell(self, method: str, params: Json) -> None:
        """Sends a notification on the request's own stream."""
        await self.reply({"jsonrpc": "2.0", "method": method, "params": params})


def news(change: Change) -> tuple[str, Json]:
    """Method and params of the notification that tells of a change."""
    if change.what == "resource":
        return "notifications/resources/updated", {"uri": change.uri}
    return f"notifications/{change.what}/list_changed", {}


def mutter(line: str) -> None:
    """Writes a line to stderr, where a server may say what it likes."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def parse(data: bytes) -> Any:
    """Bytes as JSON. Raises: Refusal, whatever is wrong with them."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Refusal(PARSE_ERROR, f"This is not JSON: {error}") from None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def dump(message: object) -> bytes:
    """A message as one line of JSON without its end."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
