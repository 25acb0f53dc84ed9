"""Whether a tool can be called as a task, and how that is asked for.

In the core of 2025-11-25 the client asks, where the server has declared `tasks.requests.tools.call`, and each tool
says whether it must be asked so, may be, or must not be. In the extension the server alone decides, and may do so
only where the client has declared the extension with the request.

Source: specification 2025-11-25, basic/utilities/tasks (tool-level negotiation);
ext-tasks, specification 2026-07-28 (stable), tasks.
"""

from enum import StrEnum
from typing import Any

from inspector.protocol import peek
from inspector.protocol.revisions._shape import Tasks
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.things import Tool
from inspector.protocol.tracking.task_words import EXTENSION_NAME


class Support(StrEnum):
    """Whether a call may become a task."""

    NONE = "none"
    """Neither the revision nor the server knows tasks."""
    FORBIDDEN = "forbidden"
    """The server has tasks, this tool is not for them; also where nothing was said of the tool."""
    OPTIONAL = "optional"
    REQUIRED = "required"
    SERVER_DECIDES = "server decides"
    """Nothing can be asked for: any call may be answered with a task."""


def support_of(tool: Tool | None, opening: Opening) -> Support:
    """Whether calls of a tool may become tasks; None for a tool that is not listed."""
    if opening.revision.tasks is Tasks.EXTENSION:
        declared = peek.has(opening.capabilities, "extensions", EXTENSION_NAME)
        return Support.SERVER_DECIDES if declared else Support.NONE
    if opening.revision.tasks is Tasks.NONE or not peek.has(opening.capabilities, "tasks", "requests", "tools", "call"):
        return Support.NONE
    said = tool.task_support if tool is not None else ""
    return Support(said) if said in ("required", "optional") else Support.FORBIDDEN


def why_no_task(support: Support, name: str, opening: Opening) -> str:
    """Why a call can't be asked to be a task, one sentence; "" if it can, or if the server decides."""
    match support:
        case Support.FORBIDDEN:
            return f"the server does not let {name} be called as a task"
        case Support.NONE if opening.revision.tasks is Tasks.NONE:
            return f"{opening.revision.date} has no tasks"
        case Support.NONE:
            return "the server does not declare tasks for tool calls"
    return ""


def as_task(params: Any, ttl_ms: float | None = None) -> dict[str, Any]:
    """The params of a call that asks to be a task; `ttl_ms`: how long it is to be kept, None: as the server likes."""
    ttl = int(ttl_ms) if ttl_ms is not None and float(ttl_ms).is_integer() else ttl_ms
    return {**peek.mapping(params), "task": {} if ttl is None else {"ttl": ttl}}
