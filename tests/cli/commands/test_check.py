"""`mcp-inspect check`: servers good and bad, captures, reports, exit codes."""

import json
import sys
import xml.etree.ElementTree as Xml
from pathlib import Path
from typing import Any

import pytest

from tests.captures.record import sample
from tests.cli.running import SERVERS, demo, inspect, scripted, server
from tests.servers import reads_once

_TOOL = {"name": "a", "description": "d", "inputSchema": {"type": "object"}}


def _tools(*tools: object) -> dict[str, Any]:
    return {"tools/list": {"result": {"tools": list(tools)}}}


def test_a_server_without_faults_passes() -> None:
    ran = inspect("check", *scripted(_tools(_TOOL), capabilities={"tools": {}})).exits(0)
    assert ran.stdout == "✓ No findings\n"


def test_variables_are_examined_that_were_given_to_the_server_and_not_those_that_it_inherits() -> None:
    words = scripted(_tools(_TOOL), capabilities={"tools": {}})
    inherited = inspect("check", "--inherit-env", *words, env={"SHELL_LEVEL": "'quoted'"}).exits(0)
    assert inherited.stdout == "✓ No findings\n"
    assert (
        "quotes around the value of LEVEL are a part of it" in inspect("check", "-e", "LEVEL='quoted'", *words).stdout
    )


@pytest.mark.parametrize("flag", ["--legacy-only", "--modern-only"])
def test_the_demo_has_no_errors_but_the_line_it_means_to_write(flag: str) -> None:
    found = inspect("check", "--json", *demo(flag)).data["findings"]
    assert {each["id"] for each in found if each["severity"] == "error"} <= {"stdout-not-json", "hidden-text"}


def test_check_without_a_call_advises_one() -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    reads = _TOOL | {"name": "a b", "inputSchema": schema, "annotations": {"readOnlyHint": True}}
    words = scripted(_tools(_TOOL, reads), capabilities={"tools": {}})
    assert 'no tool was called; --call \'a b={"path": ""}\' calls one' in inspect("check", *words).stderr
    assert "no tool was called" not in inspect("check", "--call", "a b", *words).stderr
    assert "no tool was called" not in inspect("check", *scripted(_tools(), capabilities={"tools": {}})).stderr


def test_fault_in_a_list_fails_the_check_with_its_place() -> None:
    ran = inspect("check", "--json", *scripted(_tools(_TOOL | {"title": None}), capabilities={"tools": {}})).exits(1)
    (found,) = ran.data["findings"]
    assert (found["id"], found["severity"]) == ("null-optional-member", "error")
    assert found["evidence"]["pointer"] == "/result/tools/0/title"
    assert found["page"].endswith("/schema")
    assert ran.data["counts"] == {"error": 1, "warning": 0, "hint": 0}


@pytest.mark.parametrize(("level", "status"), [("error", 0), ("warning", 1), ("hint", 1), ("never", 0)])
def test_the_exit_status_goes_by_what_one_wants_to_fail_on(level: str, status: int) -> None:
    tool = _TOOL | {"name": "a b"}
    assert inspect("check", "--fail-on", level, *scripted(_tools(tool), capabilities={"tools": {}})).status == status


def test_finding_to_look_at_first_is_the_first_of_the_json() -> None:
    code = "import sys; print('> start'); sys.exit('Error: no config')"
    found = inspect("check", "--json", "--", sys.executable, "-c", code).exits(4).data
    assert found["findings"][0] == found["primary"]
    assert [each["id"] for each in found["findings"]] == ["exit-during-handshake", "stdout-not-json"]


def test_a_server_that_dies_is_diagnosed_and_still_counts_as_unreachable() -> None:
    ran = inspect("check", "--json", *server("dies")).exits(4)
    assert {each["id"] for each in ran.data["findings"]} & {
        "exit-during-handshake",
        "exit-without-input",
        "server-killed",
    }
    assert ran.error["code"] in ("connect_error", "disconnected")


def test_a_banner_on_stdout_is_found() -> None:
    ran = inspect("check", *server("banner"))
    assert ran.status == 4  # it answers initialize with an error
    assert "stdout-not-json" in ran.stdout
    assert "bytes 0–" in ran.stdout


