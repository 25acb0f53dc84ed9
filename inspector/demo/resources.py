"""What can be read at the lighthouse: six resources and two templates.

This file knows the newest revision's shapes only; `eras` takes away what an older one does not know.
"""

import json
import re
from urllib.parse import unquote

from inspector.demo import media
from inspector.demo.call import Json
from inspector.demo.station import BAROMETER, LOGBOOK, SHIPS, Station
from inspector.demo.toolkit import encode
from inspector.demo.weather import reading

WELCOME = (
    "Gull Rock Lighthouse, built 1871, one lamp, one keeper, one gull.\n"
    "Visitors are welcome between the tides. Mind the ninth stair.\n"
)

ALMANAC_BYTES = 200_000


def listed() -> list[Json]:
    """The resources, in a stable order."""
    return [
        _item("lighthouse://welcome", "welcome", "Welcome", "A few words at the door", "text/plain", len(WELCOME)),
        {
            **_item(LOGBOOK, "logbook", "The logbook", "What happened; grows and can be lost", "text/markdown"),
            "annotations": {"audience": ["user", "assistant"], "priority": 1.0},
        },
        _item("lighthouse://tides", "tides", "Today's tides", "Heights by the hour", "application/json"),
        _item("lighthouse://chart.png", "chart", "Tide chart", "A small picture", "image/png"),
        _item("lighthouse://almanac", "almanac", "The almanac", "A long text", "text/plain", ALMANAC_BYTES),
        _item(BAROMETER, "barometer", "The barometer", "Changes by itself; worth watching", "text/plain"),
    ]


def _item(uri: str, name: str, title: str, description: str, mime: str, size: int | None = None) -> Json:
    item: Json = {"uri": uri, "name": name, "title": title, "description": description, "mimeType": mime}
    if size is not None:
        item["size"] = size
    return item


def templates() -> list[Json]:
    """The templates, in a stable order."""
    return [
        {
            "uriTemplate": "lighthouse://ships/{name}",
            "name": "ship",
            "title": "A ship",
            "description": "What is known of a ship that passes here; names can be completed",
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


def read(uri: str, station: Station) -> list[Json] | None:
    """The contents behind a URI, or None if there are none."""
    fixed = _fixed(uri, station)
    if fixed is not None:
        return [fixed]
    if found := re.fullmatch(r"lighthouse://ships/([^/?]+)", uri):
        return _ship(uri, unquote(found[1]))
    if found := re.fullmatch(r"lighthouse://tides/([^/?]+)(?:\?unit=(metres|fathoms))?", uri):
        return [_tides_of(uri, unquote(found[1]), found[2] or "metres")]
    return None


def _fixed(uri: str, station: Station) -> Json | None:
    match uri:
        case "lighthouse://welcome":
            return {"uri": uri, "mimeType": "text/plain", "text": WELCOME}
        case "lighthouse://logbook":
            return {"uri": uri, "mimeType": "text/markdown", "text": station.logbook()}
        case "lighthouse://barometer":
            return {"uri": uri, "mimeType": "text/plain", "text": reading(station)}
        case "lighthouse://tides":
            body = json.dumps({"harbour": "Saltmouth", "metres": media.levels(24)}, indent=2)
            return {"uri": uri, "mimeType": "application/json", "text": body}
        case "lighthouse://chart.png":
            return {"uri": uri, "mimeType": "image/png", "blob": encode(media.tide_picture())}
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
    rows = [f"{hour:02d}:00,{height * factor:.2f}" for hour, height in enumerate(media.levels(24))]
    return {"uri": uri, "mimeType": "text/csv", "text": f"{day},{unit}\n" + "\n".join(rows) + "\n"}
