"""What was chosen at the start, as something to be opened."""

import sys
from collections.abc import Mapping
from pathlib import Path

from inspector.cli.options import TargetOptions
from inspector.config.environment import build_environment
from inspector.config.paths import expanded
from inspector.config.servers import FoundServer
from inspector.config.targets import HttpTarget, StdioTarget, Target, parse_url
from inspector.errors import UsageError
from inspector.session.options import Timeouts

DEMO = (sys.executable, "-m", "inspector.demo")
"""The command of the server that comes with this program."""
DEMO_VARIABLE = f"PYTHONPATH={Path(__file__).parents[2]}"
"""What has the child find this very package, installed or not."""


def plainly(target: Target) -> TargetOptions:
    """A target with what holds where nothing else was asked for."""
    return TargetOptions(target, None, "", Timeouts(), None)


def demo_target(env: Mapping[str, str]) -> StdioTarget:
    """The server that comes with this program."""
    return StdioTarget(DEMO, build_environment(env, inherit_all=False, set_=[DEMO_VARIABLE]), str(Path.cwd()))


def typed_target(argv: tuple[str, ...], url: str, env: Mapping[str, str]) -> Target:
    """A server that somebody described by hand, where nothing else was said of it.

    Raises: UsageError if the URL can't be dialled.
    """
    if url:
        return HttpTarget(parse_url(url))
    return StdioTarget(argv, build_environment(env, inherit_all=False, set_=[]), str(Path.cwd()))


def found_target(server: FoundServer, env: Mapping[str, str]) -> Target:
    """A server as a host's file describes it; nothing in it is expanded.

    Raises: UsageError if the file describes nothing that could be started or dialled.
    """
    if server.problem:
        raise UsageError(f"{server.name}: {server.problem}", hint=f"See {server.path}.")
    if server.wishes:
        wanted = ", ".join(f"${{input:{each.id}}}" for each in server.wishes)
        hint = "Open it on a screen, which asks for them, or give the command with --env yourself."
        raise UsageError(f"{server.name}: {server.path} leaves values to you: {wanted}", hint=hint)
    if server.url:
        return HttpTarget(parse_url(server.url), headers=server.headers)
    environment = build_environment(env, inherit_all=False, set_=[f"{name}={value}" for name, value in server.env])
    return StdioTarget(server.argv, environment, str(expanded(server.cwd or ".").absolute()))
