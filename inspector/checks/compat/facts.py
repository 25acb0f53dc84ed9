"""Client compatibility facts: how a client treats a tool definition, with date and source.

A fact has the date of its source, the version it was seen in, a link and a confidence. A statement without a source is
not a fact. Each fact belongs to a trait, the name of a feature of a definition (see `definitions.tools`).
"""

import re
from datetime import date
from enum import StrEnum

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
