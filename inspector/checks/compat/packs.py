"""The known clients, and how each treats a tool definition: facts with date and source.

A fact has the date of its source, the version it was seen in, a link and a confidence. A statement without a source is
not a fact. Each fact belongs to a trait, the name of a feature of a definition (see `definitions.tools`).
"""

import re
from collections.abc import Iterable
from datetime import date
from enum import StrEnum

import msgspec

from inspector.checks.definitions.tools import Naming, TooLong
from inspector.checks.findings import Confidence, Severity


class CompatEffect(StrEnum):
    """The effect, worst first; compare by `rank`."""

    ALL_GONE = "all gone"
    """Every tool of the server is dropped."""
    BREAKS = "breaks"
    """Every request to the model fails while the tool is present."""
    GONE = "gone"
    """The tool is dropped."""
    FAILS = "fails"
    """It is shown, but calls fail."""
    CUT = "cut"
    """A part of it never reaches the model."""
    CHANGED = "changed"
    """It reaches the model in another form."""
    WARNED = "warned"
    """The user is warned."""
    FINE = "fine"
    """Known to be harmless."""

    @property
    def rank(self) -> int:
        """Rank from 0, the worst, upwards."""
        return _RANKS[self]

    @property
    def severity(self) -> Severity:
        """Severity for users of that client."""
        return Severity.ERROR if self.rank <= 3 else Severity.WARNING if self.rank == 4 else Severity.HINT


_RANKS = {effect: rank for rank, effect in enumerate(CompatEffect)}


class CompatSource(msgspec.Struct, frozen=True):
    """A document or a test run."""

    url: str
    date: date
    """Date of the issue or commit; for undated code the day on which it was read."""
    seen_in: str = ""
    """Version it applies to; "" if the source names none."""
    confidence: Confidence = Confidence.LIKELY
    """CERTAIN: read in the code or tried; LIKELY: reported with evidence; GUESS: old, or reported once."""

    @property
    def version(self) -> str:
        """Version it applies to, or the commit in its URL; "" if neither is known."""
        commit = _COMMIT.search(self.url)
        return self.seen_in or (f"commit {commit.group(1)[:12]}" if commit else "")

    @property
    def label(self) -> str:
        """Version and date, for a sentence: “2.1.234, 2026-08-18”."""
        return f"{self.version or 'version not named'}, {self.date}"


_COMMIT = re.compile(r"/(?:blob|tree|commit)/([0-9a-f]{40})\b")


class CompatFact(msgspec.Struct, frozen=True):
    """The effect of one trait in one client."""

    trait: str
    effect: CompatEffect
    sentence: str
    """A predicate whose subject is the client: “drops the tool”."""
    source: CompatSource
    over: int = 0
    """For numeric traits: the limit, exclusive."""


class HostFeature(msgspec.Struct, frozen=True):
    """Whether a client supports a feature of the protocol."""

    name: str
    """“sampling”."""
    has: bool
    source: CompatSource
    note: str = ""


class Limit(msgspec.Struct, frozen=True):
    """A limit of a client at run time: a timeout, a size of results."""

    name: str
    """“start”, "call", "result"."""
    sentence: str
    source: CompatSource


class Host(msgspec.Struct, frozen=True):
    """One client, with all its facts."""

    id: str
    """Value for `--host`."""
    name: str
    short: str
    """At most five letters, for a column title."""
    facts: tuple[CompatFact, ...]
    features: tuple[HostFeature, ...] = ()
    limits: tuple[Limit, ...] = ()
    naming: Naming | None = None
    naming_source: CompatSource | None = None


FEATURES = ("tools", "resources", "prompts", "sampling", "elicitation", "roots", "pages")
"""The parts of the protocol that packs cover; "pages": whether lists are read beyond their first page."""


# Claude Code and Claude Desktop: closed source, known from reports and documentation

_ISSUES = "https://github.com/anthropics/claude-code/issues/"


_CALL = "rejects its calls: only 2020-12 is supported"


def _issue(number: int, day: date, seen_in: str = "", confidence: Confidence = Confidence.LIKELY) -> CompatSource:
    return CompatSource(f"{_ISSUES}{number}", day, seen_in, confidence)


