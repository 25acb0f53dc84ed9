"""Dialog of an attached tap: its held messages, its rules, and requests of the user.

Held messages can be released, edited, answered and dropped; rules can be added, edited and switched. The tap itself
decides when a deadline passes or this interface goes away; the dialog shows its last reported status.
"""

import asyncio
import threading
from pathlib import Path
from typing import Any

import msgspec
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Input, TextArea

from inspector.capture.journal import Journal
from inspector.documents import UnreadableDocument, read_json
from inspector.errors import InspectError
from inspector.features.tap.client import TapClient, TapGone
from inspector.features.tap.summary import client_meta
from inspector.forms.fields import UNSET
from inspector.forms.typed import json_text
from inspector.present.copies import Copy
from inspector.present.held_messages import (
    HeldRows,
    TapStatus,
    blank_result,
    checked_part,
    proposed_rule,
    recorded_results,
    request_like,
    result_of,
    rule_for,
    tool_named,
    verdict_on,
    written_rule,
)
from inspector.present.spans import Span
from inspector.protocol import peek
from inspector.protocol.listed_items import ListedItem, Tool
from inspector.text import counted, visible
from inspector.tui import keys
from inspector.tui.bars import HeaderBar
from inspector.tui.panels import ShowsHeld
from inspector.tui.tabs import Tabs
from inspector.tui.theme import glyphs
from inspector.tui.toasts import Toasts
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.dialogs import ConfirmScreen, Dialog, DialogBox, is_on_top
from inspector.tui.widgets.key_bars import FooterBar
from inspector.tui.widgets.payload_actions import PayloadActions
from inspector.tui.widgets.schema_form.form import SchemaForm
from inspector.tui.widgets.virtual_list import LogList

_POLL_S = 0.25

_SAYS = {
    "": ("", ""),
    "held": ("Held message", "releases it"),
    "response": ("Response", "sends it to the client"),
    "rule": ("Rule", "arms it"),
    "request": ("Request of your own", "sends it"),
}


class Editing(msgspec.Struct, frozen=True):
    """Content of the editor."""

    kind: str = ""
    """`held` or `response` for a held message, `rule`, or `request` for the user's own request."""
    key: Any = None
    """Number of the held message, or name of the rule."""
    text: str = ""
    """Text that was loaded into the editor."""


def _content(path: str) -> str:
    return Path(path).expanduser().read_text("utf-8-sig")


class AttachedTap:
    """Connection of the app to the tap. It polls the status, which also renews the lease."""

    def __init__(self, app: App[None], header: HeaderBar, toasts: Toasts, tabs: Tabs, socket: str) -> None:
        self._app = app
        self._header = header
        self._toasts = toasts
        self._tabs = tabs
        self._socket = socket
        self._asking = threading.Lock()
        self._client: TapClient | None = None
        self.status = TapStatus()
        self.gone = ""
        """Why the connection to the tap was lost; "" while it exists."""

    @property
    def journal(self) -> Journal:
        """Journal of the tap's capture."""
        return self._tabs.current.conversation.journal

    def start(self) -> None:
        """Start polling, four times a second."""
        self._app.run_worker(self._watch(), group="tap")

    def tick(self) -> None:
        """Update the badge, and the held messages in the Inbox."""
        badge = self.status.badge
        hint: Span = (f"   {keys.shown_key('tap.held')} Held and rules", "faint")
        self._header.badge = [*badge, hint] if badge else []
        if isinstance(panel := self._tabs.panel, ShowsHeld):
            panel.show_held(self.status)

    def show(self, kind: str = "", key: int = 0, item: ListedItem | None = None) -> None:
        """Show held messages and rules.

        `kind`: the initial content of the editor. `held`: the message with this number; `rule`: the first rule;
        `propose`: a rule for the entry with this number, else for `item`; `request`: a request like that of this
        entry; "": the message held longest.
        """
        if self.gone:
            self._toasts.say(f"Nothing is held: {self.gone}.")
        elif not any(isinstance(each, HeldScreen) for each in self._app.screen_stack):
            self._app.push_screen(HeldScreen(self, self._first(kind, key, item)))

    def _first(self, kind: str, key: int, item: ListedItem | None) -> Editing:
        if kind == "propose":
            rule = proposed_rule(self.journal, key) or rule_for(item)
            return Editing("rule", "", json_text(rule))
        if kind == "request":
            request = request_like(self.journal, key)
            meta = client_meta(self.journal) | peek.mapping(request.get("params"), "_meta")
            if meta:
                request["params"] = peek.mapping(request, "params") | {"_meta": meta}
            return Editing("request", None, json_text(request))
        return Editing(kind, key)

    async def ask(self, what: str, **members: Any) -> bool:
        """Send a command to the tap and return whether it succeeded; a failure is shown as a toast."""
        try:
            if not self.status.reply.get("controls"):
                await asyncio.to_thread(self._ask, "control")
            await asyncio.to_thread(self._ask, what, **members)
            self.status = TapStatus(await asyncio.to_thread(self._ask, "status"))
        except InspectError as error:
            self._toasts.say(str(error), severity="warning")
            return False
        return True

    def _ask(self, what: str, **members: Any) -> dict[str, Any]:
        with self._asking:  # a tick and a command may ask at the same time
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
                await asyncio.sleep(_POLL_S)
        except TapGone as error:
            self.gone, self.status = str(error), TapStatus()
        finally:
            if self._client is not None:
                self._client.close()


