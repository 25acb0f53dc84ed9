"""Actions of Inbox: server requests, their responses and the roots."""

from inspector.tui.actions import Action, ActionScope

_I = ActionScope.INBOX
INBOX: tuple[Action, ...] = (
    Action(
        "inbox.accept",
        ("ctrl+j", "f5", "ctrl+enter"),
        "Respond",
        "Send the response; press again to send despite validation errors.",
        _I,
        "question('accept')",
        footer=True,
        priority=True,
    ),
    Action(
        "inbox.decline",
        ("ctrl+d", "f6"),
        "Decline",
        "Decline the request; a sampling request is rejected with an error.",
        _I,
        "question('decline')",
        footer=True,
        priority=True,
    ),
    Action(
        "inbox.dismiss",
        ("ctrl+x", "f7"),
        "Cancel",
        "Respond with the action cancel.",
        _I,
        "question('dismiss')",
        footer=True,
        priority=True,
    ),
    Action("inbox.json", ("ctrl+o",), "Form/JSON", "Switch between form and JSON.", _I, "question('json')"),
    Action(
        "inbox.model",
        ("ctrl+k", "f8"),
        "Model",
        "Show and edit the model request; again returns or stops it.",
        _I,
        "question('model')",
        priority=True,
    ),
    Action("inbox.open", ("x o",), "Open link", "Open the link of the request in the browser.", _I, "question('open')"),
    Action("inbox.again", ("x i",), "Use last response", "Fill in the last response.", _I, "question('again')"),
    Action("inbox.all", ("x D",), "Decline all", "Decline all waiting requests; press twice.", _I, "question('all')"),
    Action("inbox.roots", ("x R",), "Edit roots", "Edit the list of roots.", _I, "roots", True),
    Action(
        "inbox.capabilities", ("x C",), "Client capabilities", "Choose the client capabilities.", _I, "app.offers", True
    ),
)
