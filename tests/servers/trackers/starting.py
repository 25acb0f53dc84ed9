"""Programs that never get as far as a conversation: packages, interpreters, libraries, services."""

import os
import signal
import sys
import time
from typing import Any

from tests.servers.speaking import TOOL, serve
from tests.servers.trackers import Run


def _traps(*lines: str) -> Run:
    def run() -> None:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGTRAP)

    return run


def _waits(*lines: str) -> Run:
    def run() -> None:
        sys.stderr.write("\n".join(lines))
        sys.stderr.flush()
        time.sleep(30)

    return run


def _rejects() -> None:
    def call(request: dict[str, Any]) -> Any:
        sys.stderr.write(
            "node:internal/process/promises:330\n      new UnhandledPromiseRejection(reason);\n      ^\n\n"
            "UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a"
            " catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with"
            ' the reason "budget 7 is not open".\n'
            "    at throwUnhandledRejectionsMode (node:internal/process/promises:330:7)\n"
            "    at processPromiseRejections (node:internal/process/promises:413:17) {\n"
            "  code: 'ERR_UNHANDLED_REJECTION'\n}\n\nNode.js v22.11.0\n"
        )
        sys.stderr.flush()
        sys.exit(1)

    serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})


def _lists_nothing(*lines: str) -> Run:
    def run() -> None:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
        serve({"tools/list": {"tools": []}})

    return run


SERVERS: dict[str, Run] = {
    "rejection-in-a-call": _rejects,
    "waits-for-a-login": _waits(
        "[4711] Using automatically selected callback port: 12345",
        "[4711] Connecting to remote server: https://mcp.acme.example/mcp",
        "[4711] Please authorize this client by visiting:",
        "https://auth.acme.example/authorize?response_type=code&client_id=abc",
        "",
    ),
    "waits-at-a-prompt": _waits("No configuration found.", "Enter your API key: "),
    "swift-trap-by-its-signal": _traps(
        "acme_mcp/Tools.swift:12: Fatal error: Unexpectedly found nil while unwrapping an Optional value"
    ),
    "gateway-cannot-start-its-servers": _lists_nothing(
        "- Those servers are enabled: duckduckgo",
        "- Listing MCP tools...",
        '  > Can\'t start duckduckgo: failed to connect: calling "initialize": EOF',
        "> 0 tools listed in 8.041µs",
    ),
    "gateway-without-servers": _lists_nothing(
        "- Reading catalog from docker-mcp.yaml", "- No server is enabled", "> 0 tools listed in 8.041µs"
    ),
}
