"""Making calls: several may be on their way, and each ends in words, whatever becomes of it.

It knows no widget. Whoever asks for a call awaits it in a worker and is told by the return value.
"""

from typing import Any

from inspector.errors import InspectError
from inspector.forms.fields import UNSET
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Broken
from inspector.protocol.things import Thing, Tool
from inspector.tui.panels.calls import Call
from inspector.tui.subject import Stage, Subject
from inspector.viewmodels.text import visible


class Calling:
    """The calls that a panel makes of one subject."""

    def __init__(self, subject: Subject, done: str = "called") -> None:
        """`done` says what can't be done where nothing can be called: "called", "read"."""
        self._subject = subject
        self._done = done
        self.running: list[Call] = []
        """Oldest first."""
        self._confirmed: set[str] = set()

    def why_not(self) -> str:
        """Why nothing can be called now, in a few words; "" if it can."""
        if not self._subject.can_act:
            return f"a recording: not {self._done}; r in the traffic resends"
        match self._subject.stage:
            case Stage.OPEN:
                return ""
            case Stage.CONNECTING | Stage.LOADING:
                return "still connecting"
            case Stage.CLOSED | Stage.FAILED | Stage.RECORDED:
                return "not connected (^r connects again)"

    def must_ask(self, tool: Tool) -> bool:
        """Whether a person must confirm first: once for each tool that is claimed to destroy something."""
        return tool.destructive and tool.name not in self._confirmed

    def confirmed(self, tool: Tool) -> None:
        """A person has confirmed."""
        self._confirmed.add(tool.name)

    @property
    def newest(self) -> Call | None:
        """The call that was made last, of those that run."""
        return self.running[-1] if self.running else None

    def of(self, thing: Thing | None) -> Call | None:
        """The newest call of a tool that runs."""
        calls = reversed(self.running)
        return next((call for call in calls if thing is not None and call.thing.key == thing.key), None)

    def begin(
        self,
        thing: Thing,
        arguments: object,
        method: str = "tools/call",
        params: Any = None,
        *,
        as_task: bool = False,
    ) -> Call:
        """Note a call that is about to be made; `as_task` asks the server to run it as a task."""
        call = Call(thing, arguments, self._subject.journal, method=method, params=params, as_task=as_task)
        self.running.append(call)
        return call

    async def make(self, call: Call) -> Call:
        """Make the call and wait for what comes of it. Raises nothing that a server or a connection can cause."""

        def opened(exchange: Exchange) -> None:
            if not exchange.method.startswith("tasks/"):  # those follow what the call has become
                call.exchange = exchange

        params: dict[str, Any] = {"name": call.thing.name} if call.params is None else call.params
        if call.params is None and call.arguments is not UNSET:
            params["arguments"] = call.arguments
        if call.as_task:
            params["task"] = {}
        try:
            call.called = await self._subject.call(call.method, params, opened)
        except InspectError as error:
            call.called = Called(Broken(call.exchange, str(error), error.hint), 1)
        finally:
            call.over = True
            self.running.remove(call)
        return call

    async def cancel(self) -> bool:
        """Cancel the newest call; whether there was one that had been sent."""
        call = self.newest
        if call is None or call.exchange is None:
            return False
        call.cancelling = True
        await self._subject.cancel(call.exchange)
        return True


def question(tool: Tool, label: str) -> list[list[tuple[str, Any]]]:
    """What to ask before a destructive call, as lines."""
    return [
        [
            ("Call ", "text"),
            (visible(tool.name, limit=120), "strong"),
            (" on ", "text"),
            (visible(label, limit=60), "strong"),
            ("?", "text"),
        ],
        [("Its server claims that it destroys something. You are asked once for this tool.", "muted")],
    ]
