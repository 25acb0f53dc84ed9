"""What strict clients reject: members that are missing, or of another type."""

from typing import Any

from tests.servers.speaking import say, serve
from tests.servers.trackers import Run
from tests.servers.trackers.calls import TOOL


def _error(code: Any, message: str) -> Any:
    return lambda request: say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})


SERVERS: dict[str, Run] = {
    "result-is-an-empty-array": lambda: serve({"tools/list": {"tools": [TOOL]}, "tools/call": []}),
    "during-initialization": lambda: serve(
        {"tools/list": _error(0, 'method "tools/list" is invalid during session initialization')}
    ),
    "code-is-text": lambda: serve({"tools/list": {"tools": [TOOL]}, "tools/call": _error("-32602", "q is missing")}),
}
