"""One harbour office, built with whichever Python package runs it: nested input, structured output, a picture.

    PYTHON harbour.py stdio | sse PORT | http PORT

PYTHON is the interpreter of an environment with `mcp` 1, `mcp` 2 or `fastmcp`. Nothing of this project is used
here: the package makes the schemas and speaks the protocol.
"""

import asyncio
import sys
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any, Literal

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415408d76360a8bb0600019a00de1b4fa4010000000049454e44ae426082"
)
"""A PNG of one pixel."""


@dataclass
class Sailor:
    """Somebody on board."""

    name: str
    rank: Literal["mate", "cook", "captain"] = "mate"


@dataclass
class Ship:
    """Who comes."""

    name: str
    length_m: float
    crew: list[Sailor]
    home: str | None = None


@dataclass
class Booking:
    """What was agreed."""

    berth: int
    ship: str
    heads: int
    nights: int


def book_berth(ship: Ship, nights: int = 1) -> Booking:
    """Keep a berth for a ship and all who are on board."""
    return Booking(int(ship.length_m) % 7, ship.name, len(ship.crew), nights)


def sink(why: str) -> str:
    """Fail, for the reason that is given."""
    raise ValueError(f"glug: {why}")


def office(package: Any, types: Any, **more: Any) -> Any:
    """Return the server, with its tools, a resource, a template and a prompt."""
    server = package.server_class("harbour", instructions="Ask for a berth before you come.", **more)

    async def unload(crates: int, ctx: package.Context) -> str:
        """Unload crates, telling of each."""
        for crate in range(crates):
            await ctx.report_progress(crate + 1, crates, f"crate {crate + 1}")
        return f"{crates} crates"

    async def wait_for_wind(ctx: package.Context) -> str:
        """Wait until somebody calls it off."""
        await ctx.report_progress(1, None, "no wind")
        try:
            await asyncio.Event().wait()
        finally:
            sys.stderr.write("wait_for_wind: called off\n")
            sys.stderr.flush()
        return "wind"

    def chart() -> types.Image:
        """Draw the harbour, small."""
        return types.Image(data=PICTURE, format="png")

    for tool in (book_berth, unload, wait_for_wind, chart, sink):
        server.tool()(tool)
    server.resource("harbour://log", mime_type="text/plain")(log)
    server.resource("harbour://berth/{number}")(berth)
    server.prompt()(hail)
    return server


def log() -> str:
    """The harbour's log."""
    return "Nothing came in, nothing went out."


def berth(number: str) -> str:
    """What lies at a berth."""
    return f"berth {number}: free"


def hail(ship: str) -> str:
    """Call a ship."""
    return f"Ahoy, {ship}!"


class Package:
    """What differs between the three packages."""

    def __init__(self) -> None:
        versions = {name: _version(name) for name in ("fastmcp", "mcp")}
        self.name = "fastmcp" if versions["fastmcp"] else f"mcp{versions['mcp'].partition('.')[0]}"
        place = {"fastmcp": "fastmcp", "mcp1": "mcp.server.fastmcp", "mcp2": "mcp.server.mcpserver"}[self.name]
        module = import_module(place)
        self.server_class = module.MCPServer if self.name == "mcp2" else module.FastMCP
        self.Context = module.Context
        self.types = import_module("fastmcp.utilities.types") if self.name == "fastmcp" else module


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def main(transport: str, port: int = 0) -> None:
    """Serve until stdin ends, or for ever."""
    package = Package()
    where = {} if transport == "stdio" else {"port": port}
    kind = "streamable-http" if transport == "http" else transport
    if package.name == "mcp1":
        office(package, package.types, **where).run(kind)
    elif package.name == "mcp2":
        office(package, package.types).run(kind, **where)
    else:
        office(package, package.types).run(kind, show_banner=False, **where)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
