"""What is pictured: each screen in the sizes, themes and terminals in which it has to be right."""

from inspector.tui.styles import LIGHT_NAME
from tests.screens.staging import Scene

WIDE = (160, 45)
_DRAWN = ("▀▀▀▀",)


SCENES = (
    Scene("traffic", "lighthouse", size=WIDE, keys=("g", *["}"] * 9)),
    Scene("traffic-small", "lighthouse"),
    Scene("traffic-light", "lighthouse", size=WIDE, theme=LIGHT_NAME, keys=("g", *["}"] * 9)),
    Scene("traffic-order", "lighthouse", keys=("T", "_", "g")),
    Scene("traffic-filtered", "lighthouse", keys=("/", *"sweep", "enter"), sees=("5 of 65",)),
    Scene("traffic-below", "wreck", size=(110, 36), keys=("minus",)),
    Scene("traffic-raw", "lighthouse", keys=("g", *["}"] * 7, "enter", "]")),
    Scene("traffic-bytes", "lighthouse", keys=("g", *["}"] * 7, "enter", "]", "]")),
    Scene("payload-found", "lighthouse", size=WIDE, keys=("g", *["}"] * 7, "enter", "*", *"name", "enter", "n")),
    Scene("payload-copy-small", "lighthouse", keys=("g", *["}"] * 7, "enter", "down", "down", "Y"), sees=("JSONPath",)),
    Scene(
        "payload-decoded",
        "lighthouse",
        size=WIDE,
        keys=("g", *["}"] * 7, "enter", "tab", "*", *"below", "enter", "_", "d", "_"),
        sees=("decoded",),
    ),
    Scene("traffic-headers", "harbour", size=WIDE, keys=("g", *["}"] * 5, "enter", "]", "]", "]")),
    Scene("traffic-hostile", "lighthouse", size=WIDE, keys=("G", "{", "{")),
    Scene("traffic-alone", "lighthouse", size=WIDE, keys=("minus", "minus", "g", "@", *["}"] * 8, ")")),
    Scene("traffic-reference", "lighthouse", keys=("g", *["}"] * 8, "t")),
    Scene("traffic-columns", "lighthouse", size=(110, 36), keys=("minus", "minus", "_", "C")),
    Scene("waterfall", "lighthouse", size=WIDE, keys=("g", *["}"] * 8, "W")),
    Scene("waterfall-small", "evening", keys=("g", "}", "W")),
    Scene("waterfall-light", "evening", size=(110, 36), theme=LIGHT_NAME, keys=("g", "}", "W", "_", "minus")),
    Scene("waterfall-ascii", "lighthouse", encoding="ascii", keys=("g", *["}"] * 8, "W")),
    Scene("traffic-no-color", "lighthouse", no_color=True),
    Scene("traffic-ascii", "lighthouse", encoding="ascii"),
    Scene("tools", "lighthouse", size=WIDE, show="tools", keys=("j", "j", "_", "h", "_", "g", "enter", "_", "r")),
    Scene("tools-small", "lighthouse", show="tools"),
    Scene("tools-form-small", "lighthouse", show="tools", keys=("j", "j", "enter", "_", "escape")),
    Scene(
        "tools-result-small", "lighthouse", show="tools", keys=(*["j"] * 4, "_", "h", "_", "enter", "_", "[", "[", "[")
    ),
    Scene("tools-light", "lighthouse", size=WIDE, theme=LIGHT_NAME, show="tools", keys=(*["j"] * 6, "enter")),
    Scene("tools-history", "lighthouse", size=WIDE, show="tools", keys=("j", "j", "_", "h", "_", "g")),
    Scene("tools-wrong", "lighthouse", size=WIDE, show="tools", keys=(*["j"] * 13, "enter")),
    Scene("tools-json", "lighthouse", show="tools", size=(110, 36), keys=("j", "j", "_", "enter", "_", "ctrl+o")),
    Scene(
        "tools-picture", "lighthouse", size=WIDE, show="tools", keys=("slash", *"tide", "enter", "_", "v"), sees=_DRAWN
    ),
    Scene("resources", "evening", size=WIDE, show="resources", keys=("j",)),
    Scene("resources-small", "evening", show="resources"),
    Scene("resources-template", "evening", size=WIDE, show="resources", keys=("G", "k")),
    Scene("prompts", "evening", size=WIDE, show="prompts"),
    Scene("prompts-small", "evening", show="prompts", keys=("enter",)),
    Scene("inbox", "evening", size=WIDE, show="inbox", asks=True),
    Scene("inbox-small", "evening", show="inbox", asks=True),
    Scene("inbox-recorded", "evening", size=WIDE, show="inbox", keys=("j", "j")),
    Scene("question", "evening", size=WIDE, show="tools", asks=True, keys=("_", "exclamation_mark")),
    Scene("question-small", "evening", asks=True, keys=("_", "exclamation_mark")),
    Scene("log", "lighthouse", show="log", size=WIDE, keys=("j", "j")),
    Scene("log-small", "shipyard", show="log", keys=("right_square_bracket",) * 4),
    Scene("tasks", "shipyard", show="tasks", size=WIDE, sees=("tight",)),
    Scene("tasks-small", "shipyard", show="tasks", keys=("G",)),
    Scene("task-small", "shipyard", show="tasks", keys=("G", "enter"), sees=("What is wrong with it",)),
    Scene("server", "lighthouse", show="server", size=WIDE),
    Scene("server-small", "harbour", show="server"),
    Scene("network", "harbour", show="network", size=WIDE, keys=("g", "j", "j")),
    Scene("network-small", "harbour", show="network", keys=("g",)),
    Scene("network-exchange-small", "harbour", show="network", keys=("g", "j", "enter")),
    Scene("findings", "lighthouse", show="findings", size=WIDE),
    Scene("findings-small", "lighthouse", keys=("E", "_")),
    Scene("findings-evidence-small", "lighthouse", show="findings", keys=("j", "_", "enter"), sees=("Gull Rock",)),
    Scene("findings-muted-small", "shipyard", show="findings", keys=("G", "m", "_", "M")),
    Scene("replay-small", "lighthouse", keys=("j", "j", "j", "2"), sees=("not been listed yet", "#4 of 65")),
    Scene("replay-state", "evening", keys=("G", *("k",) * 6, "v"), size=(120, 34), sees=("In flight", "plan_supper")),
    Scene("story", "evening", keys=("G", *("k",) * 7, "s"), size=(120, 36), sees=("Story of tools/call plan_supper",)),
    Scene("help", "lighthouse", keys=("question_mark",), sees=("Show only lines that match",)),
    Scene("post-mortem", "wreck", size=WIDE, ended=True),
    Scene("post-mortem-small", "wreck", ended=True),
    Scene("post-mortem-server", "wreck", size=(110, 36), show="server"),
)
