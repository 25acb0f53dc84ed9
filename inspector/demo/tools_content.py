"""The demo's form tool `complex_form`, and pictures and sounds made without a library.

Its schema is deliberately long: nested objects, lists of objects, titled choices, null, branches, and a hold that
may contain holds.
"""

import math
import struct
import zlib
from typing import Any

from inspector.demo.call import DemoRequest, Json
from inspector.demo.toolkit import text, tool

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


TOOL = tool("complex_form", run)


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
