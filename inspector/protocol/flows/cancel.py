"""How a request is given up: by a notification, or over stateless HTTP by closing its stream.

`initialize` can't be cancelled by the specification; giving it up sends nothing.
"""

from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Notify
from inspector.protocol.revisions._shape import Cancel, Revision


def cancel(exchange: Exchange, revision: Revision | None, *, over_http: bool, reason: str) -> Notify | None:
    """What to send; None where nothing is: closing the response stream, if there is one, is all that is left."""
    if exchange.method == "initialize":
        return None
    if over_http and revision is not None and revision.cancel is Cancel.CLOSE_STREAM:
        return None
    return Notify("notifications/cancelled", {"requestId": exchange.id, "reason": reason})
