"""Checking a capture against itself: are all bytes that were observed in the file, and unchanged?

The streams are built again from the records and compared with the digests that were taken at the wire. It finds
loss and damage, not forgery: whoever changes a frame on purpose can change the digests too.
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from inspector.capture.digests import Digests
from inspector.capture.entries import entry_of
from inspector.capture.lines import lines, open_for_reading, read_head
from inspector.capture.records import (
    KNOWN,
    NO_CREDENTIALS,
    EndRecord,
    FrameRecord,
    GapRecord,
    Record,
    SumRecord,
    from_line,
    type_of,
)
from inspector.capture.window import read_at
from inspector.protocol.frames import Channel, Direction, Frame


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check found."""

    frames: int
    """Frames in the file."""
    covered: int
    """How many of them a digest vouches for: fewer than all if the capture was cut."""
    complete: bool
    """Whether the last line is there and fits all lines before it."""
    faults: tuple[str, ...]
    """What does not fit, a sentence each; nothing if all does."""


def verify(path: Path) -> Verdict:
    """Check a capture.

    Raises: CaptureError if it can't be read.
    """
    fd = open_for_reading(path)
    try:
        head = read_head(fd, path)
        check = _Check()
        if head.redaction.on != "none" and head.redaction.policy != NO_CREDENTIALS:
            check.fault("It is a redacted copy, which can't be verified: verify the original.")
        else:
            for _, line, whole in lines(lambda place, length: read_at(fd, place, length)):
                check.line(line, whole)
        return check.verdict()
    finally:
        os.close(fd)


class _Check:
    """The state of a check, line by line."""

    def __init__(self) -> None:
        self._digests = Digests()
        self._all = hashlib.sha256()
        self._number = 0
        self._frames = 0
        self._covered: dict[tuple[Direction, Channel], int] = {}
        self._complete = False
        self._faults: list[str] = []
        self._blind = False

    def line(self, line: bytes, whole: bool) -> None:
        self._number += 1
        self._complete = False
        try:
            self._record(from_line(line))
        except ValueError:
            if whole and (type_of(line) or "frame") in KNOWN:
                self.fault(f"Line {self._number} can't be read.")
        self._all.update(line)
        self._all.update(b"\n")

    def fault(self, sentence: str) -> None:
        self._faults.append(sentence)

    def verdict(self) -> Verdict:
        return Verdict(self._frames, sum(self._covered.values()), self._complete, tuple(self._faults))

    def _record(self, record: Record) -> None:
        match record:
            case FrameRecord():
                self._frames += 1
                frame = entry_of(record, self._frames).what
                if isinstance(frame, Frame):
                    self._digests.take(frame)
            case SumRecord():
                self._sum(record)
            case GapRecord():
                self._blind = True
                self.fault(f"Line {self._number} tells of a gap: {record.lost_frames} records were never written.")
            case EndRecord():
                self._end(record)
            case _:
                pass

    def _sum(self, told: SumRecord) -> None:
        """After a gap no stream can be whole, so its digests say nothing any more."""
        if self._blind:
            return
        found = self._digests.sum(told.dir, told.ch, told.c)
        if found == told:
            self._covered[told.dir, told.ch] = found.frames
        else:
            self.fault(
                f"At line {self._number}, {told.frames} frames with {told.bytes} bytes had crossed {told.ch}, "
                f"but the file holds {found.frames} with {found.bytes}, or other bytes."
            )

    def _end(self, told: EndRecord) -> None:
        self._complete = told.sha256 == self._all.hexdigest()
        if not self._complete:
            self.fault("The last line does not fit the lines before it: something was changed, added or taken out.")
