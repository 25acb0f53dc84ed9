"""Servers over stdio of the fifth round that do more than answer by a table."""

import json
import os
import signal
import sys
from typing import Any

from tests.servers.speaking import TOOL, answer, say, serve
from tests.servers.trackers import Run


def _is_killed() -> None:
    sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGKILL)


def _lists_a_nested_schema(request: dict[str, Any]) -> None:
    """Written as text, for encoders have limits of their own."""
    schema = '{"type": "object", "properties": {"p": ' * 500 + '{"type": "string"}' + "}}" * 500
    tool = f'{{"name": "good", "description": "Does it.", "inputSchema": {schema}}}'
    say(f'{{"jsonrpc": "2.0", "id": {json.dumps(request["id"])}, "result": {{"tools": [{tool}]}}}}'.encode())


def _progresses(request: dict[str, Any]) -> None:
    token = request["params"].get("_meta", {}).get("progressToken")
    for at in (1, 5, 6.5) if token is not None else ():
        params = {"progressToken": token, "progress": at, "message": f"step {at}"}
        say({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    answer(request, {"content": [{"type": "text", "text": "done"}]})


SERVERS: dict[str, Run] = {
    "killed-without-a-word": _is_killed,
    "schema-of-five-hundred-levels": lambda: serve({"tools/list": _lists_a_nested_schema}),
    "progress-without-a-total": lambda: serve({"tools/list": {"tools": [TOOL]}, "tools/call": _progresses}),
}
