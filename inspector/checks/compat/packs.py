"""The known clients, and how each treats a tool definition: facts with version, date and source.

Each client has a file in `config/clients`: its name, its facts, and for `--as` its profile. Beside them,
`observed.tsv` has what runs of `python -m tests.clients` showed. A fact without a source in the file is one of those;
all others are reported. Each fact belongs to a trait, the name of a feature of a definition (see `definitions.tools`).
"""

import datetime
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path

import msgspec

from inspector.checks.definitions.tools import Naming
from inspector.checks.findings import Confidence, Severity
from inspector.documents import prepared_type

_COMMIT = re.compile(r"/(?:blob|tree|commit)/([0-9a-f]{40})\b")
_MILDER = {Severity.ERROR: Severity.WARNING, Severity.WARNING: Severity.HINT, Severity.HINT: Severity.HINT}
FEATURES = ("tools", "resources", "prompts", "sampling", "elicitation", "roots", "pages")
"""The parts of the protocol that facts cover; "pages": whether lists are read beyond their first page."""
_DATA = Path(__file__).parents[2] / "config" / "clients"
OBSERVED = _DATA / "observed.tsv"
"""What runs of the clients showed: client, version, date, fact, effect."""
HOST_IDS = (
    *("claude-code", "claude-desktop", "vscode", "cursor", "codex", "gemini-cli", "opencode", "qwen-code"),
    *("copilot-cli", "cline", "continue", "mcporter"),
    *("typescript-sdk-1", "typescript-sdk-2", "python-sdk-1", "python-sdk-2"),
    *("inspector-cli", "ai-sdk", "fastmcp", "langchain-mcp-adapters", "pydantic-ai", "openai-agents", "llama-index"),
    *("google-adk", "smolagents", "mcp-use", "strands-agents", "haystack", "agno", "agent-framework", "autogen"),
    *("semantic-kernel", "crewai", "langchain-js", "openai-agents-js", "mastra", "mcp-remote"),
)
"""The clients in the order of the matrix's columns."""
AGES_AFTER_DAYS = 180
"""A fact whose source is older than this before the newest one is marked as old."""


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
    date: datetime.date
    """Date of the issue or commit; for undated code the day on which it was read."""
    seen_in: str = msgspec.field(default="", name="version")
    """Version it applies to; "" if the source names none."""
    confidence: Confidence = Confidence.LIKELY
    """CERTAIN: read in the code or observed; LIKELY: reported with evidence; GUESS: old, or reported once."""
    is_observed: bool = False
    """Whether a run of this client showed it; everything else is reported."""

    @property
    def version(self) -> str:
        """Version it applies to, or the commit in its URL; "" if neither is known."""
        commit = _COMMIT.search(self.url)
        return self.seen_in or (f"commit {commit.group(1)[:12]}" if commit else "")

    @property
    def label(self) -> str:
        """Version and date, for a sentence: “2.1.332, 2026-11-28”, or “2.1.234, 2026-08-18, reported”."""
        return f"{self.version or 'version not named'}, {self.date}{'' if self.is_observed else ', reported'}"


class CompatFact(msgspec.Struct, frozen=True):
    """The effect of one trait in one client."""

    trait: str
    effect: CompatEffect
    sentence: str
    """A predicate whose subject is the client: “drops the tool”."""
    source: CompatSource
    over: int = 0
    """For numeric traits: the limit, exclusive."""

    @property
    def severity(self) -> Severity:
        """Severity for users of that client: one step lower if it is only reported."""
        severity = self.effect.severity
        return severity if self.source.is_observed else _MILDER[severity]


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
    release: CompatSource | None = None
    """The newest release that was run; None if none was."""
    is_library: bool = False
    """Whether it is shown only on request: programs that use a library behave like it."""

    def is_outdated(self, source: CompatSource) -> bool:
        """Whether a source is older than the newest release that was run."""
        release = self.release
        return release is not None and source.date < release.date and source.seen_in != release.seen_in


# The files


class _FactEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    trait: str
    effect: CompatEffect
    sentence: str
    source: str = ""
    """A name in `sources`; "" for an observed fact."""
    over: int = 0


class _FeatureEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    has: bool
    source: str = ""
    note: str = ""


class _LimitEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    sentence: str
    source: str


@prepared_type
class _ClientFile(msgspec.Struct, frozen=True):
    """A file of `config/clients`, without the profile."""

    name: str
    short: str
    package: str = ""
    """URL of its package, of which versions are run; "" if none is."""
    is_library: bool = False
    sources: dict[str, CompatSource] = {}
    facts: tuple[_FactEntry, ...] = ()
    limits: tuple[_LimitEntry, ...] = ()
    features: tuple[_FeatureEntry, ...] = ()
    names: Naming | None = None
    names_source: str = ""


