"""Servers with one fault each, and the diagnosis that has to come first for each of them.

Every file below the chapters is one server. Its docstring tells the story as its user would meet it, and the comments
below say what is to come of it:

    # expects: environment-variable-missing                     the id of the primary finding
    # exit: 4                           the exit status of `check`; 1 if it is not said
    # command: npx -y @acme/mcp         how it is started; the file itself, with Python, if it is not said
    # path: bin                         a folder here that stands first on the PATH of the child
    # options: --timeout 3              what `check` is told beside
    # url: /mcp                         it is served over HTTP, by the file's own `answer`
    # by: doctor                        the command that finds it; check, if it is not said

In a command {python} is this interpreter, {here} the file's folder, {file} the file. In a URL {port} is the host's.
"""

import ast
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
_HEADER = re.compile(r"^# (expects|exit|command|path|options|url|by): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Faulty:
    """A server with a fault."""

    name: str
    """Chapter and file: "process/missing_program"."""
    story: str
    expects: str
    exit: int
    command: tuple[str, ...]
    """How it is started; () of one that is served over HTTP."""
    path: str
    options: tuple[str, ...]
    url: str
    """Path, or a whole URL; "" of one that is started."""
    by: str
    """The command that finds it: check, or doctor."""

    @property
    def file(self) -> Path:
        """Where it stands."""
        return HERE / f"{self.name}.py"

    @property
    def words(self) -> tuple[str, ...]:
        """The words after `check` for a server that is started."""
        child = ["-e", f"PYTHONPATH={ROOT}"]
        if self.path:
            child += ["-e", f"PATH={HERE / self.path}:/usr/bin:/bin"]
        return (*child, *self.options, "--", *self.command)


def read(file: Path) -> Faulty:
    """What a file says of itself. Raises: KeyError where it does not say what is expected."""
    text = file.read_text()
    said = dict(_HEADER.findall(text))
    places = {"python": sys.executable, "here": str(file.parent), "file": str(file)}
    command = said.get("command", "" if "url" in said else "{python} {file}")
    words = (re.sub(r"\{(python|here|file)\}", lambda found: places[found[1]], word) for word in shlex.split(command))
    return Faulty(
        file.relative_to(HERE).with_suffix("").as_posix(),
        ast.get_docstring(ast.parse(text)) or "",
        said["expects"],
        int(said.get("exit", 1)),
        tuple(words),
        said.get("path", ""),
        tuple(shlex.split(said.get("options", ""))),
        said.get("url", ""),
        said.get("by", "check"),
    )


def servers() -> list[Faulty]:
    """All of them, by chapter and name."""
    return [read(file) for file in sorted(HERE.glob("*/*.py")) if not file.name.startswith("_")]
