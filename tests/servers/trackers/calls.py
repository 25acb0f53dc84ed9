"""Results of tools: failures that look like successes, hidden causes, results of unexpected shapes."""

import json
import sys
from typing import Any

from tests.servers.speaking import answer, say, serve
from tests.servers.trackers import Fault, Run

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


FAULTS = (
    Fault(
        "structured-error-as-success",
        "isError is false; that the key is invalid stands in structuredContent alone.",
        "tavily-ai/tavily-mcp#211",
        ("tool-failure-unmarked",),
        ("Search failed|Invalid Tavily API key", "may have failed.*isError"),
        _text(
            '{"error": "Search failed", "detail": "Invalid Tavily API key"}',
            structuredContent={"error": "Search failed", "detail": "Invalid Tavily API key"},
            isError=False,
        ),
        options=_CALL,
    ),
    Fault(
        "token-refused-as-success",
        "An OpenAPI tool serves the rejection of the API as its output.",
        "BerriAI/litellm#37496",
        ("tool-failure-unmarked",),
        ("invalid_token", "may have failed.*isError"),
        _text('{"error":"invalid_token"}', isError=False),
        options=_CALL,
    ),
    Fault(
        "status-as-success",
        "The text of an HTTP client's exception is the result.",
        "TypeScript servers on axios",
        ("tool-failure-unmarked",),
        ("status code 403", "may have failed.*isError"),
        _text("Request failed with status code 403"),
        options=_CALL,
    ),
    Fault(
        "http-401-as-success",
        "The upstream's status and reason are the result.",
        "rekog-labs/MCP-Nest#75",
        ("tool-failure-unmarked",),
        ("401", "may have failed.*isError"),
        _text("HTTP 401 Unauthorized"),
        options=_CALL,
    ),
    Fault(
        "upstream-status-object-as-success",
        "The upstream's error document, by its status.",
        "gateways in front of REST APIs",
        ("tool-failure-unmarked",),
        ("429|Too Many Requests", "may have failed.*isError"),
        _text('{"status": 429, "message": "Too Many Requests", "path": "/v1/search"}'),
        options=_CALL,
    ),
    Fault(
        "login-page-as-success",
        "The API sends a login page, and the tool passes it on.",
        "servers in front of intranets",
        ("tool-failure-unmarked",),
        ("web page|HTML", "Sign in", "may have failed.*isError"),
        _text("<!DOCTYPE html><html><head><title>Sign in</title></head><body><form></form></body></html>"),
        options=_CALL,
    ),
    Fault(
        "reason-in-data",
        "“invalid tool arguments”: which one stands in data.",
        "ramimbo/mergework#714",
        ("invalid-arguments-as-protocol-error", "tool-failure-as-protocol-error", "call-rejected"),
        ("limit must be at most 100",),
        _fails({"code": -32602, "message": "invalid tool arguments", "data": {"reason": "limit must be at most 100"}}),
        options=_CALL,
    ),
    Fault(
        "cause-in-data",
        "“Internal error”: what failed stands in data.",
        "Java and PHP servers",
        ("tool-failure-as-protocol-error", "call-rejected"),
        ('relation "?notes"? does not exist|relation .*notes',),
        _fails({"code": -32603, "message": "Internal error", "data": 'relation "notes" does not exist'}),
        options=_CALL,
    ),
    Fault(
        "required-argument-missing",
        "“Internal tool error”: the caller left out an argument that is required.",
        "MemPalace/mempalace#1574",
        ("invalid-arguments-as-protocol-error", "tool-failure-as-protocol-error", "call-rejected"),
        ("agent_name",),
        _fails(
            {"code": -32000, "message": "Internal tool error"},
            inputSchema={
                "type": "object",
                "properties": {"agent_name": {"type": "string"}},
                "required": ["agent_name"],
            },
        ),
        options=_CALL,
    ),
    Fault(
        "internal-error-for-a-wrong-name",
        "-32603 for what the user mistyped.",
        "Ataraxy-Labs/sem#182",
        ("tool-failure-as-protocol-error",),
        ("Path not found: nonexistent_path.py",),
        _fails({"code": -32603, "message": "Path not found: nonexistent_path.py"}),
        options=_CALL,
    ),
    Fault(
        "code-is-a-word",
        "The code of a JSON-RPC error is that of a library.",
        "servers in JavaScript",
        ("error-object-invalid",),
        ("code", "ECONNREFUSED|integer|number"),
        _fails({"code": "ECONNREFUSED", "message": "connect ECONNREFUSED 127.0.0.1:5432"}),
        options=_CALL,
    ),
    Fault(
        "error-is-a-string",
        "error is a string.",
        "servers written without an SDK",
        ("error-object-invalid",),
        ("must be an object", "no such note"),
        _fails("no such note"),
        options=_CALL,
    ),
    Fault(
        "output-schema-and-no-structure",
        "-32600: Tool has an output schema but did not return structured content.",
        "crisnahine/rails-ai-context#69",
        ("structured-content-missing", "structured-content-missing"),
        ("output schema|outputSchema", "structuredContent"),
        _gives({"content": [{"type": "text", "text": "ok"}]}, outputSchema={"type": "object"}),
        options=_CALL,
    ),
    Fault(
        "structure-is-an-array",
        "Invalid input: expected record, received array.",
        "usememos/memos#6049",
        ("structured-content-not-object", "structured-content-missing"),
        ("structuredContent", "array|object"),
        _text("[]", structuredContent=[{"id": 1}]),
        options=_CALL,
    ),
    Fault(
        "content-is-an-object",
        "expected array, received object: the handler's value goes out as content.",
        "alandtse/devbench#6",
        ("content-missing", "result-not-object"),
        ("content", "array|list"),
        _gives({"content": {"answer": 42}}),
        options=_CALL,
    ),
    Fault(
        "content-is-a-string",
        "content is the text itself.",
        "servers written without an SDK",
        ("content-missing", "result-not-object"),
        ("content", "array|list"),
        _gives({"content": "42"}),
        options=_CALL,
    ),
    Fault(
        "tool-result-wrapped",
        "expected array, received undefined at content: the result is wrapped once more.",
        "cloudflare/mcp-server-cloudflare#12",
        ("result-wrapped",),
        ("content", "toolResult"),
        _gives({"toolResult": {"content": [{"type": "text", "text": "ok"}]}}),
        options=_CALL,
    ),
    Fault(
        "text-is-an-object",
        "The text of a block is an object.",
        "servers in JavaScript that forget JSON.stringify",
        ("content-block-incomplete", "result-not-object"),
        ("text", "string"),
        _text({"answer": 42}),
        options=_CALL,
    ),
    Fault(
        "type-json",
        "A block of type json.",
        "servers written without an SDK",
        ("unknown-content-type",),
        ("json", "type"),
        _gives({"content": [{"type": "json", "json": {"answer": 42}}]}),
        options=_CALL,
    ),
    Fault(
        "data-url",
        "The picture's data begins with data:image/png;base64,.",
        "servers of browsers",
        ("invalid-base64",),
        ("data", "base64"),
        _gives({"content": [{"type": "image", "mimeType": "image/png", "data": "data:image/png;base64,iVBORw0KGgo="}]}),
        options=_CALL,
    ),
    Fault(
        "is-error-is-a-string",
        "isError is “false”, which many clients take for true.",
        "servers in PHP and Lua",
        ("is-error-not-boolean", "result-not-object"),
        ("isError", "string|true or false|boolean"),
        _text("ok", isError="false"),
        options=_CALL,
    ),
    Fault(
        "text-object-object",
        "The model reads [object Object].",
        "tambo-ai/tambo#1016",
        ("object-as-text",),
        (r"\[object Object\]",),
        _text("[object Object]"),
        options=_CALL,
    ),
    Fault(
        "content-null",
        "The tool returns nothing, and content is null.",
        "servers in Python and Kotlin",
        ("content-missing", "result-not-object", "null-optional-member"),
        ("content", "null|array|list"),
        _gives({"content": None}),
        options=_CALL,
    ),
    Fault(
        "never-answers",
        "It waits for something of the client that can never come.",
        "modelcontextprotocol/go-sdk#285",
        ("call-timed-out", "request-unanswered"),
        ("tools/call", "cancelled|no response"),
        _gives(lambda request: None),
        options="--timeout 3 " + _CALL,
    ),
    Fault(
        "result-encoded-twice",
        "The result was turned into a string before the message was.",
        "servers with two JSON libraries",
        ("result-not-object",),
        ("result must be an object", "encoded twice"),
        _gives(lambda request: say({"jsonrpc": "2.0", "id": request["id"], "result": '{"content": []}'})),
        options=_CALL,
    ),
    Fault(
        "members-in-snake-case",
        "mime_type is what the language calls it.",
        "servers in Python and Rust without an SDK",
        ("content-block-incomplete",),
        ("mimeType is missing", "mime_type"),
        _gives({"content": [{"type": "image", "data": "aGk=", "mime_type": "image/png"}]}),
        options=_CALL,
    ),
    Fault(
        "resource-not-nested",
        "An embedded resource has its URI and its text beside type.",
        "servers without an SDK",
        ("content-block-incomplete",),
        ("resource is missing", "uri and text belong inside"),
        _gives({"content": [{"type": "resource", "uri": "file:///a", "text": "x"}]}),
        options=_CALL,
    ),
    Fault(
        "result-without-content",
        "The tool returns nothing, and the result is an empty object.",
        "servers written without an SDK",
        ("content-missing",),
        ("tools/call", "content is missing"),
        _gives({}),
        options=_CALL,
        exit=5,
    ),
    Fault(
        "cause-in-the-exception",
        "“Internal error”: the exception of PHP stands in data, under a name of its own.",
        "php-mcp/server#53",
        ("tool-failure-as-protocol-error",),
        ("Internal error", "must be of type array, stdClass given"),
        _fails(
            {
                "code": -32603,
                "message": "Internal error",
                "data": {
                    "exception": "CallToolRequest::__construct(): $arguments must be of type array, stdClass given"
                },
            }
        ),
        options=_CALL,
        exit=5,
    ),
    Fault(
        "exception-only-logged",
        "The call never ends: the exception is logged, and nothing is sent.",
        "servers in Python that catch and log",
        ("call-timed-out",),
        ("tools/call", "stderr", "no such table: notes"),
        _gives(_only_logs),
        options=f"{_CALL} --timeout 3",
        exit=7,
    ),
    Fault(
        "several-lines-as-success",
        "The text of an exception with its stack is the result.",
        "servers of databases in Node",
        ("tool-failure-unmarked",),
        ("ECONNREFUSED", "may have failed.*isError"),
        _text("Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect (node:net:1611:16)"),
        options=_CALL,
    ),
    Fault(
        "progress-token-made-up",
        "Cursor marks the server as failed after 157 protocol errors: each progress has a token of the server's own.",
        "twentyhq/twenty#24559",
        ("unrequested-progress",),
        ("progress", "tool-call-"),
        _gives(_reports_made_up),
        options=_CALL,
    ),
    Fault(
        "progress-after-the-answer",
        "Claude Code closes the transport: the last progress follows the response.",
        "anthropics/claude-code#47765",
        ("unrequested-progress",),
        ("progress", "after its response"),
        _gives(_reports_afterwards),
        options=_CALL,
    ),
    Fault(
        "elicits-an-object",
        "The form cannot be shown: the schema of the elicitation has an object in an object.",
        "Jamie-BitFlight/claude_skills#473",
        ("elicitation-schema-not-flat",),
        ("address", "object"),
        _gives(_elicits_an_object),
        options=f"{_CALL} --capability elicitation",
    ),
)
