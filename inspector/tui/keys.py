"""Table of all actions and their keys: the source of bindings, footer, menus, palette, help and docs/keys.md.

Keys are layered. A few act at once; `g v f x` open a menu, whose second key is written after a space: "g t". A
letter has the same meaning on every screen, or none. The first key of an action works in every terminal; function
keys and `ctrl+enter` are secondary because many terminals do not send them. Never bound are `ctrl+i ctrl+m ctrl+[`
(other names of Tab, Enter and Escape) and `ctrl+s ctrl+q` (flow control). Characters that need a dead key or AltGr
on some layouts are never the only key. Users rebind actions by `id` in keys.toml.
"""

from collections.abc import Mapping

import msgspec
from textual.binding import Binding, BindingType

from inspector.tui.actions import MENUS, Action, ActionScope, key_name, types
from inspector.tui.screens.inbox.keys import INBOX
from inspector.tui.screens.items.keys import OFFERED
from inspector.tui.screens.sessions.keys import CAPTURES, COMPARING, EXPORTING, STARTING
from inspector.tui.screens.stats.keys import STATS
from inspector.tui.screens.traffic.keys import (
    DETAIL,
    FILTERING,
    MARKING,
    NETWORK,
    PAYLOADS,
    TIMELINE,
    TRACING,
    TRAFFIC,
)

_E = ActionScope.EVERYWHERE
SCREENS: tuple[Action, ...] = (
    Action("screen.traffic", ("1",), "Traffic", "Show all messages of the connection.", _E, "app.show('traffic')"),
    Action("screen.tools", ("2",), "Tools", "Show the server's tools and call them.", _E, "app.show('tools')"),
    Action(
        "screen.resources",
        ("3",),
        "Resources",
        "Show the server's resources and read them.",
        _E,
        "app.show('resources')",
    ),
    Action("screen.prompts", ("4",), "Prompts", "Show the server's prompts and get them.", _E, "app.show('prompts')"),
    Action("screen.inbox", ("5",), "Inbox", "Show server requests and respond to them.", _E, "app.show('inbox')"),
    Action("screen.tasks", ("6",), "Tasks", "Show client and server tasks.", _E, "app.show('tasks')"),
    Action("screen.log", ("7",), "Log", "Show log messages and stderr of the server.", _E, "app.show('log')"),
    Action("screen.findings", ("8",), "Findings", "Show the findings of the checks.", _E, "app.show('findings')"),
    Action(
        "screen.server",
        ("9",),
        "Server",
        "Show the connection, its capabilities and the process.",
        _E,
        "app.show('server')",
    ),
)
"""The nine screens of the header, in order."""

