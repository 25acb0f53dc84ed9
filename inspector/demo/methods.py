"""The demo server without a transport: a message in, messages out; one function per method.

The functions return the newest revision's result. What an older revision does not know is removed here, and what
every result of the stateless era has is added in `finish`.

One DemoServer serves one connection: a process on stdio, a session on HTTP, a single POST in the stateless era. Each
message is handled in a task of its own, so that a slow tool blocks no other request. The era is determined for each
request, so both can be used on one connection.
"""

import asyncio
import base64
import binascii
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.demo import call as eras
from inspector.demo import extensions, tasks, tools
from inspector.demo import resources as prompts
from inspector.demo.call import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    LEVELS,
    META,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    UNSUPPORTED_VERSION,
    DemoConnection,
    DemoEra,
    DemoError,
    DemoFault,
    DemoOptions,
    DemoRequest,
    InputRequired,
    Json,
    Send,
    demand,
    dump,
    news,
    write_stderr,
)
from inspector.demo.extensions import EXTENSION as SKILLS
from inspector.demo.state import DemoState, StationChange
from inspector.demo.tasks import CAPABILITY as TASKS_CAPABILITY
from inspector.demo.tasks import EXTENSION as TASKS
from inspector.demo.toolkit import DemoTool, complaints, icons, result, text

LIGHTHOUSE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#c8402f" d="M10 8h4l2 14H8z"/>'
    '<path fill="#f4e9c9" d="M9.5 12h5l.3 3H9.2z"/><path fill="#f6c945" d="M10 4h4v3h-4zM1 3l7 2v1L1 8z'
    'M23 3l-7 2v1l7 2z"/>'
    "</svg>"
)

IDENTITY: Json = {
    "name": "gull-rock-lighthouse",
    "version": "1.8.71",
    "title": "Gull Rock Lighthouse",
    "description": "Demo server with every feature of MCP",
    "icons": icons(LIGHTHOUSE),
}

INSTRUCTIONS = (
    "A demo server with every feature of MCP. Call `all_content` for all content types, `long_running` for "
    "progress, `complex_form` for a nested form. `destructive_call` deletes data, `hostile_text` returns control "
    "characters."
)

_FRESH_FOR_MS = {
    "server/discover": 3_600_000,
    "tools/list": 60_000,
    "prompts/list": 3_600_000,
    "resources/list": 3_600_000,
    "resources/templates/list": 3_600_000,
    "resources/read": 0,
    "skills/list": 3_600_000,
    "skills/get": 3_600_000,
}


Handler = Callable[[DemoRequest], Awaitable[Json]]


@dataclass(slots=True)
class _Running:
    task: asyncio.Task[Any] | None
    given_up: bool = False


def era_of(method: str, params: Json, link: DemoConnection, options: DemoOptions) -> DemoEra:
    """Return the revision of a request. Raises: DemoError if it names one that is not supported."""
    meta = params.get("_meta")
    if options.modern and isinstance(meta, dict) and META + "protocolVersion" in meta:
        return _declared(meta)
    if method == "initialize":
        if options.legacy:
            return eras.NEWEST_LEGACY
        raise _unsupported(params.get("protocolVersion"))
    if link.era is not None:
        return link.era
    if options.legacy and method == "ping":
        return eras.NEWEST_LEGACY
    if options.modern:
        raise DemoError(INVALID_PARAMS, f"params._meta needs {META}protocolVersion, or send initialize first")
    if method == "server/discover":
        raise DemoError(METHOD_NOT_FOUND, "Method not found: server/discover")
    raise DemoError(INVALID_REQUEST, "Send initialize first")


def _declared(meta: Json) -> DemoEra:
    version = meta[META + "protocolVersion"]
    if not isinstance(version, str):
        raise DemoError(INVALID_PARAMS, f"_meta {META}protocolVersion must be a string")
    if version not in eras.MODERN:
        raise _unsupported(version)
    if not isinstance(meta.get(META + "clientCapabilities"), dict):
        raise DemoError(INVALID_PARAMS, f"_meta needs {META}clientCapabilities, an object")
    if meta.get(META + "logLevel", LEVELS[0]) not in LEVELS:
        raise DemoError(INVALID_PARAMS, f"_meta {META}logLevel must be one of {', '.join(LEVELS)}")
    return eras.MODERN[version]


