"""Screen 2, Tools: the list, the form of the chosen tool, and what came of calling it.

What was typed for a tool outlives a new connection. Calls run in workers: several may be on their way, and the panel
follows the newest. A wide terminal shows list, form and result side by side, a narrow one the step that was taken
last, and Escape goes back step by step.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.binding import BindingType

from inspector.forms.typed import json_text
from inspector.present.items import ToolList, total_cost
from inspector.protocol import peek
from inspector.protocol.flows.tasks import Support, support_of
from inspector.protocol.things import Tool
from inspector.protocol.tracking.catalogue import Listing
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import OpenConversation
from inspector.tui.screens.items.asking import RequestScreen
from inspector.tui.screens.items.calls import PastCall, question
from inspector.tui.screens.items.list import ListWords, ThingSide
from inspector.tui.screens.items.result import ResultPanel
from inspector.tui.screens.items.result_views import SCHEMA, STDERR
from inspector.tui.screens.items.tool_form import ToolForm

# --- The list of tools with its search line.

_WORDS = ListWords("tool", "tools", "name, title or description")


class ToolSide(ThingSide):
    """The tools of a server, to choose one."""

    kinds = ("tools",)

    class Chosen(ThingSide.Chosen):
        """Another tool is meant; `opened` if the reader wants to work with it."""

        @property
        def tool(self) -> Tool | None:
            """The tool."""
            return self.thing if isinstance(self.thing, Tool) else None

    def __init__(self, subject: OpenConversation) -> None:
        self._tools = ToolList()
        super().__init__(subject, self._tools, _WORDS)

    def read(self, listings: Sequence[Listing]) -> Sequence[Tool]:
        """The tools."""
        return tuple(Tool(raw) for listing in listings for raw in listing.items)

    def summary(self, things: Sequence[Tool]) -> tuple[str, str]:
        """How many there are, and what they cost."""
        count, _, rest = total_cost(self._tools.all_rows(things)).partition(",")
        return count, f",{rest}" if rest else ""


class ToolsPanel(RequestScreen[ToolSide, ToolForm]):
    """The tools of a server, and calling them."""

    places = (
        ActionScope.EVERYWHERE,
        ActionScope.TOOLS,
        ActionScope.OFFERED,
        ActionScope.FORM,
        ActionScope.FORM_LINE,
        ActionScope.FORM_CHOICE,
        ActionScope.RESULT,
        ActionScope.DETAIL,
        ActionScope.MOVING,
        ActionScope.JSON,
        ActionScope.FINDING_HERE,
        ActionScope.PAYLOAD,
        ActionScope.SEARCH,
    )
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(
        ActionScope.TOOLS, ActionScope.OFFERED, ActionScope.RESULT, ActionScope.DETAIL
    )
    HELP = """\
Choose a tool, fill its form, call it. What a server says of its tools is shown as its claim. The form takes wrong
values too: the button then says so, and a second press sends them.
"""

    method = "tools/call"
    done = "called"

    def __init__(self, subject: OpenConversation) -> None:
        super().__init__(subject, ToolSide(subject), ToolForm(), ResultPanel())

    @property
    def past(self) -> Sequence[PastCall]:
        """Calls of the chosen tool, oldest first."""
        tool = self.form.tool
        return self.history.of(tool.name) if tool else ()

    @property
    def output_schema(self) -> Any:
        """What the tool's structured results should fit."""
        return self.form.tool.output_schema if self.form.tool else None

    def sync(self) -> None:
        """Take in what is new, also whether the tool can be called as a task."""
        super().sync()
        if self.is_ready:
            opening = self.subject.opening
            mirrored = opening is not None and opening.revision.routing_headers
            self.form.say_mirrored(mirrored and bool(self.subject.journal.http_exchanges))
            self.form.say_support(support_of(self.form.tool, opening) if opening is not None else Support.NONE)

    async def do_more(self, name: str) -> None:
        """What a key asks for here alone: "task", "app", "hosts", "schema", "stderr".

        And "edit" and "repeat" of the call that is shown.
        """
        match name:
            case "task":
                self.form.toggle_task()
            case "app":
                from inspector.tui.screens.items.dialogs import show_app_of

                show_app_of(self.app, self.subject, self.form.tool)
            case "schema":
                self.show_view(SCHEMA)
            case "stderr":
                self.show_view(STDERR)
            case "hosts":
                from inspector.tui.screens.items.dialogs import show_hosts

                show_hosts(self.app, self.subject)
            case _ if self.last_call is None:
                self.app.notify("This tool has not been called yet.", markup=False)
            case _:
                await super().do_more(name)

    async def choose(self, meant: ThingSide.Chosen) -> None:
        """Show the tool, its newest call, and its schemas."""
        await super().choose(meant)
        tool, body = self.form.tool, self.result.body
        found = peek.mapping(tool.raw) if tool is not None else {}
        schemas = {key: found[key] for key in ("inputSchema", "outputSchema") if key in found}
        body.show_schema(json_text(schemas).encode(errors="replace") if schemas else b"")
        if body.tab == SCHEMA:
            self.add_class("-called")

    # What is asked for

    async def on_tool_side_chosen(self, event: ToolSide.Chosen) -> None:
        """Show the tool, and go to its form where that is wanted."""
        await self.follow(event)

    async def on_tool_form_call_wanted(self, event: ToolForm.CallWanted) -> None:
        """Call, after the person was asked where that is due."""
        event.stop()
        tool, arguments = event.tool, event.arguments
        if not self.calling.must_ask(tool):
            self._call(tool, arguments)
            return
        from inspector.tui.widgets.dialogs import ConfirmScreen

        def answered(yes: bool | None) -> None:
            if yes:
                self.calling.confirmed(tool)
                self._call(tool, arguments)

        quoted = visible(json_text(arguments), limit=2000, newlines=True) or "no arguments"
        lines = question(tool, self.subject.about.label)
        self.app.push_screen(ConfirmScreen("Claimed to be destructive", lines, quoted), answered)

    def _call(self, tool: Tool, arguments: object) -> None:
        self.begin(self.calling.begin(tool, arguments, as_task=self.form.as_task))
