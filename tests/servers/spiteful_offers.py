"""Offers what can't be what it says: templates, pictures, values, changes and subscriptions. HOW chooses the noise.

quiet    nothing by itself
changes  says without pause that its lists have changed, and lists others each time
storm    tells of updates without pause once anything is watched
twice    acknowledges each stream twice, with other filters
never    acknowledges nothing
dies     ends at the first read, prompt, completion or subscription
"""

import base64
import os
import sys
import threading
import time
from itertools import count
from typing import Any

from tests.servers.hostile import BLOCKS, H
from tests.servers.spite import HOW, notify, opened, serve, tools

ID = "io.modelcontextprotocol/subscriptionId"
LISTS = ("tools", "prompts", "resources")
TEMPLATES = (
    "{",
    "}",
    "x://{+",
    "x://{a,a,a}",
    "x://{a*}{b:99999}",
    "{" * 5000,
    "x://{" + H + "}",
    "x://{a}" * 3000,
    "{}",
    "{?}",
)
PNG = b"\x89PNG\r\n\x1a\n" + (13).to_bytes(4, "big") + b"IHDR" + (2**31 - 1).to_bytes(4, "big") * 2 + b"\x08\x06\0\0\0"
LIES: dict[str, dict[str, Any]] = {
    "no-base64": {"blob": "not base64 \x1b[2J", "mimeType": "image/png"},
    "png-is-gif": {"blob": base64.b64encode(b"GIF89a\xff\xff\xff\xff").decode(), "mimeType": "image/png"},
    "bomb": {"blob": base64.b64encode(PNG + b"\0" * 64).decode(), "mimeType": "image/png"},
    "text-is-png": {"blob": base64.b64encode(b"hello").decode(), "mimeType": "image/png"},
    "both": {"blob": "AAAA", "text": H, "mimeType": H},
    "neither": {"mimeType": "application/json"},
    "bad-json": {"text": "[" * 50_000, "mimeType": "application/json"},
    "long-line": {"text": "x" * 10_000_000, "mimeType": "text/plain"},
    "many-lines": {"text": "x\n" * 2_000_000, "mimeType": "text/x-python"},
    "markdown": {"text": f"# {H}\n[x](javascript:1)\n" + "> " * 2000 + H + "\n" * 5000, "mimeType": "text/markdown"},
    "big-blob": {"blob": "AAAA" * 2_500_000, "mimeType": "application/octet-stream"},
    "html": {"text": f"<script>{H}</script>" * 2000, "mimeType": "text/html;profile=mcp-app"},
    "odd": {"text": 5, "blob": [], "uri": None, "mimeType": {}},
}
TOKENS: tuple[Any, ...] = (None, [], {}, H, 10**400, 1.5, True, "x" * 100_000)
turn = count(1)
watched = threading.Event()
sys.setswitchinterval(0.001)


def resources(request: dict[str, Any]) -> Any:
    listed = [{"uri": f"x://{name}", "name": name, "size": H, "icons": H, "annotations": 5} for name in LIES]
    same = [{"uri": "x://same", "name": H, "title": f"{n} {next(turn)}"} for n in range(3000)]
    return {"resources": [*listed, *same, {"uri": H, "name": H, "size": -1}], "ttlMs": -5, "cacheScope": H}


def templates(request: dict[str, Any]) -> Any:
    return {"resourceTemplates": [{"uriTemplate": each, "name": f"{n} {H}"} for n, each in enumerate((*TEMPLATES, 5))]}


def read(request: dict[str, Any]) -> Any:
    if HOW == "dies":
        os._exit(3)
    uri = str(request["params"].get("uri"))
    found = LIES.get(
        uri.removeprefix("x://"), {"text": f"{H} {next(turn)}", "_meta": {"ui": {"csp": H, "permissions": [H]}}}
    )
    return {"contents": [{"uri": uri, **found}, found, None, 5] * (1 if len(str(found)) > 9999 else 50)}


def prompts(request: dict[str, Any]) -> Any:
    arguments = [{"name": f"a{n}", "description": H, "required": H} for n in range(40)]
    return {
        "prompts": [
            {"name": "p", "arguments": arguments},
            {"name": "big"},
            {"name": H, "arguments": [5, H, {"name": H}]},
        ]
    }


def prompt(request: dict[str, Any]) -> Any:
    if HOW == "dies":
        os._exit(3)
    if request["params"].get("name") == "big":
        return {"messages": [{"role": "user", "content": {"type": "text", "text": "t" * 10_000_000}}]}
    return {
        "description": H,
        "messages": [5, None, {"role": 5}, *({"role": H, "content": each} for each in BLOCKS * 40)],
    }


def complete(request: dict[str, Any]) -> Any:
    if HOW == "dies":
        os._exit(3)
    return {"completion": {"values": [f"{n} {H}" for n in range(10_000)], "total": -1, "hasMore": H}}


def subscribe(request: dict[str, Any]) -> Any:
    if HOW == "dies":
        os._exit(3)
    watched.set()
    return {}


def listen(request: dict[str, Any]) -> Any:
    wanted, mark = request["params"].get("notifications", {}), {ID: request["id"]}
    if HOW == "never":
        return None
    notify("notifications/subscriptions/acknowledged", {"notifications": wanted, "_meta": mark})
    if HOW == "twice":
        for odd in (5, {"resourceSubscriptions": [H] * 9, "toolsListChanged": H}, wanted):
            notify("notifications/subscriptions/acknowledged", {"notifications": odd, "_meta": mark})
        notify("notifications/subscriptions/acknowledged", {"notifications": wanted, "_meta": {ID: [H]}})
    if wanted.get("resourceSubscriptions"):
        subscribe(request)
    return None


def noise() -> None:
    """What is said without pause."""
    while HOW == "changes":
        notify(f"notifications/{LISTS[next(turn) % 3]}/list_changed", {})
        time.sleep(0.001)
    watched.wait()
    while HOW == "storm":
        notify("notifications/resources/updated", {"uri": ("x://same", f"x://{next(turn)}", H)[next(turn) % 3]})
        time.sleep(0.0002)


def call(request: dict[str, Any]) -> Any:
    """Odd progress and odd logs, then an answer."""
    token = request["params"].get("_meta", {}).get("progressToken")
    for odd in (token, *TOKENS):
        for value in (1, -1, "x", None, 1e308, H):
            notify("notifications/progress", {"progressToken": odd, "progress": value, "total": 0, "message": H})
    for level in (H, None, 5, "error"):
        notify("notifications/message", {"level": level, "logger": [H], "data": {H: H}})
    notify("notifications/message", {"level": "info", "data": "d" * 5_000_000})
    return {"content": BLOCKS}


if __name__ == "__main__":
    if HOW in ("changes", "storm"):
        threading.Thread(target=noise, daemon=True).start()
    changing = {"listChanged": True}
    able = {
        "tools": changing,
        "prompts": changing,
        "resources": {**changing, "subscribe": True},
        "completions": {},
        "logging": {},
    }
    ui = {"ui": {"resourceUri": f"ui://{H}", "visibility": H}}
    table = {
        **opened(able),
        "tools/list": tools(dict.fromkeys(("odd", H)), _meta=ui, title=H),
        "tools/call": call,
        "resources/list": resources,
        "resources/templates/list": templates,
        "resources/read": read,
        "prompts/list": prompts,
        "prompts/get": prompt,
        "completion/complete": complete,
        "resources/subscribe": subscribe,
        "resources/unsubscribe": lambda request: {},
        "subscriptions/listen": listen,
        "logging/setLevel": lambda request: {},
    }
    serve(table)
