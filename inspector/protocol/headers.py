"""What a revision puts into the HTTP headers of a message: version, method, name, mirrored parameters.

Since 2026-07-28 intermediaries route by headers, so they repeat what the body says; the server compares them.
Values that a header can't carry as they are travel as base64 in a sentinel.

Source: specification 2026-07-28, basic/transports/streamable-http (headers) and server/tools (x-mcp-header).
"""

import base64
import re
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.revisions._shape import Era, Revision

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
    """A parameter that a tool wants repeated in a header."""

    header: str
    """The whole name, `Mcp-Param-…`."""
    path: tuple[str, ...]
    """The path of its value in the arguments."""


def headers_for(revision: Revision, method: str, params: Any, input_schema: Any = None) -> dict[str, str]:
    """The headers of a message once the revision is settled; empty where the revision has none.

    `input_schema` is that of the tool being called, None if it is not known: then nothing is mirrored.
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
    """The value of `Mcp-Name`; None for a message without one."""
    name = peek.text(params, _NAMED_BY.get(method, ""))
    return None if name is None else encode_value(name)


def version_header(revision: Revision) -> dict[str, str]:
    """What GET and DELETE carry as well, in the revisions that have them."""
    return {VERSION: revision.in_header} if revision.version_header and revision.era is Era.LEGACY else {}


def encode_value(value: str) -> str:
    """A string as a header's value: as it is, or in the base64 form if it would not survive or could be mistaken."""
    plain = value == "" or re.fullmatch(_SAFE, value) is not None
    looks_encoded = value.startswith("=?base64?") and value.endswith("?=")
    if plain and not looks_encoded:
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'surrogatepass')).decode()}?="


def mirrors(input_schema: Any) -> tuple[tuple[Mirror, ...], str]:
    """The parameters a tool wants mirrored, and what is wrong with its wish, or "".

    A tool whose annotation is wrong must not be offered over HTTP (2026-07-28, server/tools); what we do is say so.
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
    """What a person should know before a tool is called over HTTP where parameters are mirrored, a sentence each."""
    found, problem = mirrors(input_schema)
    said = [f"its x-mcp-header is invalid ({problem}): clients must not offer this tool over HTTP"] if problem else []
    for mirror in found:
        value = peek.at(arguments, *mirror.path)
        whole = value.is_integer() if isinstance(value, float) else type(value) is int
        if whole and abs(value) > _LARGEST_EXACT:
            where = ".".join(mirror.path)
            said.append(f"{where} is beyond 2^53 and can't be sent in {mirror.header}: the header is left out")
    return tuple(said)


def _collect(schema: Any, path: tuple[str, ...], found: list[Mirror], problems: list[str]) -> None:
    for name, below in peek.mapping(schema, "properties").items():
        here = (*path, name)
        if peek.has(below, "x-mcp-header"):
            wish, problem = peek.at(below, "x-mcp-header"), ""
            if not isinstance(wish, str) or not re.fullmatch(_TOKEN, wish):
                problem = "its x-mcp-header is no header name"
            elif peek.text(below, "type") not in _MIRRORED_TYPES:
                problem = "x-mcp-header needs a string, an integer or a boolean"
            if problem:
                problems.append(f"{'.'.join(here)}: {problem}")
            else:
                found.append(Mirror(PARAM + str(wish), here))
        if len(path) < 32:
            _collect(below, here, found, problems)


def _count_annotations(schema: Any, depth: int = 0) -> int:
    """How many annotations there are anywhere, also where they are of no use."""
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
