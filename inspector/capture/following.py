"""A capture that somebody may still be recording: read as far as it goes, then on, until nobody writes any more.

A last line without its end is waited for. A file that gets shorter, or that another one takes the place of, is the end
and is said.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from inspector.capture.lines import Line, lines
from inspector.capture.load import Loading
from inspector.capture.opening import being_written


class Following(Loading):
    """A capture that grows.

    Raises (when made): CaptureError if the file is no capture or must not be read.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._path = path
        self._place = 0
        """Behind the last whole line."""
        self.why = ""
        """Why nothing more will come; "" while something may."""

    def follow(self) -> bool:
        """Take in what is there by now; False once nothing more will come, and `why` says so."""
        if self.why:
            return False
        why = self._ending()  # asked before reading: what was written until then is read
        self._take_lines(self._whole_lines())
        self.why = why
        return not why

    def _whole_lines(self) -> Iterator[Line]:
        start = self._place
        for place, line, whole in lines(lambda place, length: self._source.read(start + place, length)):
            if not whole:
                return
            self._place = start + place + len(line) + 1
            yield start + place, line, whole

    def _ending(self) -> str:
        try:
            size = os.fstat(self._source.fd).st_size
            now = os.stat(self._path)
        except OSError as error:
            return f"the capture can't be looked at any more: {error.strerror}"
        if size < self._place:
            return "the capture was cut while it was read"
        if now.st_ino != os.fstat(self._source.fd).st_ino:
            return "another file has taken the place of the capture"
        return "" if being_written(self._source.fd) else "nobody records into the capture any more"