_GLOBAL: tuple[Action, ...] = (
    Action("menu.go", ("g",), "Go to", "Open the menu of jumps and further screens.", _E, "app.menu('g')", True),
    Action("menu.view", ("v",), "View", "Open the menu of views.", _E, "app.menu('v')", True),
    Action("menu.filter", ("f",), "Filter by", "Open the menu of filters.", _E, "app.menu('f')", True),
    Action("menu.act", ("x",), "Act", "Open the menu of further actions.", _E, "app.menu('x')", True),
    Action("help", ("?",), "Help", "Show keys and actions, and search them.", _E, "app.help", True),
    Action(
        "help.typing",
        ("f1",),
        "Help",
        "Show keys and actions; also works in text fields.",
        _E,
        "app.help",
        footer=True,
        priority=True,
    ),
    Action(
        "palette",
        ("ctrl+p", ":"),
        "Palette",
        "Find any action, tool, resource or prompt by name.",
        _E,
        "app.command_palette",
        True,
    ),
    Action("back", ("escape",), "Back", "Go back one step; never quits.", _E, "back", True),
    Action("pane.next", ("tab",), "Next pane", "Move to the next pane or field.", _E, "app.focus_next"),
    Action(
        "pane.previous",
        ("shift+tab",),
        "Previous pane",
        "Move to the previous pane or field.",
        _E,
        "app.focus_previous",
    ),
    Action("copy", ("y",), "Copy", "Copy the selection without control characters.", _E, "copy"),
    Action("refresh", ("r",), "Refresh lists", "Fetch the lists of the server again.", _E, "app.refresh"),
    Action(
        "request.cancel", ("ctrl+c",), "Cancel", "Cancel the running request.", _E, "app.cancel_request", priority=True
    ),
    Action(
        "respond",
        ("!", "ctrl+t", "f12"),
        "Respond to the server",
        "Respond to the oldest server request; in text fields Ctrl+T.",
        _E,
        "app.answer_here",
    ),
    Action(
        "reconnect",
        ("ctrl+r",),
        "Restart or reconnect",
        "Restart the server or reconnect, and run the last call again; for a capture, start its server.",
        _E,
        "app.reconnect",
    ),
    Action(
        "token",
        ("x T",),
        "Enter a token",
        "Send a bearer token to the server from now on, for this session only.",
        _E,
        "app.credentials('token')",
    ),
    Action(
        "headers",
        ("x H",),
        "Headers",
        "Edit the HTTP headers of this connection, for this session only, and reconnect.",
        _E,
        "app.credentials('headers')",
    ),
    Action(
        "restart.again",
        ("x A",),
        "Restart and run again",
        "Restart the server and run the last call again, even a destructive one.",
        _E,
        "app.restart_again",
    ),
    Action(
        "restart.report", ("v R",), "Restart report", "Show or hide how the restart went.", _E, "app.restart_report"
    ),
    Action(
        "restart.changes",
        ("v D",),
        "Restart changes",
        "Show what the restart changed in definitions and result.",
        _E,
        "app.restart_changes",
    ),
    # Go to
    Action("screen.raw", ("g o",), "Composer", "Write and send any message.", _E, "app.show('raw')"),
    Action("screen.network", ("g h",), "HTTP exchanges", "Show all HTTP exchanges.", _E, "app.show('network')"),
    Action("screen.skills", ("g k",), "Skills", "Show the server's skills and verify them.", _E, "app.show('skills')"),
    Action(
        "screen.sessions", ("g u",), "Captures", "Show the captures of earlier sessions.", _E, "app.show('sessions')"
    ),
    Action(
        "tabs.timeline", ("g a",), "All servers", "Show the traffic of all servers in one list.", _E, "app.timeline"
    ),
    Action("tap.held", ("g b",), "Held messages", "Show held messages and rules of the tap.", _E, "app.held"),
    Action("tabs.open", ("g O",), "Open server", "Open another server or a capture in a tab.", _E, "app.open"),
    Action(
        "tabs.next",
        ("g tab", "ctrl+pagedown"),
        "Next server",
        "Show the tab of the next server.",
        _E,
        "app.turn_tab(1)",
    ),
    Action(
        "tabs.previous",
        ("g shift+tab", "ctrl+pageup"),
        "Previous server",
        "Show the tab of the previous server.",
        _E,
        "app.turn_tab(-1)",
    ),
    # View
    Action(
        "tabs.beside",
        ("v 2",),
        "Side by side",
        "Show two servers side by side on a wide terminal, or one at a time.",
        _E,
        "app.side_by_side",
    ),
    Action(
        "tabs.differences",
        ("v =",),
        "Differences",
        "Show what differs between two servers side by side.",
        _E,
        "app.differences",
    ),
    Action(
        "screen.stats", ("v s",), "Statistics", "Show calls, errors, percentiles and sizes.", _E, "app.show('stats')"
    ),
    Action(
        "tap.propose",
        ("x b",),
        "Hold next",
        "Hold the next messages like the selected one, by a rule (breakpoint) of the tap.",
        _E,
        "app.held('propose')",
    ),
    Action("tap.rules", ("v b",), "Rules", "Show the rules of the tap.", _E, "app.held('rule')"),
    Action("layout", ("v l",), "Layout", "Switch the detail between right, below and alone.", _E, "cycle_layout"),
    Action("theme", ("v T",), "Theme", "Switch between dark and light.", _E, "app.toggle_theme"),
    # Act
    Action("export", ("x x",), "Export", "Export, share or compare this connection.", _E, "app.export"),
    Action("ping", ("x p",), "Ping", "Send a ping and show the round-trip time.", _E, "app.ping"),
    Action(
        "refresh.mode",
        ("x u",),
        "Auto-refresh",
        "Refresh changed lists automatically, or only on request.",
        _E,
        "app.refresh_mode",
    ),
    Action(
        "tabs.close",
        ("x w", "ctrl+w"),
        "Close server",
        "Disconnect this server and close its tab; asks first.",
        _E,
        "app.close_tab",
    ),
    Action("quit", ("q",), "Quit", "Close all connections and quit.", _E, "app.quit", True),
)

