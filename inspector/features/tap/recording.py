"""A bounded queue between the relay's loop and the process that records its traffic, in memory that both share.

The loop never waits. An item is complete in the shared memory before its bytes are forwarded, so that it is recorded
even if the relay is killed at any moment. Items that exceed the budget are counted, and become a `gap` in the capture.
"""

import mmap as mapping
import os
import select
import time
from _thread import allocate_lock
from mmap import PAGESIZE, mmap
from struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BUDGET = 64 * 1024 * 1024
"""Maximum number of bytes that wait to be written."""
REST_S = 0.01
"""Seconds that the recorder sleeps before it starts, so that recording a request does not delay its response."""
SETTLE_S = 0.05
"""Seconds after which the recorder looks again before it sleeps.

The two processes share no lock: the relay may not see at once that the recorder is about to sleep.
"""
PATIENCE_S = 2.0
"""Seconds that the tap waits for the capture when it ends."""

_REUSED = 1024 * 1024
"""Bytes after which an empty queue starts at its beginning again, so that little memory is touched."""
_KEPT = 8 * 1024 * 1024
"""Bytes of touched memory above which an empty queue gives it back."""
_RELEASE = getattr(mapping, "MADV_REMOVE", None)
_STAGED, _PUBLISHED, _TAKEN, _SLEEPS, _BASE, _HEAD = 0, 1, 2, 3, 4, PAGESIZE
"""Words at the beginning of the memory, and the number of bytes reserved for them.

`_STAGED`: end of the complete items. `_PUBLISHED`: end of those whose time of forwarding is known, too. Both count all
bytes ever put. `_TAKEN`: end of the items that the recorder has taken. `_SLEEPS`: whether it waits for the bell.
`_BASE`: the count of bytes at the beginning of the memory; it changes only while the queue is empty.
"""
_ITEM = Struct("=QQqqqQQ")
"""Size of the item, its kind, `tm`, `tw`, `t_out`, and the number of bytes of its facts and of its data."""
_T_OUT = 32
"""Offset of `t_out`."""
_SKIP = 1
"""Added to the size of a rest of the memory that holds no item. Sizes of items are multiples of 8."""
_CHUNKS = ("c2s", "s2c", "err")
_KINDS = {name: kind for kind, name in enumerate(_CHUNKS)}
_FACTS = len(_CHUNKS)
"""Kind of an item with facts as JSON. The others are the chunks of a stream."""


class RecordedMessage:
    """A message that was judged. Its number is known once it is recorded."""

    __slots__ = ("direction", "fwd", "key", "n", "origin", "part", "payload", "t_out", "tm", "tw")

    def __init__(self, direction: str, payload: bytes, tm: int, tw: int, fwd: str = "", origin: str = "") -> None:
        self.direction = direction
        self.payload = payload
        """Payload including its line end."""
        self.tm = tm
        self.tw = tw
        self.fwd = fwd
        self.origin = origin
        """"" for the party that sent it, otherwise `rule` or `user`."""
        self.t_out: int | None = None
        self.key = 0
        """Number by which the relay and the recorder name it."""
        self.n = 0
        self.part = 0
        """Part of a capture with `--keep` in which it was recorded."""


