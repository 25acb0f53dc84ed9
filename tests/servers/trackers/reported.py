"""Servers over stdio whose faults stopped hosts and clients: runtimes, encodings, lists, results."""

from typing import Any

from tests.servers.speaking import answer, dies, say, serve
from tests.servers.trackers import Run

_TOOL: dict[str, Any] = {
    "name": "run",
    "description": "Runs a command.",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "description": "The command."}}},
}


def _dies_at(method: str, *lines: str) -> Run:
    return lambda: serve({"tools/list": {"tools": [_TOOL]}} | {method: lambda request: dies(*lines)()})


def _list_fails(message: str) -> Run:
    def fail(request: dict[str, Any]) -> None:
        say({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": message}})

    return lambda: serve({"tools/list": fail})


def _returns(result: Any) -> Run:
    return lambda: serve({"tools/list": {"tools": [_TOOL]}, "tools/call": result})


def _text(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


def _logs_on_stdout() -> None:
    print("info: Microsoft.Hosting.Lifetime[0]\n      Application started. Press Ctrl+C to shut down.", flush=True)
    serve({"tools/list": {"tools": [_TOOL]}})


def _result_and_error(request: dict[str, Any]) -> None:
    say(
        {
            "jsonrpc": "2.0",
            "id": request["id"],
            "result": {"content": []},
            "error": {"code": -32603, "message": "injected error"},
        }
    )


def _progress_after_the_result(request: dict[str, Any]) -> None:
    token = request["params"].get("_meta", {}).get("progressToken", "7724730363a945f8bd4f378326ab30e0")
    answer(request, _text("built"))
    say(
        {
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": token, "progress": 10, "message": "Build phase: OpeningKB"},
        }
    )


def _own_progress_token(request: dict[str, Any]) -> None:
    token = f"tool-call-{request['id']}"
    params = {"progressToken": token, "progress": 0, "total": 1}
    say({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
    answer(request, _text("done"))


SERVERS: dict[str, Run] = {
    "zod-of-another-version": _list_fails("Cannot read properties of undefined (reading '_zod')"),
    "zod-of-another-version-in-bun": _list_fails("undefined is not an object (evaluating 'schema._zod')"),
    "zod-of-another-version-null": _list_fails("Cannot read properties of null (reading '_def')"),
    "emoji-in-the-list": _dies_at(
        "tools/list",
        "Traceback (most recent call last):",
        '  File "vibemk.py", line 90, in main',
        "    print(json.dumps(response, ensure_ascii=False), flush=True)",
        "UnicodeEncodeError: 'charmap' codec can't encode character '\\U0001f50d' in position 411: character maps"
        " to <undefined>",
    ),
    "argument-that-stdin-cannot-decode": _dies_at(
        "tools/call",
        "Traceback (most recent call last):",
        '  File "mcp_server.py", line 700, in main',
        "    line = sys.stdin.readline()",
        "UnicodeDecodeError: 'cp950' codec can't decode byte 0xe2 in position 97: illegal multibyte sequence",
    ),
    "result-and-error-in-a-call": _returns(_result_and_error),
    "console-logging-of-dotnet": _logs_on_stdout,
    "progress-after-the-result": _returns(_progress_after_the_result),
    "progress-token-of-the-server": _returns(_own_progress_token),
}
