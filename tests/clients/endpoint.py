"""A model endpoint on loopback: OpenAI responses and chat, Anthropic messages, Gemini. It records all requests.

Its model calls each of the wanted tools once, in the order in which requests list them, then ends the turn.
"""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAMESPACE_END = "/"
"""Ends the namespace of a tool in its name; no API has one in names."""
_ARGUMENTS = {"a": "x"}


class ModelEndpoint:
    """A running endpoint; use it as a context manager."""

    def __init__(self, wanted: str, arguments: Mapping[str, Any] = _ARGUMENTS) -> None:
        """Create it; tools whose names match `wanted` are called, each with these arguments."""
        self.arguments = arguments
        self.requests: list[tuple[str, dict[str, Any]]] = []
        """Path and body of each request, in order."""
        self.called: list[str] = []
        self._wanted = re.compile(wanted)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "ModelEndpoint":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next_call(self, path: str, body: dict[str, Any]) -> str:
        """Record a request, and return the name of the tool to call; "" to end the turn."""
        with self._lock:
            self.requests.append((path, body))
            names = [str(tool["name"]) for tool in tools_of(body)]
            left = [name for name in names if self._wanted.search(name) and name not in self.called]
            if not left:
                return ""
            self.called.append(left[0])
            return left[0]


def tools_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tools of a request to any of the APIs, as `name`, `description` and `schema`."""
    return list(_tools_of(body.get("tools") or []))


def _tools_of(tools: list[Any], prefix: str = "") -> Iterator[dict[str, Any]]:
    for tool in tools:
        if tool.get("type") == "namespace":  # Codex groups the tools of a server
            yield from _tools_of(tool["tools"], tool["name"] + NAMESPACE_END)
        elif "functionDeclarations" in tool:
            yield from _tools_of(tool["functionDeclarations"])
        else:
            inner = tool.get("function", tool)
            schemas = ("parameters", "input_schema", "parametersJsonSchema")
            schema = next((inner[each] for each in schemas if each in inner), None)
            if "name" in inner:
                name = prefix + inner["name"]
                yield {"name": name, "description": inner.get("description"), "schema": schema}


def _handler(endpoint: ModelEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._reply(200, "application/json", b'{"data": [], "models": []}')

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            try:
                body = json.loads(raw)
            except ValueError:
                body = {}
            path = self.path.partition("?")[0]
            for end, answer in _APIS.items():
                if path.endswith(end):
                    is_stream = bool(body.get("stream")) or end == ":streamGenerateContent"
                    events = answer(endpoint.next_call(path, body), endpoint.arguments, is_stream=is_stream)
                    if is_stream:
                        named = end in ("/responses", "/messages")
                        self._reply(200, "text/event-stream", b"".join(_event(each, named=named) for each in events))
                    else:
                        self._reply(200, "application/json", json.dumps(events[0]).encode())
                    return
            tokens = b'{"input_tokens": 10, "totalTokens": 10}'
            is_count = path.endswith(("/count_tokens", ":countTokens"))
            self._reply(200 if is_count else 404, "application/json", tokens if is_count else b"{}")

        def _reply(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write no log."""

    return Handler


def _event(data: dict[str, Any], *, named: bool) -> bytes:
    name = f"event: {data['type']}\n" if named else ""
    return f"{name}data: {json.dumps(data)}\n\n".encode()


def _responses(call: str, arguments: Mapping[str, Any], *, is_stream: bool) -> list[dict[str, Any]]:
    item: dict[str, Any]
    if call:
        namespace, _, tool = call.rpartition(NAMESPACE_END)
        item = {"type": "function_call", "id": "fc_1", "call_id": f"call_{call[:40]}", "status": "completed"}
        item |= {"name": tool, "arguments": json.dumps(arguments)}
        if namespace:
            item["namespace"] = namespace
    else:
        text = {"type": "output_text", "text": "done", "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    usage: dict[str, Any] = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": "resp_1", "object": "response", "created_at": 0, "model": "m", "status": "completed"}
    whole |= {"output": [item], "usage": usage, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    if not is_stream:
        return [whole]
    return [
        {"type": "response.created", "sequence_number": 0, "response": whole | {"output": [], "status": "in_progress"}},
        {"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item},
        {"type": "response.output_item.done", "sequence_number": 2, "output_index": 0, "item": item},
        {"type": "response.completed", "sequence_number": 3, "response": whole},
    ]


def _chat(call: str, arguments: Mapping[str, Any], *, is_stream: bool) -> list[dict[str, Any]]:
    message: dict[str, Any] = {"role": "assistant", "content": None if call else "done"}
    if call:
        function = {"name": call, "arguments": json.dumps(arguments)}
        message["tool_calls"] = [{"index": 0, "id": f"call_{call[:30]}", "type": "function", "function": function}]
    reason = "tool_calls" if call else "stop"
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "m"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    if not is_stream:
        return [whole | {"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": usage}]
    whole["object"] = "chat.completion.chunk"
    return [
        whole | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        whole | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
    ]


def _messages(call: str, arguments: Mapping[str, Any], *, is_stream: bool) -> list[dict[str, Any]]:
    block: dict[str, Any] = {"type": "text", "text": "done"}
    empty: dict[str, Any] = {"input": {}} if call else {"text": ""}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{abs(hash(call))}", "name": call, "input": arguments}
    reason = "tool_use" if call else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    whole: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [block]}
    whole |= {"stop_reason": reason, "stop_sequence": None, "usage": usage}
    if not is_stream:
        return [whole]
    delta = {"type": "text_delta", "text": "done"}
    if call:
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    return [
        {"type": "message_start", "message": whole | {"content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": block | empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def _gemini(call: str, arguments: Mapping[str, Any], *, is_stream: bool) -> list[dict[str, Any]]:
    part = {"functionCall": {"name": call, "args": arguments}} if call else {"text": "done"}
    candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    return [{"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}]


_APIS = {
    "/responses": _responses,
    "/chat/completions": _chat,
    "/messages": _messages,
    ":generateContent": _gemini,
    ":streamGenerateContent": _gemini,
}
