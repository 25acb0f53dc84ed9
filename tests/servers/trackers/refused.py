"""Servers that some clients, model APIs or package managers refuse, and tools whose backend is not there."""

import sys
from typing import Any

from tests.servers.speaking import HELLO, say, serve
from tests.servers.trackers import Run


def _tool(name: str = "run", **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    return {"name": name, "description": "Runs a command.", "inputSchema": schema}


def _prompt_of_windows() -> None:
    sys.stdout.write("Microsoft Windows [Version 10.0.22631.3447]\n(c) Microsoft Corporation. All rights reserved.\n\n")
    sys.stdout.flush()
    sys.stdin.read()


def _unsorted_lists() -> None:
    hello = HELLO | {"capabilities": {"tools": {}, "prompts": {}, "resources": {}}}
    serve({"initialize": hello, "tools/list": {"tools": [_tool()]}, "prompts/list": {}, "resources/list": {}})


SERVERS: dict[str, Run] = {
    "prompt-of-a-shell": _prompt_of_windows,
    "lists-without-their-member": _unsorted_lists,
    "tools-list-crashes-on-one-tool": lambda: serve({"tools/list": _crash}),
}


def _crash(request: dict[str, Any]) -> None:
    message = "Cannot read properties of undefined (reading 'inputSchema')"
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": message}})
