"""Asking for what a server offers: what the screens of tools, resources and prompts have in common.

Requests run in workers: several may be on their way, and the panel follows the newest.
"""

import asyncio
import dataclasses
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from textual import work
from textual.message import Message

from inspector.capture.journal import Journal
from inspector.present.spans import Span
from inspector.protocol.exchanges import Exchange
from inspector.tui.conversation import OpenConversation
from inspector.tui.screens.items.calls import (
    CallHistory,
    Calling,
    HistoryRows,
    Looked,
    PastCall,
    RunningCall,
    clocks_of,
    look,
    look_back,
)
from inspector.tui.screens.items.form import ThingForm
from inspector.tui.screens.items.list import ThingSide
from inspector.tui.screens.items.result import ResultPanel
from inspector.tui.screens.items.result_views import HISTORY
from inspector.tui.screens.items.steps import ItemSteps

# --- What came of asking for the chosen thing: the newest answer and the history, beside the list and the form.

ThingSideT = TypeVar("ThingSideT", bound=ThingSide)
ThingFormT = TypeVar("ThingFormT", bound=ThingForm)


class ResultPane(ItemSteps[ThingSideT, ThingFormT], Generic[ThingSideT, ThingFormT]):
    """List, form and result of things that can be asked for, kept at what the journal says."""

    class LookedAt(Message):
        """A request that is over has been read back and judged."""

        def __init__(self, looked: Looked, *, journal: Journal, look: int) -> None:
            super().__init__()
            self.looked = looked
            self.look = look
            self.journal = journal
            """The one that it was read from."""

    method = ""
    """What asks for one of these things."""
    done = ""
    """That it was asked for, as a participle: "called"."""

    def __init__(self, subject: OpenConversation, side: ThingSideT, form: ThingFormT, result: ResultPanel) -> None:
        super().__init__(subject, side, form, result)
        self.calling = Calling(subject, self.done)
        """The requests that run."""
        self.history = CallHistory(subject, self.method)
        """All requests of its method."""
        self.wanted: Exchange | None = None
        """The request that is being read back, or was last."""
        self._seen_cause: tuple[object, ...] = ()
        self._looks = 0
        """How often something else was to be shown: what was read for an earlier look is not wanted any more."""

    @property
    def past(self) -> Sequence[PastCall]:
        """Requests for the chosen thing, oldest first."""
        raise NotImplementedError

    @property
    def output_schema(self) -> Any:
        """What the answers of the chosen thing should fit; None for anything."""
        return None

    def show_history(self) -> None:
        """Show the requests for the chosen thing: there is one more, or another thing is chosen."""
        self.result.body.show_history(HistoryRows(self.subject, lambda: self.past))

    def sync(self) -> None:
        """Take in what is new."""
        if not self.is_ready:
            return
        self.side.sync()
        self.sync_findings()
        self.form.say_why_not(self.calling.why_not(), gone=self.side.has_lost(self.form.thing))
        if self.history.take():
            self.show_history()
        if self.result.is_empty:
            self._show_newest()
        self._sync_cause()
        self.result.tick(self.subject.now_ns, clocks_of(self.subject, self.result.exchange))
        self.result.body.sync()

    def _sync_cause(self) -> None:
        """Say above the result what checks have found about its exchange. Nearly free while nothing is new."""
        checks, exchange = self.subject.checks_so_far, self.result.exchange
        frames = (exchange.request_frame, exchange.answer_frame) if exchange is not None else ()
        seen = (checks, checks.changes if checks is not None else 0, frames, self.app.current_theme.dark)
        if seen != self._seen_cause:
            self._seen_cause = seen
            line: list[Span] = []
            if checks is not None and frames:
                from inspector.tui.screens.items.model import cause_line

                line = cause_line(checks, frames)
            self.result.say_cause(line)

    def rebind(self, subject: OpenConversation) -> None:
        """Show another conversation; the chosen thing and what was typed stay.

        Of a recording it is another moment, and no request of later stays.
        """
        self.subject = subject
        self.calling = Calling(subject, self.done)
        if subject.can_act:
            self.history.rebind(subject)
        else:
            self.history = CallHistory(subject, self.method)
            self.look_at_nothing()
        self.side.rebind(subject)
        if self.is_ready:
            self.result.outlive() if subject.can_act else self.result.show_nothing()
            self.show_history()

    async def choose(self, meant: ThingSide.Chosen) -> None:
        """Show the thing, and its newest request."""
        thing, before = meant.thing, self.form.thing
        if thing is None or thing != before:
            await self.form.show(thing)
        if thing is None or before is None or type(thing) is not type(before) or thing.key != before.key:
            self.show_history()
            self.look_at_nothing()
            self.result.show_nothing()
            self.remove_class("-called")
            self._show_newest()

    def _show_newest(self) -> None:
        """Show the newest request for the thing, running or over; nearly free if there is none."""
        running = self.calling.of(self.form.thing)
        over = (call.exchange for call in reversed(self.past) if not call.is_earlier and not call.exchange.is_open)
        newest = next(over, None)
        if running is not None:
            self.result.show_running(running)
        elif newest is None:
            self.wanted = None
        elif newest is not self.wanted:
            self.look_at(self.subject.journal, newest, None)

    def look_at(self, journal: Journal, exchange: Exchange | None, call: RunningCall | None) -> None:
        """Read a request back, and show it then. Only the last one that was asked for is waited for."""
        self.wanted = exchange
        self._looks += 1
        self._look(journal, exchange, call, self._looks)

    def look_at_nothing(self) -> None:
        """What is read now is not wanted any more."""
        self.wanted = None
        self._looks += 1

    @work(exclusive=True, group="look")
    async def _look(self, journal: Journal, exchange: Exchange | None, call: RunningCall | None, number: int) -> None:
        called = call.called if call else None
        looked = await asyncio.to_thread(look, journal, exchange, self.output_schema, called, method=self.method)
        if call is not None:
            looked = dataclasses.replace(looked, arguments=call.arguments)
        self.post_message(self.LookedAt(looked, journal=journal, look=number))

    def on_result_pane_looked_at(self, event: LookedAt) -> None:
        """Show it, unless another thing was chosen meanwhile."""
        event.stop()
        if event.look != self._looks:
            return
        self.add_class("-called")
        self.result.show(event.looked, earlier=event.journal is not self.subject.journal)

    def show_again(self, call: PastCall) -> None:
        """Show an earlier request."""
        if call.is_earlier:
            self.look_at_nothing()
            self.result.show(look_back(call), earlier=True)
        else:
            self.look_at(self.subject.journal, call.exchange, None)


