"""anodize-mcp over stdio or HTTP: `PYTHON anodize.py [PORT]`."""

# mypy: ignore-errors

import sys

from anodize_mcp import AnodizeMCP

server = AnodizeMCP("anodize", instructions="A small server.")


@server.tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@server.resource("config://app")
def config() -> str:
    """Return the settings."""
    return '{"theme": "dark"}'


@server.prompt
def review(code: str) -> str:
    """Review code."""
    return f"Review this code: {code}"


if len(sys.argv) > 1:
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
