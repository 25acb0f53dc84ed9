"""SetAside: a check that failed by a mistake of this program. It is not asked again, and the others go on.

A check reads what a server sent, in every shape there is; one that was not foreseen must cost that check alone.
"""

from pathlib import PurePath

import msgspec

LEARNING = "what is learned of the entries"
"""In place of a check's id: what all checks share failed at an entry, which they then know nothing of."""


class SetAside(msgspec.Struct, frozen=True):
    """What failed, where, and at which entry."""

    check: str
    """Its id, or `LEARNING`."""
    error: str
    """Kind and words of the exception; may quote what a server sent."""
    where: str
    """File and line: "results.py:41"."""
    n: int
    """The entry that it was asked about."""

    @property
    def sentence(self) -> str:
        """What a person should know, and do. Foreign text in it is as it came."""
        what = self.check if self.check == LEARNING else f"check {self.check}"
        return f"{what} failed inside at #{self.n}: {self.error} ({self.where}); the others go on: please report it"


def set_aside(check: str, n: int, error: Exception) -> SetAside:
    """Make a record of what has failed."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{PurePath(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace is not None else "nowhere"
    return SetAside(check, f"{type(error).__name__}: {error}"[:300], where, n)