_CLIENTS = CompatSource("https://www.developersdigest.tech/mcp-servers/clients", date(2026, 11, 22))
_NOVEMBER = CompatSource(
    "https://dev.to/serverdex/which-mcp-clients-support-which-features-i-read-the-docs-59kb", date(2026, 11, 22)
)
_ALL = _issue(88049, date(2026, 8, 19))
_DROPPED = _issue(95504, date(2026, 9, 19))
_PLAIN_KEYS = _issue(79418, date(2026, 8, 17), "2.1.233", Confidence.CERTAIN)
_CUT_OFF = _issue(87650, date(2026, 8, 18), "2.1.234", Confidence.CERTAIN)

CLAUDE_CODE = Host(
    "claude-code",
    "Claude Code",
    "ClCod",
    (
        CompatFact(
            "input-root",
            CompatEffect.ALL_GONE,
            "silently drops every tool of the server",
            _issue(88049, date(2026, 8, 19)),
        ),
        CompatFact(
            "input-required", CompatEffect.ALL_GONE, "drops every tool of the server", _issue(44364, date(2026, 4, 6))
        ),
        CompatFact("input-root-combinator", CompatEffect.GONE, "silently drops the tool", _DROPPED),
        CompatFact("input-root-condition", CompatEffect.GONE, "silently drops the tool", _DROPPED),
        CompatFact("output-dialect", CompatEffect.FAILS, _CALL, _issue(88882, date(2026, 8, 22))),
        CompatFact(
            "property-name",
            CompatEffect.BREAKS,
            "gets error 400 for every request once the tool is loaded: A-Za-z0-9_.- and 64 characters",
            _PLAIN_KEYS,
        ),
        CompatFact("description-length", CompatEffect.CUT, "truncates it after 2,048 characters", _CUT_OFF, over=2048),
        CompatFact(
            "instructions-length",
            CompatEffect.CUT,
            "truncates it after 2,048 characters",
            _issue(81268, date(2026, 7, 26), "2.1.220"),
            over=2048,
        ),
        CompatFact(
            "shown-name-length",
            CompatEffect.BREAKS,
            "gets error 400 for names of more than 64 characters, its prefix included",
            _issue(21136, date(2026, 1, 27)),
            over=64,
        ),
        CompatFact(
            "definition-tokens",
            CompatEffect.CHANGED,
            "loads tools only when they are searched for, once all definitions take a tenth of the context",
            _issue(39106, date(2026, 3, 26)),
            over=20_000,
        ),
    ),
    (
        HostFeature("tools", True, _CLIENTS),
        HostFeature("resources", True, _CLIENTS),
        HostFeature("prompts", True, _CLIENTS),
        HostFeature("roots", True, _CLIENTS),
        HostFeature("elicitation", True, _CLIENTS),
    ),
    (
        Limit("start", "times out after 60 s, even if MCP_TIMEOUT is longer", _issue(16837, date(2026, 1, 8))),
        Limit("result", "saves results over 25,000 tokens to a file", _issue(45766, date(2026, 4, 9))),
    ),
    Naming("mcp__{server}__{tool}", 64),
    _issue(2412, date(2025, 6, 21)),
)

_DESKTOP_TIMEOUT = _issue(65643, date(2026, 6, 5), "1.11187.1")

CLAUDE_DESKTOP = Host(
    "claude-desktop",
    "Claude Desktop",
    "ClDes",
    (
        CompatFact(
            "output-dialect",
            CompatEffect.FAILS,
            _CALL,
            CompatSource("https://github.com/shashankswe2020-ux/whoop-mcp/issues/251", date(2026, 9, 21), "2.2553.1"),
        ),
        CompatFact(
            "name-length",
            CompatEffect.GONE,
            "rejects names of more than 64 characters",
            CompatSource("https://github.com/mattt/emcee/issues/46", date(2025, 3, 12), confidence=Confidence.GUESS),
            over=64,
        ),
        CompatFact(
            "input-root-combinator",
            CompatEffect.FINE,
            "accepts it",
            _issue(45106, date(2026, 4, 8), confidence=Confidence.GUESS),
        ),
    ),
    (
        HostFeature("tools", True, _NOVEMBER),
        HostFeature("resources", True, _NOVEMBER),
        HostFeature("prompts", True, _NOVEMBER),
        HostFeature("sampling", False, _NOVEMBER),
    ),
    (
        Limit("call", "times out after 4 minutes", _DESKTOP_TIMEOUT),
        Limit("result", "rejects results of more than 1 MB", _issue(66519, date(2026, 6, 9))),
    ),
)


