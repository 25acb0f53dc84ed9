"""Long captures, opened in a terminal: how soon the first screen is there and all of it, again, in how much memory.

They are mixed as real ones are: calls with progress, log messages between, results of two kilobytes and a few errors.

Where a million frames (540 MB) cost: about 5 us of the processor a frame to take it in, of which 0.3 go to splitting
lines, 0.6 to the record, 0.3 to the message, 0.6 to the columns, and the rest to what becomes of exchanges (a call with
its answer takes 11); 1.5 more a frame to lay the rows. All of that shares one interpreter, so a second core helps
little: to halve it, a process of its own would have to fold and hand over columns. In memory: 52 MB for the program, 45
bytes a frame for the index (of an exchange 90), 10 for the rows, 5 MB for what is remembered of ids and tokens and for
checkpoints, and 10 to 18 MB for what checks remember, whatever the length.
"""

import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchmarks import measure
from benchmarks.terminal import Terminal
from inspector.capture.format.lines import lines, read_at
from inspector.capture.format.records import from_line
from inspector.capture.journal import Journal, start_capture
from inspector.protocol.frames import Channel, Direction, Eol

_JUMPS = 60
_TOOLS = ("search", "fetch", "write", "run")


class Opened(msgspec.Struct):
    """One opening of a capture, and what was done then."""

    first_s: float
    """From the start of the program to the first rows."""
    complete_s: float
    """To the last entry."""
    resident_mb: float
    """The most of what was seen: with all rows, and when the checks were done."""
    checked_s: float
    """How long checks went on after that."""
    jump_ms: float
    """Processor time of a jump to the other end, and of the picture of it."""


def make(path: Path, frames: int) -> None:
    """A capture of at least so many frames."""
    journal = start_capture(path)
    for direction, message in _conversation(frames):
        _put(journal, direction, message)
    journal.close()


def floor_s(path: Path) -> float:
    """Seconds to read all lines of a capture as records, and nothing else: nobody opens one sooner without an index."""
    began = time.perf_counter()
    with path.open("rb") as file:
        for _, line, _ in lines(lambda place, length: read_at(file.fileno(), place, length)):
            from_line(line)
    return time.perf_counter() - began


def open_it(env: Mapping[str, str], path: Path, frames: int) -> Opened:
    """Open a capture, wait for all of it, and jump from end to end."""
    with Terminal(measure.inspector("replay", str(path)), env=env, columns=160, lines=50) as terminal:
        first = terminal.until(b"tools/call")
        while measure.entries_shown(terminal) < frames:
            terminal.read(0.02)
        complete = time.perf_counter() - terminal.started
        terminal.rest(2)  # the rows follow the entries
        resident = measure.resident_mb(terminal.pid)
        checked = measure.await_rest(terminal)
        resident = max(resident, measure.resident_mb(terminal.pid))
        return Opened(first, complete, resident, checked, _jump_ms(terminal))


def bytes_an_entry(env: Mapping[str, str], path: Path) -> float:
    """What the index of a capture takes."""
    argv = measure.inspector("debug", "stats", "--json", str(path))
    ran = subprocess.run(argv, env=dict(env), check=True, capture_output=True, stdin=subprocess.DEVNULL)
    return float(json.loads(ran.stdout)["bytes_an_entry"])


def _jump_ms(terminal: Terminal) -> float:
    spent = measure.cpu_s(terminal.pid)
    for turn in range(_JUMPS):
        written = len(terminal.written)
        terminal.press(b"gG"[turn % 2 : turn % 2 + 1])
        while len(terminal.written) == written:
            terminal.read(0.01)
        terminal.rest(0.03)
    return (measure.cpu_s(terminal.pid) - spent) / _JUMPS * 1000


def _put(journal: Journal, direction: Direction, message: dict[str, Any]) -> None:
    channel = Channel.STDIN if direction is Direction.TO_SERVER else Channel.STDOUT
    payload = json.dumps({"jsonrpc": "2.0"} | message, ensure_ascii=False).encode()
    journal.frame(direction, channel, payload, eol=Eol.LF)


def _conversation(frames: int) -> Iterator[tuple[Direction, dict[str, Any]]]:
    sent, came = Direction.TO_SERVER, Direction.FROM_SERVER
    opened = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "b", "version": "1"},
    }
    yield sent, {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}}
    yield came, {"id": 0, "result": opened}
    for id_ in range(1, frames * 2 // 9 + 2):
        arguments = {"q": f"übergang {id_}", "limit": 10, "path": f"/tmp/{id_ * 7919 % 1000}"}
        params = {"name": _TOOLS[id_ % 4], "arguments": arguments, "_meta": {"progressToken": id_}}
        yield sent, {"id": id_, "method": "tools/call", "params": params}
        for step in range(2):
            told = {"progressToken": id_, "progress": step, "total": 2, "message": f"step {step} of many"}
            yield came, {"method": "notifications/progress", "params": told}
        if id_ % 2:
            yield came, {"id": id_, "result": {"content": [{"type": "text", "text": f"found {id_}" + "y" * 1900}]}}
            continue
        said = {"level": "info", "logger": "big", "data": f"line {id_} " + "x" * 80}
        yield came, {"method": "notifications/message", "params": said}
        if id_ % 200 == 0:
            yield came, {"id": id_, "error": {"code": -32602, "message": f"needle {id_}"}}
        else:
            yield came, {"id": id_, "result": {"content": [{"type": "text", "text": f"found {id_}"}]}}
