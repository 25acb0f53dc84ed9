"""`mcp-inspect app`: show the app of a tool in a web browser (MCP Apps)."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from inspector.cli.arguments import joined, read_pairs, read_whole
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.lists import fetch, raise_failure
from inspector.cli.options import headless_options
from inspector.errors import UsageError

if TYPE_CHECKING:
    from inspector.features.apps.context import HostSettings
    from inspector.features.apps.recorded import RecordedApp

_HEADLESS_S = 60.0
_EXAMPLES = (
    "mcp-inspect app get_weather -a city=Oslo -- node server.js",
    "mcp-inspect app get_weather --theme dark --size 400x600 https://example.com/mcp",
    "mcp-inspect app get_weather --headless --screenshot app.png -- node server.js",
    "mcp-inspect app recorded.mcpcap",
)


@documented(
    "app",
    _EXAMPLES,
    "`tool`, `uri`, `ready`, `found` (the selector; null without one), `width`, `height`, `text`, `view` "
    "(appInfo), `errors` (violations and script errors), `refused`, `model_context`, `outcome` of the tool call",
)
@click.argument("tool", metavar="TOOL | CAPTURE")
@click.option(
    "-a", "pairs", multiple=True, metavar="K=V | K:=JSON", help="Set an argument: K=V by the schema, K:=JSON as JSON."
)
@click.option("--args", "whole", metavar="JSON|@FILE|-", help="Set all arguments; - reads stdin.")
@click.option("--no-open", is_flag=True, help="Print the address and open no browser.")
@click.option("--theme", type=click.Choice(["light", "dark"]), help="Set the app's theme (light).")
@click.option("--size", default="", metavar="WxH", help="Size of the container; without xH the app sets it.")
@click.option("--locale", default="", metavar="TAG", help="Language of the app, else that of the browser.")
@click.option("--partial", is_flag=True, help="Send the arguments in growing parts first.")
@click.option("--no-tool-result", is_flag=True, help="Do not send the result to the app.")
@click.option(
    "--deny",
    multiple=True,
    type=click.Choice(["link", "message", "context", "call"]),
    metavar="KIND",
    help="Refuse link, message, context or call.",
)
@click.option("--allow-destructive", is_flag=True, help="Let the app call destructive tools freely.")
@click.option("--headless", is_flag=True, help="Run in a Chromium without a window, and exit.")
@click.option("--screenshot", type=click.Path(path_type=Path), metavar="FILE", help="Write the app as PNG.")
@click.option("--wait-for", default="", metavar="SELECTOR", help="Wait for an element (CSS selector).")
@headless_options
@click.pass_obj
def command(env: CliEnv, /, tool: str, url: str | None, **options: Any) -> ExitStatus:
    """Show the app of a tool in a browser, and record its messages. For a capture, host and server are played."""
    from inspector.features.apps.browser import find_browser

    pairs = read_pairs(options.pop("pairs"))
    whole = read_whole(options.pop("whole"), env.stdin)
    joined(whole, pairs, None)  # report conflicts before a server is started
    recorded = None
    if env.server_argv is None and url is None and tool.endswith(".mcpcap"):
        recorded = _recorded(tool)
        env = msgspec.structs.replace(env, server_argv=(sys.executable, "-I", "-m", "inspector", "mock", "-q", tool))
        tool = recorded.tool
    settings = _settings(options, recorded)
    opens, allows = not options.pop("no_open"), options.pop("allow_destructive")
    headless, picture, wait_for = options.pop("headless"), options.pop("screenshot"), options.pop("wait_for")
    if not headless and (picture is not None or wait_for):
        raise UsageError("--screenshot and --wait-for need --headless", hint="Add --headless.")
    if options["as_json"] and not headless:
        raise UsageError("--json needs --headless", hint="Add --headless.")
    if headless:
        find_browser(env.environ)
    options["extension"] = (*options.get("extension", ()), "ui")

    async def work(visit: CommandSession) -> ExitStatus:
        from inspector.cli.apps import TerminalApp
        from inspector.features.apps.opening import link_of, open_app
        from inspector.protocol.listed_items import Tool

        fetched = await fetch(visit, "tools")
        raise_failure(visit.output, [fetched])
        found, link = link_of([*map(Tool, fetched.items)], tool)
        arguments = joined(whole, pairs, found.input_schema)
        if arguments is None and recorded is not None:
            arguments = recorded.arguments
        shown = TerminalApp(visit, await open_app(visit.session, found, link), settings, allows=allows)
        given = {} if arguments is None else arguments
        if not headless:
            return await shown.show(given, opens=opens)
        seconds = options["timeout"] or _HEADLESS_S
        return await shown.test(given, picture=picture, wait_for=wait_for, seconds=seconds)

    return visit(env, url, options, work)


def _recorded(capture: str) -> "RecordedApp":
    """Return the app of a capture. Raises: CaptureError, UsageError."""
    from inspector.capture.store.load import load
    from inspector.features.apps.recorded import recorded_app

    journal = load(Path(capture))
    try:
        return recorded_app(journal)
    finally:
        journal.close()


def _settings(options: dict[str, Any], recorded: "RecordedApp | None") -> "HostSettings":
    """Take the options about the host out of the others. What is not given is as recorded. Raises: UsageError."""
    from inspector.features.apps.context import Denial, HostSettings, parse_locale, parse_size

    base = HostSettings() if recorded is None else recorded.settings
    size, locale, theme = options.pop("size"), options.pop("locale"), options.pop("theme")
    return HostSettings(
        theme=theme or base.theme,
        size=parse_size(size) if size else base.size,
        locale=parse_locale(locale) if locale else base.locale,
        deny=frozenset(map(Denial, options.pop("deny"))),
        is_partial=options.pop("partial"),
        sends_result=not options.pop("no_tool_result"),
    )
