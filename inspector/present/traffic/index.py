"""Which entries of a journal are rows, and in which order. Numbers only: it reads payloads for a filter alone.

Taking in new entries costs what they are many, not what the journal holds. Old entries go through a filter in
slices, newest first. An entry that is no row of its own stands for the one that shows it, and in the tree a hit
brings the request it belongs to along.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.store.columns import MessageKind
from inspector.filters.engine.nodes import both, ones, without
from inspector.present.spans import Role, Span
from inspector.present.traffic.filter import FilterUpdate, RowFilter
from inspector.present.traffic.row_list import SELECT, Laying
from inspector.present.traffic.tree import FOLDED, Errors, Tree
from inspector.protocol.exchanges import Exchange, ExchangeState

if TYPE_CHECKING:
    from inspector.checks.findings import Finding
    from inspector.filters.language.fields import Term
    from inspector.present.live_checks import JournalFindings
    from inspector.present.traffic.tree import RowRun


_BLOCK = 256
"""Entries that are taken in at once where they are alike."""


class RowIndex(Laying):
    """The rows of one view. They are entry numbers; `rows` may be read at any time and is never replaced in part."""

    def __init__(
        self,
        journal: Journal,
        *,
        tree: bool,
        facts: bool,
        clock: Callable[[], int] = lambda: 0,
        threaded: bool = False,
        stretch_bytes: int | None = None,
    ) -> None:
        """With `threaded`, a filter reads on a thread of its own; `stretch_bytes`: how much of the file at once."""
        self._journal = journal
        self._store = journal.store
        self.filter = RowFilter(journal, clock, threaded=threaded, stretch_bytes=stretch_bytes)
        super().__init__(Tree(journal), tree=tree, facts=facts)

    def find(self, n: int) -> int | None:
        """The row that shows entry n; None if none does."""
        row = self._row_of(n) if 0 < n <= self.taken else None
        if row is None:
            return None
        index = self.position(self.key(row))
        if index < 0 or (self.rows[index] != row and not self._stands_for(self.rows[index], row)):
            return None
        return index

    def take(self, limit: int) -> bool:
        """Take in at most `limit` entries that the journal got since; whether there was any."""
        first, end = self.taken + 1, min(self._journal.count, self.taken + limit)
        if end < first:
            return False
        for start in range(first, end + 1, _BLOCK):
            block = start, min(start + _BLOCK - 1, end)
            if self.filter.program is not None or not self._take_run(*block):
                self._take_each(*block)
        return True

    def _take_each(self, first: int, end: int) -> None:
        new, view, flags = range(first, end + 1), self._view, self.places.flags
        self.places.take_many(first, end)
        self._state.extend(bytes(len(new)))
        changes = self.filter.take(first, end)
        if self.folds_runs:
            self.merge(n for n in new if flags[n] & view and not flags[n] & FOLDED)
            self.drop_late()
        elif self.filter.program is None:
            self.merge(n for n in new if flags[n] & view)
        self._apply(changes)
        self._notice_changes(first, end)

    def _take_run(self, first: int, end: int) -> bool:
        """Take in a run of log messages or of stderr, which are rows wherever they stand; False if it is none."""
        cause = self.places.take_run(first, end)
        if cause < 0:
            return False
        self.filter.take(first, end)
        shown = self.places.flags[first : end + 1].translate(self._select)
        new = compress(range(first, end + 1), shown)
        if self.tree and cause:
            self._state.extend(bytes(len(shown)))
            self.merge(new)
        else:
            self._state.extend(shown)
            self.rows.extend(new)
        self.drop_late()
        return True

    def set_filter(self, term: "Term | None") -> None:
        """Let only entries through that match; None lets all. Old ones wait for `filter_step`."""
        self.filter.set(term, self.taken)
        self._rebuild()

    def filter_step(self) -> bool:
        """Take over some of what a filter has found since, the newest first; whether there is more to come."""
        self._apply(self.filter.step())
        return self.filter.is_filtering

    def age(self) -> None:
        """Time has gone by, which a filter may ask about."""
        self._apply(self.filter.age())

    def judged(self, entries: Iterable[int]) -> None:
        """Checks have found something in these entries, or what they found is muted."""
        self._apply(self.filter.judged(entries))

    @property
    def is_chosen(self) -> bool:
        """Whether a filter chooses the rows."""
        return self.filter.program is not None

    def _apply(self, changes: Iterable[FilterUpdate]) -> None:
        for change in changes:
            self.merge(self._rows_of(change.first, change.came))
            for n in change.gone:
                self._drop(n)

    def _has_found(self) -> bool:
        return self.filter.matches > 0

    def _chosen(self, first: int, last: int) -> Iterable[int]:
        return self._rows_of(first, bytes(self.filter.hits[first : last + 1]))

    def _rows_of(self, first: int, hits: bytes) -> Iterable[int]:
        """The rows that hits bring with them; `hits` has a byte for each entry from `first` on."""
        if 1 not in hits:
            return ()
        part = slice(first, first + len(hits))
        own = both(hits, bytes(self.places.flags[part].translate(SELECT[self._view])))
        rows = set(compress(range(first, first + len(hits)), own))
        if self.tree:
            rows.update(compress(self.places.roots[part], own))
        for at in ones(without(hits, own)):
            rows.update(self._rows_of_hit(first + at))
        if self.partners and not self.tree:
            rows.update(*(self._partners(first + at) for at in ones(hits)))
        return rows

    def _rows_of_hit(self, n: int) -> Iterator[int]:
        row = self._row_of(n)
        if row is not None:
            yield row
            if self.tree:
                yield self.places.roots[row]

    def _partners(self, n: int) -> Iterator[int]:
        exchanges, number = self._journal.conversation.exchanges, self._store.exchange(n)
        if not 0 < number <= len(exchanges):
            return
        answer = exchanges.answer_frames[number] or exchanges.at(number).answer_frame or 0
        for frame in (exchanges.request_frames[number], answer):
            if 0 < frame <= self.taken and self.places.flags[frame] & self._view:
                yield frame

    def _notice_changes(self, first: int, last: int) -> None:
        """Rows that were finished can still change: by an answer that came late, by progress after the end."""
        if self.filter.program is None and not self._journal.live:
            self.generation += any(self._store.of_exchanges(first, last))
            return
        live, kinds = self._journal.live, self._store.message_kind
        changed = set(self.filter.ended())
        for n in self._store.of_exchanges(first, last):
            exchange = self.places.exchange(n)
            if exchange is None or (kind := kinds(n)) is MessageKind.REQUEST:
                continue
            changed.add(exchange.number)
            if not live or _is_late(n, kind, exchange):
                self.generation += 1
        self._apply(self.filter.again(changed))

    def _drop(self, n: int) -> None:
        """Entry n does not match any more."""
        self._drop_if_needless(n)
        if self.tree:
            self._drop_if_needless(self.places.roots[n])
        elif self.partners:
            for partner in self._partners(n):
                self._drop_if_needless(partner)

    def _drop_if_needless(self, n: int) -> None:
        index = self.find(n)
        if index is not None and self.rows[index] != n and not self.tree:
            self.toggle_fold(self.rows[index])  # what it is folded into is another run without it
            index = self.find(n)
        if index is None or self.rows[index] != n or self.filter.hits[n] or self._is_there_for_others(n, index):
            return
        self._state[n] = 0
        del self.rows[index]
        self.generation += 1

    def _is_there_for_others(self, n: int, index: int) -> bool:
        """Whether a row is there because of its answer, of what stands under it, or as the partner of a match."""
        hits = self.filter.hits
        if not self.tree:
            if not self.partners or n not in set(self._partners(n)):
                return False
            number, request = self._store.exchange(n), next(self._partners(n))
            return any(hits[each] for each in self._store.of_exchange(number, request, self.taken))
        exchange = self.places.exchange(n)
        answer = (exchange.answer_frame or 0) if exchange is not None else 0
        if answer <= self.taken and hits[answer]:
            return True
        return index + 1 < len(self.rows) and self.places.roots[self.rows[index + 1]] == n


def _is_late(n: int, kind: MessageKind, exchange: Exchange) -> bool:
    if kind is MessageKind.NOTIFICATION:
        return not exchange.is_open
    return exchange.answer_frame != n or exchange.state is ExchangeState.LATE


# --- What checks have found, as the traffic list shows it: a mark for each row, and the way to the next one.


class WhoeverChecks:
    """What a filter asks: a filter may be set long before anything is checked."""

    def __init__(self, found: "Callable[[], JournalFindings | None]") -> None:
        self._get = found

    def worst(self, first: int, last: int) -> bytes:
        """For each of these entries the grade of its worst finding."""
        found = self._get()
        return found.worst(first, last) if found is not None else bytes(last + 1 - first)

    def of(self, n: int) -> "Sequence[Finding]":
        """The findings of entry n."""
        found = self._get()
        return found.of(n) if found is not None else ()


class LogMarks:
    """The marks of one list."""

    def __init__(self, index: "RowIndex", found: "Callable[[], JournalFindings | None]") -> None:
        """`found` gives what was found so far; None while nobody checks."""
        self._index = index
        self._get = found
        index.filter.expert = WhoeverChecks(found)
        self._found: JournalFindings | None = None
        self._next = 0
        """How many of the findings were taken over."""
        self._late: list[Finding] = []
        """Those about entries that the list has not taken in yet."""
        self._seen = -1
        self._muted: object = None
        self._rows: dict[int, list[Finding]] = {}
        """By the entry of a row of the tree."""
        self._places = Errors(index.places.roots)
        self.generation = 0
        """Changes with the marks."""

    def step(self) -> None:
        """Take over what was found since. Nearly free if nothing was."""
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
        """Something else is muted: no mark is what it was."""
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
        """The findings of the row of entry n, worst first; of a folded run, of all that it stands for."""
        if self._found is None:
            return ()
        if run is not None and not run.opened:
            several = [each for at in self._found.marked(run.first, run.last) for each in self._found.of(at)]
        else:
            several = self._rows.get(n, []) if self._index.tree else list(self._found.of(n))
        return sorted(several, key=lambda each: each.severity.rank) if len(several) > 1 else several

    def grade(self, n: int, run: "RowRun | None" = None) -> int:
        """How bad the worst of them is: 3 an error, 2 a warning, 1 a hint, 0 if there is none."""
        if self._found is None or not self._rows:
            return 0
        if run is not None and not run.opened:
            return self._found.worst_of(run.first, run.last)
        if not self._index.tree:
            return self._found.mark(n)
        return max(map(_grade, self._rows.get(n, ())), default=0)

    def next(self, n: int, *, back: bool = False) -> int | None:
        """The nearest row with a mark below that of entry n (above with `back`); 0: from the beginning."""
        key = self._index.key(n) if n else -1
        while (key := self._places.after(key, tree=self._index.tree, back=back)) >= 0:
            found = self._index.find(key & 0xFFFF_FFFF)
            if found is not None and (not n or self._index.rows[found] != n):
                return found
        return None


def _grade(finding: "Finding") -> int:
    return 3 - finding.severity.rank


def shows_findings(columns: Sequence[str]) -> bool:
    """Whether any of these columns tells what was found."""
    return any(name == "finding" or name.startswith("=expert") for name in columns)


def finding_cells(found: "Sequence[Finding]", role: Role) -> dict[str, list[Span]]:
    """The cells of all columns that tell what was found; `role` is that of the worst."""
    if not found:
        return {}
    more = f" (+{len(found) - 1})" if len(found) > 1 else ""
    severities = ", ".join(dict.fromkeys(str(each.severity) for each in found))
    return {
        "finding": [(text.visible(f"{found[0].id} {found[0].sentence}", limit=200) + more, role)],
        "=expert": [(severities, role)],
        "=expert.severity": [(severities, role)],
        "=expert.id": [(", ".join(dict.fromkeys(each.id for each in found)), role)],
    }
