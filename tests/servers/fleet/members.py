"""Who belongs to the fleet."""

import re
import shlex
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from tests.schemas.collect import packages
from tests.servers.healthy import servers

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Member:
    """One server over one transport."""

    name: str
    pins: tuple[str, ...]
    """What is installed: of npm or PyPI, with versions."""
    by_npm: bool
    run: tuple[str, ...]
    """Its program and words; {place}, {port} and {here} are filled in. An absent program is the package's own."""
    url: str = ""
    """Of one that is reached over HTTP."""
    env: dict[str, str] = field(default_factory=dict)
    file: str = ""
    """A program of this directory that is copied beside what is installed."""
    beside: tuple[str, ...] = ()
    """A command that runs beside it, for one that leads to another server; {behind} is its port."""

    @property
    def slug(self) -> str:
        """A name for a directory."""
        return re.sub(r"[^\w.+-]+", "-", self.name)


def members() -> list[Member]:
    """All of them: the small ones of this directory first."""
    table = tomllib.loads((HERE / "fleet.toml").read_text())
    found = [
        Member(
            row["name"],
            tuple(row["pins"]),
            kind == "npm",
            tuple(shlex.split(row["run"])),
            row.get("url", ""),
            row.get("env", {}),
            row.get("file", ""),
            tuple(shlex.split(row.get("beside", ""))),
        )
        for kind, rows in table.items()
        for row in rows
    ]
    for each in servers():
        pins = {each.package: each.version} | each.beside
        found.append(
            Member(
                f"{each} ({each.run.split()[1]})" if each.url and " " in each.run else f"{each}",
                tuple(f"{name}@{pin}" if each.by_npm else f"{name}=={pin}" for name, pin in pins.items()),
                each.by_npm,
                tuple(shlex.split(each.run)),
                each.url,
                each.env,
            )
        )
    for package in packages():
        if package.registry == "fixture":
            continue
        by_npm = package.registry == "npm"
        pin = f"{package.name}@{package.version}" if by_npm else f"{package.name}=={package.version}"
        args = tuple(each.replace("DIRECTORY", "{place}") for each in package.args)
        env = {name: value.replace("DIRECTORY", "{place}") for name, value in package.env.items()}
        run = (f"={package.bin or ''}", *args)
        found.append(Member(f"{package.name} {package.version}", (pin, *package.with_), by_npm, run, "", env))
    return list({each.name: each for each in reversed(found)}.values())[::-1]
