"""`mcp-inspect read`: read a resource, also one of a URI template."""

import shlex
from collections.abc import Sequence
from typing import Any

import click

from inspector.cli.arguments import TypedArgument, read_pairs
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, visit
from inspector.cli.help import documented
from inspector.cli.lists import fetch_each
from inspector.cli.options import headless_options
from inspector.cli.requests import CliRequest, make, shown
from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.uri_templates import could_have_made, expand, take_apart

_EXAMPLES = (
    "mcp-inspect read file:///notes.md -- npx -y @modelcontextprotocol/server-filesystem .",
    "mcp-inspect read demo://a --json https://example.com/mcp",
    "mcp-inspect read 'notes://{user}/{day}' -a user=ann -a day=monday -- node server.js",
)


@documented(
    "read",
    _EXAMPLES,
    "`result` or `error` as received, `duration_ms`, `rounds`, `outcome`; `failure` and `primary` as for call",
)
@click.argument("uri")
@click.option("-a", "pairs", multiple=True, metavar="K=V", help="A value for a variable of a URI template.")
@headless_options
@click.pass_obj
def command(env: CliEnv, /, uri: str, url: str | None, **options: Any) -> ExitStatus:
    """Read a resource. A URI template is expanded with the values of -a (RFC 6570)."""
    uri = _expanded(uri, read_pairs(options.pop("pairs")))

    async def work(visit: CommandSession) -> ExitStatus:
        request = CliRequest("resources/read", {"uri": uri}, target=uri)
        status = await make(visit, request)
        if request.exchanges and request.exchanges[-1].error_code is not None:
            await _tell_template(visit, uri)
        return status

    return visit(env, url, options, work)


async def _tell_template(visit: CommandSession, uri: str) -> None:
    """Name the listed template that makes a URI which the server refused."""
    if not peek.has(visit.opening.capabilities, "resources"):
        return
    listed = (await fetch_each(visit, ["templates"]))["templates"].items
    for text in (peek.text(each, "uriTemplate") or "" for each in listed):
        if "{" in text and could_have_made(take_apart(text), uri):
            either = "the server does not have what it names, or does not match URIs as it lists them"
            visit.output.narrate(f"the listed template {shown(text)} makes this URI: {either}")
            return


def _expanded(uri: str, pairs: Sequence[TypedArgument]) -> str:
    """Return the URI to read: that of a template with its values, otherwise `uri` itself. Raises: UsageError."""
    if "{" not in uri and not pairs:
        return uri
    template = take_apart(uri)
    names = [each.name for each in template.variables]
    values = {each.name: each.value if each.is_json else each.text for each in pairs}
    if unknown := [name for name in values if name not in names]:
        has = f"its variables are {', '.join(names)}" if names else "it has no variables"
        raise UsageError(f"-a {unknown[0]}: the URI has no such variable; {has}", hint="Write variables as {name}.")
    missing = [each.name for each in template.variables if each.needed and each.name not in values]
    if missing and not template.problem:
        raise UsageError(
            f"the URI template needs a value for {', '.join(missing)}",
            hint=f"Add -a {shlex.quote(missing[0])}=VALUE. To send the text as it is: request resources/read.",
        )
    expanded = expand(template, values)
    if expanded.problem:
        raise UsageError(f"the URI template cannot be expanded: {expanded.problem}", hint="See RFC 6570.")
    return expanded.uri
