"""The part of the table of keys that is about the list of the traffic: its jumps, its columns, its times."""

from inspector.tui.actions import Action, Where

_T = Where.TRAFFIC
TRAFFIC: tuple[Action, ...] = (
    # Jumps
    Action("traffic.origin", ("o",), "Origin", "Go to what caused this: its request, its call.", _T, "origin"),
    Action("traffic.error", (")",), "Next error", "Go to the next line that tells of an error.", _T, "error(1)"),
    Action("traffic.error_before", ("(",), "Error before", "Go to the error before.", _T, "error(-1)"),
    Action("traffic.within", (">",), "Next in exchange", "Go on within the same exchange.", _T, "within(1)"),
    Action("traffic.within_before", ("<",), "Before in it", "Go back within the same exchange.", _T, "within(-1)"),
    Action("traffic.go_to", ("#",), "Go to", "Go to a line by its number or its time.", _T, "go_to"),
    # Time
    Action("traffic.time", ("@",), "Times", "Tell the time of day, or since start, or line above.", _T, "times"),
    Action("traffic.reference", ("t",), "Count from here", "Count times from here; again: no more.", _T, "reference"),
    # Columns
    Action("traffic.columns", ("C",), "Columns", "Choose the columns, and their order.", _T, "columns"),
    Action("traffic.as_column", ("c",), "As column", "Show the chosen value as a column, or no more.", _T, "as_column"),
    Action("traffic.waterfall", ("W",), "Waterfall", "Show all exchanges on one axis of time.", _T, "waterfall", True),
)
"""The order is the order of footer and help."""
