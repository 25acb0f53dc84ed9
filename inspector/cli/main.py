"""The table of commands, and running one: argv in, exit status out.

A command's file is imported when the command is run, and nothing else: `mcp-inspect call` pays neither for the
interface nor for the other commands.
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
from inspector.cli.output import Output
from inspector.cli.process import narrated_log
from inspector.errors import InspectError, UsageError

logger = logging.getLogger(__name__)


class _Command(msgspec.Struct, frozen=True):
    module: str
    """In `inspector.cli.commands`; the click command there is `command`, or `NAME_command` if there are several."""
    help: str
    group: str = ""
    """Under which heading it is listed; "" for one that is not."""
    talks: bool = True
    """Whether it takes a server's command after --."""


_LOOK, _ASK, _MORE = "In the terminal interface", "Without a screen", "To look up"
_COMMANDS = {
    "stdio": _Command("open", "Start a server and look at it; also without the word: mcp-inspect -- CMD…", _LOOK),
    "http": _Command("open", "Connect to a URL; also without the word: mcp-inspect URL", _LOOK),
    "sse": _Command("open", "Connect to a URL by the older HTTP+SSE", _LOOK),
    "open": _Command("open", "Open several, a tab each: servers found, URLs, commands, captures", _LOOK),
    "replay": _Command("open", "Open a capture", _LOOK, talks=False),
    "demo": _Command("open", "Look at the server that comes with this program", _LOOK, talks=False),
    "info": _Command("info", "What a server says about itself", _ASK),
    "list": _Command("list", "Its tools, resources, templates, prompts, or all", _ASK),
    "call": _Command("call", "Call a tool", _ASK),
    "read": _Command("read", "Read a resource", _ASK),
    "prompt": _Command("prompt", "Get a prompt", _ASK),
    "complete": _Command("complete", "What an argument of a prompt or template can be completed to", _ASK),
    "subscribe": _Command("listen", "Tell of updates of resources until Ctrl+C", _ASK),
    "listen": _Command("listen", "Tell of changes of lists and resources until Ctrl+C", _ASK),
    "skills": _Command("skills", "The skills it serves, and whether they are what it lists", _ASK),
    "request": _Command("request", "Send any request, notification or bytes", _ASK),
    "ping": _Command("ping", "How long the server takes to answer", _ASK),
    "tail": _Command("tail", "The traffic of a capture or a server, line by line, by a filter", _ASK),
    "diff": _Command("diff", "What is different between two captures, servers, or saved surfaces", _ASK),
    "surface": _Command("surface", "All that a server offers, as a file to commit and compare", _ASK),
    "share": _Command("share", "A copy of a capture without secrets, to give away", _ASK, talks=False),
    "export": _Command("export", "A capture as HAR, Markdown, JSON-RPC lines, curl, Python or HTML", _ASK, talks=False),
    "import": _Command("import_", "What another program recorded, as a capture", _ASK, talks=False),
    "verify": _Command("verify", "Whether a capture is whole and unchanged", _ASK, talks=False),
    "recover": _Command("verify", "What can be had of a capture that was cut or damaged", _ASK, talks=False),
    "story": _Command("story", "All about one operation of a capture, as Markdown with a diagram", _ASK, talks=False),
    "mock": _Command("mock", "Play the server of a capture, for testing hosts and clients", _ASK, talks=False),
    "resend": _Command("resend", "The requests of a capture, sent again, and what is different now", _ASK),
    "promote": _Command("promote", "The calls of a capture as cases of a test", _ASK, talks=False),
    "test": _Command("test", "Run cases against a server: its answers must be as expected", _ASK),
    "auth": _Command("auth", "The way into a server that asks for a login, and what is kept of it", _ASK, talks=False),
    "check": _Command("check", "What is wrong with a server or a capture", _ASK),
    "doctor": _Command("check", "The same, and trying on purpose what a server should refuse", _ASK),
    "hosts": _Command("hosts", "What hosts do with its tools: drop, refuse, cut or change them", _ASK),
    "roots": _Command("roots", "What a server that asks for the roots is told", _ASK, talks=False),
    "checks": _Command("checks", "The checks, their severity and the revisions they apply to", _MORE, talks=False),
    "revisions": _Command("revisions", "The revisions of the protocol and how they differ", _MORE, talks=False),
    "debug": _Command("debug", "What a capture, or traffic with a server, costs in memory", _MORE),
    "start": _Command("start", "What runs without any words: servers found, recent captures", talks=False),
}

