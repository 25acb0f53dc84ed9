"""Flow of fetching all pages of a list, protected against cursors that never end.

An absent or null cursor ends a list. An empty string is a cursor (explicitly so in 2026-07-28). Servers that mean
"the end" by it answer it with a page they gave before, where fetching stops. Fetching also stops at a repeated
cursor, a repeated page, or a series of empty pages.
"""

from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.flows.steps import Flow, Notice, Pause, Refused, Replied, Reply, Send
from inspector.protocol.frames import Cause
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.listed_items import LISTS, Tool
from inspector.protocol.revisions._shape import Carriage, Revision

# Repeating a request whose stream was cut (stateless era).

PAUSES = (0.25, 1.0, 3.0)
"""Seconds before each retry; the length is the number of retries."""

_SAFE = {"server/discover", "resources/read", "prompts/get", "completion/complete", "tasks/get"}
PAGE_LIMIT = 1000
ITEM_LIMIT = 100_000

ENDED_BY_EMPTY = "the server means the end by an empty cursor"
"""Why fetching stopped although the list is complete."""

EMPTY_LIMIT = 10
"""Maximum number of consecutive empty pages."""


class Pages(msgspec.Struct, frozen=True):
    """The fetched part of a list."""

    kind: str
    items: tuple[Any, ...]
    """Raw items in the server's order."""
    pages: int
    stopped: str
    """Why fetching ended before the server's end of the list, one sentence; "" if the list is complete."""
    failed: Reply | None = None
    """What was received instead of a page, if that is the reason."""
    next_cursor: str | None = None
    """Cursor of the next page; None at the end."""


def is_safe(method: str, tool: Tool | None = None) -> bool:
    """Return whether a request can safely be repeated. `tool` is the called tool; None if unknown."""
    if method == "tools/call":
        return tool is not None and (tool.read_only or tool.idempotent)
    return method in _SAFE or method.endswith("/list")


def is_repeated(method: str, revision: Revision | None, tool: Tool | None = None) -> bool:
    """Return whether a request is repeated automatically after its stream was cut: if safe, and not resumable."""
    return revision is not None and revision.carriage is Carriage.STATELESS and is_safe(method, tool)


def was_cut(reply: Reply) -> bool:
    """Return whether the server accepted the request but the response ended before the answer."""
    return isinstance(reply, Refused) and reply.begun


def sent(send: Send, *, again: bool) -> Flow[tuple[Reply, int]]:
    """Send a request; with `again`, repeat it after a cut stream. Return the last reply and the number of attempts."""
    reply: Reply = yield send
    tries = 1
    for pause in PAUSES if again else ():
        if not was_cut(reply):
            break
        yield Notice(f"the stream of {send.method} was cut before its answer; it is asked for again with a new id")
        yield Pause(pause)
        reply = yield msgspec.structs.replace(send, cause=Cause.RETRY)
        tries += 1
    return reply, tries


class _Fetched(msgspec.Struct):
    """The pages so far."""

    items: list[Any] = msgspec.field(default_factory=list)
    seen: set[str] = msgspec.field(default_factory=set)
    last: list[Any] = msgspec.field(default_factory=list)
    """Items of the previous page."""
    empty: int = 0
    """Number of consecutive pages without items."""

    def take(self, page: int, found: list[Any], cursor: str | None, most: int) -> str:
        """Add a page. Return why no further page should be requested; "" if one can be."""
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

    `cursor` is where to begin; None for the first page. `wanted` is the number of pages to fetch; None for all.
    """
    listed = LISTS[kind]
    again = is_repeated(listed.method, revision)
    so_far = _Fetched(seen=set() if cursor is None else {cursor})
    for page in range(1, page_limit + 1):
        params = None if cursor is None else {"cursor": cursor}
        reply, _ = yield from sent(Send(listed.method, params, revision=revision), again=again)
        if page > 1 and cursor == "" and isinstance(reply, Replied) and isinstance(reply.message, ErrorResponse):
            return Pages(kind, tuple(so_far.items), page - 1, "")  # it rejects its own cursor: that was the end
        if not isinstance(reply, Replied) or not isinstance(reply.message, ResultResponse):
            return Pages(kind, tuple(so_far.items), page - 1, f"page {page} could not be fetched", reply, cursor)
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
    """Return what is wrong with a last page; "" for a regular end of the list."""
    if not isinstance(peek.at(result, member), list):
        return f"the result has no array {member!r}"
    if peek.at(result, "nextCursor") is not None:
        return f"nextCursor is a {peek.type_name(peek.at(result, 'nextCursor'))}, not a string"
    return ""
