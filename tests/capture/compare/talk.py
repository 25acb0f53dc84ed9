"""Conversations for comparing, written down message by message."""

import json
from typing import Any

from inspector.capture.compare.operations import OperationCollector, Operations
from inspector.protocol.frames import Channel, Direction, Frame

Said = tuple[str, dict[str, Any]]


def asks(id_: int, method: str, params: Any = None) -> Said:
    return ">", {"id": id_, "method": method} | ({} if params is None else {"params": params})


def calls(id_: int, tool: str, **arguments: Any) -> Said:
    return asks(id_, "tools/call", {"name": tool, "arguments": arguments, "_meta": {"progressToken": id_}})


def gives(id_: int, result: Any) -> Said:
    return "<", {"id": id_, "result": result}


def says(id_: int, text: str) -> Said:
    return gives(id_, {"content": [{"type": "text", "text": text}]})


def tells(method: str, params: Any) -> Said:
    return "<", {"method": method, "params": params}


def told(*said: Said, http: int | None = None) -> Operations:
    """What operations these messages make, over stdio or all in one HTTP exchange."""
    teller = OperationCollector()
    for n, (sign, message) in enumerate(said, 1):
        direction = Direction.TO_SERVER if sign == ">" else Direction.FROM_SERVER
        channel = Channel.STDIN if sign == ">" else Channel.STDOUT
        payload = json.dumps({"jsonrpc": "2.0"} | message).encode()
        teller.take(Frame(n, n * 1000, n * 1000, direction, channel, payload, http=http))
    return teller.collected()
