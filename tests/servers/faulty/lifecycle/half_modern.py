"""server/discover was added to an old server: its answers look new, and lack what clients of that era need."""
# expects: incomplete-modern-support

from tests.servers.speaking import TOOL, serve

DISCOVERED = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
serve({"server/discover": DISCOVERED, "tools/list": {"tools": [TOOL]}})
