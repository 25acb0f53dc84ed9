"""The switches for extensions that every command takes: what we advertise to the server."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from inspector.cli.help import shared
from inspector.protocol.extensions import Advertised, advertised

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = [
    shared(
        "extensions", "--extension", multiple=True, metavar="NAME[=JSON]", help="Advertise it: skills, ui, any name."
    ),
    shared("extensions", "--no-extension", multiple=True, metavar="NAME", help="Advertise it not; all for none."),
]


def extension_options(command: F) -> F:
    """Add them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read(options: Mapping[str, Any]) -> Advertised:
    """What they come to. Raises: UsageError."""
    return advertised(options.get("extension", ()), options.get("no_extension", ()))