_SEND = ("ctrl+j", "f5", "ctrl+enter")
_RAW, _SKILLS = ActionScope.RAW, ActionScope.SKILLS
COMPOSER: tuple[Action, ...] = (
    Action("composer.send", _SEND, "Send", "Send the message as typed.", _RAW, "send", footer=True, priority=True),
    Action(
        "composer.next",
        ("]", "ctrl+right"),
        "Next message",
        "Show the next sent or received message.",
        _RAW,
        "frame(1)",
    ),
    Action(
        "composer.previous", ("[", "ctrl+left"), "Previous message", "Show the previous message.", _RAW, "frame(-1)"
    ),
    Action(
        "composer.edit", ("x e",), "Edit and resend", "Put the selected message into the form.", _RAW, "again", True
    ),
    Action("composer.entry", ("o",), "Show in Traffic", "Show the message in Traffic.", _RAW, "entry", True),
)
SKILLS: tuple[Action, ...] = (
    Action(
        "skills.read",
        _SEND,
        "Read",
        "Read the selected file and verify it; for a skill, its SKILL.md.",
        _SKILLS,
        "read",
        True,
    ),
    Action("skills.list", ("r",), "Refresh", "Fetch the list of skills again.", _SKILLS, "list", True),
    Action("skills.check", ("x v",), "Verify all", "Read and verify all files of the skill.", _SKILLS, "check", True),
    Action("skills.get", ("x g",), "Refresh entry", "Fetch the entry of this skill again.", _SKILLS, "get"),
)

_FINDINGS = ActionScope.FINDINGS
FINDINGS: tuple[Action, ...] = (
    Action("findings.filter", ("/",), "Filter", "Show only matching findings.", _FINDINGS, "filter", True),
    Action("findings.clear", ("f c",), "Clear filter", "Show all findings again.", _FINDINGS, "clear_filter"),
    Action(
        "findings.mute",
        ("x m",),
        "Mute",
        "Mute the finding, or on a heading its check; again unmutes it.",
        _FINDINGS,
        "mute",
        True,
    ),
    Action("findings.muted", ("v M",), "Show muted", "Show or hide muted findings.", _FINDINGS, "muted"),
    Action("findings.pause", ("x z",), "Pause checks", "Pause or resume the checks.", _FINDINGS, "pause"),
)

