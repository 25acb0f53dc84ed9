"""The MCP protocol: messages, revisions and conversation state. Pure: no await, no clock, no file, no socket."""
