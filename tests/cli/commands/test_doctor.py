"""`mcp-inspect doctor`: a server is examined, and what was sent for it is tagged."""

import json
import sys
from pathlib import Path

from inspector.cli.commands import doctor
from tests.cli.running import SERVERS, demo, inspect, scripted

_TOOL = {"name": "wipe", "description": "d", "inputSchema": {"type": "object"}}


def test_what_a_server_should_refuse_is_tried_and_only_that(tmp_path: Path) -> None:
    capture, log = tmp_path / "examined.mcpcap", tmp_path / "log"
    answers = {"tools/list": {"result": {"tools": [_TOOL]}}, "tools/call": {"result": {"content": []}}}
    server = scripted(answers, f"log={log}", capabilities={"tools": {}})
    ran = inspect("doctor", "--json", "--fail-on", "never", "--capture", str(capture), *server)
    found = {each["id"] for each in ran.data["findings"]}
    assert ran.status == 0
    assert {"A03", "L-26"} <= found
    assert "trying a tool that does not exist" in ran.stderr
    called = [json.loads(line)["params"].get("name") for line in log.read_text().splitlines() if "tools/call" in line]
    assert called == ["mcp-inspect-no-such-tool", None]
    again = inspect("check", "--json", "--fail-on", "never", str(capture))
    assert {each["id"] for each in again.data["findings"]} == found
    assert doctor.command.name == "doctor"


def test_the_demo_is_in_good_health() -> None:
    ran = inspect("doctor", "--json", "--fail-on", "never", *demo("--legacy-only"))
    found = {each["id"] for each in ran.data["findings"] if each["severity"] != "hint"}
    assert found <= {"F-01", "S-14"}


def test_a_server_that_speaks_as_language_servers_do_is_found_out() -> None:
    server = ("--timeout", "1", "--era", "legacy", "--", sys.executable, str(SERVERS / "language_server.py"))
    ran = inspect("doctor", "--json", *server)
    assert ran.status == 7
    assert ran.data["primary"]["id"] == "F-02"
