"""The output of a server in VS Code, with the level Trace or Debug: messages of both sides, and its stderr.

Known from logs in public reports, such as https://github.com/microsoft/vscode/issues/244377
"""

import re
from collections.abc import Iterator

from inspector.capture.import_.items import Item, Reader, Source, closed, frame, opened
from inspector.capture.import_.members import moment
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Direction

_LINE = re.compile(rb"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \[(\w+)\] (.*)", re.DOTALL)
_MESSAGE = re.compile(rb"\[(Client Says|Server Says|editor -> server|server -> editor)\] (.*)", re.DOTALL)
_SENT = (b"Client Says", b"editor -> server")
_STDERR = b"[server stderr] "
_COMMAND = re.compile(rb"Server command line: (.*)")


def _knows(start: bytes) -> bool:
    for line in start.split(b"\n")[:200]:
        found = _LINE.fullmatch(line.rstrip(b"\r"))
        if found and (_MESSAGE.match(found.group(3)) or found.group(3).startswith((b"Starting server ", _STDERR))):
            return True
    return False


def _read(source: Source) -> Iterator[Item]:
    is_open = False
    for line in source.lines():
        found = _LINE.fullmatch(line)
        if found is None:
            source.passed_over["lines without a time"] += 1
            continue
        at, said = moment(found.group(1).decode()), found.group(3)
        if said.startswith(_STDERR):
            yield Item(at, Stderr(said.removeprefix(_STDERR)))
        elif command := _COMMAND.fullmatch(said):
            yield opened(at, argv=tuple(command.group(1).decode("utf-8", "replace").split()))
            is_open = True
        elif message := _MESSAGE.fullmatch(said):
            if not is_open:
                yield opened(at)
                is_open = True
            sent = message.group(1) in _SENT
            yield frame(Direction.TO_SERVER if sent else Direction.FROM_SERVER, message.group(2), at)
        elif said.startswith((b"Connection state: Stopped", b"Connection state: Error")) and is_open:
            yield closed(at, said.decode("utf-8", "replace")[:300])
            is_open = False
        else:
            source.passed_over["remarks of VS Code"] += 1


READER = Reader(
    "vscode",
    "a log of VS Code",
    (
        "the exact bytes: each message was written anew",
        "the time zone: times are read as those of this machine",
        "how it was carried: headers, status, and what is no message",
        "how the words of the server's command were parted",
    ),
    _knows,
    _read,
)
