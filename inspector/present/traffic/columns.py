"""The columns of the traffic list: all of them, those that fit a width, and the layout of their cells.

By default the width alone selects the columns. Columns that the user has chosen keep their order; if they do not
fit, the rightmost are left out first, but never the method with its target.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

import msgspec

from inspector import text
from inspector.capture.store.store import Store
from inspector.present import spans as signs
from inspector.present.spans import Span, lay

FIELD = "="
"""Prefix of the name of a column that shows a field of the filter language: `=args.q`."""
_EXTRA = frozenset(("http", "id", "session"))
LANE = 24
"""Cells of the waterfall column."""
_FIELD_WIDTH = 16
_LEAST = 20
"""Minimum cells of the column for method and target."""

_BY_WIDTH = (
    (56, "mark way what status took"),
    (66, "seconds mark way what status took"),
    (100, "seconds mark way what status took size"),
    (140, "number time mark way what status took size"),
    (150, "number time since mark way what status took sent came channel"),
)
_WIDEST = "number time since mark way what status took sent came channel lane"
_TITLES = {"start": "Elapsed", "above": "Delta", "reference": "From #{}"}
"""Title of the Time column by time format."""


class Column(msgspec.Struct, frozen=True, cache_hash=True):
    """A column; width 0 means that it takes the remaining space."""

    name: str
    title: str
    width: int
    right: bool = False
    about: str = ""
    """Description, for the list of columns to choose from."""
    tight: bool = False
    """Whether the next column follows without a space."""


_SECONDS = Column("seconds", "Time", 8)
_MINUTES = Column("seconds", "mm:ss", 5)
"""The short form for times of day: minutes and seconds."""
CHOICES: tuple[Column, ...] = (
    Column("number", "#", 7, True, "entry number in the capture"),
    Column("time", "Time", 12, False, "time of day, or relative"),
    Column("since", "Delta", 8, True, "time since the row above"),
    Column("mark", signs.FINDING, 1, False, "the most severe finding", True),
    Column("way", "", 1, False, "sender"),
    Column("what", "Method and target", 0, False, "method, target and a preview"),
    Column("status", "Status", 17, False, "state of the request"),
    Column("took", "Duration", 8, True, "time from the request to its response"),
    Column("size", "Size", 6, True, "size of the response, or of the message"),
    Column("sent", "Sent", 6, True, "bytes sent to the server"),
    Column("came", "Received", 8, True, "bytes received from the server"),
    Column("channel", "Channel", 7, False, "stdin, stdout, post or sse"),
    Column("http", "HTTP", 4, True, "status of the HTTP response"),
    Column("id", "ID", 8, False, "JSON-RPC id"),
    Column("session", "Session", 10, False, "Mcp-Session-Id"),
    Column("finding", "Finding", 28, False, "titles of the findings"),
    Column("lane", "", LANE, False, "waterfall of the visible rows"),
)
"""In the order of the list to choose from."""
_BY_NAME = {column.name: column for column in (*CHOICES, _SECONDS)}


class TimeMode(StrEnum):
    """The format of the Time column."""

    CLOCK = "clock"
    """The time of day."""
    START = "start"
    """Seconds since the capture began."""
    ABOVE = "above"
    """Time since the row above."""
    REFERENCE = "reference"
    """Seconds since the entry that the user has chosen."""


def column(name: str) -> Column | None:
    """Return the column with that name; None if there is none."""
    if name.startswith(FIELD):
        return Column(name, text.visible(name[1:], limit=60), _FIELD_WIDTH)
    return _BY_NAME.get(name)


def by_width(width: int) -> tuple[str, ...]:
    """Return the names of the default columns for a width in cells."""
    for below, names in _BY_WIDTH:
        if width < below:
            return tuple(names.split())
    return tuple(_WIDEST.split())


def columns(width: int, chosen: Sequence[str] = ()) -> tuple[Column, ...]:
    """Return the columns for a width, from left to right. `chosen`: the user's columns, empty for the default."""
    if not chosen:
        return tuple(_BY_NAME[name] for name in by_width(width))
    names = dict.fromkeys(chosen if "what" in chosen else (*chosen, "what"))
    found = [found for found in map(column, names) if found is not None]
    while len(found) > 1 and width - _taken(found) < _LEAST:
        last = max(at for at, each in enumerate(found) if each.width)
        del found[last]
    return tuple(found)


def _taken(shown: Sequence[Column]) -> int:
    return sum(each.width for each in shown) + sum(not each.tight for each in shown[:-1])


@lru_cache(maxsize=64)
def _taken_of_row(shown: tuple[Column, ...]) -> tuple[int, bool]:
    """Return the cells that columns take, and whether one takes the rest; cached because each row needs them."""
    return _taken(shown), any(not each.width for each in shown)


def lay_out(cells: dict[str, list[Span]], width: int, shown: tuple[Column, ...]) -> list[Span]:
    """Lay cells out in columns; exactly `width` cells."""
    if "status" not in cells and "took" not in cells:
        shown = _with_room(shown, has_size=bool(cells.get("size")))
    taken, has_rest = _taken_of_row(shown)
    left = width - taken
    spans: list[Span] = []
    is_tight = True
    for each in shown:
        if not is_tight:
            spans.append((" ", "text"))
        is_tight = each.tight
        cell = cells.get(each.name)
        if not cell:
            spans.append((" " * (each.width or max(0, left)), "text"))
        elif each.right:
            spans.append((text.pad(cell[0][0], each.width, right=True), cell[0][1]))
        else:
            spans += lay(cell, each.width or max(0, left))
    return spans if has_rest and left >= 0 else lay(spans, width)


