"""A logger that writes JSON, on stdout: each line parses, and none of them is a message."""
# expects: stdout-not-json

from tests.servers.speaking import TOOL, say, serve

say({"level": 30, "time": 1_750_000_000_000, "pid": 4711, "hostname": "here", "msg": "server is listening"})
serve({"tools/list": {"tools": [TOOL]}})
