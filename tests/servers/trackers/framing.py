"""Invalid messages: other output on stdout, and malformed envelopes."""

import json
import sys
from collections.abc import Callable
from typing import Any

from tests.servers.speaking import HELLO, TOOL, answer, say, serve
from tests.servers.trackers import Run

Message = dict[str, Any]
_TOOL = TOOL | {"description": "Says what it is given."}
_LIST: dict[str, Any] = {"tools/list": {"tools": [_TOOL]}}


def _prints(*lines: str) -> Run:
    def run() -> None:
        for line in lines:
            say(line.encode())
        serve(_LIST)

    return run


def _answers(wrap: Callable[[Message, Any], Any]) -> Run:
    """Every answer goes through `wrap`, which gives bytes or an object."""

    def run() -> None:
        for line in sys.stdin.buffer:
            message = json.loads(line)
            if "id" not in message:
                continue
            known = {"initialize": HELLO} | _LIST
            if message["method"] not in known:
                say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Method not found"}})
                continue
            say(wrap(message, known[message["method"]]))

    return run


def _whole(message: Message, result: Any) -> Message:
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _needs_headers() -> None:
    """Reads as a language server does: headers, then so many bytes."""
    for line in sys.stdin.buffer:
        if not line.lower().startswith(b"content-length:"):
            sys.stderr.write("[Error] Missing Content-Length header in message\n")
            sys.stderr.flush()


def _answers_notifications(reply: Callable[[Message], Message]) -> Run:
    def run() -> None:
        known = {"initialize": HELLO} | _LIST
        for line in sys.stdin.buffer:
            message = json.loads(line)
            if "id" not in message:
                say(reply(message))
            elif message["method"] in known:
                answer(message, known[message["method"]])
            else:
                say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Method not found"}})

    return run


def _cut() -> None:
    def tools(request: Message) -> Any:
        text = json.dumps(_whole(request, {"tools": [_TOOL | {"description": "x" * 9000}]}))
        sys.stdout.buffer.write(text[:8192].encode())
        sys.stdout.buffer.flush()
        sys.exit(0)

    serve({"tools/list": tools})


def _interleaves() -> None:
    def call(request: Message) -> Any:
        note = json.dumps(
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "working"}}
        )
        text = json.dumps(_whole(request, {"content": [{"type": "text", "text": "done"}]}))
        say((text[:40] + note + text[40:]).encode())

    hello = HELLO | {"capabilities": {"tools": {}, "logging": {}}}
    serve({"initialize": hello, "tools/call": call} | _LIST)


def _prints_in_a_call() -> None:
    def call(request: Message) -> Any:
        say(b"    No responses defined for GET /orders, using default")
        return {"content": [{"type": "text", "text": "done"}]}

    serve({"tools/call": call} | _LIST)


def _early(method: str) -> Run:
    def run() -> None:
        def hello(request: Message) -> Any:
            say({"jsonrpc": "2.0", "method": method})
            return HELLO

        serve({"initialize": hello} | _LIST)

    return run


def _same_id() -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message:
            known = {"initialize": HELLO} | _LIST
            if message["method"] in known:
                say({"jsonrpc": "2.0", "id": 1, "result": known[message["method"]]})
            else:
                say({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}})


def _error_without_id() -> None:
    def tools(request: Message) -> Any:
        say({"jsonrpc": "2.0", "id": None, "error": {"code": -32603, "message": "the catalogue is locked"}})

    serve({"tools/list": tools})


SERVERS: dict[str, Run] = {
    "spring-banner": _prints(
        "  .   ____          _            __ _ _",
        " /\\\\ / ___'_ __ _ _(_)_ __  __ _ \\ \\ \\ \\",
        " :: Spring Boot ::                (v3.4.1)",
        "2025-12-20T10:00:00.000Z  INFO 1 --- [main] c.t.mcp.Application : Starting ThingsBoardMcpApplication",
    ),
    "version-line": _prints("Azure DevOps MCP Server version : 0.1.0"),
    "box-banner": _prints("=" * 60, "  TrendRadar MCP Server - FastMCP 2.0", "=" * 60, "  传输模式: STDIO"),
    "print-in-a-call": _prints_in_a_call,
    "progress-bar": _prints("\rLoading weights:  10%|#         | 1/10\rLoading weights: 100%|##########| 10/10"),
    "notification-of-its-own-before-the-handshake": _prints(
        '{"jsonrpc":"2.0","method":"server.initialized","params":{"serverInfo":{"name":"flow","version":"2.7"}}}'
    ),
    "list-changed-before-the-handshake": _early("notifications/resources/list_changed"),
    "expects-headers": _needs_headers,
    "answer-in-an-array": _answers(lambda message, result: json.dumps([_whole(message, result)]).encode()),
    "error-null": _answers(lambda message, result: _whole(message, result) | {"error": None}),
    "meta-null": _answers(lambda message, result: _whole(message, result | {"_meta": None})),
    "error-with-id-null": _error_without_id,
    "notification-answered-by-error": _answers_notifications(
        lambda message: {
            "jsonrpc": "2.0",
            "id": None,
            "error": {"code": -32601, "message": f"Method not found: {message['method']}"},
        }
    ),
    "notification-answered-by-error-without-id": _answers_notifications(
        lambda message: {
            "jsonrpc": "2.0",
            "error": {"code": -32601, "message": f"Method not found: {message['method']}"},
        }
    ),
    "notification-answered-by-result": _answers_notifications(
        lambda message: {"jsonrpc": "2.0", "id": None, "result": {}}
    ),
    "bare-results": _answers(lambda message, result: result),
    "python-repr": _answers(lambda message, result: repr(_whole(message, result)).encode()),
    "encoded-twice": _answers(lambda message, result: json.dumps(json.dumps(_whole(message, result))).encode()),
    "object-object": _answers(lambda message, result: b"[object Object]"),
    "cut-at-the-exit": _cut,
    "written-by-two-threads": _interleaves,
    "id-always-one": _same_id,
    "no-id": _answers(lambda message, result: {"jsonrpc": "2.0", "result": result}),
    "python-nan": lambda: serve(
        {
            "tools/call": lambda request: say(
                json.dumps(
                    _whole(
                        request,
                        {"content": [{"type": "text", "text": "1"}], "structuredContent": {"mean": float("nan")}},
                    )
                ).encode()
            )
        }
        | _LIST
    ),
}
