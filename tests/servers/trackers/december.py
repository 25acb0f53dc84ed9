"""Servers over stdio of the sixth round that do more than answer by a table."""

import json
import os
import signal
import sys
from typing import Any

from tests.servers.speaking import HELLO, TOOL, answer, dies, say, serve
from tests.servers.trackers import Run

_PANIC = (
    "panic: runtime error: invalid memory address or nil pointer dereference",
    "[signal SIGSEGV: segmentation violation code=0x2 addr=0x0 pc=0x102f5a8c4]",
    "",
    "goroutine 21 [running]:",
    "github.com/olgasafonova/mcp-otel-go/mcpotel.carrierFor({0x1031d2a20, 0x0})",
    "\t/home/ada/go/pkg/mod/github.com/olgasafonova/mcp-otel-go@v0.2.0/mcpotel/propagation.go:69 +0x64",
)

_TRACE = """\
Error starting ApplicationContext. To display the report re-run your application with 'debug' enabled.
org.springframework.beans.factory.BeanCreationException: Error creating bean with name 'mavenTools'
\t\tat org.springframework.beans.factory.support.ConstructorResolver.instantiate(ConstructorResolver.java:657)
\t\tat com.arvindand.mcp.maven.MavenMcpServerApplication.main(MavenMcpServerApplication.java:23)
Caused by: org.springframework.web.client.ResourceAccessException: I/O error on GET request: repo1.maven.org
\t... 16 more
Caused by: java.net.UnknownHostException: repo1.maven.org
\tat java.base/sun.nio.ch.NioSocketImpl.connect(NioSocketImpl.java:567)
\t... 24 more
"""


def _dies_of_initialized() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "notifications/initialized":
            dies(*_PANIC, code=2)()
        if "id" in message and message["method"] == "initialize":
            answer(message, HELLO)
        elif "id" in message:
            say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "method not found"}})


def _answers_notifications() -> None:
    """Takes an id that is missing for 0."""
    results = {"initialize": HELLO, "tools/list": {"tools": [TOOL]}, "ping": {}}
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] in results:
            answer(message, results[message["method"]])
        else:
            error = {"code": -32601, "message": f"Method not found: {message['method']}"}
            say({"jsonrpc": "2.0", "id": message.get("id", 0), "error": error})


def _traces_on_stdout() -> None:
    sys.stdout.write(_TRACE)
    sys.stdout.flush()
    sys.exit(1)


def _does_not_parse_notifications() -> None:
    results = {"initialize": HELLO, "tools/list": {"tools": [TOOL]}, "ping": {}}
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            say({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})
        elif message["method"] in results:
            answer(message, results[message["method"]])
        else:
            say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Method not found"}})


def _tool(name: str) -> dict[str, Any]:
    return {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object", "properties": {}}}


def _shuffles_its_pages(request: dict[str, Any]) -> dict[str, Any]:
    if request.get("params", {}).get("cursor"):
        return {"tools": [_tool("beta"), _tool("delta")]}
    return {"tools": [_tool("alpha"), _tool("beta")], "nextCursor": "2"}


def _pages_of_eight(request: dict[str, Any]) -> dict[str, Any]:
    tools = [_tool(f"tool_{number:02}") for number in range(14)]
    if request.get("params", {}).get("cursor") == "8":
        return {"tools": tools[8:]}
    return {"tools": tools[:8], "nextCursor": "8"}


def _waits_for_its_child(request: dict[str, Any]) -> None:
    """The child writes more than a pipe holds."""
    _, write = os.pipe()
    ends = [(os.POSIX_SPAWN_DUP2, write, 1), (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)]
    child = os.posix_spawnp("head", ["head", "-c", "300000", "/dev/zero"], os.environ, file_actions=ends)
    os.close(write)
    os.waitpid(child, 0)
    answer(request, {"content": [{"type": "text", "text": "done"}]})


def _lacks_an_instruction() -> None:
    sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGILL)


def _validates_a_refused_form(request: dict[str, Any]) -> None:
    """Asks, and compares the content that a refusal does not have with the schema."""
    schema = {"type": "object", "properties": {"reason": {"type": "string"}}, "required": ["reason"]}
    params = {"message": "Why?", "requestedSchema": schema}
    say({"jsonrpc": "2.0", "id": 900, "method": "elicitation/create", "params": params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == 900:
            text = (
                'elicitation result content does not match requested schema: required: missing properties: ["reason"]'
            )
            fault = {"code": -32603, "message": f'calling "elicitation/create": {text}'}
            say({"jsonrpc": "2.0", "id": request["id"], "error": fault})
            return


def _does_not_know_cancellations() -> None:
    results = {"initialize": HELLO, "tools/list": {"tools": [TOOL]}, "ping": {}}
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] == "notifications/cancelled":
            dies(
                "Traceback (most recent call last):",
                '  File "/home/ada/mcp/shared/session.py", line 249, in _receive_loop',
                "pydantic_core._pydantic_core.ValidationError: 5 validation errors for ClientNotification",
                "ProgressNotification.method",
                "  Input should be 'notifications/progress' [input_value='notifications/cancelled']",
            )()
        if message["method"] in results:
            answer(message, results[message["method"]])
        elif "id" in message and message["method"] != "tools/call":
            say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Method not found"}})


def _describes_at_length() -> None:
    tool = _tool("pub_dev_search") | {"description": ("Searches pub.dev for packages that match a query. " * 40)[:1500]}
    serve({"tools/list": {"tools": [tool]}})


SERVERS: dict[str, Run] = {
    "dies-of-initialized": _dies_of_initialized,
    "error-for-a-notification-with-the-first-id": _answers_notifications,
    "java-trace-on-stdout": _traces_on_stdout,
    "notification-does-not-parse": _does_not_parse_notifications,
    "pages-of-a-changing-list": lambda: serve({"tools/list": _shuffles_its_pages}),
    "pages-of-eight": lambda: serve({"tools/list": _pages_of_eight}),
    "child-has-a-full-pipe": lambda: serve({"tools/list": {"tools": [TOOL]}, "tools/call": _waits_for_its_child}),
    "processor-lacks-an-instruction": _lacks_an_instruction,
    "refused-form-is-validated": lambda: serve(
        {"tools/list": {"tools": [TOOL]}, "tools/call": _validates_a_refused_form}
    ),
    "cancellation-is-unknown": _does_not_know_cancellations,
    "description-of-1500-characters": _describes_at_length,
    "command-is-an-address": lambda: None,
}
