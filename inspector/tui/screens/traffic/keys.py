"""The part of the table of keys that is about the list of the traffic: its jumps, its columns, its times."""

from inspector.tui.actions import Action, ActionScope

_T, _W = ActionScope.TRAFFIC, ActionScope.WATERFALL
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


# The part of the table of keys that is about filtering and finding.

FILTERING: tuple[Action, ...] = (
    # The line itself
    Action(
        "filter.complete",
        ("tab",),
        "Complete",
        "Take the first proposal; in an empty line, show some.",
        ActionScope.FILTER,
        "complete",
        footer=True,
    ),
    Action("filter.next", ("ctrl+n",), "Next proposal", "Put the next proposal first.", ActionScope.FILTER, "turn(1)"),
    Action(
        "filter.older",
        ("up",),
        "Used before",
        "Bring back a filter that was used before.",
        ActionScope.FILTER,
        "older",
        footer=True,
    ),
    # By what is chosen
    Action(
        "traffic.and",
        ("+",),
        "Filter also",
        "Add the chosen value to the filter.",
        ActionScope.TRAFFIC,
        "by_value('and')",
    ),
    Action(
        "traffic.only",
        ("=",),
        "Only this",
        "Filter by the chosen value alone.",
        ActionScope.TRAFFIC,
        "by_value('only')",
    ),
    Action(
        "traffic.not", ("~",), "Not this", "Hide what has the chosen value.", ActionScope.TRAFFIC, "by_value('not')"
    ),
    Action(
        "traffic.partners",
        ("V", "f2"),
        "Partners",
        "In the order of the wire, show with each match its request and its answer, or no more.",
        ActionScope.TRAFFIC,
        "partners",
    ),
    # Find
    Action(
        "traffic.find", ("*",), "Find", "Find a text in what is shown; nothing is hidden.", ActionScope.TRAFFIC, "find"
    ),
    Action("traffic.find_next", ("n",), "Find next", "Go to the next line found.", ActionScope.FINDING, "found(1)"),
    Action(
        "traffic.find_previous", ("N",), "Find before", "Go to the line found before.", ActionScope.FINDING, "found(-1)"
    ),
)


# The part of the table of keys that is about payloads: folding, finding, decoding, copying, other programs.

PAYLOADS: tuple[Action, ...] = (
    Action(
        "json.toggle",
        ("enter", "space"),
        "Fold",
        "Fold or unfold this value.",
        ActionScope.JSON,
        "toggle_fold",
        footer=True,
    ),
    Action("json.open", ("right",), "Unfold", "Unfold this value, or go into it.", ActionScope.JSON, "unfold"),
    Action("json.close", ("left",), "Fold", "Fold this value, or go out of it.", ActionScope.JSON, "fold"),
    Action(
        "json.beside",
        ("f",),
        "Fold beside",
        "Fold or unfold this and what is beside it.",
        ActionScope.JSON,
        "many('beside')",
    ),
    Action(
        "json.level",
        ("l",),
        "Fold level",
        "Fold or unfold all that is as deep as this.",
        ActionScope.JSON,
        "many('level')",
    ),
    Action("json.all", ("a",), "Fold all", "Fold or unfold every value.", ActionScope.JSON, "many('all')"),
    Action(
        "json.decode", ("d",), "Decode", "Show what this text may stand for.", ActionScope.JSON, "decode", footer=True
    ),
    Action("json.next", ("n",), "Next match", "Go to the next match.", ActionScope.JSON, "next_match"),
    Action("json.previous", ("N",), "Previous match", "Go to the match before.", ActionScope.JSON, "previous_match"),
    Action(
        "payload.find",
        ("*",),
        "Find",
        "Find a text in this payload; ~usrid finds userId.",
        ActionScope.FINDING_HERE,
        "find_here",
        footer=True,
    ),
    Action("payload.unfind", ("escape",), "End finding", "Mark nothing any more.", ActionScope.FINDING_HERE, "unfind"),
    Action(
        "text.wrap", ("w",), "Wrap", "Let long lines of text go on below, or to the right.", ActionScope.TEXT, "wrap"
    ),
    Action("text.right", ("right",), "Right", "Show what is further to the right.", ActionScope.TEXT, "sideways(1)"),
    Action("text.left", ("left",), "Left", "Show what is further to the left.", ActionScope.TEXT, "sideways(-1)"),
    Action(
        "payload.copy",
        ("Y",),
        "Copy as",
        "Choose what to copy: value, place, JSON, command.",
        ActionScope.PAYLOAD,
        "copy_as",
    ),
    Action(
        "payload.expect",
        ("A",),
        "Expect this",
        "Make this value what a test expects from now on.",
        ActionScope.PAYLOAD,
        "expect",
    ),
    Action("payload.pager", ("|", "f3"), "Pager", "Show the exact payload in $PAGER.", ActionScope.PAYLOAD, "page_out"),
    Action(
        "payload.editor",
        ("ctrl+e", "f4"),
        "Editor",
        "Open the exact payload in $EDITOR.",
        ActionScope.PAYLOAD,
        "edit_out",
    ),
)


# The part of the table of keys that is about what somebody notes: marks, comments, views.

_MARK_KEYS_T, _M = ActionScope.TRAFFIC, ActionScope.MARKS
MARKING: tuple[Action, ...] = (
    Action("traffic.mark", ("m",), "Mark", "Mark this line, or take its mark away.", _MARK_KEYS_T, "mark"),
    Action(
        "traffic.comment", (";",), "Comment", "Mark this line with a colour and a comment.", _MARK_KEYS_T, "comment"
    ),
    Action(
        "traffic.marked", ("M",), "Only marked", "Show only marked lines, or all again.", _MARK_KEYS_T, "only_marked"
    ),
    Action("traffic.marks", ("'",), "Marks", "List marks and saved views, to go to one.", _MARK_KEYS_T, "app.marks"),
    Action(
        "replay.marks",
        ("'",),
        "Marks",
        "List the marks of the recording, to go to one.",
        ActionScope.REPLAY,
        "app.marks",
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


# The part of the table of keys that is about HTTP exchanges.

_N = ActionScope.NETWORK
NETWORK: tuple[Action, ...] = (
    Action("network.entry", ("o",), "In the traffic", "Show the exchange's request in the traffic.", _N, "entry", True),
    Action("network.reveal", ("z",), "Reveal", "Show secret header values, or mask them again.", _N, "reveal", True),
)


# The part of the table of keys that is about the story of an operation.

_S = ActionScope.STORY
TELLING: tuple[Action, ...] = (
    Action(
        "traffic.story", ("s",), "Story", "Tell all about this operation on one page.", ActionScope.TRAFFIC, "story"
    ),
    Action("story.save", ("w",), "Save", "Save the story as Markdown with a diagram.", _S, "save", footer=True),
    Action("story.copy", ("y",), "Copy", "Copy the story as Markdown with a diagram.", _S, "copy_story", footer=True),
    Action("story.leave", ("escape", "s"), "Back", "Go back to the list.", _S, "leave", footer=True),
)
"""The order is the order of footer and help."""
