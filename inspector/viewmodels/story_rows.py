"""The steps of a story as rows: when, which way, what it was, and the gist of it."""

from collections.abc import Sequence

from inspector.viewmodels import signs, text
from inspector.viewmodels.lines import Fact, lay
from inspector.viewmodels.log_look import seconds
from inspector.viewmodels.roles import Role, Span
from inspector.viewmodels.rows import RowSource, RowView
from inspector.viewmodels.story import Step, Story

_WAYS: dict[str, Span] = {
    "to_server": (signs.TO_SERVER, "to_server"),
    "from_server": (signs.FROM_SERVER, "from_server"),
    "beside": (signs.NOTE, "event"),
}
_NESTED = ("progress", "question", "reply", "log", "notification", "http", "stderr", "event")
"""What stands under the operation's own messages."""


class StoryRows(RowSource):
    """The steps, and in the middle of a long story how many are left out."""

    def __init__(self, story: Story) -> None:
        self._generation = 0
        self.story = story

    def show(self, story: Story) -> None:
        """Show the same story, further on."""
        if story != self.story:
            self.story = story
            self._generation += 1

    @property
    def count(self) -> int:
        return len(self.story.steps)

    @property
    def generation(self) -> int:
        return self._generation

    def step(self, index: int) -> Step | None:
        """The step in a row."""
        return self.story.steps[index] if 0 <= index < self.count else None

    def header(self, width: int) -> Sequence[Span]:
        left_out = f"   {self.story.left_out:,} steps in the middle are left out" if self.story.left_out else ""
        return lay([(f"{'seconds':>10}    what happened{left_out}", "muted")], width)

    def row(self, index: int, width: int) -> RowView:
        step = self.story.steps[index]
        number = f"#{step.n}"
        indent = f"{signs.BRANCH} " if step.part in _NESTED else ""
        title: list[Span] = [(indent, "faint"), (step.title, _title_role(step))]
        said: list[Span] = [("  ", "text"), (step.said, _said_role(step))] if step.said else []
        when: Span = (seconds(step.after_ns).rjust(10) + "  ", "muted")
        room = max(0, width - 14 - len(number) - 2)
        return RowView([when, _WAYS[step.way], (" ", "text"), *lay([*title, *said], room), (f"  {number}", "faint")])


def facts_said(facts: Sequence[Fact], most: int = 12) -> list[Span]:
    """The facts of a story on a line."""
    spans: list[Span] = []
    for fact in facts[:most]:
        between: list[Span] = [(f"  {signs.NOTE}  ", "faint")] if spans else []
        spans += [*between, (f"{fact.key} ", "muted"), (text.fit(fact.value, min(60, len(fact.value))), fact.role)]
    return spans


def _title_role(step: Step) -> Role:
    return step.role if step.part not in ("stderr", "log") else "faint"


def _said_role(step: Step) -> Role:
    return "stderr" if step.part == "stderr" else "text" if step.part == "log" else "muted"
