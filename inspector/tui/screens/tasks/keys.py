"""Actions of Tasks, of Log and of Server."""

from inspector.tui.actions import Action, ActionScope

_T, _L, _S = ActionScope.TASKS, ActionScope.LOG, ActionScope.SERVER
TASKS: tuple[Action, ...] = (
    Action("tasks.fetch", ("r",), "Refresh", "Fetch the status of the task now.", _T, "fetch", True),
    Action("tasks.call", ("o",), "Show in Traffic", "Show the call of the task in Traffic.", _T, "open_call", True),
    Action("tasks.cancel", ("x c",), "Cancel task", "Ask the server to cancel the task.", _T, "cancel_task", True),
    Action(
        "tasks.follow",
        ("x f",),
        "Watch task",
        "Poll until the task completes; again stops polling.",
        _T,
        "follow_task",
        True,
    ),
    Action("tasks.list", ("x L",), "List tasks", "Ask the server for its tasks.", _T, "list_tasks"),
)
LOG: tuple[Action, ...] = (
    Action("log.filter", ("/",), "Filter", "Show only lines that contain a text.", _L, "filter", True),
    Action("log.clear", ("f c",), "Clear filter", "Show all lines again.", _L, "clear_filter"),
    Action(
        "log.raise",
        ("]", "ctrl+right"),
        "Raise level",
        "Show only more severe messages; stderr stays.",
        _L,
        "level(1)",
        True,
    ),
    Action("log.lower", ("[", "ctrl+left"), "Lower level", "Show less severe messages too.", _L, "level(-1)"),
    Action("log.sources", ("v o",), "Sources", "Show log messages, stderr, or both.", _L, "sources"),
    Action(
        "log.ask", ("x l",), "Set server level", "Ask the server for log messages from a level on.", _L, "ask", True
    ),
)
SERVER: tuple[Action, ...] = (
    Action(
        "server.capabilities",
        ("x C",),
        "Client capabilities",
        "Choose the client capabilities.",
        _S,
        "app.offers",
        True,
    ),
    Action(
        "server.reveal",
        ("v r",),
        "Reveal secrets",
        "Show values of environment variables, or hide them again.",
        _S,
        "reveal",
        True,
    ),
)
