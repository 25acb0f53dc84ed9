"""The part of the table of keys that is about the captures there are."""

from inspector.tui.actions import Action, Where

_E, _S = Where.EVERYWHERE, Where.SESSIONS
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
