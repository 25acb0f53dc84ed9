"""How all pages of a list are fetched, with a guard against cursors that lead nowhere.

An absent or null cursor ends a list. An empty string is a cursor (2026-07-28 says so outright); servers that mean
"the end" by it answer it with a page they gave before, which is where the guard stops. It stops as well at a cursor
that comes again, at pages that come again, and at a row of empty ones.
"""

from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.flows.steps import Flow, Notice, Pause, Refused, Replied, Reply, Send
from inspector.protocol.jsonrpc import Answer, ErrorAnswer
from inspector.protocol.revisions._shape import Carriage, Revision
from inspector.protocol.things import LISTS, Tool

# Asking again for what a cut stream has lost (stateless era).

PAUSES = (0.25, 1.0, 3.0)
"""Seconds before each further try; there are no more of them."""

_SAFE = {"server/discover", "resources/read", "prompts/get", "completion/complete", "tasks/get"}


def is_safe(method: str, tool: Tool | None = None) -> bool:
    """Whether a request can be made twice without harm; `tool` is the one that is called, None if it is unknown."""
    if method == "tools/call":
        return tool is not None and (tool.read_only or tool.idempotent)
    return method in _SAFE or method.endswith("/list")


def is_repeated(method: str, revision: Revision | None, tool: Tool | None = None) -> bool:
    """Whether a request whose stream was cut is made again unbidden: not where streams are resumed."""
    return revision is not None and revision.carriage is Carriage.STATELESS and is_safe(method, tool)


def was_cut(reply: Reply) -> bool:
    """Whether the server took the request and what it answered with ended before the answer."""
    return isinstance(reply, Refused) and reply.begun


def sent(send: Send, *, again: bool) -> Flow[tuple[Reply, int]]:
    """Send a request, with `again` also after an interrupted stream; the last reply, and the number of attempts."""
    reply: Reply = yield send
    tries = 1
    for pause in PAUSES if again else ():
        if not was_cut(reply):
            break
        yield Notice(f"the stream of {send.method} was cut before its answer; it is asked for again with a new id")
        yield Pause(pause)
        reply = yield send
        tries += 1
    return reply, tries


PAGE_LIMIT = 1000
ITEM_LIMIT = 100_000
ENDED_BY_EMPTY = "the server means the end by an empty cursor"
"""Why the fetching of a list stopped that is complete all the same."""
EMPTY_LIMIT = 10
"""Empty pages in a row."""


class Pages(msgspec.Struct, frozen=True):
    """A list as far as it was fetched."""

    kind: str
    items: tuple[Any, ...]
    """Raw, in the server's order."""
    pages: int
    stopped: str
    """Why fetching ended before the server said so, one sentence; "" if the list is whole."""
    failed: Reply | None = None
    """What was received instead of a page, if that is the reason."""
    next_cursor: str | None = None
    """What the next page would be asked with; None at the end."""


class _Fetched(msgspec.Struct):
    """The pages so far."""

    items: list[Any] = msgspec.field(default_factory=list)
    seen: set[str] = msgspec.field(default_factory=set)
    last: list[Any] = msgspec.field(default_factory=list)
    """The items of the page before."""
    empty: int = 0
    """How many pages in a row had no items."""

    def take(self, page: int, found: list[Any], cursor: str | None, most: int) -> str:
        """Take a page; why there is no sense in asking for another, "" if there is."""
        again = page > 1 and bool(found) and found == self.last
        self.items += found
        self.last = found
        self.empty = 0 if found else self.empty + 1
        if cursor is None:
            return ""
        if cursor in self.seen:
            return f"the server gave the cursor {cursor!r} a second time"
        self.seen.add(cursor)
        if again:
            return f"page {page} is page {page - 1} again"
        if self.empty >= EMPTY_LIMIT:
            return f"{self.empty} pages in a row were empty"
        return f"more than {most:,} items (--max items=N raises that)" if len(self.items) > most else ""


def list_all(
    kind: str,
    *,
    revision: Revision | None = None,
    page_limit: int = PAGE_LIMIT,
    item_limit: int = ITEM_LIMIT,
    cursor: str | None = None,
    wanted: int | None = None,
) -> Flow[Pages]:
    """Fetch the list of a kind: "tools", "resources", "templates" or "prompts".

    `cursor` begins at that page, None at the first; `wanted` is how many pages are enough, None: all.
    """
    listed = LISTS[kind]
    again = is_repeated(listed.method, revision)
    so_far = _Fetched(seen=set() if cursor is None else {cursor})
    for page in range(1, page_limit + 1):
        params = None if cursor is None else {"cursor": cursor}
        reply, _ = yield from sent(Send(listed.method, params, revision=revision), again=again)
        if page > 1 and cursor == "" and isinstance(reply, Replied) and isinstance(reply.message, ErrorAnswer):
            return Pages(kind, tuple(so_far.items), page - 1, "")  # it rejects its own cursor: that was the end
        if not isinstance(reply, Replied) or not isinstance(reply.message, Answer):
            return Pages(kind, tuple(so_far.items), page - 1, f"page {page} could not be had", reply, cursor)
        result = reply.message.result
        found = peek.items(result, listed.member)
        if page > 1 and cursor == "" and found == so_far.items[: len(found)]:
            return Pages(kind, tuple(so_far.items), page, ENDED_BY_EMPTY)
        cursor = peek.text(result, "nextCursor")
        stopped = so_far.take(page, found, cursor, item_limit)
        if cursor is None:
            stopped = _oddity(result, listed.member)
        if cursor is None or stopped or page == wanted:
            return Pages(kind, tuple(so_far.items), page, stopped, next_cursor=cursor)
    stopped = f"more than {page_limit} pages (--max pages=N raises that)"
    return Pages(kind, tuple(so_far.items), page_limit, stopped, next_cursor=cursor)


def _oddity(result: Any, member: str) -> str:
    """What is wrong with a last page that can't be taken for an ordinary end."""
    if not isinstance(peek.at(result, member), list):
        return f"the result has no array {member!r}"
    if peek.at(result, "nextCursor") is not None:
        return f"nextCursor is a {peek.type_name(peek.at(result, 'nextCursor'))}, not a string"
    return ""
