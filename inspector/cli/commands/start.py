"""`mcp-inspect` without arguments: configured servers and recent captures.

On a terminal the user can choose one of them; otherwise they are listed. Nothing is started or connected
automatically.
"""

import time
from functools import partial
from pathlib import Path
from typing import Any, assert_never

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import documented
from inspector.cli.interface import attach, choose_at_start, inspect, replay
from inspector.cli.interface import recent as recent_captures
from inspector.cli.output import Output
from inspector.cli.targets import demo_target, found_target, plainly, typed_target
from inspector.config.known_targets import known_targets, now
from inspector.config.paths import places
from inspector.config.servers import FoundServer, found_servers
from inspector.config.targets import LiveTap, OpenCapture, OpenDemo, OpenServer, OpenTap, OpenTyped, StartChoice
from inspector.features.tap.registry import live
from inspector.present.start import StartRows

_DEFAULT_COLUMNS = 100
_EXAMPLES = ("mcp-inspect", "mcp-inspect --json")


@documented("start", _EXAMPLES, "`servers`, `captures`", hidden=True)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout.")
@click.option("-q", "--quiet", is_flag=True, help="Print only warnings and errors.")
@click.pass_obj
def command(env: CliEnv, /, as_json: bool, quiet: bool) -> ExitStatus:
    """Show the servers that are configured on this machine, and recent captures."""
    output = Output(env, as_json, quiet)
    servers = found_servers(env.environ, Path.cwd())
    recent = [*recent_captures(env.environ)]
    if as_json:
        output.data({"servers": list(map(_as_json, servers)), "captures": [str(each.path) for each in recent]})
        return ExitStatus.OK
    taps = _taps()
    tapped = {each.capture for each in taps}
    recent = [each for each in recent if each.path not in tapped]  # they are listed as taps
    if env.has_terminal:
        return choose_at_start(servers, recent, taps, partial(_open, env))
    own = places(env.environ)
    known, problem = known_targets(own.config, own.state)
    if problem:
        output.warn(problem)
    rows = StartRows(servers, recent, taps=taps, known=known, now=now())
    output.lines(tuple(rows.row(index, _width(env)).spans) for index in range(rows.count))
    return ExitStatus.OK


def _taps() -> list[LiveTap]:
    return [
        LiveTap(
            each["label"] or each["server"],
            str(each.get("client", "")),
            tuple(map(str, each["argv"])),
            (time.time_ns() - each["since"]) / 1e9,
            Path(each["capture"]),
            each["socket"],
        )
        for each in live()
        if each.get("capture")
    ]


def _open(env: CliEnv, choice: StartChoice) -> ExitStatus:
    match choice:
        case OpenDemo():
            return inspect(env, plainly(demo_target(env.environ), env.environ))
        case OpenTyped():
            return inspect(env, plainly(typed_target(choice, env.environ), env.environ, choice.era))
        case OpenTap(tap):
            return attach(env, tap.capture, tap.socket)
        case OpenCapture():
            return replay(env, choice.path)
        case OpenServer():
            return inspect(env, plainly(found_target(choice.server, env.environ), env.environ))
        case _:
            assert_never(choice)


def _as_json(server: FoundServer) -> dict[str, Any]:
    """Return a server without the values of variables and headers."""
    return {
        "name": server.name,
        "host": server.host,
        "path": str(server.path),
        "argv": server.argv,
        "url": server.url,
        "cwd": server.cwd,
        "env": server.env_names,
        "disabled": server.disabled,
        "problem": server.problem,
    }


def _width(env: CliEnv) -> int:
    """Return the width; COLUMNS takes precedence."""
    columns = env.environ.get("COLUMNS", "")
    return max(40, int(columns)) if columns.isdecimal() else _DEFAULT_COLUMNS
