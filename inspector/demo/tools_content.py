"""The demo's form tool `complex_form`, and pictures and sounds made without a library.

The schema is deliberately long: nested objects, lists of objects, titled choices, null, branches, and a hold that
may contain holds.
"""

import math
import struct
import zlib
from typing import Any

from inspector.demo.call import DemoRequest, Json
from inspector.demo.toolkit import WRITES, DemoTool, takes, text

SHIP: Json = {
    "type": "object",
    "title": "Ship",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 40},
        "callsign": {
            "type": "string",
            "title": "Call sign",
            "description": "Two to four capitals and a number, as in GRL7",
            "pattern": "^[A-Z]{2,4}[0-9]{1,3}$",
        },
        "kind": {
            "title": "Kind of ship",
            "oneOf": [
                {"const": "trawler", "title": "Fishing trawler"},
                {"const": "mail", "title": "Mail boat"},
                {"const": "tall", "title": "Tall ship"},
                {"const": "unknown", "title": "A shape in the fog"},
            ],
            "default": "unknown",
        },
        "home_port": {"type": ["string", "null"], "title": "Home port", "default": None},
    },
    "required": ["name"],
}

HAND: Json = {
    "type": "object",
    "title": "Hand",
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "role": {"type": "string", "enum": ["captain", "mate", "cook", "deckhand", "cat"]},
        "on_watch": {"type": "boolean", "default": False},
        "age": {"type": "integer", "minimum": 0, "maximum": 120},
    },
    "required": ["name", "role"],
}

HOLD: Json = {
    "type": "object",
    "title": "Cargo",
    "properties": {
        "label": {"type": "string", "description": "Text on the label"},
        "tonnes": {"type": "number", "minimum": 0, "maximum": 50000, "default": 0},
        "inside": {
            "type": "array",
            "title": "Inside it",
            "items": {"$ref": "#/$defs/hold"},
            "description": "Cargo within the cargo",
        },
    },
    "required": ["label"],
}

HARBOUR: Json = {
    "type": "object",
    "title": "A harbour",
    "properties": {"harbour": {"type": "string", "enum": ["Saltmouth", "Teal Bay", "Port Ember"]}},
    "required": ["harbour"],
    "additionalProperties": False,
}

POSITION: Json = {
    "type": "object",
    "title": "A position",
    "properties": {
        "latitude": {"type": "number", "minimum": -90, "maximum": 90},
        "longitude": {"type": "number", "minimum": -180, "maximum": 180},
    },
    "required": ["latitude", "longitude"],
    "additionalProperties": False,
}

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "ship": {"$ref": "#/$defs/ship"},
        "sighted_at": {"type": "string", "format": "date-time", "title": "Sighted at"},
        "visibility": {"type": "string", "enum": ["clear", "haze", "fog"], "default": "clear"},
        "wind": {
            "type": "object",
            "title": "Wind",
            "properties": {
                "knots": {"type": "number", "minimum": 0, "maximum": 120, "multipleOf": 0.5, "default": 10},
                "from_degrees": {"type": "integer", "minimum": 0, "maximum": 359},
            },
        },
        "bound_for": {"title": "Bound for", "oneOf": [HARBOUR, POSITION]},
        "crew": {"type": "array", "title": "Crew", "items": HAND, "minItems": 1, "maxItems": 12},
        "flags": {
            "type": "array",
            "title": "Flags shown",
            "items": {"type": "string", "enum": ["A", "B", "K", "Q", "W"]},
            "uniqueItems": True,
        },
        "cargo": {"$ref": "#/$defs/hold"},
        "report_to": {"type": "string", "format": "email", "title": "Report to"},
        "picture": {"type": "string", "format": "uri", "description": "URL of a photograph"},
        "lamp_answered": {"type": "boolean", "title": "Our lamp answered", "default": True},
        "remarks": {
            "title": "Remarks",
            "description": "Free text, several lines",
            "anyOf": [{"type": "string", "maxLength": 500}, {"type": "null"}],
        },
        "form": {"const": "GR-12", "description": "Number of this form; constant"},
    },
    "required": ["ship", "sighted_at", "crew"],
    "additionalProperties": False,
    "$defs": {"ship": SHIP, "hold": HOLD},
}

