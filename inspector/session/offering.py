"""What is offered to the server now. Where each request declares it, it may change at any time.

In the handshake era it was said once, at the opening: there it takes a new connection.
"""

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from inspector.protocol.revisions._shape import Stamp
from inspector.protocol.stamp import ClientIdentity
from inspector.session.answering import Answering

if TYPE_CHECKING:
    from inspector.session.session import Session


class Offering(msgspec.Struct, eq=False):
    """Who we say we are, with what we offer, and who answers by it."""

    client: ClientIdentity
    answering: Answering


async def offer(session: "Session", offers: frozenset[str]) -> bool:
    """Offer this from the next request on; False, and nothing done, where only an opening can say it."""
    if session.revision is None or session.revision.stamp is not Stamp.META:
        return False
    offering = session.offering
    offering.client = replace(offering.client, offers=offers)
    offering.answering.offers = offers
    return True
