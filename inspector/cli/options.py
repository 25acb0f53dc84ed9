"""The options that several commands share, and how they become a target and settings.

One rule: everything before `--` is ours, in any order; everything after it is the server's argv, untouched. An
option that means nothing for the target at hand is an error, never ignored.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from inspector.config.environment import Environment, build_environment
from inspector.config.targets import HttpTarget, StdioTarget, Target, parse_url
from inspector.errors import UsageError
from inspector.protocol.revisions._shape import Era
from inspector.session.waiting import Clocks

F = TypeVar("F", bound=Callable[..., Any])

_FOR_STDIO = {"set_": "-e", "env_file": "--env-file", "inherit_env": "--inherit-env", "cwd": "--cwd"}
_FOR_HTTP = {"header": "-H", "cacert": "--cacert", "insecure": "--insecure"}

_OPTIONS = [
    click.option("-e", "set_", multiple=True, metavar="KEY[=VAL]", help="Give the server a variable; KEY alone copies ours."),
    click.option("--env-file", type=click.Path(path_type=Path), help="Give the server the variables of a file."),
    click.option("--inherit-env", is_flag=True, help="Give the server all of our environment, not the safe few."),
    click.option("--cwd", type=click.Path(path_type=Path), help="Start the server in this directory."),
    click.option("-H", "--header", multiple=True, metavar="'NAME: VALUE'", help="Send a header; @FILE reads it from a file."),
    click.option("--cacert", type=click.Path(path_type=Path), help="Trust the certificates in this file."),
    click.option("--insecure", is_flag=True, help="Check no certificate."),
    click.option("--transport", type=click.Choice(["stdio", "http", "sse"]), help="Demand a transport."),
    click.option("--era", type=click.Choice(["auto", "legacy", "modern"]), default="auto", show_default=True),
    click.option("--revision", default="", metavar="DATE", help="Use this protocol version and no other."),
    click.option("--timeout", type=float, default=60.0, show_default=True, metavar="S", help="Longest silence; progress resets it."),
    click.option("--max-total", type=float, default=3600.0, show_default=True, metavar="S", help="Longest wait in all."),
    click.option("--capture", type=click.Path(path_type=Path), metavar="FILE", help="Record the session here."),
]


def target_options(command: F) -> F:
    """Add the options of every command that talks to a server."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the options and the words around them come to."""

    target: Target
    era: Era | None
    revision: str
    clocks: Clocks
    capture: Path | None


def choose(
    theirs: tuple[str, ...] | None, url: str | None, options: Mapping[str, Any], *, env: Mapping[str, str] = os.environ
) -> Chosen:
    """Make a target of the words after `--` (None without `--`) or of a URL.

    Raises: UsageError where there is none or both, or where an option does not go with it.
    """
    transport = options.get("transport")
    if theirs is not None and url is not None:
        raise UsageError(f"both a command after -- and {url!r}", hint="A target is one or the other.")
    if theirs is not None:
        target: Target = _stdio(theirs, options, env)
    elif url is not None:
        target = _http(url, options, env)
    else:
        raise UsageError("no server named", hint="Give a URL, or a command after --: mcp-inspect … -- node server.js")
    if transport is not None and (transport == "stdio") is not isinstance(target, StdioTarget):
        raise UsageError(f"--transport {transport} does not go with this target")
    era = None if options["era"] == "auto" else Era(options["era"])
    clocks = Clocks(_seconds(options["timeout"], "--timeout"), _seconds(options["max_total"], "--max-total"))
    return Chosen(target, era, options["revision"], clocks, options.get("capture"))


def _seconds(value: float, name: str) -> float | None:
    """Seconds, or None for ever where 0 was given."""
    if value < 0:
        raise UsageError(f"{name} {value:g}: a time can't be negative", hint="0 waits for ever.")
    return value or None


def _refuse(options: Mapping[str, Any], names: Mapping[str, str], why: str) -> None:
    given = [shown for name, shown in names.items() if options.get(name)]
    if given:
        raise UsageError(f"{', '.join(given)}: {why}")


def _stdio(argv: tuple[str, ...], options: Mapping[str, Any], env: Mapping[str, str]) -> StdioTarget:
    if not argv:
        raise UsageError("nothing stands after --", hint="Give the server's command there: mcp-inspect -- node server.js")
    _refuse(options, _FOR_HTTP, "only for servers reached by URL")
    environment: Environment = build_environment(
        env, inherit_all=options["inherit_env"], set_=options["set_"], env_file=options["env_file"]
    )
    return StdioTarget(argv, environment, str(Path(options["cwd"] or ".").absolute()))


def _http(url: str, options: Mapping[str, Any], env: Mapping[str, str]) -> HttpTarget:
    _refuse(options, _FOR_STDIO, "only for servers that are started, after --")
    cacert = options["cacert"]
    if cacert is not None and not cacert.is_file():
        raise UsageError(f"--cacert {cacert}: no such file")
    return HttpTarget(
        parse_url(url),
        headers=tuple(_header(text) for text in options["header"]),
        cacert=str(cacert) if cacert else None,
        insecure=options["insecure"],
        legacy_sse=options["transport"] == "sse",
    )


def _header(text: str) -> tuple[str, str]:
    """A header as typed, or from a file so that a secret stays out of the shell's history."""
    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"-H {text}: the file can't be read: {error}") from None
    name, colon, value = text.partition(":")
    if not colon or not name.strip() or any(char in text for char in "\r\n\0"):
        raise UsageError(f"-H {text!r} is no header", hint="Write it as 'Name: value'.")
    return name.strip(), value.strip()
