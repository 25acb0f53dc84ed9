"""How all pages of a list are fetched, with a guard against cursors that lead nowhere.

An absent or null cursor ends a list. An empty string is a cursor (2026-07-28 says so outright); servers that mean
"the end" by it answer it with a page they gave before, which is where the guard stops.
"""

from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.flows.steps import Flow, Replied, Reply, Send
from inspector.protocol.jsonrpc import Answer
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.things import LISTS

PAGE_LIMIT = 1000
ITEM_LIMIT = 100_000


class Pages(msgspec.Struct, frozen=True):
    """A list as far as it was fetched."""

    kind: str
    items: tuple[Any, ...]
    """Raw, in the server's order."""
    pages: int
    stopped: str
    """Why fetching ended before the server said so, one sentence; "" if the list is whole."""
    failed: Reply | None = None
    """What came instead of a page, if that is why."""


def list_all(kind: str, *, revision: Revision | None = None, page_limit: int = PAGE_LIMIT) -> Flow[Pages]:
    """Fetch the list of a kind: "tools", "resources", "templates" or "prompts"."""
    listed = LISTS[kind]
    items: list[Any] = []
    seen: set[str] = set()
    cursor: str | None = None
    for page in range(1, page_limit + 1):
        params = None if cursor is None else {"cursor": cursor}
        reply: Reply = yield Send(listed.method, params, revision=revision)
        if not isinstance(reply, Replied) or not isinstance(reply.message, Answer):
            return Pages(kind, tuple(items), page - 1, f"page {page} could not be had", reply)
        result = reply.message.result
        found = peek.items(result, listed.member)
        if cursor == "" and found == items[: len(found)]:
            return Pages(kind, tuple(items), page, "the server means the end by an empty cursor")
        items += found
        cursor = peek.text(result, "nextCursor")
        if cursor is None:
            return Pages(kind, tuple(items), page, _oddity(result, listed.member))
        if cursor in seen:
            return Pages(kind, tuple(items), page, f"the server gave the cursor {cursor!r} a second time")
        if len(items) > ITEM_LIMIT:
            return Pages(kind, tuple(items), page, f"more than {ITEM_LIMIT:,} items")
        seen.add(cursor)
    return Pages(kind, tuple(items), page_limit, f"more than {page_limit} pages")


def _oddity(result: Any, member: str) -> str:
    """What is wrong with a last page that can't be taken for an ordinary end."""
    if not isinstance(peek.at(result, member), list):
        return f"the result has no array {member!r}"
    if peek.at(result, "nextCursor") is not None:
        return f"nextCursor is a {peek.type_name(peek.at(result, 'nextCursor'))}, not a string"
    return ""
