"""Gull Rock Lighthouse: the state that the demo's tools, resources and prompts share.

It is shared by all connections of a process, and whoever changes it announces the change.
"""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

# Long-running work, computed from the time since its start

Json = dict[str, Any]

ENDED = ("completed", "failed", "cancelled")
KEPT = 500
INTERNAL_ERROR = -32603


@dataclass(frozen=True, slots=True)
class Work:
    """What a task does, told by the clock."""

    steps: tuple[str, ...]
    """What is said of each."""
    seconds: float
    """How long a step takes."""
    finish: Callable[[Json], Json]
    """The result, from the answer to the question (empty without one)."""
    fails: str = ""
    """Why it fails in the end; "" if it does not."""
    question: Json | None = None
    """`{method, params}`, asked after the first step; None for a task that asks nothing."""
    endless: bool = False
    """Whether it begins again after its last step."""


@dataclass(slots=True)
class DemoTask:
    """Work that was begun."""

    id: str
    work: Work
    started: float
    """Monotonic, seconds; put off by the time that a question took."""
    created: datetime
    ttl_ms: int
    state: str = "working"
    message: str = ""
    updated: datetime | None = None
    answer: Json | None = None
    result: Json | None = None
    error: Json | None = None
    asking: bool = False
    """Whether somebody is being asked on a stream (2025-11-25)."""

    def look(self, now: float) -> None:
        """Find out how far it is."""
        if self.state in ENDED:
            return
        step = int((now - self.started) / self.work.seconds) if self.work.seconds else len(self.work.steps)
        if self.work.question is not None and self.answer is None and step >= 1:
            self.started = now - self.work.seconds
            self._move("input_required", "somebody must say how to go on")
        elif self.work.endless:
            self._move("working", f"{self.work.steps[step % len(self.work.steps)]} ({step + 1})")
        elif step < len(self.work.steps):
            self._move("working", f"{self.work.steps[step]} ({step + 1} of {len(self.work.steps)})")
        else:
            self._end()

    def cancel(self) -> None:
        """End it, wherever it is."""
        self._move("cancelled", "called off")

    def _end(self) -> None:
        if why := self.work.fails:
            self.result = {"content": [{"type": "text", "text": why}], "isError": True}
            self.error = {"code": INTERNAL_ERROR, "message": why}
            self._move("failed", why)
        else:
            self.result = self.work.finish(self.answer or {})
            self._move("completed", "done")

    def _move(self, state: str, message: str) -> None:
        if (state, message) != (self.state, self.message):
            self.state, self.message, self.updated = state, message, datetime.now(UTC)


@dataclass(slots=True)
class DemoTasks:
    """All tasks of a process."""

    all: dict[str, DemoTask] = field(default_factory=dict)

    def begin(self, work: Work, ttl_ms: int) -> DemoTask:
        """A new one. The oldest of too many is forgotten."""
        self._forget()
        while len(self.all) >= KEPT:
            del self.all[next(iter(self.all))]
        task = DemoTask(secrets.token_hex(8), work, time.monotonic(), datetime.now(UTC), ttl_ms)
        self.all[task.id] = task
        task.look(task.started)
        return task

    def listed(self) -> list[DemoTask]:
        """Those that are kept, looked at."""
        self._forget()
        for task in self.all.values():
            task.look(time.monotonic())
        return list(self.all.values())

    def find(self, id_: str) -> DemoTask | None:
        """The one of an id, looked at; None if there is none (any more)."""
        self._forget()
        task = self.all.get(id_)
        if task is not None:
            task.look(time.monotonic())
        return task

    def _forget(self) -> None:
        now = datetime.now(UTC)
        for task in list(self.all.values()):
            if now > task.created + timedelta(milliseconds=task.ttl_ms):
                del self.all[task.id]


@dataclass(frozen=True, slots=True)
class StationChange:
    """Something about the station is not as it was."""

    what: Literal["tools", "prompts", "resources", "resource"]
    """The list of that name, or one resource's content."""
    uri: str = ""
    """Of the resource; empty for a list."""


Listener = Callable[[StationChange], Awaitable[None]]

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
    tasks: DemoTasks = field(default_factory=DemoTasks)
    """Those of all connections."""

    def logbook(self) -> str:
        """The logbook as Markdown."""
        lines = "\n".join(f"{n}. {entry}" for n, entry in enumerate(self.entries, 1))
        return f"# Logbook of Gull Rock\n\n{lines or '*The pages are empty.*'}\n"

    async def write(self, entry: str) -> int:
        """Adds an entry and returns its number, from 1."""
        self.entries.append(entry)
        number = len(self.entries)
        await self.announce(StationChange("resource", LOGBOOK))
        return number

    async def clear(self) -> int:
        """Empties the logbook and returns how many entries are gone."""
        gone = len(self.entries)
        self.entries.clear()
        await self.announce(StationChange("resource", LOGBOOK))
        return gone

    async def open_cellar(self, wide: bool) -> None:
        """Opens or shuts the cellar door; the list of tools changes only if the door moved."""
        moved = self.cellar_open != wide
        self.cellar_open = wide
        if moved:
            await self.announce(StationChange("tools"))

    async def announce(self, change: StationChange) -> None:
        """Tells everybody who listens."""
        for listener in tuple(self.listeners):
            await listener(change)


# Changes of the weather

FASTEST = 0.001
"""Seconds: the weather may be a storm, but it leaves time for everything else."""


async def blow(station: Station, seconds: float) -> None:
    """Change the weather, each time after so many seconds, until cancelled; 0 is a calm that stays."""
    while seconds > 0:
        await asyncio.sleep(max(FASTEST, seconds))
        station.weather += 1
        await station.announce(StationChange("resource", BAROMETER))


def reading(station: Station) -> str:
    """What the barometer shows now."""
    pressure = 1013 + station.weather * 7 % 23 - 11
    sky = "fair" if pressure > 1015 else "change" if pressure > 1008 else "stormy"
    return f"Reading {station.weather}\nPressure {pressure} hPa\nThe needle points to: {sky}\n"