_REPLAY, _REPLAY_BAR = ActionScope.REPLAY, ActionScope.REPLAY_BAR
REPLAYING: tuple[Action, ...] = (
    Action(
        "replay.play",
        ("x space",),
        "Play or pause",
        "Play or pause the capture at its original speed.",
        _REPLAY,
        "app.play",
    ),
    Action("replay.slower", ("<",), "Slower", "Decrease the playback speed.", _REPLAY, "app.speed(-1)"),
    Action("replay.faster", (">",), "Faster", "Increase the playback speed.", _REPLAY, "app.speed(1)"),
    Action("replay.on", ("right",), "Next entry", "Go to the next entry, on any screen.", _REPLAY, "app.step(1)"),
    Action("replay.back", ("left",), "Previous entry", "Go to the previous entry.", _REPLAY, "app.step(-1)"),
    Action("replay.next", ("g x",), "Next exchange", "Go to the next request.", _REPLAY, "app.step_exchange(1)"),
    Action(
        "replay.previous",
        ("g X",),
        "Previous exchange",
        "Go to the previous request.",
        _REPLAY,
        "app.step_exchange(-1)",
    ),
    Action(
        "replay.match",
        ("n",),
        "Next match",
        "Go to the next entry that matches the filter.",
        _REPLAY,
        "app.step_match(1)",
    ),
    Action(
        "replay.match_before",
        ("N",),
        "Previous match",
        "Go to the previous entry that matches.",
        _REPLAY,
        "app.step_match(-1)",
    ),
    Action(
        "replay.go_to", ("g n",), "Number or time", "Go to an entry by its number or time.", _REPLAY, "app.go_to_entry"
    ),
    Action("replay.start", ("g <",), "Start of replay", "Go to the first entry.", _REPLAY, "app.replay_start"),
    Action("replay.end", ("g >",), "End of replay", "Go to the end and show everything.", _REPLAY, "app.replay_end"),
    Action(
        "replay.marks",
        ("g m",),
        "Marks and views",
        "List the marks of the capture, and go to one.",
        _REPLAY,
        "app.marks",
    ),
    Action(
        "bar.play",
        ("space",),
        "Play or pause",
        "Play or pause the capture at its original speed.",
        _REPLAY_BAR,
        "app.play",
        True,
    ),
    Action("bar.start", ("home",), "Start", "Go to the first entry.", _REPLAY_BAR, "app.replay_start", True),
    Action("bar.end", ("end",), "End", "Go to the end and show everything.", _REPLAY_BAR, "app.replay_end", True),
)

_TASKS, _LOG, _SERVER = ActionScope.TASKS, ActionScope.LOG, ActionScope.SERVER
TASKS: tuple[Action, ...] = (
    Action("tasks.fetch", ("r",), "Refresh", "Fetch the status of the task now.", _TASKS, "fetch", True),
    Action("tasks.call", ("o",), "Show in Traffic", "Show the call of the task in Traffic.", _TASKS, "open_call", True),
    Action("tasks.cancel", ("x c",), "Cancel task", "Ask the server to cancel the task.", _TASKS, "cancel_task", True),
    Action(
        "tasks.follow",
        ("x f",),
        "Watch task",
        "Poll until the task completes; again stops polling.",
        _TASKS,
        "follow_task",
        True,
    ),
    Action("tasks.list", ("x L",), "List tasks", "Ask the server for its tasks.", _TASKS, "list_tasks"),
)
LOG: tuple[Action, ...] = (
    Action("log.filter", ("/",), "Filter", "Show only lines that contain a text.", _LOG, "filter", True),
    Action("log.clear", ("f c",), "Clear filter", "Show all lines again.", _LOG, "clear_filter"),
    Action(
        "log.raise",
        ("]", "ctrl+right"),
        "Raise level",
        "Show only more severe messages; stderr stays.",
        _LOG,
        "level(1)",
        True,
    ),
    Action("log.lower", ("[", "ctrl+left"), "Lower level", "Show less severe messages too.", _LOG, "level(-1)"),
    Action("log.sources", ("v o",), "Sources", "Show log messages, stderr, or both.", _LOG, "sources"),
    Action(
        "log.ask", ("x l",), "Set server level", "Ask the server for log messages from a level on.", _LOG, "ask", True
    ),
)
SERVER: tuple[Action, ...] = (
    Action(
        "server.capabilities",
        ("x C",),
        "Client capabilities",
        "Choose the client capabilities.",
        _SERVER,
        "app.offers",
        True,
    ),
    Action(
        "server.reveal",
        ("v r",),
        "Reveal secrets",
        "Show values of environment variables, or hide them again.",
        _SERVER,
        "reveal",
        True,
    ),
)

