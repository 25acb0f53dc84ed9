"""Running the command line in this process, with an environment of its own, against servers in others."""

import io
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from inspector.cli.env import CliEnv
from inspector.cli.main import run
from tests.architecture.sources import ROOT

SERVERS = ROOT / "tests" / "servers"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It says so."""
        return True


@dataclass(frozen=True)
class Ran:
    """The output of a command line."""

    status: int
    stdout: str
    stderr: str

    def exits(self, status: int, *words: str) -> Self:
        """Assert the exit status, and that each of these words is on stderr."""
        assert self.status == status, f"{self.stdout}\n{self.stderr}"
        assert [word for word in words if word not in self.stderr] == [], self.stderr
        return self

    def prints(self, *words: str) -> Self:
        """Assert that each of these words is on stdout."""
        assert [word for word in words if word not in self.stdout] == [], self.stdout
        return self

    @property
    def data(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.stdout)

    @property
    def error(self) -> Any:
        """The failure on stderr's last line; a server in this process may log more after it."""
        return json.loads([line for line in self.stderr.splitlines() if line.startswith("{")][-1])["error"]


def inspect(*argv: str, stdin: str = "", env: Mapping[str, str] | None = None, terminal: bool = False) -> Ran:
    """Run `mcp-inspect` with these words."""
    kind = Terminal if terminal else io.StringIO
    cli_env = CliEnv(None, {**os.environ, **(env or {})}, kind(stdin), kind(), kind())
    status = run(argv, cli_env)
    return Ran(status, cli_env.stdout.getvalue(), cli_env.stderr.getvalue())  # type: ignore[attr-defined]


def demo(*flags: str) -> tuple[str, ...]:
    """The words that name the demo server as the target."""
    return ("-e", f"PYTHONPATH={ROOT}", "--", sys.executable, "-m", "inspector.demo", *flags)


def server(name: str, *argv: str) -> tuple[str, ...]:
    """The words that name a server of the tests as the target."""
    return ("--", sys.executable, str(SERVERS / f"{name}.py"), *argv)


def scripted(script: Mapping[str, Any], *argv: str, **opening: Any) -> tuple[str, ...]:
    """The words that name a server of the handshake era that answers by a script."""
    hello = {"protocolVersion": LEGACY, "serverInfo": {"name": "scripted", "version": "1"}, "capabilities": {}}
    return server("scripted", json.dumps({"initialize": {"result": hello | opening}, **script}), *argv)


def _newest(era: str) -> str:
    from inspector.protocol.revisions._shape import Era
    from inspector.protocol.revisions.table import newest_of

    return newest_of(Era(era)).date


LEGACY, MODERN = _newest("legacy"), _newest("modern")
