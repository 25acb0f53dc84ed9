"""Servers that one client rejects while another works with them, and legal ones on which a client broke."""

import json
import sys
import time
from typing import Any

from tests.servers.speaking import HELLO, answer, say, serve
from tests.servers.trackers import Run

_OBJECT: dict[str, Any] = {"type": "object", "properties": {"coin": {"type": "string", "description": "The coin."}}}


def _tool(**members: Any) -> dict[str, Any]:
    return {"name": "run", "description": "Runs a command.", "inputSchema": _OBJECT} | members


def _returning(result: Any, **members: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": [_tool(**members)]}, "tools/call": result})


def _with_nulls(request: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "id": request["id"], "result": {"tools": [_tool()]}, "error": None})


def _refuses_its_result(request: dict[str, Any]) -> None:
    text = "Output validation error: Tool run has an output schema but no structured content was provided"
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32602, "message": f"MCP error -32602: {text}"}})


def _waits_for_the_end() -> None:
    lines = sys.stdin.buffer.read().splitlines()
    for line in lines:
        message = json.loads(line)
        if message.get("method") == "initialize":
            answer(message, HELLO)


def _without_its_stdin() -> None:
    sys.stderr.write("Starting MCP server 'linkedin' with transport 'stdio'\n")
    sys.stderr.flush()
    sys.stdin.close()
    time.sleep(60)


def _page_forever(request: dict[str, Any]) -> Any:
    return {"tools": [_tool()], "nextCursor": ""}


def _refuses_meta(request: dict[str, Any]) -> Any:
    if request.get("params"):
        error = {"code": -32602, "message": "Invalid tools/list parameters."}
        return say({"jsonrpc": "2.0", "id": request["id"], "error": error})
    return {"tools": [_tool()]}


SERVERS: dict[str, Run] = {
    "result-refused-by-its-own-schema": _returning(_refuses_its_result, outputSchema={"type": "object"}),
    "null-error-beside-the-result": lambda: serve({"tools/list": _with_nulls}),
    "ping-returns-an-array": lambda: serve({"tools/list": {"tools": [_tool()]}, "ping": []}),
    "reads-to-the-end-of-stdin": _waits_for_the_end,
    "started-in-the-background": _without_its_stdin,
    "empty-cursor": lambda: serve({"tools/list": _page_forever}),
    "strict-list-parameters": lambda: serve({"tools/list": _refuses_meta}),
}