def test_a_capture_is_checked_and_nothing_is_started() -> None:
    ran = inspect("check", str(sample("wreck"))).exits(1)
    assert ran.stdout.splitlines()[0].endswith("  server-killed")
    assert "SIGSEGV" in ran.stdout


def test_reports_are_written_beside(tmp_path: Path) -> None:
    junit, sarif = tmp_path / "junit.xml", tmp_path / "findings.sarif"
    inspect("check", "-q", "--junit", str(junit), "--sarif", str(sarif), str(sample("wreck")))
    assert Xml.parse(junit).getroot().get("failures") == "2"
    results = json.loads(sarif.read_text())["runs"][0]["results"]
    assert {each["ruleId"] for each in results if each["level"] == "error"} == {"server-killed", "hidden-text"}


def test_quiet_check_prints_errors_and_warnings_and_counts_the_hints() -> None:
    whole, quiet = (inspect("check", *words, str(sample("wreck"))).stdout for words in ((), ("-q",)))
    assert "hidden-text" in quiet
    assert "server-killed" in quiet
    assert quiet.splitlines()[-1] == whole.splitlines()[-1]
    assert "hint" in quiet.splitlines()[-1]
    assert set(quiet.splitlines()) < set(whole.splitlines())


def test_unwritable_report_is_an_error(tmp_path: Path) -> None:
    inspect("check", "--junit", str(tmp_path / "no" / "junit.xml"), str(sample("wreck"))).exits(2, "can't be written")


def test_check_of_a_missing_file_is_an_error() -> None:
    inspect("check", "nothing.mcpcap").exits(2, "no such file")


def test_hostile_words_of_a_server_reach_no_terminal() -> None:
    tool = _TOOL | {"name": "\x1b[31mred\x07"}
    ran = inspect("check", *scripted(_tools(tool), capabilities={"tools": {}})).prints("tool-name-not-portable")
    assert "\x1b" not in ran.stdout
    assert "\x07" not in ran.stdout


_BLANK = _tools(_TOOL | {"title": None})


def test_baseline_hides_known_findings_only(tmp_path: Path) -> None:
    known, sarif = str(tmp_path / "known.json"), tmp_path / "findings.sarif"
    server = scripted(_BLANK, capabilities={"tools": {}})
    assert inspect("check", "--baseline", known, "--write-baseline", *server).status == 0
    ran = inspect("check", "--baseline", known, "--json", "--sarif", str(sarif), *server).exits(0)
    assert (ran.data["counts"], ran.data["primary"]) == ({"error": 0, "warning": 0, "hint": 0, "known": 1}, None)
    assert [each["known"] for each in ran.data["findings"]] == [True]
    assert json.loads(sarif.read_text())["runs"][0]["results"][0]["baselineState"] == "unchanged"
    worse = _tools(_TOOL | {"title": None}, _TOOL | {"name": "b", "inputSchema": None})
    assert inspect("check", "--baseline", known, *scripted(worse, capabilities={"tools": {}})).status == 1
    better = inspect("check", "--baseline", known, *scripted(_tools(_TOOL), capabilities={"tools": {}}))
    assert "no longer found: 1 of the baseline" in better.stderr


def test_a_tool_that_is_to_be_called_is_a_case_that_can_fail() -> None:
    good: dict[str, Any] = {"result": {"content": []}}
    bad: dict[str, Any] = {"result": {"content": [{"type": "text", "text": "no"}], "isError": True}}
    for answer, status, said in ((good, 0, "a: OK"), (bad, 5, "a failed: no")):
        script = _tools(_TOOL) | {"tools/call": answer}
        ran = inspect(
            "check", "--fail-on", "never", "--call", 'a={"x": 1}', *scripted(script, capabilities={"tools": {}})
        )
        assert ran.status == status
        assert said in ran.stderr


