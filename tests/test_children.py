"""The guard against processes left behind: it sees a child and an orphan, and lets the dead and the old be."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.children import alive_since, end, pids
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.skipif(not pids(), reason="the guard reads /proc")

Child = subprocess.Popen  # noqa: TID251 - the guard is tested on a process that no transport started

_STAYS = "import sys; print('up', flush=True); sys.stdin.read()"
_LEAVES_ONE_BEHIND = f"""
import subprocess, sys
quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
child = subprocess.Popen([sys.executable, "-c", {_STAYS!r}], stdin=sys.stdin, **quiet)
print(child.pid, flush=True)
"""


@pytest.fixture
def child() -> Iterator[Child[bytes]]:
    with Child([sys.executable, "-c", _STAYS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        yield process


def test_a_child_that_outlives_its_grace_is_named_and_killed(child: Child[bytes], home: Path) -> None:
    found = alive_since(pids() - {child.pid}, home)
    assert [process.pid for process in found] == [child.pid]
    assert end(found, grace_ms=0) == [f"{child.pid} {found[0].command}"]
    assert child.wait(10) == -signal.SIGKILL


def test_a_child_that_goes_by_itself_is_no_fault(child: Child[bytes], home: Path) -> None:
    found = alive_since(pids() - {child.pid}, home)
    child.communicate()
    assert end(found) == []
    assert alive_since(pids() - {child.pid}, home) == []


def test_a_child_that_was_there_before_is_not_this_tests(child: Child[bytes], home: Path) -> None:
    assert child.pid in pids()
    assert child.pid not in {process.pid for process in alive_since(pids(), home)}


def test_an_orphan_is_known_by_the_home_it_inherited(home: Path) -> None:
    before = pids()
    end_of_input, keeps_it_alive = os.pipe()
    try:
        argv = [sys.executable, "-c", _LEAVES_ONE_BEHIND]
        parent = subprocess.run(argv, stdin=end_of_input, capture_output=True, check=True, timeout=PATIENCE_S)
        orphan = int(parent.stdout.split()[0])
        assert orphan in {process.pid for process in alive_since(before, home)}
    finally:
        os.close(end_of_input)
        os.close(keeps_it_alive)
