"""Servers over stdio of the ninth round that do more than answer by a table."""

import json
import os
import sys
import threading
import time
from itertools import count
from typing import Any

from tests.servers.speaking import TOOL, answer, say, serve
from tests.servers.trackers import Run

_DONE = {"content": [{"type": "text", "text": "done"}]}
_READS = {"annotations": {"readOnlyHint": True}}


def _has_no_total() -> None:
    def call(request: dict[str, Any]) -> dict[str, Any]:
        token = request["params"].get("_meta", {}).get("progressToken")
        if token is not None:
            progress = {"progressToken": token, "progress": 1, "total": None}
            say({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress})
        return _DONE

    serve({"tools/list": {"tools": [TOOL]}, "tools/call": call})


def _wants_params() -> None:
    def listed(request: dict[str, Any]) -> dict[str, Any] | None:
        if "params" in request:
            return {"tools": [TOOL]}
        error = {"code": -32603, "message": "The given key 'params' was not present in the dictionary."}
        say({"jsonrpc": "2.0", "id": request["id"], "error": error})
        return None

    serve({"tools/list": listed})


def _downloads() -> None:
    for done in range(1, 200):
        sys.stderr.write(
            f"Downloading model.safetensors:  {done // 2}%|#         | {done}M/438M [00:03<00:25, 15.1MB/s]\r"
        )
        sys.stderr.flush()
        time.sleep(0.2)


def _locks() -> None:
    busy = threading.Lock()

    def call(request: dict[str, Any]) -> None:
        def work() -> None:
            if not busy.acquire(blocking=False):
                locked = "Error: Tool execution failed: database is locked"
                answer(request, {"isError": True, "content": [{"type": "text", "text": locked}]})
                return
            time.sleep(0.02)
            busy.release()
            answer(request, _DONE)

        threading.Thread(target=work).start()

    serve({"tools/list": {"tools": [TOOL | _READS]}, "tools/call": call})


def _keeps_connections() -> None:
    numbers = count()

    def call(_: dict[str, Any]) -> dict[str, Any]:
        if next(numbers) % 10 == 0:
            os.dup(2)
        return _DONE

    serve({"tools/list": {"tools": [TOOL | _READS]}, "tools/call": call})


def _reads_texts() -> None:
    schema = {"type": "object", "properties": {"filter": {"type": "object"}}, "required": ["filter"]}
    tool = {"name": "query", "description": "Queries.", "inputSchema": schema} | _READS
    wrong = "The requested operation requires an element of type 'String', but the target element has type 'Object'."

    def call(request: dict[str, Any]) -> dict[str, Any]:
        given = request["params"].get("arguments", {}).get("filter", {})
        return {"isError": True, "content": [{"type": "text", "text": wrong}]} if isinstance(given, dict) else _DONE

    serve({"tools/list": {"tools": [tool]}, "tools/call": call})


def _answers_the_quick_first() -> None:
    def call(request: dict[str, Any]) -> None:
        given = str(request["params"].get("arguments", {}).get("a", ""))
        text = {"content": [{"type": "text", "text": given}]}
        threading.Timer(0.01 + 0.002 * (sum(given.encode()) % 7), lambda: say(_result(request, text))).start()

    serve({"tools/list": {"tools": [TOOL | _READS]}, "tools/call": call})


def _result(request: dict[str, Any], result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode()


SERVERS: dict[str, Run] = {
    "total-of-progress-is-null": _has_no_total,
    "params-are-demanded": _wants_params,
    "model-is-downloaded-first": _downloads,
    "database-locks-calls-out": _locks,
    "connections-stay-open": _keeps_connections,
    "object-is-read-as-text": _reads_texts,
    "responses-in-another-order": _answers_the_quick_first,
}
