"""arcade-mcp-server over stdio or HTTP: `PYTHON arcade.py [PORT]`."""

# mypy: ignore-errors

import sys
from typing import Annotated

from arcade_mcp_server import MCPApp

app = MCPApp(name="arcade", version="1.0.0")


@app.tool
def greet(
    name: Annotated[str, "Name to greet"], times: Annotated[int, "How often"] = 1
) -> Annotated[str, "The greeting"]:
    """Greet someone by name."""
    return f"Hello, {name}! " * min(times, 10)


if len(sys.argv) > 1:
    app.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    app.run(transport="stdio")
