"""The table of commands, and running one: argv in, exit status out.

Only the module of the command that runs is imported: `mcp-inspect call` loads neither the interface nor the other
commands.
"""

import errno
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

import click
import msgspec

from inspector import __version__
from inspector.cli.command_line import CommandLine, no_server, split, take_apart
from inspector.cli.env import CliEnv, replace_unencodable
from inspector.cli.exit_status import MEANINGS, ExitStatus
from inspector.cli.help import write_examples
from inspector.cli.output import Output
from inspector.cli.process import narrated_log
from inspector.config.settings import user_config
from inspector.errors import InspectError, UsageError

logger = logging.getLogger(__name__)


class _Command(msgspec.Struct, frozen=True):
    module: str
    """Module in `inspector.cli.commands`. Its click command is `command`, or `NAME_command` if there are several."""
    help: str
    group: str = ""
    """Heading under which help lists it; "" if it is not listed."""
    talks: bool = True
    """Whether it takes a server's command after --."""


_SCREEN, _SERVER, _CAPTURE, _MORE = "Terminal interface", "Servers", "Captures", "Reference"
_COMMANDS = {
    "stdio": _Command("open", "Start a server and inspect it; short form: mcp-inspect -- COMMAND", _SCREEN),
    "http": _Command("open", "Connect to a URL; short form: mcp-inspect URL", _SCREEN),
    "sse": _Command("open", "Connect to a URL over the deprecated HTTP+SSE transport", _SCREEN),
    "open": _Command("open", "Open several servers, URLs, commands or captures, each in a tab", _SCREEN),
    "replay": _Command("open", "Open captures", _SCREEN, talks=False),
    "demo": _Command("open", "Inspect the built-in demo server", _SCREEN, talks=False),
    "attach": _Command("attach", "Show a running tap on all screens", _SCREEN, talks=False),
    "tap": _Command("tap", "Start a server for a client and record the traffic between them", _SERVER),
    "info": _Command("info", "Show server info, capabilities and instructions", _SERVER),
    "list": _Command("list", "List tools, resources, templates or prompts", _SERVER),
    "call": _Command("call", "Call a tool", _SERVER),
    "read": _Command("read", "Read a resource", _SERVER),
    "prompt": _Command("prompt", "Get a prompt", _SERVER),
    "complete": _Command("complete", "Complete an argument of a prompt or resource template", _SERVER),
    "subscribe": _Command("listen", "Subscribe to resources and print updates", _SERVER),
    "listen": _Command("listen", "Print list and resource change notifications", _SERVER),
    "skills": _Command("skills", "List, read and validate skills", _SERVER),
    "request": _Command("request", "Send any request, notification or raw bytes", _SERVER),
    "ping": _Command("ping", "Measure the round-trip time", _SERVER),
    "check": _Command("check", "Check a server or a capture for protocol violations and other problems", _SERVER),
    "doctor": _Command("check", "Run check, and send invalid requests that a server should reject", _SERVER),
    "test": _Command("test", "Run test cases against a server, or make them from a capture", _SERVER),
    "run": _Command("test", "Run saved calls of a file, one by its name or all", _SERVER),
    "history": _Command("history", "Show the calls of earlier sessions, or clear them", _SERVER, talks=False),
    "blame": _Command("blame", "Find why a session fails with one client only", _SERVER),
    "bench": _Command("bench", "Measure a server under load", _SERVER),
    "compat": _Command("compat", "Show how known clients treat the server's tools", _SERVER),
    "cost": _Command("cost", "Show what tools and results cost a model", _SERVER),
    "lock": _Command("lock", "Write server definitions to a lock file, to commit and compare", _SERVER),
    "auth": _Command("auth", "Log in to a server with OAuth, and manage stored logins", _SERVER, talks=False),
    "roots": _Command("roots", "Show the roots/list result that a server would get", _SERVER, talks=False),
    "tail": _Command("tail", "Print the traffic of a server or a capture as lines", _CAPTURE),
    "stats": _Command("stats", "Show statistics: calls, errors, percentiles, sizes", _CAPTURE),
    "trace": _Command("trace", "Write a trace of one operation as Markdown", _CAPTURE, talks=False),
    "diff": _Command("diff", "Compare captures, servers or lock files", _CAPTURE),
    "resend": _Command("resend", "Send the requests of a capture again and compare the results", _CAPTURE),
    "mock": _Command("mock", "Serve a capture as a mock server", _CAPTURE, talks=False),
    "export": _Command(
        "export", "Export a capture as HAR, Markdown, JSON-RPC, curl, Python or HTML", _CAPTURE, talks=False
    ),
    "import": _Command("import_", "Convert a recording of another program to a capture", _CAPTURE, talks=False),
    "share": _Command("share", "Copy a capture without secrets", _CAPTURE, talks=False),
    "verify": _Command("verify", "Check that a capture is complete and unchanged", _CAPTURE, talks=False),
    "recover": _Command("verify", "Copy the valid part of a damaged capture", _CAPTURE, talks=False),
    "checks": _Command("checks", "List all checks with severity and protocol versions", _MORE, talks=False),
    "config": _Command("config", "Show, edit and check settings (config.toml)", _MORE, talks=False),
    "profile": _Command(
        "profile", "Show how a client opens a session, or make its profile from a capture", _MORE, talks=False
    ),
    "keys": _Command("keys", "List all keys of the terminal interface", _MORE, talks=False),
    "revisions": _Command("revisions", "List MCP protocol versions and compare them", _MORE, talks=False),
    "debug": _Command("debug", "Measure memory use of a capture or a session", _MORE),
    "completion": _Command("completion", "Print the completion script for bash, zsh or fish", _MORE, talks=False),
    "start": _Command("start", "Show servers found and recent captures", talks=False),
}

