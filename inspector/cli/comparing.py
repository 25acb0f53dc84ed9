"""The sides of a comparison: captures, lock files or servers; and the options for comparing.

An argument is a URL, a file (a capture or a lock file), or a command with its arguments, quoted as one argument. An
existing file takes precedence over other meanings. A single word is never started: a command without arguments goes
after `--`.
"""

import os
import shlex
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import click
import msgspec

from inspector.capture.compare.normal import NAMES, Normal, read_rule, read_rules
from inspector.capture.format.lines import demand_file
from inspector.cli.captures import loaded_capture
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import option_group, shared
from inspector.cli.launch import numbered
from inspector.cli.lists import declared, fetch
from inspector.cli.output import Output
from inspector.cli.targets import WITHOUT_HTTP, WITHOUT_STDIO, found_by_name
from inspector.config.paths import expanded
from inspector.config.targets import WEB_SCHEMES
from inspector.errors import UsageError
from inspector.features.lock.lock_file import ServerDefinitions, definitions_of, is_lock_file, read_lock_file
from inspector.protocol import peek
from inspector.protocol.credentials import command_without_credentials, without_credentials

comparing_options = option_group(
    shared(
        "comparing",
        "--ignore",
        "ignored",
        multiple=True,
        metavar="RULE",
        help="Ignore PATH, or replace: PATH => TEXT, /REGEX/ => TEXT.",
    ),
    shared(
        "comparing",
        "--rules",
        "rules_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Read these rules from a YAML or TOML file.",
    ),
    shared("comparing", "--exact", multiple=True, metavar="NAME", help=f"Do not normalize: {', '.join(NAMES)}, all."),
    shared(
        "comparing",
        "--only",
        multiple=True,
        metavar="PATTERN",
        help="Compare only these methods or names: tools/*, echo.",
    ),
)
_NOT_FOUND = -32601


class CompareOptions(msgspec.Struct, frozen=True):
    normal: Normal
    only: tuple[str, ...] = ()


class SideKind(StrEnum):
    CAPTURE = "capture"
    LOCK_FILE = "lock-file"
    TARGET = "target"


class ComparedSide(msgspec.Struct, frozen=True):
    """One side of a comparison as given on the command line."""

    kind: SideKind
    name: str
    """Display name for titles; the whole command line for a command."""
    path: Path | None = None
    url: str | None = None
    argv: tuple[str, ...] = ()


class FetchedSide(msgspec.Struct, frozen=True):
    """The fetched definitions of a side."""

    status: ExitStatus
    surface: ServerDefinitions = ServerDefinitions()


def read_compare_options(options: Mapping[str, Any]) -> CompareOptions:
    """Parse the options. Raises: UsageError."""
    rules = [read_rule(text) for text in options["ignored"]]
    exact = set(options["exact"])
    if options["rules_file"] is not None:
        more, also_exact = read_rules(options["rules_file"])
        rules, exact = [*rules, *more], exact | set(also_exact)
    if unknown := sorted(exact - {*NAMES, "all"}):
        raise UsageError(f"--exact {unknown[0]!r}: nothing of that name is replaced", hint=f"There are {NAMES}.")
    return CompareOptions(Normal(rules, off=NAMES if "all" in exact else exact), tuple(options["only"]))


def refuse_rules(options: Mapping[str, Any]) -> None:
    """Reject rules about operations where definitions are compared. Raises: UsageError."""
    names = {"ignored": "--ignore", "rules_file": "--rules", "exact": "--exact", "only": "--only"}
    if given := [shown for name, shown in names.items() if options.get(name)]:
        raise UsageError(f"{', '.join(given)}: applies to sessions only; add --sessions")


def is_capture(path: Path) -> bool:
    """Return whether a file is a capture, by its name or first bytes."""
    try:
        with path.open("rb") as file:
            return path.suffix == ".mcpcap" or b'"mcpcap"' in file.read(400)
    except OSError:
        return False


def read_sides(words: tuple[str, ...], env: CliEnv, count: int) -> tuple[ComparedSide, ...]:
    """Return exactly `count` sides from the arguments and the command after `--`, which is last. Raises: UsageError."""
    server_argv = env.server_argv
    sides = [side_of(word, env) for word in words]
    if server_argv is not None:
        if not server_argv:
            raise UsageError("missing command after --")
        sides.append(
            ComparedSide(SideKind.TARGET, shlex.join(command_without_credentials(server_argv)), argv=server_argv)
        )
    if len(sides) != count:
        wanted = "expected one target" if count == 1 else "expected two targets"
        raise UsageError(
            f"{wanted}, got {len(sides)}",
            hint="Name captures, lock files, URLs, or commands quoted as one word: 'node server.js'.",
        )
    return tuple(sides)


