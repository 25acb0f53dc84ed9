"""The MCP protocol: messages, revisions, conversation state. Pure: no await, no clock, no I/O."""