_D = ActionScope.DIALOG
DIALOGS: tuple[Action, ...] = (
    Action("palette.leave", ("escape", "ctrl+p"), "Close", "Close the palette.", _D, "leave", True, True),
    Action("respond.later", ("escape",), "Later", "Leave the request in the Inbox.", _D, "leave", True, True),
    Action("changes.back", ("escape", "q"), "Back", "Return to the list.", _D, "dismiss", True),
    Action("changes.approve", _SEND, "Approve", "Accept the definitions as the new baseline.", _D, "approve", True),
    Action("app.back", ("escape", "q"), "Back", "Return to the tool.", _D, "dismiss", True),
    Action("app.save", ("s",), "Save", "Save the source to a file.", _D, "save", True),
    Action("clients.back", ("escape", "q"), "Back", "Return to the tools.", _D, "dismiss", True),
    Action("clients.all", ("v a",), "All tools", "Show all tools, or those with known differences.", _D, "every", True),
    Action("login.open", ("enter",), "Open", "Open the address in the browser.", _D, "open", True),
    Action("login.copy", ("y",), "Copy", "Copy the address.", _D, "copy", True),
    Action("login.paste", ("/",), "Paste", "Go to the field for the final URL.", _D, "paste", True),
    Action("login.qr", ("Q",), "QR code", "Show the address as a QR code.", _D, "draw", True),
    Action("login.give_up", ("ctrl+x",), "Cancel", "Cancel the login; the connection fails.", _D, "give_up", True),
    Action("login.later", ("escape",), "Later", "Keep the login waiting; ! shows it again.", _D, "leave", True),
    Action("qr.back", ("escape", "enter", "Q"), "Back", "Return to the login.", _D, "dismiss", True),
    Action("headers.connect", _SEND, "Apply", "Reconnect with these headers.", _D, "finish", True, True),
    Action("headers.leave", ("escape",), "Back", "Change nothing.", _D, "leave", True),
    Action("capabilities.switch", ("space",), "Switch", "Turn the selected capability on or off.", _D, "switch", True),
    Action("capabilities.apply", _SEND, "Apply", "Advertise these capabilities.", _D, "take", True, True),
    Action("capabilities.leave", ("escape",), "Back", "Change nothing.", _D, "leave", True),
    Action("held.leave", ("escape",), "Back", "Go to the list, or close; messages stay held.", _D, "leave", True),
    Action("held.release", _SEND, "Release", "Release, arm or send what is in the editor.", _D, "release", True, True),
    Action("held.respond", ("!",), "Respond", "Write a response to the held request.", _D, "respond", True),
    Action("held.recorded", ("x i",), "Use last response", "Begin with another recorded response.", _D, "recorded"),
    Action("held.form", ("ctrl+o",), "Form/JSON", "Switch between form and JSON.", _D, "form", True),
    Action("held.editor", ("x e", "f4"), "Editor", "Open the text in $EDITOR.", _D, "editor"),
    Action("held.drop", ("x d",), "Drop", "Do not forward the message; remove the rule.", _D, "drop", True),
    Action("held.all", ("x a",), "Release all", "Forward all held messages unchanged.", _D, "all", True),
    Action("held.switch", ("space",), "Switch", "Switch the selected rule on or off.", _D, "switch", True),
    Action("inputs.done", _SEND, "Continue", "Use these values.", _D, "done", True, True),
    Action("target.save", _SEND, "Save", "Save the target.", _D, "save", True, True),
    Action("target.leave", ("escape",), "Back", "Save nothing.", _D, "leave", True),
    Action("inputs.leave", ("escape",), "Back", "Start nothing.", _D, "leave", True),
    Action("columns.toggle", ("space", "enter"), "Show/hide", "Show or hide this column.", _D, "switch", True),
    Action("columns.right", (">",), "Move right", "Move the column to the right.", _D, "shift(1)", True),
    Action("columns.left", ("<",), "Move left", "Move the column to the left.", _D, "shift(-1)", True),
    Action("columns.add", ("a",), "Add", "Add a filter field as a column.", _D, "add", True),
    Action("columns.reset", ("0",), "Reset", "Reset to the default columns.", _D, "reset", True),
    Action("columns.leave", ("escape",), "Back", "Keep these columns.", _D, "leave", True),
    Action("go_to.leave", ("escape",), "Back", "Stay here.", _D, "leave", True),
    Action("choose.leave", ("escape",), "Back", "Choose nothing.", _D, "leave", True),
    Action("choose.search", ("/",), "Filter", "Show only matching rows.", _D, "search", True),
    Action("confirm.yes", ("f5", "ctrl+enter"), "Confirm", "Do it.", _D, "answer(True)", True, True),
    Action("confirm.no", ("escape",), "Back", "Do nothing.", _D, "answer(False)", True),
    # Ctrl+J is the byte LF, which alacritty's keypad Enter sends, too
    Action("confirm.take", ("enter", "ctrl+j"), "Choose", "Press the selected button.", _D, "take"),
    Action("decoded.next", ("]", "ctrl+right"), "Next tab", "Show the next decoding.", _D, "turn(1)", True),
    Action("decoded.previous", ("[", "ctrl+left"), "Previous tab", "Show the previous decoding.", _D, "turn(-1)", True),
    Action("decoded.picture", ("v i",), "Image", "Show the image.", _D, "picture", True),
    Action("decoded.leave", ("escape",), "Back", "Return to the payload.", _D, "leave", True),
    Action("before_after.back", ("escape", "q"), "Back", "Return to the resource.", _D, "dismiss", True),
    Action("lines.back", ("escape", "q"), "Back", "Close this view.", _D, "dismiss", True),
    Action("copy.leave", ("escape", "Y"), "Back", "Copy nothing.", _D, "leave", True),
    Action("picture.back", ("escape", "enter", "q"), "Back", "Return to the result.", _D, "dismiss", True),
    Action("name.leave", ("escape",), "Back", "Save nothing.", _D, "leave", True),
    Action("comment.take", ("enter",), "Mark", "Save mark and comment.", _D, "take", True),
    Action("comment.colour", ("down",), "Color", "Choose the color.", _D, "app.focus_next"),
    Action("comment.text", ("up",), "Comment", "Edit the comment.", _D, "app.focus_previous"),
    Action("comment.leave", ("escape",), "Back", "Change nothing.", _D, "leave", True),
    Action("save.back", ("escape",), "Back", "Save nothing.", _D, "leave", True),
)