class RecordingQueue:
    """The queue, with one producer and one consumer. They may be in two processes if it was created before the fork."""

    def __init__(self, budget: int = BUDGET) -> None:
        """Create the queue. Raises: OSError."""
        self._budget = budget - budget % 8
        self._memory = mmap(-1, _HEAD + self._budget)
        self._words = memoryview(self._memory).cast("Q")
        # Of the producer.
        self._bell = -1
        self._staged = 0
        self._open = -1
        """Offset of the last item if it is not known yet when it was forwarded; -1 otherwise."""
        self._keys = 0
        self._held: dict[int, RecordedMessage] = {}
        """Held messages whose number is not known yet, by key."""
        self._reports = -1
        self._done = allocate_lock()
        self._done.acquire()
        self._lost: list[int] | None = None
        self.path = ""
        """Path of the capture once it exists."""
        self.trouble = ""
        """Why nothing, or not all, is recorded; "" if there is no problem."""
        self.is_incomplete = False
        """Whether the recorder reported a problem last, or is gone."""
        self.lost_bytes = 0
        # Of the consumer.
        self._lifeline = -1
        self._listening: select.poll | None = None
        self._producer_ended: Callable[[], object] | None = None
        self._report = -1

    # The producer

    def produce(self, bell: int, reports: int) -> None:
        """Be the producer. The consumer reads from `bell` to wake up, and writes to `reports`."""
        self._bell, self._reports = bell, reports
        os.set_blocking(bell, False)

    def chunk(self, name: str, data: bytes, tm: int, tw: int) -> None:
        """Add bytes that are about to be forwarded. `forwarded` follows."""
        if self._lost is not None:
            self._tell_lost()
        if self._lost is not None or not self._put(_KINDS[name], b"", data, tm, tw):
            self._lose(data, tm)

    def message(self, token: RecordedMessage, *, is_forwarded: bool = False) -> None:
        """Add a message that was judged. With `is_forwarded` it is about to be, and `forwarded` follows."""
        if self._lost is not None:
            self._tell_lost()
        self._keys += 1
        token.key = self._keys
        if token.fwd == "held":
            self._held[token.key] = token
        facts = _written("message", token.key, token.direction, token.fwd, token.origin)
        if self._lost is not None or not self._put(_FACTS, facts, token.payload, token.tm, token.tw):
            self._lose(token.payload, token.tm)
        elif not is_forwarded:
            self._publish()

    def forwarded(self, t_out: int) -> None:
        """Complete the last item with the time at which its bytes were written; 0 if some of them are waiting."""
        if self._open >= 0:
            self._words[(self._open + _T_OUT) // 8] = t_out
            self._publish()

    def edit(self, of: RecordedMessage, act: str, by: str, *, why: str = "", payload: bytes | None = None) -> None:
        """Add an action on a message."""
        self._add(_written("edit", of.key, act, by, why, payload is not None), payload or b"")

    def rule(self, name: str, on: bool, by: str, text: str = "", why: str = "") -> None:
        """Add the arming or removal of a rule."""
        self._add(_written("rule", name, on, by, text, why))

    def signalled(self, number: int) -> None:
        """Add a signal that was sent to the server's process group."""
        self._add(_written("signal", number))

    def ended(self, name: str) -> None:
        """Add the end of a stream."""
        self._add(_written("eof", name))

    def exited(self, status: int, *, client_left: bool) -> None:
        """Add the exit of the server, and whether the client's stream had ended before."""
        self._add(_written("exit", status, client_left))

    def close(self) -> None:
        """Wait until the remaining items are written, for a limited time."""
        if self._lost is not None:
            self._tell_lost()
        self._add(_written("close"), bell=b"\1")
        self._done.acquire(timeout=PATIENCE_S)

    def hear(self) -> bool:
        """Wait for the next report of the recorder. Return False once there will be none."""
        from json import loads

        line = b""
        while not line.endswith(b"\n"):
            piece = os.read(self._reports, 1)
            if not piece:
                self.is_incomplete = True
                self.trouble = self.trouble or "the process that records has ended"
                self._done.release()
                return False
            line += piece
        name, *facts = loads(line)
        if name == "number":
            self._held.pop(facts[0]).n = facts[1]
        elif name == "closed":
            self._done.release()
            return False
        else:
            setattr(self, name, facts[0])
            self.is_incomplete = bool(self.trouble) if name == "trouble" else self.is_incomplete
        return True

    @property
    def waiting(self) -> int:
        """Number of bytes in the queue."""
        return self._words[_STAGED] - self._words[_TAKEN]

    def _add(self, facts: bytes, data: bytes = b"", bell: bytes = b"\0") -> None:
        tm = time.monotonic_ns()
        if self._put(_FACTS, facts, data, tm, time.time_ns()):
            self._publish(bell)
        else:
            self._lose(data, tm)

    def _put(self, kind: int, facts: bytes, data: bytes, tm: int, tw: int) -> bool:
        """Write an item into the memory. Return False if there is no room for it."""
        words, budget = self._words, self._budget
        size = _ITEM.size + len(facts) + len(data)
        size += -size % 8
        at, taken = self._staged, words[_TAKEN]
        used = (at - words[_BASE]) % budget
        if at == taken and used > _REUSED:
            if used > _KEPT and _RELEASE is not None:
                self._memory.madvise(_RELEASE, _HEAD)
            words[_BASE], used = at, 0
        skipped = budget - used if size > budget - used else 0
        if at + skipped + size - taken > budget:
            return False
        place = _HEAD + used
        if skipped:
            words[place // 8] = skipped + _SKIP
            at, place = at + skipped, _HEAD
        _ITEM.pack_into(self._memory, place, size, kind, tm, tw, 0, len(facts), len(data))
        begin = place + _ITEM.size
        if facts:
            self._memory[begin : begin + len(facts)] = facts
            begin += len(facts)
        self._memory[begin : begin + len(data)] = data
        self._open = place
        words[_STAGED] = self._staged = at + size
        return True

    def _publish(self, bell: bytes = b"\0") -> None:
        words = self._words
        self._open = -1
        words[_PUBLISHED] = self._staged
        if words[_SLEEPS]:
            words[_SLEEPS] = 0
            try:
                os.write(self._bell, bell)
            except OSError:
                pass  # full: the recorder is awake; broken: there is none

    def _lose(self, data: bytes, tm: int) -> None:
        self._open = -1
        lost = self._lost = self._lost or [0, 0, tm, tm]
        lost[0] += data.count(b"\n")
        lost[1] += len(data)
        lost[3] = tm
        self.lost_bytes += len(data)

    def _tell_lost(self) -> None:
        now = time.monotonic_ns()
        if self._put(_FACTS, _written("gap", self._lost), b"", now, now):
            self._lost = None
            self._publish()

    # The consumer

    def consume(self, lifeline: int, report: int, producer_ended: "Callable[[], object]") -> None:
        """Be the consumer. `producer_ended` is called once, when `lifeline` is closed at its other end."""
        self._lifeline, self._report, self._producer_ended = lifeline, report, producer_ended
        self._listening = select.poll()
        self._listening.register(lifeline, select.POLLIN)

    def take(self, timeout: float | None = None) -> "tuple[Any, ...] | None":
        """Return the oldest item; None after a timeout in seconds.

        If the producer has ended without `close`, the last item is `gone`.
        """
        words = self._words
        while True:
            limit = words[_PUBLISHED] if self._is_produced else words[_STAGED]
            at = words[_TAKEN]
            if at < limit:
                place = _HEAD + (at - words[_BASE]) % self._budget
                size = words[place // 8]
                if size & _SKIP:
                    words[_TAKEN] = at + size - _SKIP
                    continue
                item = self._item(place)
                words[_TAKEN] = at + size
                return item
            if not self._is_produced:
                return ("gone", 0)
            words[_SLEEPS] = 1
            if words[_PUBLISHED] > at or self._listen(SETTLE_S if timeout is None else min(timeout, SETTLE_S)):
                words[_SLEEPS] = 0
            elif words[_PUBLISHED] == at:
                if timeout is not None and timeout <= SETTLE_S:
                    words[_SLEEPS] = 0
                    return None
                self._listen(timeout)
                words[_SLEEPS] = 0

    def await_end(self) -> None:
        """Wait until the producer has ended."""
        while self._is_produced:
            self._listen(None)

    def report(self, *facts: "Any") -> None:
        """Send a report to the producer."""
        try:
            os.write(self._report, _written(*facts) + b"\n")
        except OSError:
            pass  # the relay has ended

    @property
    def _is_produced(self) -> bool:
        return self._lifeline < 0 or self._producer_ended is not None

    def _listen(self, timeout: float | None) -> bool:
        """Wait for the bell or the end of the producer. Return whether there was one."""
        if self._listening is None or not self._listening.poll(timeout and timeout * 1000):
            return False
        step = os.read(self._lifeline, 4096)
        if step:
            if b"\1" not in step:
                time.sleep(REST_S)
        elif self._producer_ended is not None:
            ended, self._producer_ended = self._producer_ended, None
            ended()
        return True

    def _item(self, place: int) -> "tuple[Any, ...]":
        _, kind, tm, tw, t_out, count, size = _ITEM.unpack_from(self._memory, place)
        begin = place + _ITEM.size
        data = self._memory[begin + count : begin + count + size]
        if kind != _FACTS:
            return ("chunk", size, _CHUNKS[kind], data, tm, tw, t_out)
        from json import loads

        name, *facts = loads(self._memory[begin : begin + count])
        if name == "message":
            key, direction, fwd, origin = facts
            token = RecordedMessage(direction, data, tm, tw, fwd, origin)
            token.key, token.t_out = key, t_out or None
            return (name, size, token)
        if name == "edit":
            *facts, has_payload = facts
            return (name, size, *facts, data if has_payload else None, tm)
        return (name, size, *facts, tm) if name == "rule" else (name, size, *facts, tm, tw)


def _written(*facts: "Any") -> bytes:
    from json import dumps

    return dumps(facts).encode()
