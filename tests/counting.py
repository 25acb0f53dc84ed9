"""Counting what a piece of work costs in steps of the interpreter: the same on every machine, however busy it is."""

import sys
from collections.abc import Callable
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
