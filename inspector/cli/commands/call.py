"""`mcp-inspect call`: call a tool, with arguments converted by its input schema."""

from collections.abc import Sequence
from typing import Any, assert_never

import click

from inspector.cli.arguments import TypedArgument, joined, read_pairs, read_whole, refuse_argument
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, answered, visit
from inspector.cli.help import documented
from inspector.cli.lists import fetch, nearest
from inspector.cli.options import headless_options
from inspector.cli.requests import CliRequest, TaskOptions, make
from inspector.errors import UsageError
from inspector.forms.arguments import mismatches, nested_hint, undeclared
from inspector.protocol import peek
from inspector.protocol.headers import cautions
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.protocol.listed_items import Tool
from inspector.protocol.request_meta import LEVELS, LOG_LEVEL
from inspector.protocol.revisions._shape import LogLevel
from inspector.text import counted

_EXAMPLES = (
    "mcp-inspect call add -a a=2 -a b=3 -- node server.js",
    'mcp-inspect call search --args \'{"q": "gulls"}\' --json https://example.com/mcp',
)


@documented(
    "call",
    _EXAMPLES,
    "`result` or `error` as received, `valid` (structuredContent against outputSchema; null: not "
    "checked), `duration_ms`, `rounds`, `outcome` (`ok`, `tool error`, `JSON-RPC error`, `incomplete "
    "result`); `task` with its history for a task; `failure` with what else is known of a failed call: "
    "`code`, `message`, `hint`, and `stderr` during the call; `primary`, the finding about it to look at first",
)
@click.argument("name")
@click.option(
    "-a", "pairs", multiple=True, metavar="K=V | K:=JSON", help="Set an argument: K=V by the schema, K:=JSON as JSON."
)
@click.option("--args", "whole", metavar="JSON|@FILE|-", help="Set all arguments; - reads stdin.")
@click.option("--progress", is_flag=True, help="Show progress on stderr.")
@click.option("--task", is_flag=True, help="Call it as a task and wait for the result.")
@click.option("--ttl", type=click.FloatRange(0), metavar="MS", help="Set the task's ttl in milliseconds.")
@click.option("--no-wait", is_flag=True, help="With --task: print the task and exit.")
@click.option(
    "--log-level", type=click.Choice(LEVELS), metavar="LEVEL", help="Request log messages of this level and above."
)
@headless_options
@click.pass_obj
def command(env: CliEnv, /, name: str, url: str | None, **options: Any) -> ExitStatus:
    """Call a tool. Arguments that do not match its schema are sent unchanged, with a warning."""
    refuse_argument(url)
    pairs = read_pairs(options.pop("pairs"))
    whole = read_whole(options.pop("whole"), env.stdin)
    progress, level = options.pop("progress"), options.pop("log_level")
    task = _task_options(options.pop("task"), options.pop("ttl"), options.pop("no_wait"))
    joined(whole, pairs, None)  # report conflicts before a server is started

    async def work(visit: CommandSession) -> ExitStatus:
        request = await _request(visit, name, whole, pairs)
        request.params = await _with_log_level(visit, request.params, level)
        request.task = task
        _caution(visit, name, request.params, [each.name for each in pairs])
        return await make(visit, request, progress=progress, logs=level is not None)

    return visit(env, url, options, work)


def _caution(visit: CommandSession, name: str, params: Any, pairs: Sequence[str]) -> None:
    """Warn before the call of arguments that do not match the schema, and of headers that will not work."""
    tools = visit.session.journal.conversation.catalogue.tools
    found = next((tool for tool in tools if tool.name == name), None)
    if found is None:
        return
    arguments = peek.at(params, "arguments")
    wrong = mismatches(found.input_schema, arguments)
    for name_, hint in undeclared(found.input_schema, pairs):
        visit.output.warn(f"{name}: its inputSchema declares no argument {name_!r}; it is sent as it is{hint}")
    if wrong:
        values = arguments if isinstance(arguments, dict) else {}
        hint = next(filter(None, (nested_hint(found.input_schema, each, values.get(each)) for each in pairs)), "")
        visit.output.warn(f"{name}: sent unchanged, not as its inputSchema asks: {'; '.join(wrong)}{hint}")
    revision = visit.session.revision
    if revision is not None and revision.routing_headers and visit.session.transport.kind == "http":
        for message in cautions(found.input_schema, arguments):
            visit.output.warn(f"{name}: {message}")


def _task_options(task: bool, ttl: float | None, no_wait: bool) -> TaskOptions | None:
    if task:
        return TaskOptions(ttl, wait=not no_wait)
    if ttl is not None or no_wait:
        named = "--no-wait" if no_wait else "--ttl"
        raise UsageError(f"{named} needs --task", hint="Add --task.")
    return None


async def _request(visit: CommandSession, name: str, whole: Any, pairs: tuple[TypedArgument, ...]) -> CliRequest:
    tool = await _listed(visit, name)
    arguments = joined(whole, pairs, tool.input_schema if tool else None)
    params = {"name": name, "arguments": {} if arguments is None else arguments}
    output_schema = tool.output_schema if tool else None
    return CliRequest("tools/call", params, target=name, output_schema=output_schema, judged=True)


async def _listed(visit: CommandSession, name: str) -> Tool | None:
    """Return the tool from tools/list for its schemas; None if it is not listed."""
    fetched = await fetch(visit, "tools")
    if fetched.error is not None:
        visit.output.warn(f"{fetched.refusal}; {name} is called without its schema")
        return None
    found = next((tool for tool in map(Tool, fetched.items) if tool.name == name), None)
    if found is not None:
        visit.output.narrate(f"listed {counted(len(fetched.items), 'tool')} to find the schema of {name}")
    else:
        near = nearest(name, [tool.name for tool in map(Tool, fetched.items)])
        listed = "1 tool that is" if len(fetched.items) == 1 else f"{len(fetched.items):,} tools that are"
        visit.output.warn(f"{name!r} is not among the {listed} listed{near}; calling it anyway")
    return found


async def _with_log_level(visit: CommandSession, params: Any, level: str | None) -> Any:
    """Set the log level and return the params of the request. None sets nothing. Raises: what `answered` raises."""
    revision = visit.session.revision
    if level is None or revision is None:
        return params
    match revision.log_level:
        case LogLevel.META:
            return {**peek.mapping(params), "_meta": {**peek.mapping(params, "_meta"), LOG_LEVEL: level}}
        case LogLevel.REQUEST:
            await _set_level(visit, level)
            return params
        case _:
            assert_never(revision.log_level)


async def _set_level(visit: CommandSession, level: str) -> None:
    called = await visit.session.call("logging/setLevel", {"level": level})
    message = answered(called.reply, "logging/setLevel").message
    if isinstance(message, ErrorResponse):
        visit.output.warn(f"the server sets no log level: {message.message}")
