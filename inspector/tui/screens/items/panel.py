"""Common panel of Tools, Resources and Prompts: the list, the form of the chosen item, and the results of its requests.

A wide terminal shows all three side by side, a medium one shows the result below the form, and a narrow one only the
current step; Escape goes back step by step. Requests run in workers: several may run at once, and the panel follows
the newest. Typed arguments are kept across connections.
"""

import dataclasses
import pathlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.widget import Widget

from inspector.capture.journal import Journal
from inspector.checks.findings import Finding
from inspector.forms.paths import Path
from inspector.present.calls import CompletedCall, PastCall, view_call, view_past_call
from inspector.present.spans import Span
from inspector.present.words import age_line
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.freshness import together
from inspector.protocol.listed_items import ListedItem, Tool
from inspector.text import visible
from inspector.tui.conversation import OpenConversation, why_silent
from inspector.tui.panels import Panel, RerunCall
from inspector.tui.results.calls import CallHistory, Calling, HistoryRows, RunningCall, clocks_of
from inspector.tui.results.panel import ResultPanel, has_picture
from inspector.tui.results.views import HISTORY
from inspector.tui.screens.items.definition_changes import approve
from inspector.tui.screens.items.dialogs import ChangesScreen
from inspector.tui.screens.items.form import ItemForm, focus_at, focused_path
from inspector.tui.screens.items.list import ItemList
from inspector.tui.screens.items.model import cause_line
from inspector.tui.screens.items.saved import SavedCalls, WantedCall
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.divider import Divider
from inspector.tui.widgets.save import SaveScreen, file_name
from inspector.tui.widgets.search_bar import NO_FILTER

NARROW = 100
"""Below this number of columns, one step is shown at a time."""
WIDE = 140
"""From this number of columns, all three steps are side by side."""
VAST = 200
"""From this number of columns, the list is wider: there is space for all of its columns."""
Step: TypeAlias = Literal["list", "form", "result"]
_STEPS: tuple[Step, ...] = ("list", "form", "result")
FormT = TypeVar("FormT", bound=ItemForm)


class StepLayout:
    """List, form and result of a panel: their visibility, the focus, and the way back."""

    def __init__(self, panel: Widget, items: ItemList, form: ItemForm, result: ResultPanel) -> None:
        self._panel = panel
        self.items = items
        self.items.add_class("steps--list")
        self.form = form
        self.form.add_class("steps--form")
        self.result = result
        self._left: tuple[Widget, Path | None] | None = None
        """What had the focus before the result got it, and the path of its field."""

    @property
    def is_ready(self) -> bool:
        """Whether all parts are mounted; nothing can be shown before."""
        return self.items.is_ready and self.form.is_ready and self.result.body.is_ready

    @property
    def is_narrow(self) -> bool:
        """Whether only one step is visible."""
        return self._panel.has_class("-narrow")

    @property
    def step(self) -> Step:
        return next((step for step in _STEPS if self._panel.has_class(f"-at-{step}")), "list")

    def here(self) -> Step:
        """Return the step that has the focus, else the current step."""
        if self.result.has_focus_within:
            return "result"
        return "form" if self.form.has_focus_within else "list" if self.items.has_focus_within else self.step

    def arrange(self, width: int) -> None:
        """Choose the layout for this number of columns."""
        self._panel.update_classes({"-narrow": width < NARROW, "-wide": width >= WIDE, "-vast": width >= VAST})

    def go(self, step: Step, *, focus: bool = True, opens: bool = False) -> None:
        """Go to a step. From the result to the form, the previously focused field gets the focus again.

        `opens`: show the result.
        """
        panel, focused = self._panel, self._panel.screen.focused
        if step == "result" and focused is not None and self.form in focused.ancestors:
            self._left = focused, focused_path(self.form.form)
        elif step == "list":
            self._left = None
        classes = {f"-at-{each}": each == step for each in _STEPS} | ({"-called": True} if opens else {})
        self._set(classes)
        if not focus:
            return
        if step == "form":
            panel.call_after_refresh(self._focus_form)
        else:
            panel.call_after_refresh(self.items.list.focus if step == "list" else self.result.body.focus_body)

    async def _focus_form(self) -> None:
        left = self._left
        if self.form.form.has_focus_within:
            return
        if left is not None and left[0].is_attached and self.form in left[0].ancestors:
            left[0].focus()
        elif left is not None and left[1] is not None:  # its editor is built again
            await focus_at(self.form.form, left[1])
        else:
            self.form.focus_first()

    def go_back(self) -> None:
        """Go from the result to the form, from the form to the list, and in the list leave the search."""
        step = self.here()
        if step == "list":
            self.items.end_search()
        else:
            self.go(_STEPS[_STEPS.index(step) - 1])

    def open_result(self, *, go: bool = True, focus: bool = True) -> None:
        """Show the result, and with `go` make it the current step."""
        if go:
            self.go("result", focus=focus, opens=True)
        else:
            self._set({"-called": True})

    def close_result(self) -> None:
        """Hide the result of another item, so that the form has its space."""
        self._left = None
        self._set({"-called": False})

    def _set(self, classes: Mapping[str, bool]) -> None:
        """Change classes of the panel, and style what rules with these classes name: all parts would take 30 ms."""
        before, is_ready = self._panel.classes, self.is_ready
        self._panel.update_classes(classes, update=not is_ready)
        if self._panel.classes == before or not is_ready:
            return
        side, work = self.items.parent, self.result.parent
        for part in filter(None, (side, work, *(work.children if work else ()), *self.form.children)):
            self._panel.app.stylesheet.apply(part)

    def show_view(self, tab: int) -> None:
        self.result.body.show_tab(tab)
        self.open_result()


