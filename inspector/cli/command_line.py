"""Splits the command line into the command, its arguments, and the server's argv; parses durations with units.

Everything before the first `--` is ours, in any order. Everything after it is the server's, including further `--`.
The command's name may follow options, and a bare URL or a bare `--` is a command too.
"""

import os
import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from os.path import splitext

import click
import msgspec

from inspector.config.settings import parse_duration
from inspector.errors import RUNTIMES, UsageError

_HOST_AND_PORT = r"[A-Za-z0-9.-]+:\d{1,5}(/|$)"
"""A URL without a scheme."""
_URL = ("http://", "https://")
"""Beginnings of a URL. `config.targets` is not loaded for --help."""
WITH_VALUE = frozenset(
    {
        *("--approve", "--as", "-a", "--args", "-e", "--env-file", "--cwd", "-H", "--header", "--cacert"),
        *("--transport", "--era", "--revision", "--timeout", "--max-total", "--capture"),
        *("--capability", "--no-capability", "--root", "--root-uri", "--responses", "--log-level"),
        *("--params", "--count", "--ttl", "--with", "--from-capture"),
        *("-n", "--last", "--color"),
        *("--for", "--uri"),
        *("--raw", "--wait", "--batch", "--extension", "--no-extension"),
        *("--cursor", "--limit", "--pages", "--refresh"),
        *("--client-id", "--client-secret-env", "--client-metadata-url", "--private-key", "--signing-alg", "--scope"),
        *("--oauth-port", "--oauth-callback", "--dpop", "--grant", "--assertion", "--token-store"),
        *("--idp-token-endpoint", "--idp-client-id", "--id-token"),
        *("--sampler-url", "--sampler-model", "--sampler-approve", "--sampler-key-env", "--sampler-timeout"),
        *("--max", "--junit", "--sarif", "--baseline", "--call", "--fail-on", "--lock"),
        *("--host", "--other-server", "--server-name"),
        *("--http", "--speed", "--conn", "--fault"),
        *("-o", "--output", "--redact", "--secret-env", "--secret", "--key-file"),
        *("--ignore", "--rules", "--exact", "--only", "--where", "--to", "--from"),
        *("-k", "--filter", "--pytest", "--env", "--search", "--queries", "--budget", "--query"),
        *("--send", "--by", "--otlp", "--keep-on", "--keep"),
        *("-t", "--tool", "--concurrency", "--rate", "--calls", "--soak", "--slowest", "--save", "--pid"),
        *("--against", "--markdown"),
        *("--max-runs", "--pair", "--works"),
        *("--deny", "--locale", "--screenshot", "--size", "--theme", "--wait-for"),
        "--allow-config",
        *("--label", "--host-timeout", "--stderr", "--until", "--watch"),
        *("--random", "--seed", "--probe-timeout", "--probe-for"),
    }
)
"""Options whose value may be the next argument."""
_VALUE_MAY_BE_MISSING = "--watch"
"""Option whose value is the next argument only if that is not an option."""


class CommandLine(msgspec.Struct, frozen=True):
    """A split command line."""

    command: str
    """Name of the command; "" if there is none."""
    ours: tuple[str, ...]
    """Options and arguments without the command's name."""
    server_argv: tuple[str, ...] | None
    """Arguments after `--`; None without `--`."""


def take_apart(argv: Sequence[str], commands: Sequence[str]) -> CommandLine:
    """Find the command among the arguments.

    Raises: UsageError if the first word is neither a command nor a URL, and for a server's command without `--`.
    """
    ours, server_argv = split(argv)
    place = first_word(ours)
    if place is None:
        return CommandLine("stdio" if server_argv is not None else "", ours, server_argv)
    word, rest = ours[place], ours[:place] + ours[place + 1 :]
    if word in commands:
        if word == "stdio" and (place := first_word(rest)) is not None:
            if rest[place].startswith(_URL):
                raise UsageError("a URL is no command to start", hint=f"Write: {shlex.join(['mcp-inspect', *rest])}")
            raise missing_dashes(("stdio", *rest[:place]), rest[place:], server_argv)
        return CommandLine(word, rest, server_argv)
    if word.startswith(_URL):
        return CommandLine("http", ours, server_argv)
    raise _unknown(word, ours, place, server_argv, commands)


