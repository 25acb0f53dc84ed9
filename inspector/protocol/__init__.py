"""What MCP says. Pure: no await, no clock, no file, no socket."""
