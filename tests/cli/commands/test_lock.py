"""`mcp-inspect lock`: what a server offers, the same bytes at each time."""

import json
from pathlib import Path
from typing import Any

from inspector.cli.exit_status import ExitStatus
from tests.captures.record import sample
from tests.cli.running import demo, inspect, scripted


def test_lock_writes_all_lists_alike_each_time(tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    ran = inspect("lock", "-o", str(one), *demo("--legacy-only"))
    assert (ran.status, ran.stdout) == (0, "")
    assert f"wrote {one}:" in ran.stderr
    assert inspect("lock", "-q", "-o", str(other), *demo("--legacy-only")).stderr == ""
    assert one.read_bytes() == other.read_bytes()
    document = json.loads(one.read_text())
    assert all(document[kind] for kind in ("tools", "resources", "templates", "prompts"))


def test_lock_without_file_writes_to_stdout() -> None:
    ran = inspect("lock", str(sample("lighthouse")))
    assert (ran.status, ran.data["format"], ran.data["version"]) == (0, "mcp-lock", 1)


def test_lock_of_a_refused_list_has_null() -> None:
    script: dict[str, Any] = {"tools/list": {"error": {"code": -32000, "message": "not today"}}}
    ran = inspect("lock", *scripted(script, capabilities={"tools": {}, "prompts": {}}))
    assert (ran.status, ran.data["tools"], ran.data["resources"]) == (ExitStatus.TOOL_ERROR, None, [])
    assert "not today" in ran.stderr
    gone = inspect("lock", *scripted({}, capabilities={"prompts": {}}))
    assert (gone.status, gone.data["prompts"]) == (0, None), "a method that does not exist is no failure"


def test_lock_of_other_files_is_refused(tmp_path: Path) -> None:
    ran = inspect("lock", __file__)
    assert (ran.status, ran.stdout) == (ExitStatus.USAGE, "")
    assert inspect("lock").status == ExitStatus.USAGE
    assert inspect("lock", "-o", str(tmp_path / "no" / "a"), str(sample("lighthouse"))).status == ExitStatus.USAGE
