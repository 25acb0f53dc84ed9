"""What a response to a probing call says: its text, and how the call failed."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final

from inspector.checks.foreign_text import LIMITED
from inspector.checks.rules.results import failure_in
from inspector.checks.validators import OF_A_RESPONSE, VALIDATION
from inspector.features.probe.words import words
from inspector.protocol import peek
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse

_LONGEST = 200_000
"""Maximum number of characters of a response that are searched."""
_INVALID_PARAMS, _INTERNAL_ERROR = -32602, -32603
_OF_CREDENTIALS = words("credentials")
"""Words of errors about a key, a token or a login."""
_OF_SETUP = words("credentials", "setup")
"""Words of errors about what the server lacks: a key, a login, a variable, a program or a file."""
_OF_A_PLACE = re.compile(r"(?i)\bnot an? git repository\b")  # said as an error about arguments, too
_OF_THE_LANGUAGE = words("language")
"""Exceptions about the code of a tool, which it did not mean as a message."""
_LACKING = words("lacking")
_OF_NETWORK = words("network")
_SHORT_REFUSAL: Final = 400
"""Maximum number of characters of a refusal that is not marked as an error; a longer text is about credentials."""
MAX_SEARCHED_CHARS: Final = 5_000
"""Maximum number of characters of an error that are searched for source files."""


class CallFailure(StrEnum):
    """How a call failed."""

    NOT = "not"
    REJECTED = "rejected"
    UNAUTHORIZED = "unauthorized"
    """Without credentials, or beyond a rate limit, whatever the arguments are."""
    INSIDE = "inside"
    OTHERWISE = "otherwise"


def failure_of(message: ResultResponse | ErrorResponse, text: str) -> CallFailure:
    """Return how a call failed, by its response. `text`: as of `text_of`."""
    code = message.code if isinstance(message, ErrorResponse) else None
    is_unmarked = isinstance(message, ResultResponse) and peek.flag(message.result, "isError") is not True
    if not is_unmarked and LIMITED.search(text[:MAX_SEARCHED_CHARS]):  # still, after a pause
        return CallFailure.UNAUTHORIZED
    if _OF_CREDENTIALS.search(text[:MAX_SEARCHED_CHARS]):
        if not is_unmarked or (len(text) <= _SHORT_REFUSAL and _LACKING.search(text)):
            return CallFailure.UNAUTHORIZED
    if isinstance(message, ResultResponse) and is_unmarked:
        return CallFailure.OTHERWISE if failure_in(message.result)[2] else CallFailure.NOT
    if _OF_A_PLACE.search(text[:MAX_SEARCHED_CHARS]):
        return CallFailure.OTHERWISE
    if code == _INVALID_PARAMS or (
        VALIDATION.search(text) and not OF_A_RESPONSE.search(text) and not _OF_SETUP.search(text[:MAX_SEARCHED_CHARS])
    ):
        return CallFailure.REJECTED
    text = text[:MAX_SEARCHED_CHARS]
    is_inside = code == _INTERNAL_ERROR or _OF_THE_LANGUAGE.search(text)
    if is_inside and (_OF_NETWORK.search(text) or (_OF_SETUP.search(text) and _LACKING.search(text))):
        return CallFailure.OTHERWISE
    return CallFailure.INSIDE if is_inside else CallFailure.OTHERWISE


def is_limited(message: ResultResponse | ErrorResponse) -> bool:
    """Return whether a response is an error about too many calls."""
    is_error = isinstance(message, ErrorResponse) or peek.flag(message.result, "isError") is True
    return is_error and LIMITED.search(text_of(message)[:MAX_SEARCHED_CHARS]) is not None


def text_of(message: ResultResponse | ErrorResponse) -> str:
    """Return all text of a response: message and data of an error, text and structured content of a result."""
    if isinstance(message, ErrorResponse):
        data = peek.at(message.error, "data")
        parts = [message.message, *_strings(data)]
    else:
        blocks = peek.items(message.result, "content")
        parts = [each for block in blocks for each in _strings(_without_type(block))]
        parts += _strings(peek.at(message.result, "structuredContent"))
    return "\n".join(parts)[:_LONGEST]


def _without_type(block: Any) -> Any:
    return {key: value for key, value in block.items() if key != "type"} if isinstance(block, dict) else block


def _strings(value: Any, depth: int = 12) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth:
        for each in value.values():
            yield from _strings(each, depth - 1)
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _strings(each, depth - 1)
