"""What tools answer: failures that look like successes, causes that nobody shows, results of other shapes."""

from typing import Any

from tests.servers.speaking import say, serve
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


FAULTS = (
    Fault(
        "structured-error-as-success",
        "isError is false; that the key is invalid stands in structuredContent alone.",
        "tavily-ai/tavily-mcp#211",
        ("L-20",),
        ("Search failed|Invalid Tavily API key", "success|isError"),
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
        ("L-20",),
        ("invalid_token", "success|isError"),
        _text('{"error":"invalid_token"}', isError=False),
        options=_CALL,
    ),
    Fault(
        "status-as-success",
        "The text of an HTTP client's exception is the result.",
        "TypeScript servers on axios",
        ("L-20",),
        ("status code 403", "success|isError"),
        _text("Request failed with status code 403"),
        options=_CALL,
    ),
    Fault(
        "http-401-as-success",
        "The upstream's status and reason are the result.",
        "rekog-labs/MCP-Nest#75",
        ("L-20",),
        ("401", "success|isError"),
        _text("HTTP 401 Unauthorized"),
        options=_CALL,
    ),
    Fault(
        "upstream-status-object-as-success",
        "The upstream's error document, by its status.",
        "gateways in front of REST APIs",
        ("L-20",),
        ("429|Too Many Requests", "success|isError"),
        _text('{"status": 429, "message": "Too Many Requests", "path": "/v1/search"}'),
        options=_CALL,
    ),
    Fault(
        "login-page-as-success",
        "The API sends a login page, and the tool passes it on.",
        "servers in front of intranets",
        ("L-20",),
        ("web page|HTML", "Sign in|success|isError"),
        _text("<!DOCTYPE html><html><head><title>Sign in</title></head><body><form></form></body></html>"),
        options=_CALL,
    ),
    Fault(
        "reason-in-data",
        "“invalid tool arguments”: which one stands in data.",
        "ramimbo/mergework#714",
        ("K11", "L-19", "L-35"),
        ("limit must be at most 100",),
        _fails({"code": -32602, "message": "invalid tool arguments", "data": {"reason": "limit must be at most 100"}}),
        options=_CALL,
    ),
    Fault(
        "cause-in-data",
        "“Internal error”: what failed stands in data.",
        "Java and PHP servers",
        ("L-19", "L-35"),
        ('relation "?notes"? does not exist|relation .*notes',),
        _fails({"code": -32603, "message": "Internal error", "data": 'relation "notes" does not exist'}),
        options=_CALL,
    ),
    Fault(
        "required-argument-missing",
        "“Internal tool error”: the caller left out an argument that is required.",
        "MemPalace/mempalace#1574",
        ("K11", "L-19", "L-35"),
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
        ("L-19",),
        ("Path not found: nonexistent_path.py",),
        _fails({"code": -32603, "message": "Path not found: nonexistent_path.py"}),
        options=_CALL,
    ),
    Fault(
        "code-is-a-word",
        "The code of a JSON-RPC error is that of a library.",
        "servers in JavaScript",
        ("E05",),
        ("code", "ECONNREFUSED|integer|number"),
        _fails({"code": "ECONNREFUSED", "message": "connect ECONNREFUSED 127.0.0.1:5432"}),
        options=_CALL,
    ),
    Fault(
        "error-is-a-string",
        "error is a string.",
        "servers written without an SDK",
        ("E05",),
        ("must be an object", "no such note"),
        _fails("no such note"),
        options=_CALL,
    ),
    Fault(
        "output-schema-and-no-structure",
        "-32600: Tool has an output schema but did not return structured content.",
        "crisnahine/rails-ai-context#69",
        ("K06", "S-23"),
        ("output schema|outputSchema", "structuredContent"),
        _gives({"content": [{"type": "text", "text": "ok"}]}, outputSchema={"type": "object"}),
        options=_CALL,
    ),
    Fault(
        "structure-is-an-array",
        "Invalid input: expected record, received array.",
        "usememos/memos#6049",
        ("K08", "S-23"),
        ("structuredContent", "array|object"),
        _text("[]", structuredContent=[{"id": 1}]),
        options=_CALL,
    ),
    Fault(
        "content-is-an-object",
        "expected array, received object: the handler's value goes out as content.",
        "alandtse/devbench#6",
        ("K01", "E04"),
        ("content", "array|list"),
        _gives({"content": {"answer": 42}}),
        options=_CALL,
    ),
    Fault(
        "content-is-a-string",
        "content is the text itself.",
        "servers written without an SDK",
        ("K01", "E04"),
        ("content", "array|list"),
        _gives({"content": "42"}),
        options=_CALL,
    ),
    Fault(
        "tool-result-wrapped",
        "expected array, received undefined at content: the result is wrapped once more.",
        "cloudflare/mcp-server-cloudflare#12",
        ("K17",),
        ("content", "toolResult"),
        _gives({"toolResult": {"content": [{"type": "text", "text": "ok"}]}}),
        options=_CALL,
    ),
    Fault(
        "text-is-an-object",
        "The text of a block is an object.",
        "servers in JavaScript that forget JSON.stringify",
        ("K03", "E04"),
        ("text", "string"),
        _text({"answer": 42}),
        options=_CALL,
    ),
    Fault(
        "type-json",
        "A block of type json.",
        "servers written without an SDK",
        ("K02",),
        ("json", "type"),
        _gives({"content": [{"type": "json", "json": {"answer": 42}}]}),
        options=_CALL,
    ),
    Fault(
        "data-url",
        "The picture's data begins with data:image/png;base64,.",
        "servers of browsers",
        ("K04",),
        ("data", "base64"),
        _gives({"content": [{"type": "image", "mimeType": "image/png", "data": "data:image/png;base64,iVBORw0KGgo="}]}),
        options=_CALL,
    ),
    Fault(
        "is-error-is-a-string",
        "isError is “false”, which many clients take for true.",
        "servers in PHP and Lua",
        ("K10", "E04"),
        ("isError", "string|true or false|boolean"),
        _text("ok", isError="false"),
        options=_CALL,
    ),
    Fault(
        "text-object-object",
        "The model reads [object Object].",
        "tambo-ai/tambo#1016",
        ("K16",),
        (r"\[object Object\]",),
        _text("[object Object]"),
        options=_CALL,
    ),
    Fault(
        "content-null",
        "The tool returns nothing, and content is null.",
        "servers in Python and Kotlin",
        ("K01", "E04", "E19"),
        ("content", "null|array|list"),
        _gives({"content": None}),
        options=_CALL,
    ),
    Fault(
        "never-answers",
        "It waits for something of the client that can never come.",
        "modelcontextprotocol/go-sdk#285",
        ("R-07", "L-22"),
        ("tools/call", "gave|given up|not answered|no answer"),
        _gives(lambda request: None),
        options="--timeout 3 " + _CALL,
    ),
    Fault(
        "result-encoded-twice",
        "The result was turned into a string before the message was.",
        "servers with two JSON libraries",
        ("E04",),
        ("result must be an object", "encoded twice"),
        _gives(lambda request: say({"jsonrpc": "2.0", "id": request["id"], "result": '{"content": []}'})),
        options=_CALL,
    ),
    Fault(
        "members-in-snake-case",
        "mime_type is what the language calls it.",
        "servers in Python and Rust without an SDK",
        ("K03",),
        ("mimeType is missing", "mime_type"),
        _gives({"content": [{"type": "image", "data": "aGk=", "mime_type": "image/png"}]}),
        options=_CALL,
    ),
    Fault(
        "resource-not-nested",
        "An embedded resource has its URI and its text beside type.",
        "servers without an SDK",
        ("K03",),
        ("resource is missing", "uri and text belong inside"),
        _gives({"content": [{"type": "resource", "uri": "file:///a", "text": "x"}]}),
        options=_CALL,
    ),
)