OUTPUT = takes(
    "entry",
    "ship",
    "hands",
    "tonnes",
    "bound_for",
    entry={"type": "integer", "minimum": 1, "description": "Number of the entry in the logbook"},
    ship={"type": "string"},
    hands={"type": "integer", "minimum": 0},
    tonnes={"type": "number", "minimum": 0},
    bound_for={"type": ["string", "null"]},
    watch={"type": "array", "items": {"type": "string"}},
)


Pixel = tuple[int, int, int]


async def run(call: DemoRequest, arguments: Json) -> Json:
    """Write the passage to the logbook and return the entry."""
    ship, crew = arguments["ship"], arguments["crew"]
    tonnes = _tonnes(arguments.get("cargo") or {})
    bound_for = _destination(arguments.get("bound_for"))
    words = f"*{ship['name']}* sighted at {arguments['sighted_at']}, {len(crew)} on board"
    words += f", bound for {bound_for}." if bound_for else "."
    entry = await call.station.write(words)
    made = {
        "entry": entry,
        "ship": ship["name"],
        "hands": len(crew),
        "tonnes": tonnes,
        "bound_for": bound_for,
        "watch": [hand["name"] for hand in crew if hand.get("on_watch")],
    }
    return {"content": [text(f"Entry {entry}: {words}")], "structuredContent": made}


def _tonnes(hold: dict[str, Any]) -> float:
    return float(hold.get("tonnes", 0)) + sum(_tonnes(inner) for inner in hold.get("inside", ()))


def _destination(bound_for: dict[str, Any] | None) -> str | None:
    if bound_for is None:
        return None
    if "harbour" in bound_for:
        return str(bound_for["harbour"])
    return f"{bound_for['latitude']:.2f}, {bound_for['longitude']:.2f}"


TOOL = DemoTool(
    name="complex_form",
    title="Complex form: log a ship's passage",
    description="Takes nested objects, lists, choices and null. Adds the ship to the logbook and returns the entry "
    "as text and as structured content.",
    run=run,
    input_schema=SCHEMA,
    output_schema=OUTPUT,
    annotations=WRITES,
)


# Generation of PNG and WAV files


def png(rows: list[list[Pixel]]) -> bytes:
    """Return a true-colour PNG of the rows, which must have equal lengths."""
    raw = b"".join(b"\0" + bytes(part for pixel in row for part in pixel) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def tide_picture(hours: int = 24, width: int = 64, height: int = 40) -> bytes:
    """Return a picture of the tide: a curve of foam between a dusk sky and a deepening sea."""
    levels = [_tide(x * hours / width) for x in range(width)]
    return png([[_pixel(levels[x], y / height) for x in range(width)] for y in range(height)])


def _tide(hour: float) -> float:
    return 0.5 + 0.28 * math.sin(hour * math.tau / 12.42) + 0.07 * math.sin(hour * math.tau / 5.1)


def _pixel(level: float, depth: float) -> Pixel:
    below = depth - level
    if abs(below) < 0.03:
        return (250, 250, 240)
    if below < 0:
        return (int(250 - 90 * depth), int(120 + 90 * depth), int(90 + 130 * depth))
    return (int(20 + 30 * (1 - below)), int(60 + 110 * max(0.0, 1 - 2 * below)), int(110 + 110 * (1 - below)))


def levels(hours: int) -> list[float]:
    """Return the height of the water in metres, hour by hour."""
    return [round(4 * (1 - _tide(hour)), 2) for hour in range(hours)]


def horn(seconds: float = 0.5, pitch: float = 110.0, rate: int = 8000) -> bytes:
    """Return a foghorn as an 8-bit mono WAV: two low notes that beat against each other."""
    count = int(seconds * rate)
    samples = bytes(_sample(n / rate, n / max(count, 1), pitch) for n in range(count))
    body = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, rate, 1, 8)
    body += b"data" + struct.pack("<I", len(samples)) + samples + b"\0" * (len(samples) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _sample(time: float, part: float, pitch: float) -> int:
    swell = min(1.0, part * 8, (1 - part) * 8)
    wave = math.sin(math.tau * pitch * time) + 0.6 * math.sin(math.tau * (pitch * 1.5 + 2) * time)
    return 128 + int(70 * swell * wave)
