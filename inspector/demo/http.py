"""The demo over HTTP: `/mcp` for both shapes of Streamable HTTP, `/sse` and `/messages` for HTTP+SSE.

This file knows addresses, methods and the stateless shape; what a session is stands in `http_sessions.py`.
"""

import asyncio
import dataclasses
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from inspector.demo import asking, eras, headers, methods, opening, tools
from inspector.demo.call import (
    INVALID_REQUEST,
    META,
    METHOD_NOT_FOUND,
    Json,
    Link,
    Options,
    Refusal,
    mutter,
    parse,
)
from inspector.demo.http_sessions import OldSessions, Sessions
from inspector.demo.server import DemoServer
from inspector.demo.station import Station
from inspector.demo.streams import Outbox, refused, respond
from inspector.demo.toolkit import Tool
from inspector.demo.weather import blow
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener

BAD_REQUEST, NOT_FOUND, NOT_ALLOWED, NOT_ACCEPTABLE, WRONG_TYPE = 400, 404, 405, 406, 415


async def serve(port: int, options: Options) -> None:
    """Serve on a port of this machine (0: a free one) until cancelled. Its address is the first line on stderr."""
    await asyncio.sleep(options.startup_delay)
    station = Station()
    async with asyncio.TaskGroup() as tasks, Listener(Site(tasks, options, station).answer, port=port) as listener:
        tasks.create_task(blow(station, options.weather))
        mutter(f"{opening.IDENTITY['title']} is lit at {listener.url}/mcp")
        if options.legacy:
            mutter(f"the old way in (HTTP+SSE) is {listener.url}/sse")
        await asyncio.Event().wait()


class Site:
    """Answers HTTP requests. Running calls live in `tasks`."""

    def __init__(self, tasks: asyncio.TaskGroup, options: Options, station: Station | None = None) -> None:
        self.station = station or Station()
        self._tasks = tasks
        self._options = options
        self._stateless_options = dataclasses.replace(options, legacy=False)
        self.sessions = Sessions(tasks, self.station, options)
        self.old_sessions = OldSessions(tasks, self.station, options)

    async def answer(self, request: HttpRequest) -> HttpResponse:
        """The handler of a Listener."""
        where = urlsplit(request.target)
        match where.path, request.method:
            case "/mcp", "POST":
                return await self._post(request)
            case "/mcp", "GET" | "DELETE" if self._options.legacy and not _is_stateless(request, None):
                return self.sessions.get(request) if request.method == "GET" else self.sessions.delete(request)
            case "/sse", "GET" if self._options.legacy:
                return self.old_sessions.open()
            case "/messages", "POST" if self._options.legacy:
                name = parse_qs(where.query).get("session", [""])[0]
                return self.old_sessions.post(name, request)
            case "/mcp" | "/sse" | "/messages", _:
                return _plain(NOT_ALLOWED, "Method not allowed")
            case _:
                return _plain(NOT_FOUND, "Nothing but sea; the server is at /mcp")

    async def _post(self, request: HttpRequest) -> HttpResponse:
        if fault := _carelessness(request):
            return fault
        try:
            message = parse(request.body)
        except Refusal as refusal:
            return refused(BAD_REQUEST, refusal)
        if self._options.modern and (not self._options.legacy or _is_stateless(request, message)):
            return await self._stateless(request, message)
        return await self.sessions.post(request, message)

    async def _stateless(self, request: HttpRequest, message: Any) -> HttpResponse:
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return refused(BAD_REQUEST, Refusal(INVALID_REQUEST, "The body is one request"))
        if "id" not in message:
            return HttpResponse(202)
        try:
            self._vet(request, message)
        except Refusal as refusal:
            status = NOT_FOUND if refusal.code == METHOD_NOT_FOUND else BAD_REQUEST
            return refused(status, refusal, message["id"])
        outbox = Outbox()
        server = DemoServer(self.station, self._stateless_options, outbox.put)
        return await respond(self._tasks, server.handle(message, outbox.put), outbox, ends_with_stream=True)

    def _vet(self, request: HttpRequest, message: Json) -> None:
        """Whatever has an HTTP status of its own is found before the request is handled. Raises: Refusal."""
        params = message.get("params", {})
        params = params if isinstance(params, dict) else {}
        opening.era_of(message["method"], params, Link(Outbox().put), self._stateless_options)
        headers.check(message, _lowered(request), self._schema_of(params.get("name")))
        if message["method"] not in methods.MODERN:
            raise Refusal(METHOD_NOT_FOUND, f"Method not found: {message['method']}")
        if message["method"] == "tools/call":
            methods.demand_capability(self._options, params["_meta"])
            self._vet_tool(params)

    def _vet_tool(self, params: Json) -> None:
        tool, arguments = self._tool(params.get("name")), params.get("arguments")
        if tool is not None and tool.needs is not None:
            needed = tool.needs(arguments if isinstance(arguments, dict) else {})
            asking.demand(params["_meta"][META + "clientCapabilities"], needed, stateless=True)

    def _schema_of(self, name: object) -> Any:
        tool = self._tool(name)
        return None if tool is None else tool.input_schema

    def _tool(self, name: object) -> Tool | None:
        there = tools.catalogue(self.station, self._options)
        return next((tool for tool in there if tool.name == name), None)


def _lowered(request: HttpRequest) -> Mapping[str, str]:
    return {name.lower(): value for name, value in reversed(request.headers)}


def _is_stateless(request: HttpRequest, message: Any) -> bool:
    """A body that declares its revision, or a header that names a stateless one."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    declares = isinstance(meta, dict) and META + "protocolVersion" in meta
    return declares or request.header("mcp-protocol-version") in eras.MODERN


def _carelessness(request: HttpRequest) -> HttpResponse | None:
    """What the carriage asks of every POST: both kinds of answer accepted, and JSON sent."""
    accepted = {part.partition(";")[0].strip() for part in (request.header("accept") or "").split(",")}
    if "*/*" not in accepted and not accepted >= {"application/json", "text/event-stream"}:
        return _plain(NOT_ACCEPTABLE, "Accept must name application/json and text/event-stream")
    if (request.header("content-type") or "").partition(";")[0].strip().lower() != "application/json":
        return _plain(WRONG_TYPE, "Content-Type must be application/json")
    return None


def _plain(status: int, words: str) -> HttpResponse:
    return HttpResponse(status, (("Content-Type", "text/plain; charset=utf-8"),), words.encode() + b"\n")
