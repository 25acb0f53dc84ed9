"""Actions of Traffic, of its payloads and dialogs, and of HTTP exchanges."""

from inspector.tui.actions import Action, ActionScope

_T, _W = ActionScope.TRAFFIC, ActionScope.WATERFALL
TRAFFIC: tuple[Action, ...] = (
    Action("traffic.filter", ("/",), "Filter", "Show only matching rows; Ctrl+F searches instead.", _T, "filter", True),
    Action("traffic.clear", ("f c",), "Clear filter", "Clear filter and search.", _T, "clear_filter"),
    Action(
        "traffic.tree",
        ("v t",),
        "Tree or wire order",
        "Show a tree of exchanges, or rows in wire order.",
        _T,
        "toggle_tree",
    ),
    # Jumps
    Action(
        "traffic.pair", ("g p",), "Request/response pair", "Go from a request to its response and back.", _T, "pair"
    ),
    Action("traffic.origin", ("g c",), "Cause", "Go to the request or call that caused this.", _T, "origin"),
    Action("traffic.error", ("g e",), "Next error", "Go to the next row with an error.", _T, "error(1)"),
    Action(
        "traffic.error_before", ("g E",), "Previous error", "Go to the previous row with an error.", _T, "error(-1)"
    ),
    Action("traffic.finding", ("g f",), "Next finding", "Go to the next row with a finding.", _T, "finding(1)"),
    Action(
        "traffic.finding_before",
        ("g F",),
        "Previous finding",
        "Go to the previous row with a finding.",
        _T,
        "finding(-1)",
    ),
    Action("traffic.next", ("g x",), "Next exchange", "Go to the next request.", _T, "exchange(1)"),
    Action("traffic.previous", ("g X",), "Previous exchange", "Go to the previous request.", _T, "exchange(-1)"),
    Action("traffic.within", ("g w",), "Next in exchange", "Go to the next message of this exchange.", _T, "within(1)"),
    Action(
        "traffic.within_before",
        ("g W",),
        "Previous in exchange",
        "Go to the previous message of this exchange.",
        _T,
        "within(-1)",
    ),
    Action("traffic.go_to", ("g n",), "Number or time", "Go to an entry by its number or time.", _T, "go_to"),
    Action("traffic.trace", ("g t",), "Trace", "Show the trace of this operation.", _T, "trace"),
    Action("traffic.marks", ("g m",), "Marks and views", "List marks and saved views, and go to one.", _T, "app.marks"),
    # Sending
    Action("tap.send", ("x s",), "Send through tap", "Send a request like this one.", _T, "app.held('request')"),
    Action("traffic.resend", ("x r",), "Resend", "Send this request again unchanged; asks first.", _T, "resend"),
    Action("traffic.edit", ("x e",), "Edit and resend", "Open this message in the Composer.", _T, "edit"),
    # View
    Action("traffic.time", ("v k",), "Time format", "Switch between clock time, elapsed time and delta.", _T, "times"),
    Action(
        "traffic.reference", ("v z",), "Time reference", "Count times from this row; again clears it.", _T, "reference"
    ),
    Action("traffic.columns", ("v c",), "Columns", "Choose the columns and their order.", _T, "columns"),
    Action("traffic.waterfall", ("v w",), "Waterfall", "Show all exchanges on one time axis.", _T, "waterfall"),
    Action("traffic.state", ("v .",), "State here", "Show the state of the connection at this row.", _T, "state"),
    Action("traffic.card", ("v e",), "Exit report", "Show or hide why the connection ended.", _T, "post_mortem"),
    # Filter by
    Action("traffic.and", ("f f",), "This value", "Add the selected value to the filter.", _T, "by_value('and')"),
    Action("traffic.not", ("f x",), "Exclude this value", "Hide rows with the selected value.", _T, "by_value('not')"),
    Action(
        "traffic.only", ("f o",), "Only this value", "Replace the filter by the selected value.", _T, "by_value('only')"
    ),
    Action(
        "traffic.pairs",
        ("f p", "f2"),
        "Include pairs",
        "With each match in wire order, show its request and response.",
        _T,
        "pairs",
    ),
    Action(
        "traffic.as_column",
        ("f a",),
        "As column",
        "Show the selected value as a column; again removes it.",
        _T,
        "as_column",
    ),
    Action("traffic.marked", ("f m",), "Only marked", "Show only marked rows; again shows all.", _T, "only_marked"),
    Action("traffic.find", ("f /",), "Search", "Search in the rows shown; hides nothing.", _T, "find"),
    Action("traffic.find_next", ("n",), "Next match", "Go to the next match.", ActionScope.FINDING, "found(1)"),
    Action(
        "traffic.find_previous", ("N",), "Previous match", "Go to the previous match.", ActionScope.FINDING, "found(-1)"
    ),
    # Marks
    Action("traffic.mark", ("m",), "Mark", "Mark this row, or remove its mark.", _T, "mark", True),
    Action("traffic.comment", ("x n",), "Comment", "Mark this row with a color and a comment.", _T, "comment"),
    # Waterfall
    Action("waterfall.closer", ("+",), "Zoom in", "Show a shorter time.", _W, "zoom(0.5)", True),
    Action("waterfall.wider", ("-",), "Zoom out", "Show a longer time.", _W, "zoom(2)", True),
    Action("waterfall.left", ("left",), "Earlier", "Move to an earlier time.", _W, "pan(-1)", True),
    Action("waterfall.right", ("right",), "Later", "Move to a later time.", _W, "pan(1)", True),
    Action("waterfall.all", ("0",), "All", "Show the whole conversation.", _W, "all", True),
    Action("waterfall.this", (".",), "This exchange", "Show this exchange alone.", _W, "this", True),
    Action("waterfall.sight", ("=",), "Visible rows", "Fit the axis to the visible rows.", _W, "sight", True),
    Action("waterfall.leave", ("escape",), "Back", "Return to the list.", _W, "leave", True),
)
"""In the order of footer, menus and help."""

