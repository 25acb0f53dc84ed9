"""The server did not change, its dotenv did: since version 17 it prints a line whenever it reads a file."""
# expects: stdout-not-json

from tests.servers.speaking import TOOL, serve

print("[dotenv@17.2.3] injecting env (0) from .env -- tip: encrypt with dotenvx", flush=True)
serve({"tools/list": {"tools": [TOOL]}})