def _unsupported(requested: object) -> DemoError:
    wanted = requested if isinstance(requested, str) else ""
    data = {"supported": list(eras.MODERN), "requested": wanted}
    return DemoError(UNSUPPORTED_VERSION, f"Unsupported protocol version: {wanted}", data)


def capabilities(era: DemoEra) -> Json:
    """Return the capabilities that the server advertises."""
    able: Json = {"logging": {}, "prompts": {}, "resources": {"subscribe": True}, "tools": {"listChanged": True}}
    if era.has("completions"):
        able["completions"] = {}
    if era.stateless:
        able["extensions"] = {SKILLS: {"directoryRead": True}, TASKS: {}}
    elif era.has("tasks"):
        able["tasks"] = TASKS_CAPABILITY
    return able


async def initialize(call: DemoRequest) -> Json:
    """Settle the revision of the connection."""
    if call.link.era is not None:
        raise DemoError(INVALID_REQUEST, "This connection is already initialized")
    call.text("protocolVersion")
    era = eras.counter_offer(call.params["protocolVersion"])
    call.link.era = era
    declared = call.params.get("capabilities")
    call.link.capabilities = declared if isinstance(declared, dict) else {}
    call.station.listeners.add(call.link.hear)
    return {
        "protocolVersion": era.name,
        "capabilities": capabilities(era),
        "serverInfo": eras.trim("implementation", IDENTITY, era),
        "instructions": INSTRUCTIONS,
    }


async def discover(call: DemoRequest) -> Json:
    """Return the supported stateless revisions; the others are settled by `initialize`."""
    return {
        "supportedVersions": list(eras.MODERN),
        "capabilities": capabilities(call.era),
        "instructions": INSTRUCTIONS,
    }


def _page(items: Sequence[Json], call: DemoRequest, key: str) -> Json:
    size = call.options.page_size or len(items)
    start = _start(call.params.get("cursor"))
    if start > len(items):
        raise DemoError(INVALID_PARAMS, "Invalid cursor for this list")
    page: Json = {key: list(items[start : start + size])}
    if start + size < len(items):
        page["nextCursor"] = base64.urlsafe_b64encode(f"from {start + size}".encode()).decode()
    return page


def _start(cursor: object) -> int:
    if cursor is None:
        return 0
    try:
        word, number = base64.urlsafe_b64decode(str(cursor)).decode().split(" ")
        if word == "from" and number.isascii() and number.isdecimal() and len(number) < 9:
            return int(number)
    except (ValueError, binascii.Error):
        pass
    raise DemoError(INVALID_PARAMS, "Invalid cursor")


async def ping(call: DemoRequest) -> Json:
    """Return an empty result."""
    return {}


async def list_tools(call: DemoRequest) -> Json:
    there = tools.listed_for(call.capabilities, tools.catalogue(call.station))
    page = _page([eras.trim("tool", tool.definition, call.era) for tool in there], call, "tools")
    # The list without the tools that send requests is the same for all clients; with them it depends on capabilities.
    return {**page, "cacheScope": "private"} if any(tool.needs for tool in there) and call.era.stateless else page


async def call_tool(call: DemoRequest) -> Json:
    """Run a tool. A failing tool returns a result with `isError`; an invalid call is an error."""
    tool = _tool(call)
    try:
        arguments = _arguments(call, tool)
        if tool.needs is not None:
            demand(call.capabilities, tool.needs(arguments), stateless=call.era.stateless)
        if (handle := tasks.begun(call, tool.task, lambda: tool.begun(call, arguments))) is not None:
            return handle
        made = await tool.run(call, arguments)
    except InputRequired as required:
        return required.as_result()
    except DemoFault as mishap:
        made = {**result(text(str(mishap))), "isError": True}
    if "structuredContent" in made:
        # "a tool that returns structured content SHOULD also return the serialized JSON in a TextContent block"
        made["content"].append(text(json.dumps(made["structuredContent"], ensure_ascii=False)))
    return eras.fit_result(made, call.era)


