"""A server over HTTP that takes what one read returns for a whole request, and one that reads on."""

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.servers.speaking import HELLO

_RESULTS = {"initialize": HELLO, "ping": {}, "tools/list": {"tools": []}}
_UNKNOWN, _UNREADABLE = {"code": -32601, "message": "Method not found"}, {"code": -32700, "message": "Parse error"}


class _ReadsOnce(socketserver.StreamRequestHandler):
    whole = False

    def handle(self) -> None:
        while data := self.connection.recv(65536):
            head, _, body = data.partition(b"\r\n\r\n")
            if self.whole and head.startswith(b"POST") and not body:
                body = self.connection.recv(65536)
            self.connection.sendall(_answer(head, body))


class _ReadsOn(_ReadsOnce):
    whole = True


def _answer(head: bytes, body: bytes) -> bytes:
    if not head.startswith(b"POST"):
        return b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"
    try:
        message = json.loads(body)
    except ValueError:
        return _response(b"400 Bad Request", {"id": None, "error": _UNREADABLE})
    if "id" not in message:
        return b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
    result = _RESULTS.get(message["method"])
    outcome = {"error": _UNKNOWN} if result is None else {"result": result}
    return _response(b"200 OK", {"id": message["id"]} | outcome)


def _response(status: bytes, message: dict[str, object]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0"} | message).encode()
    return b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


@contextmanager
def serving(*, whole: bool) -> Iterator[str]:
    """Serve; the URL."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _ReadsOn if whole else _ReadsOnce) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
        finally:
            server.shutdown()
            thread.join()