def test_annotations_stand_behind_a_silence_that_foreign_text_cannot_break() -> None:
    tool = _TOOL | {"name": "::error::pwned"}
    ran = inspect("check", "--github", *scripted(_tools(tool), capabilities={"tools": {}}))
    lines = ran.stderr.splitlines()
    word = lines[0].removeprefix("::stop-commands::")
    assert len(word) == 32
    assert lines.index(f"::{word}::") > 0
    (told,) = [line for line in lines[lines.index(f"::{word}::") + 1 :] if "tool-name-not-portable" in line]
    assert told.startswith("::warning title=tool-name-not-portable ")
    assert "::error::pwned" in ran.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--write-baseline", "x.mcpcap"), "needs --baseline FILE"),
        (("--call", "a", "x.mcpcap"), "needs a server"),
        (("--call", "a=[1]", "--", "true"), "must be an object"),
        (("--call", "={}", "--", "true"), "missing tool name"),
        (("--baseline", "nothing.json", str(sample("wreck"))), "no such file"),
        (("--baseline", str(sample("wreck")), str(sample("wreck"))), "not a baseline file"),
    ],
)
def test_flags_that_mean_nothing_are_refused(words: tuple[str, ...], said: str) -> None:
    inspect("check", *words).exits(2, said)


def test_remembered_server_facts_change_no_verdict(tmp_path: Path) -> None:
    home = {"MCP_INSPECT_HOME": str(tmp_path)}
    server = scripted(_tools(_TOOL) | {"server/discover": "silence"}, capabilities={"tools": {}})
    assert inspect("info", *server, env=home).status == 0
    assert '"legacy"' in next(tmp_path.rglob("eras.json")).read_text()
    ran = inspect("check", "--json", *server, env=home)
    assert "unknown-method-unanswered" in {each["id"] for each in ran.data["findings"]}


_CALLED = _tools(_TOOL) | {"server/discover": {"error": {"code": -32601, "message": "no"}}}
_ANSWERED = {"content": [{"type": "text", "text": "no"}]}
_HAS_TOOLS: dict[str, Any] = {"capabilities": {"tools": {}}}


def _calling(response: Any) -> tuple[str, ...]:
    return "--call", "a", *scripted(_CALLED | {"tools/call": response}, **_HAS_TOOLS)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (
            ("--call", "a", *scripted(_CALLED | {"tools/call": {"result": _ANSWERED | {"isError": True}}})),
            5,
            "tools/call a",
        ),
        (
            ("--call", "a", *scripted(_CALLED | {"tools/call": {"error": {"code": 1, "message": "no"}}})),
            5,
            "tools/call a",
        ),
        (("--timeout", "0.5", "--call", "a", *scripted(_CALLED | {"tools/call": "silence"})), 7, "in time"),
        (("--timeout", "0.5", *scripted({"initialize": "silence"})), 7, "no session was opened"),
        (("--junit", "/nowhere/at/all.xml", *scripted(_CALLED, capabilities={"tools": {}})), 2, "report"),
    ],
)
def test_check_after_a_failure_never_reports_nothing_found(words: tuple[str, ...], status: int, said: str) -> None:
    for quiet in ((), ("-q",)):
        ran = inspect("check", "--fail-on", "never", *quiet, *words).exits(status)
        assert "✓ no findings" not in ran.stdout.lower()
        assert ran.stdout.strip(), "it says something"
        if "call-rejected" in ran.stdout:
            assert "a was rejected with 1: no" in ran.stdout
        elif ran.stdout.startswith("!"):
            assert "Failure: " in ran.stdout
            assert said in ran.stdout


