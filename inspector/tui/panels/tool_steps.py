"""The three steps of the tools: list, form, result. Which of them are in sight, where the focus is, and the way back.

A wide terminal shows all three side by side, a middling one the result below the form, a narrow one the step that was
taken last.
"""

from typing import Literal, TypeAlias

from textual import events
from textual.app import ComposeResult
from textual.containers import Container

from inspector.tui.panels import Panel
from inspector.tui.panels.result import ResultPanel
from inspector.tui.panels.tool_form import ToolForm
from inspector.tui.panels.tool_list import ToolSide
from inspector.tui.subject import Subject

NARROW = 100
"""Below this many columns one step is shown at a time."""
WIDE = 140
"""From here on all three stand side by side."""
Step: TypeAlias = Literal["list", "form", "result"]
_STEPS: tuple[Step, ...] = ("list", "form", "result")


class ToolSteps(Panel):
    """List, form and result, arranged for the width there is."""

    DEFAULT_CSS = """
    ToolSteps { layout: horizontal; }
    ToolSteps > ToolSide { width: 39; height: 1fr; border-right: solid $border-blurred; }
    ToolSteps > .tools--work { width: 1fr; height: 1fr; layout: vertical; }
    ToolSteps ToolForm { width: 1fr; height: 1fr; }
    ToolSteps ResultPanel { width: 1fr; height: 1fr; border-top: solid $border-blurred; display: none; }
    ToolSteps.-called ResultPanel { display: block; }
    ToolSteps.-wide > .tools--work { layout: horizontal; }
    ToolSteps.-wide ResultPanel { display: block; border-top: none; border-left: solid $border-blurred; }
    ToolSteps.-narrow > ToolSide { display: none; width: 1fr; border: none; }
    ToolSteps.-narrow > .tools--work { display: none; }
    ToolSteps.-narrow ToolForm { display: none; }
    ToolSteps.-narrow ResultPanel { display: none; border: none; }
    ToolSteps.-narrow.-at-list > ToolSide { display: block; }
    ToolSteps.-narrow.-at-form > .tools--work, ToolSteps.-narrow.-at-form ToolForm { display: block; }
    ToolSteps.-narrow.-at-result > .tools--work, ToolSteps.-narrow.-at-result ResultPanel { display: block; }
    """

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self.subject = subject
        self.side = ToolSide(subject)
        """The list."""
        self.form = ToolForm()
        """The form of the chosen tool."""
        self.result = ResultPanel()
        """What came of calling it."""

    def compose(self) -> ComposeResult:
        """List, form, result."""
        yield self.side
        with Container(classes="tools--work"):
            yield self.form
            yield self.result

    def on_mount(self) -> None:
        """Begin at the list."""
        self.go("list", focus=False)

    def on_resize(self, event: events.Resize) -> None:
        """Arrange for another width."""
        self.set_class(event.size.width < NARROW, "-narrow")
        self.set_class(event.size.width >= WIDE, "-wide")

    @property
    def is_ready(self) -> bool:
        """Whether all parts have been laid out: until then there is nothing to show anything in."""
        return self.side.is_ready and self.form.is_ready and self.result.body.is_ready

    def take_focus(self) -> None:
        """The list, or the step that was taken last."""
        self.go(self.step)

    def go_back(self) -> bool:
        """From the result to the form, from there to the list, and there out of the search."""
        step = self.here()
        if step == "list":
            return self.side.end_search()
        self.go(_STEPS[_STEPS.index(step) - 1])
        return True

    def action_tab(self, by: int) -> None:
        """Show the next view of the result."""
        self.add_class("-called")
        self.go("result", focus=False)
        self.result.action_tab(by)

    def action_picture(self) -> None:
        """Show the result's picture."""
        self.result.action_picture()

    async def action_markdown(self) -> None:
        """Show the result's texts as Markdown, or as they are."""
        await self.result.action_markdown()

    def action_edit(self) -> None:
        """Put the arguments of the call that is shown into the form."""
        self.result.action_edit()

    @property
    def step(self) -> Step:
        """The step that was taken last."""
        return next((step for step in _STEPS if self.has_class(f"-at-{step}")), "list")

    def here(self) -> Step:
        """Where the focus is."""
        if self.result.has_focus_within:
            return "result"
        return "form" if self.form.has_focus_within else "list" if self.side.has_focus_within else self.step

    def go(self, step: Step, *, focus: bool = True) -> None:
        """Take a step."""
        for each in _STEPS:
            self.set_class(each == step, f"-at-{each}")
        if focus:
            self.call_after_refresh(
                {"list": self.side.focus_list, "form": self.form.focus_first, "result": self.result.body.focus_body}[
                    step
                ]
            )
