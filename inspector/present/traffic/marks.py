"""Marks of findings in the traffic list: the worst finding of each row, navigation to the next, their cells."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from inspector import text
from inspector.present.spans import Role, Span
from inspector.present.traffic.index import RowIndex
from inspector.present.traffic.tree import Errors, RowRun

if TYPE_CHECKING:
    from inspector.checks.findings import Finding
    from inspector.present.live_checks import JournalFindings


class FilterFindings:
    """Findings for a filter, which may be set long before any check has run."""

    def __init__(self, found: "Callable[[], JournalFindings | None]") -> None:
        self._get = found

    def worst(self, first: int, last: int) -> bytes:
        """Return the grade of the worst finding of each of these entries."""
        found = self._get()
        return found.worst(first, last) if found is not None else bytes(last + 1 - first)

    def of(self, n: int) -> "Sequence[Finding]":
        """Return the findings of entry n."""
        found = self._get()
        return found.of(n) if found is not None else ()


class LogMarks:
    def __init__(self, index: "RowIndex", found: "Callable[[], JournalFindings | None]") -> None:
        """Start without marks. `found` returns the findings so far; None while there are no checks."""
        self._index = index
        self._get = found
        index.filter.findings = FilterFindings(found)
        self._found: JournalFindings | None = None
        self._next = 0
        """Number of findings that were processed."""
        self._late: list[Finding] = []
        """Findings about entries that the list has not read yet."""
        self._seen = -1
        self._muted: object = None
        self._rows: dict[int, list[Finding]] = {}
        """Findings by the entry of a row in the tree."""
        self._places = Errors(index.places.roots)
        self.generation = 0
        """Incremented whenever marks change."""

    def step(self) -> None:
        """Add the marks of new findings. Nearly free if there are none."""
        found = self._found = self._get()
        if found is None:
            return
        if found.changes == self._seen and not self._late:
            return
        again: set[int] = set()
        if found.muted is not self._muted:
            again = self._begin_anew(found)
        new, self._seen = [*self._late, *found.all[self._next :]], found.changes
        self._next += len(new) - len(self._late)
        self._late = []
        again.update(self._take(found, new))
        if again:
            self.generation += 1
            self._index.judged(again)

    def _begin_anew(self, found: "JournalFindings") -> set[int]:
        """Discard all marks after a change of the muted findings; return the entries that had one."""
        before = {each.frames[0] for several in self._rows.values() for each in several}
        self._muted, self._next, self._late, self._rows = found.muted, 0, [], {}
        self._places = Errors(self._index.places.roots)
        return before

    def _take(self, found: "JournalFindings", new: "Iterable[Finding]") -> set[int]:
        touched: set[int] = set()
        for each in new:
            n = each.frames[0] if each.frames else 0
            if not n or found.is_muted(each):
                continue
            if n > self._index.taken:
                self._late.append(each)
                continue
            row = self._index.places.row_of(n)
            self._rows.setdefault(row, []).append(each)
            self._places.add(n, row)
            touched.add(n)
        return touched

    def of_row(self, n: int, run: "RowRun | None" = None) -> "Sequence[Finding]":
        """Return the findings of the row of entry n, worst first; for a folded run those of all its entries."""
        if self._found is None:
            return ()
        if run is not None and not run.opened:
            several = [each for at in self._found.marked(run.first, run.last) for each in self._found.of(at)]
        else:
            several = self._rows.get(n, []) if self._index.view.tree else list(self._found.of(n))
        return sorted(several, key=lambda each: each.severity.rank) if len(several) > 1 else several

    def grade(self, n: int, run: "RowRun | None" = None) -> int:
        """Return the grade of the row's worst finding: 3 an error, 2 a warning, 1 a hint, 0 if there is none."""
        if self._found is None or not self._rows:
            return 0
        if run is not None and not run.opened:
            return self._found.worst_of(run.first, run.last)
        if not self._index.view.tree:
            return self._found.mark(n)
        return max((3 - each.severity.rank for each in self._rows.get(n, ())), default=0)

    def next(self, n: int, *, back: bool = False) -> int | None:
        """Return the nearest marked row below that of entry n (above with `back`); n = 0 starts at the beginning."""
        key = self._index.view.key(n) if n else -1
        while (key := self._places.after(key, tree=self._index.view.tree, back=back)) >= 0:
            found = self._index.find(key & 0xFFFF_FFFF)
            if found is not None and (not n or self._index.view.rows[found] != n):
                return found
        return None


def shows_findings(columns: Sequence[str]) -> bool:
    """Whether any of these columns shows findings."""
    return any(name == "finding" or name in ("=severity", "=finding") for name in columns)


def finding_cells(found: "Sequence[Finding]", role: Role) -> dict[str, list[Span]]:
    """Return the cells of all columns that show findings; `role` is that of the worst."""
    if not found:
        return {}
    more = f" (+{len(found) - 1})" if len(found) > 1 else ""
    severities = ", ".join(dict.fromkeys(str(each.severity) for each in found))
    return {
        "finding": [(text.visible(f"{found[0].id} {found[0].sentence}", limit=200) + more, role)],
        "=severity": [(severities, role)],
        "=finding": [(", ".join(dict.fromkeys(each.id for each in found)), role)],
    }
