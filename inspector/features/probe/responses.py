"""What a response to a probing call says: its text, and how the call failed."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final

from inspector.checks.foreign_text import LIMITED
from inspector.checks.rules.results import failure_in
from inspector.checks.validators import OF_A_RESPONSE, VALIDATION
from inspector.protocol import peek
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse

_LONGEST = 200_000
"""Maximum number of characters of a response that are searched."""
_INVALID_PARAMS, _INTERNAL_ERROR = -32602, -32603
_OF_CREDENTIALS = re.compile(
    r"\b[A-Z0-9_]{0,30}(?:API_?KEY|_TOKEN|_SECRET|_PASSWORD|CREDENTIALS?)\b|(?i:authenticat|\bunauthori[sz]ed\b"
    r"|\bforbidden\b|\b(?:api|access|bearer|auth|authorization) (?:key|token|header)s?\b|\bcredentials?\b"
    r"|\b(?:log|sign)(?:ged|ned)?[ -]?in\b)"
)
"""Words of errors about a key, a token or a login."""
_OF_SETUP = re.compile(
    rf"{_OF_CREDENTIALS.pattern}|\b[A-Z][A-Z0-9]{{0,30}}_[A-Z0-9]|(?i:\benvironment variable|\bnot installed\b)"
    r"|\.(?:json|ya?ml|toml|csv|parquet|sqlite3?|db|wasm|onnx|jar)\b['\"`]? (?:is |was )?(?i:missing|not found)\b"
)
"""Words of errors about what the server lacks: a key, a login, a variable, a program or a file."""
_OF_A_PLACE = re.compile(r"(?i)\bnot an? git repository\b")  # said as an error about arguments, too
_OF_THE_LANGUAGE = re.compile(
    r"'NoneType' object|object has no attribute '|Cannot read propert\w+ of (?:undefined|null)|indices must be integers"
    r"|unsupported operand type|unhashable type|can only concatenate|\w is not (?:a function|iterable|subscriptable)\b"
    r"|(?:list|tuple|string) index out of range|nil pointer dereference|Object reference not set to an instance"
    r"|expected str, bytes or os\.PathLike|maximum recursion depth|Maximum call stack|Reduce of empty array"
    r"|(?:max|min)\(\) (?:arg|iterable)|codec can't (?:en|de)code"
)
"""Exceptions about the code of a tool, which it did not mean as a message."""
_LACKING = re.compile(
    r"(?i)\b(?:missing|required|needed|invalid|expired|please|not (?:set|found|configured|provided|authenticated|log)"
    r"|no|un(?:set|authori[sz]ed))\b"
)
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
    if is_inside and _OF_SETUP.search(text) and _LACKING.search(text):
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
