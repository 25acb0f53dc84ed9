"""Actions of Statistics."""

from inspector.tui.actions import Action, ActionScope

_S = ActionScope.STATS
STATS: tuple[Action, ...] = (
    Action(
        "stats.next",
        ("]",),
        "Next grouping",
        "Group by the next of tool, method, server, client and hour.",
        _S,
        "turn(1)",
        True,
    ),
    Action("stats.previous", ("[",), "Previous grouping", "Group by the previous key.", _S, "turn(-1)", True),
    Action(
        "stats.all",
        ("v a",),
        "All servers",
        "Count the servers of all tabs together, or only this one.",
        _S,
        "all_tabs",
    ),
    Action("stats.sort", ("v O",), "Sort", "Sort by the next column.", _S, "sort"),
)
