"""Commands that open the terminal interface: `stdio`, `http`, `sse`, `open`, `replay`, `demo`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from inspector.capture.format.lines import demand_file
from inspector.cli import interface
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.interface import Servers, inspect, open_all
from inspector.cli.options import screen_options
from inspector.cli.targets import DEMO, DEMO_VARIABLE, choose
from inspector.errors import UsageError

if TYPE_CHECKING:
    from inspector.present.start import Wanted

_STDIO_EXAMPLES = (
    "mcp-inspect -- npx -y @modelcontextprotocol/server-everything",
    "mcp-inspect -e API_KEY --cwd ~/project -- python -m my_server --verbose",
)


@click.command("stdio", cls=Documented, examples=_STDIO_EXAMPLES, options_metavar="[OPTIONS] -- CMD…")
@screen_options
@click.pass_obj
def stdio_command(env: CliEnv, /, **options: Any) -> ExitStatus:
    """Start a server and look at it. The word stdio may be left out."""
    return inspect(env, choose(env, None, options))


_HTTP_EXAMPLES = (
    "mcp-inspect http://127.0.0.1:3000/mcp",
    "mcp-inspect https://example.com/mcp -H 'Authorization: Bearer …'",
)


@click.command("http", cls=Documented, examples=_HTTP_EXAMPLES)
@click.argument("url")
@screen_options
@click.pass_obj
def http_command(env: CliEnv, /, url: str, **options: Any) -> ExitStatus:
    """Connect to a URL and look at it. The word http may be left out."""
    return inspect(env, choose(env, url, options))


_SSE_EXAMPLES = ("mcp-inspect sse http://127.0.0.1:3000/sse",)


@click.command("sse", cls=Documented, examples=_SSE_EXAMPLES)
@click.argument("url")
@screen_options
@click.pass_obj
def sse_command(env: CliEnv, /, url: str, **options: Any) -> ExitStatus:
    """Connect to a URL by the older HTTP+SSE and no other way."""
    if options["transport"] not in (None, "sse"):
        raise UsageError(f"--transport {options['transport']} contradicts sse", hint="Leave one of them out.")
    return inspect(env, choose(env, url, options | {"transport": "sse"}))


_OPEN_EXAMPLES = (
    "mcp-inspect open github filesystem",
    "mcp-inspect open https://example.com/mcp 'node server.js --fast' before.mcpcap",
)


@click.command("open", cls=Documented, examples=_OPEN_EXAMPLES)
@click.argument("what", nargs=-1, metavar="WHAT… [-- CMD…]")
@click.option("--no-capture", is_flag=True, help="Record nothing.")
@click.pass_obj
def open_command(env: CliEnv, /, what: tuple[str, ...], no_capture: bool) -> ExitStatus:
    """Open several things, a tab each, and one timeline of all.

    WHAT is the name of a server that a host on this machine knows (mcp-inspect without any words lists them;
    HOST:NAME where several hosts have one of that name), a URL, a command with its arguments as one word, or a capture.
    A server that a host's file describes is shown in full first, and is started once you agree.

    To give options to a server, name it as usual and the others with --with.
    """
    if not what and not env.server_argv:
        raise UsageError("nothing named to be opened", hint="See mcp-inspect open --help.")

    def read_wanted(servers: Servers) -> "list[Wanted]":
        from inspector.present.start import OpenTyped

        return [*servers.meant(what), *([OpenTyped(env.server_argv)] if env.server_argv else [])]

    return open_all(env, read_wanted, record=not no_capture)


_REPLAY_EXAMPLES = (
    "mcp-inspect replay session.mcpcap",
    "mcp-inspect replay before.mcpcap after.mcpcap",
    "mcp-inspect replay session.har",
)


@click.command("replay", cls=Documented, examples=_REPLAY_EXAMPLES)
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE…")
@click.pass_obj
def replay_command(env: CliEnv, /, files: tuple[Path, ...]) -> ExitStatus:
    """Open a capture, read-only; several in a tab each.

    What another program recorded opens as well, as what mcp-inspect import makes of it, and so it does wherever a
    command takes a capture. Nothing is kept of that but notes, beside the file.
    """
    for file in files:
        demand_file(file, "mcp-inspect without any words lists recent captures.")
    return interface.replay(env, *files)


_DEMO_EXAMPLES = (
    "mcp-inspect demo",
    "mcp-inspect demo --era legacy",
)


@click.command("demo", cls=Documented, examples=_DEMO_EXAMPLES)
@screen_options
@click.pass_obj
def demo_command(env: CliEnv, /, **options: Any) -> ExitStatus:
    """Look at the server that comes with this program."""
    demo = msgspec.structs.replace(env, server_argv=DEMO)
    return inspect(env, choose(demo, None, options | {"set_": (DEMO_VARIABLE, *options["set_"])}))
