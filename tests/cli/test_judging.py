"""Findings as annotations of a GitHub workflow."""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.store.load import load
from inspector.checks import catalog
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.judging import (
    PlannedCall,
    ReportOptions,
    annotations,
    chosen_hosts,
    conclude,
    failure_of,
    other_servers_tools,
    read_cases,
    read_report_options,
    silence,
    stop_word,
    target_key,
)
from inspector.cli.output import Output
from inspector.cli.targets import choose
from inspector.errors import UsageError
from inspector.present.findings import inspected
from inspector.protocol.jsonrpc import ErrorResponse, Part, ResultResponse
from tests.captures.record import sample
from tests.checks.broken import break_check
from tests.cli.running import inspect, scripted

assert catalog.AREAS


def _found(sentence: str, severity: Severity = Severity.ERROR, fix: str = "") -> Finding:
    return Finding("exit-during-handshake", severity, Confidence.CERTAIN, sentence, (7,), fix=fix)


def test_each_is_a_line_the_worst_first_and_behind_the_word() -> None:
    found = [_found("a", Severity.HINT), _found("b", fix="repair it")]
    lines = annotations(found, CHECKS, "server", "word")
    assert lines[0] == "::word::"
    title = f"exit-during-handshake {CHECKS['exit-during-handshake'].title}"
    assert lines[1] == f"::error title={title}::server: b (entry 7)%0ATo do: repair it"
    assert lines[2].startswith("::notice ")


def test_foreign_text_begins_no_line_and_is_escaped() -> None:
    (_, line) = annotations([_found("100%\n::error::x\r")], CHECKS, "a,b:c", "word")
    assert "\n" not in line
    assert "\r" not in line
    assert "100%25" in line
    assert line.count("::error") == 2
    assert not line.split("::", 2)[2].startswith("::")


def test_stop_word_is_random() -> None:
    assert stop_word() != stop_word()
    assert silence("x") == "::stop-commands::x"


def test_a_tool_alone_is_called_with_nothing() -> None:
    assert read_cases(["a", "b={}", 'c={"d": "e=f"}'], io.StringIO()) == (
        PlannedCall("a", {}),
        PlannedCall("b", {}),
        PlannedCall("c", {"d": "e=f"}),
    )


@pytest.mark.parametrize("word", ["=", "a=[1]", "a={", "a=@nothing.json"])
def test_read_cases_refuses_other_words(word: str) -> None:
    with pytest.raises(UsageError, match="--call"):
        read_cases([word], io.StringIO())


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ({"content": []}, ""),
        ({"isError": True, "content": [{"type": "text", "text": "no"}]}, "no"),
        ({"isError": True}, "isError without a message"),
        ({"content": [], "resultType": "later"}, 'its resultType is "later", which is unknown'),
        (None, "the result is null, not an object"),
    ],
)
def test_failure_of_a_call_depends_on_the_result(result: object, why: str) -> None:
    assert failure_of(ResultResponse(1, Part(None, result))) == why


def test_an_error_is_a_failure() -> None:
    assert failure_of(ErrorResponse(1, Part(None, {"code": -1, "message": "no"}))) == "error -1: no"


def test_hosts_are_chosen_by_lists_of_ids_each_once() -> None:
    found = chosen_hosts(["claude-code, VSCode", "claude-code"])
    assert [host.id for host in found] == ["claude-code", "vscode"]
    assert chosen_hosts([]) == ()


def test_an_sdk_without_a_version_means_all_of_them() -> None:
    assert [host.id for host in chosen_hosts(["python-sdk"])] == ["python-sdk-1", "python-sdk-2"]


@pytest.mark.parametrize("word", ["nobody", "", "python"])
def test_unknown_host_is_refused_with_the_known_ones(word: str) -> None:
    with pytest.raises(UsageError, match="unknown client") as caught:
        chosen_hosts([word])
    assert "claude-code" in caught.value.hint


def test_the_tools_of_a_neighbour_are_read_from_its_capture() -> None:
    ((name, tools),) = other_servers_tools([sample("evening")]).items()
    assert name
    assert "add" in tools
    with pytest.raises(UsageError, match="no such file"):
        other_servers_tools([Path("nothing.mcpcap")])


def _output() -> Output:
    return Output(CliEnv(None, {}, io.StringIO(), io.StringIO(), io.StringIO()))


def _options(**more: object) -> dict[str, object]:
    nothing = {
        "junit": None,
        "sarif": None,
        "baseline": None,
        "write_baseline": False,
        "hosts": (),
        "other_servers": (),
        "budget": None,
    }
    return nothing | {"fail_on": "error", "github": False} | more


