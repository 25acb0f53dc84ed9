"""A beacon built with `mcp` 2: a resource that a tool changes, and a tool that comes and goes; both are announced.

    PYTHON beacon.py stdio | http PORT

Nothing of this project is used here: the package keeps the subscriptions and their streams.
"""

# mypy: disable-error-code="import-not-found, misc, untyped-decorator"

import sys
from typing import Any

from mcp.server.mcpserver import Context, MCPServer

beacon = MCPServer("beacon")
state = {"flashes": 2}


@beacon.resource("beacon://lamp")
def lamp() -> str:
    """Say how the lamp flashes."""
    return f"The lamp flashes\n{state['flashes']} times a minute\nwhite\n"


@beacon.tool()
async def flash(times: int, ctx: Context[Any]) -> str:
    """Let the lamp flash so many times a minute, and tell who watches it."""
    state["flashes"] = times
    await ctx.notify_resource_updated("beacon://lamp")
    return "done"


@beacon.tool()
async def mount_horn(ctx: Context[Any]) -> str:
    """Have one tool more, and tell who watches the list."""
    beacon.add_tool(horn)
    await ctx.notify_tools_changed()
    return "mounted"


def horn() -> str:
    """Blow it."""
    return "hoot"


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        beacon.run("stdio")
    else:
        beacon.run("streamable-http", port=int(sys.argv[2]))
