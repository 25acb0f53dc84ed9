"""Servers of others that have no fault that stops anybody: `python -m tests.servers.healthy [WORD…]` checks them.

It installs what is missing into `.test-servers/healthy`, and prints how much `check` says of each, with every error
and warning: each is true, or a false alarm of ours. It needs the package indices, so no test runs it; those that are
small are among the real servers, and a story checks them.
"""

import asyncio
import json
import os
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.config.environment import build_environment
from inspector.config.targets import HttpTarget, StdioTarget, Target
from tests.cli.running import Ran, inspect
from tests.servers.real import PLACE, versions
from tests.servers.real.install import bring_up
from tests.stories.real_targets import free_port
from tests.waiting import until

HERE = PLACE / "healthy"


@dataclass(frozen=True)
class Healthy:
    """One server, over one transport."""

    package: str
    version: str
    run: str
    by_npm: bool
    url: str = ""
    env: dict[str, str] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)
    """Packages that it needs in a version that is not their newest."""

    def __str__(self) -> str:
        return f"{self.package} {self.version}{' over HTTP' if self.url else ''}"

    @property
    def is_real(self) -> bool:
        """Whether it is one of the servers that tests run against."""
        return self.place.parent == PLACE

    @property
    def place(self) -> Path:
        """Where it is installed: alone, or in an environment of the real servers that has this version."""
        shared = (name for name, packages in versions().items() if packages.get(self.package) == self.version)
        alone = HERE / self.package.removeprefix("@").replace("/", "-")
        return next((PLACE / name for name in shared), alone)

    def argv(self, scratch: str, port: int) -> tuple[str, ...]:
        """The command that runs it."""
        program, *words = shlex.split(self._filled(self.run, scratch, port))
        if self.by_npm:
            return str(self.place / "node_modules" / ".bin" / program), *words
        return str(self.place / "bin" / "python"), str(self.place / "bin" / program), *words

    def variables(self, scratch: str, port: int) -> dict[str, str]:
        """What it gets of an environment."""
        given = {name: self._filled(value, scratch, port) for name, value in self.env.items()}
        return {"PATH": os.environ["PATH"], "HOME": scratch} | given

    def _filled(self, text: str, scratch: str, port: int) -> str:
        return text.replace("{place}", scratch).replace("{port}", str(port))


def servers() -> Iterator[Healthy]:
    """All of the table."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    for kind, found in table.items():
        yield from (Healthy(**each, by_npm=kind == "npm") for each in found)


async def main(wanted: list[str]) -> int:
    """Install, check, print; 1 if one could not be installed or checked."""
    chosen = [each for each in servers() if not wanted or any(word in each.package for word in wanted)]
    failed = 0
    for each in chosen:
        try:
            if not each.is_real:
                bring_up(each.place, {each.package: each.version} | each.beside, by_npm=each.by_npm)
        except subprocess.CalledProcessError as error:
            failed += 1
            print(f"{each!s:<60} not installed: {error}", flush=True)
            continue
        with tempfile.TemporaryDirectory() as scratch:
            ran = await check(each, scratch)
        failed += _tell(each, ran)
    print(f"{len(chosen)} servers, {failed} of them could not be checked")
    return bool(failed)


async def check(server: Healthy, scratch: str) -> Ran:
    """Let `check` look at it; `scratch` is a folder of its own."""
    ours = {"MCP_INSPECT_HOME": f"{scratch}/.inspect"}
    async with running(server, scratch) as (words, _):
        return await asyncio.to_thread(inspect, "check", "--json", "--fail-on", "never", *words, env=ours)


@asynccontextmanager
async def running(server: Healthy, scratch: str) -> AsyncIterator[tuple[tuple[str, ...], Target]]:
    """The words that name it to a command, and its target; one over HTTP runs for the time of the block."""
    port = free_port()
    argv, env = server.argv(scratch, port), server.variables(scratch, port)
    if not server.url:
        given = [f"{name}={value}" for name, value in env.items()]
        target = StdioTarget(argv, build_environment({}, inherit_all=False, set_=given), scratch)
        yield words_of(target), target
        return
    async with _running(argv, env, scratch, port):
        target_of = HttpTarget(server.url.replace("{port}", str(port)))
        yield words_of(target_of), target_of


def words_of(target: Target) -> tuple[str, ...]:
    """The words that name a target to a command."""
    if isinstance(target, HttpTarget):
        return (target.url,)
    given = (word for name, value in target.environment.values.items() for word in ("-e", f"{name}={value}"))
    return (*given, "--cwd", target.cwd, "--", *target.argv)


@asynccontextmanager
async def _running(argv: tuple[str, ...], env: dict[str, str], scratch: str, port: int) -> AsyncIterator[None]:
    """Run a server for the time of the block; the block begins when somebody listens on its port."""
    nothing = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *argv, env=env, cwd=scratch, stdin=nothing, stdout=nothing, stderr=nothing
    )
    try:
        await until(lambda: process.returncode is not None or _listens(port), f"{argv[0]} listens", 30)
        yield
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _listens(port: int) -> bool:
    import socket

    for host in ("127.0.0.1", "::1"):
        with suppress(OSError), socket.create_connection((host, port), 0.2):
            return True
    return False


def _tell(server: Healthy, ran: Ran) -> bool:
    """Print what was found; whether there was no session at all."""
    found: dict[str, Any] = json.loads(ran.stdout) if ran.stdout.startswith("{") else {"counts": {}, "findings": []}
    counts = ", ".join(f"{count} {severity}" for severity, count in found["counts"].items() if count) or "nothing"
    print(f"{server!s:<60} exit {ran.status}  {counts}", flush=True)
    for each in found["findings"]:
        if each["severity"] != "hint":
            print(f"    {each['severity']} {each['id']} {each['evidence']['pointer']} {each['sentence']}")
    if ran.status:
        print("    " + "\n    ".join(ran.stderr.splitlines()[-6:]))
    return ran.status != 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
