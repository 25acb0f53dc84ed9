"""`mcp-inspect serve`: an MCP server through which agents debug MCP servers."""

import asyncio
import gc
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import msgspec

from inspector.cli.commands.tap import carry_out_shown
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented, DocumentedGroup, option_group
from inspector.cli.launch import authorizer_for, kept_journal, settings_for
from inspector.cli.options import target_options
from inspector.cli.output import Output
from inspector.cli.process import leaving_no_child
from inspector.cli.targets import WITHOUT_HTTP, WITHOUT_STDIO, TargetOptions, choose
from inspector.config.paths import places
from inspector.config.profiles import client_profile
from inspector.config.settings import captures_directory
from inspector.config.targets import HttpTarget, secrets_of
from inspector.errors import UsageError
from inspector.features.tap.install import configured_servers, plan_entry, plan_uninstall
from inspector.protocol.revisions.table import dates, is_known
from inspector.serve.sessions import AllowedTarget, ServeOptions, Sessions, WantedTarget
from inspector.transports.children import start_reaper

_EXAMPLES = (
    "mcp-inspect serve -- node server.js",
    "mcp-inspect serve --allow-config github --allow-config files",
    "mcp-inspect serve --allow-commands",
)
TOKEN_ENV = "MCP_INSPECT_SERVE_TOKEN"

_allow_options = option_group(
    click.option(
        "--allow-config",
        "names",
        multiple=True,
        metavar="NAME|URL",
        help="Allow a server of a client's config file, a saved target, or a URL.",
    ),
    click.option("--allow-commands", is_flag=True, help="Allow any command and URL: whatever the agent names is run."),
    click.option("--allow-destructive", is_flag=True, help="Allow calls of tools that declare destructiveHint."),
)


@click.group(
    "serve",
    cls=DocumentedGroup,
    examples=_EXAMPLES,
    invoke_without_command=True,
    no_args_is_help=False,
    subcommand_metavar="[-- COMMAND] | COMMAND…",
)
@_allow_options
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help=f"Serve over HTTP on 127.0.0.1 with the token of {TOKEN_ENV}, or a printed one; 0: any free port.",
)
@click.option("--no-capture", is_flag=True, help="Do not record the sessions.")
@target_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    names: tuple[str, ...],
    allow_commands: bool,
    allow_destructive: bool,
    port: int | None,
    **options: Any,
) -> ExitStatus | None:
    """Serve MCP on stdin and stdout, or over HTTP: its tools open, call, check and restart MCP servers for an agent.

    The agent can start only what the command line allows. Sessions are recorded, and end with the client.
    docs/agents.md describes the tools.
    """
    if ctx.invoked_subcommand is not None:
        return None
    env: CliEnv = ctx.obj
    if find_spec("mcp") is None:
        raise UsageError(
            "serve needs the official MCP SDK, which is not installed",
            hint="Install the extra: pip install 'mcp-inspect[serve]'",
        )
    targets = _allowed(env, options, names, any_command=allow_commands)
    gc.enable()  # `__main__` disabled it during imports
    sessions = Sessions(
        ServeOptions(
            targets.resolve,
            targets.names,
            captures_directory(env.environ),
            any_command=allow_commands,
            allows_destructive=allow_destructive,
        )
    )
    start_reaper()
    with leaving_no_child():
        if port is None:
            from inspector.serve.server import serve_stdio  # it imports the SDK

            asyncio.run(serve_stdio(sessions))
        else:
            from inspector.serve.http import new_token, serve_http

            token = env.environ.get(TOKEN_ENV) or new_token()
            asyncio.run(serve_http(sessions, port, token, Output(env).narrate))
    return ExitStatus.OK


def _allowed(env: CliEnv, options: dict[str, Any], names: tuple[str, ...], *, any_command: bool) -> "AllowedTargets":
    """Return what the agent may open. Raises: UsageError if that is nothing."""
    targets = AllowedTargets(env, options, any_command=any_command)
    if env.server_argv is not None:
        targets.add("", choose(env, None, options))
    for name in names:
        targets.add(name, choose(msgspec.structs.replace(env, server_argv=None), name, options))
    if not targets.names and not any_command:
        raise UsageError(
            "no server is allowed",
            hint="Name one after --, or allow some with --allow-config NAME or --allow-commands.",
        )
    return targets


