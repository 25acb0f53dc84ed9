"""`mcp-inspect diff` of what servers offer: recorded, saved, and running now."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.surfaces.changes import SurfaceDiff
from inspector.capture.surfaces.lock_file import save
from inspector.cli.exit_status import ExitStatus
from inspector.cli.surface_diff import FAILS, fails
from tests.capture.surfaces.offered import SHOP, shop
from tests.captures.record import sample
from tests.cli.running import inspect, scripted

LIGHTHOUSE = str(sample("lighthouse"))
_TOOL: dict[str, Any] = {"name": "buy", "description": "Buys.", "inputSchema": {"type": "object"}}
_NARROWER = {**_TOOL, "description": "Buys\x1b[31m much.", "inputSchema": {"type": "object", "required": ["what"]}}


def _server(*tools: Any) -> tuple[str, ...]:
    return tuple(scripted({"tools/list": {"result": {"tools": list(tools)}}}, capabilities={"tools": {}}))


def test_two_servers_are_compared_and_what_is_hostile_in_them_does_not_act() -> None:
    ran = inspect("diff", shlex.join(_server(_TOOL)[1:]), *_server(_NARROWER))
    assert ran.status == ExitStatus.FINDINGS
    assert "1 breaking, 1 warning; 1 thing on both sides" in ran.stdout
    assert "inputSchema.required.what: what is required now" in ran.stdout
    assert "Buys[␛[31m much]." in ran.stdout
    assert "\x1b" not in ran.stdout


@pytest.mark.parametrize(
    ("on", "status"), [("breaking", 0), ("warning", 0), ("info", 1), ("any", 1), ("never", 0), (None, 1)]
)
def test_fail_on_says_from_what_on_it_fails(tmp_path: Path, on: str | None, status: int) -> None:
    save(tmp_path / "a.json", shop())
    save(tmp_path / "b.json", shop(tools=[*SHOP["tools"], {"name": "more"}]))
    words = ("--fail-on", on) if on else ()
    assert inspect("diff", *words, str(tmp_path / "a.json"), str(tmp_path / "b.json")).status == status
    assert not any(fails(SurfaceDiff(), each) for each in FAILS)


def test_a_capture_differs_in_nothing_from_its_own_lock_file(tmp_path: Path) -> None:
    lock = str(tmp_path / "a.json")
    assert inspect("surface", "-o", lock, LIGHTHOUSE).status == 0
    ran = inspect("diff", "--json", LIGHTHOUSE, lock)
    assert (ran.status, ran.data["changes"]) == (0, [])
    assert ran.data["before"]["hash"] == ran.data["after"]["hash"]
    assert (ran.data["before"]["kind"], ran.data["after"]["kind"]) == ("capture", "surface")


def test_two_captures_are_compared_by_their_operations_unless_the_surface_is_wanted() -> None:
    assert inspect("diff", LIGHTHOUSE, LIGHTHOUSE).stdout == "No difference: 26 the same.\n"
    for words in (("--surface",), ("--fail-on", "any"), ("--markdown",)):
        assert "no difference;" in inspect("diff", *words, LIGHTHOUSE, LIGHTHOUSE).stdout
    ran = inspect("diff", "--surface", "--only", "x", LIGHTHOUSE, LIGHTHOUSE)
    assert (ran.status, "--only" in ran.stderr) == (ExitStatus.USAGE, True)


def test_a_server_that_cannot_be_reached_gives_its_own_status(tmp_path: Path) -> None:
    save(tmp_path / "a.json", shop())
    ran = inspect("diff", str(tmp_path / "a.json"), "--", sys.executable, "-c", "raise SystemExit(3)")
    assert (ran.status, ran.stdout) == (ExitStatus.UNREACHABLE, "")


def test_sessions_of_what_is_no_capture_are_refused(tmp_path: Path) -> None:
    save(tmp_path / "a.json", shop())
    ran = inspect("diff", "--sessions", str(tmp_path / "a.json"), LIGHTHOUSE)
    assert (ran.status, "is no capture" in ran.stderr) == (ExitStatus.USAGE, True)
    assert json.loads((tmp_path / "a.json").read_text())["format"] == "mcp-surface"
