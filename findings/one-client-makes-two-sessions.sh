#!/usr/bin/env bash
# mcp-remote 0.15.1 connects one client on stdio with a server over HTTP. Before the client has said anything, it opens a
# session of its own as "mcp-remote-fallback-test": the server counts two clients. When the client has gone, it ends
# neither session with DELETE. And the name of the client depends on the era: "c (via mcp-remote 0.15.1)" in `initialize`,
# "c" in `server/discover`.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export HOME=$dir
echo '{"private": true}' > package.json
npm install --silent --no-audit --no-fund mcp-remote@0.15.1
echo 'mcp-remote 0.15.1'
echo 'expected: one session, opened by c and ended by it'
python3 - <<'PY'
import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

opened, ended, discovered = [], [], []


class Server(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(405 if self.path == "/mcp" else 404)

    def do_DELETE(self):
        ended.append(self.headers["mcp-session-id"])
        self.answer(200)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in message:
            return self.answer(202)
        answer, headers = {"jsonrpc": "2.0", "id": message["id"]}, {}
        if message["method"] == "initialize":
            opened.append(message["params"]["clientInfo"]["name"])
            headers = {"mcp_session_id": f"s{len(opened)}"}
            version = message["params"]["protocolVersion"]
            server = {"name": "s", "version": "1"}
            answer["result"] = {"protocolVersion": version, "capabilities": {}, "serverInfo": server}
        else:
            meta = message["params"]["_meta"]
            discovered.append(meta["io.modelcontextprotocol/clientInfo"]["name"])
            answer["error"] = {"code": -32601, "message": "Method not found"}
        return self.answer(200, json.dumps(answer).encode(), **headers)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/mcp"
argv = ["node_modules/.bin/mcp-remote", url, "--allow-http"]
CLIENT = {"name": "c", "version": "1"}
META = {f"io.modelcontextprotocol/{name}": value for name, value in
        {"protocolVersion": "2026-07-28", "clientInfo": CLIENT, "clientCapabilities": {}}.items()}
PARAMS = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as proxy:
    for id_, method, params in ((1, "server/discover", {"_meta": META}), (2, "initialize", PARAMS)):
        request = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        proxy.stdin.write(json.dumps(request).encode() + b"\n")
        proxy.stdin.flush()
        proxy.stdout.readline()
    proxy.stdin.close()
    proxy.wait(20)
print(f"seen: opened by {opened}, discovered by {discovered}, ended: {ended}")
sys.exit((opened, discovered, ended) != (["mcp-remote-fallback-test", "c (via mcp-remote 0.15.1)"], ["c"], []))
PY
