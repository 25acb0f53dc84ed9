"""Whether the headers of a stateless POST say what its body says (2026-07-28 basic/transports).

Each fault is the same refusal, HeaderMismatch; its sentence says which header was expected to say what.
"""

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.demo.call import HEADER_MISMATCH, META, Json, Refusal

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Method → the param that Mcp-Name repeats."""
_START, _END = "=?base64?", "?="


def check(message: Json, headers: Mapping[str, str], schema: Any = None) -> None:
    """Hold the headers against a request.

    `headers` has lower-case names; `schema` is the input schema of the tool that is called, if there is one.

    Raises: Refusal.
    """
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    _same("MCP-Protocol-Version", (meta if isinstance(meta, dict) else {}).get(META + "protocolVersion"), headers)
    _same("Mcp-Method", message["method"], headers)
    name = params.get(NAMED_BY.get(message["method"], ""))
    if isinstance(name, str):
        _same("Mcp-Name", name, headers, encoded=True)
    if message["method"] == "tools/call":
        arguments = params.get("arguments")
        for suffix, value in _mirrored(schema, arguments if isinstance(arguments, dict) else {}):
            _param(f"Mcp-Param-{suffix}", value, headers)


def _same(name: str, wanted: object, headers: Mapping[str, str], *, encoded: bool = False) -> None:
    found = headers.get(name.lower())
    if found is None:
        raise Refusal(HEADER_MISMATCH, f"Header mismatch: {name} is missing, the body says {wanted!r}")
    if (decode(found) if encoded else found) != wanted:
        raise Refusal(HEADER_MISMATCH, f"Header mismatch: {name} is {found!r}, the body says {wanted!r}")


def _param(name: str, value: object, headers: Mapping[str, str]) -> None:
    if value is None:
        if name.lower() in headers:
            raise Refusal(HEADER_MISMATCH, f"Header mismatch: {name} is there, the body has no such argument")
    elif isinstance(value, bool):
        _same(name, "true" if value else "false", headers, encoded=True)
    elif isinstance(value, (str, int)):
        _same(name, str(value), headers, encoded=True)


def _mirrored(schema: Any, value: Any) -> Iterator[tuple[str, object]]:
    """The suffix of each header that the schema asks for, and the argument that it repeats."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for key, inner in (properties if isinstance(properties, dict) else {}).items():
        held = value.get(key) if isinstance(value, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get("x-mcp-header"), str):
            yield inner["x-mcp-header"], held
        yield from _mirrored(inner, held)


def decode(value: str) -> str:
    """What a header's value stands for. Raises: Refusal, if it claims to be base64 and is not."""
    if not (value.startswith(_START) and value.endswith(_END)):
        return value
    try:
        return base64.b64decode(value[len(_START) : -len(_END)], validate=True).decode()
    except (binascii.Error, ValueError):
        raise Refusal(HEADER_MISMATCH, f"Header mismatch: {value!r} is not base64 of UTF-8") from None
