"""Asks what must not be asked, too much of it, and takes it back. A tool is a way to do so."""

import sys
import threading
from typing import Any

from tests.servers.hostile import BLOCKS, H
from tests.servers.speaking import say
from tests.servers.spite import MODERN, notify, opened, serve, tools

SCHEMAS: tuple[Any, ...] = (
    *(None, "x", 5, [], {}, True, {"type": "array"}, {"type": "object", "properties": []}),
    {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "array"}}}}},
    {"type": "object", "properties": {"a": {"type": "string", "enum": [f"v{n}" for n in range(10_000)]}}},
    {"type": "object", "properties": {"a": {"type": "string", "pattern": "(a+)+$", "default": "a" * 40 + "!"}}},
    {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}, "b": {"type": "string", "enum": []}}},
    {"type": "object", "properties": {"a": {"type": "string", "enum": [None, 5, {}], "enumNames": "x"}}},
    {"type": "object", "properties": {"a": {"oneOf": [{"const": H, "title": H}, 7, {}]}, H: {"type": H}}},
    {"type": "object", "properties": {"a": {"type": "integer", "minimum": 9, "maximum": 1, "default": "x"}}},
    {"type": "object", "properties": {f"p{n}": {"type": "string", "title": H} for n in range(300)}},
    {"type": "object", "properties": {"a": {"type": "string", "default": "d" * 3_000_000, "description": H * 99}}},
    {"type": "object", "properties": {"a": {"type": "array", "items": {"enum": ["x"]}, "minItems": 10**12}}},
    {"type": "object", "properties": {"a": {"type": "string", "minLength": 10**12, "format": "date-time"}}},
    {"type": "object", "required": "a", "properties": {"a": 5, "b": None, "c": True, "d": False}},
)
URLS: tuple[Any, ...] = (
    "javascript:alert(1)",
    "file:///etc/passwd",
    "http://[",
    "https://аррӏе.com/" + "x" * 5000,
    f"https://x/{H}",
    "",
    5,
)
MESSAGES: tuple[Any, ...] = (
    None,
    "x",
    [None, 5, "x", {}],
    [{"role": H, "content": block} for block in BLOCKS],
    [{"role": "user", "content": BLOCKS}],
    [{"role": "user", "content": {"type": "image", "data": "no base64", "mimeType": "image/png"}}],
    [{"role": "assistant", "content": [{"type": "tool_use", "id": 5, "name": None, "input": H}]}],
    [{"role": "user", "content": {"type": "text", "text": "t" * 3_000_000}}],
    [{"role": "user", "content": {"type": "text", "text": H}}] * 500,
)
FORM = {"message": H, "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
SAMPLE = {"messages": [], "maxTokens": -5, "modelPreferences": {"hints": [H], "costPriority": H}, "tools": [5, {H: H}]}
ODD: list[dict[str, Any]] = [{"message": {}, "mode": "url", "url": url, "elicitationId": H} for url in URLS]
PARAMS: tuple[Any, ...] = (5, None, [])
ASKS: dict[str, list[tuple[str, Any]]] = {
    "schemas": [("elicitation/create", {"message": f"{n} {H}", "requestedSchema": s}) for n, s in enumerate(SCHEMAS)],
    "urls": [("elicitation/create", params) for params in ODD],
    "messages": [("sampling/createMessage", SAMPLE | {"messages": each, "systemPrompt": H}) for each in MESSAGES],
    "fifty": [("elicitation/create", FORM)] * 50,
    "params": [(f"{m}", p) for m in ("elicitation/create", "sampling/createMessage", "roots/list") for p in PARAMS],
    "modes": [("elicitation/create", FORM | {"mode": mode}) for mode in (H, 5, None, "", "url")],
    "methods": [(method, {}) for method in ("tools/call", "tasks/get", "tasks/result", H, "", "initialize", "ping")],
}
WITHDRAWN: tuple[Any, ...] = ("w1", "w2", "w3", "w1", "nobody", None, [])
NOBODYS: tuple[Any, ...] = (99_999, None, "x", True, 1.0, [])
IDS: tuple[Any, ...] = (None, True, 1.5, [], {}, -1, 10**30, H, "", "same", "same", "same")


def question(id_: Any, method: Any, params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def asks(request: dict[str, Any], asked: list[tuple[str, Any]]) -> Any:
    """All at once; the tool does not wait for the answers, unless they come with the retry."""
    if not MODERN:
        for n, (method, params) in enumerate(asked):
            say(question(f"{request['params']['name']} {n} {request['id']}", method, params))
        return None
    if "inputResponses" in request["params"]:
        return {"content": [{"type": "text", "text": "thanks"}]}
    inputs = {f"q{n}": {"method": method, "params": params} for n, (method, params) in enumerate(asked)}
    return {"resultType": "input_required", "inputRequests": inputs, "requestState": "s" * 5_000_000}


def withdraws(request: dict[str, Any]) -> Any:
    """A question that is soon taken back, with a reason that acts; then by an id that is nobody's."""
    for id_ in ("w1", "w2", "w3"):
        say(question(id_, "elicitation/create", FORM))

    def back() -> None:
        for id_ in WITHDRAWN:
            notify("notifications/cancelled", {"requestId": id_, "reason": H})
        notify("notifications/cancelled", H)
        notify("notifications/elicitation/complete", {"elicitationId": H})
        notify("notifications/elicitation/complete", 5)

    threading.Timer(0.7, back).start()
    return None


def answers(request: dict[str, Any]) -> Any:
    """Answers that nobody waits for, and its own twice."""
    for id_ in (*NOBODYS, request["id"], request["id"]):
        say({"jsonrpc": "2.0", "id": id_, "result": {"content": [], H: H}})
        say({"jsonrpc": "2.0", "id": id_, "error": {"code": H, "message": {H: H}, "data": H}})
    say([{"jsonrpc": "2.0", "id": 5, "result": 5}] * 20)  # type: ignore[arg-type]
    return None


def dies(request: dict[str, Any]) -> Any:
    """While questions are open."""
    for n in range(3):
        say(question(f"d{n}", "elicitation/create", FORM))
    threading.Timer(0.7, lambda: (sys.stdout.flush(), __import__("os")._exit(3))).start()
    return None


def call(request: dict[str, Any]) -> Any:
    name = request["params"]["name"]
    if name in ASKS:
        return asks(request, ASKS[name])
    if name == "ids":
        for id_ in IDS:
            say(question(id_, "elicitation/create", FORM))
        return None
    if name == "rounds":
        return {"resultType": "input_required", "requestState": H} if MODERN else None
    return {"withdraws": withdraws, "answers": answers, "dies": dies}[name](request)


if __name__ == "__main__":
    names = dict.fromkeys((*ASKS, "ids", "rounds", "withdraws", "answers", "dies"))
    serve(opened({"tools": {}}) | {"tools/list": tools(names), "tools/call": call})
