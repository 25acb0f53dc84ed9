"""Logs of supergateway 4: “[supergateway] StreamableHttp → Child: {…}”, for some servers with a time before it."""

import re
from collections.abc import Iterator

from inspector.capture.import_.items import (
    ImportedItem,
    ImportSource,
    Reader,
    closed,
    frame,
    members,
    moment,
    opened,
)
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Direction

_LINE = re.compile(rb"(?:(\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)\s+)?\[supergateway\] (.*)", re.DOTALL)
_MESSAGE = re.compile(rb"(\w+) \xe2\x86\x92 (\w+)(?: \([^()]*\))?: ?(.*)", re.DOTALL)
_COMMAND = re.compile(rb"  - stdio: (.*)")
_STDERR, _END = b"Child stderr: ", b"Child exited: "


def _knows(start: bytes) -> bool:
    return any(_LINE.match(line) for line in start.split(b"\n")[:200])


def _read(source: ImportSource) -> Iterator[ImportedItem]:
    is_open, at, command = False, None, ()
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
            if not is_open:
                yield opened(at, argv=command)
                is_open = True
            sent = message.group(2) == b"Child"
            yield frame(Direction.TO_SERVER if sent else Direction.FROM_SERVER, message.group(3), at)
        elif started := _COMMAND.fullmatch(text):
            command = tuple(started.group(1).decode("utf-8", "replace").split())
        elif text.startswith(_STDERR):
            yield ImportedItem(at, Stderr(text.removeprefix(_STDERR)))
        elif text.startswith(_END) and is_open:
            yield closed(at, text.decode("utf-8", "replace")[:300])
            is_open = False
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
