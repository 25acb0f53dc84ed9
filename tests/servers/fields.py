"""A form field of every kind: each tool, prompt and resource returns the values that it received.

`sixty` has sixty fields, `ask` asks twice by a form, `ask_all` three times at once; `destroy` claims to be
destructive. Run it as `python -m tests.servers.fields`.
"""

import json
import sys
from typing import Any

from tests.servers.speaking import answer, say, serve

MANY = [f"port{n:02d}" for n in range(30)]
KINDS: dict[str, Any] = {
    "text": {"type": "string"},
    "number": {"type": "number", "default": 4},
    "date": {"type": "string", "format": "date"},
    "boolean": {"type": "boolean"},
    "enum": {"type": "string", "enum": ["red", "green", "blue"]},
    "picker": {"type": "string", "enum": MANY},
    "list": {"type": "array", "items": {"type": "integer"}},
    "object": {"type": "object", "properties": {"inner": {"type": "string"}}},
    "json": {},
}


def _tool(name: str, properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}, **more}


def _text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def _ask(number: int) -> Any:
    _request(number, {"guests": {"type": "integer"}})
    return _response()


def _ask_all() -> list[Any]:
    for number, kind in enumerate(("string", "string", "integer"), 1):
        _request(number, {"value": {"type": kind}})
    return [_response() for _ in range(3)]


def _response() -> Any:
    return json.loads(sys.stdin.buffer.readline()).get("result")


def _request(number: int, properties: dict[str, Any]) -> None:
    asked = {"type": "object", "properties": properties, "required": [*properties]}
    say(
        {
            "jsonrpc": "2.0",
            "id": f"ask{number}",
            "method": "elicitation/create",
            "params": {"message": f"Request {number}", "requestedSchema": asked},
        }
    )


def _call(request: dict[str, Any]) -> Any:
    params = request["params"]
    if params["name"] == "ask":
        answer(request, _text("got " + json.dumps([_ask(1), _ask(2)])))
        return None
    if params["name"] == "ask_all":
        answer(request, _text("got " + json.dumps(_ask_all())))
        return None
    return _text("got " + json.dumps(params.get("arguments")))


def _prompt(request: dict[str, Any]) -> Any:
    words = "got " + json.dumps(request["params"].get("arguments"))
    return {"messages": [{"role": "user", "content": {"type": "text", "text": words}}]}


def _read(request: dict[str, Any]) -> Any:
    uri = request["params"]["uri"]
    return {"contents": [{"uri": uri, "text": f"got {uri}"}]}


TOOLS = [
    *(_tool(name, {"value": schema}) for name, schema in KINDS.items()),
    _tool("all", KINDS, description="\n".join(f"Line {n} of what it does." for n in range(12))),
    _tool("sixty", {f"f{n}": {"type": "string"} for n in range(60)}),
    _tool("ask", {}),
    _tool("ask_all", {}),
    _tool("destroy", {}, annotations={"destructiveHint": True}),
]

if __name__ == "__main__":
    serve(
        {
            "initialize": {
                "protocolVersion": "2025-06-18",
                "serverInfo": {"name": "fields", "version": "1"},
                "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
            },
            "tools/list": {"tools": TOOLS},
            "tools/call": _call,
            "prompts/list": {"prompts": [{"name": "greet", "arguments": [{"name": "who"}]}, {"name": "part"}]},
            "prompts/get": _prompt,
            "resources/list": {"resources": [{"uri": f"port://{name}", "name": name} for name in ("alpha", "beta")]},
            "resources/templates/list": {"resourceTemplates": [{"name": "port", "uriTemplate": "port://{name}"}]},
            "resources/read": _read,
            "ping": {},
        }
    )
