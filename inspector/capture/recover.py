"""What can be had of a capture that was cut or damaged: all that stands before the damage, byte by byte, and an end.

Nothing is mended. What stands behind the first line that can't be read is left where it is, because nobody can say
what is missing between.
"""

import hashlib
import os
from collections import Counter
from pathlib import Path
from typing import BinaryIO

import msgspec

from inspector.capture.foreign import LOOKS_AT
from inspector.capture.lines import Tell, blocks, open_for_reading, read_head, tell_nobody
from inspector.capture.opening import being_written, demand_place, make_private_directory
from inspector.capture.records import KNOWN, EndRecord, from_line, to_line, type_of
from inspector.capture.window import read_at
from inspector.errors import CaptureError, UsageError
from inspector.whole import whole_file


class Recovered(msgspec.Struct, frozen=True):
    """What became of it."""

    records: int
    """Lines that were copied, the head included."""
    kept: int
    """Their bytes."""
    left: int
    """Bytes of the original that are not in the copy."""
    line: int | None
    """The first line that could not be read, from 1; None if all could."""
    torn: bool
    """Whether that line had no end."""
    whole: bool
    """Whether the original had its own end, which was copied."""
    grows: bool
    """Whether somebody was recording into it."""


def recover(path: Path, out: Path, *, overwrite: bool = False, tell: Tell = tell_nobody) -> Recovered:
    """Write the clean beginning of a capture to a file of its own, 0600. `tell` hears how far it is.

    Raises: CaptureError if there is no beginning to read; UsageError if the file can't be written.
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
    """A file on its way."""

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
        """Copy a line that can be read, or that a later program can; whether it could."""
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
