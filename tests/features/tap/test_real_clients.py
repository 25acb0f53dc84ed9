"""Clients and servers that were not written here, with and without the tap between them: the same results."""

import asyncio
import json
import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from inspector.capture.format.verify import verify
from inspector.capture.journal import start_capture
from inspector.features.tap.http import HttpTap
from inspector.transports.http.endpoint import HttpOptions
from tests.conformance.suite import run_server
from tests.features.tap.tapping import TAP
from tests.servers import real
from tests.servers.real import PLACE, argv
from tests.waiting import until

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


OF_PYTHON = {
    "calculator": ("mcp1",),
    "sqlite": ("mcp1", "--db-path", "base.db"),
    "fetch": ("mcp2",),
    "git": ("mcp2",),
    "time": ("mcp2", "--local-timezone", "UTC"),
}
"""Servers from PyPI: the environment, and options."""


def _command(server: str, directory: Path) -> list[str]:
    if server in OF_PYTHON:
        environment, *options = OF_PYTHON[server]
        program = Path(*argv(environment)).with_name(f"mcp-server-{server}")
        return [str(program), *(str(directory / each) if each == "base.db" else each for each in options)]
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
        env=os.environ | {"MEMORY_FILE_PATH": str(home / "memory.json"), "REPOSITORY": str(home)},
    )
    found: dict[str, object] = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize(
    ("client", "server"),
    [
        *((client, server) for client in ("mcp1", "mcp2") for server in ("everything", "filesystem", "memory")),
        *(("typescript", server) for server in ("everything", "filesystem", "memory")),
        *(("mcp2", server) for server in ("mcp1", "mcp2", "fastmcp")),
        *(("mcp1", server) for server in ("calculator", "fetch")),
        *(("mcp2", server) for server in ("sqlite", "git")),
        *(("typescript", server) for server in ("sequential-thinking", "time")),
    ],
)
def test_a_client_gets_the_same_with_and_without_the_tap(tmp_path: Path, client: str, server: str) -> None:
    home = tmp_path / "work"
    home.mkdir()
    command = _command(server, home)
    if server == "git":
        subprocess.run(["git", "init", "-q", str(home)], check=True)
    capture = tmp_path / "tap.mcpcap"
    direct = _results(client, command, home)
    through = _results(client, [*TAP, "--capture", str(capture), "--", *command], home)
    assert through == direct
    assert len(direct) > 2 or server in ("mcp1", "mcp2", "fastmcp", "fetch", "time"), "tools were called"
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


@pytest.mark.slow
async def test_the_conformance_suite_finds_the_same_behind_the_http_tap(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = os.environ | {"PORT": str(port)}
    server = await asyncio.create_subprocess_exec(
        *argv("everything"),
        "streamableHttp",
        env=env,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await until(lambda: _answers(port), "the server listens")
        journal = start_capture(tmp_path / "tap.mcpcap", mode="http-proxy")
        async with HttpTap(f"http://127.0.0.1:{port}/mcp", HttpOptions(), journal) as tap:
            direct = await run_server(f"http://127.0.0.1:{port}/mcp")
            through = await run_server(tap.url)
        journal.close()
    finally:
        server.kill()
        await server.wait()
    assert len(direct) > 20
    assert direct.pop("dns-rebinding-protection") != through["dns-rebinding-protection"] == (2, 0), (
        "the tap is stricter"
    )
    del through["dns-rebinding-protection"]
    assert through == direct


def _answers(port: int) -> bool:
    with socket.socket() as end:
        return end.connect_ex(("127.0.0.1", port)) == 0
