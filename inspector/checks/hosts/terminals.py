"""Codex and Gemini CLI, read in their code."""

from datetime import date

from inspector.checks.findings import Confidence
from inspector.checks.hosts.facts import Effect, Fact, Feature, Host, Limit, Source
from inspector.checks.surface.names import Naming, TooLong

_CERTAIN, _GUESS = Confidence.CERTAIN, Confidence.GUESS
_CODEX = "https://github.com/openai/codex/blob"
_READ = date(2026, 11, 22)
_TOOLS = Source(
    f"{_CODEX}/00a35b1bf7756fef83d5100d40804d2a9c4e6a04/codex-rs/codex-mcp/src/tools.rs", _READ, confidence=_CERTAIN
)
_CLIENT = Source(
    f"{_CODEX}/02beca9f39715ed6c57f93cd5a08e45b7ec0b8b7/codex-rs/codex-mcp/src/rmcp_client.rs",
    _READ,
    confidence=_CERTAIN,
)
_SCHEMA = Source(
    f"{_CODEX}/1048c68e183b97cfec9f78d5c2b951b026350c07/codex-rs/tools/src/json_schema.rs", _READ, confidence=_CERTAIN
)
_ROOT = Source("https://github.com/Dicklesworthstone/flywheel_connectors/issues/49", date(2026, 5, 20))
_SAMPLING = Source("https://github.com/openai/codex/pull/5116", date(2025, 10, 17), confidence=_GUESS)
_ROOT_SAID = "gets error 400 for every request: type object at the root, and no combinators beside it"

CODEX = Host(
    "codex",
    "Codex",
    "Codex",
    (
        Fact("input-root-combinator", Effect.BREAKS, _ROOT_SAID, _ROOT),
        Fact("duplicate-name", Effect.GONE, "skips the second tool of a name", _TOOLS),
        Fact(
            "shown-name-length", Effect.CHANGED, "puts a hash in the place of the end, over 64 bytes", _TOOLS, over=64
        ),
        Fact("name-characters", Effect.CHANGED, "makes underscores of other characters", _TOOLS),
        Fact("boolean-property", Effect.CHANGED, "shows it to the model as a string", _SCHEMA),
        Fact("recursive", Effect.CHANGED, "shows the inner part as any object", _SCHEMA),
        Fact("array-without-items", Effect.CHANGED, "adds items of its own", _SCHEMA),
        Fact("input-reference", Effect.CHANGED, "shows what it can't resolve as a string", _SCHEMA),
    ),
    (
        Feature("tools", True, _TOOLS),
        Feature("elicitation", True, _CLIENT),
        Feature(
            "sampling",
            False,
            _SAMPLING,
        ),
    ),
    (
        Limit("start", "gives up after 30 s (10 s before 0.131)", _CLIENT),
        Limit("call", "gives up after 300 s, if the configuration says nothing else", _CLIENT),
        Limit(
            "result",
            "cuts results to about 10,000 tokens",
            Source("https://github.com/openai/codex/issues/14466", date(2026, 3, 12)),
        ),
    ),
    Naming("mcp__{server}__{tool}", 64, TooLong.HASH, "^A-Za-z0-9_-"),
    _TOOLS,
)

_GEMINI = "https://github.com/google-gemini/gemini-cli/blob/5411f113cafae26161b4969b0237b8e1e024e2c2"
_DATE = date(2026, 8, 21)
_MCP_TOOL = Source(f"{_GEMINI}/packages/core/src/tools/mcp-tool.ts", _DATE, confidence=_CERTAIN)
_MCP_CLIENT = Source(f"{_GEMINI}/packages/core/src/tools/mcp-client.ts", _DATE, confidence=_CERTAIN)
_SDK = Source(f"{_GEMINI}/packages/core/package.json", _DATE, "SDK 1.23.0")
_REFUSED = "loses every tool of the server: its SDK refuses the list"

GEMINI_CLI = Host(
    "gemini-cli",
    "Gemini CLI",
    "Gemin",
    (
        Fact("input-root", Effect.ALL_GONE, _REFUSED, _SDK),
        Fact("input-required", Effect.ALL_GONE, _REFUSED, _SDK),
        Fact("input-properties", Effect.ALL_GONE, _REFUSED, _SDK),
        Fact("boolean-property", Effect.ALL_GONE, _REFUSED, _SDK),
        Fact("output-root", Effect.ALL_GONE, _REFUSED, _SDK),
        Fact("wrong-kind", Effect.ALL_GONE, _REFUSED, _SDK),
        Fact("null-member", Effect.ALL_GONE, _REFUSED, _SDK),
        Fact("more-pages", Effect.CUT, "reads only the first page of tools", _MCP_CLIENT),
        Fact("shown-name-length", Effect.CUT, "takes out the middle, over 63 characters", _MCP_TOOL, over=63),
        Fact("name-characters", Effect.CHANGED, "makes underscores of other characters", _MCP_TOOL),
        Fact(
            "boolean-bound",
            Effect.BREAKS,
            "gets error 400 for every request",
            Source("https://github.com/google-gemini/gemini-cli/issues/4920", date(2025, 7, 26), "0.1.14", _GUESS),
        ),
        Fact("output-reference", Effect.FINE, "does without the check of results", _MCP_CLIENT),
    ),
    (
        Feature("tools", True, _MCP_CLIENT),
        Feature("resources", True, _MCP_CLIENT),
        Feature("prompts", True, _MCP_CLIENT),
        Feature("roots", True, _MCP_CLIENT),
        Feature("sampling", False, _MCP_CLIENT),
        Feature("elicitation", False, _MCP_CLIENT),
        Feature("pages", False, _MCP_CLIENT, "tools; resources are read to the end"),
    ),
    (
        Limit("start", "gives up after 600 s", _MCP_CLIENT),
        Limit("call", "gives up after 600 s", _MCP_CLIENT),
        Limit(
            "result",
            "cuts a text of more than 40,000 characters",
            Source(f"{_GEMINI}/packages/core/src/scheduler/tool-executor.ts", _DATE, confidence=_CERTAIN),
        ),
    ),
    Naming("mcp_{server}_{tool}", 63, TooLong.MIDDLE, r"^A-Za-z0-9_.:\-"),
    _MCP_TOOL,
)