_F = ActionScope.FILTER
FILTERING: tuple[Action, ...] = (
    Action(
        "filter.complete",
        ("tab",),
        "Complete",
        "Accept the first suggestion; in an empty field, show some.",
        _F,
        "complete",
        True,
    ),
    Action("filter.next", ("ctrl+n",), "Next suggestion", "Show the next suggestion first.", _F, "turn(1)"),
    Action("filter.older", ("up",), "Previous filter", "Restore a filter that was used before.", _F, "older", True),
    Action(
        "filter.search",
        ("ctrl+f",),
        "Filter or search",
        "Switch between hiding and highlighting.",
        ActionScope.SEARCH_MODE,
        "switch",
        True,
    ),
)

_J, _P = ActionScope.JSON, ActionScope.PAYLOAD
PAYLOADS: tuple[Action, ...] = (
    Action("json.toggle", ("enter", "space"), "Fold", "Fold or unfold this value.", _J, "toggle_fold", True),
    Action("json.open", ("right",), "Unfold", "Unfold this value, or enter it.", _J, "unfold"),
    Action("json.close", ("left",), "Fold", "Fold this value, or go to its parent.", _J, "fold"),
    Action(
        "json.beside", ("v u",), "Fold siblings", "Fold or unfold this value and its siblings.", _J, "many('beside')"
    ),
    Action("json.level", ("v n",), "Fold level", "Fold or unfold all values at this depth.", _J, "many('level')"),
    Action("json.all", ("v a",), "Fold all", "Fold or unfold every value.", _J, "many('all')"),
    Action("json.decode", ("d",), "Decode", "Decode this text: JSON, base64, URI, JWT or time.", _J, "decode", True),
    Action("json.next", ("n",), "Next match", "Go to the next match.", _J, "next_match"),
    Action("json.previous", ("N",), "Previous match", "Go to the previous match.", _J, "previous_match"),
    Action(
        "payload.find",
        ("/",),
        "Search",
        "Search in this payload; ~usrid finds userId.",
        ActionScope.FINDING_HERE,
        "find_here",
        True,
    ),
    Action(
        "payload.unfind",
        ("escape",),
        "Clear search",
        "Clear the search highlights.",
        ActionScope.FINDING_HERE,
        "unfind",
    ),
    Action("text.wrap", ("w",), "Wrap", "Wrap long lines, or scroll them sideways.", ActionScope.TEXT, "wrap"),
    Action("text.right", ("right",), "Right", "Scroll to the right.", ActionScope.TEXT, "sideways(1)"),
    Action("text.left", ("left",), "Left", "Scroll to the left.", ActionScope.TEXT, "sideways(-1)"),
    Action("payload.copy", ("Y",), "Copy as…", "Choose what to copy: value, path, JSON or command.", _P, "copy_as"),
    Action("payload.expect", ("x a",), "Add assertion", "Add a test assertion for this value.", _P, "expect"),
    Action("payload.pager", ("|", "f3"), "Pager", "Show the exact payload in $PAGER.", _P, "page_out"),
    Action("payload.editor", ("e", "ctrl+e", "f4"), "Editor", "Open the exact payload in $EDITOR.", _P, "edit_out"),
)

