"""Entries selected for export, with credentials masked unless requested, and the writer of the file.

Every format gets its data from here, so that no format can forget the masking.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from inspector.atomic_write import whole_file
from inspector.capture.format.notes import Mark, Notes
from inspector.capture.format.records import Entry
from inspector.capture.format.redact import redacted
from inspector.capture.journal import Journal
from inspector.capture.store.store import entries
from inspector.errors import UsageError
from inspector.protocol.credentials import is_credential, mask
from inspector.protocol.facts import ConnectionFact, HttpEvent, HttpFact, SseNote
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import NotJsonRpc, read

_EVERY = 256
"""Number of entries between two progress reports."""

_INSTEAD = "Name another file, or say --force."


class SelectedExchange(msgspec.Struct):
    """Entry numbers of one HTTP exchange; 0 for a missing entry."""

    http: int
    request: int = 0
    response: int = 0
    end: int = 0
    sent: list[int] = []
    """Frames of the request body."""
    received: list[int] = []
    """Frames and notes of the response, in order."""

    @property
    def entries(self) -> Iterator[int]:
        """All entry numbers of the exchange."""
        yield from (each for each in (self.request, self.response, self.end, *self.sent, *self.received) if each)


class Selection:
    """The chosen entries (ascending) of a journal. `keep_secrets`: do not mask credentials.

    `notes`: marks and comments for formats that can hold them; None for none. `on_progress`: called with the number
    of finished entries and the total.
    """

    def __init__(
        self,
        journal: Journal,
        chosen: Sequence[int],
        *,
        keep_secrets: bool = False,
        notes: Notes | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.journal = journal
        self.chosen = chosen
        self._on_progress = on_progress
        self.keep_secrets = keep_secrets
        self.notes = notes or Notes()
        self.left_out = 0
        """Number of chosen entries that the format can't hold; set when the export is complete."""

    def marks(self, entries: Iterable[int]) -> Iterator[Mark]:
        """Yield the marks at these entries, in order."""
        noted = self.notes.marks
        if noted:
            yield from (noted[n] for n in sorted(set(entries) & noted.keys()))

    def entries(self) -> Iterator[int]:
        """Yield the chosen entries in order, reporting progress."""
        for done, n in enumerate(self.chosen):
            if self._on_progress is not None and done % _EVERY == 0:
                self._on_progress(done, len(self.chosen))
            yield n

    def entry(self, n: int) -> Entry:
        """Return an entry as it is exported."""
        return self._exported(self.journal.store.entry(n))

    def _exported(self, entry: Entry) -> Entry:
        if self.keep_secrets or isinstance(entry.what, Frame):
            return entry
        what = redacted(entry.what)
        if isinstance(what, HttpFact):
            headers = tuple((name, mask(value) if _is_secret(name) else value) for name, value in what.headers)
            what = msgspec.structs.replace(what, headers=headers)
        return msgspec.structs.replace(entry, what=what)

    def http_fact(self, n: int) -> HttpFact | None:
        """Return the HTTP fact in this entry; None for 0 and for other entries."""
        what = self.entry(n).what if n else None
        return what if isinstance(what, HttpFact) else None

    def frames(self) -> Iterator[Frame]:
        """Yield the chosen frames in order."""
        for entry in self._stored():
            if isinstance(entry.what, Frame):
                yield entry.what

    def all(self) -> Iterator[Entry]:
        """Yield the chosen entries in order, as they are exported."""
        return map(self._exported, self._stored())

    def _stored(self) -> Iterator[Entry]:
        store, is_all = self.journal.store, len(self.chosen) == self.journal.count
        found = entries(store, 1, self.journal.count) if is_all else map(store.entry, self.chosen)
        return (entry for entry, _ in zip(found, self.entries(), strict=True))

    def carried(self) -> Iterator[SelectedExchange]:
        """Yield the HTTP exchanges with at least one chosen entry, in request order."""
        found = _carried(self.journal)
        if len(self.chosen) == self.journal.count:
            yield from found
            return
        chosen = set(self.chosen)
        yield from (each for each in found if not chosen.isdisjoint(each.entries))

    @property
    def connection(self) -> ConnectionFact | None:
        """The last connection of the capture, as it is exported."""
        what = self.journal.connection
        if what is None or self.keep_secrets:
            return what
        masked = redacted(what)
        return masked if isinstance(masked, ConnectionFact) else what


def noted(marks: Iterable[Mark]) -> str:
    """Return the comments of marks as one text; "" if there are no marks. A mark without a comment yields its color."""
    return "; ".join(mark.text or f"marked {mark.color}" for mark in marks)


def is_message(frame: Frame) -> bool:
    """Return whether a frame is complete JSON-RPC: one message or a batch."""
    return not frame.cut and not any(isinstance(each, NotJsonRpc) for each in read(frame.payload))


def _is_secret(name: str) -> bool:
    return is_credential(name) or "session" in name.lower().split("-")


def _carried(journal: Journal) -> list[SelectedExchange]:
    """Return all HTTP exchanges. Numbers restart with each connection, so the newest exchange of a number is used."""
    found: list[SelectedExchange] = []
    now: dict[int, SelectedExchange] = {}
    for entry in entries(journal.store, 1, journal.count):
        n, what = entry.n, entry.what
        http = what.http if isinstance(what, Frame | HttpFact | SseNote) else None
        if not http:
            continue
        if http not in now or (isinstance(what, HttpFact) and what.event is HttpEvent.REQUEST):
            now[http] = SelectedExchange(http, sent=[], received=[])
            found.append(now[http])
        _put(now[http], n, what)
    return found


def _put(each: SelectedExchange, n: int, what: object) -> None:
    if isinstance(what, Frame):
        (each.sent if what.direction == "c2s" else each.received).append(n)
    elif isinstance(what, SseNote):
        each.received.append(n)
    elif isinstance(what, HttpFact):
        if what.event is HttpEvent.REQUEST:
            each.request = n
        elif what.event is HttpEvent.RESPONSE:
            each.response = n
        else:
            each.end = n


# Writing the export


def to_file(out: Path, found: Iterable[bytes], *, overwrite: bool = False) -> int:
    """Write the export to a file with mode 0600 and return its size in bytes.

    Raises: UsageError if the file exists already or can't be written.
    """
    if not overwrite and (out.is_symlink() or out.exists()):
        raise UsageError(f"{out} already exists", hint=_INSTEAD)
    try:
        with whole_file(out, overwrite=overwrite) as made:
            size = sum(map(made.file.write, found))
    except FileExistsError:
        raise UsageError(f"{out} already exists", hint=_INSTEAD) from None
    except OSError as error:
        raise UsageError(f"{out} can't be written: {error.strerror}", hint="Name another file.") from None
    return size
