"""What an error, or the body of a refusal, says of its cause: the words for it, wherever they are."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.protocol import peek

_MOST = 200
_DEPTH = 4
_NAMES = (
    *("detail", "details", "reason", "message", "error_description", "error", "cause", "description", "msg", "title"),
    *("hint", "errors", "issues", "name"),
)
"""Members that say why, the best first."""
_STACK = re.compile(r"\n\s+at |Traceback \(most recent")
_TITLE = re.compile(r"(?is)<title[^>]*>(.{1,200}?)</title>")


def reason_of(error: Any) -> str:
    """The message of a JSON-RPC error, and what its `data` adds to that; "" if it says nothing."""
    said = (peek.text(error, "message") or "").strip()
    more = words_in(peek.at(error, "data"))
    if not more or more.lower() in said.lower():
        return said[:_MOST]
    return f"{said[:_MOST]} ({more[:_MOST]})" if said else more[:_MOST]


def words_in(value: Any) -> str:
    """The words for a cause in a value of any shape; "" if there are none."""
    return next(_words(value, _DEPTH), "")


def _words(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        text = value.strip()
        if text and not text.isdigit():
            yield (text.partition("\n")[0] if _STACK.search(text) else " ".join(text.split()))[:_MOST]
    elif type(value) is dict and depth:
        for name in _NAMES:
            if name in value:
                yield from _words(value[name], depth - 1)
    elif type(value) is list and depth:
        for each in value[:3]:
            yield from _words(each, depth - 1)


def words_of_body(body: bytes) -> str:
    """The words for a cause in the body of an HTTP error: of JSON, of a web page its title, of text its first line."""
    text = body[:20_000].decode("utf-8", "replace").strip()
    if text.startswith("<"):
        found = _TITLE.search(text)
        return " ".join(found[1].split()) if found else ""
    if text.startswith(("{", "[", '"')):
        try:
            return words_in(msgspec.json.decode(text))
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return ""
    return text.partition("\n")[0].strip()[:_MOST]
