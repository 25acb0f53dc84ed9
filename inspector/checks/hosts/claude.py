"""Claude Code and Claude Desktop. Their code is not public: what is known comes from reports and documentation."""

from inspector.checks.findings import Confidence
from inspector.checks.hosts.facts import Effect, Fact, Feature, Host, Limit, Source
from inspector.checks.surface.names import Naming

_ISSUES = "https://github.com/anthropics/claude-code/issues/"


def _issue(number: int, date: str, seen_in: str = "", confidence: Confidence = Confidence.LIKELY) -> Source:
    return Source(f"{_ISSUES}{number}", date, seen_in, confidence)


_CLIENTS = Source("https://www.developersdigest.tech/mcp-servers/clients", "2026-11-22")
_NOVEMBER = Source(
    "https://dev.to/serverdex/which-mcp-clients-support-which-features-i-read-the-docs-59kb", "2026-11-22"
)
_DROPPED = _issue(95504, "2026-09-19")
_PLAIN_KEYS = _issue(79418, "2026-08-17", "2.1.233", Confidence.CERTAIN)
_CUT_OFF = _issue(87650, "2026-08-18", "2.1.234", Confidence.CERTAIN)

CLAUDE_CODE = Host(
    "claude-code",
    "Claude Code",
    "ClCod",
    (
        Fact(
            "input-root", Effect.ALL_GONE, "drops every tool of the server, without a word", _issue(88049, "2026-08-19")
        ),
        Fact("input-required", Effect.ALL_GONE, "drops every tool of the server", _issue(44364, "2026-04-06")),
        Fact("input-root-combinator", Effect.GONE, "drops the tool without a word", _DROPPED),
        Fact("input-root-condition", Effect.GONE, "drops the tool without a word", _DROPPED),
        Fact("output-dialect", Effect.FAILS, "refuses to call it: only 2020-12 is read", _issue(88882, "2026-08-22")),
        Fact(
            "property-name",
            Effect.BREAKS,
            "gets error 400 for every request once the tool is loaded: A-Za-z0-9_.- and 64 characters",
            _PLAIN_KEYS,
        ),
        Fact("description-length", Effect.CUT, "cuts it after 2,048 characters", _CUT_OFF, over=2048),
        Fact(
            "instructions-length",
            Effect.CUT,
            "cuts it after 2,048 characters",
            _issue(81268, "2026-07-26", "2.1.220"),
            over=2048,
        ),
        Fact(
            "shown-name-length",
            Effect.BREAKS,
            "gets error 400 for names of more than 64 characters, its prefix included",
            _issue(21136, "2026-01-27"),
            over=64,
        ),
        Fact(
            "definition-tokens",
            Effect.CHANGED,
            "loads tools only when they are searched for, once all definitions take a tenth of the context",
            _issue(39106, "2026-03-26"),
            over=20_000,
        ),
    ),
    (
        Feature("tools", True, _CLIENTS),
        Feature("resources", True, _CLIENTS),
        Feature("prompts", True, _CLIENTS),
        Feature("roots", True, _CLIENTS),
        Feature("elicitation", True, _CLIENTS),
    ),
    (
        Limit("start", "gives up after 60 s, even if MCP_TIMEOUT is longer", _issue(16837, "2026-01-08")),
        Limit("result", "saves results over 25,000 tokens to a file and shows a preview", _issue(45766, "2026-04-09")),
    ),
    Naming("mcp__{server}__{tool}", 64),
    _issue(2412, "2025-06-21"),
)

_DESKTOP_TIMEOUT = _issue(65643, "2026-06-05", "1.11187.1")

CLAUDE_DESKTOP = Host(
    "claude-desktop",
    "Claude Desktop",
    "ClDes",
    (
        Fact(
            "output-dialect",
            Effect.FAILS,
            "refuses to call it: only 2020-12 is read",
            Source("https://github.com/shashankswe2020-ux/whoop-mcp/issues/251", "2026-09-21", "2.2553.1"),
        ),
        Fact(
            "name-length",
            Effect.GONE,
            "refuses names of more than 64 characters",
            Source("https://github.com/mattt/emcee/issues/46", "2025-03-12", confidence=Confidence.GUESS),
            over=64,
        ),
        Fact(
            "input-root-combinator",
            Effect.FINE,
            "takes it",
            _issue(45106, "2026-04-08", confidence=Confidence.GUESS),
        ),
    ),
    (
        Feature("tools", True, _NOVEMBER),
        Feature("resources", True, _NOVEMBER),
        Feature("prompts", True, _NOVEMBER),
        Feature("sampling", False, _NOVEMBER),
    ),
    (
        Limit("call", "gives up after 4 minutes", _DESKTOP_TIMEOUT),
        Limit("result", "refuses results of more than 1 MB", _issue(66519, "2026-06-09")),
    ),
)
