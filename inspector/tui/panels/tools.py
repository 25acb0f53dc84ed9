"""Screen 2, Tools: the list, the form of the chosen tool, and what came of calling it.

What was typed for a tool outlives a new connection. Calls run in workers: several may be on their way, and the panel
follows the newest. A wide terminal shows list, form and result side by side, a narrow one the step that was taken
last, and Escape goes back step by step.
"""

import asyncio
import dataclasses
from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.binding import BindingType
from textual.message import Message

from inspector.capture.journal import Journal
from inspector.forms.typed import json_text
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.as_task import Support, support_of
from inspector.tui import keys
from inspector.tui.keys import Where
from inspector.tui.panels.call_history import CallHistory, HistoryRows
from inspector.tui.panels.calling import Calling, question
from inspector.tui.panels.calls import Call, Looked, Past, look, look_back
from inspector.tui.panels.clocks import clocks_of
from inspector.tui.panels.result import ResultPanel
from inspector.tui.panels.result_body import HISTORY
from inspector.tui.panels.thing_list import ThingSide
from inspector.tui.panels.tool_form import ToolForm
from inspector.tui.panels.tool_list import ToolSide
from inspector.tui.panels.tool_steps import ToolSteps
from inspector.tui.subject import Subject
from inspector.viewmodels.text import visible


