"""The form of the chosen tool, with what the tool says of itself above it and the way to call it below.

What was typed for a tool is kept by its name. Wrong input can be sent: the first press goes to what is wrong and
says so on the button, the second one sends.
"""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from inspector.forms.fields import UNSET
from inspector.forms.values import FormValue
from inspector.protocol.things import Tool
from inspector.tui.panels.call_bar import CallBar
from inspector.tui.panels.tool_head import ToolHead
from inspector.tui.widgets.schema_form import SchemaForm


class ToolForm(Widget):
    """One tool, ready to be called."""

    DEFAULT_CSS = """
    ToolForm { layout: vertical; }
    ToolForm > VerticalScroll { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    ToolForm > .tool--none { display: none; width: 1fr; height: 1fr; content-align: center middle; color: $text-muted; }
    ToolForm.-none > .tool--none { display: block; }
    ToolForm.-none > VerticalScroll, ToolForm.-none > CallBar { display: none; }
    ToolForm > CallBar { margin: 0; }
    """

    class CallWanted(Message):
        """The person wants the tool to be called."""

        def __init__(self, tool: Tool, arguments: object) -> None:
            super().__init__()
            self.tool = tool
            self.arguments = arguments
            """Any JSON; UNSET for none."""

    def __init__(self) -> None:
        super().__init__(classes="-none")
        self.tool: Tool | None = None
        self._values: dict[str, FormValue] = {}
        self._armed: FormValue = None
        """The value for which the button has said that it is wrong."""
        self._why_not = ""
        self._head = ToolHead()
        self._bar = CallBar()
        self.form = SchemaForm()
        """The form."""

    def compose(self) -> ComposeResult:
        """Head and form scroll together; the bar stays."""
        yield Static("No tool is chosen", classes="tool--none")
        with VerticalScroll(can_focus=False):
            yield self._head
            yield self.form
        yield self._bar

    @property
    def is_ready(self) -> bool:
        """Whether all of it has been laid out."""
        return self._bar.is_mounted and self.form.is_ready

    async def show(self, tool: Tool | None) -> None:
        """Show another tool, with what was typed for it before."""
        self._keep()
        same = tool is not None and self.tool is not None and tool.name == self.tool.name
        self.tool = tool
        self.set_class(tool is None, "-none")
        if tool is None:
            return
        self._head.show(tool)
        await self.form.load(_schema(tool), self._values.get(tool.name, UNSET))
        if not same:
            self.query_one(VerticalScroll).scroll_home(animate=False)

    def _keep(self) -> None:
        if self.tool is not None:
            self._values[self.tool.name] = self.form.state.value

    async def take(self, arguments: object) -> None:
        """Take the arguments of an earlier call."""
        await self.form.take({} if arguments is None else arguments)

    def say_why_not(self, why_not: str) -> None:
        """Say why nothing can be called now; "" if it can."""
        if why_not != self._why_not:
            self._why_not = why_not
            self._renew_bar()

    def _renew_bar(self) -> None:
        form = self.form
        armed = self._armed is not None and self._armed is form.state.value
        self._bar.say(problems=form.problem_count, armed=armed, as_json=form.as_json, why_not=self._why_not)

    async def send(self) -> None:
        """Want the call, or say first what is wrong with its arguments."""
        tool, form = self.tool, self.form
        if tool is None:
            return
        if self._why_not:
            self.app.notify(f"Nothing was sent ({self._why_not}).", severity="warning", markup=False)
            return
        if form.json_problem:
            self.app.notify("Nothing was sent: the JSON can't be read.", severity="warning", markup=False)
            form.focus_first()
            return
        verdict = await form.judge()
        if verdict.ok is False and self._armed is not form.state.value:
            self._armed = form.state.value
            await form.insist()
            self._renew_bar()
            return
        self._armed = None
        self._renew_bar()
        self.post_message(self.CallWanted(tool, form.arguments))

    def arm(self) -> None:
        """Take the value as it is for what the person wants, right or wrong: it was sent before."""
        self._armed = self.form.state.value

    async def toggle_json(self) -> None:
        """Between form and JSON text."""
        if self.tool is not None:
            await self.form.toggle_json()
            self._renew_bar()

    def toggle_about(self) -> None:
        """Show all of the description, or its beginning."""
        self._head.toggle()

    def focus_first(self) -> None:
        """Focus the first field, or the button of a tool without any."""
        self._bar.focus()
        self.form.focus_first()

    def on_schema_form_changed(self, event: SchemaForm.Changed) -> None:
        """Say on the bar what a press would do now."""
        event.stop()
        self._renew_bar()

    async def on_call_bar_pressed(self, event: CallBar.Pressed) -> None:
        """Call, or show the other view."""
        event.stop()
        if event.deed == "json":
            await self.toggle_json()
        else:
            await self.send()


def _schema(tool: Tool) -> object:
    """The schema to draw; of a tool without one an object of whatever the person adds."""
    return tool.input_schema if isinstance(tool.input_schema, dict) else {"type": "object"}
