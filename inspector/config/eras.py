"""A target's era before connecting: remembered from an earlier run, or derived from its command.

The remembered era is only a hint. If it is lost, damaged or wrong, the cost is one probe, so nothing here raises: a
file that can't be read is treated as empty, and one that can't be written is logged. Targets are stored as hashes,
because an argv or a URL may contain secrets.
"""

import hashlib
import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile, islice
from pathlib import Path

import msgspec

from inspector.documents import prepared_type
from inspector.errors import UsageError
from inspector.json_file import JsonFile
from inspector.protocol.revisions._shape import Era
from inspector.text import lazy_pattern

logger = logging.getLogger(__name__)

MOST = 500
"""Maximum targets remembered; the least recently used one is forgotten first."""
_FORMAT = 1
_MOST_SOURCE = 1 << 18
"""Maximum bytes of a source file that are searched for an import."""
_MOST_FILES = 300
"""Maximum files of a package that are searched."""
_PYTHON = lazy_pattern(r"python(\d+(\.\d+)*)?")
_IMPORT = lazy_pattern(rb"^[ \t]*(?:from|import)[ \t]+(?:mcp|fastmcp)\b", re.MULTILINE)
_REQUIRES = lazy_pattern(
    rb"^(?:Requires-Dist:[ \t]*(?:mcp|fastmcp)\b(?!-)|Name:[ \t]*mcp[ \t\r]*$)", re.MULTILINE | re.I
)
_INLINE = lazy_pattern(rb"^# /// script", re.MULTILINE)
_BEHIND_SH = lazy_pattern(rb"^'''exec' \"?([^\"\s]+)", re.MULTILINE)
_FLAGS = {"-u", "-B", "-E", "-s", "-I", "-O", "-OO", "-v", "-q"}
_TOOL = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_UV_FLAGS = {"-q", "--quiet", "--no-sync", "--frozen", "--locked", "--offline", "--no-progress"}


@prepared_type
class _File(msgspec.Struct):
    format: int
    eras: dict[str, Era]
    """By target key; the most recently used one is last."""


_Run = tuple[Path, tuple[str, ...]]
"""An interpreter, and its arguments."""


def process_key(argv: Sequence[str], cwd: Path) -> str:
    """Return the key of a server that is started as a process: a hash of its command and directory."""
    return _hash("process", str(cwd), *argv)


def url_key(url: str) -> str:
    """Return the key of a server with a URL, ignoring the fragment, which is never sent to the server."""
    from urllib.parse import urldefrag

    return _hash("url", urldefrag(url).url)


def _hash(*parts: str) -> str:
    # Quoted, so that "a b" and "a", "b" differ. The surrogates of unusual file names are escaped, not rejected.
    return hashlib.sha256(repr(parts).encode(errors="backslashreplace")).hexdigest()[:32]


class Eras:
    """The eras of targets, in one file of the state directory."""

    def __init__(self, state: Path) -> None:
        """Do not access the file yet; `remember` creates the directory."""
        self._file = JsonFile(state / "eras.json", _File)

    def get(self, target_key: str) -> Era | None:
        """Return the remembered era of a target; None if there is none."""
        return self._read().get(target_key)

    def remember(self, target_key: str, era: Era) -> None:
        """Store the era of a target, replacing an earlier one."""
        eras = self._read()
        if eras.get(target_key) is era and next(reversed(eras)) == target_key:
            return
        eras.pop(target_key, None)
        eras[target_key] = era
        self._write(dict(list(eras.items())[-MOST:]))

    def forget(self, target_key: str) -> None:
        """Remove a target whose remembered era was wrong."""
        eras = self._read()
        if eras.pop(target_key, None) is not None:
            self._write(eras)

    def _read(self) -> dict[str, Era]:
        found = self._file.read()
        return found.eras if found is not None and found.format == _FORMAT else {}

    def _write(self, eras: dict[str, Era]) -> None:
        try:
            self._file.replace(_File(_FORMAT, eras))
        except UsageError as error:
            logger.warning("cannot store the detected era of a server: %s", error)


