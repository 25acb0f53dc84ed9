"""Which entry somebody means who types where to go: a number, a time of day, or seconds since the start."""

from bisect import bisect_left
from collections.abc import Callable
from datetime import datetime

from inspector.capture.journal import Journal
from inspector.errors import FilterError


def meant(journal: Journal, wanted: str, count: int) -> int:
    """The entry, of the first `count`, that is asked for by its number, a time of day, or seconds since the start.

    The last are written `+1.5`. The nearest there is. Raises: FilterError if it is neither, or there is no entry.
    """
    store = journal.store
    offset = journal.started_wall_ns - journal.started_ns

    def first(wall_ns: int, since_start: bool) -> int:
        entries = range(1, count + 1)
        if since_start:
            return bisect_left(entries, wall_ns - offset, key=store.time_ns) + 1
        return bisect_left(entries, wall_ns, key=store.wall_ns) + 1

    return meant_by(wanted, count, journal.started_wall_ns, first, lambda: store.wall_ns(count))


def meant_by(
    wanted: str, count: int, start_ns: int, first: Callable[[int, bool], int], newest_ns: Callable[[], int]
) -> int:
    """The same of any entries in one order of time. All moments are of the wall clock, in nanoseconds.

    `first` gives the first entry that came at a moment or later (it is told whether that was counted from the start),
    `newest_ns` the moment of the newest: a time of day is one of its day. Raises: FilterError.
    """
    wanted = wanted.strip().removeprefix("#")
    if not count:
        raise FilterError("there is nothing to go to yet", 0)
    if wanted.isdecimal():
        return min(max(int(wanted[:12]), 1), count)
    if wanted.startswith("+"):
        return min(first(start_ns + _seconds(wanted[1:]), True), count)
    return min(first(_time_of_day(wanted, newest_ns()), False), count)


def _seconds(wanted: str) -> int:
    from inspector.capture.filters.fields import BY_NAME
    from inspector.capture.filters.lexer import Kind, Token
    from inspector.capture.filters.values import read

    word = wanted if wanted[-1:].isalpha() else f"{wanted}s"
    return int(str(read(Token(Kind.WORD, word, 0, len(word)), BY_NAME["dur"], datetime.now().astimezone())))


def _time_of_day(wanted: str, newest_ns: int) -> int:
    from inspector.capture.filters.fields import BY_NAME
    from inspector.capture.filters.lexer import Kind, Token
    from inspector.capture.filters.values import read

    day = datetime.fromtimestamp(newest_ns / 1e9).astimezone()
    return int(str(read(Token(Kind.WORD, wanted, 0, len(wanted)), BY_NAME["time"], day)))
