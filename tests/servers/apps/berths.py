"""A server of `fastmcp` with an app made of its components; PREFAB_BUNDLED_RENDERER=1 delivers them without a CDN."""

# mypy: disable-error-code="import-not-found, import-untyped, untyped-decorator"

from fastmcp import FastMCP, FastMCPApp
from prefab_ui.actions.mcp import CallTool
from prefab_ui.components import Button, Column, Heading, Text

app = FastMCPApp("Harbour")


@app.tool()
def moor(ship: str) -> str:
    """Moor a ship."""
    return f"{ship} is moored"


@app.ui()
def berths(quay: str = "north") -> Column:
    """Show the berths of a quay."""
    with Column() as page:
        Heading(f"Berths at the {quay} quay")
        Text("Three are free.")
        Button("Moor", on_click=CallTool("moor", arguments={"ship": "Ada"}))
    return page


server = FastMCP("Harbour")
server.add_provider(app)
server.run(show_banner=False)
