"""Entries of a journal as lines of text, or as plain data for scripts, in wire order."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind
from inspector.documents import UNDECODABLE
from inspector.filters.engine.nodes import state_name
from inspector.present import words
from inspector.present.spans import Line, Role
from inspector.present.traffic.rows import RowPlace, RowWriter
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Cause, Frame
from inspector.text import decode


class TailWriter:
    """Builds text or data for the entries of one journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._rows = RowWriter(journal)
        self._previous: int | None = None
        self._newest: tuple[int, int, Exchange | None] = 0, 0, None
        """Number of the exchange that was looked up last, size of the journal then, and the exchange."""

    def line(self, n: int, width: int, role: Role | None = None) -> Line:
        """Return entry n as one line of at most `width` cells; all of it in `role`, if one is given."""
        place = RowPlace(tree=False, previous_ns=self._previous)
        self._previous = self._journal.store.time_ns(n)
        spans = self._rows.row(n, self._exchange(n), place, width, self._previous).spans
        return tuple(spans) if role is None else (("".join(text for text, _ in spans).rstrip(), role),)

    def data(self, n: int) -> dict[str, Any]:
        """Return entry n for scripts. A JSON message is included unchanged, another payload as text."""
        store, entry, exchange = self._journal.store, self._journal.store.entry(n), self._exchange(n)
        found: dict[str, Any] = {"n": n, "time": _time(entry.wall_ns)}
        if isinstance(entry.what, Frame):
            found |= {"kind": store.message_kind(n).name.lower(), "dir": entry.what.direction.value}
            found |= _of_exchange(store.method(n), exchange)
            if cause := cause_of(self._journal, entry.what, exchange):
                found["cause"] = cause.value
            found["size"] = len(entry.what.payload)
        else:
            found["kind"] = store.kind(n).name.lower()
        return found | _content(entry, store.kind(n))

    def _exchange(self, n: int) -> Exchange | None:
        number, count = self._journal.store.exchange(n), self._journal.count
        if not number:
            return None
        if self._newest[:2] != (number, count):  # a response often follows its request
            self._newest = number, count, self._journal.conversation.exchanges[number - 1]
        return self._newest[2]


def cause_of(journal: Journal, frame: Frame, exchange: Exchange | None) -> Cause:
    """Return why the client sent a frame, or the request that the frame responds to."""
    is_response = exchange is not None and frame.direction is exchange.sender.opposite
    if frame.cause or exchange is None or not is_response or journal.store.method(frame.n):
        return frame.cause
    request = journal.store.entry(exchange.request_frame).what
    return request.cause if isinstance(request, Frame) else Cause.UNKNOWN


def _of_exchange(method: str, exchange: Exchange | None) -> dict[str, Any]:
    if exchange is None:
        return {"method": method} if method else {}
    found: dict[str, Any] = {"method": method or exchange.method}
    if exchange.target:
        found["target"] = exchange.target
    found["status"] = state_name(exchange)
    if exchange.duration_ns is not None:
        found["duration_ms"] = round(exchange.duration_ns / 1e6, 3)
    return found


def _content(entry: Entry, kind: EntryKind) -> dict[str, Any]:
    what = entry.what
    if not isinstance(what, Frame):
        return {"text": decode(what.payload) if kind is EntryKind.STDERR else words.sentence(what)[0]}  # type: ignore[union-attr]
    try:
        msgspec.json.decode(what.payload, type=msgspec.Raw)
        what.payload.decode()
    except UNDECODABLE:
        return {"text": decode(what.payload)}
    return {"message": msgspec.Raw(b" ".join(what.payload.split(b"\n")))}


def _time(wall_ns: int) -> str | None:
    try:
        moment = datetime.fromtimestamp(wall_ns // 1_000_000_000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{wall_ns // 1000 % 1_000_000:06}Z"
