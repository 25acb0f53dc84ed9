"""An app that a capture has recorded: its tool, the arguments, and the context that its host gave it."""

from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.capture.journal import Journal
from inspector.errors import UsageError
from inspector.features.apps.context import HostSettings, Size, parse_locale
from inspector.protocol import jsonrpc, peek
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import Notification, ResultResponse


class RecordedApp(msgspec.Struct, frozen=True):
    tool: str
    arguments: Any
    settings: HostSettings
    """Theme, size and locale at its start."""


def recorded_app(journal: Journal) -> RecordedApp:
    """Return the first app of a capture. Raises: UsageError if none was initialized."""
    context: Any = None
    for message in _from_host(journal):
        match message:
            case ResultResponse() if context is None:
                context = peek.at(message.result, "hostContext")
            case Notification(method="ui/notifications/tool-input") if context is not None:
                arguments = peek.at(message.params, "arguments")
                return RecordedApp(peek.text(context, "toolInfo", "tool", "name") or "", arguments, _settings(context))
            case _:
                pass
    raise UsageError(
        "the capture has no app", hint="Record one: mcp-inspect app TOOL --capture app.mcpcap -- node server.js"
    )


def _from_host(journal: Journal) -> Iterator[Any]:
    for n in range(1, journal.count + 1):
        if journal.store.direction(n) is Direction.TO_VIEW:
            what = journal.store.entry(n).what
            if isinstance(what, Frame) and what.channel is Channel.VIEW:
                yield from jsonrpc.read(what.payload)


def _settings(context: Any) -> HostSettings:
    width, height = (peek.integer(context, "containerDimensions", name) for name in ("width", "height"))
    try:
        locale = parse_locale(peek.text(context, "locale") or "")
    except UsageError:
        locale = ""
    return HostSettings(
        theme="dark" if peek.text(context, "theme") == "dark" else "light",
        size=Size(width, height) if width is not None and 10 <= width < 100_000 else Size(),
        locale=locale,
    )