# VS Code with Copilot Chat (read in its code) and Cursor (known from reports)

_CERTAIN = Confidence.CERTAIN
_CODE = "https://github.com/microsoft/vscode/blob"
_MCP = "src/vs/workbench/contrib/mcp/common"
_CHAT = "https://github.com/microsoft/vscode-copilot-chat/blob/31acd00a86424e2ee6e980e54919cf31fbf88030/src/extension"
_READ = date(2026, 11, 22)
_SERVER = CompatSource(
    f"{_CODE}/0052d689f910e056718b44fdecc7a5e1ad2c3b66/{_MCP}/mcpServer.ts", _READ, confidence=_CERTAIN
)
_HANDLER = CompatSource(
    f"{_CODE}/c5308376f79a19368c9bd9dccc81090aa1bfcb79/{_MCP}/mcpServerRequestHandler.ts", _READ, confidence=_CERTAIN
)
_NORMALIZER = CompatSource(f"{_CHAT}/tools/common/toolSchemaNormalizer.ts", date(2026, 3, 29), confidence=_CERTAIN)
_FETCHER = CompatSource(f"{_CHAT}/prompt/node/chatMLFetcher.ts", date(2026, 3, 29), confidence=_CERTAIN)
_CONTRIBUTION = CompatSource(
    f"{_CODE}/027907cb37d0df0ff0df4b3538d3dbc1d26e7cac/{_MCP}/mcpLanguageModelToolContribution.ts",
    _READ,
    confidence=_CERTAIN,
)
_OMITTED = "drops the tool: its schema is validated against draft-07"
_TAKEN_OUT = "removes it before the model sees it"

VS_CODE = Host(
    "vscode",
    "VS Code",
    "VSCod",
    (
        CompatFact(
            "array-without-items",
            CompatEffect.BREAKS,
            "fails each request with “tool parameters array type must have items”",
            _NORMALIZER,
        ),
        CompatFact("input-broken", CompatEffect.GONE, _OMITTED, _SERVER),
        CompatFact("boolean-bound", CompatEffect.GONE, _OMITTED, _SERVER),
        CompatFact("input-required", CompatEffect.GONE, _OMITTED, _SERVER),
        CompatFact("input-properties", CompatEffect.GONE, _OMITTED, _SERVER),
        CompatFact("input-root", CompatEffect.CHANGED, "shows the model a tool without parameters", _NORMALIZER),
        CompatFact("input-root-combinator", CompatEffect.CHANGED, _TAKEN_OUT, _NORMALIZER),
        CompatFact("input-root-condition", CompatEffect.CHANGED, _TAKEN_OUT, _NORMALIZER),
        CompatFact("required-unknown", CompatEffect.CHANGED, _TAKEN_OUT, _NORMALIZER),
        CompatFact(
            "input-tuple-items",
            CompatEffect.CHANGED,
            "converts it to anyOf for GPT-4, o4 and Claude models",
            _NORMALIZER,
        ),
        CompatFact("no-description", CompatEffect.CHANGED, "shows “<empty>” instead", _SERVER),
        CompatFact(
            "name-characters",
            CompatEffect.CHANGED,
            ("replaces characters other than a-z 0-9 _ . - by underscores"),
            _SERVER,
        ),
        CompatFact(
            "shown-name-length",
            CompatEffect.CUT,
            "truncates names after 64 characters, its prefix included",
            _SERVER,
            over=64,
        ),
        CompatFact(
            "schema-text-length",
            CompatEffect.CUT,
            "truncates it after 1,024 characters for GPT-4 models",
            _NORMALIZER,
            over=1024,
        ),
        CompatFact("tool-count", CompatEffect.BREAKS, "rejects requests with more than 128 tools", _FETCHER, over=128),
        CompatFact(
            "read-only-writes",
            CompatEffect.CHANGED,
            "does not ask before calling it, because of readOnlyHint",
            _CONTRIBUTION,
        ),
    ),
    (
        HostFeature("tools", True, _SERVER),
        HostFeature("resources", True, _SERVER),
        HostFeature("prompts", True, _SERVER),
        HostFeature("sampling", True, _HANDLER),
        HostFeature("elicitation", True, _HANDLER, "forms and links"),
        HostFeature("roots", True, _HANDLER),
        HostFeature("pages", True, _HANDLER),
    ),
    (),
    Naming("mcp_{server}_{tool}", 64, TooLong.CUT, "^A-Za-z0-9_-", 18),
    _SERVER,
)