@pytest.mark.parametrize("command", ["check", "doctor"])
def test_failure_without_a_finding_is_in_every_report(tmp_path: Path, command: str) -> None:
    capture, junit, sarif = (tmp_path / name for name in ("a.mcpcap", "junit.xml", "findings.sarif"))
    script = scripted(_CALLED | {"tools/call": {"result": _ANSWERED | {"isError": True}}}, capabilities={"tools": {}})
    words = (command, "--json", "--call", "a", "--fail-on", "never", "--junit", str(junit), "--sarif", str(sarif))
    ran = inspect(*words, "--capture", str(capture), *script)
    assert (ran.status, ran.data["failure"]) == (5, "tools/call a failed: no")
    assert Xml.parse(junit).getroot().get("errors") == "1"
    (invocation,) = json.loads(sarif.read_text())["runs"][0]["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 5)
    assert inspect("check", "--json", str(capture)).data["failure"] == "tools/call a failed: no"
    healthy = inspect("check", "--json", *scripted(_CALLED, capabilities={"tools": {}}))
    assert (healthy.status, healthy.data["failure"], healthy.data["findings"]) == (0, None, [])


def test_recording_with_a_failed_call_reports_the_failure(tmp_path: Path) -> None:
    capture = str(tmp_path / "a.mcpcap")
    script = _CALLED | {"tools/call": {"result": _ANSWERED | {"isError": True}}}
    inspect("call", "--capture", capture, "a", *scripted(script, **_HAS_TOOLS))
    ran = inspect("check", capture)
    assert (ran.status, ran.stdout) == (0, "! Failure: tools/call a failed: no\n")


def test_declared_skills_are_checked() -> None:
    able: dict[str, Any] = {"tools": {}, "extensions": {"io.modelcontextprotocol/skills": {}}}
    server = scripted({"tools/list": {"result": {"tools": []}}}, capabilities=able)
    found = [
        each for each in inspect("check", "--json", *server).data["findings"] if each["id"] == "skills-unavailable"
    ]
    assert [each["sentence"] for each in found] == [
        "the server declares skills, but not resources, which are needed to read them",
        "the server declares skills, but does not implement skills/list",
    ]


_DOCTOR_TOOL = {"name": "wipe", "description": "d", "inputSchema": {"type": "object"}}


def test_examine_probes_refusals_and_nothing_else(tmp_path: Path) -> None:
    capture, log = tmp_path / "examined.mcpcap", tmp_path / "log"
    answers = {"tools/list": {"result": {"tools": [_DOCTOR_TOOL]}}, "tools/call": {"result": {"content": []}}}
    server = scripted(answers, f"log={log}", capabilities={"tools": {}})
    ran = inspect("doctor", "--json", "--fail-on", "never", "--capture", str(capture), *server)
    found = {each["id"] for each in ran.data["findings"]}
    assert ran.status == 0
    assert {"unissued-cursor-accepted", "invalid-params-error-code"} <= found
    assert "trying a tool that does not exist" in ran.stderr
    called = [json.loads(line)["params"].get("name") for line in log.read_text().splitlines() if "tools/call" in line]
    assert called == ["mcp-inspect-no-such-tool", None]
    again = inspect("check", "--json", "--fail-on", "never", str(capture))
    assert {each["id"] for each in again.data["findings"]} == found


def test_the_demo_is_in_good_health() -> None:
    ran = inspect("doctor", "--json", "--fail-on", "never", *demo("--legacy-only"))
    found = {each["id"] for each in ran.data["findings"] if each["severity"] != "hint"}
    assert found <= {"stdout-not-json", "hidden-text"}


def test_a_server_that_speaks_as_language_servers_do_is_found_out() -> None:
    server = ("--timeout", "1", "--era", "legacy", "--", sys.executable, str(SERVERS / "language_server.py"))
    assert inspect("doctor", "--json", *server).exits(7).data["primary"]["id"] == "lsp-framing"


def test_a_server_that_has_answered_is_sent_no_bytes_that_are_not_json_and_is_not_accused_of_its_end(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    refuses = {"server/discover": _NO, "initialize": _NO}
    ran = inspect("doctor", "--json", *scripted(refuses, f"log={log}")).exits(4)
    assert [each["id"] for each in ran.data["findings"]] == ["handshake-rejected"]
    assert "Content-Length" not in log.read_text()


def test_silent_server_is_the_primary_finding_of_doctor() -> None:
    silent = {"server/discover": "silence", "initialize": "silence"}
    ran = inspect("doctor", "--json", "--timeout", "3", *scripted(silent))
    found = {each["id"]: each["severity"] for each in ran.data["findings"]}
    assert (ran.status, ran.data["primary"]["id"]) == (7, "server-silent")
    assert found == {"server-silent": "error", "exit-on-invalid-message": "hint"}


_NO = {"error": {"code": -32603, "message": "no database"}}


@pytest.mark.parametrize("whole", [False, True])
def test_doctor_sends_a_body_in_a_second_packet_and_names_a_server_that_reads_once(whole: bool) -> None:
    with reads_once.serving(whole=whole) as url:
        assert "second-packet-not-read" not in inspect("check", "--json", url).stdout
        primary = inspect("doctor", "--json", url).data["primary"]
    assert (primary["id"] == "second-packet-not-read" and "Parse error" in primary["sentence"]) is not whole


def test_an_interpreter_without_a_script_is_refused_at_once_with_the_right_line() -> None:
    ran = inspect("check", "--", sys.executable)
    assert ran.status == 2
    assert "has no program to run" in ran.stderr
    assert f"-- {sys.executable} SCRIPT" in ran.stderr
