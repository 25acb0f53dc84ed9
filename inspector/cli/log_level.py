"""`--log-level`: how a server is asked for its log messages, in the way of its revision.

Once for the whole conversation by a request, or for the one request by its `_meta`.
"""

from collections.abc import Callable
from typing import Any, TypeVar, assert_never

import click

from inspector.cli.headless import Visit
from inspector.cli.outcome import answered
from inspector.protocol import peek
from inspector.protocol.jsonrpc import ErrorAnswer
from inspector.protocol.log_levels import LEVELS, LOG_LEVEL
from inspector.protocol.revisions._shape import LogLevel

F = TypeVar("F", bound=Callable[..., Any])


def log_level_option(command: F) -> F:
    """Add the option."""
    option = click.option(
        "--log-level", type=click.Choice(LEVELS), metavar="LEVEL", help="Ask for log messages from this level on."
    )
    return option(command)


async def with_logs(visit: Visit, params: Any, level: str | None) -> Any:
    """Ask for log messages from a level on; the params that the request goes out with. None asks for nothing.

    Raises: what `answered` raises, if the server does not answer.
    """
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


async def _set_level(visit: Visit, level: str) -> None:
    called = await visit.session.call("logging/setLevel", {"level": level})
    message = answered(called.reply, "logging/setLevel").message
    if isinstance(message, ErrorAnswer):
        visit.output.warn(f"the server sets no log level: {message.message}")
