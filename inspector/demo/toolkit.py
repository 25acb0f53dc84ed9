"""How the demo declares tools, builds content blocks and validates arguments."""

import base64
import json
import math
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from inspector.demo.call import DemoRequest, Json
from inspector.demo.state import Work

Run = Callable[[DemoRequest, Json], Awaitable[Json]]
"""Runs a tool with validated arguments; returns the result of the newest revision.

Raises: Mishap for a result with `isError`, DemoError for a JSON-RPC error.
"""

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}

_MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class DemoTool:
    """A tool: its entry in the list, and its function."""

    definition: Json
    """As the newest revision lists it. Sent unchanged, so that a broken schema can be shown."""
    run: Run
    needs: Callable[[Json], Json] | None = None
    """Maps its arguments to the client capabilities that its requests need; None for a tool without requests."""
    work: Callable[[DemoRequest, Json], Work] | None = None
    """Returns its work as a task."""

    @property
    def name(self) -> str:
        return str(self.definition["name"])

    @property
    def input_schema(self) -> Any:
        return self.definition["inputSchema"]

    @property
    def task(self) -> str:
        """Task support: "optional", "required", or "" for none."""
        return str(self.definition.get("execution", {}).get("taskSupport", ""))

    def begun(self, call: DemoRequest, arguments: Json) -> Work:
        """Return its work for a call; only if `task` is set."""
        assert self.work is not None, "a tool with task support needs `work`"
        return self.work(call, arguments)


@cache
def _definitions() -> dict[str, Json]:
    listed = json.loads(Path(__file__).with_name("tools.json").read_text("utf-8"))
    return {each["name"]: each for each in listed}


def tool(
    name: str,
    run: Run,
    needs: Callable[[Json], Json] | None = None,
    work: Callable[[DemoRequest, Json], Work] | None = None,
    **members: Any,
) -> DemoTool:
    """Return a tool of `tools.json`, with more members of its definition."""
    return DemoTool(_definitions()[name] | members, run, needs, work)


def encode(data: bytes) -> str:
    """Return bytes as base64."""
    return base64.b64encode(data).decode("ascii")


def icons(svg: str) -> list[Json]:
    """Return a list of icons with only this SVG."""
    source = "data:image/svg+xml;base64," + encode(svg.encode())
    return [{"src": source, "mimeType": "image/svg+xml", "sizes": ["any"]}]


def text(words: str) -> Json:
    """Return a text block."""
    return {"type": "text", "text": words}


def result(*blocks: Json) -> Json:
    """Return a tool's result of these blocks."""
    return {"content": list(blocks)}


# Validation of arguments


def complaints(schema: dict[str, Any], value: Any) -> list[str]:
    """Return what is wrong with the value, one sentence each, in the order of the schema; empty if it is valid."""
    return list(_walk(schema, value, "", schema, 0))


def _walk(schema: Any, value: Any, path: str, root: dict[str, Any], depth: int) -> Iterator[str]:
    where = path or "arguments"
    if depth > _MAX_DEPTH:
        yield f"{where}: nested too deeply"
        return
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if "type" in schema and not _is_of_type(value, schema["type"]):
        yield f"{where}: must be {_spoken(schema['type'])}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: must be one of {', '.join(map(str, schema['enum']))}"
    if "const" in schema and value != schema["const"]:
        yield f"{where}: must be {schema['const']}"
    yield from _branches(schema, value, path, root, depth)
    if isinstance(value, str):
        yield from _string(schema, value, where)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _number(schema, value, where)
    elif isinstance(value, list):
        yield from _array(schema, value, path, root, depth)
    elif isinstance(value, dict):
        yield from _object(schema, value, path, root, depth)


def _is_of_type(value: Any, wanted: str | list[str]) -> bool:
    for name in [wanted] if isinstance(wanted, str) else wanted:
        if isinstance(value, bool) and name != "boolean":
            continue
        if name == "integer" and isinstance(value, float) and not value.is_integer():
            continue
        if isinstance(value, _TYPES[name]):
            return True
    return False


def _spoken(wanted: str | list[str]) -> str:
    names = [wanted] if isinstance(wanted, str) else wanted
    return " or ".join(name if name == "null" else f"{'an' if name[0] in 'aio' else 'a'} {name}" for name in names)


def _branches(schema: Any, value: Any, path: str, root: dict[str, Any], depth: int) -> Iterator[str]:
    for keyword, most in (("oneOf", 1), ("anyOf", math.inf)):
        if keyword in schema:
            hits = sum(not list(_walk(branch, value, path, root, depth + 1)) for branch in schema[keyword])
            if not 1 <= hits <= most:
                yield f"{path or 'arguments'}: matches {hits} of {len(schema[keyword])} alternatives"


def _string(schema: Any, value: str, where: str) -> Iterator[str]:
    if len(value) < schema.get("minLength", 0):
        yield f"{where}: must have at least {schema['minLength']} characters"
    if len(value) > schema.get("maxLength", math.inf):
        yield f"{where}: must have at most {schema['maxLength']} characters"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{where}: does not match the pattern {schema['pattern']}"


def _number(schema: Any, value: float, where: str) -> Iterator[str]:
    if value < schema.get("minimum", -math.inf):
        yield f"{where}: must be at least {schema['minimum']}"
    elif value > schema.get("maximum", math.inf):
        yield f"{where}: must be at most {schema['maximum']}"
    elif "multipleOf" in schema and not (value / schema["multipleOf"]).is_integer():
        yield f"{where}: must be a multiple of {schema['multipleOf']}"


def _array(schema: Any, value: list[Any], path: str, root: dict[str, Any], depth: int) -> Iterator[str]:
    if len(value) < schema.get("minItems", 0):
        yield f"{path}: must have at least {schema['minItems']} items"
    if len(value) > schema.get("maxItems", math.inf):
        yield f"{path}: must have at most {schema['maxItems']} items"
    if schema.get("uniqueItems") and any(item in value[:n] for n, item in enumerate(value)):
        yield f"{path}: has a duplicate item"
    if "items" in schema:
        for n, item in enumerate(value):
            yield from _walk(schema["items"], item, f"{path}[{n}]", root, depth + 1)


def _object(schema: Any, value: dict[str, Any], path: str, root: dict[str, Any], depth: int) -> Iterator[str]:
    prefix = f"{path}." if path else ""
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{prefix}{name}: is required"
    for name, item in value.items():
        if name in properties:
            yield from _walk(properties[name], item, prefix + name, root, depth + 1)
        elif schema.get("additionalProperties") is False:
            yield f"{prefix}{name}: is not allowed"
