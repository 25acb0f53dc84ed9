"""Commands of mcp-inspect. stdout is for data, stderr for messages."""