_M, _L, _F = ActionScope.MOVING, ActionScope.LIST, ActionScope.FORM
_LINE, _CHOICE, _H = ActionScope.FORM_LINE, ActionScope.FORM_CHOICE, ActionScope.HELP
ACTIONS: tuple[Action, ...] = (
    *SCREENS,
    *_GLOBAL,
    # Moving
    Action("move.down", ("j", "down"), "Down", "Move one row down.", _M, "move(1)"),
    Action("move.up", ("k", "up"), "Up", "Move one row up.", _M, "move(-1)"),
    Action("move.page_down", ("pagedown",), "Page down", "Move one page down.", _M, "page(1)"),
    Action("move.page_up", ("pageup",), "Page up", "Move one page up.", _M, "page(-1)"),
    Action("move.first", ("g g", "home"), "First row", "Go to the first row.", _M, "first"),
    Action("move.last", ("G", "g l", "end"), "Last row", "Go to the last row.", _M, "last"),
    # Lists
    Action("list.open", ("enter",), "Open", "Show the selected row in full.", _L, "open", True),
    Action("list.fold", ("space",), "Fold", "Fold or unfold what belongs to this row.", _L, "fold"),
    Action("list.follow", ("v f",), "Follow", "Stay on the newest row.", _L, "follow"),
    Action("list.freeze", ("v p",), "Pause", "Pause scrolling; recording continues.", _L, "freeze"),
    *PAYLOADS,
    # Search field
    Action("search.done", ("enter", "down"), "Apply", "Go to the matches.", ActionScope.SEARCH, "done", True),
    Action(
        "search.leave",
        ("escape",),
        "Clear",
        "Clear the field and leave it.",
        ActionScope.SEARCH,
        "leave",
        True,
    ),
    *TRAFFIC,
    *FILTERING,
    *TIMELINE,
    *REPLAYING,
    *COMPARING,
    *MARKING,
    *TRACING,
    *CAPTURES,
    *EXPORTING,
    *DETAIL,
    *OFFERED,
    # Forms
    Action("form.next", ("down", "tab"), "Next field", "Move to the next field.", _F, "step(1)"),
    Action("form.previous", ("up",), "Previous field", "Move to the previous field or group.", _F, "step(-1)"),
    Action("form.page_down", ("pagedown",), "Page down", "Move one page down in the form.", _F, "page(1)"),
    Action("form.page_up", ("pageup",), "Page up", "Move one page up in the form.", _F, "page(-1)"),
    Action("form.undo", ("ctrl+z",), "Undo", "Undo the last change in any field.", _F, "undo"),
    Action("form.redo", ("ctrl+y",), "Redo", "Redo what was undone.", _F, "redo"),
    Action(
        "form.unset",
        ("ctrl+l",),
        "Unset",
        "Leave the field out; again restores its default.",
        _F,
        "unset",
        True,
    ),
    Action("form.null", ("ctrl+n",), "Null", "Set the field to null; again restores it.", _F, "null", True),
    Action("form.kind", ("ctrl+e",), "Type", "Read the text as the next type that the field accepts.", _F, "kind"),
    Action("form.leave", ("escape",), "Leave form", "Leave the form.", _F, "app.back", True),
    Action("line.press", ("enter", "space"), "Press", "Run the first action of this line.", _LINE, "press", True),
    Action("line.add", ("a",), "Add", "Add the field, or an item.", _LINE, "do('add')"),
    Action("line.remove", ("x d", "delete"), "Delete", "Delete the field or item.", _LINE, "do('remove')"),
    Action("line.up", ("x up", "shift+up"), "Move up", "Move the item up.", _LINE, "do('up')"),
    Action("line.down", ("x down", "shift+down"), "Move down", "Move the item down.", _LINE, "do('down')"),
    Action("choice.next", ("right",), "Next", "Choose the next value.", _CHOICE, "step(1)"),
    Action("choice.previous", ("left",), "Previous", "Choose the previous value.", _CHOICE, "step(-1)"),
    Action("choice.toggle", ("space",), "Choose", "Choose the value under the cursor.", _CHOICE, "take"),
    *INBOX,
    *SERVER,
    *LOG,
    *COMPOSER,
    *SKILLS,
    *NETWORK,
    *FINDINGS,
    *STATS,
    *TASKS,
    *STARTING,
    *DIALOGS,
    Action("help.close", ("escape", "f1"), "Close", "Close the help.", _H, "back", footer=True, priority=True),
    Action("help.down", ("down",), "Down", "Scroll down, or to the next result.", _H, "scroll('move', 1)"),
    Action("help.up", ("up",), "Up", "Scroll up, or to the previous result.", _H, "scroll('move', -1)"),
    Action("help.page_down", ("pagedown",), "Page down", "Scroll one page down.", _H, "scroll('page', 1)"),
    Action("help.page_up", ("pageup",), "Page up", "Scroll one page up.", _H, "scroll('page', -1)"),
)
"""All actions, in the order of footer, menus and help."""

