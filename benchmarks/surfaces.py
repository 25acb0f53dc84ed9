"""Time to compare two large surfaces: reading lock files, comparing, and describing the changes."""

import time
from pathlib import Path
from typing import Any

from inspector.features.lock.changes import compare_definitions
from inspector.features.lock.lock_file import ServerDefinitions, items_of, read_lock_file, save
from inspector.protocol.jsonrpc import Part

TOOLS = 10_000
CHANGED = TOOLS // 100


def make(place: Path) -> tuple[Path, Path]:
    """Two lock files with tools whose schemas are nested, of which one in a hundred has changed."""
    paths = place / "before.lock.json", place / "after.lock.json"
    for path, changed in zip(paths, (False, True), strict=True):
        tools = [_tool(n, changed=changed and n % 100 == 0) for n in range(TOOLS)]
        save(
            path,
            ServerDefinitions(
                {"name": "b", "version": "1"}, capabilities={"tools": {}}, lists={"tools": items_of("tools", tools)}
            ),
        )
    return paths


def seconds(before: Path, after: Path) -> tuple[float, int]:
    """The processor's seconds for all of it, and how many tools differ."""
    began = time.process_time()
    (ours, _), (theirs, _) = read_lock_file(before), read_lock_file(after)
    found = compare_definitions(ours, theirs)
    return time.process_time() - began, len({change.name for change in found.changes})


def seconds_of_parsing(before: Path, after: Path) -> float:
    """The same for reading both as JSON, and nothing else."""
    began = time.process_time()
    for path in (before, after):
        assert Part(path.read_bytes()).value
    return time.process_time() - began


def _tool(n: int, *, changed: bool) -> dict[str, Any]:
    deep: Any = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}}}
    for level in range(4):
        items = {"type": "array", "items": deep, "maxItems": 10 + level}
        deep = {"type": "object", "properties": {"id": {"type": "string", "minLength": 1}, "parts": items}}
    asked = {
        "q": {"type": "string", "description": "what to look for"},
        "where": {"$ref": "#/$defs/place"},
        "deep": deep,
    }
    place = {"type": "object", "properties": {"lat": {"type": "number", "minimum": -90}}, "required": ["lat"]}
    schema = {"type": "object", "properties": asked, "required": ["q"], "$defs": {"place": place}}
    if changed:
        schema["required"] = ["q", "where"]
    return {"name": f"tool_{n:05}", "description": f"Does thing {n}. " * 4, "inputSchema": schema}