_M = ActionScope.MARKS
MARKING: tuple[Action, ...] = (
    Action("marks.colour", ("m",), "Color", "Give the mark the next color.", _M, "colour", True),
    Action("marks.comment", ("e",), "Edit comment", "Edit the comment of the mark.", _M, "comment", True),
    Action("marks.remove", ("x d", "delete"), "Delete", "Delete the mark or view.", _M, "remove", True),
    Action(
        "marks.view", ("s",), "Save view", "Save the current filter and columns under a name.", _M, "keep_view", True
    ),
    Action("marks.leave", ("escape",), "Back", "Return to the previous screen.", _M, "leave", True),
)

_N = ActionScope.NETWORK
NETWORK: tuple[Action, ...] = (
    Action(
        "network.entry", ("o",), "Show in Traffic", "Show the request of this exchange in Traffic.", _N, "entry", True
    ),
    Action(
        "network.reveal", ("v r",), "Reveal secrets", "Show secret header values, or hide them again.", _N, "reveal"
    ),
)

_S = ActionScope.TRACE
TRACING: tuple[Action, ...] = (
    Action("trace.save", ("s",), "Save", "Save the trace as Markdown with a diagram.", _S, "save", True),
    Action("trace.copy", ("y",), "Copy", "Copy the trace as Markdown with a diagram.", _S, "copy_trace", True),
    Action("trace.leave", ("escape",), "Back", "Return to the list.", _S, "leave", True),
)

_A, _O = ActionScope.TIMELINE, ActionScope.OPEN
TIMELINE: tuple[Action, ...] = (
    Action(
        "timeline.filter",
        ("/",),
        "Filter",
        "Show only matching rows of all servers; Ctrl+F searches instead.",
        _A,
        "filter",
        True,
    ),
    Action("timeline.clear", ("f c",), "Clear filter", "Clear filter and search.", _A, "clear_filter"),
    Action("timeline.find", ("f /",), "Search", "Search in the traffic of all servers; hides nothing.", _A, "find"),
    Action("timeline.find_next", ("n",), "Next match", "Go to the next match.", _A, "found(1)"),
    Action("timeline.find_previous", ("N",), "Previous match", "Go to the previous match.", _A, "found(-1)"),
    Action(
        "timeline.pairs", ("f p", "f2"), "Include pairs", "With each match, show its request and response.", _A, "pairs"
    ),
    Action(
        "timeline.waterfall",
        ("v w",),
        "Waterfall",
        "Show the exchanges of all servers on one time axis.",
        _A,
        "waterfall",
    ),
    Action("timeline.go", ("o",), "Show in Traffic", "Show this row in the tab of its server.", _A, "go", True),
)

_D = ActionScope.DETAIL
DETAIL: tuple[Action, ...] = (
    Action("detail.next", ("]", "ctrl+right"), "Next tab", "Show the next tab.", _D, "tab(1)", True),
    Action("detail.previous", ("[", "ctrl+left"), "Previous tab", "Show the previous tab.", _D, "tab(-1)"),
    Action("detail.reveal", ("v r",), "Reveal secrets", "Show secret header values, or hide them again.", _D, "reveal"),
)
