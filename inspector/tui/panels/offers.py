"""A screen of things that a server offers: the list, the form of the chosen one, and what came of asking for it.

Resources and prompts share it; what is different between them stands in an `OfferKind`. Requests run in workers, and
everything that is shown is read back from the journal, so a recording shows its own reads by the same code.
"""

import asyncio
import dataclasses
from collections.abc import Sequence

from textual import work
from textual.message import Message

from inspector.capture.journal import Journal
from inspector.protocol.exchanges import Exchange
from inspector.protocol.things import Thing
from inspector.tui.panels.call_history import CallHistory, HistoryRows
from inspector.tui.panels.calling import Calling
from inspector.tui.panels.calls import Call, Looked, Past, look, look_back
from inspector.tui.panels.clocks import clocks_of
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

        def __init__(self, looked: Looked, *, journal: Journal) -> None:
            super().__init__()
            self.looked = looked
            self.journal = journal
            """The one that it was read from."""

    def __init__(self, subject: Subject, kind: OfferKind, side: OfferSide | None = None) -> None:
        side = side or OfferSide(subject, kind)
        super().__init__(subject, side, OfferForm(subject, kind), ResultPanel(kind.result_words))
        self.kind = kind
        self._calling = Calling(subject, kind.done)
        self._history = CallHistory(subject, kind.method)
        self._calls: list[Past] = []
        """Requests for the chosen thing, oldest first."""
        self._wanted: Exchange | None = None
        """The request that is being read back, or was last."""

    # What the app asks

    def sync(self) -> None:
        """Take in what is new."""
        if not self.is_ready:
            return
        self.side.sync()
        self.form.say_why_not(self._calling.why_not(), gone=self.side.has_lost(self.form.thing))
        if self._history.take():
            self._find_calls()
        if self.result.is_empty:
            self._show_newest()
        self.result.tick(self.subject.now_ns, clocks_of(self.subject, self.result.exchange))
        self.result.body.sync()

    def rebind(self, subject: Subject) -> None:
        """Show another conversation; the chosen thing and what was typed stay.

        Of a recording it is another moment, and no call of later stays.
        """
        self.subject = subject
        self._calling = Calling(subject, self.kind.done)
        if subject.can_act:
            self._history.rebind(subject)
        else:
            self._history, self._wanted = CallHistory(subject, self.kind.method), None
        self.side.rebind(subject)
        self.form.rebind(subject)
        if self.is_ready:
            self.result.outlive() if subject.can_act else self.result.show_nothing()
            self._find_calls()

    async def cancel_running(self) -> bool:
        """Cancel the newest request that runs."""
        return await self._calling.cancel()

    def _find_calls(self) -> None:
        thing, history = self.form.thing, self._history
        found = [name for name in history.targets if thing is not None and self.kind.made(thing, name)]
        calls = [call for name in found for call in history.of(name)]
        self._calls = sorted(calls, key=lambda call: (call.wall_ns, call.exchange.number))
        self.result.body.show_history(HistoryRows(self.subject, lambda: self._calls))

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
        """What else a key asks for: "json", "about", "history", "repeat", "complete", "save"."""
        await self.settle()
        match name:
            case "json":
                self.go("form", focus=False)
                await self.form.toggle_json()
            case "about":
                self.form.toggle_about()
            case "complete":
                self.form.complete()
            case "save":
                self.save_block()
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
        """Show the thing, and go to its form where that is wanted."""
        event.stop()
        await self.choose(event)
        if event.opened:
            self.go("result" if _is_only_read(self, self._calls) else "form")

    async def choose(self, meant: OfferSide.Chosen) -> None:
        """Show the thing, and its newest request."""
        thing, before = meant.thing, self.form.thing
        if thing is None or thing != before:
            await self.form.show(thing)
        if thing is None or before is None or type(thing) is not type(before) or thing.key != before.key:
            self._find_calls()
            self._wanted = None
            self.result.show_nothing()
            self.remove_class("-called")
            self._show_newest()

    def _show_newest(self) -> None:
        """Show the newest request for the thing, running or over; nearly free if there is none."""
        running = self._calling.of(self.form.thing)
        over = (call.exchange for call in reversed(self._calls) if not call.is_earlier and not call.exchange.is_open)
        newest = next(over, None)
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
            self._look(call.journal, call.exchange, call)

    @work(exclusive=True, group="look")
    async def _look(self, journal: Journal, exchange: Exchange | None, call: Call | None) -> None:
        called = call.called if call else None
        looked = await asyncio.to_thread(look, journal, exchange, None, called, method=self.kind.method)
        if call is not None:
            looked = dataclasses.replace(looked, arguments=call.arguments)
        self.post_message(self.LookedAt(looked, journal=journal))

    def on_offers_panel_looked_at(self, event: LookedAt) -> None:
        """Show it."""
        event.stop()
        self.add_class("-called")
        self.result.show(event.looked, earlier=event.journal is not self.subject.journal)

    async def on_result_panel_wanted(self, event: ResultPanel.Wanted) -> None:
        """Show another request, take its arguments, repeat it, or cancel the one that runs."""
        event.stop()
        if event.deed == "cancel":
            await self.cancel_running()
        elif event.deed == "show" and isinstance(event.call, Past):
            self._show_again(event.call)
        elif event.call is not None:
            await self._reuse(event.call, event.deed)

    def _show_again(self, call: Past) -> None:
        if call.is_earlier:
            self.result.show(look_back(call), earlier=True)
        else:
            self._look(self.subject.journal, call.exchange, None)

    async def _reuse(self, call: Past | Looked | Call, deed: str) -> None:
        """Put a request's arguments into the form, and with "repeat" ask again."""
        thing, exchange = self.form.thing, call.exchange
        if deed == "repeat" and thing is not None and exchange is not None and self.kind.method == "resources/read":
            if self._calling.why_not():
                self.form.decline()
            else:
                self._begin(thing, None, {"uri": exchange.target})
            return
        if self.kind.method != "resources/read":
            await self.form.take(call.arguments)
        if deed == "repeat":
            self.form.arm()
            await self.form.send()
        else:
            self.go("form")


def _is_only_read(panel: OffersPanel, calls: Sequence[Past]) -> bool:
    """Whether the answers say more than the form: it can't be sent, and there is room for one of both."""
    return panel.has_class("-narrow") and not panel.subject.can_act and bool(calls)
