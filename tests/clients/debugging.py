"""Run pinned agents with `mcp-inspect serve`: `python -m tests.clients.debugging [CLIENT …]`.

Each agent is installed into a temporary folder and gets `serve` for a server that fails. It must list it, and the
scripted model of a loopback endpoint must get the cause of the failure through it. `--installed FOLDER` uses the
installations in its subfolders, named by client. Exits 1 if an agent does not get the cause.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.clients.endpoint import ModelEndpoint, tools_of
from tests.clients.pins import PINS, Pin
from tests.clients.run import AGENTS, environment, install, run
from tests.servers.faulty import HERE, ROOT, read

SERVER = read(HERE / "process/key_missing.py")
_CALLED = ("open", "check", "logs")
_PATIENT = {"MCP_TIMEOUT": "60000"}
"""Milliseconds that Claude Code waits for a server; the official SDK takes seconds to import on a busy machine."""
_LISTERS = ("claude-code", "codex", "gemini-cli")
"""Agents that `serve install` knows and that have `mcp list`."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.clients.debugging", description=__doc__)
    parser.add_argument("clients", nargs="*", metavar="CLIENT", choices=[*AGENTS, []])
    parser.add_argument("--installed", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    failed = 0
    for id_ in options.clients or AGENTS:
        with tempfile.TemporaryDirectory(prefix="clients-", ignore_cleanup_errors=True) as folder:
            place = options.installed / id_ if options.installed else Path(folder) / "client"
            if not options.installed:
                install(PINS[id_], place)
            problems = [*problems_of(PINS[id_], place, Path(folder))]
        well = f"lists it, calls {', '.join(_CALLED)}, gets the cause"
        print(f"{id_} {PINS[id_].version}: {'; '.join(problems) or well}")
        failed += bool(problems)
    return 1 if failed else 0


def problems_of(pin: Pin, installed: Path, folder: Path) -> Iterator[str]:
    """Yield what does not work with an agent; nothing if all does."""
    if pin.id in _LISTERS:
        yield from _listed(pin, installed, folder / "listing")
    yield from _called(pin, installed, folder / "calling")


def _listed(pin: Pin, installed: Path, home: Path) -> Iterator[str]:
    """Install `serve` as a user does, and let the agent list its servers."""
    home.mkdir()
    start = AGENTS[pin.id](home / "unused", "", {})
    env = environment(installed, pin, home, start.env)
    words = [sys.executable, "-m", "inspector", "serve", "install", pin.id, "--yes", "--", *SERVER.command]
    subprocess.run(words, check=True, cwd=ROOT, env={**env, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL)
    printed = run((start.argv[0], "mcp", "list"), env, home) + (home / "stderr.txt").read_text()
    if "mcp-inspect" not in printed:
        yield f"mcp list does not list it: {printed!r}"


def _called(pin: Pin, installed: Path, home: Path) -> Iterator[str]:
    """Let the scripted model of the agent call tools of `serve`."""
    home.mkdir()
    argv = (*("env", f"PYTHONPATH={ROOT}", f"MCP_INSPECT_HOME={home / 'inspector'}"), sys.executable, "-m", "inspector")
    serve = (*argv, "serve", *SERVER.words)
    with ModelEndpoint(rf"inspect.*[^a-z]({'|'.join(_CALLED)})$", {}) as endpoint:
        start = AGENTS[pin.id](home, endpoint.url, {"mcp-inspect": serve})
        if pin.id == "codex":  # otherwise its first turn does not wait for servers
            with (home / ".codex/config.toml").open("a") as config:
                config.write("\nrequired = true\nstartup_timeout_sec = 60\n")
        run(start.argv, environment(installed, pin, home, {**start.env, **_PATIENT}), home)
    bodies = [body for _, body in endpoint.requests]
    names = [tool["name"] for tool in tools_of(max(bodies, key=lambda body: len(tools_of(body)), default={}))]
    if len(endpoint.called) < len(_CALLED):
        yield f"its model gets the tools {names} and calls {endpoint.called}"
    if SERVER.expects not in json.dumps(bodies):
        yield f"its model does not get the cause {SERVER.expects}"


if __name__ == "__main__":
    sys.exit(main())