class RequestFinished(Message):
    """A request for an item has finished, with or without success."""

    def __init__(self, call: RunningCall) -> None:
        super().__init__()
        self.call = call


async def _nothing_marked() -> Sequence[RerunCall]:
    return ()


class ItemRequests:
    """Requests for the chosen item: running ones, finished ones, and the one whose result is shown."""

    def __init__(self, panel: Widget, steps: StepLayout, conversation: OpenConversation) -> None:
        self._panel = panel
        self._steps = steps
        self._conversation = conversation
        self._kind = steps.items.kind
        self.calling = Calling(conversation)
        """Running requests."""
        self.history = CallHistory(conversation, self._kind.method)
        """All requests with the method."""
        self.made: RunningCall | None = None
        """Last request, running or finished, of this or an earlier connection."""
        self.past: Sequence[PastCall] = ()
        """Requests for the chosen item, oldest first."""
        self.reading: Exchange | None = None
        """Exchange that is being read back, or was read back last."""
        self.run_marked: Callable[[], Awaitable[Sequence[RerunCall]]] = _nothing_marked
        """Runs the saved calls that are marked to run after each restart."""
        self._seen_cause: tuple[object, ...] = ()
        self._looks = 0
        """Number of times that the shown content has changed, to discard results of outdated reads."""

    @property
    def last(self) -> PastCall | CompletedCall | RunningCall | None:
        """Shown request, else the last one for the chosen item, even of an earlier connection."""
        return self._steps.result.chosen or next(reversed(self.past), None)

    def sync(self) -> None:
        items, form, result = self._steps.items, self._steps.form, self._steps.result
        form.show_why_not(self.calling.why_not(), gone=items.has_lost(form.item))
        if self.history.take():
            self.show_history()
        if result.is_empty:
            self._show_newest()
        self._sync_cause()
        result.tick(self._conversation.now_ns, clocks_of(self._conversation, result.exchange))
        result.body.sync()

    def _sync_cause(self) -> None:
        """Show the primary finding about the exchange above the result. Cheap while nothing has changed."""
        checks, exchange = self._conversation.checks_so_far, self._steps.result.exchange
        frames = (exchange.request_frame, exchange.answer_frame) if exchange is not None else ()
        changes = checks.changes if checks is not None else 0
        seen = (checks, changes, frames, self._panel.app.current_theme.dark)
        if seen != self._seen_cause:
            self._seen_cause = seen
            line: list[Span] = cause_line(checks, frames) if checks is not None and frames else []
            self._steps.result.show_cause(line)

    def rebind(self, conversation: OpenConversation) -> None:
        """Switch to another conversation. For a recording, requests later than its replay position are dropped."""
        self._conversation, self._seen_cause = conversation, ()
        self.calling = Calling(conversation)
        if conversation.can_act:
            self.history.rebind(conversation)
        else:
            self.history = CallHistory(conversation, self._kind.method)
            self.stop_reading()
        if self._steps.is_ready:
            result = self._steps.result
            result.outlive() if conversation.can_act else result.show_nothing()
            self.show_history()

    def show_chosen(self) -> None:
        """Show the newest request for the chosen item."""
        self.show_history()
        self.stop_reading()
        self._steps.result.show_nothing()
        self._steps.close_result()
        self._show_newest()

    def show_history(self) -> None:
        """Update the history for the chosen item, after a request or another choice."""
        item, history = self._steps.form.item, self.history
        found = [history.of(name) for name in history.targets if item is not None and self._kind.made(item, name)]
        if len(found) == 1:
            self.past = found[0]
        else:  # a template has many URIs
            calls = [call for each in found for call in each]
            self.past = sorted(calls, key=lambda call: (call.wall_ns, call.exchange.number))
        self._steps.result.body.show_history(HistoryRows(self._conversation, lambda: self.past))

    def _show_newest(self) -> None:
        """Show the newest request for the item, running or finished. Cheap if there is none."""
        running = self.calling.of(self._steps.form.item)
        over = (call.exchange for call in reversed(self.past) if not call.is_earlier and not call.exchange.is_open)
        newest = next(over, None)
        if running is not None:
            self._steps.result.show_running(running)
        elif newest is None:
            self.reading = None
        elif newest is not self.reading:
            self._read_back(self._conversation.journal, newest, None)

    def stop_reading(self) -> None:
        """Discard the read that is running."""
        self.reading = None
        self._looks += 1

    def show_again(self, call: PastCall) -> None:
        """Show an earlier request."""
        if call.is_earlier:
            self.stop_reading()
            self._steps.result.show(view_past_call(call), earlier=True)
        else:
            self._read_back(self._conversation.journal, call.exchange, None)

    def _read_back(self, journal: Journal, exchange: Exchange | None, call: RunningCall | None) -> None:
        """Read a request back on a thread and show it. Only the last read counts."""
        self.reading = exchange
        self._looks += 1
        number, item, called = self._looks, self._steps.form.item, call.called if call else None
        schema = item.output_schema if isinstance(item, Tool) else None

        async def read() -> None:
            looked = await read_on_thread(view_call, journal, exchange, schema, called, method=self._kind.method)
            if call is not None:
                looked = dataclasses.replace(looked, arguments=call.arguments)
            # Queued behind the panel's messages, one of which may be choosing another item.
            self._panel.call_later(self._show, looked, journal, number)

        self._panel.run_worker(read, group="look", exclusive=True)  # type: ignore[arg-type]

    def _show(self, looked: CompletedCall, journal: Journal, number: int) -> None:
        """Show the request, unless other content was chosen meanwhile."""
        if number == self._looks:
            self._steps.open_result(go=False)
            self._steps.result.show(looked, earlier=journal is not self._conversation.journal)

    def begin(self, call: RunningCall) -> None:
        """Send a request, and go to the result, which shows its progress first."""
        self.stop_reading()
        self._steps.result.show_running(call)
        self._send(call)
        self._steps.open_result()

    def repeat(self, made: RunningCall) -> RunningCall:
        """Send a request again on the current connection. View, step, focus and results of other items are kept."""
        call = self.calling.begin(made.item, made.arguments, made.method, made.params, as_task=made.as_task)
        shown = self._steps.form.item
        if shown is not None and shown.key == call.item.key:
            self._steps.open_result(go=False)
            self.stop_reading()
            self._steps.result.show_running(call, turn=False)
        self._send(call)
        return call

    def _send(self, call: RunningCall) -> None:
        self.made = call

        async def send() -> None:
            try:
                await self.calling.make(call)
            finally:
                self._panel.post_message(RequestFinished(call))

        self._panel.run_worker(send, group="calls")  # type: ignore[arg-type]

    def finished(self, call: RunningCall) -> None:
        """Show the outcome of a request, unless another item was chosen meanwhile."""
        item = self._steps.form.item
        if item is not None and call.item.key == item.key and self.calling.of(item) is None:
            self._read_back(call.journal, call.exchange, call)


