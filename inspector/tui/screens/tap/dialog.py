"""Held messages of an attached tap: release, edit, respond, drop; and its rules: add, switch.

The tap decides by itself when a deadline comes or this interface goes away; what is shown here is what it said last.
"""

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, TextArea

from inspector.documents import UnreadableDocument, read_json
from inspector.errors import InspectError
from inspector.features.tap.client import TapClient, TapGone
from inspector.forms.typed import json_text
from inspector.tui import keys
from inspector.tui.bars import HeaderBar
from inspector.tui.screens.tap.model import HeldRows, TapStatus
from inspector.tui.toasts import Toasts
from inspector.tui.widgets.bars import FooterBar, StatusLine
from inspector.tui.widgets.dialogs import Dialog, is_on_top
from inspector.tui.widgets.virtual_list import LogList

_PACE_S = 0.25


class AttachedTap:
    """The part of the app that talks to the tap: it asks what is held, which also renews the lease."""

    def __init__(self, app: App[None], header: HeaderBar, toasts: Toasts, socket: str) -> None:
        self._app = app
        self._header = header
        self._toasts = toasts
        self._socket = socket
        self._client: TapClient | None = None
        self.status = TapStatus()
        self.gone = ""
        """Why the tap can't be asked any more."""

    def start(self) -> None:
        """Begin to ask, four times a second."""
        self._app.run_worker(self._watch(), group="tap")

    def tick(self) -> None:
        """Show the badge."""
        self._header.badge = self.status.badge

    def show(self) -> None:
        """Show the dialog."""
        if self.gone:
            self._toasts.say(f"Nothing is held: {self.gone}.")
        elif not any(isinstance(each, HeldScreen) for each in self._app.screen_stack):
            self._app.push_screen(HeldScreen(self))

    async def ask(self, what: str, **members: Any) -> bool:
        """Have the tap do something; a refusal is a toast. Whether it did."""
        try:
            if not self.status.told.get("controls"):
                await asyncio.to_thread(self._ask, "control")
            await asyncio.to_thread(self._ask, what, **members)
            self.status = TapStatus(await asyncio.to_thread(self._ask, "status"))
        except InspectError as error:
            self._toasts.say(str(error), severity="warning")
            return False
        return True

    def _ask(self, what: str, **members: Any) -> dict[str, Any]:
        if self._client is None:
            self._client = TapClient(self._socket)
        return self._client.ask(what, **members)

    async def _watch(self) -> None:
        try:
            while True:
                was_held = len(self.status.held)
                self.status = TapStatus(await asyncio.to_thread(self._ask, "status"))
                if len(self.status.held) > was_held:
                    self._app.bell()
                await asyncio.sleep(_PACE_S)
        except TapGone as error:
            self.gone, self.status = str(error), TapStatus()
        finally:
            if self._client is not None:
                self._client.close()


