"""Statistics of very many calls: how long counting them and a picture take, and how exact the percentiles are."""

import random
import time
from statistics import median

import msgspec

from inspector.capture.journal import Journal, start_capture
from inspector.capture.store.columns import FROM_SERVER_BIT, TO_SERVER_BIT, MessageKind
from inspector.present.stats import StatsTable
from inspector.present.stats_counting import JournalStats
from inspector.present.stats_report import header, histogram_lines, row, sorted_groups, totals
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction

_TOOLS = 30
_SLICE = 500
_PICTURES = 20
_BATCH = 10_000


class Counted(msgspec.Struct, frozen=True):
    """What was measured. Processor time."""

    each_us: float
    """Counting one call."""
    slice_ms: float
    """Counting as many as between two looks at the clock, the median."""
    picture_ms: float
    """All rows, the histogram and the totals after a change of each group, the median."""
    off: float
    """By how much a percentile differs from the exact one, at worst; 0.01 is one percent."""


def calls(count: int, *, seed: int = 1) -> tuple[Journal, list[int]]:
    """A journal of so many calls with responses, and how long each took."""
    journal, dice = start_capture(None), random.Random(seed)
    took: list[int] = []
    rows: list[tuple[int, int, int, int, int, int, int, int]] = []
    for number in range(1, count + 1):
        took.append(_call(journal, number, f"tool{dice.randrange(_TOOLS)}", int(dice.lognormvariate(15, 1.5)), rows))
        if len(rows) >= _BATCH:
            journal.store.add_rows(rows)
            rows.clear()
    journal.store.add_rows(rows)
    return journal, took


def _call(
    journal: Journal, number: int, tool: str, took: int, rows: list[tuple[int, int, int, int, int, int, int, int]]
) -> int:
    start, log = journal.started_ns + number * 1_000_000, journal.conversation.exchanges
    exchange = Exchange(number, Direction.TO_SERVER, number, "tools/call", tool, 2 * number - 1, start)
    log.append(exchange)
    exchange.state, exchange.answer_frame, exchange.ended_ns = ExchangeState.ANSWERED, 2 * number, start + took
    log.keep(exchange, shown=False)
    rows.append((0, 150, start, start, 150, TO_SERVER_BIT | MessageKind.REQUEST, 0, number))
    rows.append((0, 300, start + took, start + took, 300, FROM_SERVER_BIT | MessageKind.RESPONSE, 0, number))
    return took


def counted(count: int) -> Counted:
    """Count so many calls, then draw the statistics again and again while each tool is called once more."""
    journal, took = calls(count)
    table = StatsTable()
    stats = JournalStats(journal, table)
    slices: list[float] = []
    began = before = time.process_time()
    more = True
    while more:
        more = stats.take(_SLICE)
        now = time.process_time()
        slices.append(now - before)
        before = now
    each = (time.process_time() - began) / count
    took.sort()
    found = table.total.durations.percentiles
    off = max(abs(mine / exact(took, share) - 1) for mine, share in zip(found, (0.5, 0.95, 0.99), strict=True))
    return Counted(each * 1e6, median(slices) * 1e3, _pictures(journal, stats, table) * 1e3, off)


def _pictures(journal: Journal, stats: JournalStats, table: StatsTable) -> float:
    spent: list[float] = []
    for _ in range(_PICTURES):
        rows: list[tuple[int, int, int, int, int, int, int, int]] = []
        for tool in range(_TOOLS):
            _call(journal, len(journal.conversation.exchanges) + 1, f"tool{tool}", 5_000_000, rows)
        journal.store.add_rows(rows)
        while stats.take():
            pass
        began = time.process_time()
        groups = sorted_groups(table, "p95")
        header(table.by, 160, "p95")
        for group in groups:
            row(table, group, 160)
        histogram_lines(groups[0].durations, 60)
        table.trend(groups[0], 24)
        table.mean_trend(groups[0], 24)
        totals(table, table.sums)
        spent.append(time.process_time() - began)
    return median(spent)


def exact(ordered: list[int], share: float) -> float:
    """Return a percentile by linear interpolation between the closest ranks, as numpy's default does."""
    rank = share * (len(ordered) - 1)
    low, high = ordered[int(rank)], ordered[min(int(rank) + 1, len(ordered) - 1)]
    return low + (high - low) * (rank - int(rank))
