"""A bounded queue between the relay's loop and the thread that records its traffic.

The loop never waits. Items that exceed the budget are counted, and become a `gap` in the capture.
"""

import time
from _thread import allocate_lock
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BUDGET = 64 * 1024 * 1024
"""Maximum number of bytes that wait to be written."""
REST_S = 0.01
"""Seconds that the writer sleeps before it starts, so that recording a request does not delay its response."""
_ITEM = 200
"""Overhead of an item in bytes."""
PATIENCE_S = 2.0
"""Seconds that the tap waits for the capture when it ends."""


class RecordedMessage:
    """A message that was judged. Its number is known once it is recorded."""

    __slots__ = ("direction", "fwd", "n", "origin", "part", "payload", "t_out", "tm", "tw")

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
        self.n = 0
        self.part = 0
        """Part of a capture with `--keep` in which it was recorded."""


class RecordingQueue:
    """The queue, with one producer thread and one consumer thread."""

    def __init__(self, budget: int = BUDGET) -> None:
        self._queue: deque[tuple[Any, ...]] = deque()
        self._budget = budget
        self._size = 0
        self._taken = 0
        self._idle = False
        self._closing = False
        self._bell = allocate_lock()
        self._bell.acquire()
        self._done = allocate_lock()
        self._done.acquire()
        self._lost: list[int] | None = None
        self.path = ""
        """Path of the capture once it exists."""
        self.trouble = ""
        """Why nothing is recorded; "" if there is no problem."""
        self.lost_bytes = 0

    def chunk(self, name: str, data: bytes, tm: int, tw: int, t_out: int) -> None:
        """Add forwarded bytes. `t_out` is 0 if some of them are still waiting."""
        if self._size - self._taken + len(data) > self._budget:
            self._lose(data, tm)
            return
        if self._lost is not None:
            self._tell_lost()
        self._put("chunk", len(data), name, data, tm, tw, t_out)

    def message(self, token: RecordedMessage) -> None:
        """Add a message that was judged."""
        if self._lost is not None:
            self._tell_lost()
        self._put("message", len(token.payload), token)

    def edit(self, of: RecordedMessage, act: str, by: str, *, why: str = "", payload: bytes | None = None) -> None:
        """Add an action on a message."""
        self._put("edit", len(payload or b""), of, act, by, why, payload, time.monotonic_ns())

    def rule(self, name: str, on: bool, by: str, text: str = "", why: str = "") -> None:
        """Add the arming or removal of a rule."""
        self._put("rule", len(text), name, on, by, text, why, time.monotonic_ns())

    def signalled(self, number: int) -> None:
        """Add a signal that was sent to the server's process group."""
        self._put("signal", 0, number, time.monotonic_ns(), time.time_ns())

    def ended(self, name: str) -> None:
        """Add the end of a stream."""
        self._put("eof", 0, name, time.monotonic_ns(), time.time_ns())

    def exited(self, status: int) -> None:
        """Add the exit of the server."""
        self._put("exit", 0, status, time.monotonic_ns(), time.time_ns())

    def close(self) -> None:
        """Wait until the remaining items are written, for a limited time."""
        if self._lost is not None:
            self._tell_lost()
        self._closing = True
        self._put("close", 0)
        self._done.acquire(timeout=PATIENCE_S)

    def closed(self) -> None:
        """Signal that the writer has finished."""
        self._done.release()

    def take(self, timeout: float = -1) -> "tuple[Any, ...] | None":
        """Return the oldest item; None after a timeout in seconds (-1: no timeout)."""
        while True:
            try:
                item = self._queue.popleft()
            except IndexError:
                self._idle = True
                if self._queue:
                    self._idle = False
                    continue
                rung = self._bell.acquire(timeout=timeout)
                self._idle = False
                if rung and not self._closing:
                    time.sleep(REST_S)
                if not rung and not self._queue:
                    return None
                continue
            self._taken += item[1] + _ITEM
            return item

    @property
    def waiting(self) -> int:
        """Number of items in the queue."""
        return len(self._queue)

    def _put(self, kind: str, size: int, *rest: "Any") -> None:
        self._size += size + _ITEM
        self._queue.append((kind, size, *rest))
        if self._idle and self._bell.locked():
            try:
                self._bell.release()
            except RuntimeError:
                pass  # the other thread was faster

    def _lose(self, data: bytes, tm: int) -> None:
        lost = self._lost = self._lost or [0, 0, tm, tm]
        lost[0] += data.count(b"\n")
        lost[1] += len(data)
        lost[3] = tm
        self.lost_bytes += len(data)

    def _tell_lost(self) -> None:
        lost, self._lost = self._lost, None
        self._put("gap", 0, lost)
