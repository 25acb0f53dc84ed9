"""Surfaces by hand."""

from typing import Any

from inspector.features.lock.lock_file import ServerDefinitions, items_of
from inspector.protocol.listed_items import LISTS

SHOP: dict[str, Any] = {
    "tools": [
        {
            "name": "buy",
            "description": "Buys a thing.",
            "inputSchema": {
                "type": "object",
                "properties": {"what": {"type": "string"}, "how": {"enum": ["cash", "card"]}},
            },
            "outputSchema": {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]},
            "annotations": {"destructiveHint": True},
        },
        {"name": "look", "inputSchema": {"type": "object"}},
    ],
    "resources": [{"uri": "shop://list", "name": "list", "mimeType": "text/plain"}],
    "templates": [{"uriTemplate": "shop://{thing}", "name": "thing"}],
    "prompts": [{"name": "advise", "arguments": [{"name": "about", "required": True}, {"name": "tone"}]}],
}


def shop(**more: Any) -> ServerDefinitions:
    """The surface of a shop, with other lists in the place of some; None for one that is not known."""
    lists = {
        kind: items_of(kind, items) for kind, items in (SHOP | more).items() if kind in LISTS and items is not None
    }
    about = {
        "server": {"name": "shop", "version": "1"},
        "revision": "r1",
        "capabilities": {"tools": {"listChanged": True}, "prompts": {}},
        "instructions": "Be kind.",
    }
    return ServerDefinitions(**(about | {key: value for key, value in more.items() if key not in LISTS}), lists=lists)