_CURSOR_DOCS = CompatSource("https://www.developersdigest.tech/mcp-servers/clients/cursor", _READ)
_SIXTY = CompatSource("https://github.com/ComposioHQ/composio/issues/2788", date(2026, 2, 27))

CURSOR = Host(
    "cursor",
    "Cursor",
    "Cursr",
    (
        CompatFact(
            "shown-name-length",
            CompatEffect.GONE,
            "drops tools whose server name and tool name have 60 characters together",
            _SIXTY,
            over=59,
        ),
        CompatFact(
            "tool-count",
            CompatEffect.WARNED,
            "warns of more than 80 tools, of all servers together",
            CompatSource("https://github.com/Snowflake-Labs/mcp/issues/77", date(2025, 9, 2)),
            over=80,
        ),
    ),
    tuple(HostFeature(name, True, _CURSOR_DOCS) for name in ("tools", "resources", "prompts", "roots", "elicitation")),
    (),
    Naming("{server}{tool}", 59),
    _SIXTY,
)


# The clients of the official SDKs, tested one by one: programs built on an SDK behave like its client

_TRIED = date(2026, 11, 22)


def _npm(package: str, version: str) -> CompatSource:
    return CompatSource(f"https://www.npmjs.com/package/{package}/v/{version}", _TRIED, version, _CERTAIN)


def _pypi(version: str) -> CompatSource:
    return CompatSource(f"https://pypi.org/project/mcp/{version}/", _TRIED, version, _CERTAIN)


_TS1, _TS2 = _npm("@modelcontextprotocol/sdk", "1.32.2"), _npm("@modelcontextprotocol/client", "2.4.0")
_PY1, _PY2 = _pypi("1.30.0"), _pypi("2.3.0")
_LIST = "rejects the whole list"
_SDKS_CALL = "rejects the result of the call"


def _refusals(source: CompatSource, *traits: str) -> tuple[CompatFact, ...]:
    return tuple(CompatFact(trait, CompatEffect.ALL_GONE, _LIST, source) for trait in traits)


def _failures(source: CompatSource, *traits: str) -> tuple[CompatFact, ...]:
    return tuple(CompatFact(trait, CompatEffect.FAILS, _SDKS_CALL, source) for trait in traits)


_ONE_PAGE = "returns the first page; the program must request the others"
_ROOTS = ("input-root", "output-root", "wrong-kind")
_MEMBERS = ("input-required", "input-properties", "output-required", "output-properties", "null-member")

TYPESCRIPT_1 = Host(
    "typescript-sdk-1",
    "TypeScript SDK 1",
    "TS1",
    (
        *_refusals(_TS1, *_ROOTS, *_MEMBERS, "boolean-property", "output-reference", "output-broken"),
        *_refusals(_TS1, "output-pattern", "output-enum-empty"),
        *_failures(_TS1, "structure"),
        CompatFact("input-pattern", CompatEffect.FINE, "accepts it", _TS1),
        CompatFact("output-tuple-items", CompatEffect.FINE, "accepts it", _TS1),
        CompatFact("output-dialect", CompatEffect.FINE, "accepts it", _TS1),
        CompatFact("more-pages", CompatEffect.WARNED, _ONE_PAGE, _TS1),
    ),
    (),
    (Limit("call", "times out after 60 s by default", _TS1),),
)
TYPESCRIPT_2 = Host(
    "typescript-sdk-2",
    "TypeScript SDK 2",
    "TS2",
    (
        *_refusals(_TS2, *_ROOTS, *_MEMBERS),
        *_failures(_TS2, "output-rare-dialect", "output-reference", "output-broken", "structure"),
        *_failures(_TS2, "output-pattern", "output-enum-empty", "output-tuple-items"),
        CompatFact("input-pattern", CompatEffect.FINE, "accepts it", _TS2),
        CompatFact("output-dialect", CompatEffect.FINE, "accepts 2019-09, draft-07 and draft-06", _TS2),
    ),
    (),
    (Limit("call", "times out after 60 s by default", _TS2),),
)
PYTHON_1 = Host(
    "python-sdk-1",
    "Python SDK 1",
    "Py1",
    (
        CompatFact("wrong-kind", CompatEffect.ALL_GONE, _LIST, _PY1),
        CompatFact("input-root", CompatEffect.FINE, "accepts it", _PY1),
        CompatFact("null-member", CompatEffect.FINE, "accepts it", _PY1),
        *_failures(_PY1, "output-root", "output-broken", "output-required", "output-properties"),
        *_failures(_PY1, "output-reference", "structure"),
        CompatFact("more-pages", CompatEffect.WARNED, _ONE_PAGE, _PY1),
    ),
    (HostFeature("pages", False, _PY1, "the program must request them"),),
)
PYTHON_2 = Host(
    "python-sdk-2",
    "Python SDK 2",
    "Py2",
    (
        *_refusals(_PY2, *_ROOTS, "output-properties"),
        CompatFact("null-member", CompatEffect.FINE, "accepts it", _PY2),
        *_failures(_PY2, "output-broken", "output-required", "output-reference", "structure"),
        CompatFact("more-pages", CompatEffect.WARNED, _ONE_PAGE, _PY2),
    ),
    (HostFeature("pages", False, _PY2, "the program must request them"),),
)


