"""Logs of supergateway 4: “[supergateway] StreamableHttp → Child: {…}”, for some servers with a time before it."""

import re
from collections.abc import Iterator

from inspector.capture.import_.items import ImportedItem, ImportedSession, ImportSource, Reader, members, moment
from inspector.protocol.facts import Stderr

_LINE = re.compile(rb"(?:(\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)\s+)?\[supergateway\] (.*)", re.DOTALL)
_MESSAGE = re.compile(rb"(\w+) \xe2\x86\x92 (\w+)(?: \([^()]*\))?: ?(.*)", re.DOTALL)
_COMMAND = re.compile(rb"  - stdio: (.*)")
_STDERR, _END = b"Child stderr: ", b"Child exited: "


def _knows(start: bytes) -> bool:
    return any(_LINE.match(line) for line in start.split(b"\n")[:200])


def _read(source: ImportSource) -> Iterator[ImportedItem]:
    session, at, command = ImportedSession(), None, ()
    for line in source.lines():
        found = _LINE.fullmatch(line)
        if found is None:
            source.passed_over["lines without “[supergateway]”"] += 1
            continue
        at, text = moment((found.group(1) or b"").decode()) or at, found.group(2)
        message = _MESSAGE.fullmatch(text)
        if message is not None and b"Child" in message.groups()[:2]:
            if members(message.group(3)) is None:
                source.passed_over["messages that were not logged as JSON"] += 1
                continue
            yield from session.message(message.group(2) == b"Child", message.group(3), at, argv=command)
        elif started := _COMMAND.fullmatch(text):
            command = tuple(started.group(1).decode("utf-8", "replace").split())
        elif text.startswith(_STDERR):
            yield ImportedItem(at, Stderr(text.removeprefix(_STDERR)))
        elif text.startswith(_END) and session.is_open:
            yield session.closed(at, text)
        else:
            source.passed_over["remarks of supergateway"] += 1


READER = Reader(
    "supergateway",
    "a log of supergateway",
    (
        "when anything crossed, unless another program put a time before each line",
        "HTTP: headers, sessions, status and which exchange carried what",
        "responses of the SSE and client modes, which are not logged as JSON",
        "the exact bytes of messages to the server: they were serialized again",
    ),
    _knows,
    _read,
)
