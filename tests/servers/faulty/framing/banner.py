"""“Unexpected token 'W', "Welcome to"... is not valid JSON”: a greeting on stdout, before the protocol begins."""
# expects: stdout-not-json

from tests.servers.speaking import TOOL, serve

print("Welcome to weather-mcp 1.4.0", flush=True)
serve({"tools/list": {"tools": [TOOL]}})
