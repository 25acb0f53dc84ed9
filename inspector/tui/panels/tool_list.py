"""The list of tools with its search line."""

from collections.abc import Sequence

from inspector.protocol.things import Tool
from inspector.protocol.tracking.catalogue import Listing
from inspector.tui.panels.thing_list import ListWords, ThingSide
from inspector.tui.subject import Subject
from inspector.viewmodels.tools import ToolList, total_cost

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

    def __init__(self, subject: Subject) -> None:
        self._tools = ToolList()
        super().__init__(subject, self._tools, _WORDS)

    def read(self, listings: Sequence[Listing]) -> Sequence[Tool]:
        """The tools."""
        return tuple(Tool(raw) for listing in listings for raw in listing.items)

    def summary(self, things: Sequence[Tool]) -> tuple[str, str]:
        """How many there are, and what they cost."""
        count, _, rest = total_cost(self._tools.all_rows(things)).partition(",")
        return count, f",{rest}" if rest else ""
