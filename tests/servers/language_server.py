"""Expects messages with headers, like language servers, and silently ignores lines without them."""

import sys

while line := sys.stdin.buffer.readline():
    if not line.lower().startswith(b"content-length:"):
        continue
    while sys.stdin.buffer.readline().strip():
        pass
    body = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s\n" % (len(body), body))
    sys.stdout.buffer.flush()
