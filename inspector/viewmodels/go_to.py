"""Which entry somebody means who types where to go: a number, a time of day, or seconds since the start."""

from bisect import bisect_left
from datetime import datetime

from inspector.capture.journal import Journal
from inspector.errors import FilterError


def meant(journal: Journal, wanted: str, count: int) -> int:
    """The entry, of the first `count`, that is asked for by its number, a time of day, or seconds since the start.

    The last are written `+1.5`. The nearest there is. Raises: FilterError if it is neither, or there is no entry.
    """
    wanted = wanted.strip().removeprefix("#")
    if not count:
        raise FilterError("there is nothing to go to yet", 0)
    if wanted.isdecimal():
        return min(max(int(wanted[:12]), 1), count)
    if wanted.startswith("+"):
        return _since_start(journal, wanted[1:], count)
    return _at_time(journal, wanted, count)


def _since_start(journal: Journal, wanted: str, count: int) -> int:
    from inspector.capture.filters.fields import BY_NAME
    from inspector.capture.filters.lexer import Kind, Token
    from inspector.capture.filters.values import read

    word = wanted if wanted[-1:].isalpha() else f"{wanted}s"
    value = read(Token(Kind.WORD, word, 0, len(word)), BY_NAME["dur"], datetime.now().astimezone())
    moment = journal.started_ns + int(str(value))
    return min(bisect_left(range(1, count + 1), moment, key=journal.store.time_ns) + 1, count)


def _at_time(journal: Journal, wanted: str, count: int) -> int:
    from inspector.capture.filters.fields import BY_NAME
    from inspector.capture.filters.lexer import Kind, Token
    from inspector.capture.filters.values import read

    day = datetime.fromtimestamp(journal.store.wall_ns(count) / 1e9).astimezone()
    value = read(Token(Kind.WORD, wanted, 0, len(wanted)), BY_NAME["time"], day)
    return min(bisect_left(range(1, count + 1), int(str(value)), key=journal.store.wall_ns) + 1, count)
