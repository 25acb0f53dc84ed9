"""Compares commands with those of the official MCP Inspector: python -m benchmarks.official DIRECTORY

DIRECTORY is where `npm install @modelcontextprotocol/inspector@2.12.0` was run. The Inspector needs Node 22.19 or
newer; `--node FILE` names it. Both programs run the same command on server-everything in turn, so that a busy machine
slows both. Of several rounds the median counts; the first round is not counted.
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

from benchmarks.measure import environment, inspector
from tests.servers.real import argv

_MB = 1_000_000
_NAME = re.compile(r"[\w.-]+")


class Cost(NamedTuple):
    """What one run cost."""

    wall_s: float
    cpu_s: float
    """Of the process and of the server that it started."""
    peak_mb: float
    """Of the largest process."""


def cost(words: list[str], env: Mapping[str, str]) -> Cost:
    """Run a command to its end. Raises: SystemExit if it fails."""
    begun = perf_counter()
    child = subprocess.Popen(words, env=dict(env), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: TID251
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"exit status {child.returncode}: {' '.join(words)}")
    return Cost(perf_counter() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


def in_turn(ours: list[str], theirs: list[str], env: Mapping[str, str], rounds: int) -> tuple[Cost, Cost]:
    """Run two commands in turn and return the median of each figure."""
    runs = [(cost(ours, env), cost(theirs, env)) for _ in range(rounds + 1)][1:]
    return _median(first for first, _ in runs), _median(second for _, second in runs)


def _median(costs: Iterable[Cost]) -> Cost:
    return Cost(*(median(figures) for figures in zip(*costs, strict=True)))


def installed(name: str = "mcp-inspect") -> tuple[int, int]:
    """Return how many distributions a package needs, itself included, and their bytes without compiled files."""
    found: dict[str, int] = {}
    waiting = [name]
    while waiting:
        each = waiting.pop().lower().replace("_", "-")
        if each in found:
            continue
        try:
            held = distribution(each)
        except PackageNotFoundError:
            continue  # for another system or version of Python
        found[each] = _bytes(held)
        waiting += [_NAME.findall(line)[0] for line in held.requires or () if "extra ==" not in line]
    sources = sum(file.stat().st_size for file in Path(__file__).parents[1].glob("inspector/**/*.py"))
    return len(found), sum(found.values()) + sources


def _bytes(held: Distribution) -> int:
    paths = [Path(str(held.locate_file(file))) for file in held.files or ()]
    return sum(path.stat().st_size for path in paths if path.is_file() and path.suffix != ".pyc")


def npm_installed(directory: Path) -> tuple[int, int]:
    """Return how many npm packages are installed in a directory, and their bytes."""
    modules = directory / "node_modules"
    packages = [
        file
        for file in modules.rglob("package.json")
        if file.parent.parent.name in ("node_modules", "")
        or (file.parent.parent.name.startswith("@") and file.parent.parent.parent.name == "node_modules")
    ]
    return len(packages), sum(file.stat().st_size for file in modules.rglob("*") if file.is_file())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add options that say where the Inspector is; without a directory, mcp-inspect is measured alone."""
    parser.add_argument("directory", type=Path, nargs="?")
    parser.add_argument("--node", default=shutil.which("node") or "node")


def screen(given: argparse.Namespace) -> tuple[str, ...] | None:
    """Return the command of the Inspector's screen, without a server; None if no directory was given."""
    return (given.node, _launcher(given.directory), "--tui") if given.directory else None


def _launcher(directory: Path) -> str:
    return str(directory / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    add_arguments(parser)
    arguments = parser.parse_args()
    if arguments.directory is None:
        parser.error("say where npm installed the Inspector")
    server = list(argv("everything"))
    cli = [arguments.node, _launcher(arguments.directory), "--cli"]
    call = ["--method", "tools/call", "--tool-name", "get-sum", "--tool-arg", "a=2", "--tool-arg", "b=3"]
    with tempfile.TemporaryDirectory() as home:
        env = environment(Path(home)) | {"HOME": home}
        listed = in_turn(
            [*inspector("list", "tools", "--json", "-q", "--"), *server],
            [*cli, *server, "--method", "tools/list", "--format", "json"],
            env,
            arguments.rounds,
        )
        called = in_turn(
            [*inspector("call", "get-sum", "-a", "a=2", "-a", "b=3", "--json", "-q", "--"), *server],
            [*cli, *server, *call, "--format", "json"],
            env,
            arguments.rounds,
        )
    rows: list[tuple[str, float, float, str]] = []
    for name, (ours, theirs) in (("list tools", listed), ("call a tool", called)):
        rows += [
            (f"{name}: time", ours.wall_s, theirs.wall_s, ".2f s"),
            (f"{name}: processor time", ours.cpu_s, theirs.cpu_s, ".2f s"),
            (f"{name}: memory", ours.peak_mb, theirs.peak_mb, ".0f MB"),
        ]
    (packages, size), (their_packages, their_size) = installed(), npm_installed(arguments.directory)
    rows += [
        ("packages installed", packages, their_packages, ".0f "),
        ("size installed", size / _MB, their_size / _MB, ".0f MB"),
    ]
    print("| | mcp-inspect | Inspector | ratio |\n|---|---|---|---|")
    for name, mine, other, form in rows:
        figure, unit = form.split(" ")
        print(
            f"| {name} | {mine:{figure}} {unit} | {other:{figure}} {unit} | {mine / other:.2f} |".replace("  |", " |")
        )


if __name__ == "__main__":
    main()
