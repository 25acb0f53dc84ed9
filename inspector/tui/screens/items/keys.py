"""Actions of Tools, Resources and Prompts: lists, forms and results."""

from inspector.tui.actions import Action, ActionScope

_SEND = ("ctrl+j", "f5", "ctrl+enter")
_O, _T, _R, _P, _RESULT, _SAVED = (
    ActionScope.OFFERED,
    ActionScope.TOOLS,
    ActionScope.RESOURCES,
    ActionScope.PROMPTS,
    ActionScope.RESULT,
    ActionScope.SAVED,
)


def _of_items(name: str, where: ActionScope, verb: str, sentence: str, *more: Action) -> tuple[Action, ...]:
    """Return the actions that the three screens share."""
    return (
        Action(f"{name}.filter", ("/",), "Filter", f"Show only matching {name}.", where, "filter", True),
        Action(f"{name}.clear", ("f c",), "Clear filter", f"Show all {name} again.", where, "clear_filter"),
        Action(f"{name}.send", _SEND, verb, sentence, where, "send", footer=True, priority=True),
        Action(f"{name}.json", ("ctrl+o",), "Form/JSON", "Switch between form and JSON.", where, "do('json')", True),
        *more,
        Action(f"{name}.info", ("i",), "Info", "Show or hide the full description.", where, "do('about')"),
        Action(f"{name}.again", ("x r",), "Run again", "Send the shown request again.", where, "do('repeat')"),
        Action(f"{name}.history", ("v h",), "History", "Show earlier results.", where, "do('history')"),
        Action(
            f"{name}.save", ("s",), "Save result", "Save the selected content to a file.", where, "do('save')", True
        ),
    )


_COMPLETE = "Accept a value that the server suggests; again takes the next."
OFFERED: tuple[Action, ...] = (
    Action(
        "offered.result",
        ("ctrl+g",),
        "Result",
        "Go to the result; again returns to the form.",
        _O,
        "result",
        footer=True,
        priority=True,
    ),
    *_of_items(
        "tools",
        _T,
        "Call",
        "Call the tool with the arguments of the form.",
        Action(
            "tools.sort",
            ("v O",),
            "Sort",
            "Sort by name, by size of the definitions, or in the server's order.",
            _T,
            "do('sort')",
        ),
        Action("tools.schema", ("v S",), "Schema", "Show the input and output schemas.", _T, "do('schema')"),
        Action(
            "tools.stderr",
            ("g s",),
            "stderr of this call",
            "Show what the server wrote to stderr during the call.",
            _T,
            "do('stderr')",
        ),
        Action(
            "tools.clients",
            ("v C",),
            "Client compatibility",
            "Show how known clients handle these tools.",
            _T,
            "do('hosts')",
        ),
        Action("tools.app", ("v A",), "App source", "Show the source of the tool's MCP app.", _T, "do('app')"),
        Action(
            "tools.task", ("x t",), "Call as task", "Call the tool as a task; again turns this off.", _T, "do('task')"
        ),
    ),
    *_of_items(
        "resources",
        _R,
        "Read",
        "Read the resource, or the expanded template.",
        Action("resources.subscribe", ("x f",), "Subscribe", "Subscribe to the resource, or unsubscribe.", _R, "watch"),
        Action("resources.complete", ("ctrl+@", "f9"), "Complete", _COMPLETE, _R, "do('complete')", priority=True),
        Action("resources.compare", ("v d",), "Diff", "Compare with the previous read.", _R, "compare"),
    ),
    *_of_items(
        "prompts",
        _P,
        "Get",
        "Get the messages of the prompt.",
        Action("prompts.complete", ("ctrl+@", "f9"), "Complete", _COMPLETE, _P, "do('complete')", priority=True),
        Action("prompts.json_copy", ("x j",), "Copy JSON", "Copy the messages as JSON.", _P, "do('copy-json')"),
        Action(
            "prompts.markdown_copy",
            ("x k",),
            "Copy Markdown",
            "Copy the messages as Markdown.",
            _P,
            "do('copy-markdown')",
        ),
    ),
    # Saved calls
    Action("saved.save", ("x s",), "Save call", "Save the call of the form under a name.", _O, "do('save-call')"),
    Action(
        "saved.show",
        ("v c",),
        "Saved calls",
        "Go to saved calls and those of earlier sessions; again hides them.",
        _O,
        "do('saved')",
    ),
    Action("saved.run", ("r",), "Run", "Run the selected call, after those that it uses.", _SAVED, "run", True),
    Action("saved.all", ("x l",), "Run all", "Run all saved calls in order.", _SAVED, "run_all", True),
    Action(
        "saved.mark",
        ("x t",),
        "Run after restarts",
        "Run the selected saved call after each restart of the server, or no longer.",
        _SAVED,
        "mark",
    ),
    Action("saved.previous", ("[", "ctrl+left"), "Previous tab", "Show the previous tab.", _SAVED, "turn(-1)"),
    Action(
        "saved.next",
        ("]", "ctrl+right"),
        "Next tab",
        "Show saved calls, or those of earlier sessions.",
        _SAVED,
        "turn(1)",
        True,
    ),
    Action(
        "saved.environment", ("v e",), "Environment", "Choose the environment of saved calls.", _SAVED, "environment"
    ),
    Action("saved.rename", ("x n",), "Rename", "Give the selected saved call another name.", _SAVED, "rename"),
    Action("saved.duplicate", ("x y",), "Duplicate", "Copy the selected saved call.", _SAVED, "duplicate"),
    Action("saved.delete", ("x d",), "Delete", "Delete the selected saved call, after a question.", _SAVED, "delete"),
    # Result
    Action("result.again", ("r",), "Run again", "Send the shown request again.", _RESULT, "again", True),
    Action("result.edit", ("x e",), "Edit call", "Put the arguments of this call into the form.", _RESULT, "edit"),
    Action(
        "result.traffic", ("o",), "Show in Traffic", "Show the request of this result in Traffic.", _RESULT, "entry"
    ),
    Action("result.picture", ("v i",), "Image", "Show the image of this block.", _RESULT, "picture"),
    Action("result.markdown", ("v m",), "Markdown", "Show Markdown formatted, or as source.", _RESULT, "markdown"),
    # Lists
    Action(
        "offered.changes",
        ("g d",),
        "Definition changes",
        "Show what changed in this list, and its findings.",
        _O,
        "changes",
    ),
    Action("offered.reset", ("x 0",), "Reset", "Set all fields to the defaults of the schema.", _O, "do('reset')"),
    Action("offered.more", ("x +",), "Load more", "Fetch the next page of the list.", _O, "more", True),
)
"""In the order of footer, menus and help."""
