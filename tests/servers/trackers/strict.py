"""What strict clients reject: members that are missing, or of another type."""

from typing import Any

from tests.servers.speaking import HELLO, say, serve
from tests.servers.trackers import Run

_TOOL: dict[str, Any] = {
    "name": "search",
    "description": "Searches the notes.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "What to look for."}}},
}
_CALL = "--call search={}"


def _lists(*tools: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": list(tools)}})


def _gives(*content: Any, **more: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": {"content": list(content)} | more})


def _error(code: Any, message: str) -> Any:
    return lambda request: say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})


def _hello(**members: Any) -> Run:
    return lambda: serve({"initialize": HELLO | members, "tools/list": {"tools": [_TOOL]}})


SERVERS: dict[str, Run] = {
    "schema-under-another-name": _lists({"name": "search", "description": "Searches.", "schema": {"type": "object"}}),
    "output-schema-of-an-array": _lists(_TOOL | {"outputSchema": {"type": "array", "items": {"type": "string"}}}),
    "resource-link-without-name": _gives(
        {"type": "text", "text": "see"}, {"type": "resource_link", "uri": "notes://1", "title": "One"}
    ),
    "type-error": _gives({"type": "error", "text": "cleared must be a string"}),
    "content-of-strings": _gives("found 3 notes", "done"),
    "content-in-content": _gives([{"type": "text", "text": "found"}]),
    "text-block-without-text": _gives({"type": "text", "value": "found"}),
    "structure-without-content": lambda: serve(
        {"tools/list": {"tools": [_TOOL]}, "tools/call": {"structuredContent": {"rows": 3}}}
    ),
    "empty-list-of-properties": _lists(_TOOL | {"inputSchema": {"type": "object", "properties": [], "required": []}}),
    "result-is-an-empty-array": lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": []}),
    "capabilities-missing": lambda: serve(
        {
            "initialize": {key: value for key, value in HELLO.items() if key != "capabilities"},
            "tools/list": {"tools": [_TOOL]},
        }
    ),
    "server-version-is-a-number": _hello(serverInfo={"name": "notes", "version": 1.0}),
    "during-initialization": lambda: serve(
        {"tools/list": _error(0, 'method "tools/list" is invalid during session initialization')}
    ),
    "code-is-text": lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": _error("-32602", "q is missing")}),
}
