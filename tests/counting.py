"""Counting what a piece of work costs, in steps, calls or bytes: the same on every machine, however busy it is."""

import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


def steps(work: Callable[[], object]) -> int:
    """How many instructions of Python code `work` executes, in this thread. C code counts as nothing."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def growth(work: Callable[[int], Callable[[], object]], few: int = 60) -> float:
    """How many times more steps four times as much takes: about 4 where the cost is proportional, 16 where quadratic.

    `work(n)` prepares so much, and returns what is to be counted.
    """
    return steps(work(4 * few)) / steps(work(few))


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """Fail if the block makes more calls, of Python functions and of C functions, in this thread; it ends at once."""
    count = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event.endswith("call")
        if count > calls:
            sys.setprofile(None)
            raise AssertionError(f"more than {calls} calls")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)
    assert count <= calls, f"more than {calls} calls"  # the block may have caught the first error


def allocated(take: Callable[[bytes], object], chunks: Iterable[bytes]) -> int:
    """How many bytes `take` allocates beyond what was there before, at most at one time, summed over all chunks.

    What is copied at each chunk counts each time, so a buffer that is copied whole at each chunk costs a quadratic sum.
    """
    total = 0
    tracemalloc.start()
    try:
        for chunk in chunks:
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            take(chunk)
            total += tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    return total
