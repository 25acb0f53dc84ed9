"""A visit to a server, all of it: connect, list, call in every way, call off, leave, come back. And what stayed.

One visit serves many stories, because a server takes longer to start than all its answers together. Both times it
is recorded, and what the journal held at its end is kept, to be compared with what a reader makes of the capture.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal, start_capture
from inspector.config.eras import Eras
from inspector.config.targets import Target
from inspector.present.traffic.log import LogModel
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.list_all import Pages
from inspector.protocol.flows.steps import Replied
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Message, ResultResponse
from inspector.protocol.listed_items import LISTS
from inspector.protocol.revisions.openings import Opening
from inspector.session.open import open_session
from inspector.session.options import Settings
from inspector.session.session import Session
from tests.stories.real_targets import Asking, Real, filled_in, running
from tests.waiting import until

WIDTH = 120
Rows = tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a journal held: every entry, what was made of them, and how they are shown."""

    entries: tuple[Entry, ...]
    exchanges: tuple[Exchange, ...]
    opening: Opening | None
    tree: Rows
    wire: Rows
    probes: frozenset[int]
    """The numbers of the frames that are tagged as probes."""

    @property
    def frames(self) -> list[Frame]:
        """What crossed the wire, in order."""
        return [entry.what for entry in self.entries if isinstance(entry.what, Frame)]

    def frame(self, n: int | None) -> Frame:
        """The frame with this number in the journal."""
        found = self.entries[(n or 0) - 1].what
        assert isinstance(found, Frame)
        return found

    def sent(self, method: str) -> list[Any]:
        """Each message of this method that went to the server, as JSON."""
        payloads = [frame.payload for frame in self.frames if frame.direction is Direction.TO_SERVER]
        messages = [json.loads(payload) for payload in payloads]
        return [message for message in messages if message.get("method") == method]

    def methods(self) -> list[str]:
        """The methods of our requests, in order."""
        return [each.method for each in self.exchanges if each.sender is Direction.TO_SERVER]


def seen(journal: Journal, with_rows: bool = True) -> Seen:
    """What a journal holds now; how it is shown only if wanted, as that takes longest."""
    entries = tuple(journal.store.entry(n) for n in range(1, journal.count + 1))
    exchanges = tuple(deepcopy(list(journal.conversation.exchanges)))
    tree, wire = (
        _rows(LogModel(journal, lambda: entries[-1].time_ns, tree=tree)) if with_rows else () for tree in (True, False)
    )
    probes = frozenset(n for n in range(1, journal.count + 1) if journal.store.probe(n))
    return Seen(entries, exchanges, journal.conversation.opening, tree, wire, probes)


def _rows(model: LogModel) -> Rows:
    while model.refresh():
        pass
    return tuple(tuple((span[0], str(span[1])) for span in model.row(n, WIDTH).spans) for n in range(model.count))


@dataclass(frozen=True, slots=True)
class Came:
    """What came of asking for something."""

    called: Called
    exchanges: tuple[Exchange, ...]

    @property
    def message(self) -> Message:
        assert isinstance(self.called.reply, Replied), self.called.reply
        return self.called.reply.message

    @property
    def result(self) -> Any:
        """The result, of an answer that has one."""
        assert isinstance(self.message, ResultResponse), self.message
        return self.message.result

    @property
    def text(self) -> str:
        """The result as JSON without spaces."""
        return json.dumps(self.result, separators=(",", ":"), ensure_ascii=False)


@dataclass(slots=True)
class Sitting:
    """One connection, from its beginning to its end."""

    opening: Opening
    lists: dict[str, Pages] = field(default_factory=dict)
    outcomes: dict[str, Came] = field(default_factory=dict)
    """By the name of the wish."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A server that was visited twice."""

    real: Real
    place: Path
    first: Sitting
    second: Sitting
    captures: tuple[Path, Path]
    seen: tuple[Seen, Seen]
    stderr: bytes
    """What the server said there during the first sitting."""


async def visit(real: Real, place: Path) -> Visit:
    """Visit a server. Raises: NotInstalled."""
    captures = (place / "first.mcpcap", place / "second.mcpcap")
    eras = Eras(place / "state")
    async with running(real, place) as target:
        first, saw, stderr = await _sit(target, captures[0], eras, lambda s, sitting: _ask_all(s, sitting, real, place))
        second, saw_again, _ = await _sit(target, captures[1], eras, _list_all)
    return Visit(real, place, first, second, captures, (saw, saw_again), stderr)


Work = Callable[[Session, Sitting], Awaitable[None]]


async def _sit(target: Target, capture: Path, eras: Eras, work: Work) -> tuple[Sitting, Seen, bytes]:
    journal = start_capture(capture)
    settings = Settings(
        remembered=eras.get(target.key), remember=lambda opening: eras.remember(target.key, opening.era)
    )
    try:
        async with open_session(target, journal, settings) as session:
            sitting = Sitting(await session.connect())
            await work(session, sitting)
        return sitting, seen(journal), b"\n".join(journal.stderr_tail)
    finally:
        journal.close()


async def _list_all(session: Session, sitting: Sitting) -> None:
    declared = sitting.opening.capabilities
    for kind, listed in LISTS.items():
        if listed.capability in declared:
            sitting.lists[kind] = await session.list_all(kind)


async def _ask_all(session: Session, sitting: Sitting, real: Real, place: Path) -> None:
    await _list_all(session, sitting)
    wishes = real.wishes
    for name in ("nested", "fails", "progress", "picture"):
        if asking := getattr(wishes, name):
            sitting.outcomes[name] = await _ask(session, "tools/call", _of_tool(asking, place))
    if wishes.resource:
        sitting.outcomes["resource"] = await _ask(session, "resources/read", {"uri": wishes.resource.name})
    if wishes.prompt:
        sitting.outcomes["prompt"] = await _ask(session, "prompts/get", _of_tool(wishes.prompt, place))
    if wishes.endless:
        sitting.outcomes["endless"] = await _call_off(session, wishes.endless, place)


def _of_tool(asking: Asking, place: Path) -> dict[str, Any]:
    return {"name": asking.name, "arguments": filled_in(asking.arguments, place)}


async def _ask(session: Session, method: str, params: Any) -> Came:
    exchanges: list[Exchange] = []
    called = await session.call(method, params, opened=exchanges.append)
    return Came(called, tuple(exchanges))


async def _call_off(session: Session, asking: Asking, place: Path) -> Came:
    """Call it, wait for a word of progress, call it off, and wait until the server has noticed."""
    exchanges: list[Exchange] = []
    async with asyncio.TaskGroup() as tasks:
        calling = tasks.create_task(session.call("tools/call", _of_tool(asking, place), opened=exchanges.append))
        await until(lambda: exchanges and exchanges[0].progress, f"{asking.name} tells how far it is")
        await session.cancel(exchanges[0], "seen enough")
    log = place / "server.log"

    def noticed() -> bool:
        said = b"\n".join(session.journal.stderr_tail) + (log.read_bytes() if log.exists() else b"")
        return asking.shows.encode() in said

    await until(noticed, f"the server says {asking.shows!r}")
    return Came(calling.result(), tuple(exchanges))
