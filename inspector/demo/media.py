"""Pictures and sounds made of arithmetic: real PNG and WAV bytes without a file or a library.

Bytes are the same on every run, so that a capture of the demo can be compared with another.
"""

import math
import struct
import zlib

Pixel = tuple[int, int, int]


def png(rows: list[list[Pixel]]) -> bytes:
    """A true-colour PNG of the rows, which must be equally long."""
    raw = b"".join(b"\0" + bytes(part for pixel in row for part in pixel) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def tide_picture(hours: int = 24, width: int = 64, height: int = 40) -> bytes:
    """The tide of so many hours: a curve of foam between a dusk sky and a deepening sea."""
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
    """The height of the water in metres, hour by hour."""
    return [round(4 * (1 - _tide(hour)), 2) for hour in range(hours)]


def horn(seconds: float = 0.5, pitch: float = 110.0, rate: int = 8000) -> bytes:
    """A foghorn as an 8-bit mono WAV: two low notes that beat against each other."""
    count = int(seconds * rate)
    samples = bytes(_sample(n / rate, n / max(count, 1), pitch) for n in range(count))
    body = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, rate, 1, 8)
    body += b"data" + struct.pack("<I", len(samples)) + samples + b"\0" * (len(samples) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _sample(time: float, part: float, pitch: float) -> int:
    swell = min(1.0, part * 8, (1 - part) * 8)
    wave = math.sin(math.tau * pitch * time) + 0.6 * math.sin(math.tau * (pitch * 1.5 + 2) * time)
    return 128 + int(70 * swell * wave)
