"""Every action and its keys, in one table: bindings, footer and help are made from it.

The rule for keys: the first key of an action reaches us from every terminal; function keys and `ctrl+enter`
stand second because many do not send them (`F1` helps where `?` is text, and Esc leads out of there). Never
bound are `ctrl+i ctrl+m ctrl+[` (Tab, Enter and Escape by other names) and `ctrl+s ctrl+q` (flow control). A
key is printable only where nobody types text; where they do, the field keeps it. Users rebind by `id`, so an
id is for ever.
"""

from textual.binding import Binding, BindingType

from inspector.tui.actions import Action, ActionScope, key_name, types
from inspector.tui.screens.compose.keys import BY_HAND, SKILLS
from inspector.tui.screens.findings.keys import FINDING_JUMPS, FINDINGS, FINDINGS_SCREEN
from inspector.tui.screens.items.keys import OFFERED
from inspector.tui.screens.replay.keys import REPLAYING
from inspector.tui.screens.traffic.keys import FILTERING, MARKING, NETWORK, PAYLOADS, TELLING, TRAFFIC

# --- The part of the table of keys that is about two captures side by side.

_C = ActionScope.COMPARE
COMPARING: tuple[Action, ...] = (
    Action("compare.next", ("n",), "Next difference", "Go to the next operation that differs.", _C, "jump(1)", True),
    Action("compare.previous", ("N",), "Before", "Go to the operation before that differs.", _C, "jump(-1)", True),
    Action("compare.exact", ("x",), "Exact", "Compare ids, times and ports too, or no more.", _C, "exact", True),
    Action("compare.leave", ("escape", "q"), "Back", "Leave the comparison.", _C, "leave", True),
)
"""The order is the order of footer and help."""


# --- The part of the table of keys that is about exporting: a file for other programs, people, tests and
# comparisons.

_X = ActionScope.EXPORT
EXPORTING: tuple[Action, ...] = (
    Action(
        "export",
        ("X",),
        "Export",
        "Export, share, keep as a surface or as cases, or compare with a saved surface.",
        ActionScope.EVERYWHERE,
        "app.export",
    ),
    Action("export.what", ("right",), "What", "Take another part of it.", _X, "what(1)", footer=True),
    Action("export.what_before", ("left",), "What before", "Take the part before.", _X, "what(-1)"),
    Action("export.notes", ("n",), "Notes", "Take marks and comments along, or not.", _X, "notes", footer=True),
    Action("export.list", ("up",), "List", "From the path back to the list.", _X, "list"),
    Action("export.leave", ("escape",), "Back", "Leave; what is being written is finished.", _X, "leave", footer=True),
)
"""The order is the order of footer and help."""


# --- The part of the table of keys that is about the captures there are.

_E, _S = ActionScope.EVERYWHERE, ActionScope.SESSIONS
SESSIONS: tuple[Action, ...] = (
    Action("screen.sessions", ("7",), "Sessions", "Show the captures of earlier sessions.", _E, "app.show('sessions')"),
)
SHELF: tuple[Action, ...] = (
    Action("sessions.note", ("n",), "Note", "Write down what this session was about.", _S, "note", footer=True),
    Action("sessions.compare", ("c",), "Compare", "Compare it with another one.", _S, "compare", footer=True),
    Action("sessions.delete", ("d",), "Delete", "Remove it and its notes; asks first.", _S, "delete", footer=True),
    Action("sessions.again", ("r",), "Look again", "Look which captures there are now.", _S, "look_again", footer=True),
)
"""The order is the order of footer and help."""


# --- The part of the table of keys that is about several conversations: their tabs, and the timeline of all.

