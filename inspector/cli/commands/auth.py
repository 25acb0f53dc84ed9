"""`mcp-inspect auth`: log in to a server, and show, renew or delete stored logins."""

from typing import Any

import click

from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.help import Documented
from inspector.cli.login_options import read_login
from inspector.cli.options import headless_settings
from inspector.cli.output import Output
from inspector.cli.targets import choose
from inspector.errors import UsageError

_EXAMPLES = (
    "mcp-inspect auth explain https://example.com/mcp",
    "mcp-inspect auth login https://example.com/mcp --scope 'read write'",
    "mcp-inspect auth status",
)
_DEEDS = ("explain", "login", "status", "refresh", "logout")


@click.command("auth", cls=Documented, examples=_EXAMPLES)
@click.argument("deed", type=click.Choice(_DEEDS), metavar="DEED")
@click.argument("url", required=False)
@click.option("--all", "everything", is_flag=True, help="logout: forget registrations too; without URL, of all.")
@headless_settings
@click.pass_obj
def command(env: CliEnv, /, deed: str, url: str | None, everything: bool, **options: Any) -> ExitStatus:
    """DEED is explain, login, status, refresh or logout. Without URL, status and logout --all are about all servers.

    explain walks the way in and logs in nowhere; it ends with 1 if a step is broken. A login is kept for all
    commands. No token is ever printed whole.
    """
    from inspector.cli import logins
    from inspector.cli.launch import store_for

    output = Output(env, as_json=options["as_json"], quiet=options["quiet"])
    chosen = choose(env, url, options) if url is not None or deed not in ("status", "logout") else None
    choice = chosen.login if chosen else read_login(options, env.environ)
    if everything and deed != "logout":
        raise UsageError(f"--all means nothing for auth {deed}")
    if deed == "status":
        return logins.status(output, chosen, store_for(choice, env.environ))
    if deed == "logout":
        return logins.logout(output, chosen, store_for(choice, env.environ), everything=everything)
    assert chosen is not None, "the others have a server"
    return {"explain": logins.explain, "login": logins.login, "refresh": logins.refresh}[deed](output, chosen)