# Codex and Gemini CLI, read in their code

_TERMINALS_CERTAIN, _GUESS = Confidence.CERTAIN, Confidence.GUESS
_CODEX = "https://github.com/openai/codex/blob"
_TOOLS = CompatSource(
    f"{_CODEX}/00a35b1bf7756fef83d5100d40804d2a9c4e6a04/codex-rs/codex-mcp/src/tools.rs",
    _READ,
    confidence=_TERMINALS_CERTAIN,
)
_CLIENT = CompatSource(
    f"{_CODEX}/02beca9f39715ed6c57f93cd5a08e45b7ec0b8b7/codex-rs/codex-mcp/src/rmcp_client.rs",
    _READ,
    confidence=_TERMINALS_CERTAIN,
)
_SCHEMA = CompatSource(
    f"{_CODEX}/1048c68e183b97cfec9f78d5c2b951b026350c07/codex-rs/tools/src/json_schema.rs",
    _READ,
    confidence=_TERMINALS_CERTAIN,
)
_ROOT = CompatSource("https://github.com/Dicklesworthstone/flywheel_connectors/issues/49", date(2026, 5, 20))
_SAMPLING = CompatSource("https://github.com/openai/codex/pull/5116", date(2025, 10, 17), confidence=_GUESS)
_ROOT_SAID = "gets error 400 for every request: type object at the root, and no combinators beside it"

CODEX = Host(
    "codex",
    "Codex",
    "Codex",
    (
        CompatFact("input-root-combinator", CompatEffect.BREAKS, _ROOT_SAID, _ROOT),
        CompatFact("duplicate-name", CompatEffect.GONE, "skips the second tool with the same name", _TOOLS),
        CompatFact(
            "shown-name-length",
            CompatEffect.CHANGED,
            "replaces the end by a hash, over 64 bytes",
            _TOOLS,
            over=64,
        ),
        CompatFact("name-characters", CompatEffect.CHANGED, "replaces other characters by underscores", _TOOLS),
        CompatFact("boolean-property", CompatEffect.CHANGED, "shows it to the model as a string", _SCHEMA),
        CompatFact("recursive", CompatEffect.CHANGED, "shows the inner part as an arbitrary object", _SCHEMA),
        CompatFact("array-without-items", CompatEffect.CHANGED, "adds items", _SCHEMA),
        CompatFact("input-reference", CompatEffect.CHANGED, "shows what it cannot resolve as a string", _SCHEMA),
    ),
    (
        HostFeature("tools", True, _TOOLS),
        HostFeature("elicitation", True, _CLIENT),
        HostFeature(
            "sampling",
            False,
            _SAMPLING,
        ),
    ),
    (
        Limit("start", "times out after 30 s (10 s before 0.131)", _CLIENT),
        Limit("call", "times out after 300 s by default", _CLIENT),
        Limit(
            "result",
            "truncates results to about 10,000 tokens",
            CompatSource("https://github.com/openai/codex/issues/14466", date(2026, 3, 12)),
        ),
    ),
    Naming("mcp__{server}__{tool}", 64, TooLong.HASH, "^A-Za-z0-9_-"),
    _TOOLS,
)

