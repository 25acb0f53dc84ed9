"""Translation of sampling requests into chat completions and back, without I/O.

What the chat completions API can't express is reported.

Source: specification 2025-11-25, client/sampling; the OpenAI API reference, "Create chat completion".
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from inspector.errors import RequestFailed
from inspector.protocol import peek
from inspector.protocol.jsonrpc import encode
from inspector.protocol.server_requests import Result, sampled, text_block

_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64
_AUDIO = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/wave": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}
_REASONS = {"stop": "endTurn", "length": "maxTokens", "tool_calls": "toolUse", "function_call": "toolUse"}
_QUOTED = 200


class ChatRequest(msgspec.Struct, frozen=True):
    """The request, and how to read the response."""

    body: dict[str, Any]
    tools: dict[str, str]
    """Tool of each function name. Function names are more restricted than tool names."""
    left_out: tuple[str, ...] = ()
    """Parts of the request that do not reach the model, a phrase each; may contain untrusted text."""


class ModelReply(msgspec.Struct, frozen=True):
    """Answer of a model."""

    result: Result
    left_out: tuple[str, ...] = ()
    """Parts of the request that did not reach the model, a phrase each."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    """Output tokens as counted by the endpoint; None if it does not report them."""


def chat_request(params: Any, model: str) -> ChatRequest:
    """Translate the params of `sampling/createMessage`. Never raises, even for invalid params."""
    return _Translation(params).request(model)


class _Translation:
    def __init__(self, params: Any) -> None:
        self._params = params
        self._lost: list[str] = []
        self._functions = _functions(peek.items(params, "tools"))
        self._names = {tool: function for function, tool in self._functions.items()}

    def request(self, model: str) -> ChatRequest:
        params = self._params
        body: dict[str, Any] = {"model": model, "messages": list(self._messages())}
        if (limit := peek.number(params, "maxTokens")) is not None:
            body["max_tokens"] = int(limit) if float(limit).is_integer() else limit
        if (temperature := peek.number(params, "temperature")) is not None:
            body["temperature"] = temperature
        if stops := [stop for stop in peek.items(params, "stopSequences") if isinstance(stop, str)]:
            body["stop"] = stops
        body |= self._tools()
        if peek.text(params, "includeContext") not in (None, "none"):
            self._lost.append("includeContext")
        return ChatRequest(body, self._functions, tuple(dict.fromkeys(self._lost)))

    def _messages(self) -> Iterable[dict[str, Any]]:
        if prompt := peek.text(self._params, "systemPrompt"):
            yield {"role": "system", "content": prompt}
        for message in peek.items(self._params, "messages"):
            blocks = _blocks(peek.at(message, "content"))
            if peek.text(message, "role") == "assistant":
                yield self._assistant(blocks)
            else:
                yield from self._user(blocks)

    def _assistant(self, blocks: list[Any]) -> dict[str, Any]:
        lines = [text for block in blocks if (text := _text(block)) is not None]
        calls = [self._call(block) for block in blocks if peek.text(block, "type") == "tool_use"]
        for block in blocks:
            if _text(block) is None and peek.text(block, "type") != "tool_use":
                self._lose(block, "of the assistant's")
        members = {"tool_calls": calls} if calls else {}
        return {"role": "assistant", "content": "\n".join(lines) if lines or not calls else None} | members

    def _user(self, blocks: list[Any]) -> Iterable[dict[str, Any]]:
        """Translate the blocks of a user message. Tool results become separate messages and come first."""
        parts: list[dict[str, Any]] = []
        for block in blocks:
            if peek.text(block, "type") != "tool_result":
                parts += self._part(block)
                continue
            message, beside = self._returned(block)
            parts += beside
            yield {"role": "tool", "tool_call_id": peek.text(block, "toolUseId") or "", "content": message}
        if len(parts) == 1 and "text" in parts[0]:
            yield {"role": "user", "content": parts[0]["text"]}
        elif parts or not any(peek.text(block, "type") == "tool_result" for block in blocks):
            yield {"role": "user", "content": parts or ""}

    def _returned(self, block: Any) -> tuple[str, list[dict[str, Any]]]:
        """Return the text that a tool returned, and the other parts of its result."""
        inner = _blocks(peek.at(block, "content"))
        lines = [text for each in inner if (text := _text(each)) is not None]
        if not lines and (structured := peek.at(block, "structuredContent")) is not None:
            lines = [_json(structured)]
        if peek.flag(block, "isError"):
            self._lost.append("the sign that a tool failed (its text is passed on)")
        return "\n".join(lines), [part for each in inner if _text(each) is None for part in self._part(each)]

    def _part(self, block: Any) -> list[dict[str, Any]]:
        kind, mime = peek.text(block, "type"), peek.text(block, "mimeType") or ""
        data = peek.text(block, "data")
        if (message := _text(block)) is not None:
            return [{"type": "text", "text": message}]
        if kind == "image" and data is not None:
            return [{"type": "image_url", "image_url": {"url": f"data:{mime or 'image/png'};base64,{data}"}}]
        if kind == "audio" and data is not None:
            sort = _AUDIO.get(mime.lower(), mime.rpartition("/")[2] or "wav")
            return [{"type": "input_audio", "input_audio": {"data": data, "format": sort}}]
        self._lose(block, "of the user's")
        return []

    def _call(self, block: Any) -> dict[str, Any]:
        name = peek.text(block, "name") or ""
        function = {"name": self._names.get(name, name), "arguments": _json(peek.at(block, "input") or {})}
        return {"id": peek.text(block, "id") or "", "type": "function", "function": function}

    def _tools(self) -> dict[str, Any]:
        functions = [
            {"type": "function", "function": _function(self._names[name], tool)}
            for tool in peek.items(self._params, "tools")
            if (name := peek.text(tool, "name"))
        ]
        if not functions:
            return {}
        mode = peek.text(self._params, "toolChoice", "mode")
        return {"tools": functions} | ({"tool_choice": mode} if mode else {})

    def _lose(self, block: Any, whose: str) -> None:
        self._lost.append(f"a block {whose} of type {peek.text(block, 'type') or 'unknown'}")


def _function(name: str, tool: Any) -> dict[str, Any]:
    described = peek.text(tool, "description")
    schema = peek.at(tool, "inputSchema")
    return {"name": name} | ({"description": described} if described else {}) | {"parameters": schema or {}}


def _functions(tools: list[Any]) -> dict[str, str]:
    """Map a valid function name to the name of each tool."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(name for tool in tools if (name := peek.text(tool, "name"))):
        safe = base = _NAME.sub("_", name)[:_LONGEST_NAME]
        number = 2
        while safe in found:
            safe = f"{base[: _LONGEST_NAME - 4]}_{number}"
            number += 1
        found[safe] = name
    return found


