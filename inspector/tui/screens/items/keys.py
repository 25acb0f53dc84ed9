"""The keys of the screens Tools, Resources and Prompts, and of their results."""

from inspector.tui.actions import Action, ActionScope


def _of_offers(name: str, where: ActionScope, verb: str, deed: str, *more: Action) -> tuple[Action, ...]:
    """What resources and prompts have in common."""
    complete = "Take a value that the server proposes; again takes the next."
    return (
        Action(f"{name}.filter", ("/",), "Filter", f"Show only {name} that match.", where, "filter", footer=True),
        Action(f"{name}.clear", ("\\",), "Clear filter", f"Show all {name} again.", where, "clear_filter"),
        Action(f"{name}.send", ("ctrl+j", "f5", "ctrl+enter"), verb, deed, where, "send", footer=True, priority=True),
        *more,
        Action(f"{name}.complete", ("ctrl+@", "f9"), "Complete", complete, where, "do('complete')", priority=True),
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


OFFERED: tuple[Action, ...] = (
    Action(
        "offered.result",
        ("ctrl+g",),
        "Result",
        "Go to the result, also from a field; again goes back to the field.",
        ActionScope.OFFERED,
        "result",
        footer=True,
        priority=True,
    ),
    # Tools
    Action("tools.filter", ("/",), "Filter", "Show only tools that match.", ActionScope.TOOLS, "filter", footer=True),
    Action("tools.clear", ("\\",), "Clear filter", "Show all tools again.", ActionScope.TOOLS, "clear_filter"),
    Action(
        "tools.send",
        ("ctrl+j", "f5", "ctrl+enter"),
        "Call",
        "Call the tool with what the form holds. The Call button does the same.",
        ActionScope.TOOLS,
        "send",
        footer=True,
        priority=True,
    ),
    Action(
        "tools.json",
        ("e", "ctrl+o"),
        "Form/JSON",
        "Write the arguments as a form or as JSON; `ctrl+o` works while you type.",
        ActionScope.TOOLS,
        "do('json')",
        footer=True,
    ),
    Action(
        "tools.about",
        ("i",),
        "About",
        "Show all of the tool's description, or its beginning.",
        ActionScope.TOOLS,
        "do('about')",
    ),
    Action("tools.hosts", ("M",), "Hosts", "Show what hosts do with these tools.", ActionScope.TOOLS, "do('hosts')"),
    Action(
        "tools.app", ("o",), "App source", "Show the source of the app that it brings.", ActionScope.TOOLS, "do('app')"
    ),
    Action("tools.task", ("t",), "As a task", "Call it as a task, or not.", ActionScope.TOOLS, "do('task')"),
    Action(
        "tools.repeat", (".",), "Repeat", "Repeat the last call, or the chosen one.", ActionScope.TOOLS, "do('repeat')"
    ),
    Action(
        "tools.history",
        ("h",),
        "History",
        "Show the earlier calls of this tool.",
        ActionScope.TOOLS,
        "do('history')",
        footer=True,
    ),
    Action(
        "tools.schema",
        ("S",),
        "Schema",
        "Show the schemas of input and output.",
        ActionScope.TOOLS,
        "do('schema')",
        True,
    ),
    Action(
        "tools.stderr",
        ("s",),
        "stderr",
        "Show what the server wrote to stderr during the call.",
        ActionScope.TOOLS,
        "do('stderr')",
        footer=True,
    ),
    Action("tools.save", ("w",), "Save", "Save the block under the cursor to a file.", ActionScope.TOOLS, "do('save')"),
    # Resources and prompts
    *_of_offers(
        "resources",
        ActionScope.RESOURCES,
        "Read",
        "Read the resource, or the one that the template expands to.",
        Action(
            "resources.watch",
            ("s",),
            "Watch",
            "Watch the resource, or the one that the template expands to; or watch it no longer.",
            ActionScope.RESOURCES,
            "watch",
            footer=True,
        ),
    ),
    Action(
        "resources.compare",
        ("u",),
        "What changed",
        "Show what has changed since the read before the one that is shown.",
        ActionScope.RESOURCES,
        "compare",
    ),
    *_of_offers("prompts", ActionScope.PROMPTS, "Get", "Get the prompt's messages for the arguments in the form."),
    Action(
        "prompts.json_copy", ("c",), "Copy JSON", "Copy the messages as JSON.", ActionScope.PROMPTS, "do('copy-json')"
    ),
    Action(
        "prompts.markdown_copy",
        ("C",),
        "Copy Markdown",
        "Copy the messages as Markdown.",
        ActionScope.PROMPTS,
        "do('copy-markdown')",
    ),
    # Result
    Action(
        "result.picture",
        ("v",),
        "Picture",
        "Show the picture of this block.",
        ActionScope.RESULT,
        "picture",
        footer=True,
    ),
    Action(
        "result.markdown",
        ("m",),
        "Markdown",
        "Show Markdown as it is meant, or as it is.",
        ActionScope.RESULT,
        "markdown",
    ),
    Action("result.edit", ("r",), "Edit call", "Put this call's arguments into the form.", ActionScope.RESULT, "edit"),
    # Lists of what a server offers
    Action(
        "offered.changes",
        ("D",),
        "Changes",
        "Show what has changed in this list, how old it is, and what is odd about it.",
        ActionScope.OFFERED,
        "changes",
        footer=True,
    ),
    Action("offered.more", (">",), "Next page", "Fetch the next page.", ActionScope.OFFERED, "more", footer=True),
)
"""The order is the order of footer and help."""