class Observation(msgspec.Struct, frozen=True):
    """A row of the table of what runs showed."""

    version: str
    date: datetime.date
    fact: str
    """A trait, for a numeric one with the amount that was tried, or another name such as “opening”."""
    observed: str
    """For a trait its effect, with a remark in brackets."""

    @property
    def trait(self) -> str:
        """The fact without an amount."""
        return self.fact.partition("=")[0]

    @property
    def effect(self) -> CompatEffect | None:
        """The effect; None if the fact is about no trait."""
        return _EFFECTS.get(self.observed.partition(" (")[0])


_EFFECTS = {str(effect): effect for effect in CompatEffect}
_SENTENCES = {
    CompatEffect.ALL_GONE: "drops every tool of the server",
    CompatEffect.BREAKS: "makes a schema of it that no request to a model can have",
    CompatEffect.GONE: "drops the tool",
    CompatEffect.FAILS: "fails the call, although the server answered it",
    CompatEffect.CUT: "truncates it",
    CompatEffect.CHANGED: "changes it before the model sees it",
    CompatEffect.FINE: "accepts it",
}
"""Texts for observed effects that the client's file does not describe."""
_OF_PAGES = {CompatEffect.CUT: "reads only the first page of tools", CompatEffect.FINE: "reads all pages"}


@cache
def observations() -> dict[str, list[Observation]]:
    """Return what runs showed, by client."""
    found: dict[str, list[Observation]] = {}
    for line in OBSERVED.read_text().splitlines()[1:]:
        client, version, day, fact, observed = line.split("\t")
        found.setdefault(client, []).append(Observation(version, datetime.date.fromisoformat(day), fact, observed))
    return found


@cache
def known_hosts() -> dict[str, Host]:
    """Return the known clients by id, in the order of the matrix's columns."""
    return {id_: _host(id_) for id_ in HOST_IDS}


def usual_hosts() -> list[Host]:
    """Return the clients that are shown without a request: agents, editors and official SDKs."""
    return [host for host in known_hosts().values() if not host.is_library]


def _host(id_: str) -> Host:
    file = msgspec.yaml.decode((_DATA / f"{id_}.yaml").read_bytes(), type=_ClientFile)
    rows = observations().get(id_, [])
    release = _run_of(rows[0], file.package) if rows else None

    def source(name: str) -> CompatSource:
        if name or release is None:
            return file.sources[name]
        return release

    stated = [CompatFact(each.trait, each.effect, each.sentence, source(each.source), each.over) for each in file.facts]
    features = [HostFeature(each.name, each.has, source(each.source), each.note) for each in file.features]
    return Host(
        id_,
        file.name,
        file.short,
        (*stated, *_observed_facts(rows, {each.trait for each in file.facts}, file.package)),
        (*features, *_observed_features(rows, file.package)),
        tuple(Limit(each.name, each.sentence, source(each.source)) for each in file.limits),
        file.names,
        source(file.names_source) if file.names else None,
        release,
        file.is_library,
    )


def _run_of(row: Observation, package: str) -> CompatSource:
    url = f"{package}{'/v' if 'npmjs' in package else ''}/{row.version}"
    return CompatSource(url, row.date, row.version, Confidence.CERTAIN, is_observed=True)


def _observed_facts(rows: Iterable[Observation], stated: Collection[str], package: str) -> Iterator[CompatFact]:
    """Yield the observed facts that the file does not state itself; a limit of a numeric trait is stated there."""
    for row in rows:
        if row.effect is not None and row.trait not in stated and row.trait == row.fact:
            remark = row.observed.removeprefix(row.effect)
            sentences = _OF_PAGES if row.trait == "more-pages" else _SENTENCES
            yield CompatFact(row.trait, row.effect, sentences[row.effect] + remark, _run_of(row, package))


def _observed_features(rows: Sequence[Observation], package: str) -> Iterator[HostFeature]:
    answered = next((row.observed for row in rows if row.fact == "undeclared-roots" and row.observed[:1] == "{"), "")
    for row in rows:
        if row.fact in FEATURES:
            note = f"answers roots/list with {answered}" if answered and row.fact == "roots" else ""
            yield HostFeature(row.fact, row.observed == "yes", _run_of(row, package), note)
        elif row.fact == "more-pages":
            yield HostFeature("pages", row.effect is CompatEffect.FINE, _run_of(row, package))


def facts_about(trait: str, hosts: Iterable[Host], amount: int = 0) -> list[tuple[Host, CompatFact]]:
    """Return the effects of a trait in the clients, worst first; `amount` is its number, if numeric."""
    found = [
        (host, fact)
        for host in hosts
        for fact in host.facts
        if fact.trait == trait and (not fact.over or amount > fact.over)
    ]
    return sorted(found, key=lambda each: each[1].effect.rank)


@cache
def newest() -> datetime.date:
    """Return the date of the newest source."""
    return max(fact.source.date for host in known_hosts().values() for fact in host.facts)
