"""A server that makes up ids, of accounts and of pages, and refuses those of another run.

With the word "changed" it greets in other words, has no tool to close an account with, and one more.
"""

import json
import secrets
import sys
from typing import Any

_CHANGED = "changed" in sys.argv
_READS = {"readOnlyHint": True}
_WRITES = {"destructiveHint": False}
_TOOLS = {"greet": _READS, "open_account": _WRITES, "deposit": _WRITES, "statement": _READS, "close_account": None}
_accounts: dict[str, int] = {}
_cursor = secrets.token_hex(8)


def _tools() -> list[dict[str, Any]]:
    names = [name for name in _TOOLS if not (_CHANGED and name == "close_account")] + ["audit"] * _CHANGED
    tools = [{"name": name, "inputSchema": {"type": "object"}, "annotations": _TOOLS.get(name)} for name in names]
    return [{key: value for key, value in tool.items() if value is not None} for tool in tools]


def _listed(params: dict[str, Any]) -> dict[str, Any]:
    tools = _tools()
    if "cursor" not in params:
        return {"tools": tools[:2], "nextCursor": _cursor}
    if params["cursor"] != _cursor:
        raise ValueError("no such page")
    return {"tools": tools[2:]}


def _said(text: str, **structured: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]} | ({"structuredContent": structured} if structured else {})


def _called(params: dict[str, Any]) -> dict[str, Any]:
    name, arguments = params["name"], params.get("arguments") or {}
    if name == "greet":
        return _said("Good evening" if _CHANGED else "Good morning")
    if name == "open_account":
        account = secrets.token_hex(6)
        _accounts[account] = 0
        return _said(f"Account {account} is open", account=account)
    account = arguments.get("account") or arguments.get("uri", "").rpartition("/")[2]
    if account not in _accounts:
        raise ValueError(f"no such account: {account}")
    if name == "close_account":
        del _accounts[account]
        return _said("closed")
    _accounts[account] += arguments.get("amount", 0)
    return _said(f"{_accounts[account]} on account {account}")


def _answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        info = {"name": "ledger", "version": "2" if _CHANGED else "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    known = {"tools/list": _listed, "tools/call": _called}
    if method not in known:
        raise ValueError("no such method")
    return known[method](params)


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        reply["result"] = _answer(message["method"], message.get("params") or {})
    except ValueError as error:
        reply["error"] = {"code": -32601 if message["method"] == "server/discover" else -32602, "message": str(error)}
    print(json.dumps(reply), flush=True)
