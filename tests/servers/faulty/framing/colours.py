"""A spinner of a command-line toolkit writes colors to stdout, although it is not a terminal."""
# expects: terminal-codes-on-stdout

from tests.servers.speaking import TOOL, say, serve

say("\x1b[2K\x1b[36m⠋\x1b[0m connecting to the weather service…".encode())
serve({"tools/list": {"tools": [TOOL]}})
