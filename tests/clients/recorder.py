"""A stdio MCP server that serves one case and records what a client sends. It needs the standard library alone.

`python recorder.py CASE.json LOG.jsonl`: the case has `pages` (lists of tools), `instructions`, `result` (of each
call), `modern` (whether it answers `server/discover`), `lists` (whether it has empty lists of prompts and resources
beside) and `listens` (whether these may change: what `subscriptions/listen` gets, “acknowledged” or “silent”). Each
line of the log is a message with a time.
"""

import json
import os
import signal
import sys
import time
from typing import Any

_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def main(case_path: str, log_path: str) -> None:
    with open(case_path, encoding="utf-8") as file:
        case = json.load(file)
    log = open(log_path, "a", encoding="utf-8")  # noqa: SIM115  written until the process ends

    def record(way: str, message: Any) -> None:
        log.write(json.dumps({"at": time.monotonic(), "pid": os.getpid(), way: message}) + "\n")
        log.flush()

    def send(message: dict[str, Any]) -> None:
        record("sent", message)
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def on_signal(number: int, _frame: Any) -> None:
        record("event", signal.Signals(number).name)
        sys.exit(0)

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    record("event", "start")
    for line in sys.stdin:
        message = json.loads(line)
        record("got", message)
        if "method" not in message:
            continue
        if message["method"] == "subscriptions/listen" and case.get("listens"):
            if case["listens"] == "acknowledged":
                send(_acknowledgement(message))
        elif "id" in message:
            send({"id": message["id"], **answer(case, message["method"], message.get("params") or {})})
        elif message["method"] == "notifications/initialized":
            send({"id": "roots-of-recorder", "method": "roots/list"})
    record("event", "end of stdin")


def answer(case: dict[str, Any], method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the `result` or `error` of a response."""
    info = {"name": "recorder", "version": "1.0.0"}
    each: dict[str, Any] = {"listChanged": True} if case.get("listens") else {}
    more: dict[str, Any] = {"prompts": each, "resources": each} if case.get("lists") else {}
    opening: dict[str, Any] = {"capabilities": {"tools": each, **more}, "serverInfo": info}
    if case.get("instructions"):
        opening["instructions"] = case["instructions"]
    if method == "initialize":
        wanted = params.get("protocolVersion")
        version = wanted if wanted in _VERSIONS else _VERSIONS[-1]
        return {"result": {"protocolVersion": version, **opening}}
    if method == "server/discover" and case.get("modern"):
        return {
            "result": _modern(
                case, {"supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private", **opening}
            )
        }
    if method == "ping":
        return {"result": {}}
    if method == "tools/list":
        at = int(params.get("cursor") or 0)
        page = {"tools": case["pages"][at]}
        if at + 1 < len(case["pages"]):
            page["nextCursor"] = str(at + 1)
        return {"result": _modern(case, page | ({"ttlMs": 0, "cacheScope": "private"} if case.get("modern") else {}))}
    if more and (kind := {"prompts/list": "prompts", "resources/list": "resources"}.get(method)):
        return {
            "result": _modern(case, {kind: []} | ({"ttlMs": 0, "cacheScope": "private"} if case.get("modern") else {}))
        }
    if method == "tools/call":
        return {
            "result": _modern(case, case.get("result") or {"content": [{"type": "text", "text": "recorded-result"}]})
        }
    return {"error": {"code": -32601, "message": f"Method not found: {method}"}}


def _acknowledgement(message: dict[str, Any]) -> dict[str, Any]:
    meta = {"io.modelcontextprotocol/subscriptionId": message["id"]}
    params = {"notifications": message["params"]["notifications"], "_meta": meta}
    return {"method": "notifications/subscriptions/acknowledged", "params": params}


def _modern(case: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    return {"resultType": "complete", **result} if case.get("modern") else result


if __name__ == "__main__":
    main(*sys.argv[1:])
