"""What runs below a child, as /proc tells it; and nothing where it tells nothing."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from inspector.transports.process_tree import processes_of
from tests.waiting import until

_TREE = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")
async def test_a_child_and_what_it_has_started_are_told_with_their_commands() -> None:
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", _TREE, stdin=asyncio.subprocess.PIPE)
    try:
        await until(lambda: len(processes_of(child.pid)) == 2, "the child had a child")
        top, below = processes_of(child.pid)
        assert top.pid == child.pid
        assert below.argv[-1] == "input()"
        assert top.cpu_s >= 0
    finally:
        assert child.stdin is not None
        child.stdin.close()
        await child.wait()
    assert processes_of(child.pid) == ()


def _made(proc: Path, pid: int, parent: int, *, state: str = "S", name: str = "x", children: str | None = None) -> None:
    place = proc / str(pid)
    (place / "task" / str(pid)).mkdir(parents=True)
    (place / "stat").write_text(f"{pid} ({name}) {state} {parent} " + "0 " * 9 + "150 50 " + "0 " * 30)
    (place / "cmdline").write_bytes(f"{name}\0--go\0".encode())
    if children is not None:
        (place / "task" / str(pid) / "children").write_text(children)


def test_where_the_kernel_names_no_children_their_parents_are_asked(tmp_path: Path) -> None:
    _made(tmp_path, 10, 1, name="a) S 99 (b")
    _made(tmp_path, 11, 10)
    _made(tmp_path, 12, 11)
    _made(tmp_path, 13, 10, state="Z")
    _made(tmp_path, 14, 1)
    (tmp_path / "notes").touch()
    found = processes_of(10, tmp_path)
    assert [each.pid for each in found] == [10, 11, 12]
    assert found[0].name == "a) S 99 (b"
    assert found[0].argv == ("a) S 99 (b", "--go")
    assert found[0].cpu_s == 200 / os.sysconf("SC_CLK_TCK")


def test_where_it_names_them_nobody_else_is_asked(tmp_path: Path) -> None:
    _made(tmp_path, 10, 1, children="11 ")
    _made(tmp_path, 11, 10, children="")
    _made(tmp_path, 12, 10)
    assert [each.pid for each in processes_of(10, tmp_path)] == [10, 11]


@pytest.mark.parametrize("stat", ["", "10", "10 (x) S", "nonsense"])
def test_what_can_not_be_read_is_left_out(tmp_path: Path, stat: str) -> None:
    assert processes_of(10, tmp_path) == ()
    _made(tmp_path, 10, 1, children="x y")
    (tmp_path / "10" / "stat").write_text(stat)
    assert processes_of(10, tmp_path) == ()
