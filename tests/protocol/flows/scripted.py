"""Plays a flow against a list of replies, as a driver would, and keeps the steps it asked for."""

from collections.abc import Sequence
from typing import Any, TypeVar

from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Flow, Notice, Refused, Replied, Send, Step
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import ErrorResponse, Part, ResultResponse

T = TypeVar("T")


def exchange(method: str = "m", id_: int = 1) -> Exchange:
    """An exchange as a driver would hand it over."""
    return Exchange(1, Direction.TO_SERVER, id_, method, "", 1, 0)


def result(value: Any, method: str = "m") -> Replied:
    return Replied(ResultResponse(1, Part(None, value)), exchange(method))


def error(code: int, data: Any = None, message: str = "no", method: str = "m") -> Replied:
    """A JSON-RPC error came."""
    body = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return Replied(ErrorResponse(1, Part(None, body)), exchange(method))


def refused(status: int | None, body: bytes = b"", content_type: str = "", **more: Any) -> Refused:
    """HTTP said no."""
    return Refused(exchange(), status, content_type, body, **more)


class Played:
    """A flow driven to its end: `steps` it asked for; `play` returns what it returned, or raises what it raised."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def play(self, flow: Flow[T], replies: Sequence[Any]) -> T:
        """Answer the flow's steps with the replies, in order. Fails if it asks for more, or for less."""
        waiting = list(replies)
        came: Any = None
        while True:
            try:
                step = flow.send(came)
            except StopIteration as stop:
                assert not waiting, f"the flow ended before {waiting}"
                value: T = stop.value
                return value
            self.steps.append(step)
            assert waiting, f"nothing left to answer {step}"
            came = waiting.pop(0)

    @property
    def told(self) -> list[str]:
        """What the person was told."""
        return [step.what for step in self.steps if isinstance(step, Notice)]

    @property
    def methods(self) -> list[str]:
        """What was sent, in order, and the names of the other steps."""
        return [step.method if isinstance(step, Send) else type(step).__name__ for step in self.steps]
