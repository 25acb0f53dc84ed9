"""Entries of a journal as lines of text, or as plain data for a machine, in the order of the wire."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from inspector.capture.filters.exchange_columns import state_of
from inspector.capture.journal import Journal
from inspector.capture.store import Entry, EntryKind
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Frame
from inspector.viewmodels import words
from inspector.viewmodels.lines import Line
from inspector.viewmodels.log_rows import Place, RowWriter
from inspector.viewmodels.roles import Role
from inspector.viewmodels.text import decode


class TailWriter:
    """Writes entries of one journal."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._rows = RowWriter(journal)
        self._previous: int | None = None

    def line(self, n: int, width: int, role: Role | None = None) -> Line:
        """Entry n as one line of at most `width` cells; all of it in one role, if one is given."""
        place = Place(tree=False, previous_ns=self._previous)
        self._previous = self._journal.store.time_ns(n)
        spans = self._rows.row(n, self._exchange(n), place, width, self._previous).spans
        return tuple(spans) if role is None else (("".join(text for text, _ in spans).rstrip(), role),)

    def data(self, n: int) -> dict[str, Any]:
        """Entry n for a machine. A message that is JSON stands there as it came, another payload as text."""
        store, entry, exchange = self._journal.store, self._journal.store.entry(n), self._exchange(n)
        found: dict[str, Any] = {"n": n, "time": _time(entry.wall_ns)}
        if isinstance(entry.what, Frame):
            found |= {"kind": store.message_kind(n).name.lower(), "dir": entry.what.direction.value}
            found |= _of_exchange(store.method(n), exchange)
            found["size"] = len(entry.what.payload)
        else:
            found["kind"] = store.kind(n).name.lower()
        return found | _content(entry, store.kind(n))

    def _exchange(self, n: int) -> Exchange | None:
        number = self._journal.store.exchange(n)
        return self._journal.conversation.exchanges[number - 1] if number else None


def _of_exchange(method: str, exchange: Exchange | None) -> dict[str, Any]:
    if exchange is None:
        return {"method": method} if method else {}
    found: dict[str, Any] = {"method": method or exchange.method}
    if exchange.target:
        found["target"] = exchange.target
    found["status"] = state_of(exchange)
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
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return {"text": decode(what.payload)}
    return {"message": msgspec.Raw(b" ".join(what.payload.split(b"\n")))}


def _time(wall_ns: int) -> str | None:
    try:
        moment = datetime.fromtimestamp(wall_ns // 1_000_000_000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{wall_ns // 1000 % 1_000_000:06}Z"
