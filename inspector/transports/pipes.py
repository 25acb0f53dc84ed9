"""Reading and writing lines on pipes with an event loop.

Neither blocks the loop. A source passes on a limited number of lines per iteration of the loop and reads no more
before those are processed, so a flooding process fills the pipe and has to wait. A sink writes whole lines in order,
and never half of one because its caller was cancelled.
"""

import asyncio
import os
import sys
import time
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO

import msgspec

from inspector.giving_way import is_watched, rest
from inspector.transports.lines import Line, LineSplitter

_CHUNK = 124 * 1024
"""Bytes per read. From 128 KiB on, malloc maps pages for each buffer, which costs 7 µs, 20 times the read."""
_BATCH = 512
"""Maximum number of lines passed on per iteration of the loop."""
_MIN_BATCH = 64
_FLOOD = 256
"""Lines of one read from which on there is a flood, if they are fewer than an iteration passes on."""
_WORK = 0.001
"""CPU seconds that an iteration should take at most; after a longer one, the next passes on fewer lines.

CPU time is used because wall time would only make iterations short on a busy machine, and the flood slow.
"""
_UNWATCHED = 4
"""Factor for both while no keys are pressed. There are no breaths then: a flood is a third faster."""
_BREATH = 0.0002
"""Seconds between two such iterations in a flood, while keys are pressed.

They leave time for the user interface, which shares the interpreter with us and otherwise waits five milliseconds
for each step that a key takes. It is a sleep, not a timer of the loop, which has no resolution below a millisecond:
that would cost a third of the rate without any gain for keys.
"""
_PIPE_SIZE = 256 * 1024


class _Entry(msgspec.Struct, eq=False):
    """A line being written: what is still to be written, and callbacks for its progress."""

    rest: memoryview
    started: Callable[[], None]
    done: asyncio.Future[None]
    begun: bool = False


def enlarge(fd: int) -> None:
    """Request a pipe of 256 KiB instead of 64 KiB: fewer, larger reads. If refused, only speed is lost.

    Not more: when a flood is left, all that the pipe holds is still recorded, 12,000 short messages in a mebibyte.
    """
    if sys.platform == "linux":
        import fcntl  # not available everywhere, unlike this module

        with suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)


