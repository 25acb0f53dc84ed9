"""Tools for the panels' tests, as a server lists them."""

from typing import Any

LOOKS = {"readOnlyHint": True}
DESTROYS = {"destructiveHint": True, "readOnlyHint": False}


def tool(
    name: str, *required: str, about: str = "", annotations: Any = None, output: Any = None, **properties: Any
) -> Any:
    """A tool with these arguments."""
    listed: dict[str, Any] = {
        "name": name,
        "description": about,
        "inputSchema": {"type": "object", "properties": properties, "required": list(required)},
    }
    if annotations is not None:
        listed["annotations"] = annotations
    if output is not None:
        listed["outputSchema"] = output
    return listed


SUM = {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}
ECHO = tool("echo", "text", about="Calls across the bay.", annotations=LOOKS, text={"type": "string", "minLength": 2})
ADD = tool("add", "a", about="Adds.", output=SUM, a={"type": "number", "default": 1})
CLEAR = tool("clear", about="Throws it away.", annotations=DESTROYS)
TOOLS = [ECHO, ADD, CLEAR]
