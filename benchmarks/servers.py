"""Servers for measurements, as small as a server can be: what is measured is the client."""

TRIVIAL = """
import json, sys, time
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


def _then(what: str) -> str:
    """The same; a second after its tools it does something once, when the screen stands still."""
    return f'{TRIVIAL}    if m["method"] == "tools/list":\n        time.sleep(1)\n{what}'


FLOOD_SIZE = 500_000
FLOOD = _then(f"""
        for n in range({FLOOD_SIZE}):
            sys.stdout.write('{{"jsonrpc":"2.0","method":"notifications/message","params":'
                             '{{"level":"info","logger":"flood","data":"%08d %s"}}}}\\n' % (n, "x" * 90))
        sys.stdout.flush()
""")
"""Numbered notifications of 200 bytes, as fast as the pipe takes them."""

STEADY_SIZE, STEADY_RATE = 300_000, 50_000
STEADY = _then(f"""
        began = time.monotonic()
        for n in range({STEADY_SIZE}):
            sys.stdout.write('{{"jsonrpc":"2.0","method":"notifications/message","params":'
                             '{{"level":"info","logger":"flood","data":"%08d %s"}}}}\\n' % (n, "x" * 90))
            if n % 500 == 0:
                sys.stdout.flush()
                time.sleep(max(0, began + n / {STEADY_RATE} - time.monotonic()))
        sys.stdout.flush()
""")
"""The same, so many a second."""

STDERR_FLOOD = _then(f"""
        for n in range({FLOOD_SIZE}):
            sys.stderr.write("%08d some trouble is told of here, again and again\\n" % n)
        sys.stderr.flush()
""")
"""As many lines on stderr."""

HUGE = 100_000_000
HUGE_LINE = _then(f"""
        sys.stdout.write('{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"')
        for _ in range(100):
            sys.stdout.write("x" * {HUGE // 100})
        sys.stdout.write('"}}}}\\n')
        sys.stdout.flush()
""")
"""One message of 100 MB."""

RESULT_SIZE = 5_000_000
ANSWERING = TRIVIAL.replace(
    "    else:\n",
    """    elif m["method"] == "tools/call":
        reply["result"] = {"content": [{"type": "text", "text": "here it is " + "x" * int(sys.argv[1])}]}
    else:
""",
    1,
)
"""The same; its tool responds at once, with a text of as many characters as its argument says."""
