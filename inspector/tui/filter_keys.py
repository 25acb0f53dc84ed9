"""The part of the table of keys that is about filtering and finding."""

from inspector.tui.actions import Action, Where

FILTERING: tuple[Action, ...] = (
    # The line itself
    Action(
        "filter.complete",
        ("tab",),
        "Complete",
        "Take the first proposal; in an empty line, show some.",
        Where.FILTER,
        "complete",
        footer=True,
    ),
    Action("filter.next", ("ctrl+n",), "Next proposal", "Put the next proposal first.", Where.FILTER, "turn(1)"),
    Action(
        "filter.older",
        ("up",),
        "Used before",
        "Bring back a filter that was used before.",
        Where.FILTER,
        "older",
        footer=True,
    ),
    # By what is chosen
    Action(
        "traffic.and", ("+",), "Filter also", "Add the chosen value to the filter.", Where.TRAFFIC, "by_value('and')"
    ),
    Action("traffic.only", ("=",), "Only this", "Filter by the chosen value alone.", Where.TRAFFIC, "by_value('only')"),
    Action("traffic.not", ("~",), "Not this", "Hide what has the chosen value.", Where.TRAFFIC, "by_value('not')"),
    Action(
        "traffic.partners",
        ("V", "f2"),
        "Partners",
        "In the order of the wire, show with each match its request and its answer, or no more.",
        Where.TRAFFIC,
        "partners",
    ),
    # Find
    Action("traffic.find", ("*",), "Find", "Find a text in what is shown; nothing is hidden.", Where.TRAFFIC, "find"),
    Action("traffic.find_next", ("n",), "Find next", "Go to the next line found.", Where.FINDING, "found(1)"),
    Action("traffic.find_previous", ("N",), "Find before", "Go to the line found before.", Where.FINDING, "found(-1)"),
)
