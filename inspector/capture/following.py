"""A capture that somebody may still be recording: read as far as it goes, then on, until nobody writes any more.

A last line without its end is waited for. A file that gets shorter, or that another one takes the place of, is the end
and is said.
"""

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from inspector.capture.lines import Block, blocks
from inspector.capture.load import Loading
from inspector.capture.opening import being_written
from inspector.capture.standing import Trouble


class Following(Loading):
    """A capture that grows.

    Raises (when made): CaptureError if the file is no capture or must not be read.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._place = 0
        """Behind the last whole line."""
        self._rest: Iterator[Block] | None = None
        """What is being taken in, a bite at a time."""
        self.caught_up = False
        """Whether all was taken in that was there at the last look."""
        self.trouble: Trouble | None = None
        """What has happened to the file, if that is why nothing more will come."""
        self.why = ""
        """Why nothing more will come; "" while something may."""

    def follow(self, most: int | None = None) -> bool:
        """Take in what is there by now, or the next lines, about so many; False once nothing more will come.

        `why` says so then.
        """
        if self.why:
            return False
        trouble = self.standing.trouble(self._place)  # asked before reading: what was written until then is read
        over = trouble is not None or not being_written(self._source.fd)
        if self._rest is None:
            self._rest = self._whole_lines()
        taken = 0
        self.caught_up = True
        for block in self._rest:
            self._take_block(block)
            self._place = block.end
            taken += len(block.lines)
            if most is not None and taken >= most:
                self.caught_up = False
                break
        if self.caught_up:
            self._rest = None
        if trouble is not None:
            self.trouble, self.why = trouble, trouble.why
        elif over and self.caught_up:
            self.why = "nobody records into the capture any more"
        return not self.why

    def finish(self) -> None:
        """After the last line: take in what is left of one that has no end, and tell what was odd about the file."""
        for block in blocks(self._source.read, self._place):
            self._take_block(block)
        self.conclude()

    def _whole_lines(self) -> Iterator[Block]:
        return takewhile(lambda block: block.whole, blocks(self._source.read, self._place))