class RequestScreen(ResultPane[ThingSideT, ThingFormT], Generic[ThingSideT, ThingFormT]):
    """A screen of things that can be asked for."""

    class RequestFinished(Message):
        """A request is over, in whatever way."""

        def __init__(self, call: RunningCall) -> None:
            super().__init__()
            self.call = call

    # What is different between the kinds of things

    async def reuse(self, call: PastCall | Looked | RunningCall, deed: str) -> None:
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
    def last_call(self) -> PastCall | Looked | RunningCall | None:
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

    def begin(self, call: RunningCall) -> None:
        """Send it, and show how it goes."""
        self.add_class("-called")
        self.look_at_nothing()
        self.result.show_running(call)
        self._make(call)
        if self.has_class("-narrow"):
            self.go("result")

    @work(group="calls")
    async def _make(self, call: RunningCall) -> None:
        try:
            await self.calling.make(call)
        finally:
            self.post_message(self.RequestFinished(call))

    def on_request_screen_request_finished(self, event: RequestFinished) -> None:
        """Show what came of it, unless the person is looking at another thing by now."""
        call, thing = event.call, self.form.thing
        if thing is not None and call.thing.key == thing.key and self.calling.of(thing) is None:
            self.look_at(call.journal, call.exchange, call)

    async def on_result_panel_wanted(self, event: ResultPanel.Wanted) -> None:
        """Show another request, take its arguments, repeat it, or cancel the one that runs."""
        event.stop()
        if event.deed == "cancel":
            await self.cancel_running()
        elif event.deed == "show" and isinstance(event.call, PastCall):
            self.show_again(event.call)
        elif event.call is not None:
            await self.reuse(event.call, event.deed)
