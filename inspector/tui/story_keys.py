"""The part of the table of keys that is about the story of an operation."""

from inspector.tui.actions import Action, Where

_S = Where.STORY
TELLING: tuple[Action, ...] = (
    Action("traffic.story", ("s",), "Story", "Tell all about this operation on one page.", Where.TRAFFIC, "story"),
    Action("story.save", ("w",), "Save", "Save the story as Markdown with a diagram.", _S, "save", footer=True),
    Action("story.copy", ("y",), "Copy", "Copy the story as Markdown with a diagram.", _S, "copy_story", footer=True),
    Action("story.leave", ("escape", "s"), "Back", "Go back to the list.", _S, "leave", footer=True),
)
"""The order is the order of footer and help."""
