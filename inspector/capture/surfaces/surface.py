"""Surface: all that a server offers and says about itself, as one value that can be kept and compared.

It holds nothing that differs from run to run: things stand in the order of their keys, members in that of their names,
and what tells of now alone (a resource's size, when it was last modified) is left out. A list that was never fetched
is not known, which is another thing than empty.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.conversation import Conversation
from inspector.protocol.fingerprints import canonical
from inspector.protocol.jsonrpc import encode
from inspector.protocol.list_changes import key_of
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.things import LISTS
from inspector.protocol.tracking.catalogue import Listing

_OF_NOW: Mapping[str, tuple[str, ...]] = {"resources": ("size",)}
"""Members that say how a thing is at the moment."""


class Surface(msgspec.Struct, frozen=True):
    """What one server offers. All of it is foreign."""

    server: dict[str, Any] | None = None
    """Its own words about itself; None where no conversation was opened, and nothing but lists is known."""
    revision: str = ""
    """The version that was agreed upon; "" if none was."""
    capabilities: dict[str, Any] = {}
    instructions: str = ""
    lists: dict[str, tuple[Any, ...]] = {}
    """By kind the things, in the order of their keys; a kind that is not known is missing."""
    partial: tuple[str, ...] = ()
    """Kinds of which more things may exist than are here."""

    @property
    def is_known(self) -> bool:
        """Whether there is anything in it."""
        return self.server is not None or bool(self.lists)


def surface_of(conversation: Conversation) -> Surface:
    """The surface as far as a conversation shows it: as it stood at the end."""
    opening = conversation.opening
    listings = conversation.catalogue.listings
    known = {kind: listing for kind, listing in listings.items() if listing.asked or _has_none(kind, opening)}
    lists = {kind: things_of(kind, listing.items) for kind, listing in known.items()}
    partial = tuple(kind for kind, listing in known.items() if _is_partial(listing))
    if opening is None:
        return Surface(lists=lists, partial=partial)
    return Surface(
        canonical(opening.server),
        opening.revision.date,
        canonical(opening.capabilities),
        opening.instructions,
        lists,
        partial,
    )


def _has_none(kind: str, opening: Opening | None) -> bool:
    """Whether a list that nobody asked for is known to be empty: the server declares nothing of the sort."""
    return opening is not None and LISTS[kind].capability not in opening.capabilities


def _is_partial(listing: Listing) -> bool:
    return listing.asked and not listing.whole


def things_of(kind: str, items: Iterable[Any]) -> tuple[Any, ...]:
    """Things in canonical form and order."""
    plain = [canonical(_lasting(kind, raw)) for raw in items]
    return tuple(sorted(plain, key=lambda raw: (key_of(kind, raw), encode(raw))))


def _lasting(kind: str, raw: Any) -> Any:
    """The thing without what only tells of now."""
    if not isinstance(raw, dict):
        return raw
    kept = {name: value for name, value in raw.items() if name not in _OF_NOW.get(kind, ())}
    if isinstance(about := raw.get("annotations"), dict) and "lastModified" in about:
        kept["annotations"] = {name: value for name, value in about.items() if name != "lastModified"}
        if not kept["annotations"]:
            del kept["annotations"]
    return kept


def name_of(surface: Surface) -> str:
    """What the server calls itself; "" if it does not say. Foreign text."""
    return peek.text(surface.server, "name") or ""
