"""A capture that can't be written: the work goes on, and the exit status and the last line of stderr say it."""

import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import inspect, scripted

TOOL = {"name": "t", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
SERVER = scripted({"tools/list": {"result": {"tools": [TOOL]}}, "tools/call": {"result": {"content": []}}})


@pytest.fixture(autouse=True)
def _files_of_at_most_one_kilobyte(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # importlib would store truncated files
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("command", ["list tools", "call t", "check --fail-on never", "bench --calls 9"])
def test_a_command_whose_capture_cannot_be_written_exits_with_8_and_names_it(tmp_path: Path, command: str) -> None:
    path = str(tmp_path / "a.mcpcap")
    ran = inspect(*command.split(), "--json", "--capture", path, *SERVER).exits(ExitStatus.CAPTURE, "File too large")
    assert (ran.error["code"], ran.error["capture"]) == ("capture_incomplete", path)


def test_a_failure_keeps_its_exit_status_and_has_the_notice_of_the_capture(tmp_path: Path) -> None:
    ran = inspect("call", "t", "--json", "--capture", str(tmp_path / "a.mcpcap"), *scripted({"tools/call": "death"}))
    assert ran.exits(ExitStatus.UNREACHABLE).stderr.splitlines()[-1].startswith('{"error":')
    assert "File too large" in str(ran.error["notices"])
