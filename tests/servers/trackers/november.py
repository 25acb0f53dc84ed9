"""Servers over stdio with faults that were reported in 2025 and 2026, the fourth round."""

import base64
import json
import os
import signal
import sys
import threading
from typing import Any

from tests.servers.speaking import HELLO, answer, dies, say, serve
from tests.servers.trackers import Run

_TOOL: dict[str, Any] = {
    "name": "run",
    "description": "Runs a query.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "The query."}}},
}
_WHO = {"name": "citra", "version": "4.1.0"}
_DOCUMENTS = HELLO | {"capabilities": {"tools": {}, "resources": {}}}
_REMOTE = {
    "type": "object",
    "properties": {"success": {"type": "boolean"}, "remote": {"type": "string"}, "branch": {"type": "string"}},
    "required": ["success", "remote", "branch"],
}


def _lists(*tools: dict[str, Any]) -> Run:
    return lambda: serve({"tools/list": {"tools": list(tools)}})


def _takes(**schema: Any) -> Run:
    """Its tool has this schema."""
    return _lists(_TOOL | {"inputSchema": {"type": "object"} | schema})


def _returns(result: Any, **tool: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": [_TOOL | tool]}, "tools/call": result})


def _has_content(*blocks: Any) -> Run:
    return _returns({"content": list(blocks)})


def _reads(*contents: dict[str, Any]) -> Run:
    resource = {"uri": "file:///demo.txt", "name": "demo"}
    return lambda: serve(
        {
            "initialize": _DOCUMENTS,
            "tools/list": {"tools": [_TOOL]},
            "resources/list": {"resources": [resource]},
            "resources/templates/list": {"resourceTemplates": []},
            "resources/read": {"contents": list(contents)},
        }
    )


def _second_page(request: dict[str, Any]) -> None:
    """The cursor of the first page is an empty text."""
    second = (request.get("params") or {}).get("cursor") == ""
    answer(request, {"tools": [_TOOL | {"name": "b"}]} if second else {"tools": [_TOOL], "nextCursor": ""})


def _changes_with_each_list(request: dict[str, Any]) -> None:
    answer(request, {"tools": [_TOOL]})
    say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})


def _samples(request: dict[str, Any]) -> None:
    messages = [{"role": "user", "content": {"type": "text", "text": "Summarize."}}]
    say({"jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage", "params": {"messages": messages}})
    answer(request, {"content": [{"type": "text", "text": "asked"}]})


def _dies_of_its_answer(_: dict[str, Any]) -> None:
    sys.exit(1)


_RMCP = (
    "Error: Failed to start server",
    "",
    "Caused by:",
    "    expect initialized request, but received: Some(Request(JsonRpcRequest { jsonrpc: JsonRpcVersion2_0, "
    'id: Number(0), request: CustomRequest(CustomRequest { method: "initialize", params: Some(Object '
    '{"capabilities": Object {"elicitation": Object {"form": Object {}, "url": Object {}}, "roots": Object {}}, '
    '"protocolVersion": String("2025-11-25")}), extensions: Extensions }) }))',
)


def _exits_at(message: tuple[str, ...], code: int = 1) -> Run:
    """Reads the first line, and is gone."""

    def run() -> None:
        sys.stdin.readline()
        dies(*message, code=code)()

    return run


def _logs_to_the_console() -> None:
    print("info: Microsoft.Hosting.Lifetime[0]", flush=True)
    print("      Application started. Press Ctrl+C to shut down.", flush=True)
    serve({"tools/list": {"tools": [_TOOL]}})


def _listens_until_it_is_ended() -> None:
    """Serves HTTP, and writes its last lines when it gets a signal."""

    def end(*_: object) -> None:
        sys.stderr.write("INFO:     Shutting down\nINFO:     Waiting for application shutdown.\n")
        sys.stderr.write("INFO:     Application shutdown complete.\nINFO:     Finished server process [7]\n")
        sys.stderr.flush()
        sys.exit(0)

    signal.signal(signal.SIGTERM, end)
    sys.stderr.write("INFO:     Started server process [7]\nINFO:     Waiting for application startup.\n")
    sys.stderr.write("INFO:     Application startup complete.\n")
    sys.stderr.write("INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)\n")
    sys.stderr.flush()
    threading.Event().wait()


def _prints_its_help() -> None:
    print("DevTools - Git Operations CLI\nTotal: 30 operations\n\nCommands:\n  gstatus   Show the status", flush=True)
    sys.exit(0)


_unanswered: list[dict[str, Any]] = []


