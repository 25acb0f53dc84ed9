"""`mcp-inspect open`: the interface on several servers and captures, in a tab each."""

from typing import TYPE_CHECKING

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.interface import Servers, open_all
from inspector.errors import UsageError

if TYPE_CHECKING:
    from inspector.present.start import Wanted

_EXAMPLES = (
    "mcp-inspect open github filesystem",
    "mcp-inspect open https://example.com/mcp 'node server.js --fast' before.mcpcap",
)


@click.command("open", cls=Documented, examples=_EXAMPLES)
@click.argument("what", nargs=-1, metavar="WHAT… [-- CMD…]")
@click.option("--no-capture", is_flag=True, help="Record nothing.")
@click.pass_obj
def command(env: CliEnv, /, what: tuple[str, ...], no_capture: bool) -> ExitStatus:
    """Open several things, a tab each, and one timeline of all.

    WHAT is the name of a server that a host on this machine knows (mcp-inspect without any words lists them;
    HOST:NAME where several hosts have one of that name), a URL, a command with its arguments as one word, or a capture.
    A server that a host's file describes is shown in full first, and is started once you agree.

    To give options to a server, name it as usual and the others with --also.
    """
    if not what and not env.server_argv:
        raise UsageError("nothing named to be opened", hint="See mcp-inspect open --help.")

    def wishes(servers: Servers) -> "list[Wanted]":
        from inspector.present.start import OpenTyped

        return [*servers.meant(what), *([OpenTyped(env.server_argv)] if env.server_argv else [])]

    return open_all(env, wishes, record=not no_capture)