class ItemsPanel(Panel, Generic[FormT]):
    """Panel of items of one kind and the requests for them."""

    DEFAULT_CSS = pathlib.Path(__file__).with_suffix(".tcss").read_text("utf-8")

    def __init__(self, conversation: OpenConversation, items: ItemList, form: FormT, result: ResultPanel) -> None:
        super().__init__(classes="-at-list")
        self.conversation = conversation
        self.items = items
        self.form = form
        """Form of the chosen item."""
        self.result = result
        """Result of its newest request."""
        self.title_rows = (items.title, result.headline)
        self.action_picture, self.action_markdown = result.action_picture, result.action_markdown
        self.action_edit, self.action_entry = result.action_edit, result.action_entry
        self.steps = StepLayout(self, items, form, result)
        self.requests: ItemRequests = ItemRequests(self, self.steps, conversation)
        self.saved = SavedCalls(conversation, items.kind.method, partial(self.call_later, _show_call, self))
        """Saved calls, and calls of earlier sessions."""
        self.requests.run_marked = self.saved.run_marked
        self._seen_findings: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """Lay out list, form and result, for the width that is to be expected: another layout would be one more."""
        self.steps.arrange(self.app.size.width)
        with Container(classes="steps--side"):
            yield self.items
            yield self.saved
        yield Divider("items")
        with Container(classes="steps--work"):
            yield self.form
            yield Divider("form")
            yield self.result

    def on_resize(self, event: events.Resize) -> None:
        self.steps.arrange(event.size.width)
        self.saved.resized(event.size.width)

    def sync(self) -> None:
        if not self.steps.is_ready:
            return
        self.items.sync()
        checks, item = self.conversation.checks_so_far, self.form.item
        seen = (checks, checks.changes if checks is not None else 0, item)
        if seen != self._seen_findings:
            self._seen_findings = seen
            self.form.list_findings(self.items.own_findings(item))
        self.requests.sync()
        self.saved.sync()

    def rebind(self, conversation: OpenConversation) -> None:
        """Show another conversation; the chosen item and the typed arguments are kept."""
        self.conversation, self._seen_findings = conversation, ()  # which would keep the old one, if it is hidden
        self.items.rebind(conversation)
        self.requests.rebind(conversation)
        self.saved.rebind(conversation)

    @property
    def selected_findings(self) -> Sequence[Finding]:
        """Findings about the shown item, worst first; the findings screen opens at them."""
        return self.items.findings(self.form.item)

    def take_focus(self) -> None:
        """Focus the current step, unless the panel has the focus already."""
        if not self.has_focus_within:
            self.steps.go(self.steps.step)

    def go_back(self) -> bool:
        """Go from the result to the form, from the form to the list, and in the list leave the search."""
        if self.saved.has_focus_within:
            self.steps.go("list")
        else:
            self.steps.go_back()
        return True

    def show_item(self, item: ListedItem) -> None:
        self.items.open(item)

    @property
    def showing(self) -> tuple[ListedItem | None, CompletedCall | None]:
        """The item of the form, and the shown result."""
        return self.form.item, self.result.looked

    async def follow_item(self, item: ListedItem) -> None:
        if self.steps.is_ready and (found := self.items.like(item)) is not None:
            self.items.select(found)
            await self.choose(found)

    async def cancel_running(self) -> bool:
        return await self.saved.cancel() or await self.requests.calling.cancel()

    async def settle(self) -> None:
        """Choose the item under the cursor at once, so that an action applies to it however fast its key follows."""
        if (meant := self.items.settle()) is not None:
            await self.choose(meant.item)

    async def choose(self, item: ListedItem | None) -> None:
        """Show the item and its newest request."""
        before = self.form.item
        if item is None or item != before:
            await self.form.show(item)
        if item is None or before is None or type(item) is not type(before) or item.key != before.key:
            self.requests.show_chosen()

    async def reuse(self, call: PastCall | CompletedCall | RunningCall, action: str) -> None:
        """Put the arguments of a request into the form; "repeat" also sends it again."""
        await self.form.take(call.arguments)
        if action == "repeat":
            self.form.arm()
            await self.form.send()
        else:
            self.steps.go("form")

    async def do_more(self, name: str) -> None:
        """Run an action of one of the screens; here "edit" and "repeat" of the shown request."""
        if (call := self.requests.last) is not None:
            await self.reuse(call, name)

    async def on_item_list_chosen(self, event: ItemList.Chosen) -> None:
        """Show the item, and open it if the user does."""
        event.stop()
        await self.choose(event.item)
        if event.opened:
            await self.open_item()

    async def open_item(self) -> None:
        """Go to the form of the item, or to the results if nothing can be sent."""
        only_read = self.steps.is_narrow and not self.conversation.can_act and bool(self.requests.past)
        self.steps.go("result" if only_read else "form")

    def on_request_finished(self, event: RequestFinished) -> None:
        """Show and store the outcome of the request."""
        self.requests.finished(event.call)
        self.saved.store(event.call)

    async def on_result_panel_wanted(self, event: ResultPanel.Wanted) -> None:
        """Show another request, reuse its arguments, repeat it, or cancel the running one."""
        event.stop()
        if event.action == "cancel":
            await self.cancel_running()
        elif event.action == "show" and isinstance(event.call, PastCall):
            self.requests.show_again(event.call)
        elif event.call is not None:
            await self.reuse(event.call, event.action)

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable result, picture, next page, and what changes a form, only if there is one."""
        match action:
            case "do":
                return self.can_do(str(parameters[0]) if parameters else "")
            case "picture":
                return has_picture(self.result.looked)
            case "result" | "again" | "edit":
                return not self.result.is_empty
            case "tab":
                return self.steps.here() == "result" or not (self.steps.is_narrow or self.form.has_focus_within)
            case "more":
                return self.items.head.has_more
            case _:
                return True

    def can_do(self, name: str) -> bool:
        """Whether an action of `do` is possible now."""
        match name:
            case "json" | "reset":
                return not self.form.has_class("-bare")
            case "save":
                return not self.result.is_empty
            case "repeat":
                return self.requests.last is not None
            case "save-call":
                return self.form.item is not None
            case _:
                return True

    def action_filter(self) -> None:
        """Open the search of the list."""
        self.steps.go("list", focus=False)
        self.items.search()

    def action_clear_filter(self) -> None:
        if not self.items.end_search():
            self.notify(NO_FILTER, timeout=3)

    def usage_text(self) -> str:
        """Return when the list was fetched, with its TTL and cache scope, for the full description; "" if not given."""
        ages = [known.listing.freshness for known in self.items.head.known]
        given = [age for age in ages if age is not None and age.given]
        return "".join(part for part, _ in age_line(reduce(together, given), self.conversation.now_ns)) if given else ""

    async def action_send(self) -> None:
        await self.settle()
        if self.steps.is_narrow and self.steps.here() == "list":
            self.steps.go("form")  # what is wrong with the arguments is shown there
        await self.form.send()

    async def action_do(self, name: str) -> None:
        """Run another action: "json", "about", "history", "save" and others, or one that only these items have."""
        await self.settle()
        match name:
            case "json":
                self.steps.go("form", focus=False)
                await self.form.toggle_json()
            case "reset":
                await self.form.form.reset()
            case "about":
                self.form.show_usage(self.usage_text())
                self.form.toggle_about()
            case "save":
                _save_block(self)
            case "history":
                self.steps.show_view(HISTORY)
            case "save-call":
                self.saved.ask_to_save(self.form.item, self.form.params)
            case "saved":
                if not self.saved.toggle():
                    self.steps.go("list")
            case _:
                await self.do_more(name)

    def action_tab(self, by: int) -> None:
        """Show the next tab of the result."""
        self.steps.open_result(focus=False)
        self.result.action_tab(by)

    def action_result(self) -> None:
        """Go to the result; from there return to the previously focused field."""
        if self.steps.here() == "result":
            self.steps.go("form")
        else:
            self.steps.open_result()

    def action_changes(self) -> None:
        conversation, memory, kinds = self.conversation, self.conversation.memory.comparison, self.items.kind.kinds
        conversation.memory.shown = True

        async def answered(wanted: bool | None) -> None:
            if wanted and memory is not None:  # approves what was shown, not what arrived since
                await approve(self.app, conversation, memory, kinds)

        self.app.push_screen(ChangesScreen(self.items.head.known, conversation.now_ns, memory, kinds), answered)

    async def action_more(self) -> None:
        """Fetch the next page of the list."""
        if why := why_silent(self.conversation):
            self.app.notify(why, severity="warning")
            return
        await self.conversation.fetch_more(*self.items.kind.kinds)


async def _show_call(panel: ItemsPanel[Any], wanted: WantedCall) -> None:
    """Put a call into the form of its item, or show its result if it was run."""
    item = panel.items.named(wanted.target)
    if item is None:
        message = f"{wanted.target or 'A call without a name'} is not listed by the server."
        panel.app.notify(message, severity="warning")
        return
    panel.items.select(item)
    await panel.choose(item)
    if wanted.exchange is None:
        await panel.form.take(peek.at(wanted.params, "arguments"))
        panel.steps.go("form")
    else:
        panel.requests.show_again(PastCall(panel.conversation.journal, wanted.exchange))
        panel.steps.open_result(go=panel.steps.is_narrow)


def _save_block(panel: ItemsPanel[Any]) -> None:
    """Ask for a file name and save the block under the cursor."""
    block = panel.result.body.block
    if block is None:
        panel.app.notify("Nothing to save yet.")
        return

    def saved(path: object) -> None:
        if path is not None:
            panel.app.notify(f"Saved as {visible(str(path), limit=300)}.")

    payload, item = block.payload, panel.form.item
    name = file_name(block.uri, block.mime_type, payload, called=item.name if item is not None else "")
    panel.app.push_screen(SaveScreen(payload, name), saved)
