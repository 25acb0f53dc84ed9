"""The form of the chosen tool, with what the tool says of itself above it and the way to call it below."""

from inspector.protocol.things import Thing, Tool
from inspector.tui.panels.thing_form import ThingForm
from inspector.tui.panels.tool_head import ToolHead


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

    @property
    def tool(self) -> Tool | None:
        """The tool that is shown."""
        return self.thing if isinstance(self.thing, Tool) else None

    def schema(self, thing: Thing) -> object:
        """The schema to draw; of a tool without one an object of whatever the person adds."""
        found = Tool(thing.raw).input_schema
        return found if isinstance(found, dict) else {"type": "object"}
