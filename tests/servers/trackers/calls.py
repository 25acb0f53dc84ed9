"""Results of tools: failures that look like successes, hidden causes, results of unexpected shapes."""

import json
import sys
from typing import Any

from tests.servers.speaking import answer, say, serve
from tests.servers.trackers import Run

TOOL: dict[str, Any] = {
    "name": "search",
    "description": "Searches the notes.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "What to look for."}}},
}


def _gives(result: Any, **tool: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": [TOOL | tool]}, "tools/call": result})


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
    "reason-in-data": _fails(
        {"code": -32602, "message": "invalid tool arguments", "data": {"reason": "limit must be at most 100"}}
    ),
    "cause-in-data": _fails({"code": -32603, "message": "Internal error", "data": 'relation "notes" does not exist'}),
    "required-argument-missing": _fails(
        {"code": -32000, "message": "Internal tool error"},
        inputSchema={"type": "object", "properties": {"agent_name": {"type": "string"}}, "required": ["agent_name"]},
    ),
    "internal-error-for-a-wrong-name": _fails({"code": -32603, "message": "Path not found: nonexistent_path.py"}),
    "code-is-a-word": _fails({"code": "ECONNREFUSED", "message": "connect ECONNREFUSED 127.0.0.1:5432"}),
    "error-is-a-string": _fails("no such note"),
    "never-answers": _gives(lambda request: None),
    "result-encoded-twice": _gives(
        lambda request: say({"jsonrpc": "2.0", "id": request["id"], "result": '{"content": []}'})
    ),
    "cause-in-the-exception": _fails(
        {
            "code": -32603,
            "message": "Internal error",
            "data": {"exception": "CallToolRequest::__construct(): $arguments must be of type array, stdClass given"},
        }
    ),
    "exception-only-logged": _gives(_only_logs),
    "progress-token-made-up": _gives(_reports_made_up),
    "progress-after-the-answer": _gives(_reports_afterwards),
    "elicits-an-object": _gives(_elicits_an_object),
}
