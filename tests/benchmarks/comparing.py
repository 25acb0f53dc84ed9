"""How long it takes to compare two long captures: read, told operation by operation, aligned, and held side by side."""

import time
from pathlib import Path

from inspector.capture.compare.differences import compare
from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import Accounts, accounts
from inspector.capture.load import load
from tests.benchmarks import captures

FRAMES = 100_000


def make(place: Path) -> tuple[Path, Path]:
    """Two captures, alike but for what every second answer says, so that half of them must be looked into."""
    before, after = place / "before.mcpcap", place / "after.mcpcap"
    captures.make(before, FRAMES)
    after.write_bytes(before.read_bytes().replace(b'y\\"', b'z\\"'))
    return before, after


def seconds(before: Path, after: Path) -> tuple[float, int]:
    """The processor's seconds for all of it, and how many operations differ."""
    began = time.process_time()
    found = compare(_told(before), _told(after), Normal())
    return time.process_time() - began, sum(bool(row.changes) for row in found.rows)


def seconds_of_reading(before: Path, after: Path) -> float:
    """The same for reading both, and nothing else: nobody compares what he has not read."""
    began = time.process_time()
    for path in (before, after):
        load(path).close()
    return time.process_time() - began


def _told(path: Path) -> Accounts:
    journal = load(path)
    try:
        return accounts(journal)
    finally:
        journal.close()