def revealed_era(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Era | None:
    """Return the era that a command reveals by the installed packages; None if it reveals none. Nothing is run.

    Only servers on version 1 of the Python SDK (`mcp`) are detected so far. All belong to the handshake era, and
    write about 250 lines to stderr when they receive an unknown request. Two things must be certain. First, the
    environment of the interpreter that the command names (itself, in a script's first line, by `uv run`, or by `uvx`
    for an installed tool) has the metadata of `mcp` 1 and of no other version. Second, the program uses it: the
    distribution that a console script belongs to requires `mcp` or `fastmcp`, or the script or module imports one of
    them. `env` is the child's, `cwd` its directory. The cost of a wrong result is one rejected request, after which
    the era is probed.
    """
    try:
        found = _python_of(argv, env, Path(cwd))
        others = [entry for entry in env.get("PYTHONPATH", "").split(":") if entry]
        if found is None or any(Path(cwd, entry, "mcp").exists() for entry in others):
            return None
        interpreter, words = found
        places = _places(interpreter)
        versions = {each.name.split("-")[1].split(".")[0] for place in places for each in place.glob("mcp-*.dist-info")}
        return Era.LEGACY if versions == {"1"} and _uses_sdk(words, places, Path(cwd)) else None
    except (OSError, ValueError):
        return None


def _python_of(argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> _Run | None:
    """Return the interpreter that a command runs; None if unknown."""
    program = _program(argv[0], env, cwd) if argv else None
    if program is None:
        return None
    if _PYTHON.fullmatch(program.name):
        return program, tuple(argv[1:])
    words = list(argv[1:])
    if program.name == "uvx" or (program.name == "uv" and words[:2] == ["tool", "run"]):
        return _python_of_tool(words if program.name == "uvx" else words[2:], env, cwd)
    return _python_of_uv(words, cwd) if program.name == "uv" else _python_of_script(program, words, env, cwd)


def _program(word: str, env: Mapping[str, str], cwd: Path) -> Path | None:
    if "/" in word:
        return cwd / word if (cwd / word).is_file() else None
    from shutil import which  # slow to import

    found = which(word, path=env.get("PATH", ""))
    return cwd / found if found else None


def _python_of_uv(words: Sequence[str], cwd: Path) -> _Run | None:
    """Return the interpreter in a project's `.venv`, for `uv [--directory D] run NAME`."""
    left, place, has_run = list(words), cwd, False
    while left and (left[0].startswith("-") or not has_run):
        word = left.pop(0)
        if word in ("--directory", "--project") and left:
            place = cwd / left.pop(0)
        elif word == "run" and not has_run:
            has_run = True
        elif word not in _UV_FLAGS:
            return None
    bin_ = place / ".venv" / "bin"
    if not left or not (bin_ / "python").exists():
        return None
    if (bin_ / left[0]).is_file() and not _PYTHON.fullmatch(left[0]):
        return bin_ / "python", (str(bin_ / left[0]),)
    rest = left[1:] if _PYTHON.fullmatch(left[0]) else left
    if not rest or _INLINE.search(_read(place / rest[0])):  # such a script gets a separate environment
        return None
    return bin_ / "python", tuple(str(place / word) if (place / word).is_file() else word for word in rest)


def _python_of_tool(words: Sequence[str], env: Mapping[str, str], cwd: Path) -> _Run | None:
    """Return the interpreter of a tool installed by `uv tool install`, for `uvx NAME`: uv then runs that version.

    None for a tool that is not installed, or if an option or `NAME@VERSION` may select another version. Source:
    https://docs.astral.sh/uv/concepts/tools/
    """
    left = list(dropwhile(_UV_FLAGS.__contains__, words))
    if not left or _TOOL.fullmatch(left[0]) is None or env.get("UV_ISOLATED"):
        return None
    data = env.get("XDG_DATA_HOME") or (f"{env['HOME']}/.local/share" if env.get("HOME") else "")
    tools = env.get("UV_TOOL_DIR") or (f"{data}/uv/tools" if data else "")
    bin_ = cwd / tools / left[0] / "bin"
    if not tools or not (bin_ / "python").exists() or not (bin_ / left[0]).is_file():
        return None
    return bin_ / "python", (str(bin_ / left[0]),)


def _python_of_script(script: Path, words: Sequence[str], env: Mapping[str, str], cwd: Path) -> _Run | None:
    """Return the interpreter in the first line of a script, also if an installer has put it behind `/bin/sh`."""
    head = _read(script, 512)
    first = head[2:].split(b"\n")[0].decode("utf-8", "replace").split() if head.startswith(b"#!") else []
    if not first:
        return None
    interpreter: Path | None = Path(first[0])
    name = Path(first[0]).name
    if name == "env":
        interpreter = _program(first[-1], env, cwd)
    elif name == "sh" and (found := _BEHIND_SH.search(head)):
        interpreter = Path(found[1].decode("utf-8", "replace"))
    if interpreter is None or not _PYTHON.fullmatch(interpreter.name):
        return None
    return interpreter, (str(script), *words)


def _places(interpreter: Path) -> list[Path]:
    """Return the package directories of an interpreter.

    Links are not followed: that of a virtual environment leads out of it.
    """
    names = ("lib/python3*/site-packages", "lib/python3*/dist-packages", "local/lib/python3*/dist-packages")
    return [found for name in names for found in interpreter.parent.parent.glob(name)]


def _uses_sdk(words: Sequence[str], places: Sequence[Path], cwd: Path) -> bool:
    """Whether the program behind an interpreter uses the SDK."""
    match [word for word in words if word not in _FLAGS]:
        case ["-c", code, *_]:
            return _IMPORT.search(code.encode(errors="replace")) is not None
        case ["-m", module, *_] if top := module.split(".")[0]:
            found = (place / name for place in (cwd, *places) for name in (top, f"{top}.py"))
            return any(_IMPORT.search(_read(file)) for file in _sources(next((p for p in found if p.exists()), None)))
        case [script, *_] if not script.startswith("-"):
            if owners := list(_owners(Path(script), places)):
                return any(_REQUIRES.search(_read(each / "METADATA")) for each in owners)
            return _IMPORT.search(_read(cwd / script)) is not None
        case _:
            return False


def _owners(script: Path, places: Sequence[Path]) -> Iterator[Path]:
    """Yield the metadata of the distributions that have a console script of this name."""
    line = re.compile(rb"^" + re.escape(os.fsencode(script.name)) + rb"[ \t]*=", re.MULTILINE)
    for place in places:
        for each in place.glob("*.dist-info"):
            if line.search(_read(each / "entry_points.txt")):
                yield each


def _sources(module: Path | None) -> Iterator[Path]:
    if module is not None and module.is_dir():
        yield from islice(module.rglob("*.py"), _MOST_FILES)
    elif module is not None:
        yield module


def _read(file: Path, most: int = _MOST_SOURCE) -> bytes:
    """Return the beginning of a regular file; empty for anything else."""
    if not file.is_file():
        return b""
    with file.open("rb") as opened:
        return opened.read(most)
