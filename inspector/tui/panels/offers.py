"""A screen of things that a server offers: the list, the form of the chosen one, and what came of asking for it.

Resources and prompts share it; what is different between them stands in an `OfferKind`. Requests run in workers, and
everything that is shown is read back from the journal, so a recording shows its own reads by the same code.
"""

import asyncio

from textual import work
from textual.message import Message

from inspector.capture.journal import Journal
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.things import Thing
from inspector.tui.panels.call_history import CallHistory, HistoryRows
from inspector.tui.panels.calling import Calling
from inspector.tui.panels.calls import Call, Looked, arguments_of, look
from inspector.tui.panels.offer_form import OfferForm
from inspector.tui.panels.offer_kind import OfferKind
from inspector.tui.panels.offer_list import OfferSide
from inspector.tui.panels.result import ResultPanel
from inspector.tui.panels.result_body import HISTORY
from inspector.tui.panels.steps import Steps
from inspector.tui.subject import Subject


class OffersPanel(Steps[OfferSide, OfferForm]):
    """Offers of one kind, and asking for them."""

    class RequestFinished(Message):
        """A request is over, in whatever way."""

        def __init__(self, call: Call) -> None:
            super().__init__()
            self.call = call

    class LookedAt(Message):
        """A request that is over has been read back."""

        def __init__(self, looked: Looked) -> None:
            super().__init__()
            self.looked = looked

    def __init__(self, subject: Subject, kind: OfferKind) -> None:
        super().__init__(subject, OfferSide(subject, kind), OfferForm(subject, kind), ResultPanel(kind.result_words))
        self.kind = kind
        self._start_with(subject)
        self._wanted: Exchange | None = None
        """The request that is being read back, or was last."""

    def _start_with(self, subject: Subject) -> None:
        self.subject = subject
        self._calling = Calling(subject, self.kind.done)
        self._history = CallHistory(subject, self.kind.method)
        self._calls: list[Exchange] = []
        """Recorded requests for the chosen thing, oldest first."""

    # What the app asks

    def sync(self) -> None:
        """Take in what is new."""
        if not self.is_ready:
            return
        self.side.sync()
        self.form.say_why_not(self._calling.why_not())
        if self._history.take():
            self._find_calls()
        if self.result.is_empty:
            self._show_newest()
        self.result.tick(self.subject.now_ns)
        self.result.body.sync()

    def rebind(self, subject: Subject) -> None:
        """Show another conversation; the chosen thing and what was typed stay."""
        self._start_with(subject)
        self.side.rebind(subject)
        self.form.rebind(subject)
        if self.is_ready:
            self._find_calls()

    async def cancel_running(self) -> bool:
        """Cancel the newest request that runs."""
        return await self._calling.cancel()

    def _find_calls(self) -> None:
        thing, history = self.form.thing, self._history
        found = [name for name in history.targets if thing is not None and self.kind.made(thing, name)]
        calls = [exchange for name in found for exchange in history.of(name)]
        self._calls = sorted(calls, key=lambda exchange: exchange.number)
        self.result.body.show_history(HistoryRows(self.subject, lambda: self._calls))

    def action_filter(self) -> None:
        """Search in the list."""
        self.go("list", focus=False)
        self.side.search()

    async def action_send(self) -> None:
        """Ask for it."""
        await self.form.send()

    async def action_do(self, name: str) -> None:
        """What else a key asks for: "json", "about", "history", "repeat", "complete", "save"."""
        match name:
            case "json":
                self.go("form", focus=False)
                await self.form.toggle_json()
            case "about":
                self.form.toggle_about()
            case "complete":
                self.form.complete()
            case "save":
                self._save()
            case "history":
                self.add_class("-called")
                self.result.body.show_tab(HISTORY)
                self.go("result")
            case "repeat" if self.result.chosen is None:
                await self.form.send()
            case _ if self.result.chosen is not None:
                await self._reuse(self.result.chosen, name)
            case _:
                pass

    # What is asked for

    async def on_thing_side_chosen(self, event: OfferSide.Chosen) -> None:
        """Show the thing, and its newest request."""
        event.stop()
        thing = event.thing
        if thing is None or thing != self.form.thing:
            await self.form.show(thing)
            self._find_calls()
            self._wanted = None
            self.result.show_nothing()
            self.remove_class("-called")
            self._show_newest()
        if event.opened:
            self.go("form")

    def _show_newest(self) -> None:
        """Show the newest request for the thing, running or over; nearly free if there is none."""
        running = self._calling.of(self.form.thing)
        newest = next((exchange for exchange in reversed(self._calls) if not exchange.is_open), None)
        if running is not None:
            self.result.show_running(running)
        elif newest is None:
            self._wanted = None
        elif newest is not self._wanted:
            self._wanted = newest
            self._look(self.subject.journal, newest, None)

    def on_thing_form_call_wanted(self, event: OfferForm.CallWanted) -> None:
        """Ask for it."""
        event.stop()
        self._begin(event.thing, event.arguments, self.form.request.params)

    def _begin(self, thing: Thing, arguments: object, params: object) -> None:
        call = self._calling.begin(thing, arguments, self.kind.method, params)
        self.add_class("-called")
        self.result.show_running(call)
        self._make(call)
        if self.has_class("-narrow"):
            self.go("result")

    @work(group="calls")
    async def _make(self, call: Call) -> None:
        try:
            await self._calling.make(call)
        finally:
            self.post_message(self.RequestFinished(call))

    def on_offers_panel_request_finished(self, event: RequestFinished) -> None:
        """Show what came of it, unless the person is looking at another thing by now."""
        call, thing = event.call, self.form.thing
        if thing is not None and call.thing.key == thing.key and self._calling.of(thing) is None:
            self._wanted = call.exchange
            self._look(call.journal, call.exchange, call.called)

    @work(exclusive=True, group="look")
    async def _look(self, journal: Journal, exchange: Exchange | None, called: Called | None) -> None:
        looked = await asyncio.to_thread(look, journal, exchange, None, called, method=self.kind.method)
        self.post_message(self.LookedAt(looked))

    def on_offers_panel_looked_at(self, event: LookedAt) -> None:
        """Show it."""
        event.stop()
        self.add_class("-called")
        self.result.show(event.looked)

    async def on_result_panel_wanted(self, event: ResultPanel.Wanted) -> None:
        """Show another request, take its arguments, repeat it, or cancel the one that runs."""
        event.stop()
        if event.deed == "cancel":
            await self.cancel_running()
        elif event.exchange is not None and event.deed == "show":
            self._look(self.subject.journal, event.exchange, None)
        elif event.exchange is not None:
            await self._reuse(event.exchange, event.deed)

    async def _reuse(self, exchange: Exchange, deed: str) -> None:
        """Put a request's arguments into the form, and with "repeat" ask again."""
        thing = self.form.thing
        if deed == "repeat" and thing is not None and self.kind.method == "resources/read":
            if why_not := self._calling.why_not():
                self.app.notify(f"Nothing was sent ({why_not}).", severity="warning", markup=False)
            else:
                self._begin(thing, None, {"uri": exchange.target})
            return
        if self.kind.method != "resources/read":
            await self.form.take(await asyncio.to_thread(arguments_of, self.subject.journal, exchange))
        if deed == "repeat":
            self.form.arm()
            await self.form.send()
        else:
            self.go("form")

    def _save(self) -> None:
        """Save the content under the cursor."""
        from inspector.tui.screens.save import SaveScreen, file_name
        from inspector.viewmodels.text import visible

        block = self.result.body.block
        if block is None:
            self.app.notify("There is nothing to save yet.", markup=False)
            return

        def saved(path: object) -> None:
            if path is not None:
                self.app.notify(f"Saved as {visible(str(path), limit=300)}.", markup=False)

        self.app.push_screen(SaveScreen(block.payload, file_name(block.uri, block.mime_type)), saved)
