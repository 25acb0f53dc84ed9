"""Server output in VS Code with log level Trace or Debug: messages of both sides, mixed with stderr.

Known from logs in public issues.
"""

import re
from collections.abc import Iterator

from inspector.capture.import_.items import ImportedItem, ImportedSession, ImportSource, Reader, moment
from inspector.protocol.facts import Stderr

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


def _read(source: ImportSource) -> Iterator[ImportedItem]:
    session = ImportedSession()
    for line in source.lines():
        found = _LINE.fullmatch(line)
        if found is None:
            source.passed_over["lines without a time"] += 1
            continue
        at, text = moment(found.group(1).decode()), found.group(3)
        if text.startswith(_STDERR):
            yield ImportedItem(at, Stderr(text.removeprefix(_STDERR)))
        elif command := _COMMAND.fullmatch(text):
            yield session.opened(at, argv=tuple(command.group(1).decode("utf-8", "replace").split()))
        elif message := _MESSAGE.fullmatch(text):
            yield from session.message(message.group(1) in _SENT, message.group(2), at)
        elif text.startswith((b"Connection state: Stopped", b"Connection state: Error")) and session.is_open:
            yield session.closed(at, text)
        else:
            source.passed_over["remarks of VS Code"] += 1


READER = Reader(
    "vscode",
    "a log of VS Code",
    (
        "the exact bytes: messages were serialized again",
        "the time zone: times are read as those of this machine",
        "headers, status, and invalid messages",
        "the arguments of the server's command",
    ),
    _knows,
    _read,
)
