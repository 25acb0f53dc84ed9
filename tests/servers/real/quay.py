"""A quay whose tools change with the tide, built with whichever Python package runs it.

    PYTHON quay.py stdio | http PORT

Nothing of this project is used here. `turn` changes the list of tools and says so.
"""

# mypy: disable-error-code="import-not-found, valid-type, attr-defined, no-redef, misc"

import sys
from typing import Any

from harbour import Package

PACKAGE = Package()
Context = PACKAGE.Context
SERVER: Any = PACKAGE.server_class("quay")


def row(strokes: int) -> str:
    """Row a boat."""
    return "rowed"


def sail(miles: str) -> str:
    """Sail for two miles at low tide."""
    return f"sailed {miles}"


def sail_far(miles: int) -> str:
    """Sail for three miles at high tide."""
    return f"sailed far {miles}"


def unload(crates: int) -> str:
    """Unload a ship."""
    return "unloaded"


def put(function: Any, name: str) -> None:
    """Offer a tool, in place of the one of that name."""
    SERVER.add_tool(function, name=name)


async def turn(ctx: Context) -> str:
    """Let the tide come in."""
    for gone in ("row", "sail"):
        SERVER.remove_tool(gone)
    put(sail_far, "sail")
    put(unload, "unload")
    await ctx.session.send_tool_list_changed()
    return "high tide"


def main(transport: str, port: int = 0) -> None:
    """Serve until stdin ends, or for ever."""
    for each in (turn, sail, row):
        put(each, each.__name__)
    SERVER.run("streamable-http" if transport == "http" else transport, **({"port": port} if port else {}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