_TAB_KEYS_E = ActionScope.EVERYWHERE
TABBING: tuple[Action, ...] = (
    Action(
        "tabs.open", ("O",), "Open another", "Open another server, or a capture, in a tab.", _TAB_KEYS_E, "app.open"
    ),
    Action(
        "tabs.next",
        ("comma", "ctrl+pagedown"),
        "Next tab",
        "Show the next server, or all.",
        _TAB_KEYS_E,
        "app.turn_tab(1)",
    ),
    Action(
        "tabs.previous", ('"', "ctrl+pageup"), "Tab before", "Show the one before.", _TAB_KEYS_E, "app.turn_tab(-1)"
    ),
    Action("tabs.timeline", ("&",), "All servers", "Show the traffic of all in one list.", _TAB_KEYS_E, "app.timeline"),
    Action(
        "tabs.close", ("ctrl+w",), "Close tab", "End the server in sight; its tab goes.", _TAB_KEYS_E, "app.close_tab"
    ),
)
TIMELINE: tuple[Action, ...] = (
    Action(
        "timeline.filter",
        ("/",),
        "Filter",
        "Show only what matches, of all servers.",
        ActionScope.TIMELINE,
        "filter",
        footer=True,
    ),
    Action("timeline.clear", ("\\",), "Clear filter", "Filter nothing more.", ActionScope.TIMELINE, "clear_filter"),
    Action(
        "timeline.find", ("*",), "Find", "Find a text in all traffic; nothing is hidden.", ActionScope.TIMELINE, "find"
    ),
    Action("timeline.find_next", ("n",), "Find next", "Go to the next line found.", ActionScope.TIMELINE, "found(1)"),
    Action(
        "timeline.find_previous", ("N",), "Find before", "Go to the line before.", ActionScope.TIMELINE, "found(-1)"
    ),
    Action(
        "timeline.partners",
        ("V", "f2"),
        "Partners",
        "Show with each match its request and its answer, or no more.",
        ActionScope.TIMELINE,
        "partners",
    ),
    Action(
        "timeline.waterfall",
        ("W",),
        "Waterfall",
        "Show those of all servers on one axis.",
        ActionScope.TIMELINE,
        "waterfall",
    ),
    Action("timeline.tree", ("T",), "Tree", "Say where traffic is shown as a tree.", ActionScope.TIMELINE, "tree"),
    Action(
        "timeline.go",
        ("o",),
        "Go there",
        "Show the line in its server's own tab.",
        ActionScope.TIMELINE,
        "go",
        footer=True,
    ),
    Action("open.type", ("/",), "Type", "Type a URL, a command or a capture.", ActionScope.OPEN, "type", footer=True),
    Action("open.list", ("down",), "List", "Go to the list.", ActionScope.OPEN, "list"),
)
"""The order is the order of footer and help."""


