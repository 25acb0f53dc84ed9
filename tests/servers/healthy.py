"""Servers of others that have no fault that stops anybody, as a table, and how each is run.

`python -m tests.servers.fleet FILE` installs and judges them; those that are small are among the real servers, and
a story checks them.
"""

import asyncio
import os
import shlex
import tomllib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from inspector.config.environment import build_environment
from inspector.config.targets import HttpTarget, StdioTarget, Target
from tests.servers.real import PLACE, versions
from tests.stories.real_targets import free_port
from tests.waiting import until


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
    def place(self) -> Path | None:
        """Where it is installed among the servers that tests run against; None if it is not one of them."""
        shared = (name for name, packages in versions().items() if packages.get(self.package) == self.version)
        return next((PLACE / name for name in shared), None)

    def argv(self, scratch: str, port: int) -> tuple[str, ...]:
        """The command that runs it."""
        program, *words = shlex.split(self._filled(self.run, scratch, port))
        assert self.place, f"{self} is not installed"
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
