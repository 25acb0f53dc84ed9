"""Widgets that are independent of MCP."""
