"""Which saved calls of a directory fit the connected server: by the target of their file, or by what they call."""

from collections.abc import Mapping, Sequence

from inspector.features.cases.collection import SavedCall
from inspector.protocol import peek
from inspector.protocol.tracking.catalogue import Listing
from inspector.tui.conversation import LiveConversation, OpenConversation

_KINDS = {"tools/call": ("tools",), "prompts/get": ("prompts",), "resources/read": ("resources", "templates")}
"""Lists with the items that a method addresses."""
_MARKER, _TEMPLATE = "{{", "{"


def fitting(calls: Sequence[SavedCall], conversation: OpenConversation) -> list[SavedCall]:
    """Return the calls that fit a connection, and files that can't be read."""
    names, listings = _names(conversation), conversation.journal.conversation.catalogue.listings
    return [call for call in calls if call.case is None or call.target in names or _is_listed(call, listings)]


def _names(conversation: OpenConversation) -> frozenset[str]:
    """Return what a file can name as its target; a file without a target has "", which is not among them."""
    target = conversation.target if isinstance(conversation, LiveConversation) else None
    url = getattr(target, "url", "")
    return frozenset(filter(None, (conversation.about.label, url)))


def _is_listed(call: SavedCall, listings: Mapping[str, Listing]) -> bool:
    """Whether the server lists what the call addresses, or may do so: on pages not fetched yet, or by a variable."""
    assert call.case is not None
    item = peek.text(call.case.params, "uri" if call.case.request == "resources/read" else "name") or ""
    known = [listings[kind] for kind in _KINDS.get(call.case.request, ())]
    if not known:
        return True
    asked = [listing for listing in known if listing.asked]
    if asked and (_MARKER in item or any(listing.next_cursor is not None for listing in asked)):
        return True
    return any(_is_item(item, raw) for listing in asked for raw in listing.items)


def _is_item(item: str, raw: object) -> bool:
    """Whether a name or URI is that of an item; of a template only the part before its first variable is compared."""
    if (template := peek.text(raw, "uriTemplate")) is not None:
        return item.startswith(template.partition(_TEMPLATE)[0])
    return item == peek.text(raw, "uri") if peek.text(raw, "uri") is not None else item == peek.text(raw, "name")
