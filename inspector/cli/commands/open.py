"""Commands that open the terminal interface: `stdio`, `http`, `sse`, `open`, `replay`, `demo`."""

from pathlib import Path
from typing import Any

import click
import msgspec

from inspector.capture.format.lines import demand_file
from inspector.cli import interface
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.interface import Servers, inspect, open_all
from inspector.cli.options import screen_options
from inspector.cli.targets import DEMO, DEMO_HINTS, DEMO_VARIABLE, choose
from inspector.config.targets import OpenTyped, StartChoice
from inspector.errors import UsageError

_STDIO_EXAMPLES = (
    "mcp-inspect -- npx -y @modelcontextprotocol/server-everything",
    "mcp-inspect -e API_KEY --cwd ~/project -- python -m my_server --verbose",
)

_HTTP_EXAMPLES = (
    "mcp-inspect http://127.0.0.1:3000/mcp",
    "mcp-inspect https://example.com/mcp -H 'Authorization: Bearer …'",
)

_SSE_EXAMPLES = ("mcp-inspect sse http://127.0.0.1:3000/sse",)

_OPEN_EXAMPLES = (
    "mcp-inspect open github filesystem",
    "mcp-inspect open https://example.com/mcp 'node server.js --fast' before.mcpcap",
)

_REPLAY_EXAMPLES = (
    "mcp-inspect replay session.mcpcap",
    "mcp-inspect replay before.mcpcap after.mcpcap",
    "mcp-inspect replay session.har",
)

_DEMO_EXAMPLES = ("mcp-inspect demo", "mcp-inspect demo --era legacy")


@documented("stdio", _STDIO_EXAMPLES, options_metavar="[OPTIONS] -- COMMAND")
@screen_options
@click.pass_obj
def stdio_command(env: CliEnv, /, **options: Any) -> ExitStatus:
    """Start a server and inspect it. Short form: mcp-inspect -- COMMAND."""
    return inspect(env, choose(env, None, options))


@documented("http", _HTTP_EXAMPLES)
@click.argument("url")
@screen_options
@click.pass_obj
def http_command(env: CliEnv, /, url: str, **options: Any) -> ExitStatus:
    """Connect to a URL and inspect the server. Short form: mcp-inspect URL."""
    return inspect(env, choose(env, url, options))


@documented("sse", _SSE_EXAMPLES)
@click.argument("url")
@screen_options
@click.pass_obj
def sse_command(env: CliEnv, /, url: str, **options: Any) -> ExitStatus:
    """Connect to a URL over the deprecated HTTP+SSE transport only."""
    if options["transport"] not in (None, "sse"):
        raise UsageError(f"--transport {options['transport']} conflicts with sse", hint="Remove one of them.")
    return inspect(env, choose(env, url, options | {"transport": "sse"}))


@documented("open", _OPEN_EXAMPLES)
@click.argument("what", nargs=-1, metavar="TARGET… [-- COMMAND]")
@click.option("--no-capture", is_flag=True, help="Do not record the session.")
@click.pass_obj
def open_command(env: CliEnv, /, what: tuple[str, ...], no_capture: bool) -> ExitStatus:
    """Open several targets, each in a tab, with one timeline of all.

    TARGET is the name of a server in a client config file (mcp-inspect without arguments lists them; CLIENT:NAME if
    several have that name), a URL, a command quoted as one word, or a capture. A server from a project's file is shown
    in full first, and started after you confirm. For options, name one server as usual and the others with --with.
    """
    if not what and not env.server_argv:
        raise UsageError("missing target", hint="See mcp-inspect open --help.")

    def read_wanted(servers: Servers) -> list[StartChoice]:
        return [*servers.named_targets(what), *([OpenTyped(env.server_argv)] if env.server_argv else [])]

    return open_all(env, read_wanted, record=not no_capture)


@documented("replay", _REPLAY_EXAMPLES)
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE…")
@click.pass_obj
def replay_command(env: CliEnv, /, files: tuple[Path, ...]) -> ExitStatus:
    """Open captures read-only, each in a tab.

    Recordings of other programs that mcp-inspect import supports open as well, here and in every command that takes a
    capture.
    """
    for file in files:
        demand_file(file, "mcp-inspect without arguments lists recent captures.")
    return interface.replay(env, *files)


@documented("demo", _DEMO_EXAMPLES)
@screen_options
@click.pass_obj
def demo_command(env: CliEnv, /, **options: Any) -> ExitStatus:
    """Inspect the built-in demo server."""
    demo = msgspec.structs.replace(env, server_argv=DEMO)
    return inspect(env, choose(demo, None, options | {"set_": (DEMO_VARIABLE, DEMO_HINTS, *options["set_"])}))
