"""The demo's state, shared by its tools, resources and prompts and by all connections of a process."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

Json = dict[str, Any]

ENDED = ("completed", "failed", "cancelled")
KEPT = 500
INTERNAL_ERROR = -32603
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

FASTEST = 0.001
"""Minimum time between two changes of the barometer, in seconds."""


@dataclass(frozen=True, slots=True)
class Work:
    """Work of a task, computed from the time since its start."""

    steps: tuple[str, ...]
    seconds: float
    """Duration of a step."""
    finish: Callable[[Json], Json]
    """Makes the result from the response to `question` ({} if there is none)."""
    fails: str = ""
    """Error message of a task that fails; "" for one that completes."""
    question: Json | None = None
    """Server request `{method, params}` to send after the first step, or None."""
    endless: bool = False
    """Whether it starts again after its last step."""


@dataclass(slots=True)
class DemoTask:
    id: str
    work: Work
    started: float
    """Start in monotonic seconds; delayed by the time that a server request took."""
    created: datetime
    ttl_ms: int
    state: str = "working"
    message: str = ""
    updated: datetime | None = None
    answer: Json | None = None
    result: Json | None = None
    error: Json | None = None
    asking: bool = False
    """Whether its server request is pending on a stream (2025-11-25)."""

    def look(self, now: float) -> None:
        """Update its state."""
        if self.state in ENDED:
            return
        step = int((now - self.started) / self.work.seconds) if self.work.seconds else len(self.work.steps)
        if self.work.question is not None and self.answer is None and step >= 1:
            self.started = now - self.work.seconds
            self._move("input_required", "waiting for a response to the elicitation")
        elif self.work.endless:
            self._move("working", f"{self.work.steps[step % len(self.work.steps)]} ({step + 1})")
        elif step < len(self.work.steps):
            self._move("working", f"{self.work.steps[step]} ({step + 1} of {len(self.work.steps)})")
        else:
            self._end()

    def cancel(self) -> None:
        self._move("cancelled", "cancelled by the client")

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
    all: dict[str, DemoTask] = field(default_factory=dict)

    def begin(self, work: Work, ttl_ms: int) -> DemoTask:
        """Start a task. At most KEPT are kept; the oldest is dropped."""
        self._forget()
        while len(self.all) >= KEPT:
            del self.all[next(iter(self.all))]
        task = DemoTask(secrets.token_hex(8), work, time.monotonic(), datetime.now(UTC), ttl_ms)
        self.all[task.id] = task
        task.look(task.started)
        return task

    def listed(self) -> list[DemoTask]:
        """Return all kept tasks with their current states."""
        self._forget()
        for task in self.all.values():
            task.look(time.monotonic())
        return list(self.all.values())

    def find(self, id_: str) -> DemoTask | None:
        """Return the task with this id and its current state, or None."""
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
    what: Literal["tools", "prompts", "resources", "resource"]
    """The list of that name, or the content of one resource."""
    uri: str = ""
    """URI of the resource; empty for a list."""


Listener = Callable[[StationChange], Awaitable[None]]


@dataclass(slots=True)
class DemoState:
    """State of the demo that calls can change."""

    entries: list[str] = field(default_factory=lambda: list(FIRST_ENTRIES))
    """Entries of the logbook, oldest first."""
    weather: int = 0
    """Number of changes of the barometer."""
    extra_tool_listed: bool = False
    """Whether `extra_tool` is listed."""
    listeners: set[Listener] = field(default_factory=set)
    tasks: DemoTasks = field(default_factory=DemoTasks)
    """Tasks of all connections."""

    def logbook(self) -> str:
        """Return the logbook as Markdown."""
        lines = "\n".join(f"{n}. {entry}" for n, entry in enumerate(self.entries, 1))
        return f"# Logbook of Gull Rock\n\n{lines or '*The pages are empty.*'}\n"

    async def write(self, entry: str) -> int:
        """Add an entry; return its number, from 1."""
        self.entries.append(entry)
        number = len(self.entries)
        await self.announce(StationChange("resource", LOGBOOK))
        return number

    async def clear(self) -> int:
        """Remove all entries of the logbook; return how many there were."""
        gone = len(self.entries)
        self.entries.clear()
        await self.announce(StationChange("resource", LOGBOOK))
        return gone

    async def toggle_tool(self, wide: bool) -> None:
        """Add or remove `extra_tool`; announce the change if there is one."""
        moved = self.extra_tool_listed != wide
        self.extra_tool_listed = wide
        if moved:
            await self.announce(StationChange("tools"))

    async def announce(self, change: StationChange) -> None:
        """Notify all listeners."""
        for listener in tuple(self.listeners):
            await listener(change)


# Changes of the weather


async def emit_changes(station: DemoState, seconds: float) -> None:
    """Change the barometer every `seconds` until cancelled; 0: never."""
    while seconds > 0:
        await asyncio.sleep(max(FASTEST, seconds))
        station.weather += 1
        await station.announce(StationChange("resource", BAROMETER))


def reading(station: DemoState) -> str:
    """Return the text of the barometer."""
    pressure = 1013 + station.weather * 7 % 23 - 11
    sky = "fair" if pressure > 1015 else "change" if pressure > 1008 else "stormy"
    return f"Reading {station.weather}\nPressure {pressure} hPa\nThe needle points to: {sky}\n"
