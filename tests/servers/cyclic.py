"""Returns endless pages: `tools/list` alternates between two cursors, `prompts/list` repeats one page."""

from typing import Any

from tests.servers.speaking import HELLO, TOOL, serve

_AFTER = {None: "a", "a": "b", "b": "a"}


def tools(request: dict[str, Any]) -> dict[str, Any]:
    """The page after a cursor."""
    cursor = request.get("params", {}).get("cursor")
    return {"tools": [{**TOOL, "name": f"after_{cursor}"}], "nextCursor": _AFTER[cursor]}


if __name__ == "__main__":
    hello = {**HELLO, "capabilities": {"tools": {}, "prompts": {}}}
    serve(
        {"initialize": hello, "tools/list": tools, "prompts/list": {"prompts": [{"name": "p"}], "nextCursor": "same"}}
    )
