"""VS Code with Copilot Chat, and Cursor. The first is read in its code, the second is known from reports alone."""

from datetime import date

from inspector.checks.findings import Confidence
from inspector.checks.hosts.facts import Effect, Fact, Feature, Host, Source
from inspector.checks.surface.names import Naming, TooLong

_CERTAIN = Confidence.CERTAIN
_CODE = "https://github.com/microsoft/vscode/blob"
_MCP = "src/vs/workbench/contrib/mcp/common"
_CHAT = "https://github.com/microsoft/vscode-copilot-chat/blob/31acd00a86424e2ee6e980e54919cf31fbf88030/src/extension"
_READ = date(2026, 11, 22)
_SERVER = Source(f"{_CODE}/0052d689f910e056718b44fdecc7a5e1ad2c3b66/{_MCP}/mcpServer.ts", _READ, confidence=_CERTAIN)
_HANDLER = Source(
    f"{_CODE}/c5308376f79a19368c9bd9dccc81090aa1bfcb79/{_MCP}/mcpServerRequestHandler.ts", _READ, confidence=_CERTAIN
)
_NORMALIZER = Source(f"{_CHAT}/tools/common/toolSchemaNormalizer.ts", date(2026, 3, 29), confidence=_CERTAIN)
_FETCHER = Source(f"{_CHAT}/prompt/node/chatMLFetcher.ts", date(2026, 3, 29), confidence=_CERTAIN)
_CONTRIBUTION = Source(
    f"{_CODE}/027907cb37d0df0ff0df4b3538d3dbc1d26e7cac/{_MCP}/mcpLanguageModelToolContribution.ts",
    _READ,
    confidence=_CERTAIN,
)
_OMITTED = "leaves the tool out: its schema is held against draft-07"
_TAKEN_OUT = "takes it out before the model sees it"

VS_CODE = Host(
    "vscode",
    "VS Code",
    "VSCod",
    (
        Fact(
            "array-without-items",
            Effect.BREAKS,
            "fails each request with “tool parameters array type must have items”",
            _NORMALIZER,
        ),
        Fact("input-broken", Effect.GONE, _OMITTED, _SERVER),
        Fact("boolean-bound", Effect.GONE, _OMITTED, _SERVER),
        Fact("input-required", Effect.GONE, _OMITTED, _SERVER),
        Fact("input-properties", Effect.GONE, _OMITTED, _SERVER),
        Fact("input-root", Effect.CHANGED, "shows the model a tool without parameters", _NORMALIZER),
        Fact("input-root-combinator", Effect.CHANGED, _TAKEN_OUT, _NORMALIZER),
        Fact("input-root-condition", Effect.CHANGED, _TAKEN_OUT, _NORMALIZER),
        Fact("required-unknown", Effect.CHANGED, _TAKEN_OUT, _NORMALIZER),
        Fact("tuple-items", Effect.CHANGED, "makes anyOf of it for GPT-4, o4 and Claude models", _NORMALIZER),
        Fact("no-description", Effect.CHANGED, "shows “<empty>” in its place", _SERVER),
        Fact("name-characters", Effect.CHANGED, "makes underscores of what is not a-z 0-9 _ . -", _SERVER),
        Fact("shown-name-length", Effect.CUT, "cuts names after 64 characters, its prefix included", _SERVER, over=64),
        Fact(
            "schema-text-length",
            Effect.CUT,
            "cuts it after 1,024 characters for GPT-4 models",
            _NORMALIZER,
            over=1024,
        ),
        Fact("tool-count", Effect.BREAKS, "refuses requests with more than 128 tools", _FETCHER, over=128),
        Fact(
            "read-only-writes", Effect.CHANGED, "does not ask before it calls it, as readOnlyHint is set", _CONTRIBUTION
        ),
    ),
    (
        Feature("tools", True, _SERVER),
        Feature("resources", True, _SERVER),
        Feature("prompts", True, _SERVER),
        Feature("sampling", True, _HANDLER),
        Feature("elicitation", True, _HANDLER, "forms and links"),
        Feature("roots", True, _HANDLER),
        Feature("pages", True, _HANDLER),
    ),
    (),
    Naming("mcp_{server}_{tool}", 64, TooLong.CUT, "^A-Za-z0-9_-", 18),
    _SERVER,
)

_CURSOR_DOCS = Source("https://www.developersdigest.tech/mcp-servers/clients/cursor", _READ)
_SIXTY = Source("https://github.com/ComposioHQ/composio/issues/2788", date(2026, 2, 27))

CURSOR = Host(
    "cursor",
    "Cursor",
    "Cursr",
    (
        Fact(
            "shown-name-length",
            Effect.GONE,
            "leaves tools out whose server's name and own name have 60 characters together",
            _SIXTY,
            over=59,
        ),
        Fact(
            "tool-count",
            Effect.WARNED,
            "warns of more than 80 tools, of all servers together",
            Source("https://github.com/Snowflake-Labs/mcp/issues/77", date(2025, 9, 2)),
            over=80,
        ),
    ),
    tuple(Feature(name, True, _CURSOR_DOCS) for name in ("tools", "resources", "prompts", "roots", "elicitation")),
    (),
    Naming("{server}{tool}", 59),
    _SIXTY,
)
