"""The server that `mcp-inspect demo` starts. It shares no code with the client but JSON: a second opinion."""
