"""Finds the entries of a journal that match a filter."""

from collections.abc import Callable, Sequence

from inspector.capture.journal import Journal
from inspector.filters.engine.nodes import ExchangeColumns
from inspector.filters.engine.program import Program
from inspector.filters.language.fields import Term
from inspector.present import words
from inspector.present.live_checks import LiveChecks

Progress = Callable[[int, int], None]
"""Called with the number of entries examined, and of all."""


class EntryFilter:
    """Matches filters against one journal. The checks run only if a filter is about findings."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._exchanges = ExchangeColumns(journal)
        self._checks = LiveChecks(journal)

    def program(self, term: Term) -> Program:
        """Compile a filter."""
        return Program(
            term,
            self._journal,
            clock=self._now,
            say=lambda fact: words.sentence(fact)[0],
            exchanges=self._exchanges,
            findings=self._checks,
        )

    def check(self) -> None:
        """Check what was recorded since: before a filter about findings is matched."""
        self._checks.catch_up()

    def matching(
        self, program: Program, first: int, end: int, last: int | None = None, progress: Progress | None = None
    ) -> Sequence[int]:
        """Return the matching entries from `first` to `end`, in order; with `last`, at most so many of the newest."""
        if program.follows_findings:
            self.check()
        found: list[int] = []
        for low, high in program.stretches(first, end):  # newest first
            marks = program.mark(low, high)
            found += [low + at for at in range(high - low, -1, -1) if marks[at]]
            if progress is not None:
                progress(end - low, end - first + 1)
            if last is not None and len(found) >= last:
                return found[:last][::-1]
        return found[::-1]

    def _now(self) -> int:
        count = self._journal.count
        return self._journal.store.time_ns(count) if count else 0
