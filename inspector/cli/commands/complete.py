"""`mcp-inspect complete`: completions for an argument of a prompt or a resource template."""

from collections.abc import Sequence
from typing import Any

import click

from inspector.cli.arguments import as_texts, read_pairs
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, answered, report_error, visit
from inspector.cli.help import documented
from inspector.cli.lists import fetch_prompt, nearest
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.requests import narrate_finding
from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.protocol.uri_templates import take_apart
from inspector.text import visible

_METHOD = "completion/complete"
_REFERENCES = {"prompt": ("ref/prompt", "name"), "template": ("ref/resource", "uri")}
_EXAMPLES = (
    "mcp-inspect complete prompt review language py -- node server.js",
    "mcp-inspect complete template 'file:///{path}' path no --json https://example.com/mcp",
)


@documented("complete", _EXAMPLES, "`values`, `total`, `hasMore`; `primary` as for call")
@click.argument("kind", type=click.Choice(list(_REFERENCES)), metavar="KIND")
@click.argument("name")
@click.argument("argument", metavar="ARG")
@click.argument("words", nargs=-1, metavar="[VALUE] [URL | -- COMMAND]")
@click.option("-a", "pairs", multiple=True, metavar="K=V", help="Set another argument, as context.")
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, kind: str, name: str, argument: str, words: tuple[str, ...], **options: Any) -> ExitStatus:
    """Complete an argument of a prompt or resource template."""
    known = as_texts(read_pairs(options.pop("pairs")))
    value, url = _apart(words, has_command=env.server_argv is not None)
    type_, member = _REFERENCES[kind]
    params: dict[str, Any] = {"ref": {"type": type_, member: name}, "argument": {"name": argument, "value": value}}

    async def work(visit: CommandSession) -> ExitStatus:
        return await _complete(visit, _with_context(visit, params, dict(known)), name, argument)

    return visit(env, url, options, work)


def _apart(words: Sequence[str], *, has_command: bool) -> tuple[str, str | None]:
    """Split off the server's URL: the last word, unless a command follows `--`. Return the typed value and the URL."""
    rest = list(words)
    url = None if has_command or not rest else rest.pop()
    if len(rest) > 1:
        raise UsageError(f"got unexpected extra argument ({rest[1]})", hint="See mcp-inspect complete --help.")
    return (rest[0] if rest else ""), url


def _with_context(visit: CommandSession, params: dict[str, Any], known: dict[str, str]) -> dict[str, Any]:
    if not known:
        return params
    revision = visit.opening.revision
    if "completion context" not in revision.features:
        visit.output.warn(f"{revision.named} has no place for other arguments: they are left out")
        return params
    return {**params, "context": {"arguments": known}}


async def _complete(visit: CommandSession, params: dict[str, Any], name: str, argument: str) -> ExitStatus:
    exchanges: list[Exchange] = []
    called = await visit.session.call(_METHOD, params, opened=exchanges.append)
    message = answered(called.reply, _METHOD).message
    if isinstance(message, ErrorResponse) or not peek.items(message.result, "completion", "values"):
        await _explain(visit, peek.text(params, "ref", "type") == "ref/prompt", name, argument)
    if isinstance(message, ErrorResponse):
        return report_error(visit.output, _METHOD, message)
    completion = peek.at(message.result, "completion")
    if visit.output.as_json:
        members = {member: peek.at(completion, member) for member in ("total", "hasMore")}
        found = narrate_finding(visit, exchanges)
        visit.output.data({"values": peek.items(completion, "values"), **members} | found)
        return ExitStatus.OK
    _show(visit.output, completion)
    narrate_finding(visit, exchanges)
    return ExitStatus.OK


async def _explain(visit: CommandSession, is_prompt: bool, name: str, argument: str) -> None:
    """Warn if what has no completions is no argument."""
    if is_prompt:
        prompt = await fetch_prompt(visit, name)
        if prompt is None:
            return
        names = [found for each in prompt.arguments if (found := peek.text(each, "name")) is not None]
    else:
        names = [each.name for each in take_apart(name).variables]
    if argument not in names:
        before, equals, after = argument.partition("=")
        hint = f" (write {before} {after})" if equals and before in names else nearest(argument, names)
        visit.output.warn(f"{name}: {argument!r} is no argument of it{hint}")


def _show(output: Output, completion: Any) -> None:
    values = [value for value in peek.items(completion, "values") if isinstance(value, str)]
    output.lines(((visible(value), "text"),) for value in values)
    total, more = peek.integer(completion, "total"), peek.flag(completion, "hasMore")
    count = f"{len(values)}" if total in (None, len(values)) else f"{len(values)} of {total}"
    output.narrate(f"{count} value{'s' * (count != '1')}{', and there are more' if more else ''}")
