"""Verification of a capture against itself: are all observed bytes in the file, and unchanged?

The streams are rebuilt from the records and compared with the digests that were taken at the wire. This finds loss
and damage, not forgery: an edit of a frame can update its digests too.
"""

import hashlib
import os
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

import msgspec

from inspector.atomic_write import whole_file
from inspector.capture.format.file import being_written, demand_place, make_private_directory
from inspector.capture.format.lines import Tell, blocks, ignore_progress, open_for_reading, read_at
from inspector.capture.format.reader import LOOKS_AT, is_newer_minor, read_head
from inspector.capture.format.records import (
    KNOWN,
    MADE_BY_PROXY,
    NO_CREDENTIALS,
    EditRecord,
    EndRecord,
    FrameRecord,
    GapRecord,
    Head,
    Record,
    SumRecord,
    entry_of,
    from_line,
    to_line,
    type_of,
)
from inspector.capture.format.writer import Digests
from inspector.errors import CaptureError, UsageError
from inspector.protocol.frames import Channel, Direction, Frame

INTERFERING = frozenset({"modify", "drop", "answer", "fault"})
"""Proxy actions after which a party sees something that the other party did not write."""
MOST_FAULTS = 100
"""Limit of faults that are listed individually."""


class CaptureState(StrEnum):
    """State of a capture: the first one that applies."""

    DAMAGED = "damaged"
    """Damaged or modified, or data was never written."""
    RECORDING = "recording"
    """Another process records into it; the data so far is valid."""
    TRUNCATED = "truncated"
    """The end record is missing; the data is valid."""
    REDACTED = "redacted"
    """A complete copy without secrets, which proves nothing about the original traffic."""
    COMPLETE = "complete"


class FirstBad(msgspec.Struct, frozen=True):
    """First line that is invalid."""

    line: int
    """Line number, from 1."""
    byte: int
    """Offset of the line in bytes, from 0."""
    why: str


class VerifyResult(msgspec.Struct, frozen=True, kw_only=True):
    frames: int
    """Number of frames in the file."""
    covered: int
    """Number of frames covered by a digest: fewer than all if the capture was cut, none in a redacted copy."""
    complete: bool
    """Whether the end record exists and matches all lines before it."""
    faults: tuple[str, ...]
    """Faults, one sentence each, at most MOST_FAULTS."""
    fault_count: int = 0
    first_bad: FirstBad | None = None
    partial_bytes: int = 0
    """Length of a last line without a line end; 0 if it has one."""
    redacted: bool = False
    clean: bool = False
    """Whether the end record says that the capture was closed."""
    recording: bool = False
    unknown: dict[str, int] = {}
    """Number of records by unknown type. They are not a fault."""
    edited: int = 0
    """Messages that a proxy changed, dropped, delayed or answered on purpose, so that one party saw something else."""
    newer: bool = False
    """Whether the format has a later minor version than this mcp-inspect supports."""

    @property
    def state(self) -> CaptureState:
        """Overall state."""
        if self.fault_count:
            return CaptureState.DAMAGED
        if self.recording:
            return CaptureState.RECORDING
        if not self.complete or not self.clean:
            return CaptureState.TRUNCATED
        return CaptureState.REDACTED if self.redacted else CaptureState.COMPLETE


class Recovered(msgspec.Struct, frozen=True):
    """Result of a recovery."""

    records: int
    """Number of lines copied, including the head."""
    copied: int
    """Number of bytes copied."""
    not_copied: int
    """Bytes of the original that are not in the copy."""
    line: int | None
    """First line that could not be read, from 1; None if all could."""
    partial: bool
    """Whether that line has no line end."""
    complete: bool
    """Whether the original has an end record, which was copied."""
    recording: bool
    """Whether another process was recording into it."""


def verify(path: Path, tell: Tell = ignore_progress) -> VerifyResult:
    """Verify a capture. `tell` is called from time to time with the bytes done and the total bytes.

    Raises: CaptureError if it can't be read.
    """
    fd = open_for_reading(path)
    try:
        check = _Check(read_head(fd, path), recording=being_written(fd))
        size = os.fstat(fd).st_size
        for block in blocks(lambda place, length: read_at(fd, place, length)):
            place = block.place
            for line in block.lines:
                check.line(line, block.whole, place)
                place += len(line) + 1
            tell(block.end, size)
        return check.verdict()
    finally:
        os.close(fd)