def _tool(call: DemoRequest) -> DemoTool:
    name = call.text("name")
    for tool in tools.catalogue(call.station):
        if tool.name == name:
            return tool
    raise DemoError(INVALID_PARAMS, f"Unknown tool: {name}", {"tool": name})


def _arguments(call: DemoRequest, tool: DemoTool) -> Json:
    arguments = call.params.get("arguments", {})
    if not isinstance(arguments, dict):
        raise DemoError(INVALID_PARAMS, "params.arguments must be an object")
    if wrong := complaints(tool.input_schema, arguments):
        raise DemoFault("Invalid arguments:\n" + "\n".join(f"- {sentence}" for sentence in wrong))
    return arguments


async def list_tasks(call: DemoRequest) -> Json:
    """Return a page of tasks (2025-11-25)."""
    return _page([tasks.task_json(task, stateless=False) for task in call.station.tasks.listed()], call, "tasks")


async def list_resources(call: DemoRequest) -> Json:
    return _page([eras.trim("resource", item, call.era) for item in prompts.listed()], call, "resources")


async def list_templates(call: DemoRequest) -> Json:
    """Return a page of resource templates."""
    items = [eras.trim("template", item, call.era) for item in prompts.templates()]
    return _page(items, call, "resourceTemplates")


async def read_resource(call: DemoRequest) -> Json:
    """Return the resource of a URI."""
    uri = call.text("uri")
    contents = prompts.read(uri, call.station) or extensions.read_app(uri)
    if contents is None and call.era.stateless:
        contents = extensions.read(uri)
    if contents is None:
        # An unknown resource is now an invalid param, and never empty contents (2026-07-28 server/resources).
        code = INVALID_PARAMS if call.era.stateless else RESOURCE_NOT_FOUND
        raise DemoError(code, f"Resource not found: {uri}", {"uri": uri})
    return {"contents": contents}


async def list_skills(call: DemoRequest) -> Json:
    return _page(extensions.entries(), call, "skills")


async def read_directory(call: DemoRequest) -> Json:
    """Return a page of a directory of a skill."""
    return _page(extensions.children(call.text("uri")), call, "resources")


async def list_prompts(call: DemoRequest) -> Json:
    return _page([eras.fit_prompt(item, call.era) for item in prompts.listed_prompts()], call, "prompts")


async def get_prompt(call: DemoRequest) -> Json:
    """Return a prompt, filled in."""
    arguments = call.params.get("arguments", {})
    if not isinstance(arguments, dict) or not all(isinstance(value, str) for value in arguments.values()):
        raise DemoError(INVALID_PARAMS, "params.arguments must be an object of strings")
    talk = prompts.get(call.text("name"), arguments, call.station)
    for message in talk["messages"]:
        message["content"] = eras.fit_content(message["content"], call.era)
    return talk


async def complete(call: DemoRequest) -> Json:
    """Return completions of an argument."""
    ref, argument = call.params.get("ref"), call.params.get("argument")
    if not isinstance(ref, dict) or not isinstance(argument, dict):
        raise DemoError(INVALID_PARAMS, "params.ref and params.argument must be objects")
    name, so_far = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(so_far, str):
        raise DemoError(INVALID_PARAMS, "params.argument needs a name and a value, both strings")
    return {"completion": prompts.complete(ref, name, so_far)}


async def set_level(call: DemoRequest) -> Json:
    """Set the minimum level of log messages on this connection."""
    level = call.text("level")
    if level not in LEVELS:
        raise DemoError(INVALID_PARAMS, f"level must be one of {', '.join(LEVELS)}")
    call.link.log_level = level
    return {}


