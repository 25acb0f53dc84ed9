"""Frames and conversations made of plain JSON, for tests of the fold."""

import json
from itertools import count
from typing import Any

from inspector.protocol.conversation import Conversation
from inspector.protocol.events import Event
from inspector.protocol.frames import Cause, Channel, Direction, Frame

C2S, S2C = Direction.TO_SERVER, Direction.FROM_SERVER


class Wire:
    """Puts what is said on a wire and folds it. A frame is a second after the one before."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        self.frames: list[Frame] = []
        self._numbers = count(1)

    def say(
        self,
        direction: Direction,
        what: Any,
        *,
        http: int | None = None,
        probe: bool = False,
        channel: Channel = Channel.MEMORY,
    ) -> list[Event]:
        """Send JSON, or bytes as they are; the events of the frame."""
        payload = what if isinstance(what, bytes) else json.dumps(what).encode()
        n = next(self._numbers)
        time_ns, cause = n * 10**9, Cause.PROBE if probe else Cause.UNKNOWN
        frame = Frame(n, time_ns, time_ns, direction, channel, payload, http=http, cause=cause)
        self.frames.append(frame)
        return self.conversation.observe(frame)

    def ask(self, id_: Any, method: str, params: Any = None, direction: Direction = C2S, **how: Any) -> list[Event]:
        body = {"jsonrpc": "2.0", "id": id_, "method": method}
        return self.say(direction, body | ({} if params is None else {"params": params}), **how)

    def answer(self, id_: Any, result: Any, direction: Direction = S2C, **how: Any) -> list[Event]:
        return self.say(direction, {"jsonrpc": "2.0", "id": id_, "result": result}, **how)

    def fail(self, id_: Any, code: int, data: Any = None, direction: Direction = S2C, **how: Any) -> list[Event]:
        """Send an error."""
        error = {"code": code, "message": "no"} | ({} if data is None else {"data": data})
        return self.say(direction, {"jsonrpc": "2.0", "id": id_, "error": error}, **how)

    def notify(self, method: str, params: Any = None, direction: Direction = S2C, **how: Any) -> list[Event]:
        """Send a notification."""
        body = {"jsonrpc": "2.0", "method": method}
        return self.say(direction, body | ({} if params is None else {"params": params}), **how)


INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "0"}}
INITIALIZED = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "s", "version": "1"},
    "instructions": "be nice",
}


def meta(date: str = "2026-07-28") -> dict[str, Any]:
    """What a stateless request carries."""
    prefix = "io.modelcontextprotocol/"
    return {"_meta": {f"{prefix}protocolVersion": date, f"{prefix}clientCapabilities": {}, f"{prefix}clientInfo": {}}}
