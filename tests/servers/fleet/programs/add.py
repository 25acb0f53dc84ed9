"""`mcp` 1, `mcp` 2 or `fastmcp`: `PYTHON add.py [TRANSPORT PORT]`."""

# mypy: ignore-errors

import sys
from importlib import import_module


def server(port):
    """Make a server of what is installed."""
    try:
        return import_module("fastmcp").FastMCP("add"), {"host": "127.0.0.1", "port": port}
    except ImportError:
        pass
    try:
        return import_module("mcp.server.fastmcp").FastMCP("add", host="127.0.0.1", port=port), {}
    except ImportError:
        return import_module("mcp.server.mcpserver").MCPServer("add"), {"host": "127.0.0.1", "port": port}


made, where = server(int(sys.argv[2]) if len(sys.argv) > 2 else 0)


def add(a: float, b: float = 1) -> float:
    """Add two numbers."""
    return a + b


def get_names(prefix: str, limit: int = 3) -> list[str]:
    """Return names that begin with a prefix."""
    return [prefix + str(at) for at in range(limit)][:100]


made.tool()(add)
made.tool()(get_names)


@made.resource("note://one")
def note() -> str:
    """Return a note."""
    return "one"


@made.prompt()
def greet(name: str) -> str:
    """Greet."""
    return f"Hello {name}"


transport = sys.argv[1] if len(sys.argv) > 1 else "stdio"
made.run(transport=transport, **(where if transport != "stdio" else {}))
