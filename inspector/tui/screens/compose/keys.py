"""Actions of the Composer and of Skills."""

from inspector.tui.actions import Action, ActionScope

_SEND = ("ctrl+j", "f5", "ctrl+enter")
_R, _S = ActionScope.RAW, ActionScope.SKILLS
COMPOSER: tuple[Action, ...] = (
    Action("composer.send", _SEND, "Send", "Send the message as typed.", _R, "send", footer=True, priority=True),
    Action(
        "composer.next", ("]", "ctrl+right"), "Next message", "Show the next sent or received message.", _R, "frame(1)"
    ),
    Action("composer.previous", ("[", "ctrl+left"), "Previous message", "Show the previous message.", _R, "frame(-1)"),
    Action("composer.edit", ("x e",), "Edit and resend", "Put the selected message into the form.", _R, "again", True),
    Action("composer.entry", ("o",), "Show in Traffic", "Show the message in Traffic.", _R, "entry", True),
)
SKILLS: tuple[Action, ...] = (
    Action(
        "skills.read",
        _SEND,
        "Read",
        "Read the selected file and verify it; for a skill, its SKILL.md.",
        _S,
        "read",
        True,
    ),
    Action("skills.list", ("r",), "Refresh", "Fetch the list of skills again.", _S, "list", True),
    Action("skills.check", ("x v",), "Verify all", "Read and verify all files of the skill.", _S, "check", True),
    Action("skills.get", ("x g",), "Refresh entry", "Fetch the entry of this skill again.", _S, "get"),
)
