"""An MCP server through which agents inspect and debug other MCP servers."""
