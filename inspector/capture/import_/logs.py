"""The log of a server in Claude Code, `mcp-logs-NAME/TIME.jsonl`: remarks, stderr, and what messages they quote.

Known from logs in public repositories: objects with `debug` or `error`, `timestamp`, and perhaps `sessionId`, `cwd`.
"""

import re
from collections.abc import Iterator

from inspector.capture.import_.items import (
    ImportedItem,
    ImportSource,
    Reader,
    closed,
    first_members,
    frame,
    moment,
    opened,
    said,
)
from inspector.protocol import peek
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Notification, Request, RequestId, read

# --- Who sent a message, where nobody has written it down: known by its method, or by whose request it answers.

_OF_SERVER = frozenset(
    {
        *("sampling/createMessage", "elicitation/create", "roots/list"),
        *("notifications/message", "notifications/progress", "notifications/elicitation/complete"),
        *("notifications/tools/list_changed", "notifications/prompts/list_changed"),
        *("notifications/resources/list_changed", "notifications/resources/updated"),
        *("notifications/subscriptions/acknowledged", "notifications/tasks/status"),
    }
)
_MOST = 100_000
"""Requests whose answers are awaited."""


class Directions:
    """What is known so far of the messages of one session."""

    def __init__(self) -> None:
        self._open: dict[tuple[Direction, RequestId], None] = {}

    def of(self, payload: bytes) -> Direction:
        """Who sent this frame, the next of its session."""
        found = Direction.FROM_SERVER
        for at, message in enumerate(read(payload)):
            one = self._of(message)
            found = one if at == 0 else found
        return found

    def _of(self, message: object) -> Direction:
        if isinstance(message, Request | Notification):
            sender = self._sender(message)
            if isinstance(message, Request):
                self._open[sender, message.id] = None
                if len(self._open) > _MOST:
                    del self._open[next(iter(self._open))]
            return sender
        if isinstance(message, Answer | ErrorAnswer) and message.id is not None:
            return self._answering(message.id)
        return Direction.FROM_SERVER

    def _sender(self, message: Request | Notification) -> Direction:
        if message.method == "notifications/cancelled":
            id_ = peek.request_id(message.params, "requestId")
            theirs = id_ is not None and (Direction.FROM_SERVER, id_) in self._open
            ours = id_ is not None and (Direction.TO_SERVER, id_) in self._open
            return Direction.FROM_SERVER if theirs and not ours else Direction.TO_SERVER
        return Direction.FROM_SERVER if message.method in _OF_SERVER else Direction.TO_SERVER

    def _answering(self, id_: RequestId) -> Direction:
        """Of two open requests with one id, the older is answered."""
        asked = next((key for key in self._open if key[1] == id_ and type(key[1]) is type(id_)), None)
        if asked is None:
            return Direction.FROM_SERVER
        del self._open[asked]
        return Direction.TO_SERVER if asked[0] is Direction.FROM_SERVER else Direction.FROM_SERVER


_OPENING = re.compile(r"\{\s*\"(?:jsonrpc|method|id|result|error)\"")
_STDERR = re.compile(r"Server stderr: (.*)", re.DOTALL)


def _knows(start: bytes) -> bool:
    first = first_members(start)
    return "timestamp" in first and ("debug" in first or "error" in first) and "jsonrpc" not in first


def _read(source: ImportSource) -> Iterator[ImportedItem]:
    directions, is_open = Directions(), False
    for line in source.objects():
        at = line.moment("timestamp")
        if not is_open:
            yield opened(at, cwd=line.text("cwd"))
            is_open = True
        remark = line.text("debug") or line.text("error")
        if stderr := _STDERR.fullmatch(remark):
            for each in stderr.group(1).rstrip("\n").split("\n"):
                yield ImportedItem(at, Stderr(said(each)))
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


