"""The part of the table of keys that is about several conversations: their tabs, and the timeline of all."""

from inspector.tui.actions import Action, Where

_E = Where.EVERYWHERE
TABBING: tuple[Action, ...] = (
    Action("tabs.open", ("O",), "Open another", "Open another server, or a capture, in a tab.", _E, "app.open"),
    Action("tabs.next", ("comma", "ctrl+pagedown"), "Next tab", "Show the next server, or all.", _E, "app.turn_tab(1)"),
    Action("tabs.previous", ('"', "ctrl+pageup"), "Tab before", "Show the one before.", _E, "app.turn_tab(-1)"),
    Action("tabs.timeline", ("&",), "All servers", "Show the traffic of all in one list.", _E, "app.timeline"),
    Action("tabs.close", ("ctrl+w",), "Close tab", "End the server in sight; its tab goes.", _E, "app.close_tab"),
)
TIMELINE: tuple[Action, ...] = (
    Action(
        "timeline.filter",
        ("/",),
        "Filter",
        "Show only what matches, of all servers.",
        Where.TIMELINE,
        "filter",
        footer=True,
    ),
    Action("timeline.clear", ("\\",), "Clear filter", "Filter nothing more.", Where.TIMELINE, "clear_filter"),
    Action("timeline.find", ("*",), "Find", "Find a text in all traffic; nothing is hidden.", Where.TIMELINE, "find"),
    Action("timeline.find_next", ("n",), "Find next", "Go to the next line found.", Where.TIMELINE, "found(1)"),
    Action("timeline.find_previous", ("N",), "Find before", "Go to the line before.", Where.TIMELINE, "found(-1)"),
    Action(
        "timeline.partners",
        ("V", "f2"),
        "Partners",
        "Show with each match its request and its answer, or no more.",
        Where.TIMELINE,
        "partners",
    ),
    Action(
        "timeline.waterfall", ("W",), "Waterfall", "Show those of all servers on one axis.", Where.TIMELINE, "waterfall"
    ),
    Action("timeline.tree", ("T",), "Tree", "Say where traffic is shown as a tree.", Where.TIMELINE, "tree"),
    Action(
        "timeline.go", ("o",), "Go there", "Show the line in its server's own tab.", Where.TIMELINE, "go", footer=True
    ),
    Action("open.type", ("/",), "Type", "Type a URL, a command or a capture.", Where.OPEN, "type", footer=True),
    Action("open.list", ("down",), "List", "Go to the list.", Where.OPEN, "list"),
)
"""The order is the order of footer and help."""
