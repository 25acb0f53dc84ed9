"""The part of the table of keys that is about what somebody notes: marks, comments, views."""

from inspector.tui.actions import Action, Where

_T, _M = Where.TRAFFIC, Where.MARKS
MARKING: tuple[Action, ...] = (
    Action("traffic.mark", ("m",), "Mark", "Mark this line, or take its mark away.", _T, "mark"),
    Action("traffic.comment", (";",), "Comment", "Mark this line with a colour and a comment.", _T, "comment"),
    Action("traffic.marked", ("M",), "Only marked", "Show only marked lines, or all again.", _T, "only_marked"),
    Action("traffic.marks", ("'",), "Marks", "List marks and saved views, to go to one.", _T, "app.marks"),
    Action(
        "replay.marks", ("'",), "Marks", "List the marks of the recording, to go to one.", Where.REPLAY, "app.marks"
    ),
    # The list
    Action("marks.colour", ("c",), "Colour", "Give the mark the next colour.", _M, "colour", footer=True),
    Action("marks.comment", (";", "e"), "Comment", "Write beside the mark.", _M, "comment", footer=True),
    Action("marks.remove", ("d",), "Remove", "Take the mark or the view away.", _M, "remove", footer=True),
    Action(
        "marks.view", ("S",), "Keep view", "Keep filter and columns of now by a name.", _M, "keep_view", footer=True
    ),
    Action("marks.leave", ("escape", "'"), "Back", "Go back to where one was.", _M, "leave", footer=True),
)
"""The order is the order of footer and help."""
