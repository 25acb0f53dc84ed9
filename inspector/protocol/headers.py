"""HTTP headers of a message, by revision: version, method, name, mirrored parameters.

Since 2026-07-28 intermediaries route by headers, so headers repeat parts of the body, and the server compares them.
Values that a header can't carry literally are encoded in base64 with a marker.

Source: specification 2026-07-28, basic/transports/streamable-http (headers) and server/tools (x-mcp-header).
"""

import base64
import re
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.revisions._shape import Era, Revision
from inspector.text import cut

VERSION, METHOD, NAME, PARAM = "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Param-"

_NAMED_BY = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
_SAFE = r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?"
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_MIRRORED_TYPES = {"string", "integer", "boolean"}
_LARGEST_EXACT = 2**53 - 1


class Mirror(msgspec.Struct, frozen=True):
    """A tool parameter to be mirrored in a header."""

    header: str
    """The full name, `Mcp-Param-…`."""
    path: tuple[str, ...]
    """Path of its value in the arguments."""


def headers_for(revision: Revision, method: str, params: Any, input_schema: Any = None) -> dict[str, str]:
    """Return the headers of a message after the revision is settled; empty if the revision has none.

    `input_schema` is that of the called tool. If it is None (unknown), no parameters are mirrored.
    """
    headers: dict[str, str] = {}
    if revision.version_header and method != "initialize":
        headers[VERSION] = revision.in_header
    if not revision.routing_headers:
        return headers
    headers[METHOD] = method
    name = routing_name(method, params)
    if name is not None:
        headers[NAME] = name
    if method == "tools/call" and input_schema is not None:
        headers |= _mirrored_values(input_schema, peek.mapping(params, "arguments"))
    return headers


def routing_name(method: str, params: Any) -> str | None:
    """Return the value of `Mcp-Name`; None for a message without one."""
    name = peek.text(params, _NAMED_BY.get(method, ""))
    return None if name is None else encode_value(name)


def version_header(revision: Revision) -> dict[str, str]:
    """Return the version header for GET and DELETE; empty in revisions that do not send it."""
    return {VERSION: revision.in_header} if revision.version_header and revision.era is Era.LEGACY else {}


def encode_value(value: str) -> str:
    """Encode a string as a header value: literally, or in base64 if it is unsafe or ambiguous."""
    plain = value == "" or re.fullmatch(_SAFE, value) is not None
    looks_encoded = value.startswith("=?base64?") and value.endswith("?=")
    if plain and not looks_encoded:
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'surrogatepass')).decode()}?="


def mirrors(input_schema: Any) -> tuple[tuple[Mirror, ...], str]:
    """Return the parameters that a tool asks to mirror, and the defect of its annotations, or "".

    A tool with an invalid annotation must not be offered over HTTP (2026-07-28, server/tools). We only report it.
    """
    found: list[Mirror] = []
    problems: list[str] = []
    _collect(input_schema, (), found, problems)
    names = [mirror.header.lower() for mirror in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    problems += [f"two properties want the header {name}" for name in twice]
    if _count_annotations(input_schema) > len(found) + len(problems):
        problems.append("x-mcp-header is on a value that property names alone do not reach")
    return tuple(found), "; ".join(problems)


def cautions(input_schema: Any, arguments: Any) -> tuple[str, ...]:
    """Return warnings about mirrored parameters before a tool is called over HTTP, one sentence each."""
    found, problem = mirrors(input_schema)
    lines = [f"its x-mcp-header is invalid ({problem}): clients must not offer this tool over HTTP"] if problem else []
    for mirror in found:
        value = peek.at(arguments, *mirror.path)
        whole = value.is_integer() if isinstance(value, float) else type(value) is int
        if whole and abs(value) > _LARGEST_EXACT:
            where = ".".join(mirror.path)
            lines.append(f"{where} is beyond 2^53 and can't be sent in {mirror.header}: the header is left out")
    return tuple(lines)


def _collect(schema: Any, path: tuple[str, ...], found: list[Mirror], problems: list[str]) -> None:
    for name, below in peek.mapping(schema, "properties").items():
        here = (*path, name)
        if peek.has(below, "x-mcp-header"):
            wish, problem = peek.at(below, "x-mcp-header"), ""
            if not isinstance(wish, str) or not re.fullmatch(_TOKEN, wish):
                problem = f"its x-mcp-header, {cut(str(wish), 40)!r}, is no header name"
            elif peek.text(below, "type") not in _MIRRORED_TYPES:
                problem = "x-mcp-header needs a string, an integer or a boolean"
            if problem:
                problems.append(f"{'.'.join(here)}: {problem}")
            else:
                found.append(Mirror(PARAM + str(wish), here))
        if len(path) < 32:
            _collect(below, here, found, problems)


def _count_annotations(schema: Any, depth: int = 0) -> int:
    """Count all annotations, also where they have no effect."""
    if depth > 64:
        return 0
    if isinstance(schema, list):
        return sum(_count_annotations(item, depth + 1) for item in schema)
    below = peek.mapping(schema)
    return int("x-mcp-header" in below) + sum(
        _count_annotations(item, depth + 1) for key, item in below.items() if key not in ("const", "enum", "default")
    )


def _mirrored_values(input_schema: Any, arguments: dict[str, Any]) -> dict[str, str]:
    headers = {}
    for mirror in mirrors(input_schema)[0]:
        value = peek.at(arguments, *mirror.path)
        if isinstance(value, bool):
            headers[mirror.header] = "true" if value else "false"
        elif isinstance(value, int | float) and abs(value) <= _LARGEST_EXACT and value == int(value):
            headers[mirror.header] = str(int(value))  # 1e2 is an integer, too
        elif isinstance(value, str):
            headers[mirror.header] = encode_value(value)
    return headers