class HeldScreen(Dialog[None]):
    """Held messages and rules beside the message under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action(identifier))
        for identifier in ("held.leave", "held.release", "held.all", "held.respond", "held.drop", "held.switch")
    ]
    DEFAULT_CSS = """
    HeldScreen { align: center middle; }
    HeldScreen > Vertical {
        width: 96%; height: 90%; background: $background; border: round $warning; border-title-color: $text-warning;
    }
    HeldScreen Horizontal { height: 1fr; }
    HeldScreen LogList { width: 1fr; height: 1fr; }
    HeldScreen TextArea { width: 1fr; height: 1fr; border: none; border-left: solid $border-blurred; }
    HeldScreen TextArea:focus { border: none; border-left: solid $accent; }
    HeldScreen Input { border: none; height: 1; }
    """

    def __init__(self, tap: AttachedTap) -> None:
        super().__init__()
        self._tap = tap
        self._rows = HeldRows()
        self._list = LogList(self._rows)
        self._line = StatusLine()
        self._editor = TextArea(soft_wrap=True)
        self._add = Input(placeholder="Hold requests that match a filter, for example: tool == create_issue")
        self._shown: int | None = None
        self._pretty = ""
        """The held message as it was put into the editor."""

    def compose(self) -> ComposeResult:
        """List and message, and below them a line to add a rule."""
        with Vertical() as box:
            box.border_title = "Held messages and rules"
            yield self._line
            with Horizontal():
                yield self._list
                yield self._editor
            yield self._add
        yield FooterBar()

    def on_mount(self) -> None:
        """Begin in the list, or where nothing is held and no rule is there, in the line that adds one."""
        self._list.empty = [[("Nothing is held, and there are no rules.", "muted")]]
        self.set_interval(0.25, self._look)
        self._look()
        self.set_focus(self._list if self._rows.count else self._add)

    def _look(self) -> None:
        if not is_on_top(self) or not self._list.is_mounted:
            return
        if self._tap.gone:
            self.dismiss()
            return
        status = self._tap.status
        self._rows.show(status)
        self._list.sync()
        said = f"{len(status.held)} held · {len(status.rules)} rule{'' if len(status.rules) == 1 else 's'}"
        self._line.show([(said, "title")], [(status.timeout, "faint")])
        if self._shown is not None and not any(each["held"] == self._shown for each in status.held):
            self._shown = None
            self._editor.load_text("")
        if self._shown is None and status.held:
            self._show(status.held[0])

    def _show(self, held: dict[str, Any]) -> None:
        if held["held"] == self._shown:
            return
        self._shown = held["held"]
        try:
            text = json_text(read_json(held["payload"]))
        except UnreadableDocument:
            text = held["payload"]
        self._pretty = text
        self._editor.load_text(text)

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Show the message under the cursor."""
        event.stop()
        found = self._rows.at(event.index)
        if found is not None and "held" in found:
            self._show(found)

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Go to the message, or switch a rule."""
        event.stop()
        found = self._rows.at(event.index)
        if found is not None and "held" in found:
            self._show(found)
            self._editor.focus()
        else:
            self.run_worker(self.action_switch(), group="decide")

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Add a rule that holds what matches."""
        event.stop()
        when = event.value.strip()
        if when:
            rule = {"name": f"hold {when}"[:80], "action": "hold", "side": "request", "when": when}
            if await self._tap.ask("set_rule", rule=rule):
                self._add.value = ""
                self.set_focus(self._list)

    def action_leave(self) -> None:
        """From the editor to the list; from there back. What is held stays held."""
        if self.focused is not self._list and self._rows.count:
            self.set_focus(self._list)
        else:
            self.dismiss()

    async def action_release(self) -> None:
        """Release the message as it is in the editor."""
        await self._with_shown(self._release)

    async def action_all(self) -> None:
        """Release all messages unchanged."""
        await self._tap.ask("release_all")

    async def action_respond(self) -> None:
        """Send what is in the editor to the client as the result of its request."""
        text = self._editor.text
        try:
            result = read_json(text)
        except UnreadableDocument as error:
            self.app.notify(f"The result is not JSON: {error}", severity="warning", markup=False)
            return
        if text == self._pretty:
            self.app.notify("Replace the request in the editor by the result to send.", markup=False)
            return
        await self._with_shown(lambda held: self._tap.ask("respond", held=held, result=result))

    async def action_drop(self) -> None:
        """Forward nothing."""
        await self._with_shown(lambda held: self._tap.ask("drop", held=held))

    async def action_switch(self) -> None:
        """Switch the rule under the cursor on or off."""
        found = self._rows.at(self._list.view.cursor)
        if found is not None and "held" not in found:
            await self._tap.ask("enable_rule", name=found["name"], enabled=not found["enabled"])

    async def _release(self, held: int) -> bool:
        text = self._editor.text
        if text == self._pretty:
            return await self._tap.ask("release", held=held)
        try:
            text = json_text(read_json(text), indent=None)
        except UnreadableDocument:
            self.app.notify("Released as written: it is not JSON.", severity="warning", markup=False)
            text = text.replace("\n", " ")
        return await self._tap.ask("release", held=held, payload=text)

    async def _with_shown(self, act: "Callable[[int], Any]") -> None:
        if self._shown is None:
            self.app.notify("No held message is selected.", markup=False)
        else:
            await act(self._shown)
            self._look()
