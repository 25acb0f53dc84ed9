"""The log of a server in Claude Desktop, `mcp-server-NAME.log`: messages of both sides, mixed with stderr.

Known from logs in public issues.
"""

import re
from collections.abc import Iterator

from inspector.capture.import_.items import ImportedItem, ImportedSession, ImportSource, Reader, moment
from inspector.protocol.facts import Stderr

_LINE = re.compile(rb"(\d{4}-\d\d-\d\dT[\d:.]+Z)((?: \[[^\]]*\])+) (.*)", re.DOTALL)
_MESSAGE = re.compile(rb"Message from (client|server): (.*?)(?: \{ metadata: [^{}]* \})?", re.DOTALL)


def _knows(start: bytes) -> bool:
    lines = [line for line in start.split(b"\n")[:200] if b"] " in line]
    return any(_LINE.match(line) and (b"] Message from " in line or b"] Initializing server" in line) for line in lines)


def _read(source: ImportSource) -> Iterator[ImportedItem]:
    session, at = ImportedSession(), None
    for line in source.lines():
        found = _LINE.fullmatch(line)
        if found is None:
            yield ImportedItem(at, Stderr(line))
            continue
        at, text = moment(found.group(1).decode()), found.group(3)
        message = _MESSAGE.fullmatch(text)
        if message is not None:
            is_sent = message.group(1) == b"client"
            yield from session.message(is_sent, message.group(2), at, argv=(_name(found.group(2)),))
        elif text.startswith(b"Initializing server"):
            if not session.is_open:
                yield session.opened(at, argv=(_name(found.group(2)),))
        elif text.startswith(b"Server transport closed") and session.is_open:
            yield session.closed(at, text.partition(b" {")[0])
        else:
            source.passed_over["remarks of Claude Desktop"] += 1


def _name(brackets: bytes) -> str:
    """Return the server's name: the bracket that is not a log level."""
    names = re.findall(r"\[([^\[\]]*)\]", brackets.decode("utf-8", "replace"))
    return next((each for each in names if each not in ("info", "warn", "error", "debug")), "")


READER = Reader(
    "claude-desktop",
    "a log of Claude Desktop",
    (
        "the exact bytes: messages were serialized again",
        "long messages: Claude Desktop cuts out their middle, and such a one is shown as what is left of it",
        "invalid messages on the server's stdout",
        "the server's command, and the times of stderr: each line has that of the line before it",
    ),
    _knows,
    _read,
)
