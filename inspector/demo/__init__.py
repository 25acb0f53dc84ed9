"""The demo: an MCP server with something for each feature of the protocol.

It shares no code with the client but the HTTP listener: it is a second opinion.
"""
