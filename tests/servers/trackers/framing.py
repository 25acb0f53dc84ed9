"""Invalid messages: other output on stdout, and malformed envelopes."""

import json
import sys
from collections.abc import Callable
from typing import Any

from tests.servers.speaking import HELLO, TOOL, answer, say, serve
from tests.servers.trackers import Fault, Run

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


FAULTS = (
    Fault(
        "spring-banner",
        "No tools in the host; the application logs to the console.",
        "thingsboard/thingsboard-mcp#17",
        ("stdout-not-json",),
        ("stdout", "Starting ThingsBoardMcpApplication|Spring Boot|____"),
        _prints(
            "  .   ____          _            __ _ _",
            " /\\\\ / ___'_ __ _ _(_)_ __  __ _ \\ \\ \\ \\",
            " :: Spring Boot ::                (v3.4.1)",
            "2025-12-20T10:00:00.000Z  INFO 1 --- [main] c.t.mcp.Application : Starting ThingsBoardMcpApplication",
        ),
    ),
    Fault(
        "version-line",
        "Unexpected token 'A', \"Azure DevO\"... is not valid JSON.",
        "microsoft/azure-devops-mcp#147",
        ("stdout-not-json",),
        ("stdout", "Azure DevOps MCP Server version"),
        _prints("Azure DevOps MCP Server version : 0.1.0"),
    ),
    Fault(
        "box-banner",
        "Sixty lines of a banner before the first message.",
        "sansan0/TrendRadar#1204",
        ("stdout-not-json",),
        ("stdout", "="),
        _prints("=" * 60, "  TrendRadar MCP Server - FastMCP 2.0", "=" * 60, "  传输模式: STDIO"),
    ),
    Fault(
        "print-in-a-call",
        "The first call that finds nothing special ends the session in the host.",
        "danishjsheikh/swagger-mcp#10",
        ("stdout-not-json",),
        ("stdout", "No responses defined"),
        _prints_in_a_call,
        options="--call good={}",
    ),
    Fault(
        "progress-bar",
        "A progress bar of a library, while a model is loaded.",
        "servers that load models",
        ("stdout-not-json",),
        ("stdout", "Loading"),
        _prints("\rLoading weights:  10%|#         | 1/10\rLoading weights: 100%|##########| 10/10"),
    ),
    Fault(
        "notification-of-its-own-before-the-handshake",
        "The host rejects the connection with a validation error.",
        "ruvnet/ruflo#898",
        ("message-before-handshake",),
        (r"server\.initialized",),
        _prints(
            '{"jsonrpc":"2.0","method":"server.initialized","params":{"serverInfo":{"name":"flow","version":"2.7"}}}'
        ),
    ),
    Fault(
        "list-changed-before-the-handshake",
        "“expect initialized response, but received: Notification”: rmcp clients give up.",
        "tim-smart/effect-mcp#18",
        ("message-before-handshake",),
        (r"list_changed", "before|initialize"),
        _early("notifications/resources/list_changed"),
    ),
    Fault(
        "expects-headers",
        "It waits for Content-Length, as language servers do, and never answers.",
        "danielvm-git/bigpowers",
        ("lsp-framing", "server-silent"),
        ("Content-Length",),
        _needs_headers,
        options="--timeout 3",
    ),
    Fault(
        "answer-in-an-array",
        "n8n: expected string at method, unrecognized keys result, error.",
        "gensecaihq/Wazuh-MCP-Server#59",
        ("batch-unsupported", "batch-unsupported"),
        ("array|batch",),
        _answers(lambda message, result: json.dumps([_whole(message, result)]).encode()),
    ),
    Fault(
        "error-null",
        "Each answer has error: null beside its result.",
        "gensecaihq/Wazuh-MCP-Server#59",
        ("result-and-error",),
        ('"error": null', "result", "TypeScript SDK rejects"),
        _answers(lambda message, result: _whole(message, result) | {"error": None}),
        exit=1,
    ),
    Fault(
        "meta-null",
        "Unusable in Claude Code: members that have no value are written as null.",
        "modelcontextprotocol/kotlin-sdk#581",
        ("null-optional-member", "invalid-meta", "result-not-object"),
        ("_meta", "null|not an object"),
        _answers(lambda message, result: _whole(message, result | {"_meta": None})),
    ),
    Fault(
        "error-with-id-null",
        "The client keeps waiting: the error that was meant for its request has no id.",
        "helidon-io/helidon-mcp#65",
        ("response-id-mismatch",),
        ("id", "the catalogue is locked|without an id|null"),
        _error_without_id,
        options="--timeout 3",
    ),
    Fault(
        "notification-answered-by-error",
        "Claude Code drops the connection at once after the handshake.",
        "pzalutski-pixel/sharplens-mcp#6",
        ("notification-answered",),
        ("notification", "answer"),
        _answers_notifications(
            lambda message: {
                "jsonrpc": "2.0",
                "id": None,
                "error": {"code": -32601, "message": f"Method not found: {message['method']}"},
            }
        ),
    ),
    Fault(
        "notification-answered-by-error-without-id",
        "Strict clients close stdio when an unknown notification is answered.",
        "HatriGt/hana-mcp-server#22",
        ("notification-answered",),
        ("notification", "answer"),
        _answers_notifications(
            lambda message: {
                "jsonrpc": "2.0",
                "error": {"code": -32601, "message": f"Method not found: {message['method']}"},
            }
        ),
    ),
    Fault(
        "notification-answered-by-result",
        "A result with a null id follows the handshake; clients fail to read it.",
        "yjacquin/fast-mcp#39",
        ("notification-answered",),
        ("notification", "answer"),
        _answers_notifications(lambda message: {"jsonrpc": "2.0", "id": None, "result": {}}),
    ),
    Fault(
        "bare-results",
        "Missing required fields: jsonrpc, id.",
        "Quantum3-Labs/ARBuilder#2",
        ("json-rpc-envelope-missing",),
        ("jsonrpc|JSON-RPC", "result|envelope|wrap"),
        _answers(lambda message, result: result),
        options="--timeout 3",
    ),
    Fault(
        "python-repr",
        "A dictionary is printed, and not JSON.",
        "servers written without an SDK, in Python",
        ("malformed-json",),
        ("single quotes|Python",),
        _answers(lambda message, result: repr(_whole(message, result)).encode()),
        options="--timeout 3",
    ),
    Fault(
        "encoded-twice",
        "Each message is a JSON string that holds JSON.",
        "servers written without an SDK, in JavaScript",
        ("malformed-json",),
        ("string|twice",),
        _answers(lambda message, result: json.dumps(json.dumps(_whole(message, result))).encode()),
        options="--timeout 3",
    ),
    Fault(
        "object-object",
        "An object is written as a string.",
        "servers written without an SDK, in JavaScript",
        ("malformed-json",),
        (r"\[object Object\]",),
        _answers(lambda message, result: b"[object Object]"),
        options="--timeout 3",
    ),
    Fault(
        "cut-at-the-exit",
        "process.exit() ends the server before its last message was written whole.",
        "servers in Node with long lists",
        ("last-message-truncated",),
        ("truncated|incomplete",),
        _cut,
    ),
    Fault(
        "written-by-two-threads",
        "A log message in the middle of an answer: two threads write without a lock.",
        "servers in Go, Java and C++",
        ("interleaved-messages",),
        ("two messages|inside|middle|mixed",),
        _interleaves,
        options="--timeout 3 --call good={}",
    ),
    Fault(
        "id-always-one",
        "The handshake works; everything after it times out.",
        "servers written without an SDK",
        ("response-id-mismatch",),
        ("id", r"\b1\b"),
        _same_id,
        options="--timeout 3",
    ),
    Fault(
        "no-id",
        "An id of 0 is taken for none: answers have no id.",
        "servers in JavaScript that ask if (id)",
        ("response-id-mismatch",),
        ("without an id|no id",),
        _answers(lambda message, result: {"jsonrpc": "2.0", "result": result}),
        options="--timeout 3",
    ),
    Fault(
        "python-nan",
        "A result with NaN in it; the host's parser refuses the whole message.",
        "servers of data frames",
        ("inexact-number",),
        ("NaN",),
        lambda: serve(
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
        options="--call good={}",
    ),
)
