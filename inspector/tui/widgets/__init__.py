"""Widgets that know nothing of MCP."""