EXAMPLES = (
    "mcp-inspect                      choose a server or a capture",
    "mcp-inspect demo                 inspect the built-in demo server",
    "mcp-inspect -- npx -y @modelcontextprotocol/server-everything",
    "mcp-inspect https://example.com/mcp -H 'Authorization: Bearer …'",
    "mcp-inspect call add -a a=2 -a b=3 --json -- node server.js",
)


GROUPS = {
    group: [name for name, command in _COMMANDS.items() if command.group == group]
    for group in (_SCREEN, _SERVER, _CAPTURE, _MORE)
}
"""Names of the listed commands by heading, in help order."""


class Commands(click.Group):
    """The program: its commands by name, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands that help lists, in order."""
        return [name for name, command in _COMMANDS.items() if command.group]

    @property
    def summaries(self) -> dict[str, str]:
        """Descriptions of the listed commands, in order."""
        return {name: command.help for name, command in _COMMANDS.items() if command.group}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None if there is none of that name."""
        known = _COMMANDS.get(cmd_name)
        if known is None:
            return None
        module = import_module(f"inspector.cli.commands.{known.module}")
        found = getattr(module, f"{cmd_name}_command", None) or module.command
        assert isinstance(found, click.Command)
        return found

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples first and the exit codes last."""
        formatter.write("mcp-inspect: inspect, test and debug MCP servers\n")
        write_examples(formatter, EXAMPLES)
        for group, names in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name, _COMMANDS[name].help) for name in names])
        formatter.write("\nOptions go before --, in any order; the server's command goes after it.\n")
        formatter.write("COMMAND --help shows a command's options; --version (-V) shows the version.\n")
        with formatter.section("Exit status"):
            formatter.write_dl([(str(int(status)), meaning) for status, meaning in MEANINGS.items()])


@click.group(
    cls=Commands, name="mcp-inspect", context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False
)
@click.version_option(__version__, "-V", "--version", prog_name="mcp-inspect")
def commands() -> None:
    """The program itself does nothing; its commands do."""


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
            return output.failure(_as_ours(error))
        except InspectError as error:
            return output.failure(error)
        except KeyboardInterrupt:
            return ExitStatus.INTERRUPTED
        except BrokenPipeError:
            _write_no_more(env)
            return ExitStatus.BROKEN_PIPE
        except Exception as error:  # the boundary of every command
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
    return UsageError(f"{os.fsdecode(error.filename)[:200]}: {error.strerror}", hint="Name another path.")


def _run(argv: Sequence[str], env: CliEnv, output: Output) -> int:
    if "MCP_INSPECT_COMPLETE" in env.environ:
        from inspector.cli.commands.completion import complete

        complete(env, commands)
        return ExitStatus.OK
    words = take_apart(argv, list(_COMMANDS))
    name = words.command or _without_a_command(words)
    if name != "config":
        for problem in user_config(env.environ).problems:
            output.warn(problem)
    if words.server_argv is not None and not _COMMANDS[name or "start"].talks:
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
    raise no_server()


def _as_ours(error: click.ClickException) -> UsageError:
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "mcp-inspect"
    message = error.format_message()
    return UsageError(message[:1].lower() + message[1:], hint=f"See {path} --help.")


def _write_no_more(env: CliEnv) -> None:
    """Redirect buffered output to nowhere, so that the interpreter's last flush does not fail."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, env.stdout.fileno())
        os.close(nowhere)
