"""Servers that fail for known reasons: `python planted.py REASONS [ARGUMENT…]`.

REASONS are names of `REASONS`, joined by "+" if each of them makes the server fail, or by "&" if only all of them
together do. `HOW` says how it then fails.
"""

import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

TOOLS = [{"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}} for name in "ab"]


class PlantedServer:
    """One run of a server, without its process."""

    def __init__(self, reasons: str, surroundings: Mapping[str, Any]) -> None:
        """`surroundings`: `env`, `cwd`, `argv`, `umask`, `blocked`, `files`, `terminal`; absent ones are empty."""
        self.reasons = reasons
        self.surroundings = surroundings
        self.seen: list[dict[str, Any]] = []
        self.opening: dict[str, Any] = {}
        self.raw, self.pause, self.overlaps = b"", 0.0, False
        self.exit: int | None = None

    def take(self, raw: bytes, pause: float, *, overlaps: bool) -> list[bytes]:
        """Handle one line, with its end. `pause`: seconds since the line before; `overlaps`: another one waits."""
        self.raw, self.pause = raw, pause
        message = json.loads(raw)
        self.overlaps |= overlaps and "id" in message
        self.seen.append(message)
        if message.get("method") == "initialize":
            self.opening = message
        if "id" not in message or "method" not in message:
            return []
        id_ = len([each for each in self.seen if "id" in each]) - 1 if self.reasons == "counted-ids" else message["id"]
        answer = {"jsonrpc": "2.0", "id": id_} | self._answer(message["method"], message)
        return [] if "silence" in answer or self.exit is not None else [json.dumps(answer).encode()]

    def _answer(self, method: str, message: dict[str, Any]) -> dict[str, Any]:
        if method == "initialize":
            version = message["params"].get("protocolVersion")
            info = {"capabilities": {"tools": {}}, "serverInfo": {"name": "planted", "version": "1"}}
            return {"result": info | {"protocolVersion": version}}
        if method == "ping":
            return {"result": {}}
        if method not in ("tools/list", "tools/call"):
            return {"error": {"code": -32601, "message": "Method not found"}}
        if self._fails(message):
            return self._failure(method)
        if method == "tools/list" and "second-page" in self.reasons:
            page = {"tools": TOOLS[:1], "nextCursor": "more"}
            return {"result": {"tools": TOOLS[1:]} if "cursor" in message.get("params", {}) else page}
        return {"result": {"tools": TOOLS} if method == "tools/list" else {"content": [{"type": "text", "text": "ok"}]}}

    def _failure(self, method: str) -> dict[str, Any]:
        match HOW.get(self.reasons, "error"):
            case "silence":
                return {"silence": True}
            case "empty":
                return {"result": {"tools": []}}
            case "exit":
                self.exit = 3
                return {}
            case "tool error":
                return {"result": {"content": [{"type": "text", "text": "failed"}], "isError": True}}
            case _:
                return {"error": {"code": -32000, "message": "Internal error"}}

    def _fails(self, message: dict[str, Any]) -> bool:
        if "&" in self.reasons:
            return all(REASONS[each](self, message) for each in self.reasons.split("&"))
        return any(REASONS[each](self, message) for each in self.reasons.split("+") if each)

    def member(self, *path: str) -> Any:
        """Return a member of the params of `initialize`."""
        value: Any = self.opening.get("params")
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value


def _by_chance(share: float) -> bool:
    """Return whether this run fails, by its number in a file: the same runs each time."""
    with open(os.environ["PLANTED_COUNT"], "a+b") as file:
        file.write(b".")
        return random.Random(file.tell()).random() < share


Reason = Callable[[PlantedServer, dict[str, Any]], bool]
REASONS: dict[str, Reason] = {
    "healthy": lambda server, message: False,
    "never": lambda server, message: True,
    "roots": lambda server, message: server.member("capabilities", "roots") is None,
    "list-changed": lambda server, message: server.member("capabilities", "roots", "listChanged") is not True,
    "sampling": lambda server, message: server.member("capabilities", "sampling") is not None,
    "version": lambda server, message: server.member("protocolVersion") != "2025-06-18",
    "client-name": lambda server, message: server.member("clientInfo", "name") == "fails",
    "client-title": lambda server, message: server.member("clientInfo", "title") is not None,
    "progress": lambda server, message: "progressToken" in ((message.get("params") or {}).get("_meta") or {}),
    "any-meta": lambda server, message: "_meta" in (message.get("params") or {}),
    "both-members": lambda server, message: bool(
        {"progressToken", "x"} & {*((message.get("params") or {}).get("_meta") or {})}
    ),
    "params": lambda server, message: "params" not in message,
    "null-params": lambda server, message: message.get("params", {}) is None,
    "text-ids": lambda server, message: isinstance(message["id"], str),
    "id-zero": lambda server, message: server.opening.get("id") == 0,
    "id-reused": lambda server, message: server.opening.get("id") == message["id"],
    "member-order": lambda server, message: next(iter(message)) != "jsonrpc",
    "escapes": lambda server, message: b"\\u" in server.raw,
    "numbers": lambda server, message: b"1.0" in server.raw,
    "crlf": lambda server, message: server.raw.endswith(b"\r\n"),
    "no-line-end": lambda server, message: not server.raw.endswith(b"\n"),
    "spaces": lambda server, message: b'": ' in server.raw,
    "initialized": lambda server, message: all(
        each.get("method") != "notifications/initialized" for each in server.seen
    ),
    "ping-first": lambda server, message: any(each.get("method") == "ping" for each in server.seen),
    "argument": lambda server, message: (message.get("params") or {}).get("arguments", {}).get("depth") == 2,
    "counted-ids": lambda server, message: False,
    "no-roots-answer": lambda server, message: all("result" not in each for each in server.seen),
    "second-page": lambda server, message: False,
    "overlap": lambda server, message: server.overlaps,
    "hurry": lambda server, message: server.pause < 0.3,
    "dawdle": lambda server, message: server.pause > 0.5,
    "variable": lambda server, message: "PLANTED_TOKEN" not in server.surroundings.get("env", ()),
    "noisy-variable": lambda server, message: "PLANTED_DEBUG" in server.surroundings.get("env", ()),
    "directory": lambda server, message: os.path.basename(server.surroundings.get("cwd", "")) == "fails",
    "flag": lambda server, message: "--strict" in server.surroundings.get("argv", ()),
    "umask": lambda server, message: server.surroundings.get("umask", 0o022) == 0o077,
    "blocked-signal": lambda server, message: signal.SIGTERM in server.surroundings.get("blocked", ()),
    "ignored-signal": lambda server, message: signal.SIGHUP in server.surroundings.get("ignored", ()),
    "descriptor": lambda server, message: 7 in server.surroundings.get("files", ()),
    "terminal": lambda server, message: bool(server.surroundings.get("terminal")),
    "third": lambda server, message: _by_chance(0.34),
    "half": lambda server, message: _by_chance(0.5),
    "mostly": lambda server, message: _by_chance(0.75),
}
HOW = {
    "sampling": "empty",
    "version": "exit",
    "client-title": "silence",
    "argument": "tool error",
    "dawdle": "exit",
    "crlf": "silence",
}
"""How a server fails, where that is not an error."""


def _surroundings(argv: Sequence[str]) -> dict[str, Any]:
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    ignored = [number for number in (signal.SIGHUP, signal.SIGINT) if signal.getsignal(number) is signal.SIG_IGN]
    umask = os.umask(0o022)
    files = [fd for fd in range(3, 20) if os.path.exists(f"/proc/self/fd/{fd}")]
    here: dict[str, Any] = {"env": set(os.environ), "cwd": os.getcwd(), "argv": argv, "umask": umask, "files": files}
    return here | {"blocked": blocked, "ignored": ignored, "terminal": os.isatty(2)}


def main() -> None:
    time.sleep(float(os.environ.get("PLANTED_START_S", "0")))
    server = PlantedServer(sys.argv[1], _surroundings(sys.argv[2:]))
    last, inbox = time.monotonic(), b""
    while server.exit is None:
        if b"\n" not in inbox:
            piece = os.read(0, 65536)
            if not piece and not inbox:
                return
            inbox += piece
            if piece and not inbox.endswith(b"\n"):
                continue
        pause, last = time.monotonic() - last, time.monotonic()
        raw, end, inbox = inbox.partition(b"\n")
        if "overlap" in server.reasons and select.select([0], [], [], 0.05)[0]:
            inbox += os.read(0, 65536)
        for answer in server.take(raw + end, pause, overlaps=b'"id"' in inbox):
            sys.stdout.buffer.write(answer + b"\n")
            sys.stdout.buffer.flush()
    sys.exit(server.exit)


if __name__ == "__main__":
    main()