def side_of(word: str, env: CliEnv) -> ComparedSide:
    """Return the side that an argument names. Raises: UsageError if it names none."""
    if word.startswith(WEB_SCHEMES):
        return ComparedSide(SideKind.TARGET, without_credentials(word), url=word)
    if found_by_name(env, word) is not None:
        return ComparedSide(SideKind.TARGET, word, url=word)
    path = expanded(word)
    if os.path.isfile(path):
        if os.access(path, os.X_OK) and not is_capture(path):
            raise UsageError(f"{word} is a program", hint="Put a command without arguments after --.")
        return ComparedSide(SideKind.LOCK_FILE if is_lock_file(path) else SideKind.CAPTURE, word, path)
    if not any(char.isspace() for char in word):
        demand_file(path, "Quote a server's command as one word, or put it after --.")
    try:
        argv = tuple(shlex.split(word))
        return ComparedSide(SideKind.TARGET, shlex.join(command_without_credentials(argv)), argv=argv)
    except ValueError as error:
        raise UsageError(f"invalid command line {word!r}: {error}", hint="Quote it as in a shell.") from None


def are_captures(sides: tuple[ComparedSide, ...]) -> bool:
    """Return whether all sides are captures, so that sessions can be compared."""
    return all(side.kind is SideKind.CAPTURE for side in sides)


def demand_captures(sides: tuple[ComparedSide, ...]) -> tuple[Path, ...]:
    """Return the files of the sides. Raises: UsageError if one is not a capture."""
    for side in sides:
        if side.kind is not SideKind.CAPTURE:
            raise UsageError(
                f"{side.name} is not a capture: it has no requests and responses",
                hint="Without --sessions, server definitions are compared.",
            )
    return tuple(side.path for side in sides if side.path is not None)


def definitions_of_side(env: CliEnv, output: Output, side: ComparedSide, options: dict[str, Any]) -> FetchedSide:
    """Return the definitions of a side. From a server, all lists are fetched; the status is not OK if that failed.

    Raises: UsageError, CaptureError for a file that can't be read.
    """
    if side.kind is SideKind.LOCK_FILE:
        assert side.path is not None, "it is a file"
        surface, odd = read_lock_file(side.path)
        for message in odd:
            output.warn(message)
        return FetchedSide(ExitStatus.OK, surface)
    if side.kind is SideKind.CAPTURE:
        assert side.path is not None, "it is a file"
        return FetchedSide(ExitStatus.OK, _of_capture(output, side.path))
    return _of_target(env, side, options)


def _of_capture(output: Output, path: Path) -> ServerDefinitions:

    with loaded_capture(output, path) as journal:
        surface = definitions_of(journal.conversation)
    if not surface.is_known:
        raise UsageError(
            f"{path} contains no server definitions",
            hint="It has no initialize or server/discover response, and no list.",
        )
    return surface


def _of_target(env: CliEnv, side: ComparedSide, options: dict[str, Any]) -> FetchedSide:
    found: list[ServerDefinitions] = []

    async def work(visit: CommandSession) -> ExitStatus:
        status = ExitStatus.OK
        for kind in declared(visit.opening):
            fetched = await fetch(visit, kind)
            if fetched.error is not None and peek.integer(fetched.error, "code") != _NOT_FOUND:
                visit.output.warn(fetched.refusal)
                status = ExitStatus.TOOL_ERROR
        found.append(definitions_of(visit.session.journal.conversation))
        return status

    own = msgspec.structs.replace(env, server_argv=side.argv or None)
    status = visit(own, side.url, options, work)
    return FetchedSide(status, found[0] if found else ServerDefinitions())


def options_for(side: ComparedSide, sides: tuple[ComparedSide, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that apply to a side, without those that can only apply to the other one."""
    kinds = {bool(each.argv) for each in sides if each.kind is SideKind.TARGET}
    own = dict(options)
    if len(kinds) == 2:
        own |= WITHOUT_HTTP if side.argv else WITHOUT_STDIO
    earlier = [each for each in sides[: sides.index(side)] if each.kind is SideKind.TARGET]
    if earlier and own.get("capture"):
        own["capture"] = numbered(own["capture"])
    return own
