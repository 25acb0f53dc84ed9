"""A lookout built with `fastmcp`, whose tools ask for a form and for a choice by requests of the server's own.

    PYTHON lookout.py stdio | http PORT

Nothing of this project is used here.
"""

# mypy: disable-error-code="import-not-found, untyped-decorator"

import sys
from dataclasses import dataclass
from typing import Any

from fastmcp import Context, FastMCP


@dataclass
class Sighting:
    """What was seen."""

    ship: str
    masts: int = 3


office = FastMCP("lookout")


@office.tool
async def report(ctx: Context) -> str:
    """Ask what was seen."""
    seen: Any = await ctx.elicit("What do you see?", Sighting)
    return f"{seen.data.ship} with {seen.data.masts} masts" if seen.action == "accept" else str(seen.action)


@office.tool
async def choose(ctx: Context) -> str:
    """Ask for one of a few."""
    chosen: Any = await ctx.elicit("Which flag?", ["A", "B"])
    return f"flag {chosen.data}" if chosen.action == "accept" else str(chosen.action)


def main(transport: str, port: int = 0) -> None:
    """Serve until stdin ends, or for ever."""
    where = {} if transport == "stdio" else {"port": port}
    office.run("stdio" if transport == "stdio" else "streamable-http", show_banner=False, **where)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
