"""`mcp-inspect doctor`: a server is examined, and what was sent for it is tagged."""

import json
import sys
from pathlib import Path

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


def test_the_demo_is_in_good_health() -> None:
    ran = inspect("doctor", "--json", "--fail-on", "never", *demo("--legacy-only"))
    found = {each["id"] for each in ran.data["findings"] if each["severity"] != "hint"}
    assert found <= {"F-01", "S-14"}


def test_a_server_that_speaks_as_language_servers_do_is_found_out() -> None:
    server = ("--timeout", "1", "--era", "legacy", "--", sys.executable, str(SERVERS / "language_server.py"))
    ran = inspect("doctor", "--json", *server)
    assert ran.status == 7
    assert ran.data["primary"]["id"] == "F-02"


def test_a_server_that_has_answered_is_sent_no_bytes_that_are_not_json_and_is_not_accused_of_its_end(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    refuses = {"server/discover": _NO, "initialize": _NO}
    ran = inspect("doctor", "--json", *scripted(refuses, f"log={log}"))
    assert ran.status == 4
    assert [each["id"] for each in ran.data["findings"]] == ["L-21"]
    assert "Content-Length" not in log.read_text()


def test_what_silenced_a_server_is_told_before_what_doctor_ended_it_with() -> None:
    silent = {"server/discover": "silence", "initialize": "silence"}
    ran = inspect("doctor", "--json", "--timeout", "3", *scripted(silent))
    found = {each["id"]: each["severity"] for each in ran.data["findings"]}
    assert (ran.status, ran.data["primary"]["id"]) == (7, "L-04")
    assert found == {"L-04": "error", "P-19": "hint"}


_NO = {"error": {"code": -32603, "message": "no database"}}
