"""Rows of the wire's order that are folded into one: notifications of one method, or lines of stderr, side by side.

Nothing folds here by itself, for this order proves what came one after the other; a person folds what is in the way,
and the row says how many it stands for.
"""

from collections.abc import Sequence

from inspector.capture.store import KIND_BITS, EntryKind, MessageKind, Store
from inspector.viewmodels.log_runs import Run

_STEP = 1000
"""Rows that are compared at once."""


class WireRuns:
    """What is folded in one list."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runs: dict[int, Run] = {}

    def __bool__(self) -> bool:
        return bool(self._runs)

    def run(self, first: int) -> Run | None:
        """The run whose first entry this is."""
        return self._runs.get(first)

    def add(self, run: Run) -> None:
        """Some rows are folded into their first."""
        self._runs[run.first] = run

    def pop(self, first: int) -> Run | None:
        """They are not any more."""
        return self._runs.pop(first, None)

    def clear(self) -> None:
        """None are."""
        self._runs.clear()

    def alike(self, rows: Sequence[int], index: int) -> range:
        """The rows around one that are like it, itself among them; itself alone if it is of another kind."""
        like = self._like(rows[index])
        if like is None:
            return range(index, index + 1)
        first = last = index
        while (block := rows[max(0, first - _STEP) : first]) and (more := self._alike_at_end(block, like)):
            first -= more
            if more < len(block):
                break
        while (block := rows[last + 1 : last + 1 + _STEP]) and (more := self._alike_at_start(block, like)):
            last += more
            if more < len(block):
                break
        return range(first, last + 1)

    def _like(self, n: int) -> tuple[int, int, int] | None:
        columns = self._store.columns(n, n)
        kind, flags = columns.kinds[0], columns.flags[0]
        folds = kind == EntryKind.STDERR or flags & KIND_BITS == MessageKind.NOTIFICATION
        return (kind, flags, columns.methods[0]) if folds else None

    def _alike_at_start(self, block: Sequence[int], like: tuple[int, int, int]) -> int:
        return next((at for at, same in enumerate(self._same(block, like)) if not same), len(block))

    def _alike_at_end(self, block: Sequence[int], like: tuple[int, int, int]) -> int:
        found = self._same(block, like)[::-1]
        return next((at for at, same in enumerate(found) if not same), len(block))

    def _same(self, block: Sequence[int], like: tuple[int, int, int]) -> list[bool]:
        """Of each entry whether it is like that, and no run of its own."""
        first, last = block[0], block[-1]
        columns = self._store.columns(first, last)
        kinds, flags, methods = columns.kinds, columns.flags, columns.methods
        return [(kinds[n - first], flags[n - first], methods[n - first]) == like and n not in self._runs for n in block]
