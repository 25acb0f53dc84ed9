"""Every action and its keys, in one table: bindings, footer and help are made from it.

The rule for keys: the first key of an action reaches us from every terminal; function keys and `ctrl+enter`
stand second because many do not send them. Never bound are `ctrl+i ctrl+m ctrl+[` (Tab, Enter and Escape by
other names) and `ctrl+s ctrl+q` (flow control). A key is printable only where nobody types text; where they
do, the field keeps it. Users rebind by `id`, so an id is for ever.
"""

from enum import StrEnum

import msgspec
from textual.binding import Binding, BindingType

from inspector.tui.styles import glyphs


class Where(StrEnum):
    """Where an action is offered; also the headings of the help."""

    EVERYWHERE = "Everywhere"
    MOVING = "Moving in lists and payloads"
    LIST = "Lists of traffic"
    JSON = "Payloads"
    SEARCH = "Search line"
    TRAFFIC = "Traffic"
    DETAIL = "Detail"
    TOOLS = "Tools"
    RESOURCES = "Resources"
    PROMPTS = "Prompts"
    RESULT = "Result of a call"
    FORM = "Forms"
    FORM_LINE = "Lines of a form"
    FORM_CHOICE = "Choices in a form"
    INBOX = "Questions"
    SERVER = "Server"
    START = "Start"
    CONFIRM = "Questions before a start"


class Action(msgspec.Struct, frozen=True):
    """Something a person can do, and how."""

    id: str
    """The name under which users rebind it."""
    keys: tuple[str, ...]
    """As Textual names them; the first is shown."""
    label: str
    """One or two words, for the footer."""
    tooltip: str
    """One sentence, for the help and the mouse."""
    where: Where
    action: str
    """What Textual runs: the method `action_<this>` of whoever binds it, or of the app with `app.` before it."""
    footer: bool = False
    """Whether the footer shows it where it is valid."""
    priority: bool = False
    """Whether it works even while a field has the focus."""

    @property
    def key_text(self) -> str:
        """The keys as the help writes them."""
        return "  ".join(key_name(key) for key in self.keys)


_SIGNS = {"enter": "⏎", "shift+tab": "⇧Tab", "up": "↑", "down": "↓", "left": "←", "right": "→"}
_WORDS = {"enter": "Enter", "shift+tab": "Shift+Tab", "up": "Up", "down": "Down", "left": "Left", "right": "Right"}
_NAMES = {
    "escape": "Esc",
    "tab": "Tab",
    "space": "Space",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
}


def key_name(key: str) -> str:
    """Return a key as footer and help write it: `^p`, `F5`, `⏎`, or "Enter" where the terminal has no such sign."""
    if key.startswith("ctrl+"):
        return "^" + key_name(key[5:])
    names = _NAMES | (_WORDS if glyphs().to_server.isascii() else _SIGNS)
    if key in names:
        return names[key]
    return key.upper() if key[0] == "f" and key[1:].isdigit() else key


_NAMED_OTHERWISE = frozenset(("at", "backslash", "minus", "plus", "slash", "underscore"))
"""Keys that type a sign that Textual can't tell by their name."""


def types(key: str, character: str | None) -> bool:
    """Whether a key types a sign, so that a field takes it; `character` is what Textual says that it types."""
    return key in _NAMED_OTHERWISE or (character is not None and character.isprintable())


def _of_offers(name: str, where: Where, verb: str, deed: str) -> tuple[Action, ...]:
    """What resources and prompts have in common."""
    complete = "Take a value that the server proposes; again takes the next."
    return (
        Action(f"{name}.filter", ("/",), "Filter", f"Show only {name} that match.", where, "filter", footer=True),
        Action(f"{name}.clear", ("\\",), "Clear filter", f"Show all {name} again.", where, "clear_filter"),
        Action(f"{name}.send", ("ctrl+j", "f5", "ctrl+enter"), verb, deed, where, "send", footer=True, priority=True),
        Action(f"{name}.complete", ("ctrl+g",), "Complete", complete, where, "do('complete')", priority=True),
        Action(
            f"{name}.save", ("w",), "Save", "Save the content under the cursor to a file.", where, "do('save')", True
        ),
        Action(f"{name}.json", ("e", "ctrl+o"), "Form/JSON", "Write it as a form or as JSON.", where, "do('json')"),
        Action(
            f"{name}.about", ("i",), "About", "Show all of the description, or its beginning.", where, "do('about')"
        ),
        Action(f"{name}.repeat", (".",), "Repeat", "Ask again for what is shown.", where, "do('repeat')"),
        Action(f"{name}.history", ("h",), "History", "Show the earlier answers.", where, "do('history')", footer=True),
    )


