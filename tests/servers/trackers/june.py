"""Servers over stdio of the eleventh round."""

import sys
from typing import Any

from tests.servers.speaking import TOOL, say, serve
from tests.servers.trackers import Run


def _asks() -> None:
    def call(_: dict[str, Any]) -> None:
        sys.stdout.write("This deletes 3 files. Continue? [y/N] ")
        sys.stdout.flush()
        sys.stdin.buffer.readline()

    serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})


def _respells() -> None:
    def call(request: dict[str, Any]) -> dict[str, Any]:
        token = request["params"]["_meta"]["progressToken"]
        about = {"progressToken": str(token) if isinstance(token, int) else 1, "progress": 1, "total": 2}
        say({"jsonrpc": "2.0", "method": "notifications/progress", "params": about})
        return {"content": [{"type": "text", "text": "done"}]}

    serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})


SERVERS: dict[str, Run] = {"token-is-spelt-otherwise": _respells, "asks-before-it-deletes": _asks}
