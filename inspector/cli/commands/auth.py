"""`mcp-inspect auth`: log in to a server, and show, refresh or delete stored logins."""

from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented, DocumentedGroup
from inspector.cli.launch import store_for
from inspector.cli.login_options import read_login
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.targets import TargetOptions, choose

_EXAMPLES = (
    "mcp-inspect auth login https://example.com/mcp --scope 'read write'",
    "mcp-inspect auth status",
    "mcp-inspect auth explain https://example.com/mcp",
)


@click.group(
    "auth", cls=DocumentedGroup, examples=_EXAMPLES, no_args_is_help=False, subcommand_metavar="COMMAND [OPTIONS] [URL]"
)
def command() -> None:
    """Log in to a server with OAuth, and manage stored logins.

    A stored login is used by all commands. Tokens are never printed.
    """


@command.command(
    "login",
    cls=Documented,
    examples=("mcp-inspect auth login https://example.com/mcp",),
    json_shape="the login: `url`, scopes, expiry and `steps`, never a token",
)
@click.argument("url", required=False)
@headless_settings
@click.pass_obj
def login_command(env: CliEnv, /, url: str | None, **options: Any) -> ExitStatus:
    """Log in to a server in the browser, and store the tokens."""
    from inspector.cli import logins

    return logins.login(_output(env, options), choose(env, url, options))


@command.command(
    "status",
    cls=Documented,
    examples=("mcp-inspect auth status", "mcp-inspect auth status --json URL"),
    json_shape="`logins`; with a URL that login",
)
@click.argument("url", required=False)
@headless_settings
@click.pass_obj
def status_command(env: CliEnv, /, url: str | None, **options: Any) -> ExitStatus:
    """Show stored logins: scopes, expiry and storage; without URL, of all servers."""
    from inspector.cli import logins

    chosen = _chosen(env, url, options)
    choice = chosen.login if chosen else read_login(options, env.environ)
    return logins.status(_output(env, options), chosen, store_for(choice, env.environ))


@command.command(
    "refresh",
    cls=Documented,
    examples=("mcp-inspect auth refresh https://example.com/mcp",),
    json_shape="the login, never a token",
)
@click.argument("url", required=False)
@headless_settings
@click.pass_obj
def refresh_command(env: CliEnv, /, url: str | None, **options: Any) -> ExitStatus:
    """Get a new access token with the stored refresh token."""
    from inspector.cli import logins

    return logins.refresh(_output(env, options), choose(env, url, options))


@command.command(
    "logout",
    cls=Documented,
    examples=("mcp-inspect auth logout https://example.com/mcp", "mcp-inspect auth logout --all"),
    json_shape="`deleted`: URLs",
)
@click.argument("url", required=False)
@click.option("--all", "everything", is_flag=True, help="Also delete the client registration; without URL, everything.")
@headless_settings
@click.pass_obj
def logout_command(env: CliEnv, /, url: str | None, everything: bool, **options: Any) -> ExitStatus:
    """Delete the stored tokens of a server."""
    from inspector.cli import logins

    chosen = _chosen(env, url, options)
    choice = chosen.login if chosen else read_login(options, env.environ)
    return logins.logout(_output(env, options), chosen, store_for(choice, env.environ), everything=everything)


@command.command(
    "explain",
    cls=Documented,
    examples=("mcp-inspect auth explain https://example.com/mcp",),
    json_shape="`steps` with request, status, verdict, clause and fix; `broken`",
)
@click.argument("url", required=False)
@headless_settings
@click.pass_obj
def explain_command(env: CliEnv, /, url: str | None, **options: Any) -> ExitStatus:
    """Check each step of the OAuth login without logging in; exit 1 if a step fails."""
    from inspector.cli import logins

    return logins.explain(_output(env, options), choose(env, url, options))


def _output(env: CliEnv, options: dict[str, Any]) -> Output:
    return Output(env, as_json=options["as_json"], quiet=options["quiet"])


def _chosen(env: CliEnv, url: str | None, options: dict[str, Any]) -> TargetOptions | None:
    return choose(env, url, options) if url is not None else None