_E = Where.EVERYWHERE
ACTIONS: tuple[Action, ...] = (
    Action("screen.traffic", ("1",), "Traffic", "Show everything that crossed the wire.", _E, "app.show('traffic')"),
    Action("screen.tools", ("2",), "Tools", "Show the server's tools and call them.", _E, "app.show('tools')"),
    Action(
        "screen.resources",
        ("3",),
        "Resources",
        "Show the server's resources and read them.",
        _E,
        "app.show('resources')",
    ),
    Action("screen.prompts", ("4",), "Prompts", "Show the server's prompts and fill them.", _E, "app.show('prompts')"),
    Action("screen.inbox", ("5",), "Inbox", "Show what the server asks, and answer it.", _E, "app.show('inbox')"),
    Action("screen.server", ("6",), "Server", "Show who the server is and how it runs.", _E, "app.show('server')"),
    Action("help", ("?",), "Help", "Show the keys that work here.", _E, "app.help", footer=True),
    Action("palette", ("ctrl+p",), "Palette", "Find any command by name.", _E, "app.command_palette", footer=True),
    Action("back", ("escape",), "Back", "Go back one step. Never quits.", _E, "back"),
    Action("pane.next", ("tab",), "Next pane", "Move to the next pane or field.", _E, "app.focus_next"),
    Action("pane.previous", ("shift+tab",), "Previous pane", "Move to the pane before.", _E, "app.focus_previous"),
    Action("layout", ("-",), "Layout", "Put the detail beside the list, below it, or alone.", _E, "cycle_layout"),
    Action("copy", ("y",), "Copy", "Copy what is selected, without control characters.", _E, "copy"),
    Action(
        "request.cancel",
        ("ctrl+c",),
        "Cancel call",
        "Cancel the running request. Without one it says how to quit.",
        _E,
        "app.cancel_request",
        priority=True,
    ),
    Action(
        "question.here", ("!",), "Answer here", "Answer the oldest question without leaving.", _E, "app.answer_here"
    ),
    Action("reconnect", ("ctrl+r",), "Reconnect", "End this connection and open a new one.", _E, "app.reconnect"),
    Action("refresh", ("L",), "List again", "Ask the server for its lists again.", _E, "app.refresh"),
    Action("theme", ("ctrl+t",), "Theme", "Switch between dark and light.", _E, "app.toggle_theme"),
    Action("quit", ("q",), "Quit", "Close the connection and leave.", _E, "app.quit", footer=True),
    # Moving
    Action("move.down", ("j", "down"), "Down", "Move one line down.", Where.MOVING, "move(1)"),
    Action("move.up", ("k", "up"), "Up", "Move one line up.", Where.MOVING, "move(-1)"),
    Action("move.page_down", ("pagedown", "ctrl+f"), "Page down", "Move one page down.", Where.MOVING, "page(1)"),
    Action("move.page_up", ("pageup", "ctrl+b"), "Page up", "Move one page up.", Where.MOVING, "page(-1)"),
    Action("move.first", ("g", "home"), "First", "Go to the first line.", Where.MOVING, "first"),
    Action("move.last", ("G", "end"), "Last", "Go to the last line.", Where.MOVING, "last"),
    # Lists
    Action("list.open", ("enter",), "Open", "Show the selected line in full.", Where.LIST, "open", footer=True),
    Action("list.follow", ("F",), "Follow", "Stay on the newest line.", Where.LIST, "follow", footer=True),
    Action(
        "list.freeze",
        ("P",),
        "Freeze",
        "Let the view stand still while recording goes on; again to release it.",
        Where.LIST,
        "freeze",
        footer=True,
    ),
    # Payloads
    Action(
        "json.toggle", ("enter", "space"), "Fold", "Fold or unfold this value.", Where.JSON, "toggle_fold", footer=True
    ),
    Action("json.open", ("right",), "Unfold", "Unfold this value, or go into it.", Where.JSON, "unfold"),
    Action("json.close", ("left",), "Fold", "Fold this value, or go out of it.", Where.JSON, "fold"),
    Action("json.next", ("n",), "Next match", "Go to the next match.", Where.JSON, "next_match"),
    Action("json.previous", ("N",), "Previous match", "Go to the match before.", Where.JSON, "previous_match"),
    # Search line
    Action("search.leave", ("escape",), "Clear", "Clear the line; when it is empty, leave it.", Where.SEARCH, "leave"),
    Action("search.done", ("enter", "down"), "Go", "Go to what was found.", Where.SEARCH, "done"),
    # Traffic
    Action("traffic.filter", ("/",), "Filter", "Show only lines that match.", Where.TRAFFIC, "filter", footer=True),
    Action("traffic.clear", ("\\",), "Clear filter", "Show all lines again.", Where.TRAFFIC, "clear_filter"),
    Action(
        "traffic.tree",
        ("T",),
        "Tree/order",
        "Show exchanges as a tree, or every line in the order of the wire.",
        Where.TRAFFIC,
        "toggle_tree",
        footer=True,
    ),
    Action("traffic.next", ("}",), "Next exchange", "Go to the next request.", Where.TRAFFIC, "exchange(1)"),
    Action("traffic.previous", ("{",), "Exchange before", "Go to the request before.", Where.TRAFFIC, "exchange(-1)"),
    Action("traffic.pair", ("p",), "Pair", "Go from a request to its answer and back.", Where.TRAFFIC, "pair"),
    Action(
        "traffic.card",
        ("x",),
        "Post-mortem",
        "Show why the connection ended, or put that away.",
        Where.TRAFFIC,
        "post_mortem",
    ),
    # Detail
    Action("detail.next", ("]",), "Next tab", "Show the next view of this message.", Where.DETAIL, "tab(1)", True),
    Action("detail.previous", ("[",), "Tab before", "Show the view before.", Where.DETAIL, "tab(-1)"),
    Action("detail.reveal", ("z",), "Reveal", "Show secret header values, or mask them again.", Where.DETAIL, "reveal"),
    # Tools
    Action("tools.filter", ("/",), "Filter", "Show only tools that match.", Where.TOOLS, "filter", footer=True),
    Action("tools.clear", ("\\",), "Clear filter", "Show all tools again.", Where.TOOLS, "clear_filter"),
    Action(
        "tools.send",
        ("ctrl+j", "f5", "ctrl+enter"),
        "Call",
        "Call the tool with what the form holds. The Call button does the same.",
        Where.TOOLS,
        "send",
        footer=True,
        priority=True,
    ),
    Action(
        "tools.json",
        ("e", "ctrl+o"),
        "Form/JSON",
        "Write the arguments as a form or as JSON; `ctrl+o` works while you type.",
        Where.TOOLS,
        "do('json')",
        footer=True,
    ),
    Action(
        "tools.about",
        ("i",),
        "About",
        "Show all of the tool's description, or its beginning.",
        Where.TOOLS,
        "do('about')",
    ),
    Action("tools.repeat", (".",), "Repeat", "Repeat the last call, or the chosen one.", Where.TOOLS, "do('repeat')"),
    Action(
        "tools.history",
        ("h", "ctrl+g"),
        "History",
        "Show the earlier calls of this tool; `ctrl+g` works while you type.",
        Where.TOOLS,
        "do('history')",
        footer=True,
    ),
    # Resources and prompts
    *_of_offers("resources", Where.RESOURCES, "Read", "Read the resource, or the one that the template expands to."),
    *_of_offers("prompts", Where.PROMPTS, "Get", "Get the prompt's messages for the arguments in the form."),
    Action("prompts.json_copy", ("c",), "Copy JSON", "Copy the messages as JSON.", Where.PROMPTS, "do('copy-json')"),
    Action(
        "prompts.markdown_copy",
        ("C",),
        "Copy Markdown",
        "Copy the messages as Markdown.",
        Where.PROMPTS,
        "do('copy-markdown')",
    ),
    # Result
    Action(
        "result.picture", ("v",), "Picture", "Show the picture of this block.", Where.RESULT, "picture", footer=True
    ),
    Action(
        "result.markdown", ("m",), "Markdown", "Show Markdown as it is meant, or as it is.", Where.RESULT, "markdown"
    ),
    Action("result.edit", ("E",), "Edit call", "Put this call's arguments into the form.", Where.RESULT, "edit"),
    # Forms
    Action(
        "form.next",
        ("down", "tab"),
        "Next field",
        "Move to the next value, past the lines of unfolded groups.",
        Where.FORM,
        "step(1)",
    ),
    Action(
        "form.previous",
        ("up",),
        "Field before",
        "Move to the line before, be it a field's or a group's; the first one stays.",
        Where.FORM,
        "step(-1)",
    ),
    Action(
        "form.unset", ("ctrl+l",), "Unset", "Give the field no value: it is not sent.", Where.FORM, "unset", footer=True
    ),
    Action("form.null", ("ctrl+n",), "null", "Set the field to null, or back.", Where.FORM, "null", footer=True),
    Action("form.leave", ("escape",), "Back", "Leave the form.", Where.FORM, "app.back", footer=True),
    # Lines of a form
    Action("line.press", ("enter", "space"), "Press", "Do the first thing the line offers.", Where.FORM_LINE, "press"),
    Action("line.add", ("a",), "Add", "Add the field, or an item.", Where.FORM_LINE, "do('add')"),
    Action("line.remove", ("d",), "Remove", "Take the field or the item away.", Where.FORM_LINE, "do('remove')"),
    Action("line.up", ("K",), "Up", "Move the item before the one above.", Where.FORM_LINE, "do('up')"),
    Action("line.down", ("J",), "Down", "Move the item behind the one below.", Where.FORM_LINE, "do('down')"),
    # Choices in a form
    Action("choice.next", ("right",), "Next", "Choose the next one.", Where.FORM_CHOICE, "step(1)"),
    Action("choice.previous", ("left",), "Before", "Choose the one before.", Where.FORM_CHOICE, "step(-1)"),
    Action("choice.toggle", ("space",), "Choose", "Choose what is under the cursor.", Where.FORM_CHOICE, "take"),
    # Questions
    Action(
        "inbox.accept",
        ("ctrl+j", "f5", "ctrl+enter"),
        "Answer",
        "Answer with what the form holds; a second press sends what is wrong as well.",
        Where.INBOX,
        "deed('accept')",
        footer=True,
        priority=True,
    ),
    Action(
        "inbox.decline",
        ("ctrl+d", "f6"),
        "Decline",
        "Say no. A request for a model's answer is rejected with an error.",
        Where.INBOX,
        "deed('decline')",
        footer=True,
        priority=True,
    ),
    Action(
        "inbox.dismiss",
        ("ctrl+g", "f7"),
        "Cancel",
        "Say neither yes nor no.",
        Where.INBOX,
        "deed('dismiss')",
        footer=True,
        priority=True,
    ),
    Action("inbox.open", ("o",), "Open link", "Open the question's link in the browser.", Where.INBOX, "deed('open')"),
    Action("inbox.json", ("e", "ctrl+o"), "Form/JSON", "Write it as a form or as JSON.", Where.INBOX, "deed('json')"),
    Action("inbox.again", (".",), "Last answer", "Fill in what was answered last.", Where.INBOX, "deed('again')"),
    Action("inbox.roots", ("r",), "Roots", "Edit the list of roots.", Where.INBOX, "roots", footer=True),
    # Server
    Action(
        "server.reveal",
        ("z",),
        "Reveal",
        "Show the values of environment variables, or mask them again.",
        Where.SERVER,
        "reveal",
        footer=True,
    ),
    # Start
    Action("start.demo", ("d",), "Demo", "Look at the server that comes with this program.", Where.START, "demo", True),
    # Asking before a start
    Action("start.confirm", ("enter",), "Go on", "Do what was asked about.", Where.CONFIRM, "confirm", True),
)
"""The order is the order of footer and help."""

_BY_ID = {action.id: action for action in ACTIONS}


def action(identifier: str) -> Action:
    """Return one action by its id. Raises: KeyError."""
    return _BY_ID[identifier]


def bindings(*places: Where) -> list[BindingType]:
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


def help_text(*places: Where) -> list[tuple[Where, list[tuple[str, str]]]]:
    """Return what the help shows of some places: under each heading its keys and what they do."""
    return [(place, [(a.key_text, a.tooltip) for a in ACTIONS if a.where is place]) for place in places]
