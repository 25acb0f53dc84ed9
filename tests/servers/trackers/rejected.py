"""Servers that one client rejects while another works with them, and legal ones on which a client broke."""

import json
import sys
import time
from typing import Any

from tests.servers.speaking import HELLO, answer, say, serve
from tests.servers.trackers import Run

_GITHUB = "https://github.com/"
_CALL = "--call run={} --timeout 5"
_OBJECT: dict[str, Any] = {"type": "object", "properties": {"coin": {"type": "string", "description": "The coin."}}}


def _tool(**members: Any) -> dict[str, Any]:
    return {"name": "run", "description": "Runs a command.", "inputSchema": _OBJECT} | members


def _listing(*tools: Any, **more: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": list(tools), **more}})


def _returning(result: Any, **members: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": [_tool(**members)]}, "tools/call": result})


def _with_nulls(request: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "id": request["id"], "result": {"tools": [_tool()]}, "error": None})


def _refuses_its_result(request: dict[str, Any]) -> None:
    text = "Output validation error: Tool run has an output schema but no structured content was provided"
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32602, "message": f"MCP error -32602: {text}"}})


def _waits_for_the_end() -> None:
    lines = sys.stdin.buffer.read().splitlines()
    for line in lines:
        message = json.loads(line)
        if message.get("method") == "initialize":
            answer(message, HELLO)


def _without_its_stdin() -> None:
    sys.stderr.write("Starting MCP server 'linkedin' with transport 'stdio'\n")
    sys.stderr.flush()
    sys.stdin.close()
    time.sleep(60)


def _page_forever(request: dict[str, Any]) -> Any:
    return {"tools": [_tool()], "nextCursor": ""}


def _refuses_meta(request: dict[str, Any]) -> Any:
    if request.get("params"):
        error = {"code": -32602, "message": "Invalid tools/list parameters."}
        return say({"jsonrpc": "2.0", "id": request["id"], "error": error})
    return {"tools": [_tool()]}


def _reading(contents: dict[str, Any]) -> Run:
    listed = {"uri": "logo://acme", "name": "logo"}
    answers = {
        "initialize": HELLO | {"capabilities": {"resources": {}}},
        "resources/list": {"resources": [listed]},
        "resources/templates/list": {"resourceTemplates": []},
        "resources/read": {"contents": [{"uri": "logo://acme", **contents}]},
    }
    return lambda: serve(answers)


def _embedding(result: Any) -> Run:
    hello = HELLO | {"capabilities": {"tools": {}, "resources": {}}}
    lists: dict[str, Any] = {"resources/list": {"resources": []}, "resources/templates/list": {"resourceTemplates": []}}
    answers = {"initialize": hello, "tools/list": {"tools": [_tool()]}, "tools/call": result, **lists}
    return lambda: serve(answers)


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


SERVERS: dict[str, Run] = {
    "required-among-properties": _listing(
        _tool(inputSchema={"type": "object", "properties": {"coin": {"type": "string"}, "required": ["coin"]}})
    ),
    "output-schema-of-an-array": _listing(_tool(outputSchema={"type": "array", "items": {"type": "string"}})),
    "property-without-a-schema": _listing(
        _tool(
            outputSchema={
                "type": "object",
                "properties": {
                    "data": {"type": "array", "items": {"type": "object", "properties": {"type": "string"}}}
                },
            }
        )
    ),
    "any-of-at-the-root": _listing(
        _tool(inputSchema={"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})
    ),
    "result-refused-by-its-own-schema": _returning(_refuses_its_result, outputSchema={"type": "object"}),
    "null-cursor": _listing(_tool(), nextCursor=None),
    "null-error-beside-the-result": lambda: serve({"tools/list": _with_nulls}),
    "ping-returns-an-array": lambda: serve({"tools/list": {"tools": [_tool()]}, "ping": []}),
    "properties-are-an-array": _listing(_tool(inputSchema={"type": "object", "properties": []})),
    "schema-instead-of-input-schema": _listing({"name": "run", "description": "Runs a command.", "schema": {}}),
    "content-of-type-blob": _returning({"content": [{"type": "blob", "data": "aGk=", "mimeType": "text/plain"}]}),
    "embedded-resource-without-contents": _returning(
        {"content": [{"type": "resource", "resource": {"uri": "file:///a.pdf", "mimeType": "application/pdf"}}]}
    ),
    "reads-to-the-end-of-stdin": _waits_for_the_end,
    "started-in-the-background": _without_its_stdin,
    "structured-error": _returning(
        _text("Tool requires admin", isError=True, structuredContent={"error": {"code": 1}}),
        outputSchema={"type": "object", "properties": {"data": {"type": "string"}}, "required": ["data"]},
    ),
    "blob-without-a-type": _reading({"blob": "iVBORw0KGgo="}),
    "empty-cursor": lambda: serve({"tools/list": _page_forever}),
    "null-as-text": _returning(_text("null")),
    "binary-document": _embedding(
        {
            "content": [
                {
                    "type": "resource",
                    "resource": {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "JVBERi0xLjcK"},
                },
                {"type": "text", "text": '{"filename": "a.pdf"}'},
            ]
        }
    ),
    "strict-list-parameters": lambda: serve({"tools/list": _refuses_meta}),
}