class HeldScreen(Dialog[None]):
    """Held messages and rules beside an editor for the selected one."""

    takes_edits = True
    BINDINGS = keys.bindings_of(
        *("held.leave", "held.release", "held.all", "held.respond", "held.recorded", "held.form", "held.editor"),
        *("held.drop", "held.switch"),
    )
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text("utf-8")

    def __init__(self, tap: AttachedTap, first: Editing) -> None:
        """`first`: the initial content of the editor."""
        super().__init__()
        self._tap = tap
        self._rows = HeldRows()
        self._list = LogList(self._rows)
        self._line = StatusLine()
        self._says = StatusLine()
        self._verdict = StatusLine()
        self._editor = TextArea(soft_wrap=True)
        self._form = SchemaForm()
        self._add = Input(placeholder="Hold requests that match a filter, for example: tool == create_issue")
        self._editing = Editing()
        self._first = first
        self._drafts: list[Any] = []
        """Results that can be sent instead of the server's, the next one first."""
        self._payload_actions = PayloadActions(self._editor, self)

    def compose(self) -> ComposeResult:
        with DialogBox() as box:
            box.border_title = "Held messages and rules"
            yield self._line
            with Horizontal():
                yield self._list
                with Vertical(classes="held--editor"):
                    yield self._says
                    yield self._editor
                    with VerticalScroll(can_focus=False):
                        yield self._form
                    yield self._verdict
            yield self._add
        yield FooterBar()

    def on_mount(self) -> None:
        """Show the initial content, and focus the editor, the list, or the field that adds a rule."""
        self._list.empty = [[("Nothing is held.", "muted")], [("There are no rules.", "muted")]]
        self._look()
        if self._first.kind in ("rule", "request") and self._first.text:
            self._put(self._first)
            self.set_focus(self._editor)
        else:
            self._go_to(self._first)
            self.set_focus(self._list if self._rows.count else self._add)
        self.set_interval(_POLL_S, self._look)

    def _go_to(self, wanted: Editing) -> None:
        for index in range(self._rows.count):
            row = self._rows.at(index) or {}
            if wanted.kind == ("held" if "held" in row else "rule") and row.get("held", wanted.key) == wanted.key:
                self._list.go_to(index)
                self._show(row)
                return

    def _look(self) -> None:
        is_covered = not is_on_top(self)
        if not self._list.is_mounted or (is_covered and self not in self.app.screen_stack):
            return
        if self._tap.gone:
            if not is_covered:
                self.dismiss()
            return
        status = self._tap.status
        before = self._rows.count
        self._rows.show(status)
        self._list.sync()
        if self._rows.count != before:
            self.refresh_bindings()
        message = f"{len(status.held)} held · {counted(len(status.rules), 'rule')}"
        self._line.show([(message, "title")], [(status.timeout, "faint")])
        if is_covered:  # a confirmation is about what is in the editor
            return
        editing = self._editing
        if editing.kind in ("held", "response") and self._held(editing.key) is None:
            self._put(Editing())
        if not self._editing.kind and status.held:
            self._show(status.held[0])

    def _held(self, number: Any) -> dict[str, Any] | None:
        return next((each for each in self._tap.status.held if each["held"] == number), None)

    def _show(self, row: dict[str, Any]) -> None:
        """Load a held message or a rule into the editor; a held message that is loaded already is kept."""
        if "held" not in row:
            self._put(Editing("rule", row["name"], json_text(written_rule(row))))
        elif (self._editing.kind, self._editing.key) not in (("held", row["held"]), ("response", row["held"])):
            try:
                text = json_text(read_json(row["payload"]))
            except UnreadableDocument:
                text = row["payload"]
            self._put(Editing("held", row["held"], text))

    def _put(self, editing: Editing) -> None:
        self._editing = editing
        self.remove_class("-form")
        self._editor.load_text(editing.text)
        what, does = _SAYS[editing.kind]
        key = keys.shown_key("held.release")
        self._says.show([(what, "title")], [(f"{key} {does}" if does else "", "faint")])
        self.refresh_bindings()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Show whether the message is JSON and fits the schema of its tool. Neither prevents its release."""
        if event.text_area is not self._editor:
            return
        event.stop()
        held = self._held(self._editing.key) if self._editing.kind in ("held", "response") else None
        if held is None or self._is_file:
            self._verdict.show([], [])
            return
        tool = tool_named(self._tap.journal, held["target"])
        self._verdict.show([verdict_on(self._editor.text, tool, self._editing.kind, held["side"])], [])

    @property
    def _is_file(self) -> bool:
        return self._editing.kind == "response" and self._editor.text.startswith("@")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable what is possible with the content of the editor, and with the row under the cursor."""
        kind = self._editing.kind
        held = self._held(self._editing.key) if kind in ("held", "response") else None
        match action:
            case "release" | "editor":
                return bool(kind)
            case "all":
                return bool(self._tap.status.held)
            case "form":
                return held is not None
            case "respond" | "recorded":
                return held is not None and held["side"] == "request"
            case "drop":
                return held is not None or kind == "rule"
            case "switch":
                return "held" not in (self._rows.at(self._list.view.cursor) or {"held": 0})
            case _:
                return True

    # Interface for PayloadActions

    @property
    def whole(self) -> bytes:
        """Content of the editor."""
        return self._editor.text.encode()

    @property
    def place(self) -> str | None:
        """None: no position in a message."""
        return None

    def copies(self) -> list[Copy]:
        """Return nothing to copy."""
        return []

    def on_payload_actions_edited(self, event: PayloadActions.Edited) -> None:
        """Load the text that the user's external editor returned."""
        event.stop()
        self._editor.load_text(event.payload.decode("utf-8", "replace"))

    # Events and actions

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Show the selected row if the user selected it."""
        event.stop()
        found = self._rows.at(event.index)
        if found is not None and event.by_reader:
            self._show(found)
        self.refresh_bindings()

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Show the row and focus the editor."""
        event.stop()
        found = self._rows.at(event.index)
        if found is not None:
            self._show(found)
            self._editor.focus()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Add a rule that holds matching requests."""
        event.stop()
        when = event.value.strip()
        if when:
            rule = {"name": f"hold {when}"[:80], "action": "hold", "side": "request", "when": when}
            if await self._tap.ask("set_rule", rule=rule):
                self._add.value = ""
                self.set_focus(self._list)

    def action_leave(self) -> None:
        """Return from the editor to the list; from there close the dialog. Messages stay held."""
        if self.focused is not self._list and self._rows.count:
            self.set_focus(self._list)
        else:
            self.dismiss()

    def action_editor(self) -> None:
        """Edit the text in the user's external editor."""
        self._payload_actions.action_edit_out()

    async def action_release(self) -> None:
        """Release, send or arm the content of the editor, as the line above it shows."""
        await self._read_form()
        kind, key, text = self._editing.kind, self._editing.key, self._editor.text
        done = False
        if kind == "held" and text != self._editing.text and not _is_json(text):
            self._confirm_invalid(key, text)
        elif kind == "held":
            done = await self._release(key, text)
        elif kind == "response" and (result := await self._result(text)) is not None:
            done = await self._tap.ask("respond", held=key, result=result)
        elif kind == "rule" and isinstance(rule := self._json("The rule", text), dict):
            done = await self._set_rule(key, rule)
        elif kind == "request" and isinstance(request := self._json("The request", text), dict):
            done = await self._tap.ask("send", method=request.get("method"), params=request.get("params"))
            if done:
                self.app.notify("Sent. Its response is in the traffic; the client does not see it.")
        if done:
            self._finish()

    def _finish(self) -> None:
        has_rows = self._editing.kind == "rule" or self._rows.count  # a rule that was just armed has no row yet
        self._put(Editing())
        self.set_focus(self._list if has_rows else self._add)
        self._look()

    def _confirm_invalid(self, held: int, text: str) -> None:
        """Ask before a message is released that is not JSON: the receiver may end the connection."""

        async def answered(yes: bool | None) -> None:
            if yes and await self._release(held, text):
                self._finish()

        lines: list[list[Span]] = [
            [(f"{glyphs().warning} This is not valid JSON. It is sent as written, on one line.", "warning")]
        ]
        quoted = visible(text, limit=1000, newlines=True)
        self.app.push_screen(ConfirmScreen("Release invalid JSON?", lines, quoted, ("Back", "Release")), answered)

    async def _set_rule(self, name: str, rule: dict[str, Any]) -> bool:
        if not await self._tap.ask("set_rule", rule=rule):
            return False
        if name and rule.get("name") != name:
            await self._tap.ask("remove_rule", name=name)
        return True

    async def action_all(self) -> None:
        """Release all messages unchanged."""
        await self._tap.ask("release_all")

    def action_respond(self) -> None:
        """Write a response to the held request, starting with the newest recorded one, or a blank one."""
        held = self._held(self._editing.key)
        if held is None:  # released a moment ago
            return
        self._drafts = [*recorded_results(self._tap.journal, held["method"], held["target"])]
        self._drafts.append(blank_result(held["method"]))
        self._put(Editing("response", held["held"], ""))
        self.action_recorded()
        self.set_focus(self._editor)

    def action_recorded(self) -> None:
        """Load the next recorded response, from newest to oldest, and after them a blank one."""
        if self._editing.kind != "response":
            self.action_respond()
            return
        draft = self._drafts.pop(0)
        self._drafts.append(draft)
        self._put(Editing("response", self._editing.key, json_text(draft)))

    async def action_form(self) -> None:
        """Switch between JSON and the form of the tool's schema: call arguments or structured content of a result."""
        if self.has_class("-form"):
            await self._read_form()
            self.set_focus(self._editor)
            return
        held = self._held(self._editing.key) if self._editing.kind in ("held", "response") else None
        tool = tool_named(self._tap.journal, held["target"]) if held is not None else None
        schema, path = self._part(tool)
        if not isinstance(schema, dict):
            what = "a listed tool" if path[0] == "params" else "an output schema"
            self.app.notify(f"There is no form: this is not a call of a tool with {what}.")
            return
        value = self._json("The text", self._editor.text)
        if value is not None:
            found = peek.at(value, *path)
            editing = self._editing
            await self._form.load(schema)
            if isinstance(found, dict):
                await self._form.take(found)
            if self._editing is editing:  # the message may have been released meanwhile
                self.add_class("-form")
                self._form.focus_first()

    def _part(self, tool: Tool | None) -> tuple[Any, tuple[str, ...]]:
        held = self._held(self._editing.key)
        return checked_part(tool, self._editing.kind, "" if held is None else held["side"])

    async def _read_form(self) -> None:
        """Write the content of the form to the editor."""
        if not self.has_class("-form"):
            return
        self.remove_class("-form")
        self._form.read_editors()
        arguments = self._form.arguments
        arguments = {} if arguments is UNSET else arguments
        value = self._json("The text", self._editor.text)
        _, path = self._part(None)
        if path[0] == "structuredContent":
            self._editor.load_text(json_text(result_of(arguments)))
        elif isinstance(value, dict) and path[0] == "result":
            result = peek.mapping(value, "result") | result_of(arguments)
            self._editor.load_text(json_text(value | {"result": result}))
        elif isinstance(value, dict):
            params = peek.mapping(value, "params") | {"arguments": arguments}
            self._editor.load_text(json_text(value | {"params": params}))

    async def action_drop(self) -> None:
        """Drop the held message; for a rule, remove it."""
        row = self._rows.at(self._list.view.cursor)
        if self._editing.kind == "rule" and row is not None and "held" not in row:
            if await self._tap.ask("remove_rule", name=row["name"]):
                self._put(Editing())
        elif self._editing.kind in ("held", "response"):
            await self._tap.ask("drop", held=self._editing.key)
        self._look()

    async def action_switch(self) -> None:
        """Enable or disable the rule under the cursor."""
        found = self._rows.at(self._list.view.cursor)
        if found is not None and "held" not in found:
            await self._tap.ask("enable_rule", name=found["name"], enabled=not found["enabled"])
            self._look()

    async def _release(self, held: int, text: str) -> bool:
        if text == self._editing.text:
            return await self._tap.ask("release", held=held)
        if "\n" in text:  # one line is sent byte for byte
            text = json_text(read_json(text), indent=None) if _is_json(text) else text.replace("\n", " ")
        return await self._tap.ask("release", held=held, payload=text)

    async def _result(self, text: str) -> Any:
        """Return the result that was written, or that of the file in `@FILE`; None, with a toast, if there is none."""
        if not self._is_file:
            return self._json("The result", text)
        try:
            text = await asyncio.to_thread(_content, text[1:].strip())
        except (OSError, ValueError) as error:
            self.app.notify(f"The file can't be read: {error}", severity="warning")
            return None
        return self._json("The file", text)

    def _json(self, what: str, text: str) -> Any:
        """Return the JSON value of a text; show a toast and return None if it is not JSON."""
        try:
            return read_json(text)
        except UnreadableDocument as error:
            self.app.notify(f"{what} is not JSON: {error}", severity="warning")
            return None


def _is_json(text: str) -> bool:
    try:
        read_json(text)
    except UnreadableDocument:
        return False
    return True
