#!/usr/bin/env bash
# A tool fails because a file is missing. With mcp 1.30.0 the result names the file; mcp 2.3.0 answers "Error executing tool
# population" without a reason, which is on stderr alone: a model cannot correct its call, and a user of HTTP sees nothing.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for package in mcp==1.30.0 mcp==2.3.0; do
    python3 -m venv "venv-${package#mcp==}"
    "venv-${package#mcp==}/bin/pip" install -q --disable-pip-version-check "$package" 2>/dev/null
done
cat > server.py <<'PY'
try:
    from mcp.server.mcpserver import MCPServer as Server
except ImportError:
    from mcp.server.fastmcp import FastMCP as Server
server = Server("s")


@server.tool()
def population(city: str) -> str:
    return open("cities.json").read()


server.run()
PY
echo 'mcp 1.30.0, mcp 2.3.0'
echo 'expected: both results name cities.json'
python3 - <<'PY'
import json
import subprocess
import sys

PARAMS = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}


def text(version):
    argv, quiet = [f"venv-{version}/bin/python", "server.py"], subprocess.DEVNULL
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet) as server:

        def send(message):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            server.stdin.flush()

        send({"id": 1, "method": "initialize", "params": PARAMS})
        server.stdout.readline()
        send({"method": "notifications/initialized"})
        send({"id": 2, "method": "tools/call", "params": {"name": "population", "arguments": {"city": "Oslo"}}})
        answer = {}
        while answer.get("id") != 2:
            answer = json.loads(server.stdout.readline())
        server.stdin.close()
    return answer["result"]["content"][0]["text"]


seen = {version: text(version) for version in ("1.30.0", "2.3.0")}
for version, words in seen.items():
    print(f"seen: {version}: {words}")
sys.exit(["cities.json" in each for each in seen.values()] != [True, False])
PY
