"""Tests of `mcp-inspect blame`."""
