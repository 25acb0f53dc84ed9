"""Hangs, cancellations, strict validation and first requests."""

import json
import subprocess
import sys
import threading
import time
from typing import Any

from tests.servers.speaking import HELLO, answer, say, serve
from tests.servers.trackers import Run

_TOOL: dict[str, Any] = {
    "name": "run",
    "description": "Runs a command.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "The command."}}},
}
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


def _spins(request: dict[str, Any]) -> None:
    """Computes until it is ended, so that no speed of a machine lets it finish before the timeout."""
    while True:
        pass


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
    """The tools are there a second after the first list, however long the start takes."""

    def run() -> None:
        listed: list[float] = []

        def tools(request: dict[str, Any]) -> Any:
            listed.append(time.monotonic())
            return _TOOLS if listed[-1] - listed[0] > 1 else {"tools": []}

        serve({"ping": {}, "tools/list": tools})

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


def _no_ping(request: dict[str, Any]) -> None:
    _fail(request, -32601, "Method not found")


SERVERS: dict[str, Run] = {
    "subprocess-reads-stdin": _calls(_inherits),
    "office-deadlocks-on-stdin": _calls(_inherits_in_a_shell),
    "subprocess-takes-requests": _calls(_inherits_in_a_thread),
    "spinning-tool": _calls(_spins),
    "exits-when-cancelled": lambda: _dies_at_cancel(),
    "server-cancels-a-call": _calls(_gives_up),
    "server-cancels-without-a-reason": _calls(_gives_up_silently),
    "meta-is-an-unknown-member": _calls(_strict(("name", "arguments"), "Unrecognized key(s) in object: '{}'")),
    "meta-is-a-tool-argument": _calls(_strict_result),
    "own-cursor-rejected": _calls({"content": []}, **{"tools/list": _pages}),
    "own-cursor-fails-inside": _calls({"content": []}, **{"tools/list": _refuses_any_cursor}),
    "tools-are-registered-late": _late(),
    "initialize-not-implemented": _no_initialize(-32601, "Method not implemented"),
    "initialized-without-prefix": _wants_no_prefix(says=True),
    "waits-for-initialized-without-prefix": _wants_no_prefix(says=False),
    "ping-is-unknown": _calls({"content": []}, ping=_no_ping),
    "ping-fails-inside": _calls(
        {"content": []}, ping=lambda request: _fail(request, -32603, "Method not supported: ping")
    ),
    "backend-fills-the-list-later": _grows(),
    "asserts-when-cancelled": lambda: _dies_at_cancel(),
}