def split(argv: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Return the arguments before and after the first `--`; the latter is None without `--`."""
    if "--" not in argv:
        return tuple(argv), None
    place = list(argv).index("--")
    return tuple(argv[:place]), tuple(argv[place + 1 :])


def no_server() -> UsageError:
    """Return the error for a command that needs a server and got none."""
    return UsageError("no server named", hint="Give its URL, or its command at the end, after --: -- node server.js")


def refuse_misspelt_option(ours: Sequence[str], known: Collection[str], program: str) -> None:
    """Raises: UsageError if an option before the first word is misspelt: then that word is its value."""
    from difflib import get_close_matches

    for word in ours[: first_word(ours)]:
        near = get_close_matches(word, known, n=1, cutoff=0.8)
        if near and word.startswith("--") and word not in known and word not in WITH_VALUE:
            raise UsageError(f"no such option {word!r}", hint=f"Did you mean {near[0]!r}? See {program} --help.")


def first_word(words: Sequence[str]) -> int | None:
    """Return the index of the first argument that is neither an option nor an option's value; None if there is none."""
    return next(positions(words), None)


def positions(words: Sequence[str]) -> Iterator[int]:
    """Yield the indexes of arguments that are neither options nor option values."""
    is_value, before = False, ""
    for place, word in enumerate(words):
        if is_value and (before != _VALUE_MAY_BE_MISSING or not word.startswith("-")):
            is_value = False
        elif word.startswith("-") and word != "-":
            is_value, before = word in WITH_VALUE, word
        else:
            yield place


def _unknown(
    word: str, ours: tuple[str, ...], place: int, server_argv: tuple[str, ...] | None, commands: Sequence[str]
) -> UsageError:
    if near := nearest(word, commands):
        return UsageError(f"unknown command {word!r}", hint=f"Did you mean {near!r}? See mcp-inspect --help.")
    if re.match(_HOST_AND_PORT, word):
        return UsageError(f"invalid URL {word!r}", hint=f"Did you mean http://{word}?")
    if word.endswith(".mcpcap"):
        return UsageError(f"{word!r} is a capture", hint=f"Write: {shlex.join(['mcp-inspect', 'replay', *ours])}")
    if server_argv is None and _could_start_a_server(word, ours[place + 1 :]):
        return missing_dashes(ours[:place], ours[place:], None)
    return UsageError(f"{word!r} is neither a command nor a URL", hint="See mcp-inspect --help.")


def nearest(word: str, known: Sequence[str]) -> str | None:
    """Return the word that another one misspells or shortens, as md does markdown; None without one."""
    from difflib import get_close_matches

    for each in known:
        letters = iter(each)
        if each[:1] == word[:1] and all(letter in letters for letter in word):
            return each
    return next(iter(get_close_matches(word, known, n=1)), None)


def _could_start_a_server(word: str, rest: Sequence[str]) -> bool:
    return bool(rest) or "/" in word or "." in word


def missing_dashes(ours: Sequence[str], command: Sequence[str], server_argv: tuple[str, ...] | None) -> UsageError:
    """Return the error for a server's command that is not behind `--`, with the right line."""
    if server_argv is not None:
        return UsageError(
            f"unexpected {command[0]!r} before --",
            hint=f"Write: {shlex.join(['mcp-inspect', *ours, '--', *server_argv])}",
        )
    runtime = RUNTIMES.get(splitext(command[0])[1]) if not os.access(command[0], os.X_OK) else None
    return UsageError(
        "the server's command needs -- before it, so that its options are not taken for ours",
        hint=f"Write: {shlex.join(['mcp-inspect', *ours, '--', *filter(None, [runtime]), *command])}",
    )


def duration(text: str | float) -> float:
    """Parse a duration and return seconds. Used as an option type; the option checks the range.

    Raises: click.BadParameter.
    """
    try:
        return float(text)
    except ValueError:
        found = parse_duration(str(text))
    if found is None:
        raise click.BadParameter(f"invalid duration {text!r}: use seconds (5), or 500ms, 5s, 2m, 1h.")
    return found


def lasting(text: str | float) -> float:
    """Parse a duration that must be greater than 0. Raises: click.BadParameter."""
    seconds = duration(text)
    if not seconds > 0:
        raise click.BadParameter(f"{text} is not more than 0 seconds.")
    return seconds
