"""The clients of the official SDKs, tried one by one: what they do, so does each program that is built upon them."""

from datetime import date

from inspector.checks.findings import Confidence
from inspector.checks.hosts.facts import Effect, Fact, Feature, Host, Limit, Source

_CERTAIN = Confidence.CERTAIN
_TRIED = date(2026, 11, 22)


def _npm(package: str, version: str) -> Source:
    return Source(f"https://www.npmjs.com/package/{package}/v/{version}", _TRIED, version, _CERTAIN)


def _pypi(version: str) -> Source:
    return Source(f"https://pypi.org/project/mcp/{version}/", _TRIED, version, _CERTAIN)


_TS1, _TS2 = _npm("@modelcontextprotocol/sdk", "1.32.2"), _npm("@modelcontextprotocol/client", "2.4.0")
_PY1, _PY2 = _pypi("1.30.0"), _pypi("2.3.0")
_LIST = "refuses the whole list"
_CALL = "refuses the result of the call"


def _refusals(source: Source, *traits: str) -> tuple[Fact, ...]:
    return tuple(Fact(trait, Effect.ALL_GONE, _LIST, source) for trait in traits)


def _failures(source: Source, *traits: str) -> tuple[Fact, ...]:
    return tuple(Fact(trait, Effect.FAILS, _CALL, source) for trait in traits)


_ONE_PAGE = "gives the first page; the program must ask for the others"
_ROOTS = ("input-root", "output-root", "wrong-kind")
_MEMBERS = ("input-required", "input-properties", "output-required", "output-properties", "null-member")

TYPESCRIPT_1 = Host(
    "typescript-sdk-1",
    "TypeScript SDK 1",
    "TS1",
    (
        *_refusals(_TS1, *_ROOTS, *_MEMBERS, "boolean-property", "output-reference", "output-broken"),
        *_failures(_TS1, "structure"),
        Fact("output-dialect", Effect.FINE, "takes it", _TS1),
        Fact("more-pages", Effect.WARNED, _ONE_PAGE, _TS1),
    ),
    (),
    (Limit("call", "gives up after 60 s, unless the program says otherwise", _TS1),),
)
TYPESCRIPT_2 = Host(
    "typescript-sdk-2",
    "TypeScript SDK 2",
    "TS2",
    (
        *_refusals(_TS2, *_ROOTS, *_MEMBERS),
        *_failures(_TS2, "output-rare-dialect", "output-reference", "output-broken", "structure"),
        Fact("output-dialect", Effect.FINE, "takes 2019-09, draft-07 and draft-06", _TS2),
    ),
    (),
    (Limit("call", "gives up after 60 s, unless the program says otherwise", _TS2),),
)
PYTHON_1 = Host(
    "python-sdk-1",
    "Python SDK 1",
    "Py1",
    (
        Fact("wrong-kind", Effect.ALL_GONE, _LIST, _PY1),
        Fact("input-root", Effect.FINE, "takes it", _PY1),
        Fact("null-member", Effect.FINE, "takes it", _PY1),
        *_failures(_PY1, "output-root", "output-broken", "output-required", "output-properties"),
        *_failures(_PY1, "output-reference", "structure"),
        Fact("more-pages", Effect.WARNED, _ONE_PAGE, _PY1),
    ),
    (Feature("pages", False, _PY1, "the program must ask for them"),),
)
PYTHON_2 = Host(
    "python-sdk-2",
    "Python SDK 2",
    "Py2",
    (
        *_refusals(_PY2, *_ROOTS, "output-properties"),
        Fact("null-member", Effect.FINE, "takes it", _PY2),
        *_failures(_PY2, "output-broken", "output-required", "output-reference", "structure"),
        Fact("more-pages", Effect.WARNED, _ONE_PAGE, _PY2),
    ),
    (Feature("pages", False, _PY2, "the program must ask for them"),),
)
