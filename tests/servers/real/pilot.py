"""A pilot's office built with `mcp` 2: each tool asks something, in whichever way the package has for the era.

    PYTHON pilot.py stdio | http PORT

Nothing of this project is used here: the package decides between a request of its own and a result that asks.
"""

# mypy: disable-error-code="import-not-found, misc"

import sys
from typing import Annotated, Literal

from mcp.server.mcpserver import AcceptedElicitation, Elicit, ElicitationResult, ListRoots, MCPServer, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel


class Berth(BaseModel):
    """Where to."""

    quay: Literal["north", "south"] = "south"
    nights: int = 2


class Rope(BaseModel):
    """What with."""

    metres: int


async def which_berth() -> Elicit[Berth]:
    """Ask where to."""
    return Elicit("Which berth?", Berth)


async def which_rope(berth: Annotated[Berth, Resolve(which_berth)]) -> Elicit[Rope]:
    """Ask what with, once it is known where to."""
    return Elicit(f"How much rope for the {berth.quay} quay?", Rope)


async def advice() -> Sample:
    """Ask a model."""
    said = SamplingMessage(role="user", content=TextContent(type="text", text="Is it safe to sail?"))
    return Sample([said], max_tokens=50, system_prompt="You are a pilot.")


async def roots() -> ListRoots:
    """Ask for roots."""
    return ListRoots()


async def moor(
    ship: str, berth: Annotated[Berth, Resolve(which_berth)], rope: Annotated[Rope, Resolve(which_rope)]
) -> str:
    """Moor a ship, after two questions of which the second knows the first answer."""
    return f"{ship} lies at the {berth.quay} quay for {berth.nights} nights on {rope.metres} m of rope"


async def offer(berth: Annotated[ElicitationResult[Berth], Resolve(which_berth)]) -> str:
    """Offer a berth, which may be declined."""
    return "taken" if isinstance(berth, AcceptedElicitation) else f"not taken: {berth.action}"


async def advise(said: Annotated[CreateMessageResult, Resolve(advice)]) -> str:
    """Pass on what a model says."""
    return f"{said.model} says: {getattr(said.content, 'text', '')}"


async def look_around(found: Annotated[ListRootsResult, Resolve(roots)]) -> str:
    """List the roots."""
    return ", ".join(str(root.uri) for root in found.roots) or "nothing"


def main(transport: str, port: int = 0) -> None:
    """Serve until stdin ends, or for ever."""
    office = MCPServer("pilot")
    for tool in (moor, offer, advise, look_around):
        office.tool()(tool)
    if transport == "stdio":
        office.run("stdio")
    else:
        office.run("streamable-http", port=port)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
