"""Servers over stdio with faults that were reported in 2025 and 2026, the fourth round."""

import base64
import json
import os
import signal
import sys
import threading
from typing import Any

from tests.servers.speaking import HELLO, answer, dies, say, serve
from tests.servers.trackers import Run

_TOOL: dict[str, Any] = {
    "name": "run",
    "description": "Runs a query.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "The query."}}},
}
_WHO = {"name": "citra", "version": "4.1.0"}
_DOCUMENTS = HELLO | {"capabilities": {"tools": {}, "resources": {}}}


def _returns(result: Any, **tool: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": [_TOOL | tool]}, "tools/call": result})


def _has_content(*blocks: Any) -> Run:
    return _returns({"content": list(blocks)})


def _second_page(request: dict[str, Any]) -> None:
    """The cursor of the first page is an empty text."""
    second = (request.get("params") or {}).get("cursor") == ""
    answer(request, {"tools": [_TOOL | {"name": "b"}]} if second else {"tools": [_TOOL], "nextCursor": ""})


def _changes_with_each_list(request: dict[str, Any]) -> None:
    answer(request, {"tools": [_TOOL]})
    say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})


def _samples(request: dict[str, Any]) -> None:
    messages = [{"role": "user", "content": {"type": "text", "text": "Summarize."}}]
    say({"jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage", "params": {"messages": messages}})
    answer(request, {"content": [{"type": "text", "text": "asked"}]})


def _dies_of_its_answer(_: dict[str, Any]) -> None:
    sys.exit(1)


_RMCP = (
    "Error: Failed to start server",
    "",
    "Caused by:",
    "    expect initialized request, but received: Some(Request(JsonRpcRequest { jsonrpc: JsonRpcVersion2_0, "
    'id: Number(0), request: CustomRequest(CustomRequest { method: "initialize", params: Some(Object '
    '{"capabilities": Object {"elicitation": Object {"form": Object {}, "url": Object {}}, "roots": Object {}}, '
    '"protocolVersion": String("2025-11-25")}), extensions: Extensions }) }))',
)


def _exits_at(message: tuple[str, ...], code: int = 1) -> Run:
    """Reads the first line, and is gone."""

    def run() -> None:
        sys.stdin.readline()
        dies(*message, code=code)()

    return run


def _logs_to_the_console() -> None:
    print("info: Microsoft.Hosting.Lifetime[0]", flush=True)
    print("      Application started. Press Ctrl+C to shut down.", flush=True)
    serve({"tools/list": {"tools": [_TOOL]}})


def _listens_until_it_is_ended() -> None:
    """Serves HTTP, and writes its last lines when it gets a signal."""

    def end(*_: object) -> None:
        sys.stderr.write("INFO:     Shutting down\nINFO:     Waiting for application shutdown.\n")
        sys.stderr.write("INFO:     Application shutdown complete.\nINFO:     Finished server process [7]\n")
        sys.stderr.flush()
        sys.exit(0)

    signal.signal(signal.SIGTERM, end)
    sys.stderr.write("INFO:     Started server process [7]\nINFO:     Waiting for application startup.\n")
    sys.stderr.write("INFO:     Application startup complete.\n")
    sys.stderr.write("INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)\n")
    sys.stderr.flush()
    threading.Event().wait()


def _prints_its_help() -> None:
    print("DevTools - Git Operations CLI\nTotal: 30 operations\n\nCommands:\n  gstatus   Show the status", flush=True)
    sys.exit(0)


_unanswered: list[dict[str, Any]] = []


def _opens_before_it_is_discovered(request: dict[str, Any]) -> None:
    answer(request, HELLO)
    for each in _unanswered:
        answer(each, _whole({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}, cached=True))


def _refuses_a_change_of_version(request: dict[str, Any]) -> None:
    if "_meta" not in request.get("params", {}):
        answer(request, {"tools": [_TOOL]})
        return
    text = "The negotiated protocol version cannot change within a session."
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32600, "message": text}})


def _refuses_a_field(request: dict[str, Any]) -> None:
    message = (
        'Unrecognized field "form" (class io.modelcontextprotocol.spec.McpSchema$ClientCapabilities$Elicitation), not '
        "marked as ignorable (0 known properties: ])\n at [Source: UNKNOWN; byte offset: #UNKNOWN]"
    )
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": message}})