def _opens_before_it_is_discovered(request: dict[str, Any]) -> None:
    answer(request, HELLO)
    for each in _unanswered:
        answer(each, _whole({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}, cached=True))


def _refuses_a_change_of_version(request: dict[str, Any]) -> None:
    if "_meta" not in request.get("params", {}):
        answer(request, {"tools": [_TOOL]})
        return
    text = "The negotiated protocol version cannot change within a session."
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32600, "message": text}})


def _refuses_a_field(request: dict[str, Any]) -> None:
    message = (
        'Unrecognized field "form" (class io.modelcontextprotocol.spec.McpSchema$ClientCapabilities$Elicitation), not '
        "marked as ignorable (0 known properties: ])\n at [Source: UNKNOWN; byte offset: #UNKNOWN]"
    )
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": message}})


def _forgets_the_id(_: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "result": HELLO})


def _colours_its_log() -> None:
    print("\x1b[2m2026-01-29T21:04:35.226Z\x1b[0m \x1b[32m INFO\x1b[0m daedra: Starting on stdio", flush=True)
    serve({"tools/list": {"tools": [_TOOL]}})


def _log_on_the_same_line(request: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"tools": [_TOOL]}})
    say(f"{body}RAM GUARDIAN: memory at 42% (threshold: 15%) - consider cleanup".encode())


def _logs_a_message(request: dict[str, Any]) -> None:
    answer(request, {"tools": [_TOOL]})
    say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "message": "listed"}})


def _fails_to_read(request: dict[str, Any]) -> None:
    error = {"code": 0, "message": "'TextContent' object has no attribute 'content'"}
    say({"jsonrpc": "2.0", "id": request["id"], "error": error})


def _invalid_url(request: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": "Invalid URL"}})


_PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 1_000).decode()

_NOTIFY = (
    "file:///srv/anki/dist/server.js:41",
    "        await this.server.notify({",
    "                          ^",
    "",
    "TypeError: this.server.notify is not a function",
    "    at AnkiServer.notifyToolsListChanged (file:///srv/anki/dist/server.js:41:27)",
    "    at AnkiServer.run (file:///srv/anki/dist/server.js:33:20)",
    "    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)",
    "",
    "Node.js v22.11.0",
)
_PIPE = "open //./pipe/dockerDesktopLinuxEngine: The system cannot find the file specified."
_MANY_TOOLS = HELLO | {"capabilities": {"tools": {}, "resources": {"listChanged": True}}}


def _faults(_: dict[str, Any]) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _wraps_its_stderr(request: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "method": "notifications/stderr", "params": {"content": "listening"}})
    answer(request, {"tools": [_TOOL]})


def _updates_nobody(request: dict[str, Any]) -> None:
    say({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "file:///demo.txt"}})
    answer(request, {"resources": [{"uri": "file:///demo.txt", "name": "demo"}]})


