"""The demo's tool with everything a form can be asked to draw: `log_passage`.

Its schema is the longest on purpose: nested objects, lists of objects, titled choices, null, branches, and a
hold that may contain holds.
"""

from typing import Any

from inspector.demo.call import Call, Json
from inspector.demo.toolkit import WRITES, Tool, takes, text

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
        "label": {"type": "string", "description": "What is written on it"},
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
        "picture": {"type": "string", "format": "uri", "description": "Where a photograph can be seen"},
        "lamp_answered": {"type": "boolean", "title": "Our lamp answered", "default": True},
        "remarks": {
            "title": "Remarks",
            "description": "Anything else; several lines are welcome",
            "anyOf": [{"type": "string", "maxLength": 500}, {"type": "null"}],
        },
        "form": {"const": "GR-12", "description": "The number of this form; it never changes"},
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


async def run(call: Call, arguments: Json) -> Json:
    """Writes the passage into the logbook and returns what was made of it."""
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


TOOL = Tool(
    name="log_passage",
    title="Log a ship's passage",
    description="Enters a ship into the logbook: who she is, who is on board, what she carries and where she goes. "
    "Answers with the entry as text and as data.",
    run=run,
    input_schema=SCHEMA,
    output_schema=OUTPUT,
    annotations=WRITES,
)