_EVERY, _MOVE, _LIST = ActionScope.EVERYWHERE, ActionScope.MOVING, ActionScope.LIST
_JSON, _PAYLOAD, _TEXT, _DETAIL = ActionScope.JSON, ActionScope.PAYLOAD, ActionScope.TEXT, ActionScope.DETAIL
_ITEMS = (ActionScope.TOOLS, ActionScope.RESOURCES, ActionScope.PROMPTS)
_LISTS = (
    *(ActionScope.INBOX, ActionScope.SERVER, ActionScope.LOG, ActionScope.TASKS, ActionScope.FINDINGS),
    *(ActionScope.RAW, ActionScope.SKILLS, ActionScope.NETWORK, ActionScope.SESSIONS, ActionScope.STATS),
    ActionScope.SAVED,
)
TOGETHER: tuple[tuple[ActionScope, ...], ...] = (
    (_EVERY, _MOVE, _LIST, ActionScope.TRAFFIC, ActionScope.FINDING, _DETAIL),
    (_EVERY, _MOVE, _JSON, _PAYLOAD, ActionScope.TRAFFIC, _DETAIL),
    (_EVERY, _MOVE, _TEXT, _PAYLOAD, ActionScope.TRAFFIC, _DETAIL),
    (_EVERY, _MOVE, _LIST, ActionScope.TIMELINE, _DETAIL),
    *(
        (_EVERY, _MOVE, pane, _PAYLOAD, of, ActionScope.OFFERED, ActionScope.RESULT, _DETAIL)
        for of in _ITEMS
        for pane in (_JSON, _LIST)
    ),
    *((_EVERY, _MOVE, _LIST, of) for of in _LISTS),
    (_MOVE, _JSON, _PAYLOAD, ActionScope.FINDING_HERE),
    (_MOVE, _LIST, ActionScope.START),
    (_MOVE, _LIST, ActionScope.WATERFALL),
    (_MOVE, _LIST, ActionScope.COMPARE),
    (_MOVE, _LIST, ActionScope.MARKS),
    (ActionScope.SEARCH, ActionScope.FILTER, ActionScope.SEARCH_MODE),
    (_EVERY, ActionScope.REPLAY, ActionScope.REPLAY_BAR),
)
"""Scopes whose actions are valid at the same time."""

