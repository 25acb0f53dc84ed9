"""`mcp-inspect history`: the calls of earlier sessions."""

import time
from typing import Any

import click
import msgspec

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import DocumentedGroup, documented
from inspector.cli.options import json_option
from inspector.cli.output import Output
from inspector.config.history import StoredCall, StoredCalls, matching
from inspector.config.paths import places
from inspector.config.settings import user_config
from inspector.present.spans import Line, Role
from inspector.protocol import peek
from inspector.text import counted, visible

_EXAMPLES = (
    "mcp-inspect history",
    "mcp-inspect history --search 'github create_issue'",
    "mcp-inspect history --json --last 20",
    "mcp-inspect history clear",
)
_ROLES: dict[str, Role] = {"ok": "ok", "tool error": "error", "JSON-RPC error": "error"}


@click.group(
    "history",
    cls=DocumentedGroup,
    examples=_EXAMPLES,
    invoke_without_command=True,
    subcommand_metavar="[COMMAND] [ARGS]...",  # click's own word since 8.5
)
@click.option("--search", default="", metavar="TEXT", help="Show only calls that contain all of these words.")
@click.option(
    "-n", "--last", type=click.IntRange(1), default=100, metavar="N", help="Show at most this many calls (100)."
)
@json_option
@click.pass_context
def command(context: click.Context, /, *, search: str, last: int, as_json: bool) -> ExitStatus | None:
    """Show the calls of earlier sessions, newest first.

    They are calls from Tools, Resources and Prompts, and of the commands call, read and prompt. Arguments are stored
    without credentials. The setting `history = "off"` stores no calls.
    """
    if context.invoked_subcommand is not None:
        return None
    env: CliEnv = context.obj
    output = Output(env, as_json=as_json)
    found = matching(StoredCalls(places(env.environ).state).every(), search)[:last]
    if as_json:
        output.data({"calls": [_as_json(call) for call in found]})
        return ExitStatus.OK
    output.lines(map(_line, found))
    if not found:
        output.narrate("no call matches" if search else "no calls are stored")
    if user_config(env.environ).history == "off":
        output.narrate("the setting history is off: new calls are not stored")
    return ExitStatus.OK


@documented("clear", ("mcp-inspect history clear",), "`cleared`: the number of calls", group=command)
@json_option
@click.pass_obj
def clear_command(env: CliEnv, /, *, as_json: bool) -> ExitStatus:
    """Delete all stored calls."""
    output = Output(env, as_json=as_json)
    count = StoredCalls(places(env.environ).state).clear()
    if as_json:
        output.data({"cleared": count})
    else:
        output.text(f"Cleared {counted(count, 'call')}.")
    return ExitStatus.OK


def _line(call: StoredCall) -> Line:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(call.time_ns / 1e9))
    params = peek.mapping(call.params)
    rest = {name: each for name, each in params.items() if name not in ("name", "uri", "_meta")}
    arguments = rest.get("arguments", rest)
    shown = "" if arguments in (None, {}) else msgspec.json.encode(arguments).decode()
    if call.is_cut:
        shown = "(arguments too large to store)"
    took = "" if call.ms is None else f"{call.ms:,.0f} ms"
    return (
        (f"{when}  ", "faint"),
        (f"{visible(call.server, limit=24):24}  ", "muted"),
        (f"{visible(call.status, limit=20):17}{took:>9}  ", _ROLES.get(call.status, "warning")),
        (visible(f"{call.method} {call.target}", limit=100), "text"),
        (f"  {visible(shown, limit=300)}", "faint"),
    )


def _as_json(call: StoredCall) -> dict[str, Any]:
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(call.time_ns / 1e9))
    return {
        "time": when,
        "server": call.server,
        "method": call.method,
        "params": call.params,
        "status": call.status,
        "ms": call.ms,
        "complete": not call.is_cut,
    }
