"""Servers that some clients, model APIs or package managers refuse, and tools whose backend is not there."""

import sys
from typing import Any

from tests.servers.speaking import HELLO, dies, say, serve
from tests.servers.trackers import Run

_GITHUB = "https://github.com/"
_CALL = "--call run={} --timeout 5"


def _tool(name: str = "run", **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    return {"name": name, "description": "Runs a command.", "inputSchema": schema}


def _lists(*tools: dict[str, Any]) -> Run:
    return lambda: serve({"tools/list": {"tools": list(tools)}})


def _returns(result: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": [_tool()]}, "tools/call": result})


def _fails(text: str) -> Run:
    return _returns({"content": [{"type": "text", "text": text}], "isError": True})


def _prompt_of_windows() -> None:
    sys.stdout.write("Microsoft Windows [Version 10.0.22631.3447]\n(c) Microsoft Corporation. All rights reserved.\n\n")
    sys.stdout.flush()
    sys.stdin.read()


def _unsorted_lists() -> None:
    hello = HELLO | {"capabilities": {"tools": {}, "prompts": {}, "resources": {}}}
    serve({"initialize": hello, "tools/list": {"tools": [_tool()]}, "prompts/list": {}, "resources/list": {}})


SERVERS: dict[str, Run] = {
    "type-int": _lists(_tool(count={"type": "int", "description": "How many."})),
    "name-begins-with-a-digit": _lists(
        _tool("21st_magic_component_builder", q={"type": "string", "description": "What."})
    ),
    "property-without-a-type": _lists(
        _tool(
            data={
                "type": "object",
                "description": "The data.",
                "properties": {"width": {"description": "Its width."}},
            }
        )
    ),
    "reference-to-nothing": _lists(_tool(language={"$ref": "#/$defs/Language"})),
    "schema-instead-of-input-schema": _lists({"name": "test-tool", "description": "test", "schema": {}}),
    "properties-of-a-schema-alone": _lists(
        {"name": "merge_merge_request", "description": "Merges.", "inputSchema": {}}
    ),
    "backend-on-the-other-family": _fails(
        "Failed to connect to TouchDesigner. The mcp_webserver_base on TouchDesigner not currently available:"
        " connect ECONNREFUSED ::1:9981"
    ),
    "backend-not-running": _fails("fetch failed: connect ECONNREFUSED 127.0.0.1:8189 (ECONNREFUSED)"),
    "cache-of-npx-is-torn": dies(
        "npm error code ENOTEMPTY",
        "npm error syscall rename",
        "npm error path /home/me/.npm/_npx/5a9d879542beca3a/node_modules/patchright-core",
        "npm error dest /home/me/.npm/_npx/5a9d879542beca3a/node_modules/.patchright-core-x1b2",
        "npm error errno -39",
        "npm error ENOTEMPTY: directory not empty, rename '/home/me/.npm/_npx/5a9d879542beca3a/node_modules/"
        "patchright-core' -> '/home/me/.npm/_npx/5a9d879542beca3a/node_modules/.patchright-core-x1b2'",
        "npm error A complete log of this run can be found in: /home/me/.npm/_logs/debug-0.log",
    ),
    "prompt-of-a-shell": _prompt_of_windows,
    "embedded-resource-without-a-scheme": _returns(
        {
            "content": [
                {"type": "text", "text": "done"},
                {
                    "type": "resource",
                    "resource": {"uri": "report_7.csv", "mimeType": "text/csv", "blob": "YSxiCg=="},
                },
            ]
        }
    ),
    "lists-without-their-member": _unsorted_lists,
    "tools-list-crashes-on-one-tool": lambda: serve({"tools/list": _crash}),
}


def _crash(request: dict[str, Any]) -> None:
    message = "Cannot read properties of undefined (reading 'inputSchema')"
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": message}})
