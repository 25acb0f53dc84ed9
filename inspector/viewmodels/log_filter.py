r"""Whether an entry contains a text: in what its row says, or anywhere in its bytes. Case does not matter.

In JSON the same text can stand in several spellings (`é` or `\\u00e9`, `"` as `\\"`); each of them is found.
"""

import json

from inspector.capture.journal import Journal
from inspector.capture.store import EntryKind, MessageKind
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Frame
from inspector.viewmodels import text, words


class Needle:
    """A text to look for."""

    def __init__(self, wanted: str) -> None:
        self.text = wanted.casefold()
        cases = {wanted, wanted.lower(), wanted.upper()}
        self._spellings = {spelling for case in cases for spelling in _spellings(case)}

    def is_part_of(self, wanted: str) -> bool:
        """Whether whatever contains `wanted` contains this too."""
        return self.text in wanted.casefold()

    def is_in_text(self, found: str) -> bool:
        """Whether a text of ours, or a name, contains it."""
        return self.text in found.casefold()

    def is_in_bytes(self, payload: bytes) -> bool:
        """Whether bytes contain it, in any spelling."""
        lowered = payload.lower()
        if any(spelling in lowered for spelling in self._spellings):
            return True
        if self.text.isascii() or payload.isascii():
            return False
        return self.text in text.decode(payload).casefold()


def _spellings(wanted: str) -> tuple[bytes, bytes, bytes]:
    quoted = json.dumps(wanted, ensure_ascii=False)[1:-1]
    return (
        wanted.encode("utf-8", "surrogatepass").lower(),
        quoted.encode("utf-8", "surrogatepass").lower(),
        json.dumps(wanted)[1:-1].encode().lower(),
    )


class Matcher:
    """Which entries of a journal a filter lets through."""

    def __init__(self, journal: Journal, wanted: str) -> None:
        self._journal = journal
        self._store = journal.store
        self.needle = Needle(wanted)

    def matches(self, n: int, exchange: Exchange | None) -> bool:
        """Whether entry n does. Its bytes are read only if its columns don't."""
        return self._in_columns(n, exchange) or self._in_entry(n)

    def _in_columns(self, n: int, exchange: Exchange | None) -> bool:
        kind, seen = self._store.kind(n), self.needle.is_in_text
        if kind is EntryKind.STDERR:
            return seen("stderr")
        if kind is not EntryKind.FRAME:
            return False
        if self._store.probe(n) and seen("probe"):
            return True
        if seen(self._store.method(n)):
            return True
        if exchange is None or self._store.message_kind(n) is MessageKind.NOTIFICATION:
            return False
        return seen(exchange.method) or seen(exchange.target) or self._in_status(exchange)

    def _in_status(self, exchange: Exchange) -> bool:
        status = words.status(exchange, live=self._journal.live)[0]
        return self.needle.is_in_text(status.partition(" ")[2])

    def _in_entry(self, n: int) -> bool:
        what = self._store.entry(n).what
        if isinstance(what, Frame):
            return self.needle.is_in_bytes(what.payload)
        return self.needle.is_in_text(words.sentence(what)[0])
