"""The part of the table of keys that is about messages written by hand, and about skills."""

from inspector.tui.actions import Action, ActionScope

BY_HAND: tuple[Action, ...] = (
    Action(
        "raw.send",
        ("ctrl+j", "f5", "ctrl+enter"),
        "Send",
        "Send what is written, right or wrong.",
        ActionScope.RAW,
        "send",
        footer=True,
        priority=True,
    ),
    Action(
        "raw.next", ("]",), "Next frame", "Show the next frame of what was sent and came.", ActionScope.RAW, "frame(1)"
    ),
    Action("raw.previous", ("[",), "Frame before", "Show the frame before.", ActionScope.RAW, "frame(-1)"),
    Action("raw.again", (".",), "Write again", "Put the chosen message into the form.", ActionScope.RAW, "again", True),
    Action(
        "raw.entry", ("t",), "In the traffic", "Show the frame in the traffic.", ActionScope.RAW, "entry", footer=True
    ),
)
SKILLS: tuple[Action, ...] = (
    Action(
        "skills.read",
        ("ctrl+j", "f5", "ctrl+enter"),
        "Read",
        "Read the chosen file and hold it against its entry; of a skill its SKILL.md.",
        ActionScope.SKILLS,
        "read",
        footer=True,
    ),
    Action(
        "skills.check",
        ("v",),
        "Verify all",
        "Read the skill's files one by one, up to the first that is not what was listed.",
        ActionScope.SKILLS,
        "check",
        footer=True,
    ),
    Action("skills.list", ("l",), "List", "Ask for the list of skills.", ActionScope.SKILLS, "list", footer=True),
    Action(
        "skills.get",
        ("u",),
        "Renew entry",
        "Ask for the chosen skill's entry anew.",
        ActionScope.SKILLS,
        "get",
        footer=True,
    ),
)
