#!/usr/bin/env bash
# One program, one set of tools, other versions. kubernetes-mcp-server 0.0.67 (Go SDK) speaks 2026-07-28 over stdio. Over
# HTTP it does so with `--stateless` alone: without it, it answers `server/discover` with a result that only 2026-07-28
# has, complete with `ttlMs`, and then refuses every other request of that version with -32022.
set -euo pipefail
dir=$(mktemp -d)
trap 'kill -9 $(jobs -p) 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private": true}' > package.json
npm install --silent --no-audit --no-fund kubernetes-mcp-server-linux-amd64@0.0.67
cat > kubeconfig <<'YAML'
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:9"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
YAML
echo 'kubernetes-mcp-server-linux-amd64 0.0.67'
echo 'expected: 2026-07-28 is spoken, or not, by each transport alike'
python3 - <<'PY'
import json
import socket
import subprocess
import sys
import time
import urllib.request

PROGRAM = "node_modules/kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64"
COMMAND = [PROGRAM, "--kubeconfig", "kubeconfig", "--cluster-provider", "kubeconfig"]
VERSION, PREFIX, QUIET = "2026-07-28", "io.modelcontextprotocol/", subprocess.DEVNULL
META = {"protocolVersion": VERSION, "clientInfo": {"name": "c", "version": "1"}, "clientCapabilities": {}}


def request(id, method):
    params = {"_meta": {PREFIX + name: value for name, value in META.items()}}
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()


def over_stdio():
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=QUIET) as server:
        for id, method in enumerate(("server/discover", "tools/list")):
            server.stdin.write(request(id, method) + b"\n")
            server.stdin.flush()
            yield json.loads(server.stdout.readline())
        server.kill()


def over_http(*options):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    argv = [*COMMAND, "--bind-address", "127.0.0.1", "--port", port, *options]
    with subprocess.Popen(argv, stdout=QUIET, stderr=QUIET) as server:
        for id, method in enumerate(("server/discover", "tools/list")):
            yield posted(f"http://127.0.0.1:{port}/mcp", method, request(id, method))
        server.kill()


def posted(url, method, body):
    head = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    asked = urllib.request.Request(url, body, head | {"MCP-Protocol-Version": VERSION, "Mcp-Method": method})
    for _ in range(100):
        try:
            with urllib.request.urlopen(asked, timeout=10) as response:
                text = response.read().decode()
        except urllib.error.HTTPError as error:
            text = error.read().decode()
        except OSError:
            time.sleep(0.1)
            continue
        return json.loads(next(line.removeprefix("data:") for line in text.splitlines() if '"jsonrpc"' in line))
    sys.exit("the server does not listen")


def is_spoken(discovered, listed):
    named = VERSION in discovered["result"]["supportedVersions"]
    assert discovered["result"]["resultType"] == "complete"
    assert "ttlMs" in discovered["result"]
    assert named is ("result" in listed)
    return named


ways = {"stdio": over_stdio(), "HTTP": over_http(), "HTTP with --stateless": over_http("--stateless")}
seen = {way: is_spoken(*responses) for way, responses in ways.items()}
print("seen: " + ", ".join(f"{way} {'speaks' if spoken else 'refuses'} it" for way, spoken in seen.items()))
sys.exit(list(seen.values()) != [True, False, True])
PY
