"""The registry of checks: each a function with metadata, found by the moments it applies to.

A check is a generator: it gets a case (what just happened, and what is known) and yields a flaw for each fault. It
keeps nothing itself. What it may assume of a revision stands in its metadata: it is not asked about any other.
"""

from collections.abc import Callable, Container, Iterator
from functools import partial
from typing import Any, TypeVar

import msgspec

from inspector.checks.findings import Confidence, Severity
from inspector.protocol.revisions.table import ROWS

LAST = len(ROWS)
"""Rows of the table of revisions are counted from 1; 0 stands for "not known yet"."""


def row_of_date(date: str) -> int:
    """The row of exactly this version string."""
    return 1 + [row.date for row in ROWS].index(date)


class Flaw(msgspec.Struct, frozen=True):
    """What a check yields: the part of a finding that only the check knows."""

    sentence: str
    pointer: str = ""
    frames: tuple[int, ...] = ()
    """Further entries it rests on; without `instead` they follow the one that is being looked at."""
    span: tuple[int, int] | None = None
    severity: Severity | None = None
    """If another than the check's own."""
    instead: bool = False
    """Whether `frames` takes the place of the entry that is being looked at."""
    id: str = ""
    """If another check's, whose metadata then counts: a shape has many rules."""
    fix: str = ""
    """If there is a better one than the check's own."""
    confidence: Confidence | None = None
    """If another than the check's own."""
    trait: str = ""
    """What packs of hosts know it by; "" if they know nothing of it. See `checks.hosts`."""
    hosts: tuple[str, ...] = ()
    """Ids of the hosts concerned, where not all are that know the trait; () for all of those."""


Judge = Callable[[Any], Iterator[Flaw]]
J = TypeVar("J", bound=Judge)


class Check(msgspec.Struct, frozen=True):
    """What is known of a check without running it."""

    id: str
    """A slug in kebab-case, such as `duplicate-response`: printed, filtered by and muted by."""
    title: str
    """The fault in a few words, as a heading."""
    severity: Severity
    topic: str
    """What to look up; see `pages`."""
    fix: str
    since: int
    """The first row of the table it applies to, from 1."""
    until: int
    """The last one."""
    mild_until: int
    """Up to this row it is only `mild`; 0 for none."""
    mild: Severity
    confidence: Confidence
    hooks: tuple[str, ...]
    """The moments it looks at; () for a rule that is part of a shape."""
    heavy: bool
    """Whether it takes so long that it waits until there is time."""
    judge: Judge | None
    wanted: Callable[[Any], bool] | None = None
    """Of an expensive one: whether it is worth its time; None if always."""
    early: bool = False
    """Whether it is asked before a revision is known, too: logins come before everything else."""
    needs: int = 0
    """The traits without any one of which there is nothing to ask; 0 for none. See `traits`."""
    belated: bool = False
    """Whether it is asked about messages before the response to `initialize`, too, once that has come."""
    is_diagnosis: bool = False
    """Whether it names the cause of a failure, and not only a rule of the specification that is violated."""
    module: str = ""
    """The name of the module that declares it."""

    def applies_to(self, row: int) -> bool:
        """Whether it may be asked; of an unknown revision only what holds in all of them."""
        return self.since <= row <= self.until if row else self.early or (self.since, self.until) == (1, LAST)

    def may_care(self, traits: int, aside: Container[str]) -> bool:
        """Whether there is anything to ask about a message with these traits; not if it is set aside."""
        return (not self.needs or bool(self.needs & traits)) and self.id not in aside

    def severity_in(self, row: int) -> Severity:
        """How bad it is in a revision; the milder word where that is not known."""
        return self.mild if self.mild_until and row <= self.mild_until else self.severity

    @property
    def revisions(self) -> tuple[str, ...]:
        """The version strings it applies to, oldest first."""
        return tuple(row.date for row in ROWS[self.since - 1 : self.until])


CHECKS: dict[str, Check] = {}
"""By id. Complete once `inspector.checks.everything` is imported."""


def declare(
    id_: str,
    severity: Severity,
    title: str,
    *,
    topic: str,
    fix: str = "",
    since: str = "",
    until: str = "",
    mild_until: str = "",
    mild: Severity = Severity.WARNING,
    confidence: Confidence = Confidence.CERTAIN,
    hooks: tuple[str, ...] = (),
    heavy: bool = False,
    judge: Judge | None = None,
    wanted: Callable[[Any], bool] | None = None,
    early: bool = False,
    needs: int = 0,
    belated: bool = False,
    is_diagnosis: bool = False,
) -> None:
    """Add a check to the list. Two of one id are a mistake.

    `since`, `until`, `mild_until`: version strings of the protocol, inclusive; "" for the oldest, the newest, none.
    """
    assert id_ not in CHECKS, f"two checks are called {id_}"
    CHECKS[id_] = Check(
        id_,
        title,
        severity,
        topic,
        fix,
        since=row_of_date(since) if since else 1,
        until=row_of_date(until) if until else LAST,
        mild_until=row_of_date(mild_until) if mild_until else 0,
        mild=mild,
        confidence=confidence,
        hooks=hooks,
        heavy=heavy,
        judge=judge,
        wanted=wanted,
        early=early,
        needs=needs,
        belated=belated,
        is_diagnosis=is_diagnosis,
        module=judge.__module__ if judge is not None else "inspector.checks.rules.shape",
    )


def check(id_: str, severity: Severity, title: str, *on: str, **more: Any) -> Callable[[J], J]:
    """Make the function below the check `id_`, to be asked at the moments `on`; `more` as for `declare`.

    Moments: "answer", "error", "request", "notification", each also of one method alone ("answer tools/call"),
    "asking" (an answer that asks for input), "carried" (an answer over HTTP), "meta" (any of them with `_meta`),
    "orphan", "late", "garbled", "frame" (bytes that need a closer look), "refusal" (the body of an HTTP error), "note"
    (an event that carries no message), "http", "http end", "end".
    """

    def add(judge: J) -> J:
        declare(id_, severity, title, hooks=on, judge=judge, **more)
        return judge

    return add


diagnosis = partial(check, is_diagnosis=True)
"""Like `check`, for a function that names the cause of a failure."""


class CheckTable(msgspec.Struct, frozen=True):
    """The checks of one revision by the moments they look at."""

    quick: dict[str, tuple[Check, ...]]
    heavy: dict[str, tuple[Check, ...]]


def tables() -> tuple[CheckTable, ...]:
    """The checks for each row; the one for "not known yet" stands first."""
    return tuple(CheckTable(_by_hook(row, heavy=False), _by_hook(row, heavy=True)) for row in range(LAST + 1))


def _by_hook(row: int, *, heavy: bool) -> dict[str, tuple[Check, ...]]:
    found: dict[str, tuple[Check, ...]] = {}
    for each in CHECKS.values():
        if each.applies_to(row) and each.heavy is heavy:
            for hook in each.hooks:
                found[hook] = (*found.get(hook, ()), each)
    return found
