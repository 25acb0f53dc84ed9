"""Makes `docs/mcpcap.schema.json` of the records that the program writes and reads, so that it can't differ from them.

`python -m tests.captures.schema` writes it anew; a test sees that it is what this makes.
"""

import inspect
import json
from pathlib import Path
from typing import Any

import msgspec

from inspector.capture.format.records import FORMAT, KNOWN, VERSION, Record

FILE = Path(__file__).parents[2] / "docs/mcpcap.schema.json"


def schema() -> dict[str, Any]:
    (_,), parts = msgspec.json.schema_components([Record], ref_template="#/$defs/{name}")
    for part in parts.values():
        part.pop("title", None)
        if "description" in part:  # msgspec before 0.23 keeps the margin of a docstring
            part["description"] = inspect.cleandoc(part["description"])
        for member in part.get("properties", {}).values():  # before 0.22 it puts null first
            member.get("anyOf", []).sort(key=lambda each: each.get("type") == "null")
    head = parts["Head"]["properties"]
    head["format"] = {"const": FORMAT}
    head["v"] = {"type": "string", "pattern": r"^[0-9]{1,9}(\.[0-9]+)*$", "description": "major.minor"}
    for name in ("FrameRecord", "StderrRecord", "SseRecord"):
        parts[name]["anyOf"] = [_has("raw"), _has("b64")]
    for name in parts:
        kind = parts[name].get("properties", {}).get("r")
        if kind is not None:
            parts[name]["properties"]["r"] = {"const": kind["enum"][0]}
    records = [f"#/$defs/{name}" for name, part in parts.items() if "r" in part.get("properties", {})]
    later = {
        "description": "A record of a type that this version does not know: passed over and counted.",
        "type": "object",
        "required": ["r"],
        "properties": {"r": {"type": "string", "not": {"enum": sorted(KNOWN)}}},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of a capture, {FORMAT} {VERSION}",
        "description": "Fields that are not named here are allowed and ignored. docs/mcpcap.md has the rest.",
        "oneOf": [*({"$ref": name} for name in records), {"$ref": "#/$defs/Later"}],
        "$defs": parts | {"Later": later},
    }


def _has(field: str) -> dict[str, Any]:
    return {"required": [field], "properties": {field: {"type": "string"}}}


def document() -> str:
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(document())
