"""What the servers share that speak MCP over stdio: they answer by a table, and each has its own table.

Run them with `python -m tests.servers.NAME`; nothing of the project is used, so that a test sees another's bytes.
"""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

Answer = Any | Callable[[dict[str, Any]], Any]
"""A result, or a function from the request to one; a function that returns None has answered by itself."""

HELLO: dict[str, Any] = {
    "protocolVersion": "2025-06-18",
    "serverInfo": {"name": "speaking", "version": "1"},
    "capabilities": {"tools": {}},
}
TOOL: dict[str, Any] = {"name": "good", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}


def say(what: bytes | dict[str, Any]) -> None:
    """Write a line: bytes as they are, anything else as JSON."""
    line = what if isinstance(what, bytes) else json.dumps(what).encode()
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def dies(*lines: str, code: int = 1) -> Callable[[], None]:
    """Return a server that writes these lines to stderr, and exits."""

    def run() -> None:
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
        sys.exit(code)

    return run


def answer(request: dict[str, Any], result: Any) -> None:
    """Answer a request."""
    say({"jsonrpc": "2.0", "id": request["id"], "result": result})


def serve(answers: Mapping[str, Answer]) -> None:
    """Answer until stdin ends; a request that is not in the table gets the error for that."""
    table: dict[str, Answer] = {"initialize": HELLO, "ping": {}} | dict(answers)
    for line in sys.stdin.buffer:
        message = json.loads(line)
        method = message.get("method")
        if "id" not in message or method is None:
            continue
        if method not in table:
            say({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": f"no {method}"}})
            continue
        given = table[method]
        result = given(message) if callable(given) else given
        if result is not None:
            answer(message, result)
