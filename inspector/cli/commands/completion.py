"""`mcp-inspect completion`: shell completion for bash, zsh and fish.

The script of a shell runs mcp-inspect with MCP_INSPECT_COMPLETE set, which then prints only candidates, one per
line: `KIND<tab>VALUE<tab>HELP`. The kind is "plain", or what the shell completes itself: "file", "directory",
"command".
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import msgspec
from click.shell_completion import split_arg_string

from inspector.cli.command_group import Commands
from inspector.cli.command_line import WITH_VALUE, first_word, positions, split
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.output import Output
from inspector.config.paths import places
from inspector.config.settings import captures_directory
from inspector.errors import InspectError

_TEXT, _LINE, _BREAKS = "MCP_INSPECT_TEXT", "MCP_INSPECT_LINE", "MCP_INSPECT_BREAKS"
"""The command line up to the cursor, the whole command line, and the characters at which bash splits words."""
_SHELLS = ("bash", "zsh", "fish")
_EXAMPLES = (
    "mcp-inspect completion bash > ~/.local/share/bash-completion/completions/mcp-inspect",
    'mcp-inspect completion zsh > "${fpath[1]}/_mcp-inspect"',
    "mcp-inspect completion fish > ~/.config/fish/completions/mcp-inspect.fish",
)

_LISTED = {"call": "tools", "prompt": "prompts", "read": "resources", "subscribe": "resources"}
"""Commands whose first argument is a name in one of the server's lists."""

_NO_CAPTURE = ("import", "test")
"""Commands that take files but no captures."""


class Candidate(msgspec.Struct, frozen=True):
    """One possible completion."""

    value: str
    help: str = ""
    kind: str = "plain"


@documented("completion", _EXAMPLES)
@click.argument("shell", type=click.Choice(_SHELLS), metavar="SHELL")
@click.pass_obj
def command(env: CliEnv, /, shell: str) -> ExitStatus:
    """Print the completion script of a shell: bash, zsh or fish. Its first lines explain installation.

    Commands, options and their values, captures, servers in client config files, and names of tools, resources and
    prompts from the last session with the server are completed.
    """
    Output(env).text(Path(__file__).with_suffix(f".{shell}").read_text("utf-8").rstrip("\n"))
    return ExitStatus.OK


def complete(env: CliEnv, root: Commands) -> None:
    """Print the candidates for the command line in the environment."""
    text, line = env.environ.get(_TEXT, ""), env.environ.get(_LINE, "")
    words, current = _words(text)
    breaks = [char for char in ":=" if char in env.environ.get(_BREAKS, "")]
    cut = max((current.rfind(char) + 1 for char in breaks), default=0)  # bash replaces the text after the last one
    with suppress(
        InspectError, click.ClickException, OSError, ValueError
    ):  # an invalid command line has no candidates, and a traceback would break the prompt
        for each in candidates(words, current, _words(line + " ")[0], env, root):
            if each.kind != "plain":
                env.stdout.write(f"{each.kind}\t{current}\t\n")
            elif each.value.startswith(current) and each.value.isprintable():
                env.stdout.write(f"plain\t{each.value[cut:]}\t{_one_line(each.help)}\n")


def _words(text: str) -> tuple[list[str], str]:
    """Return the words before the cursor, without the program's name, and the word at the cursor."""
    words = split_arg_string(text)
    current = words.pop() if words and not text[-1:].isspace() else ""
    return words[1:], current


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", "".join(char if char.isprintable() else " " for char in text)).strip()[:100]


def candidates(
    words: Sequence[str], current: str, line: Sequence[str], env: CliEnv, root: Commands
) -> Iterator[Candidate]:
    """Yield the candidates at the cursor.

    `words`: those before the cursor; `line`: all words, because the target may follow the cursor.
    """
    ours, server_argv = split(words)
    if server_argv is not None:
        yield Candidate("", kind="file" if server_argv else "command")
        return
    context = root.make_context("mcp-inspect", [], resilient_parsing=True)
    place = first_word(ours)
    known = None if place is None else root.get_command(context, _command_name(ours[place]))
    placed = [ours[each] for each in positions(ours)][1:]
    if isinstance(known, click.Group):
        inner = known.get_command(context, placed[0]) if placed else None
        if inner is None:
            yield from (Candidate(name, known.commands[name].get_short_help_str()) for name in known.commands)
        known, placed = inner or known, placed[1:]
    if ours and ours[-1] in WITH_VALUE:
        yield from _values(_option(known or root.get_command(context, "stdio"), ours[-1]), env)
    elif current.startswith("-"):
        yield from _options(known, root, context, ours)
    elif known is None:
        if place is None:
            yield from (Candidate(name, summary) for name, summary in root.summaries.items())
    elif not isinstance(known, click.Group):
        yield from _arguments(known, placed, line, env)


