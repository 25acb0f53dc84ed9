"""The table of commands, and running one: argv in, exit status out.

Only the module of the command that runs is imported: `mcp-inspect call` loads neither the interface nor the other
commands.
"""

import errno
import logging
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress

import click
import msgspec

from inspector.cli.command_group import COMMANDS, commands
from inspector.cli.command_line import (
    CommandLine,
    missing_dashes,
    nearest,
    no_server,
    positions,
    refuse_misspelt_option,
    split,
    take_apart,
)
from inspector.cli.env import CliEnv, replace_unencodable
from inspector.cli.exit_status import ExitStatus
from inspector.cli.output import Output
from inspector.cli.process import narrated_log
from inspector.config.settings import user_config
from inspector.errors import RUNTIMES, InspectError, UsageError
from inspector.text import cut

logger = logging.getLogger(__name__)
_OF_A_GROUP = ("No such command ", "Missing command")


def run(argv: Sequence[str], env: CliEnv | None = None) -> int:
    """Run one command line and return the exit status. Never raises."""
    env = env or CliEnv()
    replace_unencodable(env.stdout)
    ours, _ = split(argv)
    output = Output(env, as_json="--json" in ours)
    with narrated_log(env):
        try:
            return _run(argv, env, output)
        except click.exceptions.Exit as leave:
            return leave.exit_code
        except click.ClickException as error:
            return output.failure(_as_ours(error, argv))
        except InspectError as error:
            return output.failure(error)
        except KeyboardInterrupt:
            return ExitStatus.INTERRUPTED
        except BrokenPipeError:
            _write_no_more(env)
            return ExitStatus.BROKEN_PIPE
        except Exception as error:  # the boundary of every command
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
                _write_no_more(env)
                return output.failure(UsageError(f"the output can't be written: {error.strerror}"))
            if (unusable := _unusable_path(error)) is not None:
                return output.failure(unusable)
            logger.exception("internal error; please report this traceback")
            return ExitStatus.MISTAKE


def _unusable_path(error: Exception) -> UsageError | None:
    """Return an error for a path that can't be looked up; None for other errors.

    `Path.exists` raises for a name that is too long, and in a directory that may not be searched.
    """
    if not isinstance(error, OSError) or error.errno not in (errno.ENAMETOOLONG, errno.EACCES) or not error.filename:
        return None
    return UsageError(f"{cut(os.fsdecode(error.filename), 200)}: {error.strerror}", hint="Name another path.")


def _run(argv: Sequence[str], env: CliEnv, output: Output) -> int:
    if "MCP_INSPECT_COMPLETE" in env.environ:
        from inspector.cli.commands.completion import complete

        complete(env, commands)
        return ExitStatus.OK
    try:
        words = take_apart(argv, list(COMMANDS))
    except UsageError:
        refuse_misspelt_option(split(argv)[0], _own_options(), "mcp-inspect")
        raise
    name = words.command or _without_a_command(words)
    if name != "config":
        for problem in user_config(env.environ).problems:
            output.warn(problem)
    if words.server_argv is not None and not COMMANDS[name or "start"].talks:
        raise UsageError(f"mcp-inspect {name} takes no server's command", hint=f"See mcp-inspect {name} --help.")
    line = [name, *words.ours] if name else list(words.ours)
    with commands.make_context(
        "mcp-inspect", line, obj=msgspec.structs.replace(env, server_argv=words.server_argv)
    ) as context:
        return int(commands.invoke(context) or 0)


def _without_a_command(words: CommandLine) -> str:
    """Return the command for a command line without a name, a URL or `--`.

    It is "start", or "" for the program's own options.
    """
    if any(word in ("-h", "--help", "-V", "--version") for word in words.ours):
        return ""
    if set(words.ours) <= {"--json", "-q", "--quiet"}:
        return "start"
    if (name := words.ours[0].partition("=")[0]).startswith("--") and name not in _own_options():
        raise UsageError(f"no such option {name!r}", hint="See mcp-inspect --help.")
    raise no_server()


def _own_options() -> set[str]:
    stdio = commands.get_command(click.Context(commands), "stdio")
    return {option for each in stdio.params for option in each.opts} if stdio else set()


def _refuse_command_without_dashes(context: click.Context, argv: Sequence[str]) -> None:
    """Raises: UsageError if the place of the target has a program with arguments, without `--` before it."""
    ours, server_argv = split(argv)
    words = list(positions(ours))
    if server_argv is not None or not words or not COMMANDS.get(ours[words[0]], COMMANDS["demo"]).talks:
        return
    place = max(1, sum(isinstance(each, click.Argument) for each in context.command.params))
    at = words[place] if place < len(words) else len(ours)
    if (at + 1 < len(ours) and shutil.which(ours[at])) or (ours[at : at + 1] and ours[at].endswith(tuple(RUNTIMES))):
        raise missing_dashes(ours[:at], ours[at:], None)


def _as_ours(error: click.ClickException, argv: Sequence[str]) -> UsageError:
    from inspector.cli.arguments import refuse_argument

    context = error.ctx if isinstance(error, click.UsageError) else None
    name = next((word for word in split(argv)[0] if word in COMMANDS), "")
    path = context.command_path if context else f"mcp-inspect {name}".rstrip()
    try:
        if context is not None:
            refuse_argument(context.params.get("url"))
            _refuse_command_without_dashes(context, argv)
    except UsageError as better:
        return better
    message = error.format_message().replace("a valid integer range", "a whole number")
    message, advice = _of_choices(error, context) or (message[:1].lower() + message[1:], "")
    if isinstance(error, click.NoSuchOption):  # two dashes alone make no option similar
        near = [repr(each) for each in error.possibilities or () if nearest(error.option_name[2:], [each[2:]])]
        message, advice = f"no such option {error.option_name!r}", f"Did you mean {' or '.join(near)}? " if near else ""
    return UsageError(message, hint=f"{advice}See {path} --help.")


def _of_choices(error: click.ClickException, context: click.Context | None) -> tuple[str, str] | None:
    """Return the message for a word that is not one of several, or missing, and its advice; None for other errors."""
    param, group = getattr(error, "param", None), getattr(context, "command", None)
    detail = error.message.removeprefix("No such command ").removeprefix("Missing command").rstrip(".")
    if isinstance(param, click.Parameter) and isinstance(param.type, click.Choice):
        choices = [*map(str, param.type.choices)]
        name = param.opts[-1] if isinstance(param, click.Option) else param.metavar or param.opts[0].upper()
    elif error.message.startswith(_OF_A_GROUP) and isinstance(group, click.Group) and context is not None:
        choices, name = group.list_commands(context), "command"
    else:
        return None
    word = detail.partition(" is not ")[0].strip("'\"")
    near = nearest(word, choices)
    problem = f"invalid {name} {word!r}" if word else f"missing {name}"
    expected = f"{'one of ' * (len(choices) > 1)}{', '.join(choices)}"
    return f"{problem}: expected {expected}", f"Did you mean {near!r}? " if near else ""


def _write_no_more(env: CliEnv) -> None:
    """Redirect buffered output to nowhere, so that the interpreter's last flush does not fail."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, env.stdout.fileno())
        os.close(nowhere)