_KEYS_E = ActionScope.EVERYWHERE
ACTIONS: tuple[Action, ...] = (
    Action(
        "screen.traffic", ("1",), "Traffic", "Show everything that crossed the wire.", _KEYS_E, "app.show('traffic')"
    ),
    Action("screen.tools", ("2",), "Tools", "Show the server's tools and call them.", _KEYS_E, "app.show('tools')"),
    Action(
        "screen.resources",
        ("3",),
        "Resources",
        "Show the server's resources and read them.",
        _KEYS_E,
        "app.show('resources')",
    ),
    Action(
        "screen.prompts", ("4",), "Prompts", "Show the server's prompts and fill them.", _KEYS_E, "app.show('prompts')"
    ),
    Action("screen.inbox", ("5",), "Inbox", "Show what the server asks, and answer it.", _KEYS_E, "app.show('inbox')"),
    Action("screen.server", ("6",), "Server", "Show who the server is and how it runs.", _KEYS_E, "app.show('server')"),
    *SESSIONS,
    Action("screen.log", ("8",), "Log", "Show the server's log messages and its stderr.", _KEYS_E, "app.show('log')"),
    Action(
        "screen.tasks", ("9",), "Tasks", "Show the tasks of both sides, running and over.", _KEYS_E, "app.show('tasks')"
    ),
    FINDINGS_SCREEN,
    Action(
        "screen.skills", ("I",), "Skills", "Show the server's skills and verify them.", _KEYS_E, "app.show('skills')"
    ),
    Action("screen.network", ("H",), "HTTP", "Show all HTTP exchanges in full.", _KEYS_E, "app.show('network')"),
    Action(
        "screen.raw", ("0",), "Write", "Write any message, right or wrong, and send it.", _KEYS_E, "app.show('raw')"
    ),
    Action("help", ("?",), "Help", "Show the keys that work here.", _KEYS_E, "app.help", footer=True),
    Action(
        "help.typing",
        ("f1",),
        "Help",
        "The same, also in fields and dialogs.",
        _KEYS_E,
        "app.help",
        footer=True,
        priority=True,
    ),
    Action("palette", ("ctrl+p",), "Palette", "Find any command by name.", _KEYS_E, "app.command_palette", footer=True),
    Action("back", ("escape",), "Back", "Go back one step. Never quits.", _KEYS_E, "back"),
    Action("pane.next", ("tab",), "Next pane", "Move to the next pane or field.", _KEYS_E, "app.focus_next"),
    Action("pane.previous", ("shift+tab",), "Previous pane", "Move to the pane before.", _KEYS_E, "app.focus_previous"),
    Action("layout", ("-",), "Layout", "Put the detail beside the list, below it, or alone.", _KEYS_E, "cycle_layout"),
    Action("copy", ("y",), "Copy", "Copy what is selected, without control characters.", _KEYS_E, "copy"),
    Action(
        "request.cancel",
        ("ctrl+c",),
        "Cancel call",
        "Cancel the running request. Without one it says how to quit.",
        _KEYS_E,
        "app.cancel_request",
        priority=True,
    ),
    Action(
        "question.here",
        ("!", "f12"),
        "Answer here",
        "Answer the oldest question without leaving; in a field F12, where ! is text.",
        _KEYS_E,
        "app.answer_here",
    ),
    Action(
        "reconnect",
        ("ctrl+r",),
        "Reconnect",
        "End this connection and open a new one; of a recording, start its server.",
        _KEYS_E,
        "app.reconnect",
    ),
    Action("refresh", ("L",), "List again", "Ask the server for its lists again.", _KEYS_E, "app.refresh"),
    Action(
        "refresh.mode",
        ("B",),
        "Auto/on demand",
        "Fetch lists that change by itself, or only when asked.",
        _KEYS_E,
        "app.refresh_mode",
    ),
    Action("ping", ("U",), "Ping", "Send a ping, and show its round trip on screen 6.", _KEYS_E, "app.ping"),
    Action("theme", ("ctrl+t",), "Theme", "Switch between dark and light.", _KEYS_E, "app.toggle_theme"),
    *EXPORTING,
    *TABBING,
    Action("quit", ("q",), "Quit", "Close the connection and leave.", _KEYS_E, "app.quit", footer=True),
    # Moving
    Action("move.down", ("j", "down"), "Down", "Move one line down.", ActionScope.MOVING, "move(1)"),
    Action("move.up", ("k", "up"), "Up", "Move one line up.", ActionScope.MOVING, "move(-1)"),
    Action("move.page_down", ("pagedown", "ctrl+f"), "Page down", "Move one page down.", ActionScope.MOVING, "page(1)"),
    Action("move.page_up", ("pageup", "ctrl+b"), "Page up", "Move one page up.", ActionScope.MOVING, "page(-1)"),
    Action("move.first", ("g", "home"), "First", "Go to the first line.", ActionScope.MOVING, "first"),
    Action("move.last", ("G", "end"), "Last", "Go to the last line.", ActionScope.MOVING, "last"),
    # Lists
    Action("list.open", ("enter",), "Open", "Show the selected line in full.", ActionScope.LIST, "open", footer=True),
    Action("list.follow", ("F",), "Follow", "Stay on the newest line.", ActionScope.LIST, "follow", footer=True),
    Action(
        "list.fold",
        ("space",),
        "Fold",
        "Fold what stands under this line, or is like it, or show it.",
        ActionScope.LIST,
        "fold",
    ),
    Action(
        "list.freeze",
        ("P",),
        "Freeze",
        "Let the view stand still while recording goes on; again to release it.",
        ActionScope.LIST,
        "freeze",
        footer=True,
    ),
    *PAYLOADS,
    # Search line
    Action("search.done", ("enter", "down"), "Go", "Go to what was found.", ActionScope.SEARCH, "done", footer=True),
    Action(
        "search.leave",
        ("escape",),
        "Clear",
        "Clear the line; when it is empty, leave it.",
        ActionScope.SEARCH,
        "leave",
        footer=True,
    ),
    # Traffic
    Action(
        "traffic.filter", ("/",), "Filter", "Show only lines that match.", ActionScope.TRAFFIC, "filter", footer=True
    ),
    Action(
        "traffic.clear", ("\\",), "Clear filter", "Filter and seek nothing more.", ActionScope.TRAFFIC, "clear_filter"
    ),
    Action(
        "traffic.tree",
        ("T",),
        "Tree/order",
        "Show exchanges as a tree, or every line in the order of the wire.",
        ActionScope.TRAFFIC,
        "toggle_tree",
        footer=True,
    ),
    Action("traffic.next", ("}",), "Next exchange", "Go to the next request.", ActionScope.TRAFFIC, "exchange(1)"),
    Action(
        "traffic.previous", ("{",), "Exchange before", "Go to the request before.", ActionScope.TRAFFIC, "exchange(-1)"
    ),
    Action("traffic.pair", ("p",), "Pair", "Go from a request to its answer and back.", ActionScope.TRAFFIC, "pair"),
    Action(
        "traffic.card",
        ("x",),
        "Post-mortem",
        "Show why the connection ended, or put that away.",
        ActionScope.TRAFFIC,
        "post_mortem",
    ),
    Action(
        "traffic.edit",
        ("e",),
        "Write again",
        "Write this message anew, to be changed and sent.",
        ActionScope.TRAFFIC,
        "edit",
    ),
    *FILTERING,
    *TIMELINE,
    *TRAFFIC,
    *REPLAYING,
    *COMPARING,
    *MARKING,
    *TELLING,
    *SHELF,
    *FINDING_JUMPS,
    # Detail
    Action(
        "detail.next", ("]",), "Next tab", "Show the next view of this message.", ActionScope.DETAIL, "tab(1)", True
    ),
    Action("detail.previous", ("[",), "Tab before", "Show the view before.", ActionScope.DETAIL, "tab(-1)"),
    Action(
        "detail.reveal",
        ("z",),
        "Reveal",
        "Show secret header values, or mask them again.",
        ActionScope.DETAIL,
        "reveal",
    ),
    *OFFERED,
    # Forms
    Action(
        "form.next",
        ("down", "tab"),
        "Next field",
        "Move to the next value, past the lines of unfolded groups.",
        ActionScope.FORM,
        "step(1)",
    ),
    Action(
        "form.undo", ("ctrl+z",), "Undo", "Undo the last change, in whatever field it was.", ActionScope.FORM, "undo"
    ),
    Action("form.redo", ("ctrl+y",), "Redo", "Redo what was undone.", ActionScope.FORM, "redo"),
    Action(
        "form.previous",
        ("up",),
        "Field before",
        "Move to the line before, be it a field's or a group's; the first one stays.",
        ActionScope.FORM,
        "step(-1)",
    ),
    Action(
        "form.unset",
        ("ctrl+l",),
        "Unset",
        "Give the field no value: it is not sent.",
        ActionScope.FORM,
        "unset",
        footer=True,
    ),
    Action("form.null", ("ctrl+n",), "null", "Set the field to null, or back.", ActionScope.FORM, "null", footer=True),
    Action("form.leave", ("escape",), "Back", "Leave the form.", ActionScope.FORM, "app.back", footer=True),
    # Lines of a form
    Action(
        "line.press", ("enter", "space"), "Press", "Do the first thing the line offers.", ActionScope.FORM_LINE, "press"
    ),
    Action("line.add", ("a",), "Add", "Add the field, or an item.", ActionScope.FORM_LINE, "do('add')"),
    Action("line.remove", ("d",), "Remove", "Take the field or the item away.", ActionScope.FORM_LINE, "do('remove')"),
    Action("line.up", ("K",), "Up", "Move the item before the one above.", ActionScope.FORM_LINE, "do('up')"),
    Action("line.down", ("J",), "Down", "Move the item behind the one below.", ActionScope.FORM_LINE, "do('down')"),
    # Choices in a form
    Action("choice.next", ("right",), "Next", "Choose the next one.", ActionScope.FORM_CHOICE, "step(1)"),
    Action("choice.previous", ("left",), "Before", "Choose the one before.", ActionScope.FORM_CHOICE, "step(-1)"),
    Action("choice.toggle", ("space",), "Choose", "Choose what is under the cursor.", ActionScope.FORM_CHOICE, "take"),
    # Questions
    Action(
        "inbox.accept",
        ("ctrl+j", "f5", "ctrl+enter"),
        "Answer",
        "Answer with what the form holds; a second press sends what is wrong as well.",
        ActionScope.INBOX,
        "deed('accept')",
        footer=True,
        priority=True,
    ),
    Action(
        "inbox.decline",
        ("ctrl+d", "f6"),
        "Decline",
        "Say no. A request for a model's answer is rejected with an error.",
        ActionScope.INBOX,
        "deed('decline')",
        footer=True,
        priority=True,
    ),
    Action(
        "inbox.dismiss",
        ("ctrl+x", "f7"),
        "Cancel",
        "Say neither yes nor no.",
        ActionScope.INBOX,
        "deed('dismiss')",
        footer=True,
        priority=True,
    ),
    Action(
        "inbox.open", ("o",), "Open link", "Open the question's link in the browser.", ActionScope.INBOX, "deed('open')"
    ),
    Action(
        "inbox.json", ("e", "ctrl+o"), "Form/JSON", "Write it as a form or as JSON.", ActionScope.INBOX, "deed('json')"
    ),
    Action("inbox.again", (".",), "Last answer", "Fill in what was answered last.", ActionScope.INBOX, "deed('again')"),
    Action(
        "inbox.model",
        ("ctrl+k", "f8"),
        "Model",
        "See and edit what the model is asked; from there back; stop it while it is being asked.",
        ActionScope.INBOX,
        "deed('model')",
        priority=True,
    ),
    Action("inbox.roots", ("r",), "Roots", "Edit the list of roots.", ActionScope.INBOX, "roots", footer=True),
    Action(
        "inbox.all",
        ("D",),
        "Decline all",
        "Say no to all that wait, at the second press.",
        ActionScope.INBOX,
        "deed('all')",
    ),
    Action(
        "inbox.offers",
        ("c",),
        "Offers",
        "Switch what we offer to answer.",
        ActionScope.INBOX,
        "app.offers",
        footer=True,
    ),
    # Server
    Action(
        "server.offers",
        ("c",),
        "Offers",
        "Switch what we offer the server.",
        ActionScope.SERVER,
        "app.offers",
        footer=True,
    ),
    Action(
        "server.reveal",
        ("z",),
        "Reveal",
        "Show the values of environment variables, or mask them again.",
        ActionScope.SERVER,
        "reveal",
        footer=True,
    ),
    # Log of the server
    Action(
        "log.filter", ("/",), "Filter", "Show only lines that contain a text.", ActionScope.LOG, "filter", footer=True
    ),
    Action("log.clear", ("\\",), "Clear filter", "Show all lines again.", ActionScope.LOG, "clear_filter"),
    Action(
        "log.graver",
        ("]",),
        "Graver",
        "Show only graver messages; stderr stays.",
        ActionScope.LOG,
        "level(1)",
        footer=True,
    ),
    Action("log.milder", ("[",), "Milder", "Show milder messages too.", ActionScope.LOG, "level(-1)"),
    Action(
        "log.sources",
        ("s",),
        "Sources",
        "Show log messages and stderr, or one of both.",
        ActionScope.LOG,
        "sources",
        footer=True,
    ),
    Action(
        "log.ask",
        ("S",),
        "Set level",
        "Ask the server for log messages from another level on.",
        ActionScope.LOG,
        "ask",
        footer=True,
    ),
    *BY_HAND,
    *SKILLS,
    *NETWORK,
    *FINDINGS,
    # Tasks
    Action(
        "tasks.cancel",
        ("x",),
        "Cancel task",
        "Ask the server to end it.",
        ActionScope.TASKS,
        "cancel_task",
        footer=True,
    ),
    Action(
        "tasks.fetch", ("f",), "Fetch now", "Ask at once how the task stands.", ActionScope.TASKS, "fetch", footer=True
    ),
    Action(
        "tasks.follow",
        ("w",),
        "Follow/leave",
        "Ask again and again until the task has ended, or cease to; it goes on.",
        ActionScope.TASKS,
        "follow_task",
        footer=True,
    ),
    Action(
        "tasks.call", ("o",), "Its call", "Show the call in the traffic.", ActionScope.TASKS, "open_call", footer=True
    ),
    Action(
        "tasks.list", ("l",), "List", "Ask the server which tasks it has.", ActionScope.TASKS, "list_tasks", footer=True
    ),
    # Start
    Action(
        "start.demo",
        ("d",),
        "Demo",
        "Look at the server that comes with this program.",
        ActionScope.START,
        "demo",
        True,
    ),
    # Asking before a start
    Action("start.confirm", ("enter",), "Go on", "Do what was asked about.", ActionScope.CONFIRM, "confirm", True),
)
"""The order is the order of footer and help."""

_BY_ID = {action.id: action for action in ACTIONS}


def action(identifier: str) -> Action:
    """Return one action by its id. Raises: KeyError."""
    return _BY_ID[identifier]


def bindings(*places: ActionScope) -> list[BindingType]:
    """Return the bindings of some places, for a widget's or a screen's BINDINGS."""
    return [binding(found) for found in ACTIONS if found.where in places]


def binding(found: Action) -> Binding:
    """Return one action as Textual wants it."""
    return Binding(
        key=",".join(found.keys),
        action=found.action,
        description=found.label,
        show=found.footer,
        key_display=key_name(found.keys[0]),
        priority=found.priority,
        tooltip=found.tooltip,
        id=found.id,
    )


def help_text(*places: ActionScope) -> list[tuple[ActionScope, list[tuple[str, str]]]]:
    """Return what the help shows of some places: under each heading its keys and what they do."""
    return [(place, [(a.key_text, a.tooltip) for a in ACTIONS if a.where is place]) for place in places]


__all__ = ["ACTIONS", "Action", "ActionScope", "action", "binding", "bindings", "help_text", "key_name", "types"]
