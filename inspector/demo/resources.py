"""The demo's resources, templates, prompts and completions, in the shapes of the newest revision."""

import json
import re
from urllib.parse import unquote

from inspector.demo import tools_content
from inspector.demo.call import INVALID_PARAMS, DemoError, Json
from inspector.demo.state import BAROMETER, LOGBOOK, SHIPS, DemoState, reading
from inspector.demo.toolkit import encode, text

WELCOME = (
    "Gull Rock Lighthouse, built 1871, one lamp, one keeper, one gull.\n"
    "Visitors are welcome between the tides. Mind the ninth stair.\n"
)

ALMANAC_BYTES = 200_000
MOODS = ("cheerful", "formal", "gloomy", "salty")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MOST_VALUES = 100


def listed() -> list[Json]:
    """Return the resources, in a stable order."""
    return [
        _item("lighthouse://welcome", "welcome", "Welcome", "A short text", "text/plain", len(WELCOME)),
        {
            **_item(LOGBOOK, "logbook", "The logbook", "Markdown; `update_resource` adds an entry", "text/markdown"),
            "annotations": {"audience": ["user", "assistant"], "priority": 1.0},
        },
        _item("lighthouse://tides", "tides", "Today's tides", "Heights by the hour", "application/json"),
        _item("lighthouse://chart.png", "chart", "Tide chart", "A small image", "image/png"),
        _item("lighthouse://almanac", "almanac", "The almanac", "A long text (200 kB)", "text/plain", ALMANAC_BYTES),
        _item(
            BAROMETER,
            "barometer",
            "The barometer",
            "Changes by itself every few seconds; subscribe to it",
            "text/plain",
        ),
    ]


def _item(uri: str, name: str, title: str, description: str, mime: str, size: int | None = None) -> Json:
    item: Json = {"uri": uri, "name": name, "title": title, "description": description, "mimeType": mime}
    if size is not None:
        item["size"] = size
    return item


def templates() -> list[Json]:
    """Return the templates, in a stable order."""
    return [
        {
            "uriTemplate": "lighthouse://ships/{name}",
            "name": "ship",
            "title": "A ship",
            "description": "Details of a ship; `name` supports completion",
            "mimeType": "application/json",
        },
        {
            "uriTemplate": "lighthouse://tides/{day}{?unit}",
            "name": "tides_of_day",
            "title": "The tides of a day",
            "description": "Heights by the hour, in metres or fathoms",
            "mimeType": "text/csv",
        },
    ]


def read(uri: str, station: DemoState) -> list[Json] | None:
    """Return the contents of a URI, or None if there are none."""
    fixed = _fixed(uri, station)
    if fixed is not None:
        return [fixed]
    if found := re.fullmatch(r"lighthouse://ships/([^/?]+)", uri):
        return _ship(uri, unquote(found[1]))
    if found := re.fullmatch(r"lighthouse://tides/([^/?]+)(?:\?unit=(metres|fathoms))?", uri):
        return [_tides_of(uri, unquote(found[1]), found[2] or "metres")]
    return None


def _fixed(uri: str, station: DemoState) -> Json | None:
    match uri:
        case "lighthouse://welcome":
            return {"uri": uri, "mimeType": "text/plain", "text": WELCOME}
        case "lighthouse://logbook":
            return {"uri": uri, "mimeType": "text/markdown", "text": station.logbook()}
        case "lighthouse://barometer":
            return {"uri": uri, "mimeType": "text/plain", "text": reading(station)}
        case "lighthouse://tides":
            body = json.dumps({"harbour": "Saltmouth", "metres": tools_content.levels(24)}, indent=2)
            return {"uri": uri, "mimeType": "application/json", "text": body}
        case "lighthouse://chart.png":
            return {"uri": uri, "mimeType": "image/png", "blob": encode(tools_content.tide_picture())}
        case "lighthouse://almanac":
            return {"uri": uri, "mimeType": "text/plain", "text": _almanac()}
        case _:
            return None


