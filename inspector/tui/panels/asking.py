"""Asking for what a server offers: what the screens of tools, resources and prompts have in common.

Requests run in workers: several may be on their way, and the panel follows the newest.
"""

from typing import Generic

from textual import work
from textual.message import Message

from inspector.protocol.exchanges import Exchange
from inspector.tui.panels.answers import Answers, ThingFormT, ThingSideT
from inspector.tui.panels.calls import Call, Looked, Past
from inspector.tui.panels.result import ResultPanel
from inspector.tui.panels.result_body import HISTORY
from inspector.tui.panels.thing_list import ThingSide


class Asking(Answers[ThingSideT, ThingFormT], Generic[ThingSideT, ThingFormT]):
    """A screen of things that can be asked for."""

    class RequestFinished(Message):
        """A request is over, in whatever way."""

        def __init__(self, call: Call) -> None:
            super().__init__()
            self.call = call

    # What is different between the kinds of things

    async def reuse(self, call: Past | Looked | Call, deed: str) -> None:
        """Put a request's arguments into the form, and with "repeat" ask again."""
        await self.form.take(call.arguments)
        if deed == "repeat":
            self.form.arm()
            await self.form.send()
        else:
            self.go("form")

    async def do_more(self, name: str) -> None:
        """What a key asks for that means nothing elsewhere; "edit" and "repeat" of the request that is shown."""
        if (call := self.last_call) is not None:
            await self.reuse(call, name)

    @property
    def last_call(self) -> Past | Looked | Call | None:
        """The request that is shown, else the last one for the chosen thing, be it of an earlier connection."""
        return self.result.chosen or next(reversed(self.past), None)

    # What the app asks

    async def cancel_running(self) -> bool:
        """Cancel the newest request that runs."""
        return await self.calling.cancel()

    @property
    def running(self) -> Exchange | None:
        """The newest request that runs."""
        call = self.calling.newest
        return call.exchange if call else None

    def action_filter(self) -> None:
        """Search in the list."""
        self.go("list", focus=False)
        self.side.search()

    def action_clear_filter(self) -> None:
        """Show all again."""
        self.side.end_search()

    async def action_send(self) -> None:
        """Ask for it."""
        await self.settle()
        await self.form.send()

    async def action_do(self, name: str) -> None:
        """What else a key asks for: "json", "about", "history", "save", and what these things alone can do."""
        await self.settle()
        match name:
            case "json":
                self.go("form", focus=False)
                await self.form.toggle_json()
            case "about":
                self.form.toggle_about()
            case "save":
                self.save_block()
            case "history":
                self.show_view(HISTORY)
            case _:
                await self.do_more(name)

    def show_view(self, tab: int) -> None:
        """Go to one of the views of the result."""
        self.add_class("-called")
        self.result.body.show_tab(tab)
        self.go("result")

    # What is asked for

    async def follow(self, event: ThingSide.Chosen) -> None:
        """Show the thing, and go to its form where that is wanted; to the answers where they alone say something."""
        event.stop()
        await self.choose(event)
        if event.opened:
            only_read = self.has_class("-narrow") and not self.subject.can_act and bool(self.past)
            self.go("result" if only_read else "form")

    def begin(self, call: Call) -> None:
        """Send it, and show how it goes."""
        self.add_class("-called")
        self.look_at_nothing()
        self.result.show_running(call)
        self._make(call)
        if self.has_class("-narrow"):
            self.go("result")

    @work(group="calls")
    async def _make(self, call: Call) -> None:
        try:
            await self.calling.make(call)
        finally:
            self.post_message(self.RequestFinished(call))

    def on_asking_request_finished(self, event: RequestFinished) -> None:
        """Show what came of it, unless the person is looking at another thing by now."""
        call, thing = event.call, self.form.thing
        if thing is not None and call.thing.key == thing.key and self.calling.of(thing) is None:
            self.look_at(call.journal, call.exchange, call)

    async def on_result_panel_wanted(self, event: ResultPanel.Wanted) -> None:
        """Show another request, take its arguments, repeat it, or cancel the one that runs."""
        event.stop()
        if event.deed == "cancel":
            await self.cancel_running()
        elif event.deed == "show" and isinstance(event.call, Past):
            self.show_again(event.call)
        elif event.call is not None:
            await self.reuse(event.call, event.deed)
