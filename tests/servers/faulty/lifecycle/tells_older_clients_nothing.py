"""It supports only the newest revision, and rejects an older handshake as an unknown method."""
# expects: handshake-error-without-versions
# by: doctor
# exit: 0

import json
import sys
from typing import Any

from tests.servers.speaking import TOOL, answer, say

META = "io.modelcontextprotocol/"
COMPLETE: dict[str, Any] = {
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "public",
    "_meta": {META + "serverInfo": {"name": "newest", "version": "1"}},
}
RESULTS: dict[str, Any] = {
    "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
    "tools/list": {"tools": [TOOL | {"description": "Does good to whatever it is given."}]},
}
for line in sys.stdin.buffer:
    request = json.loads(line)
    method, params = request.get("method"), request.get("params") or {}
    if "id" not in request:
        continue
    code = 0 if method in RESULTS else -32601
    is_declared = method == "initialize" or META + "protocolVersion" in params.get("_meta", {})
    if not is_declared or method == "tools/call" or "cursor" in params:
        code = -32602
    if code:
        say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": "no"}})
    else:
        answer(request, COMPLETE | RESULTS[method])