CLAUDE_CODE = Reader(
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


# --- The log of a server in Claude Desktop, `mcp-server-NAME.log`: messages of both sides, and its stderr between.

_LINE = re.compile(rb"(\d{4}-\d\d-\d\dT[\d:.]+Z)((?: \[[^\]]*\])+) (.*)", re.DOTALL)
_MESSAGE = re.compile(rb"Message from (client|server): (.*?)(?: \{ metadata: [^{}]* \})?", re.DOTALL)


def _claude_desktop_knows(start: bytes) -> bool:
    lines = [line for line in start.split(b"\n")[:200] if b"] " in line]
    return any(_LINE.match(line) and (b"] Message from " in line or b"] Initializing server" in line) for line in lines)


def _claude_desktop_read(source: ImportSource) -> Iterator[ImportedItem]:
    is_open, at = False, None
    for line in source.lines():
        found = _LINE.fullmatch(line)
        if found is None:
            yield ImportedItem(at, Stderr(line))
            continue
        at, said = moment(found.group(1).decode()), found.group(3)
        message = _MESSAGE.fullmatch(said)
        if message is not None or said.startswith(b"Initializing server"):
            if not is_open:
                yield opened(at, argv=(_name(found.group(2)),))
                is_open = True
            if message is not None:
                sent = message.group(1) == b"client"
                yield frame(Direction.TO_SERVER if sent else Direction.FROM_SERVER, message.group(2), at)
        elif said.startswith(b"Server transport closed") and is_open:
            yield closed(at, said.partition(b" {")[0].decode("utf-8", "replace")[:300])
            is_open = False
        else:
            source.passed_over["remarks of Claude Desktop"] += 1


def _name(brackets: bytes) -> str:
    """What the server is called: the bracket that is no level."""
    names = re.findall(r"\[([^\]]*)\]", brackets.decode("utf-8", "replace"))
    return next((each for each in names if each not in ("info", "warn", "error", "debug")), "")


CLAUDE_DESKTOP = Reader(
    "claude-desktop",
    "a log of Claude Desktop",
    (
        "the exact bytes: each message was written anew",
        "long messages: Claude Desktop cuts out their middle, and such a one is shown as what is left of it",
        "what is no message on the server's stdout",
        "the server's command, and the times of stderr: each line has that of the line before it",
    ),
    _claude_desktop_knows,
    _claude_desktop_read,
)


# --- The output of a server in VS Code, with the level Trace or Debug: messages of both sides, and its stderr.

_VSCODE_LINE = re.compile(rb"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \[(\w+)\] (.*)", re.DOTALL)
_VSCODE_MESSAGE = re.compile(rb"\[(Client Says|Server Says|editor -> server|server -> editor)\] (.*)", re.DOTALL)
_SENT = (b"Client Says", b"editor -> server")
_VSCODE_STDERR = b"[server stderr] "
_COMMAND = re.compile(rb"Server command line: (.*)")


def _vscode_knows(start: bytes) -> bool:
    for line in start.split(b"\n")[:200]:
        found = _VSCODE_LINE.fullmatch(line.rstrip(b"\r"))
        if found and (
            _VSCODE_MESSAGE.match(found.group(3)) or found.group(3).startswith((b"Starting server ", _VSCODE_STDERR))
        ):
            return True
    return False


def _vscode_read(source: ImportSource) -> Iterator[ImportedItem]:
    is_open = False
    for line in source.lines():
        found = _VSCODE_LINE.fullmatch(line)
        if found is None:
            source.passed_over["lines without a time"] += 1
            continue
        at, said = moment(found.group(1).decode()), found.group(3)
        if said.startswith(_VSCODE_STDERR):
            yield ImportedItem(at, Stderr(said.removeprefix(_VSCODE_STDERR)))
        elif command := _COMMAND.fullmatch(said):
            yield opened(at, argv=tuple(command.group(1).decode("utf-8", "replace").split()))
            is_open = True
        elif message := _VSCODE_MESSAGE.fullmatch(said):
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


VSCODE = Reader(
    "vscode",
    "a log of VS Code",
    (
        "the exact bytes: each message was written anew",
        "the time zone: times are read as those of this machine",
        "how it was carried: headers, status, and what is no message",
        "how the words of the server's command were parted",
    ),
    _vscode_knows,
    _vscode_read,
)
