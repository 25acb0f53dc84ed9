"""`mcp-inspect serve` as a process: what a client starts, and what ends with it."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

from inspector.cli.commands import serve
from tests.architecture.sources import ROOT
from tests.cli.running import inspect
from tests.serve.agent import script
from tests.servers.faulty import HERE, read
from tests.servers.real import PLACE
from tests.waiting import until


def _served(*words: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "inspector", "serve", *words], env=dict(os.environ), cwd=ROOT
    )


async def test_a_client_on_stdio_lists_and_calls_the_tools() -> None:
    async with Client(stdio_client(_served("--", *script("conforming"))), mode="legacy") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"open", "call", "check", "restart"} <= set(names)
        opened = await client.call_tool("open", {})
        assert opened.structured_content["state"] == "open"


@pytest.mark.parametrize("killed", ["client", "serve"])
async def test_a_server_that_ignores_the_end_of_stdin_ends_when_the_client_or_serve_is_killed(
    killed: str, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    served = tmp_path / "served.py"
    target = str(HERE / "process/ignores_eof.py")
    served.write_text(
        f"import os, sys\nwith open({str(pids)!r}, 'w') as file:\n    file.write(f'{{os.getpid()}} ')\n"
        f"os.execv(sys.executable, [sys.executable, {target!r}])\n"
    )
    agent = tmp_path / "agent.py"
    agent.write_text(
        "import asyncio, sys\n"
        "from mcp import StdioServerParameters\n"
        "from mcp.client.client import Client\n"
        "from mcp.client.stdio import stdio_client\n"
        "async def main():\n"
        f"    words = ['-m', 'inspector', 'serve', '-e', 'PYTHONPATH={ROOT}', '--', sys.executable, {str(served)!r}]\n"
        "    async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=words))) as client:\n"
        "        await client.call_tool('open', {})\n"
        "        await asyncio.sleep(3600)\n"
        "asyncio.run(main())\n"
    )
    client = psutil.Popen([sys.executable, str(agent)], cwd=ROOT)
    try:
        await until(lambda: pids.exists() and pids.read_text().endswith(" "), "the server starts")
        server = psutil.Process(int(pids.read_text()))
        serve_process = server.parent()
        others = client.children(recursive=True)
        assert serve_process is not None
        assert {server, serve_process} <= set(others)
        (client if killed == "client" else serve_process).send_signal(signal.SIGKILL)
        await until(lambda: not any(_runs(each) for each in others), "serve, its server and its reaper end")
    finally:
        client.kill()
        client.wait()


def _runs(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


@pytest.mark.real
@pytest.mark.parametrize("name", ["process/key_missing", "surface/hidden_text"])
def test_a_client_of_the_typescript_sdk_gets_the_cause(name: str) -> None:
    faulty = read(HERE / f"{name}.py")
    client, sdk = ROOT / "tests/features/tap/ts_client.mjs", PLACE / "node/node_modules/@modelcontextprotocol/sdk"
    serve_command = [sys.executable, "-m", "inspector", "serve", *faulty.words]
    ran = subprocess.run(
        ["node", str(client), str(sdk), *serve_command],
        capture_output=True,
        check=True,
        text=True,
        cwd=ROOT,
        timeout=120,
    )
    found = json.loads(ran.stdout)
    assert len(found["tools"]["tools"]) == 16
    opened, checked = (found[tool]["structuredContent"] for tool in ("open", "check"))
    assert opened.get("cause", checked.get("primary"))["id"] == faulty.expects


def test_without_an_allowed_server_nothing_is_served() -> None:
    inspect("serve").exits(2, "--allow-config")


def test_a_missing_sdk_is_named_with_the_command_that_installs_it(monkeypatch: object) -> None:
    monkeypatch.setattr(serve, "find_spec", lambda name: None)  # type: ignore[attr-defined]
    inspect("serve", "--", "server").exits(2, "pip install 'mcp-inspect[serve]'")