class LineSource:
    """Reads lines from a pipe until the end of the stream, or until it is closed.

    `on_lines` is called with several lines at a time, including an unfinished last one. `on_end` is called once,
    after the last line, if the stream ended by itself. With `pause` (seconds), an unfinished line is passed on when
    no data has arrived for that long. The source owns the pipe from now on.
    """

    def __init__(
        self,
        pipe: IO[bytes],
        splitter: LineSplitter,
        on_lines: Callable[[Sequence[Line]], None],
        on_end: Callable[[], None],
        pause: float | None = None,
    ) -> None:
        self._pipe = pipe
        self._fd = pipe.fileno()
        self._splitter = splitter
        self._on_lines = on_lines
        self._on_end = on_end
        self._pause = pause
        self._lines: deque[Line] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._batch = _MIN_BATCH
        self._ended = False
        self.is_urgent = False
        """Whether to read on without pauses for others: the process is being ended."""
        self._listening = False
        self.read_ns = 0
        """Monotonic time at which the newest chunk was read; 0 before the first."""
        self._loop = asyncio.get_running_loop()
        os.set_blocking(self._fd, False)
        enlarge(self._fd)
        self._listen(True)

    @property
    def closed(self) -> bool:
        """Whether no more lines will be passed on."""
        return self._pipe.closed

    def close(self) -> None:
        """Stop reading. Lines already read are passed on now; `on_end` is not called."""
        if self.closed:
            return
        self._release()
        self._hand_on(len(self._lines))
        self._flush()

    def drain(self) -> None:
        """Pass on everything that is in the pipe now, at most its size, in this iteration of the loop."""
        for _ in range(_PIPE_SIZE // _CHUNK + 1):
            if self.closed or self._ended or not self._read():
                break
        if self._hand_on(len(self._lines)) and self._ended:
            self._end()

    def _end(self) -> None:
        self._release()
        self._flush()
        self._on_end()

    def _listen(self, wanted: bool) -> None:
        if wanted and not self._listening:
            self._loop.add_reader(self._fd, self._readable)
        elif self._listening and not wanted:
            self._loop.remove_reader(self._fd)
        self._listening = wanted

    def _release(self) -> None:
        self._stop_timer()
        self._listen(False)
        self._pipe.close()

    def _readable(self) -> None:
        if self._read():
            self._work()

    def _read(self) -> bool:
        """Read one chunk or the end of the stream; return False if there is neither."""
        try:
            chunk = os.read(self._fd, _CHUNK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            chunk = b""  # EIO: the terminal was closed, which is an end too
        self.read_ns = time.monotonic_ns()
        self._stop_timer()
        self._lines.extend(self._splitter.feed(chunk))
        self._ended = not chunk
        return True

    def _work(self) -> None:
        if self.closed:
            return
        is_flood, began = len(self._lines) >= min(self._batch, _FLOOD), time.thread_time()
        if not self._hand_on(self._batch):
            return  # the receiver of a line has closed this source
        if is_flood:
            self._set_pace(time.thread_time() - began)
        if is_flood and not self.is_urgent and is_watched():
            rest(_BREATH)
        self._listen(not self._lines and not self._ended)
        if self._lines:
            self._loop.call_soon(self._work)
        elif self._ended:
            self._end()
        else:
            self._start_timer()

    def _set_pace(self, took: float) -> None:
        """Adapt the number of lines of the next iteration to the time that these took."""
        factor = 1 if is_watched() else _UNWATCHED
        is_long = took > _WORK * factor
        self._batch = max(_MIN_BATCH, self._batch // 2) if is_long else min(_BATCH * factor, self._batch + _MIN_BATCH)

    def _hand_on(self, count: int) -> bool:
        if self._lines:
            self._on_lines([self._lines.popleft() for _ in range(min(count, len(self._lines)))])
        return not self._pipe.closed

    def _start_timer(self) -> None:
        if self._pause is not None and self._splitter.pending:
            self._timer = self._loop.call_later(self._pause, self._flush)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _flush(self) -> None:
        rest = self._splitter.rest()
        if rest is not None:
            self._on_lines((rest,))


class LineSink:
    """Writes lines to a pipe, one after the other, and waits while the pipe is full.

    The sink owns the pipe from now on. `on_end` is called once, when either side closes it.
    """

    def __init__(self, pipe: IO[bytes], on_end: Callable[[], None]) -> None:
        self._pipe = pipe
        self._fd = pipe.fileno()
        self._on_end = on_end
        self._queue: deque[_Entry] = deque()
        self._closing = False
        self.written = 0
        """Number of bytes that the pipe has accepted."""
        self._unread = 0
        self._loop = asyncio.get_running_loop()
        os.set_blocking(self._fd, False)

    @property
    def closed(self) -> bool:
        """Whether nothing more can be written."""
        return self._pipe.closed or self._closing

    @property
    def was_read(self) -> bool:
        """Whether the other side has read any of what was written; True where the system does not say."""
        unread = self._unread if self._pipe.closed else unread_bytes(self._fd)
        return self.written > unread

    async def write(self, line: bytes, started: Callable[[], None]) -> None:
        """Write one line, including its line end; return when the pipe has accepted all of it.

        `started` is called right after the first byte was written, with no await between; if the pipe has room, that
        is before this call first waits. If the call is cancelled before that, nothing is written; if it is cancelled
        later, the rest of the line is still written.

        Raises: BrokenPipeError if the pipe has no reader, or this end is closed.
        """
        if self.closed:
            raise BrokenPipeError
        entry = _Entry(memoryview(line), started, self._loop.create_future())
        self._queue.append(entry)
        if len(self._queue) == 1:
            self._write()
        try:
            await entry.done
        except asyncio.CancelledError:
            self._forget(entry)
            raise

    def write_now(self, line: bytes) -> bool:
        """Begin to write one line if it needs no waiting; return False if nothing was written.

        What the pipe does not accept at once is written later. False: the pipe is full or closed, or lines are waiting.
        """
        if self._queue or self.closed:
            return False
        try:
            count = os.write(self._fd, line)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            self.close()
            return False
        self.written += count
        if count < len(line):
            rest = memoryview(line)[count:]
            self._queue.append(_Entry(rest, lambda: None, self._loop.create_future(), begun=True))
            self._loop.add_writer(self._fd, self._write)
        return True

    def close_when_written(self) -> None:
        """Accept no more lines, write the waiting ones, then close the pipe."""
        self._closing = True
        if not self._queue:
            self.close()

    def close(self) -> None:
        """Close the pipe now. Waiting lines fail with BrokenPipeError."""
        if self._pipe.closed:
            return
        self._loop.remove_writer(self._fd)
        self._unread = unread_bytes(self._fd)
        self._pipe.close()
        for entry in self._queue:
            if not entry.done.done():
                entry.done.set_exception(BrokenPipeError())
        self._queue.clear()
        self._on_end()

    def _forget(self, entry: _Entry) -> None:
        if not entry.begun and entry in self._queue:
            self._queue.remove(entry)
            if not self._queue and not self._pipe.closed:
                self._loop.remove_writer(self._fd)
                if self._closing:
                    self.close()

    def _write(self) -> None:
        try:
            while self._queue and self._write_some(self._queue[0]):
                self._queue.popleft()
        except OSError:
            self.close()
            return
        if self._queue:
            self._loop.add_writer(self._fd, self._write)
            return
        self._loop.remove_writer(self._fd)
        if self._closing:
            self.close()

    def _write_some(self, entry: _Entry) -> bool:
        """Write what the pipe accepts; return whether the line is complete."""
        while entry.rest:
            try:
                count = os.write(self._fd, entry.rest)
            except (BlockingIOError, InterruptedError):
                return False
            self.written += count
            if not entry.begun:
                entry.begun = True
                entry.started()
            entry.rest = entry.rest[count:]
        if not entry.done.done():
            entry.done.set_result(None)
        return True


def unread_bytes(fd: int) -> int:
    """Return how many bytes of a pipe or terminal are unread, at either end; 0 where the system does not say."""
    import fcntl  # see `enlarge`
    import termios

    count = array("i", [0])
    try:
        fcntl.ioctl(fd, termios.FIONREAD, count)
    except OSError:
        return 0
    return count[0]
