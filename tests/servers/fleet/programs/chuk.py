"""chuk-mcp-server: `PYTHON chuk.py [PORT]`."""

# mypy: ignore-errors

import sys

from chuk_mcp_server import ChukMCPServer

server = ChukMCPServer(name="add", version="1.0.0")


@server.tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


if len(sys.argv) > 1:
    server.run(host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run(stdio=True)
