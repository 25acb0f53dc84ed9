"""Each fault of `python -m benchmarks.faults` on a small scale: survived and reported."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.faulted import Row
from benchmarks.faults import FAULTS

_SLOW = {"hung_up", "killed", "zip_bombs"}
"""Faults of which a quicker test exists: of a terminal, of a process, of a compressed body."""


@pytest.mark.parametrize(
    "fault",
    [pytest.param(fault, marks=pytest.mark.slow if fault.__name__ in _SLOW else ()) for fault in FAULTS],
    ids=lambda fault: fault.__name__,
)
def test_fault_is_survived(fault: Callable[[Path, bool], Row], tmp_path: Path) -> None:
    row = fault(tmp_path, True)
    assert row.survived, str(row)
