"""Clients and servers that were not written here, with and without the tap between them: the same results."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from inspector.capture.format.verify import verify
from tests.features.tap.tapping import TAP
from tests.servers import real
from tests.servers.real import PLACE, argv

CLIENT = str(Path(__file__).with_name("sdk_client.py"))

pytestmark = pytest.mark.real


SDK = PLACE / "node/node_modules/@modelcontextprotocol/sdk"


def _client(name: str) -> list[str]:
    if name != "typescript":
        return [*argv(name), CLIENT]
    return [_node(), str(Path(__file__).with_name("ts_client.mjs")), str(SDK)]


def _node() -> str:
    own = PLACE / "conformance/node_modules/.bin/node"
    found = str(own) if own.exists() else shutil.which("node")
    if found is None:
        pytest.skip("there is no node")
    return found


def _command(server: str, directory: Path) -> list[str]:
    if server in ("mcp1", "mcp2", "fastmcp"):
        return [*argv(server), str(Path(real.__file__).with_name("harbour.py")), "stdio"]
    return [*argv(server), *([str(directory)] if server == "filesystem" else [])]


def _results(client: str, command: list[str], home: Path) -> dict[str, object]:
    ran = subprocess.run(
        [*_client(client), *command],
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
        env=os.environ | {"MEMORY_FILE_PATH": str(home / "memory.json")},
    )
    found: dict[str, object] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize(
    ("client", "server"),
    [
        *((client, server) for client in ("mcp1", "mcp2") for server in ("everything", "filesystem", "memory")),
        *(("typescript", server) for server in ("everything", "filesystem", "memory")),
        *(("mcp2", server) for server in ("mcp1", "mcp2", "fastmcp")),
    ],
)
def test_a_client_gets_the_same_with_and_without_the_tap(tmp_path: Path, client: str, server: str) -> None:
    command = _command(server, tmp_path)
    capture = tmp_path / "tap.mcpcap"
    direct = _results(client, command, tmp_path)
    through = _results(client, [*TAP, "--capture", str(capture), "--", *command], tmp_path)
    assert through == direct
    assert len(direct) > 2 or server in ("mcp1", "mcp2", "fastmcp"), "tools were called"
    verdict = verify(capture)
    assert (verdict.state, verdict.covered) == ("complete", verdict.frames)


def test_a_client_with_a_deadline_of_three_seconds_gets_the_response_to_a_held_call(tmp_path: Path) -> None:
    rules, capture = tmp_path / "rules.yaml", tmp_path / "tap.mcpcap"
    rules.write_text("- {name: hold, action: hold, side: request, when: tool == echo}\n")
    options = ["--rules", str(rules), "--host-timeout", "3", "--capture", str(capture)]
    ran = subprocess.run(
        [*argv("mcp2"), CLIENT, *TAP, *options, "--", *argv("everything")],
        capture_output=True,
        check=True,
        text=True,
        timeout=120,
        env=os.environ | {"CALL_TIMEOUT_S": "3"},
    )
    assert "hello" in json.dumps(json.loads(ran.stdout)["echo"])
    edits = [json.loads(line) for line in capture.read_bytes().splitlines() if line.startswith(b'{"r":"edit"')]
    assert [(each["act"], each["by"]) for each in edits] == [("hold", "rule:hold"), ("release", "deadline")]