@lru_cache(maxsize=64)
def _with_room(shown: tuple[Column, ...], *, has_size: bool) -> tuple[Column, ...]:
    """Leave out status and duration, as both are empty, so that the text gets their space.

    The other columns keep their positions.
    """
    empty = ("status", "took") if has_size else ("status", "took", "size")
    text_at = [each.width for each in shown].index(0) if any(not each.width for each in shown) else len(shown)
    return tuple(each for at, each in enumerate(shown) if at < text_at or each.name not in empty)


def titles(width: int, shown: tuple[Column, ...], named: dict[str, str] | None = None) -> list[Span]:
    """Return the titles of the columns; `named` replaces some of them."""
    return list(_titles(width, shown, tuple((named or {}).items())))


@lru_cache(maxsize=8)
def _titles(width: int, shown: tuple[Column, ...], named: tuple[tuple[str, str], ...]) -> tuple[Span, ...]:
    """Return the titles, cached because they are read at every update and rarely change."""
    words = dict(named)
    return tuple(lay_out({each.name: [(words.get(each.name, each.title), "muted")] for each in shown}, width, shown))


# How the traffic is displayed: columns and time format.


class Appearance(msgspec.Struct, frozen=True):
    """The user's choice of columns and time format."""

    chosen: tuple[str, ...] = ()
    """Names of columns, from left to right; empty: the default for the width."""
    mode: TimeMode = TimeMode.CLOCK
    started_ns: int = 0
    """Start of the capture by the clock of its entries."""
    reference: int = 0
    """Entry that is the origin of relative times in that mode; 0 for none."""
    reference_ns: int = 0

    laneless: bool = False
    """Whether the waterfall column is hidden at every width."""
    marked: bool = False
    """Whether checks run, so that the list has a column for findings."""

    def columns(self, width: int) -> tuple[Column, ...]:
        """Return the columns for a width in cells."""
        return _shown(self, width)

    def extra(self, width: int) -> frozenset[str]:
        """Return the names of those columns that need more than the entry and its exchange."""
        return _extra(self, width)

    def titles(self, width: int) -> list[Span]:
        """Return the row of titles."""
        word = _TITLES.get(self.mode, "").format(self.reference)
        named = {"time": f"{word:>12}", "seconds": f"{word:>8}"} if word else {}
        return titles(width, self.columns(width), named)

    def time(self, n: int, store: Store, previous_ns: int | None) -> Span:
        """Return the time of entry n; `previous_ns`: the time of the row above."""
        now = store.time_ns(n)
        match self.mode:
            case TimeMode.CLOCK:
                return text.clock(store.wall_ns(n)), "muted"
            case TimeMode.START:
                return seconds(now - self.started_ns).rjust(12), "muted"
            case TimeMode.ABOVE:
                return (since(now - previous_ns) if previous_ns is not None else "").rjust(12), "muted"
            case TimeMode.REFERENCE:
                if n == self.reference:
                    return f"{signs.EVENT} 0.000".rjust(12), "accent"
                return seconds(now - self.reference_ns).rjust(12), "muted"

    def next_mode(self) -> "Appearance":
        """Return a copy with the next time format; without a reference there are three."""
        modes = [mode for mode in TimeMode if mode is not TimeMode.REFERENCE or self.reference]
        return msgspec.structs.replace(self, mode=modes[(modes.index(self.mode) + 1) % len(modes)])

    def with_reference(self, n: int, time_ns: int) -> "Appearance":
        """Return a copy with times relative to entry n; 0 for clock times."""
        mode = TimeMode.REFERENCE if n else TimeMode.CLOCK
        return msgspec.structs.replace(self, mode=mode, reference=n, reference_ns=time_ns)


PLAIN = Appearance()


@lru_cache(maxsize=16)
def _shown(look: Appearance, width: int) -> tuple[Column, ...]:
    """Return the columns of a look, cached because each row needs them."""
    away = {"since"} if look.mode is TimeMode.ABOVE and not look.chosen else set[str]()
    if look.laneless:
        away |= {"lane"}
    if not look.marked:
        away |= {"mark", "finding"}
    found = [column for column in columns(width, look.chosen) if column.name not in away]
    return tuple(_MINUTES if column is _SECONDS and look.mode is TimeMode.CLOCK else column for column in found)


@lru_cache(maxsize=16)
def _extra(look: Appearance, width: int) -> frozenset[str]:
    names = {column.name for column in _shown(look, width)}
    return frozenset(name for name in names if name in _EXTRA or name.startswith(FIELD))


def seconds(nanoseconds: int) -> str:
    """Format a duration in seconds with three places, `12.345` or `-0.001`; from an hour on `1:02:03.456`."""
    milliseconds = round(abs(nanoseconds) / 1e6)
    sign = "-" if nanoseconds < 0 and milliseconds else ""
    if milliseconds < 3_600_000:
        return f"{sign}{milliseconds // 1000}.{milliseconds % 1000:03}"
    whole, rest = divmod(milliseconds, 1000)
    return f"{sign}{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}.{rest:03}"


def since(nanoseconds: int) -> str:
    """Format a difference of times: `+31ms`, `-2.0s`."""
    return ("+" if nanoseconds >= 0 else "-") + text.human_duration(abs(nanoseconds)).replace(" ", "")
