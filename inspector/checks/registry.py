"""The registry of checks: functions with metadata, looked up by the moments they apply to.

A check is a function with one of the three decorators of its module (`error`, `warning`, `hint`): its name is the id,
and its docstring ends with the fix, after "Fix:". It is a generator: it receives a `CheckMoment` and
yields a `Violation` for each fault. It has no state. It is only called for the protocol versions in its metadata.
"""

from collections.abc import Callable, Container, Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from inspector.checks.findings import Confidence, Severity
from inspector.protocol.revisions.table import ROWS

LAST = len(ROWS)
"""Number of the last row of the table of revisions, counted from 1; 0 means "not known yet"."""


class Violation(msgspec.Struct, frozen=True):
    """The part of a finding that only the check knows."""

    sentence: str
    pointer: str = ""
    frames: tuple[int, ...] = ()
    """Further entries of the evidence; without `instead` they follow the current entry."""
    span: tuple[int, int] | None = None
    severity: Severity | None = None
    """Severity, if it differs from that of the check."""
    instead: bool = False
    """Whether `frames` replaces the current entry."""
    id: str = ""
    """Id of another check whose metadata applies instead: a shape has many rules."""
    fix: str = ""
    """Fix, if there is a more specific one than that of the check."""
    confidence: Confidence | None = None
    """Confidence, if it differs from that of the check."""
    trait: str = ""
    """Trait in the compatibility data; "" if there is none. See `checks.compat`."""
    hosts: tuple[str, ...] = ()
    """Ids of the clients affected, if not all with the trait; () for all of those."""


Judge = Callable[[Any], Iterator[Violation]]
J = TypeVar("J", bound=Judge)


class Check(msgspec.Struct, frozen=True):
    """The metadata of a check."""

    id: str
    """A slug in kebab-case, such as `duplicate-response`: printed, and used in filters and to mute."""
    title: str
    """Title of the defect in a few words, as a heading."""
    severity: Severity
    topic: str
    """Page of the specification; see `page_of`."""
    fix: str
    since: int
    """First row of the table it applies to, from 1."""
    until: int
    """Last row it applies to."""
    mild_until: int
    """Last row in which its severity is `mild`; 0 for none."""
    mild: Severity
    confidence: Confidence
    hooks: tuple[str, ...]
    """Moments at which it is called; () for a rule of a shape."""
    heavy: bool
    """Whether it is expensive, and waits for `judge_pending`."""
    judge: Judge | None
    wanted: Callable[[Any], bool] | None = None
    """For an expensive check: whether it is worth its time; None if always."""
    early: bool = False
    """Whether it is also called before a protocol version is known: logins precede the negotiation."""
    needs: int = 0
    """Traits of which a message needs at least one; 0 for none. See `state_updates`."""
    belated: bool = False
    """Whether it is also called for messages before the response to `initialize`, once that has been received."""
    is_diagnosis: bool = False
    """Whether it names the cause of a failure, instead of only a violated rule of the specification."""
    module: str = ""
    """Name of the module that declares it."""

    def applies_to(self, row: int) -> bool:
        """Whether it may be called in this row; before a version is known, only if it applies to all."""
        return self.since <= row <= self.until if row else self.early or (self.since, self.until) == (1, LAST)

    def applies(self, traits: int, aside: Container[str]) -> bool:
        """Whether it is called for a message with these traits; not if it is disabled."""
        return (not self.needs or bool(self.needs & traits)) and self.id not in aside

    def severity_in(self, row: int) -> Severity:
        """Return its severity in a revision; before a revision is known, `mild` if it has one."""
        return self.mild if self.mild_until and row <= self.mild_until else self.severity

    @property
    def revisions(self) -> tuple[str, ...]:
        """Version strings it applies to, oldest first."""
        return tuple(row.date for row in ROWS[self.since - 1 : self.until])


CHECKS: dict[str, Check] = {}
"""By id. Complete once `inspector.checks.catalog` is imported."""


class CheckDecorator(Protocol):
    """Registers a function as a check: its name is the id, and its docstring ends with the fix."""

    def __call__(self, title: str, *on: str, **more: Any) -> Callable[[J], J]:
        """Return the decorator of a check that is called at the moments `on`; `more` as for `declare`.

        Moments: "answer", "error", "request", "notification", each also of one method only ("answer tools/call"),
        "asking" (a result that requires input), "carried" (a response over HTTP), "meta" (any of them with `_meta`),
        "orphan", "late", "garbled", "frame" (unusual bytes), "refusal" (the body of an HTTP error), "note" (an event
        without a message), "http", "http end", "view" (a message between a View and its host, also of one method
        only), "end".
        """


class CheckDecorators(NamedTuple):
    """The decorators of a module's checks, one for each severity."""

    error: CheckDecorator
    warning: CheckDecorator
    hint: CheckDecorator


class CheckTable(msgspec.Struct, frozen=True):
    """The checks of one revision by moment."""

    quick: dict[str, tuple[Check, ...]]
    heavy: dict[str, tuple[Check, ...]]


def row_of_date(date: str) -> int:
    """Return the row of exactly this version string."""
    return 1 + [row.date for row in ROWS].index(date)


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
    """Add a check to the registry. Ids are unique.

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


def rules_of(topic: str, *, is_diagnosis: bool = False) -> CheckDecorators:
    """Return the decorators of a module whose checks are about a page of the specification; "" for none."""

    def of(severity: Severity) -> CheckDecorator:
        def decorator(title: str, *on: str, **more: Any) -> Callable[[J], J]:
            def add(judge: J) -> J:
                id_ = judge.__name__.replace("_", "-")
                fix = " ".join((judge.__doc__ or "").partition("Fix: ")[2].split())
                facts: dict[str, Any] = {"topic": topic, "fix": fix, "is_diagnosis": is_diagnosis}
                declare(id_, severity, title, hooks=on, judge=judge, **(facts | more))
                return judge

            return add

        return decorator

    return CheckDecorators(of(Severity.ERROR), of(Severity.WARNING), of(Severity.HINT))


diagnoses_of = partial(rules_of, is_diagnosis=True)
"""Like `rules_of`, for functions that name the causes of failures."""


def tables() -> tuple[CheckTable, ...]:
    """Return the checks for each row; the first table is for "not known yet"."""
    return tuple(CheckTable(_by_hook(row, heavy=False), _by_hook(row, heavy=True)) for row in range(LAST + 1))


def _by_hook(row: int, *, heavy: bool) -> dict[str, tuple[Check, ...]]:
    found: dict[str, tuple[Check, ...]] = {}
    for each in CHECKS.values():
        if each.applies_to(row) and each.heavy is heavy:
            for hook in each.hooks:
                found[hook] = (*found.get(hook, ()), each)
    return found
