"""Client compatibility facts: how a program treats a peculiar definition, with date and source.

A fact ages: it has the date of its source, the version it was seen in, a link, and a word on how sure it is. What
nobody has a source for is no fact. A fact hangs on a trait, which is the name of a peculiarity (see `traits`).
"""

import re
from datetime import date
from enum import StrEnum

import msgspec

from inspector.checks.definitions.tools import Naming
from inspector.checks.findings import Confidence, Severity


class CompatEffect(StrEnum):
    """What becomes of it, worst first; compare by `rank`."""

    ALL_GONE = "all gone"
    """Every tool of the server is left out."""
    BREAKS = "breaks"
    """Every request to the model fails while the tool is there."""
    GONE = "gone"
    """The tool is left out."""
    FAILS = "fails"
    """It is shown, and its calls fail."""
    CUT = "cut"
    """A part of it never reaches the model."""
    CHANGED = "changed"
    """It reaches the model in another form."""
    WARNED = "warned"
    """The person is warned."""
    FINE = "fine"
    """It is known to do no harm."""

    @property
    def rank(self) -> int:
        """From 0, the worst, upwards."""
        return _RANKS[self]

    @property
    def severity(self) -> Severity:
        """How bad it is for somebody who needs that host."""
        return Severity.ERROR if self.rank <= 3 else Severity.WARNING if self.rank == 4 else Severity.HINT


_RANKS = {effect: rank for rank, effect in enumerate(CompatEffect)}


class CompatSource(msgspec.Struct, frozen=True):
    """Where something was read, or what was run."""

    url: str
    date: date
    """Of the issue, of the commit; of code without a date the day on which it was read."""
    seen_in: str = ""
    """The version that it is about; "" if the source names none."""
    confidence: Confidence = Confidence.LIKELY
    """CERTAIN: read in the code or tried; LIKELY: reported with evidence; GUESS: old, or told once."""

    @property
    def version(self) -> str:
        """The version that it is about, or the commit that its URL names; "" if neither is known."""
        commit = _COMMIT.search(self.url)
        return self.seen_in or (f"commit {commit.group(1)[:12]}" if commit else "")

    @property
    def label(self) -> str:
        """Version and date, for a sentence: “2.1.234, 2026-08-18”."""
        return f"{self.version or 'version not named'}, {self.date}"


_COMMIT = re.compile(r"/(?:blob|tree|commit)/([0-9a-f]{40})\b")


class CompatFact(msgspec.Struct, frozen=True):
    """What one host does with one trait."""

    trait: str
    effect: CompatEffect
    sentence: str
    """What happens, as it goes on after the host's name: “drops the tool”."""
    source: CompatSource
    over: int = 0
    """For traits that are a number: from where on, exclusively."""


class HostFeature(msgspec.Struct, frozen=True):
    """Whether a host has a part of the protocol."""

    name: str
    """“sampling”."""
    has: bool
    source: CompatSource
    note: str = ""


class Limit(msgspec.Struct, frozen=True):
    """A number that a host goes by while it runs: a timeout, a size of results."""

    name: str
    """“start”, "call", "result"."""
    sentence: str
    source: CompatSource


class Host(msgspec.Struct, frozen=True):
    """One program, and all that is known of it here."""

    id: str
    """As it is written after `--host`."""
    name: str
    short: str
    """Five letters at most, for the head of a column."""
    facts: tuple[CompatFact, ...]
    features: tuple[HostFeature, ...] = ()
    limits: tuple[Limit, ...] = ()
    naming: Naming | None = None
    naming_source: CompatSource | None = None


FEATURES = ("tools", "resources", "prompts", "sampling", "elicitation", "roots", "pages")
"""The parts of the protocol that packs speak of; "pages": whether lists are read beyond their first page."""
