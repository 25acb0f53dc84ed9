"""What the server offers, as far as it has been asked: the newest pages of the four lists.

A page asked for without a cursor begins a list anew; one with the cursor that the page before gave goes on with it.
Listings are replaced, never changed, so that another thread can read one while the next is made.
"""

from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.things import KIND_OF_METHOD, LISTS, Prompt, Resource, Template, Tool


class Listing(msgspec.Struct, frozen=True):
    """One list as it stands."""

    items: tuple[Any, ...] = ()
    """Raw items in the server's order, all pages together."""
    pages: int = 0
    next_cursor: str | None = None
    """What the next page must be asked with; None at the end."""
    outdated: bool = False
    """The server has said since that it changed."""
    asked: bool = False
    """False until a first page came: empty is then not known."""


class Catalogue:
    """The four lists by kind: "tools", "resources", "templates", "prompts"."""

    def __init__(self) -> None:
        self.listings: dict[str, Listing] = {kind: Listing() for kind in LISTS}

    def answered(self, exchange: Exchange, params: Any, result: Any) -> str | None:
        """A result came: the kind of the list it was a page of, or None."""
        kind = KIND_OF_METHOD.get(exchange.method)
        if kind is None:
            return None
        cursor, before = peek.text(params, "cursor"), self.listings[kind]
        goes_on = cursor is not None and before.next_cursor == cursor
        found = tuple(peek.items(result, LISTS[kind].member))
        self.listings[kind] = Listing(
            items=before.items + found if goes_on else found,
            pages=before.pages + 1 if goes_on else 1,
            next_cursor=peek.text(result, "nextCursor"),
            asked=True,
        )
        return kind

    def changed(self, method: str) -> list[str]:
        """A list_changed notification came: the kinds it speaks of."""
        kinds = [kind for kind, listed in LISTS.items() if listed.changed == method]
        for kind in kinds:
            self.listings[kind] = msgspec.structs.replace(self.listings[kind], outdated=True)
        return kinds

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All tools so far, bad ones included."""
        return tuple(map(Tool, self.listings["tools"].items))

    @property
    def resources(self) -> tuple[Resource, ...]:
        """All resources so far."""
        return tuple(map(Resource, self.listings["resources"].items))

    @property
    def templates(self) -> tuple[Template, ...]:
        """All resource templates so far."""
        return tuple(map(Template, self.listings["templates"].items))

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """All prompts so far."""
        return tuple(map(Prompt, self.listings["prompts"].items))