def test_findings_come_in_the_order_of_their_entries() -> None:
    journal = load(sample("wreck"))
    findings, inspection = inspected(journal)
    journal.close()
    assert inspection.taken == 0 or findings == sorted(findings, key=lambda each: each.frames[0])


@pytest.mark.parametrize(("fails", "status"), [(Severity.ERROR, ExitStatus.FINDINGS), (None, ExitStatus.OK)])
def test_the_exit_status_goes_by_what_fails(fails: Severity | None, status: ExitStatus) -> None:
    assert conclude(_output(), load(sample("wreck")), ReportOptions("wreck", fails)) is status


def test_the_options_are_taken_out_of_all() -> None:
    options = _options(fail_on="never", timeout=3)
    assert read_report_options(options, "server", _output()).fails is None
    assert options == {"timeout": 3}


def test_a_baseline_that_is_to_be_written_needs_a_place() -> None:
    with pytest.raises(UsageError, match="needs --baseline FILE"):
        read_report_options(_options(write_baseline=True), "server", _output())
    assert read_report_options(_options(write_baseline=True, baseline=Path("x")), "server", _output()).writes_baseline


@pytest.mark.parametrize("as_json", [True, False])
def test_failing_check_is_named_and_the_verdict_remains(monkeypatch: pytest.MonkeyPatch, *, as_json: bool) -> None:
    journal = load(sample("lighthouse"))
    before = conclude(_output(), journal, ReportOptions("lighthouse", Severity.ERROR))
    break_check(monkeypatch, "result-too-long")
    told, narrated = io.StringIO(), io.StringIO()
    output = Output(CliEnv(None, {}, io.StringIO(), told, narrated), as_json=as_json)
    assert conclude(output, journal, ReportOptions("lighthouse", Severity.ERROR)) is before
    journal.close()
    assert "! check result-too-long failed with an internal error at #" in narrated.getvalue()
    assert "please report it" in narrated.getvalue()
    if as_json:
        found = json.loads(told.getvalue())["disabled_checks"]
        assert [each["check"] for each in found] == ["result-too-long"]
        assert found[0]["error"].startswith("KeyError")


_TOOL: dict[str, Any] = {"name": "buy", "description": "Buys.", "inputSchema": {"type": "object"}}
_CHANGED = {**_TOOL, "description": "Buys and tells."}


def _told(*words: str) -> list[str]:
    found = inspect("check", "--json", *words).data["findings"]
    return [each["sentence"] for each in found if each["id"] == "definition-changed"]


def _server(script: Path, tool: dict[str, Any]) -> tuple[str, ...]:
    """The same command, whatever the server behind it says."""
    words = scripted({"tools/list": {"result": {"tools": [tool]}}}, capabilities={"tools": {}})
    script.write_text(f"import os, sys\nos.execv({words[1]!r}, {words[1:]!r})\n")
    return ("--", words[1], str(script))


def test_definition_changed_since_remember_is_a_warning(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    assert _told("--remember", *_server(script, _TOOL)) == []
    assert _told(*_server(script, _TOOL)) == []
    for _ in range(2):
        (said,) = _told(*_server(script, _CHANGED))
        assert said.startswith("the tool buy changed since 20")
    assert len(_told("--remember", *_server(script, _CHANGED))) == 1, "it is told, and then approved"
    assert _told(*_server(script, _CHANGED)) == []


def test_remember_is_off_by_default_and_a_lock_file_precedes(tmp_path: Path) -> None:
    script, lock = tmp_path / "server.py", str(tmp_path / "a.json")
    assert inspect("lock", "-o", lock, *_server(script, _TOOL)).status == 0
    assert _told(*_server(script, _TOOL)) == []
    assert not (Path(os.environ["MCP_INSPECT_HOME"]) / "state" / "seen").exists()
    inspect("check", "--remember", *_server(script, _CHANGED))
    assert _told("--lock", lock, *_server(script, _CHANGED)) == [
        "the tool buy changed since the lock file was written: description"
    ]
    assert inspect("check", "--lock", __file__, *_server(script, _TOOL)).status == 2


def test_the_key_is_that_of_the_target(tmp_path: Path) -> None:
    from inspector.cli.commands.check import check_command

    for argv, url in ((("node", "server.js"), None), (None, "http://127.0.0.1:9/mcp#x")):
        env = CliEnv(server_argv=argv)
        options = check_command.make_context("check", ["--cwd", str(tmp_path)] if argv else [], obj=env).params
        assert target_key(env, url, options) == choose(env, url, options).target.key
    assert target_key(CliEnv(), None, {}) == ""


def test_a_capture_is_not_remembered() -> None:
    ran = inspect("check", "--remember", __file__)
    assert (ran.status, "--remember" in ran.stderr) == (2, True)
