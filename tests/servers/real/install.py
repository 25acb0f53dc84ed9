"""Installs the servers of versions.toml into `.test-servers/`: `python -m tests.servers.real.install`.

Each environment carries a note of what was put into it. While the note matches the table nothing is done; where
it does not, the environment is made anew, so a change of versions never leaves a mixture behind.
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

from tests.servers.real import NPM, PLACE, versions

_NOTE = "installed.txt"


def main() -> None:
    """Bring every environment up to the table and say what was done."""
    for name, packages in versions().items():
        done = "installed" if bring_up(PLACE / name, packages) else "is up to date"
        print(f"{name}: {done}: {', '.join(f'{package} {pin}' for package, pin in packages.items())}")


def bring_up(place: Path, packages: dict[str, str], *, by_npm: bool | None = None) -> bool:
    """Make one environment hold exactly these packages; return whether there was anything to do.

    `by_npm`: whose packages they are; None goes by the environment's name.

    Raises: subprocess.CalledProcessError if npm or pip fails; FileNotFoundError if there is no npm.
    """
    wanted = "".join(f"{package} {pin}\n" for package, pin in sorted(packages.items()))
    place = place.resolve()  # programs name their interpreter by its path, and a link to it may be removed
    note, pip = place / _NOTE, place / "bin" / "pip"
    was_moved = pip.exists() and str(place / "bin") not in pip.read_text()
    if note.exists() and note.read_text() == wanted and not was_moved:
        return False
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if place.name in NPM if by_npm is None else by_npm:
        _npm(place, packages)
    else:
        _pip(place, packages)
    note.write_text(wanted)
    return True


def _npm(place: Path, packages: dict[str, str]) -> None:
    # A package.json of its own, or npm walks up and takes a parent directory's for the project.
    (place / "package.json").write_text('{"private": true}\n')
    pins = [f"{package}@{pin}" for package, pin in packages.items()]
    # Their scripts download browsers, which no test needs; that of node fetches the program itself.
    _run("npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", *pins)
    if "node" in packages:
        _run("npm", "rebuild", "--prefix", str(place), "node")


def _pip(place: Path, packages: dict[str, str]) -> None:
    venv.create(place, with_pip=True, clear=True)
    pins = [f"{package}=={pin}" for package, pin in packages.items()]
    _run(str(place / "bin" / "python"), "-m", "pip", "install", "-qq", *pins)


def _run(*argv: str) -> None:
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)


if __name__ == "__main__":
    main()
