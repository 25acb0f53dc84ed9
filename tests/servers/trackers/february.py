"""Servers over stdio of the eighth round that do more than answer by a table."""

import threading
import time
from itertools import count
from typing import Any

from tests.servers.speaking import HELLO, TOOL, answer, say, serve
from tests.servers.trackers import Run


def _knows_two_members() -> None:
    def call(request: dict[str, Any]) -> None:
        if request["params"].keys() - {"name", "arguments"}:
            unknown = {"code": -32602, "message": "Unknown or missing memory tool."}
            say({"jsonrpc": "2.0", "id": request["id"], "error": unknown})
        else:
            answer(request, {"content": [{"type": "text", "text": "remembered"}]})

    serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})


def _pages_by_an_empty_cursor() -> None:
    def listed(request: dict[str, Any]) -> dict[str, Any]:
        more = "cursor" in request.get("params", {})
        return {"tools": [TOOL | {"name": "second"}]} if more else {"tools": [TOOL], "nextCursor": ""}

    serve({"tools/list": listed})


def _pings_with_low_ids() -> None:
    numbers = count()

    def listed(_: dict[str, Any]) -> dict[str, Any]:
        say({"jsonrpc": "2.0", "id": next(numbers), "method": "ping"})
        say({"jsonrpc": "2.0", "id": next(numbers), "method": "ping"})
        return {"tools": [TOOL]}

    serve({"tools/list": listed})


def _announces() -> None:
    changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}

    def announce() -> None:
        while True:
            time.sleep(0.3)
            say(changed)

    def begin(_: dict[str, Any]) -> dict[str, Any]:
        threading.Thread(target=announce, daemon=True).start()
        return HELLO | {"capabilities": {"tools": {"listChanged": True}}}

    serve({"initialize": begin, "tools/list": {"tools": [TOOL]}})


SERVERS: dict[str, Run] = {
    "unknown-tool-if-there-is-more": _knows_two_members,
    "empty-cursor-has-a-page": _pages_by_an_empty_cursor,
    "announces-over-and-over": _announces,
    "server-counts-from-one-as-well": _pings_with_low_ids,
}
