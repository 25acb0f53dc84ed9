"""A Python script that makes the calls again: data as literals, and a run against real servers."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.store.load import load
from inspector.features.export.python import PROGRAM, script
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from tests.captures.record import sample
from tests.features.export.staging import all_of, names_of, secretive
from tests.present.tape import Tape
from tests.servers.real import argv, reason_to_skip
from tests.waiting import PATIENCE_S


def values(data: bytes) -> dict[str, Any]:
    """What the script holds, without its program."""
    lines = ast.parse(data.decode("ascii").partition("\nimport asyncio")[0]).body
    named = [(each.targets[0], each.value) for each in lines if isinstance(each, ast.Assign)]
    return {name.id: ast.literal_eval(value) for name, value in named if isinstance(name, ast.Name)}


def test_hostile_texts_are_literals() -> None:
    tape = Tape()
    evil = "'''\"\"\"\\\n__import__('os').system('x') \u202e é \ud800"
    tape.to_server({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": evil, "arguments": {"a": 1}}})
    tape.from_server({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}})
    tape.to_server({"jsonrpc": "2.0", "id": 2, "method": evil})
    found = values(b"".join(script(all_of(tape.journal))))
    assert found["CALLS"] == [(1, "tools/call", {"name": evil, "arguments": {"a": 1}}, True)]
    assert found["NOT_MADE"] == [(3, evil)]


def test_credentials_come_from_the_environment() -> None:
    journal = secretive()
    data = b"".join(script(all_of(journal)))
    assert values(data)["HEADERS"] == {"Authorization": None, "X-Plain": "it's"}
    assert names_of(data) == []
    assert values(data)["URL"] == "", "part of it is masked"
    kept = values(b"".join(script(all_of(journal, keep_secrets=True))))
    assert kept["HEADERS"]["Authorization"] == "Bearer ghp_headersecret"
    assert kept["URL"] != ""


def test_a_header_that_a_server_named_never_reads_a_variable_of_the_persons_own() -> None:
    (function,) = [
        each for each in ast.parse(PROGRAM).body if isinstance(each, ast.FunctionDef) and each.name == "headers"
    ]
    program = (
        f"import os, sys\nHEADERS = {{'GitHub-Token': None, 'X y': None}}\n{ast.unparse(function)}\nprint(headers())"
    )
    env = {"GITHUB_TOKEN": "mine", "X_Y": "mine", "MCP_SECRET_X_Y": "given"}
    ran = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert ran.stdout == "{'X y': 'given'}\n"
    assert "set MCP_SECRET_GITHUB_TOKEN" in ran.stderr


def test_answers_to_questions_and_what_is_not_made_again_are_known() -> None:
    journal = load(sample("evening"))
    found = values(b"".join(script(all_of(journal))))
    assert {method for _, method, _, _ in found["CALLS"]} >= {"tools/call", "resources/read"}
    assert found["ANSWERS"], "the server asked in that session"


@pytest.mark.skipif(bool(reason_to_skip()), reason=reason_to_skip())
@pytest.mark.parametrize("sdk", ["mcp1", "mcp2"])
def test_python_export_runs_with_the_official_sdk(tmp_path: Path, sdk: str) -> None:
    tape = Tape()
    tape.journal.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv("everything"), env_names=("PATH",)))
    for id_, method, params in (
        (1, "tools/list", {}),
        (2, "tools/call", {"name": "echo", "arguments": {"message": "é"}}),
        (3, "resources/read", {"uri": "no:such"}),
    ):
        tape.to_server({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
    tape.from_server({"jsonrpc": "2.0", "id": 3, "error": {"code": -32602, "message": "no"}})
    file = tmp_path / "again.py"
    file.write_bytes(b"".join(script(all_of(tape.journal))))
    tape.journal.close()
    ran = subprocess.run([*argv(sdk), file], capture_output=True, timeout=PATIENCE_S, check=False)
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [each["entry"] for each in told] == [2, 3, 4], ran.stderr
    assert told[1]["result"]["content"][0]["text"] == "Echo: é"
    assert "error" in told[2]


def test_python_export_imports_the_sdk_only() -> None:
    tree = ast.parse(PROGRAM)
    named = {each.module for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    assert named == {"contextlib", "mcp", "mcp.client"}
    assert PROGRAM.isascii()
