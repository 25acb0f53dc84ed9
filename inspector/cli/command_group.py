"""The commands of the program, by name: each is imported when it is asked for."""

from importlib import import_module
from pathlib import Path

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

_ROWS = [row.split("\t") for row in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()[1:]]


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
    name: KnownCommand(module, help_, group, talks=talks == "true") for name, module, group, talks, help_ in _ROWS
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
