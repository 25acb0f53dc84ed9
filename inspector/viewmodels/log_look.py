"""How a reader wants to see the traffic: in which columns, and by which clock. Rows are laid out by it."""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from inspector.capture.store import Store
from inspector.viewmodels import columns, signs, text
from inspector.viewmodels.roles import Span


class TimeMode(StrEnum):
    """What the column of times tells."""

    CLOCK = "clock"
    """The time of day."""
    START = "start"
    """Seconds since the capture began."""
    ABOVE = "above"
    """How long after the row above."""
    REFERENCE = "reference"
    """Seconds since the entry that the reader has set."""


_TITLES = {TimeMode.START: "start", TimeMode.ABOVE: "above", TimeMode.REFERENCE: "#{}"}
"""What times count from."""


class Look(msgspec.Struct, frozen=True):
    """One reader's choice."""

    chosen: tuple[str, ...] = ()
    """Names of columns, from left to right; empty: the width decides."""
    mode: TimeMode = TimeMode.CLOCK
    started_ns: int = 0
    """When the capture began, by the clock of its entries."""
    reference: int = 0
    """The entry that times count from in that mode; 0 for none."""
    reference_ns: int = 0

    laneless: bool = False
    """Whether there is no small waterfall, whatever the width."""
    marked: bool = False
    """Whether checks look at the messages: then their marks have a column."""

    def columns(self, width: int) -> Sequence[columns.Column]:
        """The columns for a width in cells."""
        shown = columns.columns(width, self.chosen)
        away = ({"since"} if self.mode is TimeMode.ABOVE and not self.chosen else set()) | (
            {"lane"} if self.laneless else set()
        )
        if not self.marked:
            away = away | {"mark", "finding"}
        return [column for column in shown if column.name not in away] if away else shown

    def titles(self, width: int) -> list[Span]:
        """What stands above the columns."""
        word = _TITLES.get(self.mode, "").format(self.reference)
        named = {"time": f"{'since ' + word:>12}", "seconds": f"{'of ' + word:>8}"} if word else {}
        return columns.titles(width, self.columns(width), named)

    def time(self, n: int, store: Store, previous_ns: int | None) -> Span:
        """What the column of times holds for entry n; `previous_ns`: when the row above crossed the wire."""
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

    def next_mode(self) -> "Look":
        """The same with the next way of telling times; without a reference there are three."""
        modes = [mode for mode in TimeMode if mode is not TimeMode.REFERENCE or self.reference]
        return msgspec.structs.replace(self, mode=modes[(modes.index(self.mode) + 1) % len(modes)])

    def with_reference(self, n: int, time_ns: int) -> "Look":
        """The same with times that count from entry n; 0: from none any more."""
        mode = TimeMode.REFERENCE if n else TimeMode.CLOCK
        return msgspec.structs.replace(self, mode=mode, reference=n, reference_ns=time_ns)


PLAIN = Look()


def seconds(nanoseconds: int) -> str:
    """A span in seconds with three places, `12.345` or `-0.001`; from an hour on `1:02:03.456`. For columns."""
    milliseconds = round(abs(nanoseconds) / 1e6)
    sign = "-" if nanoseconds < 0 and milliseconds else ""
    if milliseconds < 3_600_000:
        return f"{sign}{milliseconds // 1000}.{milliseconds % 1000:03}"
    whole, rest = divmod(milliseconds, 1000)
    return f"{sign}{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}.{rest:03}"


def since(nanoseconds: int) -> str:
    """How much later or earlier: `+31ms`, `-2.0s`."""
    return ("+" if nanoseconds >= 0 else "-") + text.human_duration(abs(nanoseconds)).replace(" ", "")