class _Check:
    """State of a verification, updated line by line."""

    def __init__(self, head: Head, *, recording: bool) -> None:
        self._head = head
        self._recording = recording
        self._redacted = head.redaction.on != "none" and head.redaction.policy != NO_CREDENTIALS
        self._digests = Digests()
        self._all = hashlib.sha256()
        self._number = self._place = self._converted = 0
        self._frames = 0
        self._covered: dict[tuple[Direction, Channel], int] = {}
        self._complete = self._clean = False
        self._faults: list[str] = []
        self._fault_count = 0
        self._first: FirstBad | None = None
        self._torn = 0
        self._unknown: Counter[str] = Counter()
        self._blind = False
        self._counts: Counter[str] = Counter()
        self._edited: set[int] = set()

    def line(self, line: bytes, whole: bool, place: int) -> None:
        self._number += 1
        self._place = place
        self._converted += line.endswith(b"\r")
        self._complete = self._clean = False
        try:
            record = from_line(line)
        except ValueError:
            self._unread(line, whole)
        else:
            self._record(record)
            self._counts[str(record.__struct_config__.tag)] += 1
        if not whole:
            self._torn, self._complete, self._clean = len(line), False, False
            return
        self._all.update(line)
        self._all.update(b"\n")

    def verdict(self) -> VerifyResult:
        return VerifyResult(
            frames=self._frames,
            covered=0 if self._redacted else sum(self._covered.values()),
            complete=self._complete,
            faults=tuple(self._faults),
            fault_count=self._fault_count,
            first_bad=self._first,
            partial_bytes=self._torn,
            redacted=self._redacted,
            clean=self._clean,
            recording=self._recording,
            unknown=dict(self._unknown),
            edited=len(self._edited),
            newer=is_newer_minor(self._head.v),
        )

    def _fault(self, sentence: str) -> None:
        self._fault_count += 1
        if self._first is None:
            self._first = FirstBad(self._number, self._place, sentence)
        if len(self._faults) < MOST_FAULTS:
            self._faults.append(sentence)

    def _unread(self, line: bytes, whole: bool) -> None:
        kind = type_of(line)
        if not whole:
            return
        if kind is None or kind in KNOWN:
            self._fault(f"Line {self._number} can't be read.")
        elif kind[:40] in self._unknown or len(self._unknown) < MOST_FAULTS:
            self._unknown[kind[:40]] += 1

    def _record(self, record: Record) -> None:
        match record:
            case FrameRecord():
                self._frame(record)
            case EditRecord():
                if record.act in INTERFERING:
                    self._edited.add(record.of)
            case SumRecord():
                self._sum(record)
            case GapRecord():
                self._blind = True
                self._fault(f"Line {self._number} is a gap: {record.lost_frames} records were not written.")
            case EndRecord():
                self._end(record)
            case _:
                pass

    def _frame(self, record: FrameRecord) -> None:
        self._frames += 1
        try:
            frame = entry_of(record, self._frames).what
        except ValueError:
            self._fault(f"Line {self._number} has no payload: it is in another file, which is not read.")
            return
        assert isinstance(frame, Frame)
        if record.len not in (None, len(frame.payload)):
            self._fault(f"Line {self._number} has a payload of {len(frame.payload)} bytes and says {record.len}.")
        if not self._redacted and record.origin not in MADE_BY_PROXY:
            self._digests.take(frame)

    def _sum(self, recorded: SumRecord) -> None:
        """Compare a recorded digest.

        After a gap no stream is complete, so later digests are invalid. In a redacted copy all of them are.
        """
        if self._blind or self._redacted:
            return
        found = self._digests.sum(recorded.dir, recorded.ch, recorded.c)
        if found == recorded:
            self._covered[recorded.dir, recorded.ch] = found.frames
        else:
            self._fault(
                f"At line {self._number}, {recorded.frames} frames with {recorded.bytes} bytes had crossed "
                f"{recorded.ch}, but the file has {found.frames} with {found.bytes}, or other bytes."
            )

    def _end(self, end_record: EndRecord) -> None:
        self._complete = end_record.sha256 == self._all.hexdigest()
        self._clean = end_record.clean
        known = Counter({kind: count for kind, count in end_record.counts.items() if kind in KNOWN})  # 0 means missing
        if self._complete and known != self._counts:
            self._fault("The last line counts other records than there are: it was changed.")
        if not self._complete and self._converted == self._number:
            self._fault("All lines end with CR LF: something converted the line ends, such as git with core.autocrlf.")
        elif not self._complete:
            self._fault("The last line does not fit the lines before it: something was changed, added or taken out.")


# Recovery of a capture that was cut or damaged: everything before the damage, byte by byte, and an end record.


def recover(path: Path, out: Path, *, overwrite: bool = False, tell: Tell = ignore_progress) -> Recovered:
    """Write the valid beginning of a capture to a new file with mode 0600. `tell` receives the progress.

    Raises: CaptureError if there is no valid beginning; UsageError if the file can't be written.
    """
    fd = open_for_reading(path)
    try:
        read_head(fd, path)
        if b"\n" not in read_at(fd, 0, LOOKS_AT):
            raise CaptureError(f"{path} holds a head and no entry: there is nothing to save", hint="Record it again.")
        demand_place(out, path, overwrite=overwrite)
        make_private_directory(out.parent)
        with whole_file(out, overwrite=overwrite) as made:
            return _Copy(made.file).run(fd, tell)
    except OSError as error:
        raise UsageError(f"{out} can't be written: {error.strerror}", hint="Name another file.") from None
    finally:
        os.close(fd)


class _Copy:
    """A recovery in progress."""

    def __init__(self, target: BinaryIO) -> None:
        self._target = target
        self._digest = hashlib.sha256()
        self._counts: Counter[str] = Counter()
        self._kept = 0
        self._ended = False

    def run(self, fd: int, tell: Tell) -> Recovered:
        size, grows = os.fstat(fd).st_size, being_written(fd)
        bad, torn = None, False
        number = 0
        for block in blocks(lambda at, most: read_at(fd, at, min(most, size - at))):
            for line in block.lines:
                number += 1
                if not block.whole or not self._take(line):
                    bad, torn = number, not block.whole
                    break
            if bad is not None:
                break
            tell(block.end, size)
        records = number - (bad is not None)
        kept = self._kept
        if not self._ended:
            self._target.write(
                to_line(EndRecord(counts=dict(self._counts), sha256=self._digest.hexdigest(), clean=False))
            )
        return Recovered(records, kept, size - kept, bad, torn, self._ended, grows)

    def _take(self, line: bytes) -> bool:
        """Copy a line if this or a later version can read it; return whether it was copied."""
        try:
            record = from_line(line)
        except ValueError:
            kind = type_of(line)
            if kind is None or kind in KNOWN:
                return False
            self._counts["unknown"] += 1
            self._ended = False
        else:
            self._counts[str(record.__struct_config__.tag)] += 1
            self._ended = isinstance(record, EndRecord) and record.sha256 == self._digest.hexdigest()
        self._digest.update(line + b"\n")
        self._target.write(line + b"\n")
        self._kept += len(line) + 1
        return True
