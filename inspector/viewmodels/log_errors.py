"""Where something went wrong: the entries that tell of it, in the order of the wire and in that of the tree.

They are found as entries come, from columns; what a process and a connection said at their end is read. So the next
error is found at once in a list of any length, and how many came can be counted.
"""

from array import array
from bisect import bisect_left, bisect_right, insort

from inspector.capture.journal import Journal
from inspector.capture.store import MessageKind, Store
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessEvent, ProcessFact
from inspector.protocol.frames import Channel, Frame

_ACCEPTED = 202


class Errors:
    """The entries of one tree that are errors. `roots` are the tree's own."""

    def __init__(self, roots: "array[int]") -> None:
        self._roots = roots
        self._wire, self._tree = array("I"), array("Q")

    def __len__(self) -> int:
        return len(self._wire)

    def add(self, n: int, row: int) -> None:
        """Entry n is one; in the tree the entry `row` shows it."""
        _put(self._wire, n)
        _put(self._tree, self._roots[row] << 32 | row)

    def take_back(self, n: int, row: int) -> None:
        """Entry n was none after all."""
        for keys, key in ((self._wire, n), (self._tree, self._roots[row] << 32 | row)):
            at = bisect_left(keys, key)
            if at < len(keys) and keys[at] == key:
                del keys[at]

    def after(self, key: int, *, tree: bool, back: bool = False) -> int:
        """The key of the next one below a row's key, or of the one above it with `back`; -1 if there is none."""
        keys = self._tree if tree else self._wire
        at = bisect_left(keys, key) - 1 if back else bisect_right(keys, key)
        return keys[at] if 0 <= at < len(keys) else -1


def _put(keys: "array[int]", key: int) -> None:
    if not keys or keys[-1] < key:
        keys.append(key)
        return
    at = bisect_left(keys, key)
    if keys[at] != key:
        insort(keys, key)


def is_bad_end(store: Store, n: int) -> bool:
    """Whether the fact n says that a connection or a process ended as nobody wanted."""
    what = store.entry(n).what
    if isinstance(what, ConnectionFact):
        return what.event is ConnectionEvent.ABORT
    return isinstance(what, ProcessFact) and what.event is ProcessEvent.EXIT and bool(what.code)


def exit_before(journal: Journal, n: int) -> int:
    """The exit after which the entry n says that the server on stdio was started once more; 0 if it says no such thing.

    That exit is an answer to our first request, and no error.
    """
    what = journal.store.entry(n).what
    if not isinstance(what, ConnectionFact) or what.event is not ConnectionEvent.RENEW or what.transport != "stdio":
        return 0
    exits = (each.n for each in reversed(journal.processes) if each.n < n and _is_exit(each.what))
    return next(exits, 0)


def _is_exit(what: object) -> bool:
    return isinstance(what, ProcessFact) and what.event is ProcessEvent.EXIT


def is_acknowledgment(journal: Journal, n: int) -> bool:
    """Whether it is the body of an HTTP response that said no more than "accepted": legal, and often a word of text."""
    if journal.store.message_kind(n) is not MessageKind.GARBLED or not journal.http_exchanges:
        return False
    frame = journal.store.entry(n).what
    if not isinstance(frame, Frame) or frame.channel is not Channel.REPLY:
        return False
    found = journal.http_exchanges.get(frame.http or 0)
    response = found.response if found is not None else None
    return response is not None and response.status == _ACCEPTED
