"""The form of the chosen tool, with what the tool says of itself above it and the way to call it below."""

from inspector.protocol.flows.as_task import Support
from inspector.protocol.headers import cautions
from inspector.protocol.things import Thing, Tool
from inspector.tui import keys
from inspector.tui.panels.thing_form import ThingForm
from inspector.tui.panels.tool_head import ToolHead
from inspector.tui.styles import glyphs

_WORDS = {
    Support.NONE: "",
    Support.FORBIDDEN: "never a task",
    Support.REQUIRED: "task required",
    Support.SERVER_DECIDES: "may be a task",
}
_NO_CHOICE = {
    Support.NONE: "This server has no tasks for tool calls.",
    Support.FORBIDDEN: "The server does not let this tool be called as a task.",
    Support.REQUIRED: "The tool must be called as a task, and is.",
    Support.SERVER_DECIDES: "The server alone decides whether a call becomes a task.",
}


class ToolForm(ThingForm):
    """One tool, ready to be called."""

    class CallWanted(ThingForm.CallWanted):
        """The person wants the tool to be called."""

        @property
        def tool(self) -> Tool:
            """The tool."""
            return Tool(self.thing.raw)

    def __init__(self) -> None:
        super().__init__(ToolHead(), one="tool", verb="Call")
        self._support = Support.NONE
        self._is_mirrored = False
        self._as_tasks: set[str] = set()
        """The names of the tools that are to be called as tasks, of those where that is a choice."""

    @property
    def as_task(self) -> bool:
        """Whether the person wants the call to be a task, where that is a choice."""
        tool = self.tool
        return self._support is Support.OPTIONAL and tool is not None and tool.name in self._as_tasks

    def say_support(self, support: Support) -> None:
        """Say whether calls of the tool may become tasks."""
        if support is not self._support:
            self._support = support
            self._renew_bar()

    def say_mirrored(self, mirrored: bool) -> None:
        """Say whether calls are sent over HTTP with headers that mirror parameters."""
        if mirrored is not self._is_mirrored:
            self._is_mirrored = mirrored
            self._renew_bar()

    def cautions(self) -> tuple[str, ...]:
        """What the headers of a call will not do as they should."""
        tool = self.tool
        return cautions(tool.input_schema, self.form.arguments) if self._is_mirrored and tool is not None else ()

    def toggle_task(self) -> None:
        """Call this tool as a task from now on, or not; where there is no choice, it is said why."""
        tool = self.tool
        if tool is None:
            return
        if self._support is Support.OPTIONAL:
            self._as_tasks ^= {tool.name}
            self._renew_bar()
        else:
            self.app.notify(_NO_CHOICE[self._support], markup=False)

    def task_words(self) -> str:
        """What the bar says of it."""
        if self._support is Support.OPTIONAL:
            return f"{glyphs().ok if self.as_task else glyphs().disconnected} as a task {keys.key_name('t')}"
        return _WORDS[self._support]

    @property
    def tool(self) -> Tool | None:
        """The tool that is shown."""
        return self.thing if isinstance(self.thing, Tool) else None

    def schema(self, thing: Thing) -> object:
        """The schema to draw; of a tool without one an object of whatever the person adds."""
        found = Tool(thing.raw).input_schema
        return found if isinstance(found, dict) else {"type": "object"}
