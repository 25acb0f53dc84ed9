"""Tools, prompts and resources as they are listed: schemas of another library, another API, another language."""

from itertools import count
from typing import Any

from tests.servers.speaking import serve
from tests.servers.trackers import Run

_GOOD: dict[str, Any] = {
    "name": "forecast",
    "description": "Tells the weather of a city.",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string", "description": "Its name."}}},
}


def _pages_for_ever() -> None:
    """Another tool on each page, and always the same cursor."""
    numbers = count(1)
    serve({"tools/list": lambda request: {"tools": [_GOOD | {"name": f"t{next(numbers)}"}], "nextCursor": "p2"}})


SERVERS: dict[str, Run] = {
    "result-is-the-list": lambda: serve({"tools/list": [_GOOD]}),
    "cursor-that-never-changes": _pages_for_ever,
}