_BY_ID = {action.id: action for action in ACTIONS}


def action(identifier: str) -> Action:
    """Return an action by its id, with the user's keys. Raises: KeyError."""
    return _BY_ID[identifier]


def shown_key(identifier: str) -> str:
    """Return the label of an action's first key. Raises: KeyError."""
    return key_name(_BY_ID[identifier].keys[0])


def known_action(identifier: str) -> Action | None:
    """Return an action by its id; None if there is none."""
    return _BY_ID.get(identifier)


def all_actions() -> tuple[Action, ...]:
    """Return all actions in order, with the user's keys."""
    return tuple(_BY_ID.values())


def rebind(keymap: Mapping[str, tuple[str, ...]]) -> None:
    """Set the keys to show for these action ids; the app binds them with Textual's keymap."""
    for each in ACTIONS:
        _BY_ID[each.id] = msgspec.structs.replace(each, keys=keymap.get(each.id, each.keys))


def bindings(*places: ActionScope) -> list[BindingType]:
    """Return the bindings of some scopes, for the BINDINGS of a widget or a screen."""
    return [binding(found) for found in ACTIONS if found.where in places]


def binding(found: Action) -> Binding:
    """Return an action as a Textual binding."""
    return Binding(
        key=",".join(found.keys),
        action=found.action,
        description=found.label,
        show=found.footer,
        key_display=key_name(found.keys[0]),
        priority=found.priority,
        tooltip=found.sentence,
        id=found.id,
    )


def menu_bindings() -> list[BindingType]:
    """Return the bindings of the menus, for dialogs, which do not receive the app's keys."""
    return [binding(each) for each in ACTIONS if each.id.startswith("menu.")]


def help_text(*places: ActionScope) -> list[tuple[ActionScope, list[tuple[str, str]]]]:
    """Return the help of some scopes: for each, its keys and sentences."""
    return [(place, [(a.key_text, a.sentence) for a in all_actions() if a.where is place]) for place in places]


__all__ = [
    "ACTIONS",
    "MENUS",
    "SCREENS",
    "TOGETHER",
    "Action",
    "ActionScope",
    "action",
    "all_actions",
    "binding",
    "bindings",
    "help_text",
    "key_name",
    "known_action",
    "menu_bindings",
    "rebind",
    "shown_key",
    "types",
]
