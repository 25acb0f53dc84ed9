"""The part of the table of keys that is about exporting: a file for other programs, people, tests and comparisons."""

from inspector.tui.actions import Action, Where

_X = Where.EXPORT
EXPORTING: tuple[Action, ...] = (
    Action(
        "export",
        ("X",),
        "Export",
        "Export, share, keep as a surface or as cases, or compare with a saved surface.",
        Where.EVERYWHERE,
        "app.export",
    ),
    Action("export.what", ("right",), "What", "Take another part of it.", _X, "what(1)", footer=True),
    Action("export.what_before", ("left",), "What before", "Take the part before.", _X, "what(-1)"),
    Action("export.notes", ("n",), "Notes", "Take marks and comments along, or not.", _X, "notes", footer=True),
    Action("export.list", ("up",), "List", "From the path back to the list.", _X, "list"),
    Action("export.leave", ("escape",), "Back", "Leave; what is being written is finished.", _X, "leave", footer=True),
)
"""The order is the order of footer and help."""
