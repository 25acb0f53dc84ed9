"""Where the servers are that this project did not write, and how each is run.

They live in `.test-servers/` beside the tests, put there by `python -m tests.servers.real.install`; nothing
here installs, and no test does.
"""

import os
import tomllib
from pathlib import Path
from typing import cast

ROOT = Path(__file__).parents[3]
"""The checkout."""
PLACE = ROOT / ".test-servers"
INSTALL = "python -m tests.servers.real.install"
NPM = ("node", "conformance", "earlier", "apps")
"""The environments that npm fills; all others are Python's."""


class NotInstalled(Exception):
    """A server that a test wants is not there; the message says how to get it."""


def versions() -> dict[str, dict[str, str]]:
    """Return what belongs into each environment: one of NPM or a Python environment's name → package → version."""
    table = tomllib.loads(Path(__file__).with_name("versions.toml").read_text())
    return {name: cast(dict[str, str], table[name]) for name in NPM} | cast(dict[str, dict[str, str]], table["python"])


def is_ci() -> bool:
    """True where a missing server is a failure and not a reason to skip."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def reason_to_skip() -> str:
    """Return why tests on real servers can't run here, "" if they can (or, in CI, must)."""
    return "" if is_ci() or PLACE.is_dir() else f"the real servers are not installed: run `{INSTALL}`"


def argv(name: str, place: Path = PLACE) -> tuple[str, ...]:
    """Return how a server is run.

    `name` is what follows "server-" in the package's name ("everything"; "earlier everything" is the version before),
    and the result runs it over stdio.
    For the name of a Python environment ("mcp1", "mcp2", "fastmcp") it is that environment's interpreter.

    Raises: NotInstalled; KeyError if versions.toml knows no such server.
    """
    program = _program(name, place)
    if not program.exists():
        raise NotInstalled(f"{program.name} of {name} is not in {place.name}: run `{INSTALL}`")
    return (str(program),)


def _program(name: str, place: Path) -> Path:
    known = versions()
    if name in known and name not in NPM:
        return place / name / "bin" / "python"
    earlier, _, own = name.rpartition(" ")
    home = earlier or "node"
    if any(package.endswith(f"/server-{own}") for package in known.get(home, ())):
        return place / home / "node_modules" / ".bin" / f"mcp-server-{own}"
    raise KeyError(name)
