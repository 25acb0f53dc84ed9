"""`mcp-inspect run`: saved calls of a file against a server."""

from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect, server

_ECHO = """\
mcp-inspect-cases: 1
vars: {word: "${env:WORD_OF_TEST}"}
cases:
  - name: first
    request: tools/call
    params: {name: echo, arguments: {text: "1 {{word}}"}}
    save: {said: "$.content[0].text"}
  - name: second
    uses: [first]
    request: tools/call
    params: {name: echo, arguments: {text: "2 {{said}}"}}
  - name: third
    request: tools/call
    params: {name: no_such_tool}
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORD_OF_TEST", "secretword")
    path = tmp_path / "my.mcp.yaml"
    path.write_text(_ECHO)
    return path


def test_a_named_call_runs_after_those_it_uses_and_prints_its_result(calls: Path) -> None:
    ran = inspect("run", "second", *demo()).exits(ExitStatus.OK)
    lines = ran.stdout.splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [["ok", "first"], ["ok", "second"]]
    assert "2 1 ••••••" in ran.stdout
    assert lines[-1] == "2 passed, 0 failed"


def test_a_whole_file_runs_in_order_and_ends_with_1_if_a_call_fails(calls: Path) -> None:
    ran = inspect("run", "my.mcp.yaml", "--json", *demo()).exits(ExitStatus.FINDINGS)
    assert [(each["name"], each["passed"]) for each in ran.data["calls"]] == [
        ("first", True),
        ("second", True),
        ("third", False),
    ]
    assert ran.data["calls"][0]["saved"] == {"said": "1 ••••••"}
    assert ran.data["calls"][1]["result"]["content"][0]["text"].endswith("2 1 ••••••")
    assert (ran.data["passed"], ran.data["failed"]) == (2, 1)
    assert "2 of 3: second" in ran.stderr


def test_no_secret_is_written_to_a_capture_whose_digests_hold(calls: Path, tmp_path: Path) -> None:
    capture = tmp_path / "a.mcpcap"
    ran = inspect("run", "second", "--capture", str(capture), *demo()).exits(ExitStatus.OK)
    assert "secretword" not in ran.stdout + ran.stderr
    assert b"secretword" not in capture.read_bytes()
    assert "••••••".encode() in capture.read_bytes()
    assert inspect("verify", str(capture)).status == ExitStatus.OK
    whole = tmp_path / "b.mcpcap"
    told = inspect("run", "second", "--no-redact", "--capture", str(whole), *demo())
    assert "secretword" not in told.stdout
    assert b"secretword" in whole.read_bytes()


def test_test_runs_the_same_file_and_both_take_the_server_from_an_environment(calls: Path) -> None:
    inspect("test", "my.mcp.yaml", "-k", "second", *demo()).exits(ExitStatus.OK).prints("2 of 2 as expected")
    (calls.parent / "env").mkdir()
    (calls.parent / "env" / "dev.yaml").write_text("target: http://127.0.0.1:9/mcp\n")
    for command in ("run", "test"):
        assert inspect(command, "my.mcp.yaml", "--env", "dev").status == ExitStatus.UNREACHABLE


def test_the_saved_calls_are_listed(calls: Path) -> None:
    listed = inspect("run").exits(ExitStatus.OK)
    assert listed.stdout.splitlines()[0].split() == ["first", "tools/call", "echo", "my.mcp.yaml"]
    (calls.parent / "bad.mcp.yaml").write_text("x: 1\n")
    told = inspect("run", "--json")
    assert told.data["calls"][1] == {"name": "second", "request": "tools/call", "target": "echo", "file": "my.mcp.yaml"}
    assert "bad.mcp.yaml, line 1: unknown key 'x'" in told.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("secnd", *server("ledger")), "no saved call is named 'secnd'"),
        (("my.mcp.yaml#secnd", *server("ledger")), "my.mcp.yaml: no call is named 'secnd'"),
        (("none.mcp.yaml", *server("ledger")), "none.mcp.yaml: can't be read: No such file"),
        (("second",), "no server to test"),
        (("second", "--env", "dev", *server("ledger")), "there is no environment 'dev'"),
    ],
)
def test_run_of_unusable_arguments_starts_no_server(calls: Path, words: tuple[str, ...], said: str) -> None:
    inspect("run", *words).exits(ExitStatus.USAGE, said)


def test_a_name_that_two_files_have_needs_its_file(calls: Path) -> None:
    (calls.parent / "other.mcp.yaml").write_text(_ECHO)
    ran = inspect("run", "second", *demo()).exits(ExitStatus.USAGE)
    assert "several files have a call named 'second': my.mcp.yaml, other.mcp.yaml" in ran.stderr
    assert "my.mcp.yaml#second" in ran.stderr
    assert inspect("run", "my.mcp.yaml#second", *demo()).status == ExitStatus.OK
