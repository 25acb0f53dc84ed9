"""Results of tools: failures that look like successes, hidden causes, results of unexpected shapes."""

import json
import sys
from typing import Any

from tests.servers.speaking import answer, say, serve
from tests.servers.trackers import Run

_TOOL: dict[str, Any] = {
    "name": "search",
    "description": "Searches the notes.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "What to look for."}}},
}
_CALL = "--call search={}"


def _gives(result: Any, **tool: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": [_TOOL | tool]}, "tools/call": result})


def _text(text: Any, **more: Any) -> Run:
    return _gives({"content": [{"type": "text", "text": text}]} | more)


def _fails(error: Any, **tool: Any) -> Run:
    return _gives(lambda request: say({"jsonrpc": "2.0", "id": request["id"], "error": error}), **tool)


def _only_logs(request: dict[str, Any]) -> None:
    sys.stderr.write(
        'Traceback (most recent call last):\n  File "server.py", line 40, in call_tool\n    rows = db.execute(q)\n'
        "sqlite3.OperationalError: no such table: notes\n"
    )
    sys.stderr.flush()


def _progress(token: Any, progress: int) -> None:
    params = {"progressToken": token, "progress": progress, "total": 1}
    say({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


def _reports_made_up(request: dict[str, Any]) -> Any:
    _progress(f"tool-call-{request['id']}", 0)
    return {"content": [{"type": "text", "text": "found 3 notes"}]}


def _reports_afterwards(request: dict[str, Any]) -> None:
    answer(request, {"content": [{"type": "text", "text": "found 3 notes"}]})
    _progress(request["params"]["_meta"]["progressToken"], 1)


def _elicits_an_object(request: dict[str, Any]) -> Any:
    address = {"type": "object", "properties": {"street": {"type": "string"}}}
    schema = {"type": "object", "properties": {"address": address}}
    params = {"message": "Where to?", "requestedSchema": schema}
    say({"jsonrpc": "2.0", "id": "e1", "method": "elicitation/create", "params": params})
    next(line for line in sys.stdin if json.loads(line).get("id") == "e1")
    return {"content": [{"type": "text", "text": "found 3 notes"}]}


SERVERS: dict[str, Run] = {
    "structured-error-as-success": _text(
        '{"error": "Search failed", "detail": "Invalid Tavily API key"}',
        structuredContent={"error": "Search failed", "detail": "Invalid Tavily API key"},
        isError=False,
    ),
    "token-refused-as-success": _text('{"error":"invalid_token"}', isError=False),
    "status-as-success": _text("Request failed with status code 403"),
    "http-401-as-success": _text("HTTP 401 Unauthorized"),
    "upstream-status-object-as-success": _text('{"status": 429, "message": "Too Many Requests", "path": "/v1/search"}'),
    "login-page-as-success": _text(
        "<!DOCTYPE html><html><head><title>Sign in</title></head><body><form></form></body></html>"
    ),
    "reason-in-data": _fails(
        {"code": -32602, "message": "invalid tool arguments", "data": {"reason": "limit must be at most 100"}}
    ),
    "cause-in-data": _fails({"code": -32603, "message": "Internal error", "data": 'relation "notes" does not exist'}),
    "required-argument-missing": _fails(
        {"code": -32000, "message": "Internal tool error"},
        inputSchema={
            "type": "object",
            "properties": {"agent_name": {"type": "string"}},
            "required": ["agent_name"],
        },
    ),
    "internal-error-for-a-wrong-name": _fails({"code": -32603, "message": "Path not found: nonexistent_path.py"}),
    "code-is-a-word": _fails({"code": "ECONNREFUSED", "message": "connect ECONNREFUSED 127.0.0.1:5432"}),
    "error-is-a-string": _fails("no such note"),
    "output-schema-and-no-structure": _gives(
        {"content": [{"type": "text", "text": "ok"}]}, outputSchema={"type": "object"}
    ),
    "structure-is-an-array": _text("[]", structuredContent=[{"id": 1}]),
    "content-is-an-object": _gives({"content": {"answer": 42}}),
    "content-is-a-string": _gives({"content": "42"}),
    "tool-result-wrapped": _gives({"toolResult": {"content": [{"type": "text", "text": "ok"}]}}),
    "text-is-an-object": _text({"answer": 42}),
    "type-json": _gives({"content": [{"type": "json", "json": {"answer": 42}}]}),
    "data-url": _gives(
        {"content": [{"type": "image", "mimeType": "image/png", "data": "data:image/png;base64,iVBORw0KGgo="}]}
    ),
    "is-error-is-a-string": _text("ok", isError="false"),
    "text-object-object": _text("[object Object]"),
    "content-null": _gives({"content": None}),
    "never-answers": _gives(lambda request: None),
    "result-encoded-twice": _gives(
        lambda request: say({"jsonrpc": "2.0", "id": request["id"], "result": '{"content": []}'})
    ),
    "members-in-snake-case": _gives({"content": [{"type": "image", "data": "aGk=", "mime_type": "image/png"}]}),
    "resource-not-nested": _gives({"content": [{"type": "resource", "uri": "file:///a", "text": "x"}]}),
    "result-without-content": _gives({}),
    "cause-in-the-exception": _fails(
        {
            "code": -32603,
            "message": "Internal error",
            "data": {"exception": "CallToolRequest::__construct(): $arguments must be of type array, stdClass given"},
        }
    ),
    "exception-only-logged": _gives(_only_logs),
    "several-lines-as-success": _text(
        "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect (node:net:1611:16)"
    ),
    "progress-token-made-up": _gives(_reports_made_up),
    "progress-after-the-answer": _gives(_reports_afterwards),
    "elicits-an-object": _gives(_elicits_an_object),
}
