"""The demo: an MCP server with examples of every feature of the protocol.

It shares only the HTTP listener with the client, so that it is an independent implementation.
"""