def _blocks(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [] if content is None else [content]


def _text(block: Any) -> str | None:
    return peek.text(block, "text") if peek.text(block, "type") == "text" else None


def _json(value: Any) -> str:
    return encode(value).decode("utf-8", "replace")


# From a chat completion to a sampling result


def reply_in(completion: Any, request: ChatRequest) -> ModelReply:
    """Return the answer in a completion. Raises: RequestFailed if there is none."""
    choice = peek.at(completion, "choices", 0)
    message = peek.at(choice, "message")
    if not isinstance(message, dict):
        raise RequestFailed("the model's endpoint answered with JSON other than a chat completion: it has no choices")
    words = _words(message)
    calls = [_use(call, request) for call in peek.items(message, "tool_calls")]
    blocks = [*([text_block(words)] if words or not calls else []), *calls]
    model = peek.text(completion, "model") or peek.text(request.body, "model") or ""
    result = sampled(
        blocks[0] if len(blocks) == 1 else blocks, model=model, stop_reason=_reason(choice, request, calls)
    )
    usage = peek.at(completion, "usage")
    return ModelReply(
        result, request.left_out, peek.integer(usage, "prompt_tokens"), peek.integer(usage, "completion_tokens")
    )


def _words(message: Any) -> str:
    """Return the text of a message: a string, parts, or a refusal."""
    parts = (peek.text(part, "text") for part in peek.items(message, "content"))
    return peek.text(message, "content") or "".join(filter(None, parts)) or peek.text(message, "refusal") or ""


def _use(call: Any, request: ChatRequest) -> dict[str, Any]:
    """Translate a function call into a tool use. Raises: RequestFailed for invalid arguments."""
    name = peek.text(call, "function", "name") or ""
    written = peek.text(call, "function", "arguments") or "{}"
    arguments = peek.decoded(written)
    if not isinstance(arguments, dict):
        raise RequestFailed(
            f"the model calls {name} with arguments that are no JSON object: {written[:_QUOTED]}",
            hint="Try again, or respond yourself.",
        )
    return {"type": "tool_use", "id": peek.text(call, "id") or "", "name": request.tools.get(name, name)} | {
        "input": arguments
    }


def _reason(choice: Any, request: ChatRequest, calls: list[Any]) -> str:
    """Return the stop reason.

    Some endpoints report a stop sequence separately; with the others it looks like a normal end.
    """
    finish = peek.text(choice, "finish_reason") or ""
    if finish == "stop" and peek.text(choice, "stop_reason") in peek.items(request.body, "stop"):
        return "stopSequence"
    if calls and finish == "stop":
        return "toolUse"
    return _REASONS.get(finish, finish or ("toolUse" if calls else "endTurn"))
