"""The three steps of the tools: the list, the form of the chosen tool, and what came of calling it."""

from inspector.tui.panels.result import ResultPanel
from inspector.tui.panels.steps import Steps
from inspector.tui.panels.tool_form import ToolForm
from inspector.tui.panels.tool_list import ToolSide
from inspector.tui.subject import Subject


class ToolSteps(Steps[ToolSide, ToolForm]):
    """List, form and result of the tools."""

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject, ToolSide(subject), ToolForm(), ResultPanel())
