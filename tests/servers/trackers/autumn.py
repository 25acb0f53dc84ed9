"""Servers over stdio whose faults were reported in the summer and autumn of 2026."""

import json
import sys
from typing import Any

from tests.servers.speaking import HELLO, answer, say, serve
from tests.servers.trackers import Run

_TOOL: dict[str, Any] = {
    "name": "run",
    "description": "Runs a query.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "The query."}}},
}


def _never_ends(request: dict[str, Any]) -> None:
    """Every cursor gives the first page, with the same cursor."""
    tools = [_TOOL | {"name": name} for name in ("search_code", "search_graph", "trace_path")]
    answer(request, {"tools": tools, "nextCursor": "8"})


def _counts_zero() -> None:
    """Every number as an id comes back as 0, every text as null."""
    results = {"initialize": HELLO, "tools/list": {"tools": [_TOOL]}, "ping": {}}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message and message.get("method") in results:
            id_ = 0 if isinstance(message["id"], int) else None
            say({"jsonrpc": "2.0", "id": id_, "result": results[message["method"]]})


def _only_its_version(request: dict[str, Any]) -> None:
    if request["params"]["protocolVersion"] == HELLO["protocolVersion"]:
        answer(request, HELLO)
        return
    data = {"code": "AAS_MCP_PROTOCOL_VERSION_INCOMPATIBLE", "expected": HELLO["protocolVersion"]}
    error = {"code": -32602, "message": "Unsupported protocol version", "data": data}
    say({"jsonrpc": "2.0", "id": request["id"], "error": error})


def _params_as_a_list(request: dict[str, Any]) -> None:
    answer(request, {"content": [{"type": "text", "text": "added"}]})
    say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": []})


def _error_without_its_id(request: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "id": None, "error": {"code": -32000, "message": "No connection to the broker"}})


def _package_lacks_a_file() -> None:
    sys.stderr.write(
        "node:internal/modules/esm/resolve:283\n    throw new ERR_MODULE_NOT_FOUND(\n          ^\n\n"
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find module "
        "'/home/ada/.npm/_npx/9f1c/node_modules/@acme/vault/dist/src/cli.js' imported from "
        "/home/ada/.npm/_npx/9f1c/node_modules/@acme/vault/dist/server.js\n"
        "    at finalizeResolution (node:internal/modules/esm/resolve:283:11)\n"
        "    at moduleResolve (node:internal/modules/esm/resolve:952:10) {\n"
        "  code: 'ERR_MODULE_NOT_FOUND',\n"
        "  url: 'file:///home/ada/.npm/_npx/9f1c/node_modules/@acme/vault/dist/src/cli.js'\n}\n\nNode.js v20.19.0\n"
    )
    sys.exit(1)


def _env_loader_speaks() -> None:
    print("◇ injected env (0) from .env // tip: ⌘ enable debugging { debug: true }", flush=True)
    serve({"tools/list": {"tools": [_TOOL]}})


SERVERS: dict[str, Run] = {
    "last-page-has-a-cursor": lambda: serve({"tools/list": _never_ends}),
    "params-are-a-list": lambda: serve(
        {
            "initialize": HELLO | {"capabilities": {"tools": {"listChanged": True}}},
            "tools/list": {"tools": [_TOOL]},
            "tools/call": _params_as_a_list,
        }
    ),
    "error-has-no-id": lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": _error_without_its_id}),
    "all-ids-are-zero": _counts_zero,
    "accepts-one-version-alone": lambda: serve({"initialize": _only_its_version, "tools/list": {"tools": [_TOOL]}}),
    "package-lacks-a-file": _package_lacks_a_file,
    "loader-of-env-files-speaks": _env_loader_speaks,
}
