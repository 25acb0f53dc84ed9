"""Servers over stdio of the seventh round that do more than answer by a table."""

import sys
import time
from typing import Any

from tests.servers.speaking import HELLO, TOOL, answer, say, serve
from tests.servers.trackers import Run

_HELLO = HELLO | {"capabilities": {"tools": {"listChanged": True}}}
_CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


def _shell() -> None:
    """Not run: the command is the shell itself."""


def _asks() -> None:
    sys.stdout.write(
        '? The modules directory at "/app/mcp/node_modules" will be removed and reinstalled. Proceed? (Y/n) ‣ true'
    )
    sys.stdout.flush()
    for line in sys.stdin:
        if line.strip().lower() in ("y", "n"):
            return


def _adds_a_tool() -> None:
    tools = [TOOL]

    def add(request: dict[str, Any]) -> None:
        if len(tools) == 1:
            tools.append(TOOL | {"name": "better"})
            say(_CHANGED)
        answer(request, {"content": [{"type": "text", "text": "added"}]})

    serve({"initialize": _HELLO, "tools/list": lambda _: {"tools": tools}, "tools/call": add})


def _takes_its_time() -> None:
    time.sleep(3)
    serve({"tools/list": {"tools": [TOOL]}})


SERVERS: dict[str, Run] = {
    "shell-reads-the-messages": _shell,
    "command-line-in-one-word": _shell,
    "installer-asks-a-question": _asks,
    "tool-comes-with-a-call": _adds_a_tool,
    "connection-takes-its-time": _takes_its_time,
}
