"""The connections of a capture: which frames crossed each, and which one is played."""

from array import array
from collections.abc import Sequence
from itertools import compress
from urllib.parse import urlsplit

import msgspec

from inspector.capture.columns import TO_SERVER_BIT, EntryKind
from inspector.capture.journal import Journal
from inspector.capture.records import ConnectionRecord, FrameRecord, from_line
from inspector.errors import UsageError
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Direction

_UNNAMED = "c1"
_IS_FRAME = bytes(number == EntryKind.FRAME for number in range(256))
_IS_SENT = bytes(bool(bits & TO_SERVER_BIT) for bits in range(256))
RECORD = "Record one with calls: mcp-inspect call TOOL --capture FILE -- COMMAND."
"""What to do about a capture that holds too little."""


class Wire(msgspec.Struct):
    """One connection of a capture."""

    name: str
    about: str = ""
    """Its transport and where it led."""
    path: str = ""
    """Of the URL; "" if there was none."""
    frames: Sequence[int] = ()
    """The entries that are its frames."""
    requests: int = 0
    """How many messages came from the client."""
    alone: bool = False
    """Whether the capture holds no other."""


def wires(journal: Journal) -> list[Wire]:
    """The connections of a capture, in the order in which they are first named."""
    columns = journal.store.columns(1, journal.count) if journal.count else None
    if columns is None:
        return []
    frames = array("I", compress(range(1, journal.count + 1), columns.kinds.translate(_IS_FRAME)))
    if only := _only_name(journal, frames):
        found = {only: Wire(only, frames=frames, requests=columns.flags.translate(_IS_SENT).count(1))}
    else:
        found = _by_name(journal, frames)
    for n in reversed([*journal.store.backwards(EntryKind.CONNECTION)]):
        what = journal.store.entry(n).what
        if isinstance(what, ConnectionFact) and what.event is ConnectionEvent.OPEN:
            name = only or _name(journal, n)
            wire = found.setdefault(name, Wire(name))
            wire.about = f"{what.transport} {what.url or ' '.join(what.argv)}".strip()
            wire.path = urlsplit(what.url).path if what.url else ""
    for wire in found.values():
        wire.alone = len(found) == 1
    return list(found.values())


def _by_name(journal: Journal, frames: Sequence[int]) -> dict[str, Wire]:
    found: dict[str, Wire] = {}
    for n in frames:
        name = _name(journal, n)
        wire = found.get(name) or found.setdefault(name, Wire(name, frames=array("I")))
        assert isinstance(wire.frames, array)
        wire.frames.append(n)
        wire.requests += journal.store.direction(n) is Direction.TO_SERVER
    return found


def _only_name(journal: Journal, frames: Sequence[int]) -> str:
    """The name of the connection, where one alone was opened: then no line has to be read to know whose it is."""
    events = (journal.store.entry(n).what for n in journal.store.backwards(EntryKind.CONNECTION))
    opened = sum(isinstance(what, ConnectionFact) and what.event is ConnectionEvent.OPEN for what in events)
    return _name(journal, frames[0]) if opened == 1 and frames else ""


def _name(journal: Journal, n: int) -> str:
    """What the capture calls the connection of an entry."""
    try:
        record = from_line(journal.store.read(*journal.store.line(n)))
    except (ValueError, OverflowError):
        return _UNNAMED
    return (record.c if isinstance(record, FrameRecord | ConnectionRecord) else "") or _UNNAMED


def chosen(journal: Journal, connection: str = "") -> Wire:
    """The connection of this name, or the only one. Raises: UsageError."""
    there = wires(journal)
    speaking = [wire for wire in there if wire.requests]
    if connection:
        for wire in there:
            if wire.name == connection:
                return wire
        raise UsageError(f"--conn {connection}: no such connection", hint=_which(speaking))
    if len(speaking) > 1:
        raise UsageError(f"the capture holds {len(speaking)} connections", hint=_which(speaking))
    if not speaking:
        raise nothing_to_play()
    return speaking[0]


def nothing_to_play() -> UsageError:
    """What is said of a capture in which no client asks anything."""
    return UsageError("the capture holds no request of a client, so there is nothing to play", hint=RECORD)


def _which(there: list[Wire]) -> str:
    told = [f"{wire.name} ({wire.about + ', ' if wire.about else ''}{len(wire.frames)} frames)" for wire in there[:9]]
    return f"Choose with --conn: {'; '.join(told)}." if told else "No client speaks in it."