async def subscribe(call: DemoRequest) -> Json:
    """Subscribe this connection to a resource."""
    call.link.watched.add(call.text("uri"))
    return {}


async def unsubscribe(call: DemoRequest) -> Json:
    """Cancel a subscription."""
    call.link.watched.discard(call.text("uri"))
    return {}


async def listen(call: DemoRequest) -> Json:
    """Send the requested change notifications until cancelled; there is no other response."""
    asked = call.params.get("notifications")
    if not isinstance(asked, dict):
        raise DemoError(INVALID_PARAMS, "params.notifications must be an object")
    honoured = _honoured(asked)
    mark = {META + "subscriptionId": call.id}
    await call.tell("notifications/subscriptions/acknowledged", {"notifications": honoured, "_meta": mark})

    async def hear(change: StationChange) -> None:
        if change.uri in honoured.get("resourceSubscriptions", ()) or (
            change.what == "tools" and honoured.get("toolsListChanged")
        ):
            method, params = news(change)
            await call.tell(method, {**params, "_meta": mark})

    call.station.listeners.add(hear)
    try:
        await asyncio.Event().wait()
    finally:
        call.station.listeners.discard(hear)
    return {"_meta": mark}


def _honoured(asked: Json) -> Json:
    honoured: Json = {}
    if asked.get("toolsListChanged") is True:
        honoured["toolsListChanged"] = True
    wanted = asked.get("resourceSubscriptions")
    if isinstance(wanted, list):
        honoured["resourceSubscriptions"] = [uri for uri in wanted if isinstance(uri, str)]
    return honoured


_BOTH: dict[str, Handler] = {
    "tools/list": list_tools,
    "tools/call": call_tool,
    "resources/list": list_resources,
    "resources/templates/list": list_templates,
    "resources/read": read_resource,
    "prompts/list": list_prompts,
    "prompts/get": get_prompt,
    "completion/complete": complete,
}

LEGACY: dict[str, Handler] = _BOTH | {
    "initialize": initialize,
    "ping": ping,
    "logging/setLevel": set_level,
    "resources/subscribe": subscribe,
    "resources/unsubscribe": unsubscribe,
    "tasks/get": tasks.get,
    "tasks/result": tasks.result,
    "tasks/list": list_tasks,
    "tasks/cancel": tasks.cancel,
}

MODERN: dict[str, Handler] = _BOTH | {
    "server/discover": discover,
    "subscriptions/listen": listen,
    "tasks/get": tasks.get,
    "tasks/update": tasks.update,
    "tasks/cancel": tasks.cancel,
    "skills/list": list_skills,
    "skills/get": extensions.get_skill,
    "resources/directory/read": read_directory,
}


def finish(call: DemoRequest, made: Json) -> Json:
    """Add what every result of its era has (2026-07-28: resultType, server info, cache hints)."""
    if not call.era.stateless:
        return made
    meta = {META + "serverInfo": eras.trim("implementation", IDENTITY, call.era), **made.get("_meta", {})}
    finished = {"resultType": "complete", **made, "_meta": meta}
    if call.method in _FRESH_FOR_MS:
        finished["ttlMs"] = _FRESH_FOR_MS[call.method]
        finished.setdefault("cacheScope", "public")
    return finished


