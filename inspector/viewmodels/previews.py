"""What a message is about, in a few words: arguments, a log line, the gist of an error. For one line of a list.

A large payload is never decoded for a preview; its beginning is shown as it is.
"""

from collections.abc import Mapping
from typing import Any

from inspector.protocol import peek
from inspector.protocol.exchanges import Progress
from inspector.protocol.jsonrpc import (
    Answer,
    ErrorAnswer,
    Message,
    Notification,
    NotJsonRpc,
    Request,
    encode,
    read,
)
from inspector.viewmodels import text
from inspector.viewmodels.roles import Role, Span
from inspector.viewmodels.words import progress_of, progress_words

MOST_DECODED = 64 * 1024
"""Bytes."""
_SHOWN = 300
"""Characters."""
_NAMED_ELSEWHERE = frozenset({"_meta", "name", "uri", "progressToken"})


def of_payload(payload: bytes, newest: Progress | None = None) -> Span:
    """The preview of a frame; ("", …) if there is nothing to say. Safe to show.

    `newest` is shown in the place of the progress that the frame itself tells of.
    """
    if len(payload) > MOST_DECODED:
        return _cut(text.decode(payload[: 4 * _SHOWN])), "muted"
    messages = read(payload)
    if len(messages) > 1:
        return f"a batch of {len(messages)} messages", "muted"
    return _of_message(messages[0], payload, newest)


def _of_message(message: Message, payload: bytes, newest: Progress | None) -> Span:
    match message:
        case Request():
            return _cut(of_request(message.method, message.params)), "muted"
        case Notification():
            return _notification(message, newest)
        case Answer():
            return _cut(of_result(message.result)), "muted"
        case ErrorAnswer():
            return _cut(message.message), "error"
        case NotJsonRpc():
            return _garbled(message, payload)


def of_request(method: str, params: Any) -> str:
    """What a request asks for beside its target: arguments, a question, else its params; "" for none. Foreign."""
    if method in ("tools/call", "prompts/get"):
        arguments = peek.at(params, "arguments")
        return "" if arguments in (None, {}) else _json(arguments)
    if method == "elicitation/create":
        return peek.text(params, "message") or ""
    if method == "initialize":
        return _join(peek.text(params, "protocolVersion"), _who(peek.at(params, "clientInfo")))
    if isinstance(params, Mapping):
        params = {key: value for key, value in params.items() if key not in _NAMED_ELSEWHERE}
    return "" if params in (None, {}, []) else _json(params)


def of_result(result: Any) -> str:
    """The gist of a result: the first text in it, else its JSON. Foreign."""
    for block in peek.items(result, "content"):
        if found := peek.text(block, "text"):
            return found
    if peek.has(result, "serverInfo"):
        return _join(peek.text(result, "protocolVersion"), _who(peek.at(result, "serverInfo")))
    if isinstance(result, Mapping):
        result = {key: value for key, value in result.items() if key != "_meta"}
    return "" if result in (None, {}) else _json(result)


def of_log_message(params: Any) -> str:
    """A log message on one line: level, logger, words. Foreign."""
    level, logger = peek.text(params, "level") or "", peek.text(params, "logger") or ""
    data = peek.at(params, "data")
    said = data if isinstance(data, str) else peek.text(data, "message") or ("" if data is None else _json(data))
    return ": ".join(part for part in (level, logger, said) if part)


_LOUD: Mapping[str, Role] = {
    "warning": "warning",
    "error": "error",
    "critical": "error",
    "alert": "error",
    "emergency": "error",
}


def _notification(message: Notification, newest: Progress | None) -> Span:
    params = message.params
    if message.method == "notifications/message":
        return _cut(of_log_message(params)), _LOUD.get(peek.text(params, "level") or "", "text")
    if message.method == "notifications/progress":
        return progress_words(newest or progress_of(params)), "text"
    if message.method == "notifications/cancelled":
        return _cut(peek.text(params, "reason") or ""), "text"
    return _cut(of_request(message.method, params)), "muted"


def _garbled(message: NotJsonRpc, payload: bytes) -> Span:
    shown = _cut(text.decode(payload[: 4 * _SHOWN]))
    return (shown, "foreign") if shown.strip() else (f"({message.reason})", "muted")


def _who(info: Any) -> str:
    return " ".join(part for key in ("name", "version") if (part := peek.text(info, key)))


def _join(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part)


def _json(value: Any) -> str:
    return text.decode(encode(value))


def _cut(foreign: str) -> str:
    return text.visible(foreign, limit=_SHOWN)
