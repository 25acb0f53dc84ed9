"""From which level on a server is asked for its log messages: once by a request, or by each request anew.

Which of both is the revision's strategy. A level that the specification does not know is sent as well: testing is
the use.

Source: specification, server/utilities/logging; 2026-07-28, basic (per-request metadata).
"""

from typing import TYPE_CHECKING, assert_never

import msgspec

from inspector.protocol.revisions._shape import LogLevel

if TYPE_CHECKING:
    from inspector.protocol.flows.call import Called
    from inspector.session.session import Session


class LogWish(msgspec.Struct):
    """What is asked for now."""

    level: str = ""
    """What every request from now on carries, where requests carry a level; "" for none."""


async def ask_for_level(session: "Session", level: str) -> "Called | None":
    """Ask for log messages from a level on; "" for none, where each request asks.

    What came of the request that says so; None where later requests will say it, and where nothing can be said.
    """
    if session.revision is None:
        return None
    match session.revision.log_level:
        case LogLevel.META:
            session.logs.level = level
            return None
        case LogLevel.REQUEST:
            return await session.call("logging/setLevel", {"level": level}) if level else None
        case _:
            assert_never(session.revision.log_level)