_EXAMPLES = """\
  mcp-inspect               shows the servers and captures of this machine
  mcp-inspect demo          looks at a server that is part of this program
  mcp-inspect -- npx -y @modelcontextprotocol/server-everything
  mcp-inspect https://example.com/mcp -H 'Authorization: Bearer …'
  mcp-inspect call add -a a=2 -a b=3 --json -- node server.js
"""


class Commands(click.Group):
    """The program: its commands by name, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands that help lists, in its order."""
        return [name for name, command in _COMMANDS.items() if command.group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, imported now; None if there is none of that name."""
        known = _COMMANDS.get(cmd_name)
        if known is None:
            return None
        module = import_module(f"inspector.cli.commands.{known.module}")
        found = getattr(module, f"{cmd_name}_command", None) or module.command
        assert isinstance(found, click.Command)
        return found

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples first, the exit codes last."""
        formatter.write("mcp-inspect: look at MCP servers, byte by byte\n\n" + _EXAMPLES)
        for group in (_LOOK, _ASK, _MORE):
            with formatter.section(group):
                formatter.write_dl([(name, each.help) for name, each in _COMMANDS.items() if each.group == group])
        formatter.write("\nOptions stand in any order before --, the server's command after it.\n")
        formatter.write("Each command has --help; --version says which this is.\n")
        with formatter.section("Exit status"):
            formatter.write_dl([(str(int(status)), meaning) for status, meaning in MEANINGS.items()])


@click.group(
    cls=Commands, name="mcp-inspect", context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False
)
@click.version_option(__version__, prog_name="mcp-inspect")
def commands() -> None:
    """The program itself does nothing; its commands do."""


def run(argv: Sequence[str], env: CliEnv | None = None) -> int:
    """Run one command line and return the exit status. Nothing is raised."""
    env = env or CliEnv()
    replace_unencodable(env.stdout)
    ours, _ = split(argv)
    output = Output(env, as_json="--json" in ours)
    with narrated_log(env):
        try:
            return _run(argv, env)
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
        except Exception as error:  # the border of every command
            if (unusable := _unusable_path(error)) is not None:
                return output.failure(unusable)
            logger.exception("mcp-inspect made a mistake; the traceback is worth a report")
            return ExitStatus.MISTAKE


def _unusable_path(error: Exception) -> UsageError | None:
    """What to say of a path that can't even be asked about; None for any other error.

    `Path.exists` and its like raise for a name that is too long, and in a directory that may not be searched.
    """
    if not isinstance(error, OSError) or error.errno not in (errno.ENAMETOOLONG, errno.EACCES) or not error.filename:
        return None
    return UsageError(f"{os.fsdecode(error.filename)[:200]}: {error.strerror}", hint="Name another path.")


def _run(argv: Sequence[str], env: CliEnv) -> int:
    words = take_apart(argv, list(_COMMANDS))
    name = words.command or _without_a_command(words)
    if words.server_argv is not None and not _COMMANDS[name or "start"].talks:
        raise UsageError(f"mcp-inspect {name} takes no server's command", hint=f"See mcp-inspect {name} --help.")
    line = [name, *words.ours] if name else list(words.ours)
    with commands.make_context(
        "mcp-inspect", line, obj=msgspec.structs.replace(env, server_argv=words.server_argv)
    ) as context:
        return int(commands.invoke(context) or 0)


def _without_a_command(words: CommandLine) -> str:
    """What is meant where no command, no URL and no `--` stands: the start, or "" for the program's own options."""
    if any(word in ("-h", "--help", "--version") for word in words.ours):
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
    """Have what is still buffered go nowhere, so that the interpreter's own last flush is quiet."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, env.stdout.fileno())
        os.close(nowhere)
