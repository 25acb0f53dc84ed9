"""Which file a command names, told the way the child will see it; and if there is none, what is wrong.

It looks before anything is started, on the PATH and in the directory that the child gets and not on ours,
because "No such file or directory" from the kernel means a missing command, a missing directory, or a
missing interpreter, and does not say which.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from inspector.errors import ConnectError

_SHEBANG_LENGTH = 256
"""Bytes of a script's first line that the Linux kernel reads."""
_NAMES_AT_MOST = 20_000
"""Executables compared with a misspelt one; more would only make the message late."""


def find_executable(command: str, env: Mapping[str, str], cwd: str | None) -> str:
    """Return the absolute path of what `command` would run in a child with this environment and directory.

    A command with a slash is looked up from `cwd` (None: our own), one without on the PATH in `env`.

    Raises: ConnectError that says what was searched, what is wrong with what was found, and what to do.
    """
    directory = _directory(cwd)
    if not command or "\0" in command:
        raise ConnectError("The command to start is empty or holds a NUL.", hint="Name a program to run.")
    path = directory / command if "/" in command else _on_path(command, env, directory)
    _must_be_runnable(path, env, directory)
    return str(path)


def _directory(cwd: str | None) -> Path:
    directory = Path(cwd or ".").absolute()
    if directory.is_dir():
        return directory
    what = "is not a directory" if directory.exists() else "does not exist"
    raise ConnectError(
        f"The directory to start the server in, {directory}, {what}.",
        hint="Name an existing directory with --cwd, or in the server's configuration.",
    )


def _search_path(env: Mapping[str, str], directory: Path) -> list[Path]:
    """Return the directories of PATH; an empty or relative entry is meant from the child's directory."""
    listed = env.get("PATH", os.defpath)
    return [directory / entry for entry in listed.split(os.pathsep)]


def _on_path(command: str, env: Mapping[str, str], directory: Path) -> Path:
    places = _search_path(env, directory)
    found = _which(command, places)
    if found:
        return found
    for place in places:
        if (place / command).is_file():
            return place / command  # there, but not executable: the better sentence comes from the checks
    searched = os.pathsep.join(map(str, places))
    origin = "it looked in" if "PATH" in env else "it got no PATH, so the default was searched:"
    raise ConnectError(
        f"`{command}` is not on the PATH that the server gets; {origin} {searched}",
        hint=_near(command, places),
    )


def _which(name: str, places: list[Path]) -> Path | None:
    """The first executable of that name; what the system's own search would find."""
    found = (place / name for place in places)
    return next((path for path in found if os.path.isfile(path) and os.access(path, os.X_OK)), None)


def _near(command: str, places: list[Path]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(command, _executables(places), n=3, cutoff=0.7)
    also = f"Did you mean {' or '.join(f'`{name}`' for name in close)}? Else give" if close else "Give"
    return f"{also} the command's absolute path, or another PATH with -e PATH=…"


def _executables(places: list[Path]) -> list[str]:
    names: dict[str, None] = {}
    for place in dict.fromkeys(places):
        for name in _names_in(place):
            names[name] = None
            if len(names) == _NAMES_AT_MOST:
                return list(names)
    return list(names)


def _names_in(place: Path) -> Iterator[str]:
    try:
        with os.scandir(place) as entries:
            yield from (entry.name for entry in entries if os.access(entry.path, os.X_OK))
    except OSError:
        return  # a PATH entry that isn't there is no fault of the command


def _must_be_runnable(path: Path, env: Mapping[str, str], directory: Path) -> None:
    if path.is_dir():
        raise ConnectError(f"{path} is a directory, not a program.", hint=_inside(path))
    if not path.exists():
        if path.is_symlink():
            raise ConnectError(
                f"{path} is a link to {os.readlink(path)}, which does not exist.",
                hint="Install the program again, or name another.",
            )
        from difflib import get_close_matches

        close = get_close_matches(path.name, _executables([path.parent]), n=1)
        raise ConnectError(
            f"{path} does not exist.",
            hint=f"Did you mean {path.parent / close[0]}?" if close else "Check the path and --cwd.",
        )
    if not os.access(path, os.X_OK):
        raise ConnectError(
            f"{path} exists but may not be executed.",
            hint=f"Make it executable (chmod +x {path}), or put its interpreter before it.",
        )
    _must_have_interpreter(path, env, directory)


def _inside(path: Path) -> str:
    names = sorted(_names_in(path))
    return f"Name a program in it, such as {path / names[0]}." if names else "Name the program to run."


def _must_have_interpreter(path: Path, env: Mapping[str, str], directory: Path) -> None:
    words = _shebang(path)
    if not words:
        return
    interpreter = words[0]
    if interpreter.endswith("\r") or words[-1].endswith("\r"):
        raise ConnectError(
            f"{path} exists but its first line ends with a carriage return, so its interpreter is not found.",
            hint="The file was saved with Windows line ends: convert it, with dos2unix for example.",
        )
    if not (directory / interpreter).exists():
        raise ConnectError(
            f"{path} exists but its interpreter {interpreter} does not.",
            hint=f"Install {Path(interpreter).name}, or correct the first line of the script.",
        )
    if Path(interpreter).name == "env" and len(words) == 2 and _is_missing(words[1], env, directory):
        raise ConnectError(
            f"{path} exists but its interpreter `{words[1]}` does not on the PATH that the server gets: "
            f"{env.get('PATH', os.defpath)}",
            hint=f"Install {words[1]}, or give the server a PATH that has it with -e PATH=…",
        )


def _is_missing(name: str, env: Mapping[str, str], directory: Path) -> bool:
    if name.startswith("-") or "=" in name or "/" in name:
        return False  # `env -S …` or `env A=B …`: env itself knows better
    return _which(name, _search_path(env, directory)) is None


def _shebang(path: Path) -> list[str]:
    """Return interpreter and argument of a script's first line; empty if it has none or can't be read."""
    try:
        with path.open("rb") as file:
            start = file.read(_SHEBANG_LENGTH)
    except OSError:
        return []  # executable and not readable: legal for a binary
    if not start.startswith(b"#!"):
        return []
    line = os.fsdecode(start[2:].partition(b"\n")[0])
    return line.strip(" \t").split(None if "\r" not in line else " ", 1)


def why_not_started(path: str, error: OSError) -> ConnectError:
    """Return what it means that the kernel refused a file which passed every check of `find_executable`."""
    if isinstance(error, FileNotFoundError):
        return ConnectError(
            f"{path} exists but the loader that it was built for does not.",
            hint="It is a binary for another system or C library: install the one for this system.",
        )
    if error.strerror == "Exec format error":
        return ConnectError(
            f"{path} is neither a program for this machine nor a script that names its interpreter.",
            hint="Put the interpreter before it (python server.py), or start the file with #!.",
        )
    return ConnectError(f"{path} could not be started: {error.strerror or error}.", hint="Check the file.")
