"""What somebody wants to look at, by a word: a URL, a capture, a command line, or a server that some host knows.

One rule for the command line and for the line in the interface. Nothing is opened here, and a name gives what a
host's file describes: whoever opens that asks first.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from shutil import which

import msgspec

from inspector.config.paths import expanded
from inspector.errors import UsageError
from inspector.viewmodels.start import OpenCapture, OpenServer, Server, StartChoice

_SCHEMES = ("http://", "https://")
_MOST_NAMES = 8
_RECORDINGS = frozenset((".mcpcap", ".har", ".json", ".jsonl", ".ndjson", ".log", ".txt", ".toml", ".yaml", ".yml"))


class OpenTyped(msgspec.Struct, frozen=True):
    """A server that somebody has described by hand: its command, or its URL."""

    argv: tuple[str, ...] = ()
    url: str = ""


Wanted = StartChoice | OpenTyped


def wanted(word: str, servers: Sequence[Server]) -> Wanted:
    """What a word stands for, the servers being those that were found.

    Raises: UsageError if it stands for nothing, or for several servers.
    """
    word = word.strip()
    if word.startswith(_SCHEMES):
        return OpenTyped(url=word)
    if (found := named(word, servers)) is not None:
        return OpenServer(found)
    if word.endswith(".mcpcap") or (_is_file(word) and not _is_program(word)):
        return OpenCapture(_capture(word))
    if _is_program(word):
        return OpenTyped(argv=(str(expanded(word)) if "/" in word else word,))
    if any(char.isspace() for char in word):
        return OpenTyped(argv=_argv(word))
    raise _nothing(word, servers)


def named(word: str, servers: Sequence[Server]) -> Server | None:
    """The server of that name, or of that `HOST:NAME` or `FILE:NAME` where several have one.

    Entries are one server only if all that runs or is sent is the same: else a project's file could put its variables
    or headers in the place of the person's own.
    """
    found = [
        each
        for each in servers
        if each.name and word in (each.name, f"{each.host}:{each.name}", f"{each.path}:{each.name}")
    ]
    different = {
        (each.argv, each.url, each.cwd, frozenset(each.env), frozenset(each.headers)): each for each in reversed(found)
    }
    if len(different) > 1:
        hosts = [each.host for each in different.values()]
        ways = ", ".join(
            repr(f"{each.host if hosts.count(each.host) == 1 else each.path}:{each.name}")
            for each in reversed(different.values())
        )
        names = "several servers that differ in command, directory, variables or headers"
        raise UsageError(f"{word!r} is the name of {names}", hint=f"Say whose: {ways}.")
    return found[0] if found else None


def _is_file(word: str) -> bool:
    """Whether a word that looks like a file's name is that of one: a capture, or what another program recorded."""
    path = expanded(word)
    return " " not in word and ("/" in word or bool(path.suffix)) and path.is_file()


def _is_program(word: str) -> bool:
    """Whether a word is an executable, by its path or on PATH. A recording is none, whatever its mode."""
    if any(char.isspace() for char in word) or Path(word).suffix.lower() in _RECORDINGS:
        return False
    return which(str(expanded(word)) if "/" in word else word) is not None


def _capture(word: str) -> Path:
    from inspector.capture.lines import demand_file  # the start names none

    path = expanded(word)
    demand_file(path, "mcp-inspect without any words lists recent captures.")
    return path


def _argv(word: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(word))
    except ValueError as error:
        raise UsageError(f"{word!r} is no command line: {error}", hint="Quote as in a shell.") from None


def _nothing(word: str, servers: Sequence[Server]) -> UsageError:
    from difflib import get_close_matches

    names = [*dict.fromkeys(each.name for each in servers if each.name)]
    if near := get_close_matches(word, names, n=1):
        return UsageError(f"no server {word!r} was found", hint=f"Did you mean {near[0]!r}?")
    known = f"Found were: {', '.join(names[:_MOST_NAMES])}." if names else "No host's file names any server."
    return UsageError(
        f"{word!r} is no URL, no capture, no command with arguments, and no server that was found", hint=known
    )
