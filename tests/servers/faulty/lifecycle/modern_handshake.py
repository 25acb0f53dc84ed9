"""It knows the newest revision's name only: it answers initialize with it, which that revision does not have."""
# expects: modern-version-in-handshake

from tests.servers.speaking import HELLO, TOOL, serve

serve({"initialize": HELLO | {"protocolVersion": "2026-07-28"}, "tools/list": {"tools": [TOOL]}})
