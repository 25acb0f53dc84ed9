"""A subject that acts: its journal is a real one, its server is a function of the test."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from inspector.errors import InspectError
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import GivenUp, Replied, Reply
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse, read
from inspector.tui.conversation import About, ConversationStage, OpenConversation
from inspector.tui.screens.items.list import ItemList
from inspector.tui.screens.items.tools import ToolsPanel
from tests.present.tape import Tape
from tests.tui.screen_text import press
from tests.tui.widgets.showing import Showing, ShowingPanel
from tests.waiting import until

WIDE = (160, 40)
NARROW = (80, 24)


class Acting(OpenConversation):
    """Answers `tools/call` as `answer` says; records everything as frames."""

    def __init__(self, tools: list[Any] | None = None) -> None:
        self.tape = Tape()
        super().__init__(self.tape.journal, About("lighthouse"))
        self.can_act = True
        self.now_stage = ConversationStage.OPEN
        self.calls: list[Any] = []
        """The params of each call, as the panel gave them."""
        self.cancelled: list[Exchange] = []
        self.answer: Callable[[Any], Any] = lambda params: {
            "content": [{"type": "text", "text": "done"}],
            "structuredContent": {"sum": 1},
        }
        """A result, an `Error`, a Reply, or an exception to raise."""
        self.gate: asyncio.Event | None = None
        """While it is there and not set, answers wait."""
        self._id = 100
        if tools is not None:
            self.list(tools)

    def list(self, tools: list[Any]) -> None:
        """Let the server list its tools."""
        self._id += 1
        self.tape.request(self._id, "tools/list")
        self.tape.answer(self._id, {"tools": tools})

    @property
    def stage(self) -> ConversationStage:
        return self.now_stage

    @property
    def now_ns(self) -> int:
        return self.tape.now

    async def call(self, method: str, params: Any, opened: Callable[[Exchange], None]) -> Called:
        self.calls.append(params)
        self._id += 1
        number = self._id
        self.tape.request(number, method, {**params, "_meta": {"progressToken": number}})
        exchange = self.journal.conversation.exchanges[-1]
        opened(exchange)
        if self.gate is not None:
            await self.gate.wait()
        if exchange in self.cancelled:
            return Called(GivenUp(exchange), 1)
        self.tape.wait(12)
        return Called(self._reply(number, exchange, self.answer(params)), 1)

    def _reply(self, number: int, exchange: Exchange, answer: Any) -> Reply:
        if isinstance(answer, InspectError):
            raise answer
        if isinstance(answer, Reply):
            return answer
        if isinstance(answer, Error):
            n = self.tape.from_server({"jsonrpc": "2.0", "id": number, "error": answer.error})
        else:
            n = self.tape.answer(number, answer)
        (message,) = read(self.journal.store.entry(n).what.payload)  # type: ignore[union-attr]
        assert isinstance(message, ResultResponse | ErrorResponse)
        return Replied(message, exchange)

    def progress(self, done: float, total: float | None, message: str) -> None:
        """Let the server tell how far the newest call is."""
        token = self.journal.conversation.exchanges[-1].progress_token
        params = {"progressToken": token, "progress": done, "message": message}
        self.tape.notify("notifications/progress", params if total is None else params | {"total": total})

    async def cancel(self, exchange: Exchange) -> None:
        self.cancelled.append(exchange)
        if self.gate is not None:
            self.gate.set()


class Error:
    """A JSON-RPC error to answer with."""

    def __init__(self, code: int, message: str) -> None:
        self.error = {"code": code, "message": message}


class Tools(ShowingPanel[ToolsPanel]):
    """An app with the tools' panel alone."""

    def __init__(self, subject: OpenConversation, **more: Any) -> None:
        super().__init__(ToolsPanel(subject), **more)


class ShowingList(Showing):
    """A list of items alone."""

    def __init__(self, side: ItemList) -> None:
        super().__init__(side)
        self.side = side

    def on_mount(self) -> None:
        self.set_interval(1 / 60, lambda: self.side.sync() if self.side.is_ready else None)

    def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        self.posted.append(event)


async def chosen(app: Tools, pilot: Pilot[None], name: str, *keys: str, shows: str | tuple[str, ...] = ()) -> None:
    """Move to a tool and wait for its form; then press keys, and wait until this is on the screen."""
    await until(lambda: app.panel.form.tool is not None, "a first form is there")
    await until(lambda: not isinstance(app.focused, Input), "the first focus has settled")
    for _ in range(20):
        tool_ = app.panel.items.chosen
        if tool_ is not None and tool_.name == name:
            break
        await pilot.press("j")
    await until(lambda: app.panel.form.tool is not None and app.panel.form.tool.name == name, f"{name} has its form")
    await until(lambda: app.panel.form.form.state.verdict is not None, "its values are judged")
    await pilot.pause()
    await press(pilot, *keys, shows=shows)


@asynccontextmanager
async def at_tool(
    subject: OpenConversation, name: str, *keys: str, shows: str | tuple[str, ...] = ()
) -> AsyncIterator[tuple[Tools, Pilot[None]]]:
    """A wide app at the form of a tool, with these keys pressed, as `chosen` does."""
    async with (app := Tools(subject)).run_test(size=WIDE) as pilot:
        await chosen(app, pilot, name, *keys, shows=shows)
        yield app, pilot
