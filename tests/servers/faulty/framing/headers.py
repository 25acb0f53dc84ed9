"""Written after a language server: Content-Length, a blank line, the message without a line's end."""
# expects: lsp-framing
# exit: 7
# options: --timeout 2.5

import json
import sys

for line in sys.stdin.buffer:
    message = json.loads(line)
    body = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": {"capabilities": {}}}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()