class DemoServer:
    """The server's side of one connection.

    `notify` sends messages that belong to no request. `close` must be called after the last message.
    """

    def __init__(self, station: DemoState, options: DemoOptions, notify: Send) -> None:
        self.link = DemoConnection(notify)
        self._station = station
        self._options = options
        self._running: dict[bytes, _Running] = {}

    def close(self) -> None:
        """Stop sending change notifications on this connection; safe to call twice."""
        self._station.listeners.discard(self.link.hear)
        for waiting in self.link.waiting.values():
            waiting.cancel()

    async def handle(self, message: Any, reply: Send) -> None:
        """Handle one parsed message to its end.

        `reply` is called with the request's notifications and then its response. There is none for a notification or
        a cancelled request. Never raises because of a message's content.
        """
        if isinstance(message, list):
            await self._batch(message, reply)
        elif not isinstance(message, dict):
            await reply(self.error_without_id(DemoError(INVALID_REQUEST, "A message must be an object")))
        elif "method" in message and "id" in message:
            await self._request(message, reply)
        elif "method" in message:
            self._notification(message)
        elif "result" in message or "error" in message:
            self._answered(message)
        else:
            await reply(
                self.error_without_id(DemoError(INVALID_REQUEST, "A message needs a method, a result or an error"))
            )

    def _answered(self, message: Json) -> None:
        """Process the response to one of our own requests."""
        waiting = self.link.waiting.get(str(message.get("id")))
        if waiting is None or waiting.done():
            write_stderr("received a response to an unknown request")
        else:
            waiting.set_result(message)

    def error_without_id(self, refusal: DemoError) -> Json:
        """Return the error for a message whose id could not be read."""
        answer: Json = {"jsonrpc": "2.0"}
        if self.link.era is not None and not self.link.era.has("error without id"):
            answer["id"] = None
        return {**answer, "error": refusal.as_error()}

    async def _batch(self, messages: list[Any], reply: Send) -> None:
        if self.link.era is None or not self.link.era.has("batches") or not messages:
            await reply(self.error_without_id(DemoError(INVALID_REQUEST, "Batches are not supported")))
            return
        answers: list[Json] = []

        async def collect(answer: Json) -> None:
            if "method" in answer:
                await reply(answer)
            else:
                answers.append(answer)

        async with asyncio.TaskGroup() as tasks:
            for message in messages:
                tasks.create_task(self.handle(message, collect))
        if answers:
            await reply(answers)

    def _notification(self, message: Json) -> None:
        params = message.get("params")
        if message["method"] == "notifications/cancelled" and isinstance(params, dict):
            self.cancel(params.get("requestId"))

    def cancel(self, request_id: object) -> None:
        """Cancel a running request: it gets no response. Do nothing if the id is unknown."""
        running = self._running.get(dump(request_id))
        if running is not None and running.task is not None:
            running.given_up = True
            running.task.cancel()

    async def _request(self, message: Json, reply: Send) -> None:
        request_id = message["id"]
        if isinstance(request_id, bool) or not isinstance(request_id, (str, int)):
            await reply(self.error_without_id(DemoError(INVALID_REQUEST, "id must be a string or an integer")))
            return
        key = dump(request_id)
        if key in self._running:
            await reply(_failed(request_id, DemoError(INVALID_REQUEST, "This id is already in use")))
            return
        running = self._running[key] = _Running(asyncio.current_task())
        try:
            await reply(await self._answer(message, reply))
        except asyncio.CancelledError:
            if not running.given_up or running.task is None:
                raise
            running.task.uncancel()
        finally:
            del self._running[key]

    async def _answer(self, message: Json, reply: Send) -> Json:
        try:
            call = self._call(message, reply)
            made = finish(call, await self._handler(call)(call))
        except DemoError as refusal:
            return _failed(message["id"], refusal)
        return {"jsonrpc": "2.0", "id": message["id"], "result": made}

    def _call(self, message: Json, reply: Send) -> DemoRequest:
        method, params = message["method"], message.get("params", {})
        if not isinstance(method, str):
            raise DemoError(INVALID_REQUEST, "method must be a string")
        if not isinstance(params, dict):
            raise DemoError(INVALID_PARAMS, "params must be an object")
        era = era_of(method, params, self.link, self._options)
        return DemoRequest(message["id"], method, params, era, self.link, reply, self._station, self._options)

    def _handler(self, call: DemoRequest) -> Handler:
        table = MODERN if call.era.stateless else LEGACY
        if call.method not in table:
            raise DemoError(METHOD_NOT_FOUND, f"Method not found: {call.method}")
        return table[call.method]


def _failed(request_id: str | int, refusal: DemoError) -> Json:
    return {"jsonrpc": "2.0", "id": request_id, "error": refusal.as_error()}
