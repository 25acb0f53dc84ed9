"""The part of the table of keys that is about payloads: folding, finding, decoding, copying, other programs."""

from inspector.tui.actions import Action, Where

PAYLOADS: tuple[Action, ...] = (
    Action(
        "json.toggle", ("enter", "space"), "Fold", "Fold or unfold this value.", Where.JSON, "toggle_fold", footer=True
    ),
    Action("json.open", ("right",), "Unfold", "Unfold this value, or go into it.", Where.JSON, "unfold"),
    Action("json.close", ("left",), "Fold", "Fold this value, or go out of it.", Where.JSON, "fold"),
    Action(
        "json.beside", ("f",), "Fold beside", "Fold or unfold this and what is beside it.", Where.JSON, "many('beside')"
    ),
    Action(
        "json.level", ("l",), "Fold level", "Fold or unfold all that is as deep as this.", Where.JSON, "many('level')"
    ),
    Action("json.all", ("a",), "Fold all", "Fold or unfold every value.", Where.JSON, "many('all')"),
    Action("json.decode", ("d",), "Decode", "Show what this text may stand for.", Where.JSON, "decode", footer=True),
    Action("json.next", ("n",), "Next match", "Go to the next match.", Where.JSON, "next_match"),
    Action("json.previous", ("N",), "Previous match", "Go to the match before.", Where.JSON, "previous_match"),
    Action(
        "payload.find",
        ("*",),
        "Find",
        "Find a text in this payload; ~usrid finds userId.",
        Where.FINDING_HERE,
        "find_here",
        footer=True,
    ),
    Action("payload.unfind", ("escape",), "End finding", "Mark nothing any more.", Where.FINDING_HERE, "unfind"),
    Action("text.wrap", ("w",), "Wrap", "Let long lines of text go on below, or to the right.", Where.TEXT, "wrap"),
    Action("text.right", ("right",), "Right", "Show what is further to the right.", Where.TEXT, "sideways(1)"),
    Action("text.left", ("left",), "Left", "Show what is further to the left.", Where.TEXT, "sideways(-1)"),
    Action(
        "payload.copy", ("Y",), "Copy as", "Choose what to copy: value, place, JSON, command.", Where.PAYLOAD, "copy_as"
    ),
    Action(
        "payload.expect",
        ("A",),
        "Expect this",
        "Make this value what a test expects from now on.",
        Where.PAYLOAD,
        "expect",
    ),
    Action("payload.pager", ("|", "f3"), "Pager", "Show the exact payload in $PAGER.", Where.PAYLOAD, "page_out"),
    Action(
        "payload.editor", ("ctrl+e", "f4"), "Editor", "Open the exact payload in $EDITOR.", Where.PAYLOAD, "edit_out"
    ),
)
