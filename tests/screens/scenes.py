"""What is pictured: each screen in the sizes, themes and terminals in which it has to be right."""

from inspector.tui.theme import LIGHT_NAME
from tests.screens.staging import START, Scene

WIDE = (160, 45)
_DRAWN = ("▀▀▀▀",)
_CALLS = """\
mcp-inspect-cases: 1
cases:
  - {name: the count of lamps, request: tools/call, params: {name: all_content}}
  - {name: echo a greeting, request: tools/call, params: {name: echo, arguments: {text: Ahoy}}}
  - {name: a long run, request: tools/call, params: {name: long_running, arguments: {steps: 3}}}
"""

SCENES = (
    Scene("start", START, size=(110, 30), sees=("Saved and recent",)),
    Scene("start-small", START, keys=("down",), sees=("a Add target",)),
    Scene("start-target", START, keys=("down", "a"), sees=("Variables",)),
    Scene("traffic", "lighthouse", size=WIDE, keys=("g g", *["g x"] * 9)),
    Scene("traffic-small", "lighthouse"),
    Scene("traffic-light", "lighthouse", size=WIDE, theme=LIGHT_NAME, keys=("g g", *["g x"] * 9)),
    Scene("traffic-order", "lighthouse", keys=("v t", "g g")),
    Scene("traffic-filtered", "lighthouse", keys=("/", *"long_running", "enter"), sees=("5 of 65",)),
    Scene("traffic-below", "wreck", size=(110, 36), keys=("v l",)),
    Scene("traffic-raw", "lighthouse", keys=("g g", *["g x"] * 7, "enter", "]")),
    Scene("traffic-bytes", "lighthouse", keys=("g g", *["g x"] * 7, "enter", "]", "]")),
    Scene("payload-found", "lighthouse", size=WIDE, keys=("g g", *["g x"] * 7, "enter", "/", *"name", "enter", "n")),
    Scene(
        "payload-copy-small", "lighthouse", keys=("g g", *["g x"] * 7, "enter", "down", "down", "Y"), sees=("JSONPath",)
    ),
    Scene(
        "payload-decoded",
        "lighthouse",
        size=WIDE,
        keys=("g g", *["g x"] * 7, "enter", "tab", "/", *"below", "enter", "d"),
        sees=("decoded",),
    ),
    Scene("traffic-headers", "harbour", size=WIDE, keys=("g g", *["g x"] * 5, "enter", "]", "]", "]", "]")),
    Scene("traffic-hostile", "lighthouse", size=WIDE, keys=("G", "g X", "g X")),
    Scene("traffic-alone", "lighthouse", size=WIDE, keys=("v l", "v l", "g g", "v k", *["g x"] * 8, "g e")),
    Scene("traffic-reference", "lighthouse", keys=("g g", *["g x"] * 8, "v z")),
    Scene("traffic-columns", "lighthouse", size=(110, 36), keys=("v l", "v l", "v c")),
    Scene("waterfall", "lighthouse", size=WIDE, keys=("g g", *["g x"] * 8, "v w")),
    Scene("waterfall-small", "evening", keys=("g g", "g x", "v w")),
    Scene("waterfall-light", "evening", size=(110, 36), theme=LIGHT_NAME, keys=("g g", "g x", "v w", "minus")),
    Scene("waterfall-ascii", "lighthouse", encoding="ascii", keys=("g g", *["g x"] * 8, "v w")),
    Scene("traffic-no-color", "lighthouse", no_color=True),
    Scene("traffic-ascii", "lighthouse", encoding="ascii"),
    Scene("tools", "lighthouse", size=WIDE, show="tools", keys=("j", "j", "v h", "g g", "enter", "x e")),
    Scene("tools-small", "lighthouse", show="tools"),
    Scene("tools-form-small", "lighthouse", show="tools", keys=("j", "j", "enter", "escape")),
    Scene("tools-result-small", "lighthouse", show="tools", keys=(*["j"] * 4, "v h", "enter", "[", "[", "[")),
    Scene("tools-light", "lighthouse", size=WIDE, theme=LIGHT_NAME, show="tools", keys=(*["j"] * 6, "enter")),
    Scene("tools-history", "lighthouse", size=WIDE, show="tools", keys=("j", "j", "v h", "g g")),
    Scene("tools-wrong", "lighthouse", size=WIDE, show="tools", keys=(*["j"] * 13, "enter")),
    Scene("tools-json", "lighthouse", show="tools", size=(110, 36), keys=("j", "j", "enter", "ctrl+o")),
    Scene(
        "tools-picture", "lighthouse", size=WIDE, show="tools", keys=("slash", *"image", "enter", "v i"), sees=_DRAWN
    ),
    Scene("saved-calls", "evening", size=WIDE, show="tools", asks=True, calls=_CALLS, sees=("Saved 3",)),
    Scene("saved-calls-small", "evening", show="tools", asks=True, calls=_CALLS, sees=("Saved 3",)),
    Scene(
        "restarted",
        "evening",
        size=(140, 40),
        show="tools",
        asks=True,
        calls=_CALLS,
        restarted=True,
        sees=("1 breaking", "Saved calls", "NaN"),
    ),
    Scene("restarted-small", "evening", show="tools", asks=True, restarted=True, sees=("1 breaking",)),
    Scene(
        "side-by-side",
        "lighthouse",
        size=(210, 45),
        beside="evening",
        keys=("v 2", "2", "j", "j"),
        sees=("alike", "Differences"),
    ),
    Scene("resources", "evening", size=WIDE, show="resources", keys=("j",)),
    Scene("resources-small", "evening", show="resources"),
    Scene("resources-template", "evening", size=WIDE, show="resources", keys=("G", "k")),
    Scene("prompts", "evening", size=WIDE, show="prompts"),
    Scene("prompts-small", "evening", show="prompts", keys=("enter",)),
    Scene("inbox", "evening", size=WIDE, show="inbox", asks=True),
    Scene("inbox-small", "evening", show="inbox", asks=True),
    Scene("inbox-recorded", "evening", size=WIDE, show="inbox", keys=("j", "j")),
    Scene("question", "evening", size=WIDE, show="tools", asks=True, keys=("exclamation_mark",)),
    Scene("question-small", "evening", asks=True, keys=("exclamation_mark",)),
    Scene("log", "lighthouse", show="log", size=WIDE, keys=("j", "j")),
    Scene("log-small", "shipyard", show="log", keys=("right_square_bracket",) * 4),
    Scene("tasks", "shipyard", show="tasks", size=WIDE, sees=("tight",)),
    Scene("tasks-small", "shipyard", show="tasks", keys=("G",)),
    Scene("task-small", "shipyard", show="tasks", keys=("G", "enter"), sees=("Defects",)),
    Scene("server", "lighthouse", show="server", size=WIDE),
    Scene("server-small", "harbour", show="server"),
    Scene("network", "harbour", show="network", size=WIDE, keys=("g g", "j", "j")),
    Scene("network-small", "harbour", show="network", keys=("g g",)),
    Scene("network-exchange-small", "harbour", show="network", keys=("g g", "j", "enter")),
    Scene("findings", "lighthouse", show="findings", size=WIDE),
    Scene("findings-small", "lighthouse", keys=("8",)),
    Scene("findings-evidence-small", "lighthouse", show="findings", keys=("enter",), sees=("Gull Rock",)),
    Scene("findings-muted-small", "shipyard", show="findings", keys=("G", "x m", "v M")),
    Scene(
        "statistics",
        "lighthouse",
        show="stats",
        size=WIDE,
        keys=("j",),
        sees=("13 calls", "Never called", ", duration", "Mean time"),
    ),
    Scene(
        "statistics-small", "lighthouse", keys=("v s",), sees=("13 calls", "Never called", ", duration", "Mean time")
    ),
    Scene("replay-small", "lighthouse", keys=("j", "j", "j", "2"), sees=("not listed yet", "#4 of 65")),
    Scene("replay-state", "evening", keys=("G", *("k",) * 6, "v ."), size=(120, 34), sees=("Pending", "elicit_steps")),
    Scene(
        "story", "evening", keys=("G", *("k",) * 7, "g t"), size=(120, 36), sees=("Trace of tools/call elicit_steps",)
    ),
    Scene("menu-go", "lighthouse", size=WIDE, keys=("g",), sees=("Request/response pair",)),
    Scene("menu-go-small", "lighthouse", keys=("g",), sees=("Go to   Esc Close",)),
    Scene("palette-small", "lighthouse", keys=("ctrl+p",), sees=("Palette",)),
    Scene("help", "lighthouse", keys=("question_mark",), sees=("Twelve keys",)),
    Scene("post-mortem", "wreck", size=WIDE, ended=True, sees=("server-killed",)),
    Scene("post-mortem-small", "wreck", ended=True, sees=("server-killed",)),
    Scene("post-mortem-server", "wreck", size=(110, 36), show="server"),
)
