"""Export to a Python script that repeats the calls with the official SDK (`mcp`, 1.x and 2.x).

The script consists of data and one fixed program. Recorded data is embedded as ASCII literals, never as code. Server
requests are answered as in the recording. Requests that only make sense once (cursor pages, tasks, answers to
`input_required`) are skipped; the script lists them.
"""

import re
from collections.abc import Iterator
from pprint import pformat
from typing import Any

from inspector.features.export.selection import Selection
from inspector.protocol import peek
from inspector.protocol.credentials import is_masked
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Request, ResultResponse, read
from inspector.protocol.revisions._shape import Era

# Fixed part of an exported script: needs only Python 3.10 and `mcp`

PROGRAM = r'''
import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack

from mcp import ClientSession, StdioServerParameters, stdio_client, types
from mcp.client import streamable_http


async def connect(stack):
    """The two streams of the server that the command line names, or of the one that was recorded."""
    words = sys.argv[1:]
    command, url = COMMAND, URL
    if words and words[0] == "--":
        command, url = words[1:], ""
    elif words:
        command, url = [], words[0]
    if command:
        env = {name: os.environ[name] for name in VARIABLES if name in os.environ}
        here = DIRECTORY if os.path.isdir(DIRECTORY) else None
        server = StdioServerParameters(command=command[0], args=command[1:], env=env, cwd=here)
        streams = await stack.enter_async_context(stdio_client(server))
    elif url:
        client = await stack.enter_async_context(streamable_http.create_mcp_http_client(headers=headers()))
        opened = streamable_http.streamable_http_client(url, http_client=client)
        streams = await stack.enter_async_context(opened)
    else:
        sys.exit("The recording does not say which server it was: name one, as a URL or a command after --.")
    return streams[0], streams[1]


def headers():
    """The headers that were sent; secrets come from the environment, MCP_SECRET_AUTHORIZATION for Authorization."""
    found = {}
    for name, value in HEADERS.items():
        variable = "MCP_SECRET_" + "".join(char if char.isascii() and char.isalnum() else "_" for char in name.upper())
        value = os.environ.get(variable) if value is None else value
        if value is None:
            print(f"note: {name} is not sent; set {variable} to send it", file=sys.stderr)
        else:
            found[name] = value
    return found


def answering(method, kind):
    """Answers a question of the server's as it was answered then, in turn; None where it never asked."""
    recorded = list(ANSWERS.get(method, []))
    if not recorded:
        return None

    async def answer(*_):
        said = recorded.pop(0) if len(recorded) > 1 else recorded[0]
        return kind.model_validate(said)

    return answer


async def make(session, method, params):
    """One call."""
    if method == "tools/call":
        return await session.call_tool(params["name"], params.get("arguments"))
    if method == "tools/list":
        return await session.list_tools()
    if method == "resources/list":
        return await session.list_resources()
    if method == "resources/templates/list":
        return await session.list_resource_templates()
    if method == "prompts/list":
        return await session.list_prompts()
    if method == "resources/read":
        return await session.read_resource(params["uri"])
    if method == "resources/subscribe":
        return await session.subscribe_resource(params["uri"])
    if method == "resources/unsubscribe":
        return await session.unsubscribe_resource(params["uri"])
    if method == "prompts/get":
        return await session.get_prompt(params["name"], params.get("arguments"))
    if method == "completion/complete":
        is_prompt = params["ref"].get("type") == "ref/prompt"
        kind = types.PromptReference if is_prompt else types.ResourceTemplateReference
        context = (params.get("context") or {}).get("arguments")
        return await session.complete(kind.model_validate(params["ref"]), params["argument"], context)
    if method == "logging/setLevel":
        return await session.set_logging_level(params["level"])
    return await session.send_ping()


async def run():
    failed = 0
    for entry, what in NOT_MADE:
        print(f"note: entry {entry}, {what}: not made again", file=sys.stderr)
    async with AsyncExitStack() as stack:
        read, write = await connect(stack)
        session = await stack.enter_async_context(
            ClientSession(
                read,
                write,
                sampling_callback=answering("sampling/createMessage", types.CreateMessageResult),
                elicitation_callback=answering("elicitation/create", types.ElicitResult),
                list_roots_callback=answering("roots/list", types.ListRootsResult),
            )
        )
        if STATELESS and hasattr(session, "discover"):
            await session.discover()
        else:
            await session.initialize()
        for entry, method, params, had_failed in CALLS:
            reported = {"entry": entry, "method": method, "params": params}
            try:
                result = await make(session, method, params)
                reported["result"] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            except Exception as error:
                failed += not had_failed
                reported["error"] = f"{type(error).__name__}: {error}"
            print(json.dumps(reported), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(run()))
'''


