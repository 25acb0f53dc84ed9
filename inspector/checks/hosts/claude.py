"""Claude Code and Claude Desktop. Their code is not public: what is known comes from reports and documentation."""

from datetime import date

from inspector.checks.findings import Confidence
from inspector.checks.hosts.facts import Effect, Fact, Feature, Host, Limit, Source
from inspector.checks.surface.names import Naming

_ISSUES = "https://github.com/anthropics/claude-code/issues/"


_CALL = "refuses to call it: only 2020-12 is read"


def _issue(number: int, day: date, seen_in: str = "", confidence: Confidence = Confidence.LIKELY) -> Source:
    return Source(f"{_ISSUES}{number}", day, seen_in, confidence)


_CLIENTS = Source("https://www.developersdigest.tech/mcp-servers/clients", date(2026, 11, 22))
_NOVEMBER = Source(
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
        Fact(
            "input-root",
            Effect.ALL_GONE,
            "drops every tool of the server, without a word",
            _issue(88049, date(2026, 8, 19)),
        ),
        Fact("input-required", Effect.ALL_GONE, "drops every tool of the server", _issue(44364, date(2026, 4, 6))),
        Fact("input-root-combinator", Effect.GONE, "drops the tool without a word", _DROPPED),
        Fact("input-root-condition", Effect.GONE, "drops the tool without a word", _DROPPED),
        Fact("output-dialect", Effect.FAILS, _CALL, _issue(88882, date(2026, 8, 22))),
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
            _issue(81268, date(2026, 7, 26), "2.1.220"),
            over=2048,
        ),
        Fact(
            "shown-name-length",
            Effect.BREAKS,
            "gets error 400 for names of more than 64 characters, its prefix included",
            _issue(21136, date(2026, 1, 27)),
            over=64,
        ),
        Fact(
            "definition-tokens",
            Effect.CHANGED,
            "loads tools only when they are searched for, once all definitions take a tenth of the context",
            _issue(39106, date(2026, 3, 26)),
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
        Limit("start", "gives up after 60 s, even if MCP_TIMEOUT is longer", _issue(16837, date(2026, 1, 8))),
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
        Fact(
            "output-dialect",
            Effect.FAILS,
            _CALL,
            Source("https://github.com/shashankswe2020-ux/whoop-mcp/issues/251", date(2026, 9, 21), "2.2553.1"),
        ),
        Fact(
            "name-length",
            Effect.GONE,
            "refuses names of more than 64 characters",
            Source("https://github.com/mattt/emcee/issues/46", date(2025, 3, 12), confidence=Confidence.GUESS),
            over=64,
        ),
        Fact(
            "input-root-combinator",
            Effect.FINE,
            "takes it",
            _issue(45106, date(2026, 4, 8), confidence=Confidence.GUESS),
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
        Limit("result", "refuses results of more than 1 MB", _issue(66519, date(2026, 6, 9))),
    ),
)
