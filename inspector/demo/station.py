"""Gull Rock Lighthouse: the small world that the demo's tools, resources and prompts speak of.

It is shared by all connections of a process, and whoever changes it announces the change.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from inspector.demo.long_work import Tasks


@dataclass(frozen=True, slots=True)
class Change:
    """Something about the station is not as it was."""

    what: Literal["tools", "prompts", "resources", "resource"]
    """The list of that name, or one resource's content."""
    uri: str = ""
    """Of the resource; empty for a list."""


Listener = Callable[[Change], Awaitable[None]]

LOGBOOK = "lighthouse://logbook"
BAROMETER = "lighthouse://barometer"

SHIPS: dict[str, str] = {
    "Merry Puffin": "a mail boat that is never late and never early",
    "Grey Kittiwake": "a trawler out of Saltmouth, all nets and no paint",
    "Lady Ottilie": "a three-masted school ship with forty cadets",
    "Bold Limpet": "a tug; pulls what it must, complains of the rest",
    "Sørine Ø": "a coaster from the far side, always with cheese",
}

FIRST_ENTRIES = (
    "04:10 Lamp trimmed. Fog off the Teeth, visibility two cables.",
    "05:32 *Merry Puffin* passed south, answered with two long.",
    "07:05 Lamp out. A gull has taken the second sandwich.",
)


@dataclass(slots=True)
class Station:
    """What may change at the lighthouse while the demo runs."""

    entries: list[str] = field(default_factory=lambda: list(FIRST_ENTRIES))
    """The logbook, one line an entry, oldest first."""
    weather: int = 0
    """How often it has changed."""
    cellar_open: bool = False
    """While it is open there is one tool more."""
    listeners: set[Listener] = field(default_factory=set)
    tasks: Tasks = field(default_factory=Tasks)
    """Those of all connections."""

    def logbook(self) -> str:
        """The logbook as Markdown."""
        lines = "\n".join(f"{n}. {entry}" for n, entry in enumerate(self.entries, 1))
        return f"# Logbook of Gull Rock\n\n{lines or '*The pages are empty.*'}\n"

    async def write(self, entry: str) -> int:
        """Adds an entry and returns its number, from 1."""
        self.entries.append(entry)
        number = len(self.entries)
        await self.announce(Change("resource", LOGBOOK))
        return number

    async def clear(self) -> int:
        """Empties the logbook and returns how many entries are gone."""
        gone = len(self.entries)
        self.entries.clear()
        await self.announce(Change("resource", LOGBOOK))
        return gone

    async def open_cellar(self, wide: bool) -> None:
        """Opens or shuts the cellar door; the list of tools changes only if the door moved."""
        moved = self.cellar_open != wide
        self.cellar_open = wide
        if moved:
            await self.announce(Change("tools"))

    async def announce(self, change: Change) -> None:
        """Tells everybody who listens."""
        for listener in tuple(self.listeners):
            await listener(change)