_GEMINI = "https://github.com/google-gemini/gemini-cli/blob/5411f113cafae26161b4969b0237b8e1e024e2c2"
_DATE = date(2026, 8, 21)
_MCP_TOOL = CompatSource(f"{_GEMINI}/packages/core/src/tools/mcp-tool.ts", _DATE, confidence=_TERMINALS_CERTAIN)
_MCP_CLIENT = CompatSource(f"{_GEMINI}/packages/core/src/tools/mcp-client.ts", _DATE, confidence=_TERMINALS_CERTAIN)
_SDK = CompatSource(f"{_GEMINI}/packages/core/package.json", _DATE, "SDK 1.23.0")
_REFUSED = "loses every tool of the server: its SDK rejects the list"

GEMINI_CLI = Host(
    "gemini-cli",
    "Gemini CLI",
    "Gemin",
    (
        CompatFact("input-root", CompatEffect.ALL_GONE, _REFUSED, _SDK),
        CompatFact("input-required", CompatEffect.ALL_GONE, _REFUSED, _SDK),
        CompatFact("input-properties", CompatEffect.ALL_GONE, _REFUSED, _SDK),
        CompatFact("boolean-property", CompatEffect.ALL_GONE, _REFUSED, _SDK),
        CompatFact("output-root", CompatEffect.ALL_GONE, _REFUSED, _SDK),
        CompatFact("wrong-kind", CompatEffect.ALL_GONE, _REFUSED, _SDK),
        CompatFact("null-member", CompatEffect.ALL_GONE, _REFUSED, _SDK),
        CompatFact("more-pages", CompatEffect.CUT, "reads only the first page of tools", _MCP_CLIENT),
        CompatFact("shown-name-length", CompatEffect.CUT, "removes the middle, over 63 characters", _MCP_TOOL, over=63),
        CompatFact("name-characters", CompatEffect.CHANGED, "replaces other characters by underscores", _MCP_TOOL),
        CompatFact(
            "boolean-bound",
            CompatEffect.BREAKS,
            "gets error 400 for every request",
            CompatSource(
                "https://github.com/google-gemini/gemini-cli/issues/4920", date(2025, 7, 26), "0.1.14", _GUESS
            ),
        ),
        CompatFact("output-reference", CompatEffect.FINE, "does not validate results", _MCP_CLIENT),
    ),
    (
        HostFeature("tools", True, _MCP_CLIENT),
        HostFeature("resources", True, _MCP_CLIENT),
        HostFeature("prompts", True, _MCP_CLIENT),
        HostFeature("roots", True, _MCP_CLIENT),
        HostFeature("sampling", False, _MCP_CLIENT),
        HostFeature("elicitation", False, _MCP_CLIENT),
        HostFeature("pages", False, _MCP_CLIENT, "tools; resources are read completely"),
    ),
    (
        Limit("start", "times out after 600 s", _MCP_CLIENT),
        Limit("call", "times out after 600 s", _MCP_CLIENT),
        Limit(
            "result",
            "truncates a text of more than 40,000 characters",
            CompatSource(
                f"{_GEMINI}/packages/core/src/scheduler/tool-executor.ts", _DATE, confidence=_TERMINALS_CERTAIN
            ),
        ),
    ),
    Naming("mcp_{server}_{tool}", 63, TooLong.MIDDLE, r"^A-Za-z0-9_.:\-"),
    _MCP_TOOL,
)


HOSTS: dict[str, Host] = {
    host.id: host
    for host in (
        CLAUDE_CODE,
        CLAUDE_DESKTOP,
        VS_CODE,
        CURSOR,
        CODEX,
        GEMINI_CLI,
        TYPESCRIPT_1,
        TYPESCRIPT_2,
        PYTHON_1,
        PYTHON_2,
    )
}
"""In the order of the matrix's columns."""
AGES_AFTER_DAYS = 180
"""A fact whose source is older than this before the newest one is marked as old."""


def facts_about(trait: str, hosts: Iterable[Host], amount: int = 0) -> list[tuple[Host, CompatFact]]:
    """Return the effects of a trait in the clients, worst first; `amount` is its number, if numeric."""
    found = [
        (host, fact)
        for host in hosts
        for fact in host.facts
        if fact.trait == trait and (not fact.over or amount > fact.over)
    ]
    return sorted(found, key=lambda each: each[1].effect.rank)


def newest() -> date:
    """Return the date of the newest source."""
    return max(fact.source.date for host in HOSTS.values() for fact in host.facts)
