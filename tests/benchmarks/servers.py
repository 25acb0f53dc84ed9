"""Servers for measurements, as small as a server can be: what is measured is the client."""

TRIVIAL = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    reply = {"jsonrpc": "2.0", "id": m["id"]}
    if m["method"] == "initialize":
        reply["result"] = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}},
                           "serverInfo": {"name": "trivial", "version": "1"}}
    elif m["method"] == "tools/list":
        reply["result"] = {"tools": [{"name": "one", "inputSchema": {"type": "object"}}]}
    else:
        reply["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(reply), flush=True)
"""
"""A handshake server with one tool; the standard library's json is all it imports."""

FLOOD_SIZE = 100_000
FLOOD = (
    TRIVIAL.replace(
        "    print(json.dumps(reply), flush=True)\n",
        """    print(json.dumps(reply), flush=True)
    if m["method"] == "tools/list":
        for n in range(COUNT):
            sys.stdout.write('{"jsonrpc":"2.0","method":"notifications/message","params":'
                             '{"level":"info","logger":"flood","data":"%08d %s"}}' % (n, "x" * 83) + "\\n")
        sys.stdout.flush()
""",
    )
).replace("COUNT", str(FLOOD_SIZE))
"""The same; after its tools it sends numbered notifications of 200 bytes, as fast as the pipe takes them."""
