"""Counts the shapes of the input schemas of other people's servers: `python -m tests.schemas.collect DIRECTORY`.

The packages of packages.toml are installed into DIRECTORY with npm and uv, two at a time, started, and asked for
their tools with `mcp-inspect list tools --json`. No tool is called. A package that does not install or start counts
as failed; its error is in DIRECTORY. Packages whose tools are in DIRECTORY already are not run again. `--counting`
only counts those.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.schemas.shapes import Source, counted, write

HERE = Path(__file__).parent
FIXTURES = HERE / "fixtures"
_AT_ONCE = 2
_INSTALL_SECONDS = 240
_LIST_SECONDS = 40


@dataclass(frozen=True)
class Package:
    """A row of packages.toml."""

    registry: str
    """npm, pypi, or fixture: a server of `fixtures/`, which writes the usual annotations with a library."""
    name: str
    version: str
    bin: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    with_: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """A name for files."""
        return re.sub(r"[^\w.+-]+", "-", f"{self.registry}-{self.name.replace('@', '').replace('/', '+')}")


def packages() -> list[Package]:
    """Return the rows of packages.toml."""
    table = tomllib.loads((HERE / "packages.toml").read_text())
    return [
        Package(
            registry,
            name,
            row["version"],
            row.get("bin", ""),
            tuple(row.get("args", ())),
            row.get("env", {}),
            tuple(row.get("with", ())),
        )
        for registry, rows in sorted(table.items())
        for name, row in rows.items()
    ]


def main(directory: Path, *, counting: bool = False) -> None:
    """Collect into `directory`, count, and write shapes.json and packages.json."""
    directory = directory.resolve()
    wanted = packages()
    if not counting:
        directory.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for package, outcome in zip(wanted, pool.map(lambda each: collect(each, directory), wanted), strict=True):
                print(f"{package.slug}: {outcome}", flush=True)
    write(counted(sources(wanted, directory)))


def sources(wanted: list[Package], directory: Path) -> Iterator[Source]:
    """Yield the packages whose tools were listed."""
    for package in wanted:
        listed = directory / f"{package.slug}.json"
        if listed.is_file():
            yield Source(package.registry, package.name, package.version, json.loads(listed.read_text())["tools"])


def collect(package: Package, directory: Path) -> str:
    """Install and list one package; return the outcome in a line."""
    listed = directory / f"{package.slug}.json"
    failed = directory / f"{package.slug}.failed"
    if listed.is_file():
        return "listed before"
    if failed.is_file():
        return "failed before"
    place, home = directory / package.slug, directory / f"{package.slug}.home"
    home.mkdir(exist_ok=True)
    shutil.rmtree(place, ignore_errors=True)
    try:
        command = _INSTALL[package.registry](package, place)
        listed.write_text(_list_tools(package, command, home))
    except (subprocess.SubprocessError, OSError, LookupError) as error:
        stderr = getattr(error, "stderr", None) or ""
        failed.write_text(f"{error}\n{stderr}")
        listed.unlink(missing_ok=True)
        return f"failed: {str(error).splitlines()[0][:100]}"
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return f"{len(json.loads(listed.read_text())['tools'])} tools"


def _by_npm(package: Package, place: Path) -> list[str]:
    place.mkdir()
    # A package.json of its own, or npm walks up and takes a parent directory's for the project.
    (place / "package.json").write_text('{"private": true}\n')
    pins = [f"{package.name}@{package.version}", *package.with_]
    _run(["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", "--silent", *pins])
    own_place = place / "node_modules" / package.name
    if package.bin and (own_place / package.bin).is_file():  # a package of one platform: nothing but the program
        (own_place / package.bin).chmod(0o755)
        return [str(own_place / package.bin)]
    bins = json.loads((own_place / "package.json").read_text()).get("bin", {})
    names = [package.name.rsplit("/", 1)[-1]] if isinstance(bins, str) else list(bins)
    own = package.bin or next((each for each in names if each == package.name.rsplit("/", 1)[-1]), names[0])
    return [str(place / "node_modules" / ".bin" / own.rsplit("/", 1)[-1])]


def _by_uv(package: Package, place: Path) -> list[str]:
    _into_environment(place, [f"{package.name}=={package.version}", *package.with_])
    return [str(place / "bin" / (package.bin or package.name))]


def _into_environment(place: Path, pins: list[str]) -> None:
    _run(["uv", "venv", "-q", "--python", sys.executable, str(place)])
    _run(["uv", "pip", "install", "-q", "--python", str(place / "bin" / "python"), *pins])


def _fixture(package: Package, place: Path) -> list[str]:
    """`with` names what a fixture needs, `bin` its file."""
    program = FIXTURES / package.bin
    if program.suffix == ".py":
        _into_environment(place, list(package.with_))
        return [str(place / "bin" / "python"), str(program)]
    place.mkdir()
    (place / "package.json").write_text('{"private": true, "type": "module"}\n')
    _run(["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", "--silent", *package.with_])
    return ["node", str(shutil.copy(program, place))]


_INSTALL = {"npm": _by_npm, "pypi": _by_uv, "fixture": _fixture}


def _list_tools(package: Package, command: list[str], home: Path) -> str:
    given = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), **package.env}
    environment = [f"-e{name}={value.replace('DIRECTORY', str(home))}" for name, value in given.items()]
    args = [each.replace("DIRECTORY", str(home)) for each in package.args]
    own = ["--json", "--timeout", str(_LIST_SECONDS), "--cwd", str(home)]
    listing = [sys.executable, "-m", "inspector", "list", "tools", *own, *environment, "--", *command, *args]
    done = _run(listing, seconds=2 * _LIST_SECONDS, env={**os.environ, "HOME": str(home)})
    if "tools" not in json.loads(done):
        raise LookupError(f"no tools: {done[:200]}")
    return done


def _run(argv: list[str], seconds: float = _INSTALL_SECONDS, env: dict[str, str] | None = None) -> str:
    polite = ["nice", "-n", "5", *argv]
    done = subprocess.run(
        polite, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, env=env
    )
    return done.stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]), counting="--counting" in sys.argv)
