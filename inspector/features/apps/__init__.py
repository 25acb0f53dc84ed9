"""MCP Apps: a host that shows the app of a tool in a web browser and records every message between the two.

The browser's page is a relay. Everything that decides is here, in Python: the answers to `ui/*`, what is forwarded
to the server, and what is refused.

Source: MCP Apps (io.modelcontextprotocol/ui), 2026-01-26.
"""
