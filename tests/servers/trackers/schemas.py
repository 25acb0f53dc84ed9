"""Tools, prompts and resources as they are listed: schemas of another library, another API, another language."""

from itertools import count
from typing import Any

from tests.servers.speaking import HELLO, serve
from tests.servers.trackers import Fault, Run

_GOOD: dict[str, Any] = {
    "name": "forecast",
    "description": "Tells the weather of a city.",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "description": "Its name."}}},
}
_ZOD_3 = {
    "_def": {"unknownKeys": "strip", "catchall": {"_def": {"typeName": "ZodNever"}}, "typeName": "ZodObject"},
    "~standard": {"version": 1, "vendor": "zod"},
    "_cached": None,
}
_ZOD_4 = {
    "def": {"type": "object", "shape": {"city": {"def": {"type": "string"}, "type": "string", "format": None}}},
    "type": "object",
}


def _lists(*tools: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": list(tools)}})


def _pages_for_ever() -> None:
    """Another tool on each page, and always the same cursor."""
    numbers = count(1)
    serve({"tools/list": lambda request: {"tools": [_GOOD | {"name": f"t{next(numbers)}"}], "nextCursor": "p2"}})


def _with(schema: Any) -> Run:
    return _lists(_GOOD | {"inputSchema": schema})


def _one(**properties: Any) -> Run:
    return _with({"type": "object", "properties": properties})


def _returns(**properties: Any) -> Run:
    """Its outputSchema has these properties."""
    return _lists(_GOOD | {"outputSchema": {"type": "object", "properties": properties}})


FAULTS = (
    Fault(
        "python-named-group",
        "A pattern of an outputSchema is in Python's dialect: the client loses all tools, and reports a failed login.",
        "anomalyco/opencode#35624",
        ("pattern-not-ecmascript",),
        (r"\?P<workflow_id>", "ECMAScript"),
        _returns(run={"type": "string", "pattern": "^(?P<workflow_id>[0-9a-f]+)$"}),
        exit=1,
    ),
    Fault(
        "lookaround",
        "OpenAI's API refuses every request: regex lookaround is not supported.",
        "can1357/oh-my-pi#2784",
        ("pattern-lookaround",),
        ("fileKey", "lookaround"),
        _one(fileKey={"type": "string", "description": "d", "pattern": "^(?!undefined$|null$)"}),
    ),
    Fault(
        "email-of-zod",
        "zod 4 writes an email's pattern with lookaheads.",
        "cline/cline#14013",
        ("pattern-lookaround",),
        ("email", "lookaround"),
        _one(email={"type": "string", "description": "d", "pattern": "^(?!\\.)(?!.*\\.\\.)[a-z]+@[a-z]+$"}),
    ),
    Fault(
        "type-unknown",
        "Another type than those of JSON Schema: ajv rejects the whole list.",
        "apify/apify-mcp-server#738",
        ("invalid-keyword-value", "invalid-schema"),
        ("unknown",),
        _one(city={"type": "unknown", "description": "d"}),
    ),
    Fault(
        "empty-enum",
        "An enum without values: the client of the TypeScript SDK 1 loses the list.",
        "modelcontextprotocol/typescript-sdk",
        ("invalid-keyword-value", "invalid-schema"),
        ("enum",),
        _returns(run={"type": "string", "enum": []}),
        exit=1,
    ),
    Fault(
        "true-as-schema",
        "A property's schema is true: the client of the TypeScript SDK 1 loses the list.",
        "modelcontextprotocol/typescript-sdk",
        ("schema-rejected-by-apis",),
        ("true", "city"),
        _one(city=True),
        exit=1,
    ),
    Fault(
        "zod-3-object",
        "A zod object is given in the place of a JSON Schema: the host drops the whole list.",
        "vercel/mcp-handler and the TypeScript SDK",
        ("foreign-schema-format",),
        ("forecast", "zod", "JSON Schema"),
        _with(_ZOD_3),
    ),
    Fault(
        "zod-4-object",
        "The same with zod 4, whose objects even say that they are of type object.",
        "the TypeScript SDK",
        ("foreign-schema-format",),
        ("forecast", "zod", "JSON Schema"),
        _with(_ZOD_4),
    ),
    Fault(
        "zod-shape",
        "A mere shape of zod types, as some frameworks take it.",
        "the TypeScript SDK",
        ("foreign-schema-format",),
        ("forecast", "zod", "JSON Schema"),
        _with(
            {"city": {"_def": {"checks": [], "typeName": "ZodString", "coerce": False}, "~standard": {"vendor": "zod"}}}
        ),
    ),
    Fault(
        "dialect-only",
        "Every schema has shrunk to its label; 23 comments, most of them bisecting tarballs.",
        "kerlenton/mcpsnoop#199, of the filesystem server",
        ("input-schema-not-object", "input-schema-not-object"),
        ("forecast", "type"),
        _with({"$schema": "http://json-schema.org/draft-07/schema#"}),
    ),
    Fault(
        "empty-schema",
        "No tools in Cursor, AMP and Windsurf: inputSchema is {}.",
        "zereight/gitlab-mcp#286",
        ("input-schema-not-object", "input-schema-not-object"),
        ("forecast", "type"),
        _with({}),
    ),
    Fault(
        "required-null",
        "Claude Code rejects all tools, and says that authentication has failed.",
        "anthropics/claude-code#44364",
        (
            "invalid-schema",
            "keyword-not-in-dialect",
            "input-schema-not-object",
            "null-optional-member",
            "result-not-object",
        ),
        ("required", "null|list|array"),
        _with(_GOOD["inputSchema"] | {"required": None}),
    ),
    Fault(
        "properties-are-a-list",
        "expected record, received array: PHP wrote an empty array.",
        "use-novamira/novamira#82",
        ("invalid-schema", "input-schema-not-object", "result-not-object"),
        ("properties", "list|array|object"),
        _with({"type": "object", "properties": []}),
    ),
    Fault(
        "null-among-the-tools",
        "An authorizer leaves a null in the list.",
        "cognizant-ai-lab/neuro-san#1341",
        ("result-not-object", "tool-incomplete", "null-optional-member"),
        ("tools", "null|object"),
        _lists(_GOOD, None),
    ),
    Fault(
        "schema-in-a-string",
        "The schema is JSON in a string.",
        "servers that keep schemas in a database",
        ("tool-incomplete", "input-schema-not-object", "input-schema-not-object", "result-not-object"),
        ("inputSchema", "string"),
        _with('{"type": "object", "properties": {}}'),
    ),
    Fault(
        "openai-parameters",
        "parameters in the place of inputSchema, as OpenAI's API has it.",
        "servers made from tools of an agent",
        ("foreign-schema-format",),
        ("inputSchema", "parameters"),
        _lists({"name": "forecast", "description": "Tells the weather.", "parameters": _GOOD["inputSchema"]}),
    ),
    Fault(
        "openai-function",
        "The whole tool is wrapped as OpenAI's API has it.",
        "servers made from tools of an agent",
        ("foreign-schema-format",),
        ("function",),
        _lists({"type": "function", "function": {"name": "forecast", "parameters": _GOOD["inputSchema"]}}),
    ),
    Fault(
        "anthropic-input-schema",
        "input_schema, as Anthropic's API has it.",
        "servers in Python and Ruby",
        ("foreign-schema-format",),
        ("inputSchema", "input_schema"),
        _lists({"name": "forecast", "description": "Tells the weather.", "input_schema": _GOOD["inputSchema"]}),
    ),
    Fault(
        "tools-by-name",
        "tools is an object by name.",
        "servers written without an SDK",
        ("result-not-object", "tool-incomplete"),
        ("tools", "array|list|object"),
        lambda: serve({"tools/list": {"tools": {"forecast": _GOOD}}}),
    ),
    Fault(
        "result-is-the-list",
        "The result of tools/list is the array itself.",
        "servers written without an SDK",
        ("result-not-object",),
        ("tools/list", "array|list|object"),
        lambda: serve({"tools/list": [_GOOD]}),
    ),
    Fault(
        "object-that-admits-no-keys",
        "Clients that check arguments reject every real call: a nested object allows no property at all.",
        "firecrawl/firecrawl-mcp-server#373",
        ("object-without-properties",),
        ("schema", "no (key|propert)|only the empty|nothing|additionalProperties"),
        _one(
            url={"type": "string"},
            schema={"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": False},
        ),
    ),
    Fault(
        "type-with-a-typo",
        "A type that JSON Schema does not have.",
        "Apicurio/apicurio-registry#10080",
        ("invalid-keyword-value",),
        ("strng",),
        _one(city={"type": "strng"}),
    ),
    Fault(
        "type-of-python",
        "Types of Python are given for those of JSON Schema.",
        "servers written without an SDK, in Python",
        ("invalid-keyword-value",),
        ("'int'|\"int\"|'dict'",),
        _one(days={"type": "int"}, options={"type": "dict"}),
    ),
    Fault(
        "required-in-the-property",
        "required: true stands in a property, as in draft 3 or OpenAPI parameters.",
        "servers made from OpenAPI documents",
        ("invalid-keyword-value",),
        ("required",),
        _one(city={"type": "string", "required": True}),
    ),
    Fault(
        "reference-into-openapi",
        "References into #/components/schemas, which the tool does not have.",
        "cognizant-ai-lab/neuro-san#1341",
        ("unresolved-reference", "unresolved-reference"),
        ("#/components/schemas/City",),
        _one(city={"$ref": "#/components/schemas/City"}),
    ),
    Fault(
        "output-schema-is-an-array",
        "One tool that returns a list has an output schema of type array, and a client drops them all.",
        "Python servers",
        ("output-schema-not-object", "output-schema-not-object"),
        ("forecast", "output", "object"),
        _lists(_GOOD | {"outputSchema": {"type": "array", "items": {"type": "string"}}}),
    ),
    Fault(
        "arguments-by-name",
        "The arguments of a prompt are an object by name.",
        "servers written without an SDK",
        ("result-not-object", "prompt-name-missing"),
        ("arguments", "array|list|object"),
        lambda: serve(
            {
                "initialize": HELLO | {"capabilities": {"prompts": {}}},
                "prompts/list": {"prompts": [{"name": "greet", "arguments": {"who": {"type": "string"}}}]},
            }
        ),
    ),
    Fault(
        "resource-without-scheme",
        "A resource's URI is the name of a file.",
        "servers of files",
        ("invalid-uri",),
        ("config/app.json", "URI"),
        lambda: serve(
            {
                "initialize": HELLO | {"capabilities": {"resources": {}}},
                "resources/list": {"resources": [{"uri": "config/app.json", "name": "app"}]},
            }
        ),
    ),
    Fault(
        "cursor-that-never-changes",
        "Clients that read all pages never finish: each page names the cursor it was asked with.",
        "servers that page by hand",
        ("pagination-incomplete",),
        ("same (cursor|nextCursor)", "'p2'", "never ends", "truncated"),
        _pages_for_ever,
        exit=1,
    ),
    Fault(
        "cursor-that-never-changes-nor-the-page",
        "The same, and the page is always the first one.",
        "servers that ignore the cursor",
        ("pagination-incomplete",),
        ("same (cursor|nextCursor)", "'p2'", "never ends", "truncated"),
        lambda: serve({"tools/list": {"tools": [_GOOD], "nextCursor": "p2"}}),
        exit=1,
    ),
    Fault(
        "exclusive-minimum-of-draft-4",
        "The API rejects the whole list: exclusiveMinimum is true, as in draft 4.",
        "Dokploy/mcp#74",
        ("invalid-schema",),
        ("ttl/exclusiveMinimum must be a number", "true"),
        _with(
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "properties": {"ttl": {"type": "integer", "exclusiveMinimum": True, "description": "In seconds."}},
            }
        ),
    ),
)
