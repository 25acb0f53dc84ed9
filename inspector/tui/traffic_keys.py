"""The part of the table of keys that is about the list of the traffic: its jumps, its columns, its times."""

from inspector.tui.actions import Action, Where

_T, _W = Where.TRAFFIC, Where.WATERFALL
TRAFFIC: tuple[Action, ...] = (
    # Jumps
    Action("traffic.origin", ("o",), "Origin", "Go to what caused this: its request, its call.", _T, "origin"),
    Action("traffic.error", (")",), "Next error", "Go to the next line that tells of an error.", _T, "error(1)"),
    Action("traffic.error_before", ("(",), "Error before", "Go to the error before.", _T, "error(-1)"),
    Action("traffic.within", (">",), "Next in exchange", "Go on within the same exchange.", _T, "within(1)"),
    Action("traffic.within_before", ("<",), "Before in it", "Go back within the same exchange.", _T, "within(-1)"),
    Action("traffic.go_to", ("#",), "Go to", "Go to a line by its number or its time.", _T, "go_to"),
    # Sending
    Action("traffic.resend", ("r",), "Send again", "Send this request again, as it was; asks first.", _T, "resend"),
    # Time
    Action("traffic.time", ("@",), "Times", "Tell the time of day, or since start, or line above.", _T, "times"),
    Action("traffic.reference", ("t",), "Count from here", "Count times from here; again: no more.", _T, "reference"),
    # Columns
    Action("traffic.columns", ("C",), "Columns", "Choose the columns, and their order.", _T, "columns"),
    Action("traffic.as_column", ("c",), "As column", "Show the chosen value as a column, or no more.", _T, "as_column"),
    Action("traffic.waterfall", ("W",), "Waterfall", "Show all exchanges on one axis of time.", _T, "waterfall", True),
    # Waterfall
    Action("waterfall.closer", ("+",), "Zoom in", "Show less time.", _W, "zoom(0.5)", footer=True),
    Action("waterfall.wider", ("-",), "Zoom out", "Show more time.", _W, "zoom(2)", footer=True),
    Action("waterfall.left", ("left", "h"), "Earlier", "Move to what came before.", _W, "pan(-1)", footer=True),
    Action("waterfall.right", ("right", "l"), "Later", "Move to what came later.", _W, "pan(1)", footer=True),
    Action("waterfall.all", ("a",), "All", "Show the whole conversation.", _W, "all", footer=True),
    Action("waterfall.this", ("z",), "This one", "Show this exchange alone.", _W, "this", footer=True),
    Action("waterfall.sight", ("=",), "In sight", "Let the axis follow the lanes in sight.", _W, "sight", footer=True),
    Action("waterfall.leave", ("escape", "W"), "Back", "Go back to the list.", _W, "leave", footer=True),
)
"""The order is the order of footer and help."""