def _command_name(word: str) -> str:
    return "http" if word.startswith(("http://", "https://")) else word


def _option(command: click.Command | None, name: str) -> click.Parameter | None:
    return next((each for each in command.params if name in each.opts), None) if command is not None else None


def _options(
    command: click.Command | None, root: Commands, context: click.Context, ours: Sequence[str]
) -> Iterator[Candidate]:
    chosen = [command or root.get_command(context, "stdio"), *([root] if command is None else [])]
    for each in (param for one in chosen if one is not None for param in one.get_params(context)):
        if isinstance(each, click.Option) and not each.hidden and (each.multiple or not set(each.opts) & set(ours)):
            for name in (*each.opts, *each.secondary_opts):
                yield Candidate(name, each.help or "")


def _values(param: click.Parameter | None, env: CliEnv) -> Iterator[Candidate]:
    """Yield the candidates for an option's value."""
    if param is None:
        return
    if param.name in ("capability", "no_capability"):
        from inspector.protocol.capabilities import ALL

        yield from map(Candidate, ("all", "elicitation", *ALL))
    elif param.name == "hosts":
        from inspector.checks.compat.packs import known_hosts

        yield from (Candidate(each.id, each.name) for each in known_hosts().values())
    elif param.name == "others":
        yield from (*_servers(env), *_captures(env))
    elif param.name == "capture_file":
        yield from (*_captures(env), Candidate("", kind="file"))
    else:
        yield from _of_type(param.type)


def _of_type(kind: click.ParamType[Any]) -> Iterator[Candidate]:
    if isinstance(kind, click.Choice):
        yield from map(Candidate, map(str, kind.choices))
    elif isinstance(kind, click.Path):
        yield Candidate("", kind="file" if kind.file_okay else "directory")


def _arguments(command: click.Command, placed: Sequence[str], line: Sequence[str], env: CliEnv) -> Iterator[Candidate]:
    """Yield the candidates for the argument at the cursor; `placed` are the arguments before it."""
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    at = next((each for each in arguments[len(placed) :]), arguments[-1] if arguments else None)
    if at is None or (len(placed) >= len(arguments) and at.nargs != -1):
        return
    name = command.name or ""
    if name in _LISTED and not placed:
        yield from _listed(_LISTED[name], line, env)
    elif at.name in ("url", "word", "words", "what", "source", "files", "file"):
        takes_file = at.name != "url" and name not in ("subscribe", "skills", "complete")
        if at.name not in ("file", "files"):
            yield from _servers(env)
        if takes_file and name not in _NO_CAPTURE:
            yield from _captures(env)
        if takes_file:
            yield Candidate("", kind="file")
    else:
        yield from _of_type(at.type)


def _servers(env: CliEnv) -> Iterator[Candidate]:
    from inspector.config.servers import found_servers

    for each in found_servers(env.environ, Path.cwd()):
        if each.name and not each.name.startswith("-"):
            yield Candidate(each.name, each.host)


def _captures(env: CliEnv) -> Iterator[Candidate]:
    from inspector.capture.automatic import captures

    for path in captures(captures_directory(env.environ))[:20]:
        yield Candidate(str(path), "recent capture")


def _listed(kind: str, line: Sequence[str], env: CliEnv) -> Iterator[Candidate]:
    """Yield names from the last session with the server on the line; without one, from recently used servers."""
    from inspector.config.remembered import ListedNames

    listed = ListedNames(places(env.environ).cache)
    key = _target_key(line, env)
    for each in listed.of(key) if key else listed.recent():
        yield from (Candidate(name) for name in each.get(kind, ()) if not name.startswith("-"))


def _target_key(line: Sequence[str], env: CliEnv) -> str:
    """Return the key of the server on a command line; "" if there is none."""
    from inspector.cli.targets import found_by_name, found_key
    from inspector.config.eras import process_key, url_key

    ours, server_argv = split(line)
    if server_argv:
        return process_key(server_argv, Path(_given(ours, "--cwd") or ".").absolute())
    for word in [ours[each] for each in positions(ours)][1:]:
        if "://" in word:
            return url_key(word)
        if (server := found_by_name(env, word)) is not None:
            return found_key(server, env.environ)
    return ""


def _given(ours: Sequence[str], option: str) -> str:
    return next((value for name, value in pairwise(ours) if name == option), "")