SERVERS: dict[str, Run] = {
    "dies-of-ping": lambda: serve({"tools/list": {"tools": [_TOOL]}, "ping": _faults}),
    "stderr-as-a-notification": lambda: serve({"tools/list": _wraps_its_stderr}),
    "method-of-another-sdk": dies(*_NOTIFY),
    "module-in-a-sentence": dies("Failed to run server: No module named 'fitz'"),
    "path-of-windows-with-a-blank": dies(
        "'C:\\Program' is not recognized as an internal or external command,", "operable program or batch file."
    ),
    "docker-desktop-is-off": dies(
        f'docker: error during connect: Head "http://%2F%2F.%2Fpipe%2FdockerDesktopLinuxEngine/_ping": {_PIPE}',
        code=125,
    ),
    "content-of-a-media-type": _has_content({"type": "application/json", "text": "{}"}),
    "failure-in-the-structure": _returns(
        {"content": [], "structuredContent": {"code": "E_MCP_TOOL_ERROR", "message": "fetch failed"}}
    ),
    "update-without-the-capability": lambda: serve(
        {"initialize": _MANY_TOOLS, "tools/list": {"tools": [_TOOL]}, "resources/list": _updates_nobody}
    ),
    "app-is-plain-html": lambda: serve(
        {
            "initialize": _MANY_TOOLS,
            "tools/list": {"tools": [_TOOL | {"_meta": {"ui": {"resourceUri": "ui://demo/page.html"}}}]},
            "resources/list": {"resources": [{"uri": "ui://demo/page.html", "name": "p", "mimeType": "text/html"}]},
            "resources/read": {
                "contents": [
                    {"uri": "ui://demo/page.html", "mimeType": "text/html", "text": "<!doctype html><p>hi</p>"}
                ]
            },
        }
    ),
    "refuses-a-capability": lambda: serve({"initialize": _refuses_a_field}),
    "null-meta-of-the-handshake": lambda: serve(
        {"initialize": HELLO | {"_meta": None, "instructions": None}, "tools/list": {"tools": [_TOOL]}}
    ),
    "handshake-without-an-id": lambda: serve({"initialize": _forgets_the_id}),
    "log-in-colours": _colours_its_log,
    "log-on-the-line-of-a-message": lambda: serve({"tools/list": _log_on_the_same_line}),
    "log-without-data": lambda: serve(
        {"initialize": HELLO | {"capabilities": {"tools": {}, "logging": {}}}, "tools/list": _logs_a_message}
    ),
    "picture-as-text": _has_content({"type": "text", "text": _PICTURE}),
    "picture-in-json-in-a-text": _has_content(
        {"type": "text", "text": json.dumps({"type": "image", "format": "png", "data": _PICTURE, "note": "captured"})}
    ),
    "resource-cannot-be-read": lambda: serve(
        {
            "initialize": _DOCUMENTS,
            "tools/list": {"tools": [_TOOL]},
            "resources/list": {"resources": [{"uri": "homelable://nodes", "name": "nodes"}]},
            "resources/templates/list": {"resourceTemplates": []},
            "resources/read": _fails_to_read,
        }
    ),
    "no-templates": lambda: serve(
        {
            "initialize": _DOCUMENTS,
            "tools/list": {"tools": [_TOOL]},
            "resources/list": {"resources": []},
        }
    ),
    "resources-fail": lambda: serve(
        {"initialize": _DOCUMENTS, "tools/list": {"tools": [_TOOL]}, "resources/list": _invalid_url}
    ),
    "spawn-einval": dies(
        "node:internal/child_process:421",
        "    throw new ErrnoException(err, 'spawn');",
        "    ^",
        "",
        "Error: spawn EINVAL",
        "    at ChildProcess.spawn (node:internal/child_process:421:11)",
        "    at spawn (node:child_process:796:9) {",
        "  errno: -4071,",
        "  code: 'EINVAL',",
        "  syscall: 'spawn'",
        "}",
        "",
        "Node.js v24.12.0",
    ),
    "path-is-cut-at-a-blank": dies(
        "Error accessing directory /srv/NS/Claude: Error: ENOENT: no such file or directory, stat '/srv/NS/Claude'",
        "    at async Object.stat (node:internal/fs/promises:1032:18) {",
        "  errno: -2,",
        "  code: 'ENOENT',",
        "  syscall: 'stat',",
        "  path: '/srv/NS/Claude'",
        "}",
    ),
    "additional-properties-have-a-schema": _takes(
        properties={
            "filters": {"type": "object", "additionalProperties": {"type": "string"}, "description": "By name."}
        }
    ),
    "template-and-no-resource": lambda: serve(
        {
            "initialize": _DOCUMENTS,
            "tools/list": {"tools": [_TOOL]},
            "resources/list": {"resources": []},
            "resources/templates/list": {
                "resourceTemplates": [{"uriTemplate": "greeting://{name}", "name": "greeting"}]
            },
        }
    ),
    "listens-for-http": _listens_until_it_is_ended,
    "prints-its-help": _prints_its_help,
    "required-among-the-properties": _takes(properties={"coin": {"type": "string"}, "required": ["coin"]}),
    "output-schema-of-draft-7": _lists(
        _TOOL
        | {
            "outputSchema": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": {"results": {"type": "array", "items": {"type": "string"}}},
            }
        }
    ),
    "cursor-is-empty": lambda: serve({"tools/list": {"tools": [_TOOL], "nextCursor": ""}}),
    "empty-cursor-leads-on": lambda: serve({"tools/list": _second_page}),
    "prompts-are-an-object": lambda: serve(
        {
            "initialize": HELLO | {"capabilities": {"tools": {}, "prompts": {}}},
            "tools/list": {"tools": [_TOOL]},
            "prompts/list": {"prompts": {}},
        }
    ),
    "image-has-a-prefix": _has_content(
        {"type": "image", "data": "data:image/png;base64,iVBORw0KGgo=", "mimeType": "image/png"}
    ),
    "image-is-an-address": _has_content(
        {"type": "image", "data": "https://cdn.example/a/chart.png?size=2", "mimeType": "image/png"}
    ),
    "result-in-a-tool-result": _returns({"toolResult": {"content": [{"type": "text", "text": "done"}]}}),
    "changes-with-each-list": lambda: serve(
        {
            "initialize": HELLO | {"capabilities": {"tools": {"listChanged": True}}},
            "tools/list": _changes_with_each_list,
        }
    ),
    "says-that-it-lacks-structure": _returns(
        {
            "isError": True,
            "content": [
                {
                    "type": "text",
                    "text": "MCP error -32602: Output validation error: Tool run has an output schema but no "
                    "structured content was provided",
                }
            ],
        },
        outputSchema={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    ),
    "failure-lacks-three-members": _returns(
        {
            "isError": True,
            "content": [{"type": "text", "text": "Error: rejected, non-fast-forward"}],
            "structuredContent": {"code": -32000, "message": "rejected, non-fast-forward", "data": {}},
        },
        outputSchema=_REMOTE,
    ),
    "sampling-without-a-limit": lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": _samples}),
    "dies-of-a-large-answer": lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": _dies_of_its_answer}),
    "no-such-option": dies(
        "Usage: windows-mcp [OPTIONS] COMMAND [ARGS]...",
        "Try 'windows-mcp --help' for help.",
        "",
        "Error: No such option '--transport'.",
        code=2,
    ),
    "no-such-choice": dies(
        "usage: mcp-server-qdrant [-h] [--transport {stdio,sse}]",
        "mcp-server-qdrant: error: argument --transport: invalid choice: 'streamable-http' "
        "(choose from 'stdio', 'sse')",
        code=2,
    ),
    "name-of-129-characters": _lists(_TOOL | {"name": "get_" + "a" * 125}),
    "does-not-know-the-capabilities": _exits_at(_RMCP),
    "console-logger": _logs_to_the_console,
    "name-of-the-package-has-an-at": dies(
        "npm error code EINVALIDPACKAGENAME",
        'npm error Invalid package name "@apple-doc-mcp-server" of package "@apple-doc-mcp-server@latest": '
        "name can only contain URL-friendly characters.",
        "npm error A complete log of this run can be found in: /home/ada/.npm/_logs/2025-11-28T10_11-debug-0.log",
    ),
    "cache-of-npx-is-half": dies(
        "npm error code ENOTEMPTY",
        "npm error syscall rename",
        "npm error path /home/ada/.npm/_npx/8a1f/node_modules/patchright-core",
        "npm error dest /home/ada/.npm/_npx/8a1f/node_modules/.patchright-core-Yx3k",
        "npm error errno -39",
        "npm error ENOTEMPTY: directory not empty, rename '/home/ada/.npm/_npx/8a1f/node_modules/patchright-core' -> "
        "'/home/ada/.npm/_npx/8a1f/node_modules/.patchright-core-Yx3k'",
        code=217,
    ),
    "property-without-a-type": _takes(
        properties={"thought": {"type": "string", "description": "It."}, "stage": {"description": "The stage."}},
        required=["thought", "stage"],
    ),
    "enum-of-integers": _takes(
        properties={"state": {"type": "integer", "enum": [0, 1, 2, 4], "description": "The state."}}
    ),
    "embedded-without-a-scheme": _has_content(
        {"type": "resource", "resource": {"uri": "/package.json", "mimeType": "text/plain", "blob": "e30K"}}
    ),
    "content-of-type-blob": _has_content({"type": "blob", "data": "aGVsbG8=", "mimeType": "text/plain"}),
    "text-and-blob": _reads({"uri": "file:///demo.txt", "mimeType": "text/plain", "text": "hello", "blob": "aGVsbG8="}),
    "blob-without-a-type": _reads({"uri": "file:///demo.txt", "blob": "AAECAw=="}),
    "discovery-answered-late": lambda: serve(
        {
            "server/discover": lambda request: _unanswered.append(request),
            "initialize": _opens_before_it_is_discovered,
            "tools/list": _refuses_a_change_of_version,
        }
    ),
    "discovery-without-cache-hints": lambda: serve(
        {
            "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "serverInfo": _WHO},
            "tools/list": {"tools": [_TOOL]},
        }
    ),
    "own-kind-of-question": lambda: serve(
        {
            "server/discover": _whole(
                {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}, cached=True
            ),
            "tools/list": _whole({"tools": [_TOOL]}, cached=True),
            "tools/call": {"type": "input_required", "prompt": "Which branch?", "requestState": "s1"},
        }
    ),
}


def _whole(result: dict[str, Any], cached: bool = False) -> dict[str, Any]:
    """A result of 2026-07-28 with all that it has to have."""
    about = {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": _WHO}}
    return about | result | ({"ttlMs": 0, "cacheScope": "private"} if cached else {})
