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


def _returns(result: Any, **tool: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": [_TOOL | tool]}, "tools/call": result})


def _has_content(*blocks: Any) -> Run:
    return _returns({"content": list(blocks)})


def _second_page(request: dict[str, Any]) -> None:
    """The cursor of the first page is an empty text."""
    second = (request.get("params") or {}).get("cursor") == ""
    answer(request, {"tools": [_TOOL | {"name": "b"}]} if second else {"tools": [_TOOL], "nextCursor": ""})


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


_PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 1_000).decode()


def _faults(_: dict[str, Any]) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


SERVERS: dict[str, Run] = {
    "dies-of-ping": lambda: serve({"tools/list": {"tools": [_TOOL]}, "ping": _faults}),
    "picture-as-text": _has_content({"type": "text", "text": _PICTURE}),
    "picture-in-json-in-a-text": _has_content(
        {"type": "text", "text": json.dumps({"type": "image", "format": "png", "data": _PICTURE, "note": "captured"})}
    ),
    "listens-for-http": _listens_until_it_is_ended,
    "prints-its-help": _prints_its_help,
    "empty-cursor-leads-on": lambda: serve({"tools/list": _second_page}),
    "does-not-know-the-capabilities": _exits_at(_RMCP),
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