@command.command(
    "install",
    cls=Documented,
    examples=(
        "mcp-inspect serve install claude-code -- node server.js",
        "mcp-inspect serve install codex --allow-config github",
        "mcp-inspect serve install cursor --allow-commands --dry-run",
    ),
)
@click.argument("client")
@_allow_options
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def install_command(
    env: CliEnv,
    /,
    client: str,
    names: tuple[str, ...],
    allow_commands: bool,
    allow_destructive: bool,
    dry_run: bool,
    yes: bool,
) -> ExitStatus:
    """Add mcp-inspect to an agent's config file.

    CLIENT is claude-code, codex, gemini-cli, cursor or vscode. Without a command and --allow options, the agent may
    open the servers that its config file has now.
    """
    names = names or (() if env.server_argv or allow_commands else configured_servers(client, env.environ, Path.cwd()))
    words = [word for name in names for word in ("--allow-config", name)]
    words += ["--allow-commands"] * allow_commands + ["--allow-destructive"] * allow_destructive
    if env.server_argv:
        words += ["--cwd", str(Path.cwd()), "--", *env.server_argv]
    argv = [sys.executable, "-I", "-m", "inspector", "serve", *words]
    state = places(env.environ).state
    plan = plan_entry(client, argv, env.environ, Path.cwd(), state)
    return carry_out_shown(Output(env), [plan], state, dry_run=dry_run, yes=yes, installs=True)


@command.command("uninstall", cls=Documented, examples=("mcp-inspect serve uninstall codex",))
@click.argument("client")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def uninstall_command(env: CliEnv, /, client: str, dry_run: bool, yes: bool) -> ExitStatus:
    """Take mcp-inspect out of an agent's config file again."""
    state = places(env.environ).state
    plans = plan_uninstall(client, state, "serve")
    return carry_out_shown(Output(env), plans, state, dry_run=dry_run, yes=yes, installs=False)


class AllowedTargets:
    """The servers that an agent may start."""

    def __init__(self, env: CliEnv, options: Mapping[str, Any], *, any_command: bool) -> None:
        self._env = env
        self._options = options
        self._any_command = any_command
        self._chosen: dict[str, TargetOptions] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the allowed servers; "" for that of the command line."""
        return tuple(self._chosen)

    def add(self, name: str, chosen: TargetOptions) -> None:
        """Allow a server."""
        self._chosen[name] = chosen

    def resolve(self, wanted: WantedTarget) -> AllowedTarget:
        """Return the target that an agent names. Raises: UsageError if the user does not allow it."""
        if wanted.command or wanted.url:
            return self._allowed("", self._typed(wanted), wanted)
        name = wanted.name if wanted.name in self._chosen else ""
        if not wanted.name and self._chosen:
            name = next(iter(self._chosen))
        elif wanted.name not in (name, "default") or name not in self._chosen:
            known = ", ".join(each or "default" for each in self._chosen) or "none by name"
            raise UsageError(f"no server {wanted.name!r} is allowed", hint=f"Allowed: {known}.")
        return self._allowed(name, self._chosen[name], wanted)

    def _typed(self, wanted: WantedTarget) -> TargetOptions:
        if not self._any_command:
            raise UsageError(
                "the user does not allow commands and URLs of your own",
                hint="sessions() names the allowed servers; the user can start serve with --allow-commands.",
            )
        if wanted.command and wanted.url:
            raise UsageError("both command and url", hint="Give one of them.")
        env = msgspec.structs.replace(self._env, server_argv=wanted.command or None)
        if wanted.command:
            return choose(env, None, {**self._options, **WITHOUT_HTTP})
        if "://" not in wanted.url:
            raise UsageError(f"{wanted.url!r} is not a URL", hint="It begins with http:// or https://.")
        return choose(env, wanted.url, {**self._options, **WITHOUT_STDIO})

    def _allowed(self, name: str, chosen: TargetOptions, wanted: WantedTarget) -> AllowedTarget:
        if wanted.client:
            chosen = msgspec.structs.replace(chosen, profile=client_profile(wanted.client, from_file=False))
        if wanted.protocol:
            if not is_known(wanted.protocol):
                raise UsageError(f"no protocol version {wanted.protocol!r}", hint=f"There are {', '.join(dates())}.")
            chosen = msgspec.structs.replace(chosen, revision=wanted.protocol)
        settings = settings_for(chosen, self._env, has_person=True)
        authorizer, _ = authorizer_for(chosen.target, chosen.login, self._env.environ, has_person=False)
        return AllowedTarget(
            name or chosen.target.label,
            chosen.target,
            msgspec.structs.replace(settings, authorizer=authorizer, guide=None),
            lambda: kept_journal(chosen, self._env),
            _secrets(chosen),
        )


def _secrets(chosen: TargetOptions) -> tuple[str, ...]:
    """Return values that no answer may contain: of variables and of headers."""
    if isinstance(chosen.target, HttpTarget):
        return tuple(value for _, value in chosen.target.headers)
    return tuple(secrets_of(chosen.target).values())
