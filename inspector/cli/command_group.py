"""The commands of the program, by name: each is imported when it is asked for."""

from importlib import import_module

import click
import msgspec

from inspector import __version__
from inspector.cli.exit_status import MEANINGS
from inspector.cli.help import write_examples

_SCREEN, _SERVER, _CAPTURE, _MORE = "Terminal interface", "Servers", "Captures", "Reference"

EXAMPLES = (
    "mcp-inspect                      choose a server or a capture",
    "mcp-inspect demo                 inspect the built-in demo server",
    "mcp-inspect -- npx -y @modelcontextprotocol/server-everything",
    "mcp-inspect https://example.com/mcp -H 'Authorization: Bearer …'",
    "mcp-inspect call add -a a=2 -a b=3 --json -- node server.js",
)


class KnownCommand(msgspec.Struct, frozen=True):
    """A command: where it is and how help lists it."""

    module: str
    """Module in `inspector.cli.commands`. Its click command is `command`, or `NAME_command` if there are several."""
    help: str
    group: str = ""
    """Heading under which help lists it; "" if it is not listed."""
    talks: bool = True
    """Whether it takes a server's command after --."""


COMMANDS = {
    "stdio": KnownCommand("open", "Start a server and inspect it; short form: mcp-inspect -- COMMAND", _SCREEN),
    "http": KnownCommand("open", "Connect to a URL; short form: mcp-inspect URL", _SCREEN),
    "sse": KnownCommand("open", "Connect to a URL over the deprecated HTTP+SSE transport", _SCREEN),
    "open": KnownCommand("open", "Open several servers, URLs, commands or captures, each in a tab", _SCREEN),
    "replay": KnownCommand("open", "Open captures", _SCREEN, talks=False),
    "demo": KnownCommand("open", "Inspect the built-in demo server", _SCREEN, talks=False),
    "attach": KnownCommand("attach", "Show a running tap on all screens", _SCREEN, talks=False),
    "tap": KnownCommand("tap", "Start a server for a client and record the traffic between them", _SERVER),
    "serve": KnownCommand("serve", "Let an agent debug servers: an MCP server itself", _SERVER),
    "info": KnownCommand("info", "Show server info, capabilities and instructions", _SERVER),
    "list": KnownCommand("list", "List tools, resources, templates or prompts", _SERVER),
    "call": KnownCommand("call", "Call a tool", _SERVER),
    "app": KnownCommand("app", "Show the app of a tool in a web browser (MCP Apps)", _SERVER),
    "read": KnownCommand("read", "Read a resource", _SERVER),
    "prompt": KnownCommand("prompt", "Get a prompt", _SERVER),
    "complete": KnownCommand("complete", "Complete an argument of a prompt or resource template", _SERVER),
    "subscribe": KnownCommand("listen", "Subscribe to resources and print updates", _SERVER),
    "listen": KnownCommand("listen", "Print list and resource change notifications", _SERVER),
    "skills": KnownCommand("skills", "List, read and validate skills", _SERVER),
    "request": KnownCommand("request", "Send any request, notification or raw bytes", _SERVER),
    "ping": KnownCommand("ping", "Measure the round-trip time", _SERVER),
    "check": KnownCommand("check", "Check a server or a capture for protocol violations and other problems", _SERVER),
    "doctor": KnownCommand("check", "Run check, and send invalid requests that a server should reject", _SERVER),
    "test": KnownCommand("test", "Run test cases against a server, or make them from a capture", _SERVER),
    "run": KnownCommand("test", "Run saved calls of a file, one by its name or all", _SERVER),
    "history": KnownCommand("history", "Show the calls of earlier sessions, or clear them", _SERVER, talks=False),
    "blame": KnownCommand("blame", "Find why a session fails with one client only", _SERVER),
    "bench": KnownCommand("bench", "Measure a server under load", _SERVER),
    "compat": KnownCommand("compat", "Show how known clients treat the server's tools", _SERVER),
    "cost": KnownCommand("cost", "Show what tools and results cost a model", _SERVER),
    "lock": KnownCommand("lock", "Write server definitions to a lock file, to commit and compare", _SERVER),
    "auth": KnownCommand("auth", "Log in to a server with OAuth, and manage stored logins", _SERVER, talks=False),
    "roots": KnownCommand("roots", "Show the roots/list result that a server would get", _SERVER, talks=False),
    "tail": KnownCommand("tail", "Print the traffic of a server or a capture as lines", _CAPTURE),
    "stats": KnownCommand("stats", "Show statistics: calls, errors, percentiles, sizes", _CAPTURE),
    "trace": KnownCommand("trace", "Write a trace of one operation as Markdown", _CAPTURE, talks=False),
    "diff": KnownCommand("diff", "Compare captures, servers or lock files", _CAPTURE),
    "resend": KnownCommand("resend", "Send the requests of a capture again and compare the results", _CAPTURE),
    "mock": KnownCommand("mock", "Serve a capture as a mock server", _CAPTURE, talks=False),
    "export": KnownCommand(
        "export", "Export a capture as HAR, Markdown, JSON-RPC, curl, Python or HTML", _CAPTURE, talks=False
    ),
    "import": KnownCommand("import_", "Convert a recording of another program to a capture", _CAPTURE, talks=False),
    "share": KnownCommand("share", "Copy a capture without secrets", _CAPTURE, talks=False),
    "verify": KnownCommand("verify", "Check that a capture is complete and unchanged", _CAPTURE, talks=False),
    "recover": KnownCommand("verify", "Copy the valid part of a damaged capture", _CAPTURE, talks=False),
    "checks": KnownCommand("checks", "List all checks with severity and protocol versions", _MORE, talks=False),
    "config": KnownCommand("config", "Show, edit and check settings (config.toml)", _MORE, talks=False),
    "profile": KnownCommand(
        "profile", "Show how a client opens a session, or make its profile from a capture", _MORE, talks=False
    ),
    "keys": KnownCommand("keys", "List all keys of the terminal interface", _MORE, talks=False),
    "revisions": KnownCommand("revisions", "List MCP protocol versions and compare them", _MORE, talks=False),
    "debug": KnownCommand("debug", "Measure memory use of a capture or a session", _MORE),
    "completion": KnownCommand("completion", "Print the completion script for bash, zsh or fish", _MORE, talks=False),
    "start": KnownCommand("start", "Show servers found and recent captures", talks=False),
}

GROUPS = {
    group: [name for name, command in COMMANDS.items() if command.group == group]
    for group in (_SCREEN, _SERVER, _CAPTURE, _MORE)
}
"""Names of the listed commands by heading, in help order."""


class Commands(click.Group):
    """The program: its commands by name, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands that help lists, in order."""
        return [name for name, command in COMMANDS.items() if command.group]

    @property
    def summaries(self) -> dict[str, str]:
        """Descriptions of the listed commands, in order."""
        return {name: command.help for name, command in COMMANDS.items() if command.group}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None if there is none of that name."""
        known = COMMANDS.get(cmd_name)
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
                formatter.write_dl([(name, COMMANDS[name].help) for name in names])
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
