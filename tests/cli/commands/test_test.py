"""`mcp-inspect test`: cases against a server."""

import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

from inspector.cli.commands.test import as_junit, chosen_cases
from inspector.cli.exit_status import ExitStatus
from inspector.errors import UsageError
from inspector.features.cases.model import CaseDefinition, Cases
from inspector.features.cases.running import ActualResponse, CaseRun, Failure
from tests.cli.running import inspect, server

_CASES = """\
mcp-inspect-cases: 1
cases:
  - name: greeting      # mine
    request: tools/call
    params: {name: greet}
    expect:
      - snapshot: {"content": [{"type": "text", "text": "Good morning"}]}
      - faster: 60000
  - name: unknown
    request: tools/call
    params: {name: sing}
    expect: [{at: /error/code, equals: -32602}]
"""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "a.cases.yaml"
    path.write_text(_CASES)
    return path


def test_cases_that_hold_are_listed_and_exit_with_0(cases: Path) -> None:
    ran = inspect("test", str(cases), *server("ledger")).exits(ExitStatus.OK)
    lines = ran.stdout.splitlines()
    assert [line.split("  ")[0] for line in lines[:2]] == ["ok", "ok"]
    assert "greeting" in lines[0]
    assert lines[-1] == "2 of 2 as expected"


def test_changed_case_is_reported_in_text_json_and_junit(cases: Path, tmp_path: Path) -> None:
    junit = tmp_path / "junit.xml"
    ran = inspect("test", "--junit", str(junit), str(cases), *server("ledger", "changed")).exits(ExitStatus.FINDINGS)
    assert 'content[0].text: expected "Good morning", came "Good evening"' in ran.stdout
    assert "1 of 2 as expected" in ran.stdout
    suite = Xml.fromstring(junit.read_bytes())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    told = inspect("test", "--json", "-k", "greet", str(cases), *server("ledger", "changed")).exits(ExitStatus.FINDINGS)
    assert (told.data["passed"], told.data["failed"], told.data["updated"]) == (0, 1, 0)
    (case,) = told.data["cases"]
    assert (case["name"], case["passed"]) == ("greeting", False)
    assert [(each["line"], each["kind"], each["at"]) for each in case["failures"]] == [(7, "snapshot", "/result")]
    assert case["reply"]["result"]["content"][0]["text"] == "Good evening"


def test_update_rewrites_snapshots_in_place_and_forgives_nothing_else(cases: Path) -> None:
    request = "  - name: gone\n    request: tools/call\n    params: {name: greet}\n"
    gone = request + "    expect: [{at: /result/x, snapshot: 1}]\n"
    cases.write_text(_CASES + gone)
    ran = inspect("test", "--update-snapshots", str(cases), *server("ledger", "changed")).exits(ExitStatus.FINDINGS)
    assert "2 of 3 as expected, 1 snapshot updated" in ran.stdout
    assert cases.read_text() == (_CASES + gone).replace("Good morning", "Good evening")
    inspect("test", "-k", "greeting", "-k", "unknown", str(cases), *server("ledger", "changed")).exits(ExitStatus.OK)


def test_a_pytest_file_is_written_once_and_no_server_is_started(cases: Path, tmp_path: Path) -> None:
    code = tmp_path / "test_made.py"
    words = ("test", "--pytest", str(code), str(cases), "--", "no-such-command", "--flag")
    assert inspect(*words).status == ExitStatus.OK
    assert "TARGET = ['no-such-command', '--flag']" in code.read_text()
    assert "def test_greeting(server: ServerUnderTest)" in code.read_text()
    again = inspect(*words)
    assert (again.status, "already exists" in again.stderr) == (ExitStatus.USAGE, True)


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (_CASES, (), "no server to test"),
        (_CASES, ("-k", "nothing", *server("ledger")), "has 'nothing' in its name"),
        (_CASES.replace("request", "reqest", 1), server("ledger"), "line 4: unknown key 'reqest' in a case"),
        (_CASES.replace("expect:\n", "answers: [{kind: none}]\n    expect:\n", 1), server("ledger"), "answer 1"),
        ("", server("ledger"), "a file of cases is an object"),
    ],
)
def test_cases_with_wrong_arguments_start_no_server(cases: Path, text: str, words: tuple[str, ...], said: str) -> None:
    cases.write_text(text)
    before = words[: words.index("--")] if "--" in words else words
    ran = inspect("test", *before, str(cases), *words[len(before) :])
    assert (ran.status, ran.stdout) == (ExitStatus.USAGE, "")
    assert said in ran.stderr


def test_a_server_that_does_not_start_is_no_verdict(cases: Path) -> None:
    ran = inspect("test", str(cases), "--", "no-such-command-anywhere")
    assert ran.status not in (ExitStatus.OK, ExitStatus.FINDINGS)
    assert ran.stdout == ""


def test_junit_has_a_test_per_case_with_hostile_text() -> None:
    hostile = "\x1b[31m\ud800\x00]]><&"
    ran = [
        CaseRun(CaseDefinition("good", "x"), ActualResponse({"result": {}}, 1500.0)),
        CaseRun(CaseDefinition(hostile, "x"), ActualResponse({}, why=hostile), (Failure(hostile), Failure("two"))),
    ]
    suite = Xml.fromstring(as_junit(ran, "f.yaml"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("2", "1", "1.500")
    good, bad = suite
    assert (good.get("name"), good.get("time"), len(good)) == ("good", "1.500", 0)
    assert "]]><&" in (bad[0].get("message") or "")
    assert (bad[0].text or "").endswith("\ntwo")


def test_cases_are_chosen_by_a_part_of_their_name() -> None:
    found = Cases((CaseDefinition("add", "x"), CaseDefinition("search", "x")), "")
    assert [each.name for each in chosen_cases(found, ("ear", "zzz"), Path("f"))] == ["search"]
    assert len(chosen_cases(found, (), Path("f"))) == 2
    with pytest.raises(UsageError, match="no case of f has 'zzz' in its name"):
        chosen_cases(found, ("zzz",), Path("f"))
    with pytest.raises(UsageError, match="f: no cases"):
        chosen_cases(Cases((), ""), (), Path("f"))
