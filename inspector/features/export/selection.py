"""The entries to export, without credentials unless requested, and writing the file.

Every format takes what it shows from here, so that none of them can forget the masks.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from inspector.atomic_write import whole_file
from inspector.capture.format.notes import Mark, Notes
from inspector.capture.format.records import Entry
from inspector.capture.format.redact import redacted
from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind
from inspector.errors import UsageError
from inspector.protocol.credentials import is_credential, mask
from inspector.protocol.facts import ConnectionFact, HttpEvent, HttpFact, SseNote
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import NotJsonRpc, read


class SelectedExchange(msgspec.Struct):
    """One HTTP exchange: the numbers of its entries; 0 for what was not seen."""

    http: int
    request: int = 0
    response: int = 0
    end: int = 0
    sent: list[int] = []
    """Frames of the body that was sent."""
    came: list[int] = []
    """Frames and notes that came back, in their order."""

    @property
    def entries(self) -> Iterator[int]:
        """All of them."""
        yield from (each for each in (self.request, self.response, self.end, *self.sent, *self.came) if each)


_EVERY = 256
"""Entries between two reports of progress."""


class Selection:
    """The entries `chosen` (ascending) of a journal. `keep_secrets`: as they are in the capture.

    `notes`: marks and comments, for formats that can hold them; None: none. `on_progress`: called with entries done and
    entries in all.
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
        """Chosen entries that the format has no place for, once it was written."""

    def marks(self, entries: Iterable[int]) -> Iterator[Mark]:
        """The marks at these entries, in their order."""
        noted = self.notes.marks
        if noted:
            yield from (noted[n] for n in sorted(set(entries) & noted.keys()))

    def entries(self) -> Iterator[int]:
        """The chosen entries, in their order; progress is reported on the way."""
        for done, n in enumerate(self.chosen):
            if self._on_progress is not None and done % _EVERY == 0:
                self._on_progress(done, len(self.chosen))
            yield n

    def entry(self, n: int) -> Entry:
        """An entry as it is exported."""
        entry = self.journal.store.entry(n)
        if self.keep_secrets or isinstance(entry.what, Frame):
            return entry
        what = redacted(entry.what)
        if isinstance(what, HttpFact):
            headers = tuple((name, mask(value) if _is_secret(name) else value) for name, value in what.headers)
            what = msgspec.structs.replace(what, headers=headers)
        return msgspec.structs.replace(entry, what=what)

    def http_fact(self, n: int) -> HttpFact | None:
        """The step of an HTTP exchange that this entry is; None for 0 and for other entries."""
        what = self.entry(n).what if n else None
        return what if isinstance(what, HttpFact) else None

    def frames(self) -> Iterator[Frame]:
        """The chosen frames, in their order."""
        store = self.journal.store
        for n in self.entries():
            if store.kind(n) is EntryKind.FRAME:
                what = store.entry(n).what
                if isinstance(what, Frame):
                    yield what

    def carried(self) -> Iterator[SelectedExchange]:
        """The HTTP exchanges of which something was chosen, in the order of their requests."""
        found = _carried(self.journal)
        if len(self.chosen) == self.journal.count:
            yield from found
            return
        chosen = set(self.chosen)
        yield from (each for each in found if not chosen.isdisjoint(each.entries))

    @property
    def connection(self) -> ConnectionFact | None:
        """What the capture was connected to last, as it is exported."""
        what = self.journal.connection
        if what is None or self.keep_secrets:
            return what
        masked = redacted(what)
        return masked if isinstance(masked, ConnectionFact) else what


def noted(marks: Iterable[Mark]) -> str:
    """What marks say, in one text; "" if there is none. A mark without a comment says its colour."""
    return "; ".join(mark.text or f"marked {mark.color}" for mark in marks)


def is_message(frame: Frame) -> bool:
    """Whether a frame is JSON-RPC, one message or several, to its last byte."""
    return not frame.cut and not any(isinstance(each, NotJsonRpc) for each in read(frame.payload))


def _is_secret(name: str) -> bool:
    return is_credential(name) or "session" in name.lower().split("-")


def _carried(journal: Journal) -> list[SelectedExchange]:
    """All HTTP exchanges. Their numbers restart with each connection, so the newest of a number counts."""
    found: list[SelectedExchange] = []
    now: dict[int, SelectedExchange] = {}
    for n in range(1, journal.count + 1):
        what = journal.store.entry(n).what
        http = what.http if isinstance(what, Frame | HttpFact | SseNote) else None
        if not http:
            continue
        if http not in now or (isinstance(what, HttpFact) and what.event is HttpEvent.REQUEST):
            now[http] = SelectedExchange(http, sent=[], came=[])
            found.append(now[http])
        _put(now[http], n, what)
    return found


def _put(each: SelectedExchange, n: int, what: object) -> None:
    if isinstance(what, Frame):
        (each.sent if what.direction == "c2s" else each.came).append(n)
    elif isinstance(what, SseNote):
        each.came.append(n)
    elif isinstance(what, HttpFact):
        if what.event is HttpEvent.REQUEST:
            each.request = n
        elif what.event is HttpEvent.RESPONSE:
            each.response = n
        else:
            each.end = n


# Writing the export

_INSTEAD = "Name another file, or say --force."


def to_file(out: Path, found: Iterable[bytes], *, overwrite: bool = False) -> int:
    """Write it to a file, 0600; how many bytes it has.

    Raises: UsageError if it is there already or can't be written.
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
