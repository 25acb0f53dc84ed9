"""The weather at the lighthouse: it changes by itself, and with it what the barometer shows.

Whoever watches the barometer hears of each change; the others hear nothing.
"""

import asyncio

from inspector.demo.station import BAROMETER, Change, Station

FASTEST = 0.001
"""Seconds: the weather may be a storm, but it leaves time for everything else."""


async def blow(station: Station, seconds: float) -> None:
    """Change the weather, each time after so many seconds, until cancelled; 0 is a calm that stays."""
    while seconds > 0:
        await asyncio.sleep(max(FASTEST, seconds))
        station.weather += 1
        await station.announce(Change("resource", BAROMETER))


def reading(station: Station) -> str:
    """What the barometer shows now."""
    pressure = 1013 + station.weather * 7 % 23 - 11
    sky = "fair" if pressure > 1015 else "change" if pressure > 1008 else "stormy"
    return f"Reading {station.weather}\nPressure {pressure} hPa\nThe needle points to: {sky}\n"
