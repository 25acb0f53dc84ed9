"""What the conformance suite prints, read: no run that failed, warned, hung or did nothing counts as passed."""

import asyncio
from pathlib import Path

import pytest

from tests.conformance import suite
from tests.conformance.__main__ import table
from tests.conformance.suite import Run, SetRun, judged, listed, scored
from tests.servers.real import NotInstalled
from tests.waiting import PATIENCE_S

OLD, NEW = "2025-11-25", "2026-07-28"
LIST = """Client scenarios (test against a client):
  - initialize [2025-06-18,2025-11-25]
  - auth/dpop [extension]
  - auth/older [2025-03-26]

Server scenarios (test against a server):
"""
PASSED = "Passed: 12/12, 0 failed, 0 warnings\n\n✅ OVERALL: PASSED\n"
SET = """✓ initialize: 1 passed, 0 failed
✗ tools_call: 1 passed, 1 failed
✓ auth/dpop: 12 passed, 0 failed

Not scored for 2025-11-25: 1 scenario(s) run, 0 failing. These do not affect conformance.
  ✓ auth/dpop (extension)
"""


def test_scenarios_are_read_from_the_list_with_the_wires_to_run_them_at() -> None:
    scenarios = listed(LIST)
    assert [each.name for each in scenarios] == ["initialize", "auth/dpop", "auth/older"]
    assert [each.wires((OLD, NEW)) for each in scenarios] == [(OLD,), (OLD, NEW), ("",)]


def test_a_run_without_a_blemish_passes() -> None:
    assert judged("one", OLD, 0, PASSED) == Run("one", OLD, 12, "", PASSED)


@pytest.mark.parametrize(
    ("status", "output", "why"),
    [
        (None, PASSED, "not over after 60 s"),
        (1, PASSED, "exit status 1"),
        (0, PASSED.replace("PASSED", "FAILED"), "exit status 0, or a time-out"),
        (0, PASSED.replace("0 failed", "2 failed"), "2 failed, 0 warnings"),
        (0, PASSED.replace("0 warnings", "1 warnings"), "0 failed, 1 warnings"),
        (0, PASSED.replace("12/12", "0/0"), "never got there"),
        (0, "SKIPPED", "no verdict"),
    ],
)
def test_everything_else_is_a_failure_with_its_reason(status: int | None, output: str, why: str) -> None:
    assert why in judged("one", OLD, status, output).why


def test_a_set_is_split_into_what_is_scored_and_what_is_not() -> None:
    run = scored(OLD, 0, SET)
    assert run.scored == (("initialize", True), ("tools_call", False))
    assert run.not_scored == (("auth/dpop", True),)
    assert not run.is_good
    assert scored(OLD, 0, SET.replace("1 failed", "0 failed")).is_good


@pytest.mark.parametrize(("status", "output"), [(1, SET.replace("1 failed", "0 failed")), (None, ""), (0, "")])
def test_a_set_that_broke_off_or_printed_nothing_is_not_good(status: int | None, output: str) -> None:
    assert not scored(OLD, status, output).is_good


def test_the_table_has_a_column_a_revision_and_what_failed_below_it() -> None:
    runs = [Run("one", OLD, 3), Run("one", NEW, 4), Run("two", NEW, 1, "2 failed, 0 warnings", "the whole output")]
    lines = table(runs, [SetRun(OLD, (("one", True),), ())], (OLD, NEW))
    assert lines[1].split() == ["one", "ok", "3", "ok", "4"]
    assert lines[2].split() == ["two", "·", "FAILED"]
    assert "strict: 1 of 2 scenarios, 3 runs" in lines
    assert f"requirements {OLD}: 1/1 scored, 0/0 not scored" in lines
    assert lines[-2:] == [f"\n✗ two at {NEW}: 2 failed, 0 warnings", "the whole output"]


async def test_a_suite_that_does_not_end_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = tmp_path / "conformance" / "node_modules" / ".bin" / "node"
    binary.parent.mkdir(parents=True)
    binary.write_text("#!/bin/sh\necho started\nsleep 600 &\nwait\n")
    binary.chmod(0o755)
    monkeypatch.setattr(suite, "PLACE", tmp_path)
    monkeypatch.setattr(suite, "ONE_S", 0.3)
    run = await asyncio.wait_for(suite.run_one("one", OLD), PATIENCE_S)
    assert (run.why, run.output) == ("not over after 0.3 s", "started\n")


def test_a_suite_that_is_not_installed_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    with pytest.raises(NotInstalled, match=r"tests\.servers\.real\.install"):
        suite.revisions(tmp_path)
