"""How the tasks that a server keeps are listed, page by page, with a guard against cursors that lead nowhere.

Only the core of 2025-11-25 has a list, and only where the server declares `tasks.list`.
"""

from typing import Any

import msgspec

from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.flows.list_all import PAGE_LIMIT
from inspector.protocol.flows.steps import Flow, Replied, Reply, Send
from inspector.protocol.jsonrpc import Answer
from inspector.protocol.revisions._shape import Tasks
from inspector.protocol.revisions.openings import Opening


class TaskList(msgspec.Struct, frozen=True):
    """The list as far as it was fetched; the tasks themselves stand in the conversation."""

    ids: tuple[str, ...]
    pages: int
    stopped: str = ""
    """Why fetching ended before the server said so; "" if the list is whole."""
    failed: Reply | None = None
    """What came instead of a page, if that is why."""


def why_no_list(opening: Opening) -> str:
    """Why tasks can't be listed, one sentence; "" if they can."""
    if opening.revision.tasks is Tasks.CORE:
        declared = peek.has(opening.capabilities, "tasks", "list")
        return "" if declared else "the server does not declare tasks.list"
    return f"{opening.revision.date} has no list of tasks"


def list_tasks(opening: Opening) -> Flow[TaskList]:
    """Fetch the list. Raises: UsageError where there is none."""
    if why := why_no_list(opening):
        raise UsageError(why, hint="Tasks that this session began are known without a list.")
    ids: dict[str, None] = {}
    seen: set[str] = set()
    cursor: str | None = None
    for page in range(1, PAGE_LIMIT + 1):
        params = None if cursor is None else {"cursor": cursor}
        reply: Reply = yield Send("tasks/list", params, revision=opening.revision)
        if not isinstance(reply, Replied) or not isinstance(reply.message, Answer):
            return TaskList(tuple(ids), page - 1, f"page {page} could not be had", reply)
        result: Any = reply.message.result
        found = [id_ for item in peek.items(result, "tasks") if (id_ := peek.text(item, "taskId"))]
        new = [id_ for id_ in found if id_ not in ids]
        ids |= dict.fromkeys(new)
        cursor = peek.text(result, "nextCursor")
        if cursor is None:
            return TaskList(tuple(ids), page, _oddity(result))
        if cursor in seen or (cursor == "" and not new):
            return TaskList(tuple(ids), page, f"the server gave the cursor {cursor[:80]!r} a second time")
        seen.add(cursor)
    return TaskList(tuple(ids), PAGE_LIMIT, f"more than {PAGE_LIMIT} pages")


def _oddity(result: Any) -> str:
    return "" if isinstance(peek.at(result, "tasks"), list) else "the result has no array 'tasks'"
