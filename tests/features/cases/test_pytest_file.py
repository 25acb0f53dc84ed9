"""Cases as a plain pytest file: green on the server they were made of, red on one that has changed."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.features.cases.making import pytest_file
from inspector.features.cases.model import OUTPUT_SCHEMA, CaseDefinition, Expectation, ExpectationKind
from tests.architecture.sources import ROOT
from tests.waiting import PATIENCE_S

_LEDGER = str(ROOT / "tests" / "servers" / "ledger.py")
_SAYS = "/result/content/0/text"
_GREET = {"name": "greet", "arguments": {}}


def _run(folder: Path, cases: list[CaseDefinition], *words: str) -> tuple[int, str]:
    path = folder / "test_generated.py"
    path.write_text(pytest_file(cases, [sys.executable, _LEDGER, *words]), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(path)],
        cwd=folder,
        env={
            "PYTHONPATH": str(ROOT),
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    return ran.returncode, ran.stdout


def test_pytest_file_fails_for_a_changed_server(tmp_path: Path) -> None:
    expect = (
        Expectation(ExpectationKind.EQUALS, "Good morning", _SAYS),
        Expectation(ExpectationKind.TYPE, "string", _SAYS),
        Expectation(ExpectationKind.EXISTS, False, "/result/isError"),
        Expectation(ExpectationKind.MATCHES, "^Good", _SAYS),
        Expectation(ExpectationKind.SCHEMA, {"type": "object", "required": ["content"]}),
        Expectation(ExpectationKind.FASTER, 60_000),
        Expectation(ExpectationKind.SNAPSHOT, {"content": [{"type": "text", "text": "Good morning"}]}),
    )
    cases = [
        CaseDefinition("tools/call greet", "tools/call", _GREET, expect[:6]),
        CaseDefinition("tools/call greet!", "tools/call", _GREET, expect[6:], isolate=True),
        CaseDefinition(
            "an error", "tools/call", {"name": "sing"}, (Expectation(ExpectationKind.EQUALS, -32602, "/error/code"),)
        ),
        CaseDefinition('\'"""\n\ud800', "tools/list", {}, ()),
    ]
    status, told = _run(tmp_path, cases)
    assert (status, "4 passed" in told) == (0, True), told
    status, told = _run(tmp_path, cases, "changed")
    assert status == 1
    assert "2 failed, 2 passed" in told
    assert "Good evening" in told


@pytest.mark.parametrize("value", [{"a": float("inf"), "b": "inf"}, [True, None, -0.0], "\ud800\n'\"", 10**30])
def test_every_value_is_python(value: object) -> None:
    text = pytest_file(
        [CaseDefinition("a", "x", {"it": value}, (Expectation(ExpectationKind.SNAPSHOT, value),))], ["x"]
    )
    assert text.isascii()
    compile(text, "test_generated.py", "exec")
    line = next(each for each in text.splitlines() if "reply = " in each)
    assert ast.literal_eval(line.partition("'x', ")[2].rstrip(")")) == {"it": value}


def test_names_are_plain_and_different() -> None:
    names = ["tools/call Add", "tools/call add", "…"]
    text = pytest_file(
        [CaseDefinition(name, "x", expect=(Expectation(ExpectationKind.EQUALS, True, "/result/a"),)) for name in names],
        [],
    )
    assert [line.split("(")[0] for line in text.splitlines() if line.startswith("def test")] == [
        "def test_tools_call_add",
        "def test_tools_call_add_2",
        "def test_case",
    ]
    assert "assert reply.at('/result/a') is True" in text
    schema = Expectation(ExpectationKind.SCHEMA, OUTPUT_SCHEMA)
    assert "reply.problems('/result', reply.output_schema) == []" in pytest_file(
        [CaseDefinition("a", "x", {}, (schema,))], []
    )