class ToolsPanel(ToolSteps):
    """The tools of a server, and calling them."""

    places = (
        Where.EVERYWHERE,
        Where.TOOLS,
        Where.OFFERED,
        Where.FORM,
        Where.FORM_LINE,
        Where.FORM_CHOICE,
        Where.RESULT,
        Where.DETAIL,
        Where.MOVING,
        Where.JSON,
        Where.FINDING_HERE,
        Where.PAYLOAD,
        Where.SEARCH,
    )
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(Where.TOOLS, Where.OFFERED, Where.RESULT, Where.DETAIL)
    HELP = """\
Choose a tool, fill its form, call it. What a server says of its tools is shown as its claim. The form takes wrong
values too: the button then says so, and a second press sends them.
"""

    class CallFinished(Message):
        """A call is over, in whatever way."""

        def __init__(self, call: Call) -> None:
            super().__init__()
            self.call = call

    class LookedAt(Message):
        """A call that is over has been read back and judged."""

        def __init__(self, looked: Looked, *, journal: Journal) -> None:
            super().__init__()
            self.looked = looked
            self.journal = journal
            """The one that it was read from."""

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self._calling = Calling(subject)
        self._history = CallHistory(subject)
        self._wanted: Exchange | None = None
        """The call that is being read back, or was last."""

    # What the app asks

    def sync(self) -> None:
        """Take in what is new."""
        if not self.is_ready:
            return
        self.side.sync()
        self.form.say_why_not(self._calling.why_not(), gone=self.side.has_lost(self.form.thing))
        opening = self.subject.opening
        self.form.say_support(support_of(self.form.tool, opening) if opening is not None else Support.NONE)
        if self._history.take():
            self._show_history()
        if self.result.is_empty:
            self._show_newest()
        self.result.tick(self.subject.now_ns, clocks_of(self.subject, self.result.exchange))
        self.result.body.sync()

    def rebind(self, subject: Subject) -> None:
        """Show another conversation; the chosen tool and what was typed stay.

        Of a recording it is another moment, and no call of later stays.
        """
        self.subject = subject
        self._calling = Calling(subject)
        if subject.can_act:
            self._history.rebind(subject)
        else:
            self._history, self._wanted = CallHistory(subject), None
        self.side.rebind(subject)
        if self.is_ready:
            self.result.outlive() if subject.can_act else self.result.show_nothing()
            self._show_history()

    async def cancel_running(self) -> bool:
        """Cancel the newest call that runs."""
        return await self._calling.cancel()

    @property
    def running(self) -> Exchange | None:
        """The newest call that runs."""
        call = self._calling.newest
        return call.exchange if call else None

    def _show_history(self) -> None:
        name = self.form.tool.name if self.form.tool else ""
        history = self._history
        self.result.body.show_history(HistoryRows(self.subject, lambda: history.of(name)))

    def action_filter(self) -> None:
        """Search in the list."""
        self.go("list", focus=False)
        self.side.search()

    def action_clear_filter(self) -> None:
        """Show all tools again."""
        self.side.end_search()

    async def action_send(self) -> None:
        """Call the tool."""
        await self.settle()
        await self.form.send()

    async def action_do(self, name: str) -> None:
        """What else a key asks for: "json", "about", "save", "history", "repeat"."""
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
                self.add_class("-called")
                self.result.body.show_tab(HISTORY)
                self.go("result")
            case "task":
                self.form.toggle_task()
            case "app":
                from inspector.tui.screens.app_source import show_app_of

                show_app_of(self.app, self.subject, self.form.tool)
            case "hosts":
                from inspector.tui.screens.hosts import show_hosts

                show_hosts(self.app, self.subject)
            case _ if self.result.chosen is not None:
                await self._reuse(self.result.chosen.arguments, name)
            case _:
                self.app.notify("This tool has not been called yet.", markup=False)

    # What is asked for

    async def on_tool_side_chosen(self, event: ToolSide.Chosen) -> None:
        """Show the tool, and go to its form where that is wanted."""
        event.stop()
        await self.choose(event)
        if event.opened:
            self.go(
                "result"
                if _is_only_read(self, self._history.of(self.form.tool.name) if self.form.tool else ())
                else "form"
            )

    async def choose(self, meant: ThingSide.Chosen) -> None:
        """Show the tool, and its newest call."""
        thing, before = meant.thing, self.form.thing
        if thing is None or thing != before:
            await self.form.show(thing)
        if thing is None or before is None or thing.key != before.key:
            self._show_history()
            self._wanted = None
            self.result.show_nothing()
            self.remove_class("-called")
            self._show_newest()

    def _show_newest(self) -> None:
        """Show the newest call of the tool, running or over; nearly free if there is none."""
        tool = self.form.tool
        calls = self._history.of(tool.name) if tool else []
        running = self._calling.of(tool)
        over = (call.exchange for call in reversed(calls) if not call.is_earlier and not call.exchange.is_open)
        newest = next(over, None)
        if running is not None:
            self.result.show_running(running)
        elif newest is None:
            self._wanted = None
        elif newest is not self._wanted:
            self._wanted = newest
            self._look(self.subject.journal, newest, None)

    async def on_tool_form_call_wanted(self, event: ToolForm.CallWanted) -> None:
        """Call, after the person was asked where that is due."""
        event.stop()
        tool, arguments = event.tool, event.arguments
        if not self._calling.must_ask(tool):
            self._begin(self._calling.begin(tool, arguments, as_task=self.form.as_task))
            return
        from inspector.tui.screens.confirm import ConfirmScreen

        def answered(yes: bool | None) -> None:
            if yes:
                self._calling.confirmed(tool)
                self._begin(self._calling.begin(tool, arguments, as_task=self.form.as_task))

        quoted = visible(json_text(arguments), limit=2000, newlines=True) or "no arguments"
        lines = question(tool, self.subject.about.label)
        self.app.push_screen(ConfirmScreen("Claimed to be destructive", lines, quoted), answered)

    def _begin(self, call: Call) -> None:
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
            self.post_message(self.CallFinished(call))

    def on_tools_panel_call_finished(self, event: CallFinished) -> None:
        """Show what came of it, unless the person is looking at another tool by now."""
        call = event.call
        tool = self.form.tool
        if tool is not None and call.thing.key == tool.key and self._calling.of(tool) is None:
            self._wanted = call.exchange
            self._look(call.journal, call.exchange, call)

    @work(exclusive=True, group="look")
    async def _look(self, journal: Journal, exchange: Exchange | None, call: Call | None) -> None:
        tool = self.form.tool
        schema = tool.output_schema if tool else None
        looked = await asyncio.to_thread(look, journal, exchange, schema, call.called if call else None)
        if call is not None:
            looked = dataclasses.replace(looked, arguments=call.arguments)
        self.post_message(self.LookedAt(looked, journal=journal))

    def on_tools_panel_looked_at(self, event: LookedAt) -> None:
        """Show it."""
        event.stop()
        self.add_class("-called")
        self.result.show(event.looked, earlier=event.journal is not self.subject.journal)

    async def on_result_panel_wanted(self, event: ResultPanel.Wanted) -> None:
        """Show another call, take its arguments, repeat it, or cancel the one that runs."""
        event.stop()
        if event.deed == "cancel":
            await self.cancel_running()
        elif event.deed == "show" and isinstance(event.call, Past):
            self._show_again(event.call)
        elif event.call is not None:
            await self._reuse(event.call.arguments, event.deed)

    def _show_again(self, call: Past) -> None:
        if call.is_earlier:
            self.result.show(look_back(call), earlier=True)
        else:
            self._look(self.subject.journal, call.exchange, None)

    async def _reuse(self, arguments: object, deed: str) -> None:
        """Put a call's arguments into the form, and with "repeat" call again."""
        await self.form.take(arguments)
        if deed == "repeat":
            self.form.arm()
            await self.form.send()
        else:
            self.go("form")


def _is_only_read(panel: ToolsPanel, calls: Sequence[Past]) -> bool:
    """Whether the calls say more than the form: it can't be sent, and there is room for one of both."""
    return panel.has_class("-narrow") and not panel.subject.can_act and bool(calls)
