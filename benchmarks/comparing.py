"""Time to compare two long captures: reading, describing operations, aligning, and comparing."""

import time
from pathlib import Path

from benchmarks import captures
from inspector.capture.compare.differences import OperationVerdict, compare
from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import read_operations
from inspector.capture.store.load import load
from inspector.present.changes.captures import Names, comparison_lines

FRAMES = 100_000


def make(place: Path) -> tuple[Path, Path]:
    """Two captures, alike but for what every second answer and all progress says: each call must be looked into."""
    before, after = place / "before.mcpcap", place / "after.mcpcap"
    captures.make(before, FRAMES)
    after.write_bytes(before.read_bytes().replace(b'y\\"', b'z\\"'))
    return before, after


def seconds(before: Path, after: Path) -> tuple[float, int]:
    """The processor's seconds for all of it, as text is made of it too, and how many operations differ."""
    began = time.process_time()
    found = compare(read_operations(before).accounts, read_operations(after).accounts, Normal())
    comparison_lines(found, Names("before", "after"))
    return time.process_time() - began, found.count(OperationVerdict.DIFFERENT)


def seconds_of_reading(before: Path, after: Path) -> float:
    """The same for reading both, and nothing else: nobody compares what he has not read."""
    began = time.process_time()
    for path in (before, after):
        load(path).close()
    return time.process_time() - began