_CALLED = frozenset(
    {
        *("tools/call", "tools/list", "resources/list", "resources/templates/list", "prompts/list"),
        *("resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/get"),
        *("completion/complete", "logging/setLevel", "ping"),
    }
)
_WIDTH = 110
_OPENING = frozenset({"initialize", "server/discover"})
_ASKED = frozenset({"sampling/createMessage", "elicitation/create", "roots/list"})
_CARRIED = re.compile(
    r"mcp-.*|accept.*|content-.*|host|user-agent|connection|transfer-encoding|last-event-id", re.IGNORECASE
)
"""Headers that the SDK sets itself."""


Call = tuple[int, str, Any, bool]
"""Entry, method, params, and whether the call failed in the recording."""


def script(selection: Selection) -> Iterator[bytes]:
    """Yield the script in two chunks: data, then the program."""
    calls, unmade = _calls(selection)
    yield _data(selection, calls, unmade).encode("ascii", "backslashreplace")
    yield PROGRAM.encode()


def _data(selection: Selection, calls: list[Call], unmade: list[tuple[int, str]]) -> str:
    connection, opening = selection.connection, selection.journal.conversation.opening
    parts = {
        "COMMAND": list(connection.argv) if connection is not None else [],
        "DIRECTORY": connection.cwd if connection is not None else "",
        "VARIABLES": list(connection.env_names) if connection is not None else [],
        "URL": connection.url if connection is not None and not connection.argv else "",
        "HEADERS": _headers(selection),
        "STATELESS": opening is not None and opening.era is Era.MODERN,
        "CALLS": calls,
        "ANSWERS": _answers(selection),
        "NOT_MADE": unmade,
    }
    lines = [f"{name} = {_literal(value)}\n" for name, value in parts.items()]
    return _HEAD + "\nnan, inf = float('nan'), float('inf')\n" + "".join(lines) + "\n"


_HEAD = '''\
"""The calls of a recorded MCP session, made again with the official SDK.

    pip install mcp
    python THIS_FILE                        the server that was recorded
    python THIS_FILE -- node server.js      another one
    python THIS_FILE https://example.com/mcp

It starts a server and calls its tools: look at CALLS before you run it. Exit status 1: a call failed that had not.
"""
'''


def _literal(value: Any) -> str:
    """Return a value as a Python literal. Characters beyond ASCII occur only in strings."""
    line = repr(value)
    if len(line) <= _WIDTH:
        return line
    if isinstance(value, list):  # one by one: `pformat` goes through thousands of calls again at each level
        return "[" + ",\n ".join(_literal(each).replace("\n", "\n ") for each in value) + "]"
    return pformat(value, width=_WIDTH, sort_dicts=False)


def _calls(selection: Selection) -> tuple[list[Call], list[tuple[int, str]]]:
    """Return the client requests that can be repeated, and those that can't."""
    calls: list[Call] = []
    unmade: list[tuple[int, str]] = []
    for exchange, request in _requests(selection, Direction.TO_SERVER):
        params = {key: value for key, value in peek.mapping(request.params).items() if key != "_meta"}
        if request.method in _OPENING:
            continue
        if request.method not in _CALLED:
            unmade.append((exchange.request_frame, request.method))
        elif {"cursor", "inputResponses", "requestState", "task"} & params.keys():
            unmade.append((exchange.request_frame, f"{request.method} that continues an earlier one"))
        else:
            failed = exchange.state is not ExchangeState.ANSWERED
            calls.append((exchange.request_frame, request.method, params, failed))
    return calls, unmade


def _answers(selection: Selection) -> dict[str, list[Any]]:
    """Return the client's responses to server requests by method, in order."""
    found: dict[str, list[Any]] = {}
    for exchange, request in _requests(selection, Direction.FROM_SERVER):
        if request.method in _ASKED and exchange.answer_frame is not None:
            what = selection.journal.store.entry(exchange.answer_frame).what
            for message in read(what.payload) if isinstance(what, Frame) else ():
                if isinstance(message, ResultResponse) and message.id == exchange.id:
                    found.setdefault(request.method, []).append(message.result)
    return found


def _requests(selection: Selection, sender: Direction) -> Iterator[tuple[Exchange, Request]]:
    exchanges, store = selection.journal.conversation.exchanges, selection.journal.store
    for frame in selection.frames():
        number = store.exchange(frame.n)
        if frame.direction is not sender or not number:
            continue
        exchange = exchanges[number - 1]
        for message in read(frame.payload):
            if isinstance(message, Request) and exchange.request_frame == frame.n and message.id == exchange.id:
                yield exchange, message


def _headers(selection: Selection) -> dict[str, str | None]:
    """Return headers that the user added; None for credentials, which the script reads from the environment."""
    for each in selection.carried():
        fact = selection.http_fact(each.request)
        if fact is not None and fact.method == "POST":
            own = [(name, value) for name, value in fact.headers if not _CARRIED.fullmatch(name)]
            return {name: None if is_masked(value) else value for name, value in own}
    return {}
