"""The known clients, and how each treats a tool definition: facts with version, date and source.

Each client has a file in `config/clients`: its name, its facts, and for `--as` its profile. What a run of
`python -m tests.clients` observed stands in `observed.tsv` beside them, and needs no other source. Each fact belongs
to a trait, the name of a feature of a definition (see `definitions.tools`).
"""

import re
from collections.abc import Iterable
from datetime import date
from enum import StrEnum
from functools import cache
from pathlib import Path

import msgspec

from inspector.checks.definitions.tools import Naming
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
"""The parts of the protocol that facts cover; "pages": whether lists are read beyond their first page."""


# The files

_DATA = Path(__file__).parents[2] / "config" / "clients"
HOST_IDS = (
    *("claude-code", "claude-desktop", "vscode", "cursor", "codex", "gemini-cli"),
    *("typescript-sdk-1", "typescript-sdk-2", "python-sdk-1", "python-sdk-2"),
)
"""The clients in the order of the matrix's columns."""
AGES_AFTER_DAYS = 180
"""A fact whose source is older than this before the newest one is marked as old."""


class _FactEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    trait: str
    effect: CompatEffect
    sentence: str
    source: str
    """A name in `sources`."""
    over: int = 0


class _FeatureEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    has: bool
    source: str
    note: str = ""


class _LimitEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    sentence: str
    source: str


class _ClientFile(msgspec.Struct, frozen=True):
    """A file of `config/clients`, without the profile."""

    name: str
    short: str
    sources: dict[str, CompatSource]
    facts: tuple[_FactEntry, ...] = ()
    limits: tuple[_LimitEntry, ...] = ()
    features: tuple[_FeatureEntry, ...] = ()
    names: Naming | None = None
    names_source: str = ""


@cache
def known_hosts() -> dict[str, Host]:
    """Return the known clients by id, in the order of the matrix's columns."""
    return {id_: _host(id_) for id_ in HOST_IDS}


def _host(id_: str) -> Host:
    file = msgspec.yaml.decode((_DATA / f"{id_}.yaml").read_bytes(), type=_ClientFile)
    source = file.sources.__getitem__
    return Host(
        id_,
        file.name,
        file.short,
        tuple(
            CompatFact(each.trait, each.effect, each.sentence, source(each.source), each.over) for each in file.facts
        ),
        tuple(HostFeature(each.name, each.has, source(each.source), each.note) for each in file.features),
        tuple(Limit(each.name, each.sentence, source(each.source)) for each in file.limits),
        file.names,
        source(file.names_source) if file.names else None,
    )


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
def newest() -> date:
    """Return the date of the newest source."""
    return max(fact.source.date for host in known_hosts().values() for fact in host.facts)