def _almanac() -> str:
    lines = (
        f"day {day:05d}  sun up {4 + day % 5}:{day * 7 % 60:02d}  moon {day % 29:2d}/29  "
        f"tide {day * 13 % 40 / 10:.1f} m\n"
        for day in range(1, ALMANAC_BYTES // 40)
    )
    return "".join(lines)[:ALMANAC_BYTES]


def _ship(uri: str, name: str) -> list[Json] | None:
    if name not in SHIPS:
        return None
    about = json.dumps({"name": name, "known_as": SHIPS[name]}, ensure_ascii=False)
    return [{"uri": uri, "mimeType": "application/json", "text": about}]


def _tides_of(uri: str, day: str, unit: str) -> Json:
    factor = 1.0 if unit == "metres" else 0.546807
    rows = [f"{hour:02d}:00,{height * factor:.2f}" for hour, height in enumerate(tools_content.levels(24))]
    return {"uri": uri, "mimeType": "text/csv", "text": f"{day},{unit}\n" + "\n".join(rows) + "\n"}


# Prompts and completion


def listed_prompts() -> list[Json]:
    """Return the prompts, in a stable order."""
    return [
        {
            "name": "hail_ship",
            "title": "Hail a ship",
            "description": "A greeting for a ship; its arguments support completion",
            "arguments": [
                _argument("ship", "Ship", "Name of the ship", True),
                _argument("mood", "Mood", "Tone of the greeting", False),
            ],
        },
        {
            "name": "sum_up_logbook",
            "title": "Sum up the logbook",
            "description": "Asks for a summary of an embedded resource",
        },
        {
            "name": "explain_chart",
            "title": "Explain the tide chart",
            "description": "A conversation with an image",
            "arguments": [_argument("hours", "Hours", "Hours to show, 1 to 96", False)],
        },
    ]


def _argument(name: str, title: str, description: str, required: bool) -> Json:
    return {"name": name, "title": title, "description": description, "required": required}


def get(name: str, arguments: dict[str, str], station: DemoState) -> Json:
    """Return the result of `prompts/get`. Raises: DemoError."""
    match name:
        case "hail_ship":
            return _hail_ship(arguments)
        case "sum_up_logbook":
            book = {"uri": LOGBOOK, "mimeType": "text/markdown", "text": station.logbook()}
            ask = text("Sum up this logbook in three sentences. Leave out the gull.")
            return _talk(
                "The logbook, to be summed up", ("user", {"type": "resource", "resource": book}), ("user", ask)
            )
        case "explain_chart":
            return _explain_chart(arguments.get("hours", "24"))
        case _:
            raise DemoError(INVALID_PARAMS, f"Unknown prompt: {name}", {"prompt": name})


def _hail_ship(arguments: dict[str, str]) -> Json:
    if "ship" not in arguments:
        raise DemoError(INVALID_PARAMS, "The prompt hail_ship needs the argument ship", {"argument": "ship"})
    ship, mood = arguments["ship"], arguments.get("mood", "cheerful")
    known = SHIPS.get(ship, "an unknown ship")
    ask = f"Write one {mood} sentence to call to the {ship}, {known}."
    return _talk(f"A {mood} hail for the {ship}", ("user", text(ask)))


def _explain_chart(hours: str) -> Json:
    if not hours.isascii() or not hours.isdecimal() or not 1 <= int(hours[:4]) <= 96:
        raise DemoError(INVALID_PARAMS, "The argument hours must be a number from 1 to 96", {"argument": "hours"})
    picture = {"type": "image", "data": encode(tools_content.tide_picture(int(hours[:4]))), "mimeType": "image/png"}
    return _talk(
        "The tide, explained",
        ("user", text("When can I walk to the rock?")),
        ("assistant", text("Let me look at the chart.")),
        ("user", picture),
    )


def _talk(description: str, *turns: tuple[str, Json]) -> Json:
    messages = [{"role": role, "content": content} for role, content in turns]
    return {"description": description, "messages": messages}


def complete(ref: Json, argument: str, so_far: str) -> Json:
    """Return the `completion` member for an argument of a prompt or template. Raises: DemoError."""
    target = ref.get("name") if ref.get("type") == "ref/prompt" else ref.get("uri")
    choices: tuple[str, ...]
    match target, argument:
        case ("hail_ship", "ship") | ("lighthouse://ships/{name}", "name"):
            choices = tuple(SHIPS)
        case "hail_ship", "mood":
            choices = MOODS
        case "explain_chart", "hours":
            choices = tuple(str(hours) for hours in range(1, 97))
        case "lighthouse://tides/{day}{?unit}", "day":
            choices = DAYS
        case "lighthouse://tides/{day}{?unit}", "unit":
            choices = ("metres", "fathoms")
        case "sum_up_logbook", _:
            choices = ()
        case _:
            raise DemoError(INVALID_PARAMS, f"Nothing to complete for {target!r} and {argument!r}")
    values = [choice for choice in choices if choice.lower().startswith(so_far.lower())]
    return {"values": values[:MOST_VALUES], "total": len(values), "hasMore": len(values) > MOST_VALUES}
