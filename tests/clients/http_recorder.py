"""The recording server over Streamable HTTP, in this process: it serves one case and records what a client sends."""

import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from tests.clients.recorder import answer


class HttpRecorder:
    """A running server; use it as a context manager."""

    def __init__(self, case: Path, log: Path) -> None:
        self.case: dict[str, Any] = json.loads(case.read_text())
        self._log, self._lock = log, Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}/mcp"

    def __enter__(self) -> "HttpRecorder":
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def record(self, way: str, message: Any) -> None:
        """Write a line of the log."""
        with self._lock, self._log.open("a", encoding="utf-8") as log:
            log.write(json.dumps({"at": time.monotonic(), way: message}) + "\n")


def _handler(recorder: HttpRecorder) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            recorder.record("event", f"GET {self.path}")
            self._reply(405 if self.path == "/mcp" else 404)

        def do_DELETE(self) -> None:
            recorder.record("event", f"DELETE {self.path}")
            self._reply(200)

        def do_POST(self) -> None:
            message = json.loads(self.rfile.read(int(self.headers["content-length"])))
            recorder.record("got", message)
            if "id" not in message or "method" not in message:
                return self._reply(202)
            response = answer(recorder.case, message["method"], message.get("params") or {})
            return self._reply(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], **response}).encode())

        def _reply(self, status: int, body: bytes = b"") -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write no log."""

    return Handler
