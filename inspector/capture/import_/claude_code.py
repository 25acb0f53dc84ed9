"""The log of a server in Claude Code, `mcp-logs-NAME/TIME.jsonl`: remarks, stderr, and what messages they quote.

Known from logs in public repositories: objects with `debug` or `error`, `timestamp`, and perhaps `sessionId`, `cwd`.
"""

import re
from collections.abc import Iterator

from inspector.capture.import_.directions import Directions
from inspector.capture.import_.items import Item, Reader, Source, frame, opened, said
from inspector.capture.import_.members import first_members
from inspector.protocol.facts import Stderr

_OPENING = re.compile(r"\{\s*\"(?:jsonrpc|method|id|result|error)\"")
_STDERR = re.compile(r"Server stderr: (.*)", re.DOTALL)


def _knows(start: bytes) -> bool:
    first = first_members(start)
    return "timestamp" in first and ("debug" in first or "error" in first) and "jsonrpc" not in first


def _read(source: Source) -> Iterator[Item]:
    directions, is_open = Directions(), False
    for line in source.objects():
        at = line.moment("timestamp")
        if not is_open:
            yield opened(at, cwd=line.text("cwd"))
            is_open = True
        remark = line.text("debug") or line.text("error")
        if stderr := _STDERR.fullmatch(remark):
            for each in stderr.group(1).rstrip("\n").split("\n"):
                yield Item(at, Stderr(said(each)))
        elif '"jsonrpc"' in (quoted := _quoted(remark)):
            payload = said(quoted)
            yield frame(directions.of(payload), payload, at)
        else:
            source.passed_over["remarks of Claude Code"] += 1


def _quoted(remark: str) -> str:
    """Return the object that a remark quotes, from where a message may begin to the last brace; "" without one.

    Two searches instead of one pattern: a pattern tries each opening against the whole rest of the remark.
    """
    opening = _OPENING.search(remark)
    return remark[opening.start() : remark.rfind("}") + 1] if opening else ""


READER = Reader(
    "claude-code",
    "a log of Claude Code",
    (
        "messages, but for those that a remark quotes: most versions tell of a call without what was sent",
        "who sent a message: that is worked out from methods and ids",
        "the server's command, and how it was carried",
    ),
    _knows,
    _read,
)