def _forgets_the_id(_: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "result": HELLO})


def _colours_its_log() -> None:
    print("\x1b[2m2026-01-29T21:04:35.226Z\x1b[0m \x1b[32m INFO\x1b[0m daedra: Starting on stdio", flush=True)
    serve({"tools/list": {"tools": [_TOOL]}})


def _log_on_the_same_line(request: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"tools": [_TOOL]}})
    say(f"{body}RAM GUARDIAN: memory at 42% (threshold: 15%) - consider cleanup".encode())


def _logs_a_message(request: dict[str, Any]) -> None:
    answer(request, {"tools": [_TOOL]})
    say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "message": "listed"}})


def _fails_to_read(request: dict[str, Any]) -> None:
    error = {"code": 0, "message": "'TextContent' object has no attribute 'content'"}
    say({"jsonrpc": "2.0", "id": request["id"], "error": error})


def _invalid_url(request: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": "Invalid URL"}})


_PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 1_000).decode()

_MANY_TOOLS = HELLO | {"capabilities": {"tools": {}, "resources": {"listChanged": True}}}


def _faults(_: dict[str, Any]) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _wraps_its_stderr(request: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "method": "notifications/stderr", "params": {"content": "listening"}})
    answer(request, {"tools": [_TOOL]})


def _updates_nobody(request: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "file:///demo.txt"}})
    answer(request, {"resources": [{"uri": "file:///demo.txt", "name": "demo"}]})


SERVERS: dict[str, Run] = {
    "dies-of-ping": lambda: serve({"tools/list": {"tools": [_TOOL]}, "ping": _faults}),
    "stderr-as-a-notification": lambda: serve({"tools/list": _wraps_its_stderr}),
    "update-without-the-capability": lambda: serve(
        {"initialize": _MANY_TOOLS, "tools/list": {"tools": [_TOOL]}, "resources/list": _updates_nobody}
    ),
    "refuses-a-capability": lambda: serve({"initialize": _refuses_a_field}),
    "handshake-without-an-id": lambda: serve({"initialize": _forgets_the_id}),
    "log-in-colours": _colours_its_log,
    "log-on-the-line-of-a-message": lambda: serve({"tools/list": _log_on_the_same_line}),
    "log-without-data": lambda: serve(
        {"initialize": HELLO | {"capabilities": {"tools": {}, "logging": {}}}, "tools/list": _logs_a_message}
    ),
    "picture-as-text": _has_content({"type": "text", "text": _PICTURE}),
    "picture-in-json-in-a-text": _has_content(
        {"type": "text", "text": json.dumps({"type": "image", "format": "png", "data": _PICTURE, "note": "captured"})}
    ),
    "resource-cannot-be-read": lambda: serve(
        {
            "initialize": _DOCUMENTS,
            "tools/list": {"tools": [_TOOL]},
            "resources/list": {"resources": [{"uri": "homelable://nodes", "name": "nodes"}]},
            "resources/templates/list": {"resourceTemplates": []},
            "resources/read": _fails_to_read,
        }
    ),
    "resources-fail": lambda: serve(
        {"initialize": _DOCUMENTS, "tools/list": {"tools": [_TOOL]}, "resources/list": _invalid_url}
    ),
    "listens-for-http": _listens_until_it_is_ended,
    "prints-its-help": _prints_its_help,
    "empty-cursor-leads-on": lambda: serve({"tools/list": _second_page}),
    "changes-with-each-list": lambda: serve(
        {
            "initialize": HELLO | {"capabilities": {"tools": {"listChanged": True}}},
            "tools/list": _changes_with_each_list,
        }
    ),
    "sampling-without-a-limit": lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": _samples}),
    "dies-of-a-large-answer": lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": _dies_of_its_answer}),
    "does-not-know-the-capabilities": _exits_at(_RMCP),
    "console-logger": _logs_to_the_console,
    "discovery-answered-late": lambda: serve(
        {
            "server/discover": lambda request: _unanswered.append(request),
            "initialize": _opens_before_it_is_discovered,
            "tools/list": _refuses_a_change_of_version,
        }
    ),
}


def _whole(result: dict[str, Any], cached: bool = False) -> dict[str, Any]:
    """A result of 2026-07-28 with all that it has to have."""
    about = {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": _WHO}}
    return about | result | ({"ttlMs": 0, "cacheScope": "private"} if cached else {})
